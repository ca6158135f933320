// Sweeps through tiled fronts (symbolic/device/sweep_lists.hpp). A block has four warps that
// multiply and four that load. The loader draws tickets and streams tiles of L and inverses of
// diagonal tiles through a ring of shared memory, without waiting for any number of the solve, so a
// task's first tiles are loaded when its numbers come. Another warp loads the numbers that tiles
// are multiplied by, and two warps load the numbers that sums start from. All warps go through the
// same tiles in the same order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "numeric/cuda/solve/single/load.cuh"
#include "numeric/cuda/solve/single/products.cuh"

namespace kauri::numeric::cuda::sweep {

/// Computes rest = c - T y, or c - T^T y if not kForward, with T the diagonal tile k of L in global
/// memory (`panel`): the residual of y = V c, V the stored inverse of T. Called by all threads that
/// multiply, once c and y are in shared memory.
template <bool kForward, class S, class N>
__device__ __noinline__ void find_rest(const S* panel, FrontCells cells, Index k, const N* c,
                                       const N* y, N* rest) {
  const symbolic::CellLayout layout = cells.panel();
  const Index rows = cells.rows_of(k), first = k * kTile, r = ptx::thread_index();
  if (r >= kTile) return;
  Dot2Of<N> sum{r < rows ? c[r] : N(0)};
  for (Index j = kForward ? 0 : r; j < (kForward ? min(r + 1, rows) : rows); ++j)
    if (r < rows)
      sum.template subtract<S>(
          static_cast<N>(
              panel[layout.place(first + (kForward ? r : j), first + (kForward ? j : r))]),
          y[j]);
  rest[r] = sum.value();
}

/// Adds V (sum - T y) to y = V sum, the lane's two rows: one step of refinement, for an inverse V
/// of the diagonal tile T = L(k,k) that alone is not accurate enough. `sum`: shared memory. Called
/// by all threads that multiply; correct_columns() is the same for x = V^T sum, the lane's column.
template <class S, class N, class Loads>
__device__ inline void correct_rows(const Tiles<S, N, Loads>& shared,
                                    const InverseStages<S>& stages, const Lane& at,
                                    const FrontCells& cells, const S* panel, Index k, const N* sum,
                                    N (&y)[2]) {
  if (at.t == 0)
    shared.data.own[16 * at.warp + at.g] = y[0], shared.data.own[16 * at.warp + 8 + at.g] = y[1];
  together();
  find_rest<true>(panel, cells, k, sum, shared.data.own, shared.data.rest);
  together();
  Inverse<N> v;
  take_inverse<true>(stages, at, v);
  N more[2];
  multiply_inverse(v, at, shared.data.rest, more);
  y[0] += more[0], y[1] += more[1];
}

template <class S, class N, class Loads>
__device__ inline void correct_columns(const Tiles<S, N, Loads>& shared,
                                       const InverseStages<S>& stages, const Lane& at,
                                       const FrontCells& cells, const S* panel, Index k,
                                       const N* sum, N& x) {
  if ((at.lane & 4) == 0) shared.data.own[own_column(at)] = x;
  together();
  find_rest<false>(panel, cells, k, sum, shared.data.own, shared.data.rest);
  together();
  Inverse<N> v;
  take_inverse<false>(stages, at, v);
  x += multiply_inverse_back(v, at, shared.data.rest);
}

template <class S, class N, class Loads>
__device__ inline const N* await_input(const Tiles<S, N, Loads>& shared, const Rings& rings) {
  ptx::barrier_wait(&shared.barrier.input_full[rings.input.at], rings.input.phase);
  return shared.data.input[rings.input.at];
}
template <class S, class N, class Loads>
__device__ inline void leave_input(const Tiles<S, N, Loads>& shared, Rings& rings, int lane) {
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.input_empty[rings.input.at]);
  rings.input.next();
}

