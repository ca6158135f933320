// Sweeps through tiled fronts (symbolic/sweep_lists.hpp). A block of four warps that multiply, and four that bring: the loader draws
// tickets and streams tiles of L and inverses of diagonal tiles through a ring of shared memory, without waiting for any number of the
// solve, so a task's first tiles are there when its numbers come; another warp brings the numbers that tiles are multiplied by, two
// those that sums start from. All go through the same tiles in the same order.
//
// The product of a tile and 64 numbers: forward a warp has 16 rows, whose sums end in four lanes each; backward it has 16 columns, whose
// sums over tiles, which keep what they round (dot2.cuh), end in eight. Both read L in the order in which cells lie, 16 bytes a lane.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "numeric/cuda/sweep_bring.cuh"

namespace kauri::numeric::cuda::sweep {

/// Where a lane stands: warp w has rows, or columns, 16 w to 16 w + 15 of a tile, lane 4 g + t row g of a cell, and columns 2 t, 2 t + 1.
struct Lane {
  int warp, lane, g, t;
};

/// The rings as those that multiply go through them.
struct Rings {
  Turn<kStages> stage;
  Turn<kInputs> input;
  Turn<2> start;
  unsigned parity = 0;  // of Shared::sum
};

__device__ inline const double* await_stage(const Tiles& shared, const Rings& rings) {
  ptx::barrier_wait(&shared.barrier.full[rings.stage.at], rings.stage.phase);
  return shared.data.stage[rings.stage.at];
}
/// What was read of a stage has come once the fence is passed: loads that are merely under way may be overtaken by the copy that comes
/// next, and have been (in one of some 10^6 tiles).
__device__ inline void leave_stage(const Tiles& shared, Rings& rings, int lane) {
  ptx::shared_proxy_fence();
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.empty[rings.stage.at]);
  rings.stage.next();
}

/// A lane's part of a whole tile, in registers before the numbers come that it is multiplied by: from then on there are sixteen products a
/// sum left, and the ring goes on meanwhile.
struct WholeTile {
  double2 of[2][8];
};
__device__ inline bool is_whole(Index rows, Index columns) { return rows == symbolic::kTileCells && columns == symbolic::kTileCells; }

/// of[h][2 r + e + 4 pair]: rows 16 w + 8 r + g, columns 2 t, 2 t + 1 of cell 4 h + 2 pair + e.
__device__ inline void take_tile(const Tiles& shared, Rings& rings, const Lane& at, WholeTile& out) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const double* stage = await_stage(shared, rings) + at.lane * 2 + 2 * at.warp * kPair;
#pragma unroll
    for (int pair = 0; pair < 2; ++pair)
#pragma unroll
      for (int r = 0; r < 2; ++r)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          out.of[h][4 * pair + 2 * r + e] = *reinterpret_cast<const double2*>(stage + pair * kForwardPair + r * kPair + e * kCellEntries);
    leave_stage(shared, rings, at.lane);
  }
}
/// of[h][2 k + c]: rows 8 (4 h + k) + g, columns 16 w + 8 c + 2 t and the next.
__device__ inline void take_tile_back(const Tiles& shared, Rings& rings, const Lane& at, WholeTile& out) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const double* stage = await_stage(shared, rings) + at.warp * kBackwardPair + at.lane * 2;
#pragma unroll
    for (int k = 0; k < 8; ++k) out.of[h][k] = *reinterpret_cast<const double2*>(stage + k * kCellEntries);
    leave_stage(shared, rings, at.lane);
  }
}

/// sum[r][0] + sum[r][1] += rows 16 w + 8 r + g of the tile times x: two sums, since a product waits for the one before it.
__device__ inline void multiply_tile(const WholeTile& tile, const Lane& at, const double* x, double (&sum)[2][2]) {
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int pair = 0; pair < 2; ++pair)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const double2 y = *reinterpret_cast<const double2*>(x + (4 * h + 2 * pair + e) * symbolic::kCell + 2 * at.t);
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          const double2 v = tile.of[h][4 * pair + 2 * r + e];
          sum[r][0] = fma(v.x, y.x, sum[r][0]);
          sum[r][1] = fma(v.y, y.y, sum[r][1]);
        }
      }
}

