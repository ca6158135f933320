// Sweeps of several right-hand sides through tiled fronts: the tasks of one right-hand side (sweep_tiles.cuh), by products of tensor cores.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "numeric/cuda/wide_bring.cuh"
#include "numeric/cuda/wide_products.cuh"

namespace kauri::numeric::cuda::sweep::wide {

template <bool kForward, int kWidth>
__device__ double2& pair_of(double* numbers, const Lane& at, int half, int column) {
  return *reinterpret_cast<double2*>(numbers + place_of<kWidth>(own_row<kForward>(at, half), column));
}

template <bool kForward, int kWidth>
__device__ void put(double* numbers, const Lane& at, Sums<kWidth>& sum) {
  for_pairs(sum, at,
            [&](int half, int column, double x, double y) { pair_of<kForward, kWidth>(numbers, at, half, column) = make_double2(x, y); });
}

/// Of a row of c - T y, or c - T^T y, T the diagonal tile k: 16 columns, or 4, with what sums round.
template <bool kForward, int kWidth>
struct Rest {
  static constexpr int kColumns = kTile * kWidth / (32 * kMultipliers);
  Dot2 of[kColumns];
  Index r;
  int column;
  __device__ Rest(const Lane& at, const double* c) : r(32 * (at.warp & 1) + at.lane), column(at.warp / 2 * kColumns) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) of[j].sum = c[place_of<kWidth>(r, column + j)];
  }
  __device__ void find(const double* panel, const FrontCells& cells, Index k, const double* y) {
    const symbolic::CellLayout layout = cells.panel();
    const Index rows = cells.rows_of(k), first = k * kTile;
    if (r >= rows) return;
    for (Index j = kForward ? 0 : r; j < (kForward ? r + 1 : rows); ++j) {
      const double entry = panel[layout.place(first + (kForward ? r : j), first + (kForward ? j : r))];
#pragma unroll
      for (int e = 0; e < kColumns; ++e) of[e].template subtract<double>(entry, y[place_of<kWidth>(j, column + e)]);
    }
  }
  __device__ void put(double* to) const {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) to[place_of<kWidth>(r, column + j)] = of[j].value();
  }
};

/// c = y + V (c - T y), y = V c: one step of refinement, where V alone is not accurate enough. In place, since there is no more shared
/// memory, and apart, since there are few such tiles.
template <bool kForward, int kWidth>
__device__ __noinline__ void correct(InverseStages<kWidth> stages, Lane at, const double* panel, FrontCells cells, Index k, double* c) {
  Sums<kWidth> y;
  multiply_inverse<kForward>(stages, at, c, y);
  Rest<kForward, kWidth> rest(at, c);
  together();
  put<kForward>(c, at, y);
  together();
  rest.find(panel, cells, k, c);
  together();
  rest.put(c);
  together();
  multiply_inverse<kForward>(stages, at, c, y);
  together();
  put<kForward>(c, at, y);
}

/// sum = V c, or V^T c, of diagonal tile k, c as all warps have put it.
template <bool kForward, int kWidth>
__device__ void solve_tile(const Tiles<kWidth>& shared, Rings<kWidth>& rings, const Lane& at, const double* panel, const FrontCells& cells,
                           Index k, double* c, Sums<kWidth>& sum) {
  const InverseStages<kWidth> stages(shared, rings, sweep::blocks_of(cells.cells_of(k)));
  together();
  sum = {};
  multiply_inverse<kForward>(stages, at, c, sum);
  if (stages.needs_correction()) {
    together();  // the same for all: nobody is still on the way to what is changed
    correct<kForward>(stages, at, panel, cells, k, c);
    for_pairs(sum, at, [&](int half, int column, double& x, double& y) {
      const double2 v = pair_of<kForward, kWidth>(c, at, half, column);
      x = v.x, y = v.y;
    });
  }
  stages.leave(shared, rings, at.lane);
}

template <int kWidth>
__device__ double* await_input(const Tiles<kWidth>& shared, const Rings<kWidth>& rings) {
  ptx::barrier_wait(&shared.barrier.input_full[rings.input.at], rings.input.phase);
  return shared.data.input[rings.input.at];
}
template <int kWidth>
__device__ void leave_input(const Tiles<kWidth>& shared, Rings<kWidth>& rings, int lane) {
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.input_empty[rings.input.at]);
  rings.input.next();
}
template <int kWidth>
__device__ double* await_start(const Tiles<kWidth>& shared, const Rings<kWidth>& rings) {
  ptx::barrier_wait(&shared.barrier.start_full[rings.start.at], rings.start.phase);
  return shared.data.start[rings.start.at];
}
template <int kWidth>
__device__ void leave_start(const Tiles<kWidth>& shared, Rings<kWidth>& rings, int lane) {
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.start_empty[rings.start.at]);
  rings.start.next();
}