/// Sets out to the sums of the products of tile row i of a task, for the lane's two rows, without
/// the last tile if a product with the inverse replaces it. Tiles are multiplied by numbers that
/// the task itself has just made (reads_own()), or by numbers that the input warp loads.
template <class S, class N, class Loads>
__device__ inline void add_products(const Tiles<S, N, Loads>& shared, Rings& rings, const Lane& at,
                                    const SweepTask& task, const FrontCells& cells, Index i,
                                    N (&out)[2]) {
  N sum[2][2] = {};
  const Index rows = cells.cells_of(i);
  const Index end = last_column(task, i, cells.pivot_tiles()) -
                    (ends_with_product(task, i, cells.pivot_tiles()) ? 1 : 0);
  const bool own = reads_own(task, i);
  for (Index k = task.column; k < end; ++k) {
    if (const Index columns = cells.cells_of(k); is_whole(rows, columns)) {
      WholeTile<N> tile;
      take_tile(shared, rings, at, tile);
      multiply_tile(tile, at, own ? shared.data.own : await_input(shared, rings), sum);
    } else {
      const Four<N> edge = multiply_edge(shared, rings, at, rows, columns,
                                         own ? shared.data.own : await_input(shared, rings));
      pass_stages(rings, columns);
      sum[0][0] += edge.of[0], sum[0][1] += edge.of[1], sum[1][0] += edge.of[2],
          sum[1][1] += edge.of[3];
    }
    if (!own) leave_input(shared, rings, at.lane);
  }
  out[0] = sum_of_row(sum[0][0] + sum[0][1]), out[1] = sum_of_row(sum[1][0] + sum[1][1]);
}

template <class S, class N, class Loads>
__device__ inline void leave_start(const Tiles<S, N, Loads>& shared, Rings& rings, int lane) {
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.start_empty[rings.start.at]);
  rings.start.next();
}

/// Waits for the numbers that sums start from, replaces `sum` by these less `sum`, for the lane's
/// two rows, and sets place to the indices of their update rows (unspecified for pivots).
template <class S, class N, class Loads>
__device__ inline void start_rows(const Tiles<S, N, Loads>& shared, Rings& rings, const Lane& at,
                                  N (&sum)[2], std::uint32_t (&place)[2]) {
  const int row = 16 * at.warp + at.g;
  ptx::barrier_wait(&shared.barrier.start_full[rings.start.at], rings.start.phase);
  const N* start = shared.data.start[rings.start.at];
  sum[0] = start[row] - sum[0], sum[1] = start[row + 8] - sum[1];
  place[0] = shared.data.place[rings.start.at][row],
  place[1] = shared.data.place[rings.start.at][row + 8];
  leave_start(shared, rings, at.lane);
}

template <class N>
struct Rows {
  N of[2];
};

/// Sets the place in L of the inverse of the front's diagonal tile k, which kTight kernels read.
template <class S, class N>
__device__ inline void place_in_l(InverseStages<S>& stages, const SweepMemory<S, N>& memory,
                                  const Front& front, Index k) {
  if constexpr (kTight)
    stages.in_l = memory.l + front.inverses + Offset{k} * symbolic::kTileInverseEntries;
}
/// Sets `after` to the rings behind an inverse that a correction still needs. A kTight ring has no
/// room for the tile that follows: the inverse is left and read in L.
template <class S, class N, class Loads>
__device__ inline void pass_inverse(const Tiles<S, N, Loads>& shared, InverseStages<S>& stages,
                                    Rings& after, const Lane& at) {
  if constexpr (kTight) {
    stages.leave(shared, after, at.lane);
    stages.read_in_l();
  } else {
    stages.pass(after);
  }
}