/// part[2 c + e] = columns 16 w + 8 c + 2 t + e of the tile times rows g, 8 + g, ... of x: up to eight products of a lane, summed up as
/// they round. What their sum over tiles rounds is kept (Dot2); ten operations a product would be most of the time from one tile to the
/// next.
__device__ inline void multiply_tile_back(const WholeTile& tile, const Lane& at, const double* x, double (&part)[4]) {
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double number = x[(4 * h + k) * symbolic::kCell + at.g];
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const double2 v = tile.of[h][2 * k + c];
        part[2 * c] = fma(v.x, number, part[2 * c]);
        part[2 * c + 1] = fma(v.y, number, part[2 * c + 1]);
      }
    }
}

struct Four {
  double of[4];
};

/// The same for tiles at a front's edges, of which there are few: apart, and the rings by value, so that those stay in registers. Forward
/// (columns + 3) / 4 stages, backward (rows + 3) / 4.
__device__ __noinline__ Four multiply_edge(Tiles shared, Rings rings, Lane at, Index rows, Index columns, const double* x) {
  double sum[2][2] = {};
  for (Index c = 0; c < columns; c += 4) {
    const double* stage = await_stage(shared, rings) + at.lane * 2;
    for (int r = 0; r < 2; ++r) {
      if (2 * at.warp + r >= rows) continue;
      for (Index e = c; e < min(c + 4, columns); ++e) {
        const Index width = e % 2 == 0 && e == columns - 1 ? 1 : 2;
        const double2 y = *reinterpret_cast<const double2*>(x + e * symbolic::kCell + 2 * at.t);
        const double2 v =
            *reinterpret_cast<const double2*>(stage + (e - c) / 2 * kForwardPair + ((2 * at.warp + r) * width + e % 2) * kCellEntries);
        const double first = fma(v.x, y.x, r == 0 ? sum[0][0] : sum[1][0]), second = fma(v.y, y.y, r == 0 ? sum[0][1] : sum[1][1]);
        if (r == 0)
          sum[0][0] = first, sum[0][1] = second;
        else
          sum[1][0] = first, sum[1][1] = second;
      }
    }
    leave_stage(shared, rings, at.lane);
  }
  return {{sum[0][0], sum[0][1], sum[1][0], sum[1][1]}};
}
__device__ __noinline__ Four multiply_edge_back(Tiles shared, Rings rings, Lane at, Index rows, Index columns, const double* x) {
  const Index width = min(columns - 2 * at.warp, 2);
  Four part{};
  for (Index r = 0; r < rows; r += symbolic::kTileCells / 2) {
    const double* stage = await_stage(shared, rings) + at.warp * kBackwardPair + at.lane * 2;
    for (int k = 0; k < min(rows - r, symbolic::kTileCells / 2); ++k) {
      const double number = x[(r + k) * symbolic::kCell + at.g];
      if (width >= 1) {
        const double2 v = *reinterpret_cast<const double2*>(stage + k * width * kCellEntries);
        part.of[0] = fma(v.x, number, part.of[0]), part.of[1] = fma(v.y, number, part.of[1]);
      }
      if (width == 2) {
        const double2 v = *reinterpret_cast<const double2*>(stage + (2 * k + 1) * kCellEntries);
        part.of[2] = fma(v.x, number, part.of[2]), part.of[3] = fma(v.y, number, part.of[3]);
      }
    }
    leave_stage(shared, rings, at.lane);
  }
  return part;
}

/// Past the stages of an edge's tile of so many cells in the direction that they divide.
__device__ inline void pass_stages(Rings& rings, Index cells) {
  for (Index k = 0; k < cells; k += 4) rings.stage.next();
}

/// Sums over the lanes of equal g.
__device__ inline double sum_of_row(double x) {
  x += exchange(x, 1);
  return x + exchange(x, 2);
}

/// Of each of four sums over the lanes of equal t one to each lane: that of column own_column().
__device__ inline double sum_of_column(const double (&sum)[4], int lane) {
  const bool high = lane & 16, odd = lane & 8;
  const double even = (high ? sum[2] : sum[0]) + exchange(high ? sum[0] : sum[2], 16);
  const double other = (high ? sum[3] : sum[1]) + exchange(high ? sum[1] : sum[3], 16);
  const double half = (odd ? other : even) + exchange(odd ? even : other, 8);
  return half + exchange(half, 4);
}
__device__ inline int own_column(const Lane& at) { return 16 * at.warp + 8 * (at.lane >> 4) + 2 * at.t + (at.lane >> 3 & 1); }