/// Rows that are there of a tile row to rows `row(half)` of an array.
template <bool kForward, int kWidth, class Row>
__device__ void publish_rows(double* array, Index rows, const Lane& at, Sums<kWidth>& sum, const Row& row) {
  for_pairs(sum, at, [&](int half, int column, double x, double y) {
    if (own_row<kForward>(at, half) < rows) publish(array + Offset{row(half)} * kWidth + column, x, y);
  });
}
template <bool kForward, int kWidth>
__device__ void publish_part(double* parts, Index part, const Lane& at, Sums<kWidth>& sum) {
  publish_rows<kForward>(parts + Offset{part} * (kTile * kWidth), kTile, at, sum, [&](int half) { return own_row<kForward>(at, half); });
}

/// Numbers of a pivot tile from what is left of its sums, in `start`; to the task's input, too, where rows below in the same task read
/// them.
template <int kWidth>
__device__ void finish_pivots(const Tiles<kWidth>& shared, Rings<kWidth>& rings, const Lane& at, const SweepTask& task, const Front& front,
                              Index i, double* start, Sums<kWidth>& sum, const SweepMemory& memory) {
  const FrontCells cells{front.m, front.p};
  const Index rows = cells.rows_of(i);
  for_pairs(sum, at, [&](int half, int column, double x, double y) {
    double2& to = pair_of<true, kWidth>(start, at, half, column);
    to = own_row<true>(at, half) < rows ? make_double2(to.x - x, to.y - y) : make_double2(0, 0);
  });
  solve_tile<true>(shared, rings, at, memory.l + front.panel, cells, i, start, sum);
  publish_rows<true>(memory.y, rows, at, sum, [&](int half) { return front.first + i * kTile + own_row<true>(at, half); });
  if (!has_one_input(task)) return;
  put<true>(await_input(shared, rings), at, sum);
  together();
}

/// Rows [8 column, 8 column + 8) of a tile row: the children's update rows, two rows a warp, in a fixed tree: a lane has two columns of
/// every kTogether-th.
template <int kWidth>
__device__ void gather_rows(const SweepTask& task, const Front& front, const Lane& at, const SweepView& view, const SweepMemory& memory) {
  constexpr int kLanes = kWidth / 2, kTogether = 32 / kLanes, kUnderWay = 4;
  const FrontCells cells{front.m, front.p};
  const int mine = at.lane / kLanes, column = at.lane % kLanes * 2;
  for (Index r = symbolic::kGatherRows * task.column + 2 * at.warp, e = 0; e < 2; ++e, ++r) {
    if (r >= cells.rows_of(task.row)) return;
    const std::uint32_t* ptr = view.ptr + front.row + task.front + cells.first_row(task.row) + r;
    const std::uint32_t begin = ptr[0], count = ptr[1] - begin;
    const double* from = memory.update + Offset{begin} * kWidth + column;
    double2 sum[kUnderWay] = {};
    for (std::uint32_t k = static_cast<std::uint32_t>(mine); k < count; k += kUnderWay * kTogether) {
      double2 x[kUnderWay];
      const auto place = [&](int u) {
        const std::uint32_t row = k + static_cast<std::uint32_t>(u * kTogether);
        return row < count ? from + Offset{row} * kWidth : nullptr;
      };
      await_pairs(x, place, kSoon);
#pragma unroll
      for (int u = 0; u < kUnderWay; ++u) sum[u] = sum_of(sum[u], x[u]);
    }
    double2 all = sum_of(sum_of(sum[0], sum[1]), sum_of(sum[2], sum[3]));
    __syncwarp();
#pragma unroll
    for (int lanes = 16; lanes >= kLanes; lanes /= 2) all = sum_of(all, make_double2(exchange(all.x, lanes), exchange(all.y, lanes)));
    if (mine == 0) publish(memory.forward_part + (Offset{task.part} * kTile + r) * kWidth + column, all.x, all.y);
  }
}

template <int kWidth>
__device__ void do_task(const Tiles<kWidth>& shared, Rings<kWidth>& rings, const Lane& at, const SweepTask& task, const Front& front,
                        const SweepView& view, const SweepMemory& memory) {
  if (task.kind == SweepTask::Kind::gather) return gather_rows<kWidth>(task, front, at, view, memory);
  const FrontCells cells{front.m, front.p};
  const Index pivots = cells.pivot_tiles();
  for (Index i = task.row; i < task.row + task.rows; ++i) {
    Sums<kWidth> sum;
    const Index rows = cells.rows_of(i), end = last_column(task, i, pivots);
    for (Index k = task.column; k < end; ++k) {
      multiply_tile<true>(shared, rings, at, cells.cells_of(i), cells.cells_of(k), await_input(shared, rings), sum);
      if (!has_one_input(task)) leave_input(shared, rings, at.lane);
    }
    if (task.kind == SweepTask::Kind::part) return publish_part<true>(memory.forward_part, task.part, at, sum);
    double* start = await_start(shared, rings);
    if (i < pivots) {
      finish_pivots(shared, rings, at, task, front, i, start, sum, memory);
    } else {
      const std::uint32_t* slot = view.slot + front.relative + cells.first_row(i) - front.p;
      for_pairs(sum, at, [&](int half, int column, double& x, double& y) {
        const double2 from = pair_of<true, kWidth>(start, at, half, column);
        x = from.x - x, y = from.y - y;
      });
      publish_rows<true>(memory.update, rows, at, sum, [&](int half) { return __ldg(slot + own_row<true>(at, half)); });
    }
    leave_start(shared, rings, at.lane);
  }
  if (has_one_input(task)) leave_input(shared, rings, at.lane);
}