/// Subtracts C y_before from `right` (shared memory), and returns this lane's two rows of V right
/// after one step of refinement, for a V with its inverse flag set. The ring then holds C, the tile
/// of L left of diagonal tile k, not the product U = V C; y_before: numbers of the tile before.
/// Leaves the stages and the input, but the caller advances its own rings.
template <class S, class N, class Loads>
__device__ __noinline__ Rows<N> correct_step(Tiles<S, N, Loads> shared, Rings rings, Lane at,
                                             InverseStages<S> stages, FrontCells cells,
                                             const S* panel, Index k, N* right) {
  Rings after = rings;
  pass_inverse(shared, stages, after, at);
  WholeTile<N> tile;
  take_tile(shared, after, at, tile);
  N sum[2][2] = {};
  multiply_tile(tile, at, await_input(shared, after), sum);
  leave_input(shared, after, at.lane);
  const N less[2] = {sum_of_row(sum[0][0] + sum[0][1]), sum_of_row(sum[1][0] + sum[1][1])};
  together();
  const int row = 16 * at.warp + at.g;
  if (at.t == 0) right[row] -= less[0], right[row + 8] -= less[1];
  together();
  Inverse<N> inverse;
  take_inverse<true>(stages, at, inverse);
  Rows<N> out;
  multiply_inverse(inverse, at, right, out.of);
  correct_rows(shared, stages, at, cells, panel, k, right, out.of);
  if constexpr (!kTight) stages.leave(shared, rings, at.lane);
  return out;
}

/// Computes y = V right - U y_before, the lane's two rows of pivot tile k, given V right in `y`,
/// and passes it to f; U = V C, and the input ring brings y_before. Advances the rings past the
/// inverse and U.
template <class S, class N, class Loads, class F>
__device__ inline void step_rows(const Tiles<S, N, Loads>& shared, Rings& rings, const Lane& at,
                                 const InverseStages<S>& stages, const FrontCells& cells,
                                 const S* panel, Index k, N* right, N (&y)[2], const F& f) {
  if (stages.needs_correction()) {
    const Rows<N> rows = correct_step(shared, rings, at, stages, cells, panel, k, right);
    f(rows.of);
    stages.pass(rings);
    pass_stages(rings, symbolic::kTileCells);
    rings.input.next();
    return;
  }
  stages.leave(shared, rings, at.lane);
  WholeTile<N> tile;
  take_tile(shared, rings, at, tile);
  N sum[2][2] = {};
  multiply_tile(tile, at, await_input(shared, rings), sum);
  y[0] -= sum_of_row(sum[0][0] + sum[0][1]), y[1] -= sum_of_row(sum[1][0] + sum[1][1]);
  f(y);
  leave_input(shared, rings, at.lane);
}

/// Computes y of pivot tile i from `sum`, the products that add_products() added up, and publishes
/// it; also stores y to shared.data.own if rows below in the same task read it.
template <class S, class N, class Loads>
__device__ inline void finish_pivots(const Tiles<S, N, Loads>& shared, Rings& rings, const Lane& at,
                                     const SweepTask& task, const Front& front, Index i,
                                     N (&sum)[2], const SweepMemory<S, N>& memory) {
  const FrontCells cells{front.m, front.p};
  const int row = 16 * at.warp + at.g;
  const Index rows = cells.rows_of(i);
  std::uint32_t place[2];
  start_rows(shared, rings, at, sum, place);
  N* right = shared.data.sum[rings.parity];
  rings.parity ^= 1;
  if (at.t == 0)
    right[row] = row < rows ? sum[0] : N(0), right[row + 8] = row + 8 < rows ? sum[1] : N(0);
  InverseStages<S> stages(shared, rings, blocks_of(cells.cells_of(i)));
  place_in_l(stages, memory, front, i);
  Inverse<N> inverse;
  take_inverse<true>(stages, at, inverse);  // loaded while the other warps come
  together();
  multiply_inverse(inverse, at, right, sum);
  const S* panel = memory.l + front.panel;
  N* out = memory.y + front.first + i * kTile + row;
  const auto publish_rows = [&](const N(&y)[2]) {
    if (at.t != 0) return;
    if (row < rows) publish(out, y[0]);
    if (row + 8 < rows) publish(out + 8, y[1]);
  };
  if (ends_with_product(task, i, cells.pivot_tiles()))
    return step_rows(shared, rings, at, stages, cells, panel, i, right, sum, publish_rows);
  if (stages.needs_correction()) correct_rows(shared, stages, at, cells, panel, i, right, sum);
  publish_rows(sum);
  stages.leave(shared, rings, at.lane);
  if (i + 1 == task.row + task.rows) return;
  together();  // no thread reads shared.data.own for a correction any more
  if (at.t == 0) shared.data.own[row] = sum[0], shared.data.own[row + 8] = sum[1];
  together();
}