/// The stages of an inverse, both held until they are left.
struct InverseStages {
  const double* first;
  const double* second;
  int blocks;
  __device__ InverseStages(const Tiles& shared, const Rings& rings, int block_rows)
      : first(await_stage(shared, rings)), second(first), blocks(block_rows) {
    if (blocks < 4) return;
    Rings next = rings;
    next.stage.next();
    second = await_stage(shared, next);
  }
  __device__ void leave(const Tiles& shared, Rings& rings, int lane) const {
    leave_stage(shared, rings, lane);
    if (blocks == 4) leave_stage(shared, rings, lane);
  }
  [[nodiscard]] __device__ bool needs_correction() const { return first[1] != 0; }
};

/// A lane's part of an inverse: of[j][2 r + c] forward of block (w, j), rows 8 r + g, columns 8 c + 2 t and the next; backward of block (j,
/// w). Zeros where there is no block. Entry (0, 1) of the first block is a mark, and counts as zero.
struct Inverse {
  double2 of[4][4];
};
template <bool kForward>
__device__ void take_inverse(const InverseStages& stages, const Lane& at, Inverse& out) {
  static_assert(kFirstBlocks == 6);  // rows 0 to 2 of blocks in the first stage, row 3 in the second
  const int before = at.warp < 3 ? at.warp * (at.warp + 1) / 2 : 0;
  const double* row = (at.warp < 3 ? stages.first : stages.second) + before * symbolic::kInverseEntries + at.lane * 2;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const bool there = kForward ? j <= at.warp && at.warp < stages.blocks : at.warp <= j && j < stages.blocks;
    const double* from = row + j * symbolic::kInverseEntries;
    if constexpr (!kForward)
      from = (j < 3 ? stages.first + j * (j + 1) / 2 * symbolic::kInverseEntries : stages.second) + at.warp * symbolic::kInverseEntries +
             at.lane * 2;
#pragma unroll
    for (int cell = 0; cell < 4; ++cell)
      out.of[j][cell] = there ? *reinterpret_cast<const double2*>(from + cell * kCellEntries) : double2{0, 0};
  }
  if (at.warp == 0 && at.lane == 0) out.of[0][0].y = 0;
}

/// out[r] = row 16 w + 8 r + g of V x, all lanes. x is zero behind the rows of the tile.
__device__ inline void multiply_inverse(const Inverse& v, const Lane& at, const double* x, double (&out)[2]) {
  double sum[2][2] = {};
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const double2 y = *reinterpret_cast<const double2*>(x + 16 * j + 8 * c + 2 * at.t);
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum[r][0] = fma(v.of[j][2 * r + c].x, y.x, sum[r][0]);
        sum[r][1] = fma(v.of[j][2 * r + c].y, y.y, sum[r][1]);
      }
    }
  out[0] = sum_of_row(sum[0][0] + sum[0][1]), out[1] = sum_of_row(sum[1][0] + sum[1][1]);
}

/// Row own_column() of V^T x.
__device__ inline double multiply_inverse_back(const Inverse& v, const Lane& at, const double* x) {
  double sum[2][4] = {};
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const double number = x[16 * i + 8 * r + at.g];
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        sum[r][2 * c] = fma(v.of[i][2 * r + c].x, number, sum[r][2 * c]);
        sum[r][2 * c + 1] = fma(v.of[i][2 * r + c].y, number, sum[r][2 * c + 1]);
      }
    }
  const double all[4] = {sum[0][0] + sum[1][0], sum[0][1] + sum[1][1], sum[0][2] + sum[1][2], sum[0][3] + sum[1][3]};
  return sum_of_column(all, at.lane);
}

/// rest = c - T y, or c - T^T y, T the diagonal tile k: what V leaves, from L itself. All threads that multiply; y and c are theirs to
/// read.
template <bool kForward>
__device__ __noinline__ void find_rest(const double* panel, FrontCells cells, Index k, const double* c, const double* y, double* rest) {
  const symbolic::CellLayout layout = cells.panel();
  const Index rows = cells.rows_of(k), first = k * kTile, r = static_cast<Index>(threadIdx.x);
  if (r >= kTile) return;
  Dot2 sum{r < rows ? c[r] : 0.0};
  for (Index j = kForward ? 0 : r; j < (kForward ? min(r + 1, rows) : rows); ++j)
    if (r < rows) sum.subtract<double>(panel[layout.place(first + (kForward ? r : j), first + (kForward ? j : r))], y[j]);
  rest[r] = sum.value();
}