/// sum + part, with what that rounds in the place of part: the next products go on from there.
__device__ inline void carry(double& sum, double& part) {
  const Dot2 both = add(Dot2{sum}, Dot2{part});
  sum = both.sum, part = both.error;
}

/// x of the columns that are there, in the caller's numbering too.
template <int kWidth>
__device__ void publish_columns(const SweepTask& task, const Front& front, const Lane& at, Sums<kWidth>& sum, const SweepView& view,
                                const WideMemory& memory) {
  const Index first = front.first + task.column * kTile, columns = FrontCells{front.m, front.p}.rows_of(task.column);
  const bool good = memory.numbers.verdict->status == VerdictStatus::positive_definite;
  publish_rows<false>(memory.numbers.x, columns, at, sum, [&](int half) { return first + own_row<false>(at, half); });
  for_pairs(sum, at, [&](int half, int column, double x, double y) {
    const int row = own_row<false>(at, half);
    if (row >= columns || column >= memory.columns) return;
    double* out = memory.numbers.out + row_of(view.back_of, first + row) + column * memory.out_ld;
    out[0] = good ? x : std::numeric_limits<double>::quiet_NaN();
    if (column + 1 < memory.columns) out[memory.out_ld] = good ? y : std::numeric_limits<double>::quiet_NaN();
  });
}

template <int kWidth>
__device__ void do_task_back(const Tiles<kWidth>& shared, Rings<kWidth>& rings, const Lane& at, const SweepTask& task, const Front& front,
                             const SweepView& view, const WideMemory& memory) {
  const FrontCells cells{front.m, front.p};
  const Index k = task.column;
  Sums<kWidth> sum, part;
  for (Index i = task.row + task.rows; i-- > task.row;) {
#pragma unroll
    for (int n = 0; n < kWidth / 8; ++n)
#pragma unroll
      for (int j = 0; j < 4; ++j) carry(sum.of[n][j], part.of[n][j]);
    multiply_tile<false>(shared, rings, at, cells.cells_of(i), cells.cells_of(k), await_input(shared, rings), part);
    leave_input(shared, rings, at.lane);
  }
#pragma unroll
  for (int n = 0; n < kWidth / 8; ++n)
#pragma unroll
    for (int j = 0; j < 4; ++j) sum.of[n][j] += part.of[n][j];
  if (task.kind == SweepTask::Kind::part) return publish_part<false>(memory.numbers.backward_part, task.part, at, sum);
  double* start = await_start(shared, rings);
  const Index columns = cells.rows_of(k);
  for_pairs(sum, at, [&](int half, int column, double x, double y) {
    double2& to = pair_of<false, kWidth>(start, at, half, column);
    to = own_row<false>(at, half) < columns ? make_double2(to.x - x, to.y - y) : make_double2(0, 0);
  });
  solve_tile<false>(shared, rings, at, memory.numbers.l + front.panel, cells, k, start, sum);
  leave_start(shared, rings, at.lane);
  publish_columns(task, front, at, sum, view, memory);
}

template <bool kForward, int kWidth>
__device__ void run_multipliers(const Tiles<kWidth>& shared, const SweepView& view, const WideMemory& memory) {
  const int thread = static_cast<int>(threadIdx.x);
  const Lane at{thread / 32, thread % 32, thread % 32 / 4, thread % 4};
  Rings<kWidth> rings;
  for (Turn<2> turn;; turn.next()) {
    ptx::barrier_wait(&shared.barrier.task_full[turn.at], turn.phase);
    const SweepTask task = shared.data.task[turn.at];
    if (task.front == kNone) return;
    const Front& front = shared.data.front[turn.at];
    if constexpr (kForward)
      do_task(shared, rings, at, task, front, view, memory.numbers);
    else
      do_task_back(shared, rings, at, task, front, view, memory);
    __syncwarp();
    if (at.lane == 0) ptx::barrier_arrive(&shared.barrier.task_empty[turn.at]);
  }
}

/// All tasks of tiled fronts, by all threads of a block. Registers as in sweep::sweep_tiles().
template <bool kForward, int kWidth>
__device__ void sweep_tiles(const Tiles<kWidth>& shared, const SweepView& view, const WideMemory& memory) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (warp < kMultipliers) {
    ptx::take_registers<kMultiplierRegisters>();
    run_multipliers<kForward>(shared, view, memory);
    together();
    ptx::leave_registers<kRegisters>();
    return;
  }
  ptx::leave_registers<2 * kRegisters - kMultiplierRegisters>();
  if (warp == kLoader)
    run_loader<kForward>(shared, view, memory.numbers);
  else
    run_bringer<kForward>(shared, view, memory);
  ptx::named_sync(kBringBarrier, kThreads - 32 * kMultipliers);
  ptx::take_registers<kRegisters>();
}

}  // namespace kauri::numeric::cuda::sweep::wide