/// Publishes the update rows of a tile row below the pivots, of `rows` rows: the numbers that they
/// start from less `sum`.
template <class S, class N, class Loads>
__device__ inline void finish_rows_below(const Tiles<S, N, Loads>& shared, Rings& rings,
                                         const Lane& at, Index rows, N (&sum)[2],
                                         const SweepMemory<S, N>& memory) {
  const int row = 16 * at.warp + at.g;
  std::uint32_t place[2];
  start_rows(shared, rings, at, sum, place);
  if (at.t != 0) return;
  if (row < rows) publish(memory.update + place[0], sum[0]);
  if (row + 8 < rows) publish(memory.update + place[1], sum[1]);
}

/// Adds up the children's update rows of the task's kGatherRows rows of a tile row, each warp its
/// own rows, in a fixed tree, and publishes the sums to forward vector task.part. Waits for each
/// update row.
template <class S, class N>
__device__ inline void gather_rows(const SweepTask& task, const Front& front, const Lane& at,
                                   const SweepView& view, const SweepMemory<S, N>& memory) {
  const FrontCells cells{front.m, front.p};
  constexpr Index kOwn = symbolic::kGatherRows / kMultipliers;
  for (Index r = symbolic::kGatherRows * task.column + kOwn * at.warp, e = 0; e < kOwn; ++e, ++r) {
    if (r >= cells.rows_of(task.row)) return;
    const std::uint32_t* ptr = view.ptr + front.row + task.front + cells.first_row(task.row) + r;
    const std::uint32_t begin = ptr[0], count = ptr[1] - begin;
    const N* from = memory.update + begin;
    N sum[4] = {0, 0, 0, 0};
    for (std::uint32_t k = static_cast<std::uint32_t>(at.lane); k < count; k += 128) {
      N x[4];
#pragma unroll
      for (int u = 0; u < 4; ++u)
        x[u] = k + 32u * u < count ? load_relaxed(from + k + 32 * u) : N(0);
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        Watch watch;
        while (!is_set(x[u]))
          watch.look(Awaited::number, from + k + 32 * u, 0, 0),
              x[u] = load_relaxed(from + k + 32 * u);
        sum[u] += x[u];
      }
    }
    N all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) all += exchange(all, lanes);
    if (at.lane == 0) publish(memory.forward_part + Offset{task.part} * kTile + r, all);
  }
}

template <class S, class N, class Loads>
__device__ inline void do_task(const Tiles<S, N, Loads>& shared, Rings& rings, const Lane& at,
                               const SweepTask& task, const Front& front, const SweepView& view,
                               const SweepMemory<S, N>& memory) {
  if (task.kind == SweepTask::Kind::gather) return gather_rows(task, front, at, view, memory);
  const FrontCells cells{front.m, front.p};
  for (Index i = task.row; i < task.row + task.rows; ++i) {
    N sum[2];
    add_products(shared, rings, at, task, cells, i, sum);
    if (task.kind != SweepTask::Kind::part) {
      if (i < cells.pivot_tiles())
        finish_pivots(shared, rings, at, task, front, i, sum, memory);
      else
        finish_rows_below(shared, rings, at, cells.rows_of(i), sum, memory);
    } else if (at.t == 0) {
      N* part = memory.forward_part + Offset{task.part} * kTile + 16 * at.warp + at.g;
      publish(part, sum[0]);
      publish(part + 8, sum[1]);
    }
  }
}