__device__ inline void together() { ptx::named_sync(kBarrier, 32 * kMultipliers); }

/// y += V (sum - T y): one step of refinement, where V alone is not accurate enough.
__device__ inline void correct_rows(const Tiles& shared, const InverseStages& stages, const Lane& at, const FrontCells& cells,
                                    const double* panel, Index k, const double* sum, double (&y)[2]) {
  if (at.t == 0) shared.data.own[16 * at.warp + at.g] = y[0], shared.data.own[16 * at.warp + 8 + at.g] = y[1];
  together();
  find_rest<true>(panel, cells, k, sum, shared.data.own, shared.data.rest);
  together();
  Inverse v;
  take_inverse<true>(stages, at, v);
  double more[2];
  multiply_inverse(v, at, shared.data.rest, more);
  y[0] += more[0], y[1] += more[1];
}

__device__ inline void correct_columns(const Tiles& shared, const InverseStages& stages, const Lane& at, const FrontCells& cells,
                                       const double* panel, Index k, const double* sum, double& x) {
  if ((at.lane & 4) == 0) shared.data.own[own_column(at)] = x;
  together();
  find_rest<false>(panel, cells, k, sum, shared.data.own, shared.data.rest);
  together();
  Inverse v;
  take_inverse<false>(stages, at, v);
  x += multiply_inverse_back(v, at, shared.data.rest);
}

__device__ inline const double* await_input(const Tiles& shared, const Rings& rings) {
  ptx::barrier_wait(&shared.barrier.input_full[rings.input.at], rings.input.phase);
  return shared.data.input[rings.input.at];
}
__device__ inline void leave_input(const Tiles& shared, Rings& rings, int lane) {
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.input_empty[rings.input.at]);
  rings.input.next();
}

/// Products of tile row i of a task; those of its own numbers, or of numbers that the input warp brings.
__device__ inline void add_products(const Tiles& shared, Rings& rings, const Lane& at, const SweepTask& task, const FrontCells& cells,
                                    Index i, double (&out)[2]) {
  double sum[2][2] = {};
  const Index rows = cells.cells_of(i), end = last_column(task, i, cells.pivot_tiles());
  const bool own = reads_own(task, i);
  for (Index k = task.column; k < end; ++k) {
    if (const Index columns = cells.cells_of(k); is_whole(rows, columns)) {
      WholeTile tile;
      take_tile(shared, rings, at, tile);
      multiply_tile(tile, at, own ? shared.data.own : await_input(shared, rings), sum);
    } else {
      const Four edge = multiply_edge(shared, rings, at, rows, columns, own ? shared.data.own : await_input(shared, rings));
      pass_stages(rings, columns);
      sum[0][0] += edge.of[0], sum[0][1] += edge.of[1], sum[1][0] += edge.of[2], sum[1][1] += edge.of[3];
    }
    if (!own) leave_input(shared, rings, at.lane);
  }
  out[0] = sum_of_row(sum[0][0] + sum[0][1]), out[1] = sum_of_row(sum[1][0] + sum[1][1]);
}

/// What sums of rows start from, less the products, and where update rows go.
__device__ inline void start_rows(const Tiles& shared, Rings& rings, const Lane& at, double (&sum)[2], std::uint32_t (&place)[2]) {
  const int row = 16 * at.warp + at.g;
  ptx::barrier_wait(&shared.barrier.start_full[rings.start.at], rings.start.phase);
  const double* start = shared.data.start[rings.start.at];
  sum[0] = start[row] - sum[0], sum[1] = start[row + 8] - sum[1];
  place[0] = shared.data.place[rings.start.at][row], place[1] = shared.data.place[rings.start.at][row + 8];
  __syncwarp();
  if (at.lane == 0) ptx::barrier_arrive(&shared.barrier.start_empty[rings.start.at]);
  rings.start.next();
}

/// Numbers of a pivot tile, of what start_rows() left; to shared.data.own, too, where rows below in the same task read them.
__device__ inline void finish_pivots(const Tiles& shared, Rings& rings, const Lane& at, const SweepTask& task, const Front& front, Index i,
                                     double (&sum)[2], const SweepMemory& memory) {
  const FrontCells cells{front.m, front.p};
  const int row = 16 * at.warp + at.g;
  const Index rows = cells.rows_of(i);
  std::uint32_t place[2];
  start_rows(shared, rings, at, sum, place);
  double* right = shared.data.sum[rings.parity];
  rings.parity ^= 1;
  if (at.t == 0) right[row] = row < rows ? sum[0] : 0.0, right[row + 8] = row + 8 < rows ? sum[1] : 0.0;
  const InverseStages stages(shared, rings, blocks_of(cells.cells_of(i)));
  Inverse inverse;
  take_inverse<true>(stages, at, inverse);  // while the others come
  together();
  multiply_inverse(inverse, at, right, sum);
  if (stages.needs_correction()) correct_rows(shared, stages, at, cells, memory.l + front.panel, i, right, sum);
  double* out = memory.y + front.first + i * kTile + row;
  if (at.t == 0) {
    if (row < rows) publish(out, sum[0]);
    if (row + 8 < rows) publish(out + 8, sum[1]);
  }
  stages.leave(shared, rings, at.lane);
  if (i + 1 == task.row + task.rows) return;
  together();  // nobody corrects by it any more
  if (at.t == 0) shared.data.own[row] = sum[0], shared.data.own[row + 8] = sum[1];
  together();
}

/// Update rows.
__device__ inline void finish_rows_below(const Tiles& shared, Rings& rings, const Lane& at, Index rows, double (&sum)[2],
                                         const SweepMemory& memory) {
  const int row = 16 * at.warp + at.g;
  std::uint32_t place[2];
  start_rows(shared, rings, at, sum, place);
  if (at.t != 0) return;
  if (row < rows) publish(memory.update + place[0], sum[0]);
  if (row + 8 < rows) publish(memory.update + place[1], sum[1]);
}

/// Rows [8 column, 8 column + 8) of a tile row: the children's update rows, two rows a warp, in a fixed tree.
__device__ inline void gather_rows(const SweepTask& task, const Front& front, const Lane& at, const SweepView& view,
                                   const SweepMemory& memory) {
  const FrontCells cells{front.m, front.p};
  for (Index r = symbolic::kGatherRows * task.column + 2 * at.warp, e = 0; e < 2; ++e, ++r) {
    if (r >= cells.rows_of(task.row)) return;
    const std::uint32_t* ptr = view.ptr + front.row + task.front + cells.first_row(task.row) + r;
    const std::uint32_t begin = ptr[0], count = ptr[1] - begin;
    const double* from = memory.update + begin;
    double sum[4] = {0, 0, 0, 0};
    for (std::uint32_t k = static_cast<std::uint32_t>(at.lane); k < count; k += 128) {
      double x[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) x[u] = k + 32u * u < count ? load_relaxed(from + k + 32 * u) : 0.0;
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        while (!is_set(x[u])) x[u] = load_relaxed(from + k + 32 * u);
        sum[u] += x[u];
      }
    }
    double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) all += exchange(all, lanes);
    if (at.lane == 0) publish(memory.forward_part + Offset{task.part} * kTile + r, all);
  }
}

__device__ inline void do_task(const Tiles& shared, Rings& rings, const Lane& at, const SweepTask& task, const Front& front,
                               const SweepView& view, const SweepMemory& memory) {
  if (task.kind == SweepTask::Kind::gather) return gather_rows(task, front, at, view, memory);
  const FrontCells cells{front.m, front.p};
  for (Index i = task.row; i < task.row + task.rows; ++i) {
    double sum[2];
    add_products(shared, rings, at, task, cells, i, sum);
    if (task.kind != SweepTask::Kind::part) {
      if (i < cells.pivot_tiles())
        finish_pivots(shared, rings, at, task, front, i, sum, memory);
      else
        finish_rows_below(shared, rings, at, cells.rows_of(i), sum, memory);
    } else if (at.t == 0) {
      double* part = memory.forward_part + Offset{task.part} * kTile + 16 * at.warp + at.g;
      publish(part, sum[0]);
      publish(part + 8, sum[1]);
    }
  }
}