/// As correct_step(), but for the backward sweep: subtracts C^T x_after from `right`, and returns
/// this lane's entry of V^T right after one step of refinement. The ring then holds C, the tile of
/// L below diagonal tile k, not the product W = C V; x_after: numbers of the tile after.
template <class S, class N, class Loads>
__device__ __noinline__ N correct_step_back(Tiles<S, N, Loads> shared, Rings rings, Lane at,
                                            InverseStages<S> stages, FrontCells cells,
                                            const S* panel, Index k, N* right) {
  Rings after = rings;
  pass_inverse(shared, stages, after, at);
  WholeTile<N> tile;
  take_tile_back(shared, after, at, tile);
  N part[4] = {0, 0, 0, 0};
  multiply_tile_back(tile, at, await_input(shared, after), part);
  leave_input(shared, after, at.lane);
  const N less = sum_of_column(part, at.lane);
  together();
  if ((at.lane & 4) == 0) right[own_column(at)] -= less;
  together();
  Inverse<N> inverse;
  take_inverse<false>(stages, at, inverse);
  N x = multiply_inverse_back(inverse, at, right);
  correct_columns(shared, stages, at, cells, panel, k, right, x);
  if constexpr (!kTight) stages.leave(shared, rings, at.lane);
  return x;
}

/// Computes x = V^T right - W^T x_after, the lane's column of pivot tile k, given V^T right in `x`,
/// and passes it to f: step_rows() of the backward sweep, with W = C V and C the tile of L below
/// the diagonal.
template <class S, class N, class Loads, class F>
__device__ inline void step_column(const Tiles<S, N, Loads>& shared, Rings& rings, const Lane& at,
                                   const InverseStages<S>& stages, const FrontCells& cells,
                                   const S* panel, Index k, N* right, N x, const F& f) {
  if (stages.needs_correction()) {
    f(correct_step_back(shared, rings, at, stages, cells, panel, k, right));
    stages.pass(rings);
    pass_stages(rings, symbolic::kTileCells);
    rings.input.next();
    return;
  }
  stages.leave(shared, rings, at.lane);
  WholeTile<N> tile;
  take_tile_back(shared, rings, at, tile);
  N part[4] = {0, 0, 0, 0};
  multiply_tile_back(tile, at, await_input(shared, rings), part);
  f(x - sum_of_column(part, at.lane));
  leave_input(shared, rings, at.lane);
}

/// Returns the sum of the products of the task's tile column with its tile rows, from the last one
/// down to `first`, for the lane's column own_column().
template <class S, class N, class Loads>
__device__ inline N add_products_back(const Tiles<S, N, Loads>& shared, Rings& rings,
                                      const Lane& at, const SweepTask& task,
                                      const FrontCells& cells, Index first) {
  const Index columns = cells.cells_of(task.column);
  Dot2Of<N> sums[4];
  N last[4] = {0, 0, 0, 0};
  for (Index i = task.row + task.rows; i-- > first;) {
    N part[4] = {0, 0, 0, 0};
    if (const Index rows = cells.cells_of(i); is_whole(rows, columns)) {
      WholeTile<N> tile;
      take_tile_back(shared, rings, at, tile);
      multiply_tile_back(tile, at, await_input(shared, rings), part);
    } else {
      const Four<N> edge =
          multiply_edge_back(shared, rings, at, rows, columns, await_input(shared, rings));
      pass_stages(rings, rows);
#pragma unroll
      for (int k = 0; k < 4; ++k) part[k] = edge.of[k];
    }
    leave_input(shared, rings, at.lane);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (i > task.row)
        sums[k] = add(sums[k], Dot2Of<N>{part[k]});
      else
        last[k] = part[k];
    }
  }
  // The rounding errors of the last tile's sums and of the sums over lanes are as large as that of
  // rounding the result.
  N all[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) all[k] = sums[k].sum + (last[k] + sums[k].error);
  return sum_of_column(all, at.lane);
}