__device__ inline void do_task_back(const Tiles& shared, Rings& rings, const Lane& at, const SweepTask& task, const Front& front,
                                    const SweepMemory& memory) {
  const FrontCells cells{front.m, front.p};
  const Index columns = cells.cells_of(task.column);
  Dot2 sums[4];
  double last[4] = {0, 0, 0, 0};
  for (Index i = task.row + task.rows; i-- > task.row;) {
    double part[4] = {0, 0, 0, 0};
    if (const Index rows = cells.cells_of(i); is_whole(rows, columns)) {
      WholeTile tile;
      take_tile_back(shared, rings, at, tile);
      multiply_tile_back(tile, at, await_input(shared, rings), part);
    } else {
      const Four edge = multiply_edge_back(shared, rings, at, rows, columns, await_input(shared, rings));
      pass_stages(rings, rows);
#pragma unroll
      for (int k = 0; k < 4; ++k) part[k] = edge.of[k];
    }
    leave_input(shared, rings, at.lane);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (i > task.row)
        sums[k] = add(sums[k], Dot2{part[k]});
      else
        last[k] = part[k];
    }
  }
  // What the sums of the last tile and of lanes round is of the size of what the result rounds.
  double all[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) all[k] = sums[k].sum + (last[k] + sums[k].error);
  const double sum = sum_of_column(all, at.lane);
  const int column = own_column(at);
  const bool chosen = (at.lane & 4) == 0;
  if (task.kind == SweepTask::Kind::part) {
    if (chosen) publish(memory.backward_part + Offset{task.part} * kTile + column, sum);
    return;
  }
  ptx::barrier_wait(&shared.barrier.start_full[rings.start.at], rings.start.phase);
  const double* start = shared.data.start[rings.start.at];
  const double value = (start[column] - sum) + start[kTile + column];
  const std::uint32_t place = shared.data.place[rings.start.at][column];
  __syncwarp();
  if (at.lane == 0) ptx::barrier_arrive(&shared.barrier.start_empty[rings.start.at]);
  rings.start.next();
  double* right = shared.data.sum[rings.parity];
  rings.parity ^= 1;
  if (chosen) right[column] = column < cells.rows_of(task.column) ? value : 0.0;
  const InverseStages stages(shared, rings, blocks_of(columns));
  Inverse inverse;
  take_inverse<false>(stages, at, inverse);
  together();
  double x = multiply_inverse_back(inverse, at, right);
  if (stages.needs_correction()) correct_columns(shared, stages, at, cells, memory.l + front.panel, task.column, right, x);
  stages.leave(shared, rings, at.lane);
  if (!chosen || column >= cells.rows_of(task.column)) return;
  publish(memory.x + front.first + task.column * kTile + column, x);
  memory.out[place] = memory.verdict->status == VerdictStatus::positive_definite ? x : std::numeric_limits<double>::quiet_NaN();
}

template <bool kForward>
__device__ void run_multipliers(const Tiles& shared, const SweepView& view, const SweepMemory& memory) {
  const int thread = static_cast<int>(threadIdx.x);
  const Lane at{thread / 32, thread % 32, thread % 32 / 4, thread % 4};
  Rings rings;
  for (Turn<2> turn;; turn.next()) {
    ptx::barrier_wait(&shared.barrier.task_full[turn.at], turn.phase);
    const SweepTask task = shared.data.task[turn.at];
    if (task.front == kNone) return;
    const Front& front = shared.data.front[turn.at];
    if constexpr (kForward)
      do_task(shared, rings, at, task, front, view, memory);
    else
      do_task_back(shared, rings, at, task, front, memory);
    __syncwarp();
    if (at.lane == 0) ptx::barrier_arrive(&shared.barrier.task_empty[turn.at]);
  }
}

/// All tasks of tiled fronts, by all threads of a block. Those that multiply hold whole tiles in registers, which those that bring leave
/// them.
template <bool kForward>
__device__ void sweep_tiles(const Tiles& shared, const SweepView& view, const SweepMemory& memory) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (warp < kMultipliers) {
    ptx::take_registers<kMultiplierRegisters>();
    run_multipliers<kForward>(shared, view, memory);
    ptx::leave_registers<kRegisters>();
    return;
  }
  ptx::leave_registers<2 * kRegisters - kMultiplierRegisters>();
  if (warp == kLoader)
    run_loader<kForward>(shared, view, memory);
  else if (warp == kInput)
    run_input<kForward>(shared, view, memory);
  else
    run_start<kForward>(shared, view, memory);
  ptx::take_registers<kRegisters>();
}

}  // namespace kauri::numeric::cuda::sweep