template <class S, class N, class Loads>
__device__ inline void do_task_back(const Tiles<S, N, Loads>& shared, Rings& rings, const Lane& at,
                                    const SweepTask& task, const Front& front,
                                    const SweepMemory<S, N>& memory) {
  const FrontCells cells{front.m, front.p};
  const Index columns = cells.cells_of(task.column);
  const bool product = ends_with_product_back(task, cells.pivot_tiles());
  const N sum = add_products_back(shared, rings, at, task, cells, task.row + (product ? 1 : 0));
  const int column = own_column(at);
  const bool chosen = (at.lane & 4) == 0;
  if (task.kind == SweepTask::Kind::part) {
    if (chosen) publish(memory.backward_part + Offset{task.part} * kTile + column, sum);
    return;
  }
  ptx::barrier_wait(&shared.barrier.start_full[rings.start.at], rings.start.phase);
  const N* start = shared.data.start[rings.start.at];
  const N value = (start[column] - sum) + start[kTile + column];
  const std::uint32_t place = shared.data.place[rings.start.at][column];
  leave_start(shared, rings, at.lane);
  N* right = shared.data.sum[rings.parity];
  rings.parity ^= 1;
  if (chosen) right[column] = column < cells.rows_of(task.column) ? value : N(0);
  InverseStages<S> stages(shared, rings, blocks_of(columns));
  place_in_l(stages, memory, front, task.column);
  Inverse<N> inverse;
  take_inverse<false>(stages, at, inverse);
  together();
  N x = multiply_inverse_back(inverse, at, right);
  const S* panel = memory.l + front.panel;
  const auto publish_column = [&](N solution) {
    if (!chosen || column >= cells.rows_of(task.column)) return;
    publish(memory.x + front.first + task.column * kTile + column, solution);
    memory.out[place * memory.out_step] = memory.verdict->status == VerdictStatus::positive_definite
                                              ? static_cast<S>(solution)
                                              : std::numeric_limits<S>::quiet_NaN();
  };
  if (product)
    return step_column(shared, rings, at, stages, cells, panel, task.column, right, x,
                       publish_column);
  if (stages.needs_correction())
    correct_columns(shared, stages, at, cells, panel, task.column, right, x);
  publish_column(x);
  stages.leave(shared, rings, at.lane);
}

template <bool kForward, class S, class N, class Loads>
__device__ void run_multipliers(const Tiles<S, N, Loads>& shared, const SweepView& view,
                                const SweepMemory<S, N>& memory) {
  const int thread = ptx::thread_index();
  const Lane at{thread / 32, thread % 32, thread % 32 / 4, thread % 4};
  Rings rings;
  for (Turn<2> turn;; turn.next()) {
    ptx::barrier_wait(&shared.barrier.task_full[turn.at], turn.phase);
    const SweepTask& task = shared.data.task[turn.at];
    if (task.front == kNone) return;
    watchdog::take_handed(turn.at);
    const Front& front = shared.data.front[turn.at];
    if constexpr (kForward)
      do_task(shared, rings, at, task, front, view, memory);
    else
      do_task_back(shared, rings, at, task, front, memory);
    __syncwarp();
    if (at.lane == 0) ptx::barrier_arrive(&shared.barrier.task_empty[turn.at]);
  }
}

/// Executes tasks of tiled fronts until no ticket is left. Called by all threads of a block. The
/// multiplying warps hold whole tiles in registers.
template <bool kForward, class S, class N, class Loads>
__device__ void sweep_tiles(const Tiles<S, N, Loads>& shared, const SweepView& view,
                            const SweepMemory<S, N>& memory) {
  const auto multiply = [&] { run_multipliers<kForward>(shared, view, memory); };
  const auto load_numbers = [&](int warp) {
    if (warp == kLoader)
      run_loader<kForward>(shared, view, memory);
    else if (warp == kInput)
      run_input<kForward>(shared, view, memory);
    else
      run_start<kForward>(shared, view, memory);
  };
  multiply_and_load<Loads, kRegisters, kMultiplierRegisters>(multiply, load_numbers);
}

}  // namespace kauri::numeric::cuda::sweep
