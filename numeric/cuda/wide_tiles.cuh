// Sweeps of several right-hand sides through tiled fronts: the tasks of one right-hand side (sweep_tiles.cuh), by products of tensor cores.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/wide_bring.cuh"
#include "numeric/cuda/wide_products.cuh"

namespace kauri::numeric::cuda::sweep::wide {

template <bool kForward, int kWidth>
__device__ void put(double* tile, Sums<kWidth>& sum) {
  const OwnRows<kForward, kWidth> own(tile, here());
  for_pairs(sum, [&](int half, int step, double x, double y) { own.pair(half, step) = make_double2(x, y); });
}

/// Less what has been summed up, in its place; zeros behind row `rows`.
template <bool kForward, int kWidth>
__device__ void take_away(double* tile, Index rows, Sums<kWidth>& sum) {
  const Lane at = here();
  const OwnRows<kForward, kWidth> own(tile, at);
  for_pairs(sum, [&](int half, int step, double x, double y) {
    double2& to = own.pair(half, step);
    to = own_row<kForward>(at, half) < rows ? make_double2(to.x - x, to.y - y) : make_double2(0, 0);
  });
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
__device__ __noinline__ void correct(InverseStages<kWidth> stages, const double* panel, FrontCells cells, Index k, double* c) {
  const Lane at = here();
  Sums<kWidth> y;
  multiply_inverse<kForward>(stages, at, c, y);
  Rest<kForward, kWidth> rest(at, c);
  together();
  put<kForward>(c, y);
  together();
  rest.find(panel, cells, k, c);
  together();
  rest.put(c);
  together();
  multiply_inverse<kForward>(stages, at, c, y);
  together();
  put<kForward>(c, y);
}

/// sum = V c, or V^T c, of diagonal tile k, c as all warps have put it.
template <bool kForward, int kWidth>
__device__ void solve_tile(const Tiles<kWidth>& shared, Rings<kWidth>& rings, const double* panel, const FrontCells& cells, Index k,
                           double* c, Sums<kWidth>& sum) {
  const Lane at = here();
  const InverseStages<kWidth> stages(shared, rings, sweep::blocks_of(cells.cells_of(k)));
  together();
  sum = {};
  multiply_inverse<kForward>(stages, at, c, sum);
  if (stages.needs_correction()) {  // the same for all
    correct<kForward>(stages, panel, cells, k, c);
    const OwnRows<kForward, kWidth> own(c, at);
    for_pairs(sum, [&](int half, int step, double& x, double& y) { x = own.pair(half, step).x, y = own.pair(half, step).y; });
  }
  stages.leave(shared, rings, at.lane);
}

template <int kWidth>
__device__ double* await_input(const Tiles<kWidth>& shared, const Rings<kWidth>& rings) {
  ptx::barrier_wait(&shared.barrier.input_full[rings.input.at], rings.input.phase);
  return shared.data.input[rings.input.at];
}
template <int kWidth>
__device__ void leave_input(const Tiles<kWidth>& shared, Rings<kWidth>& rings) {
  __syncwarp();
  if (ptx::thread_index() % 32 == 0) ptx::barrier_arrive(&shared.barrier.input_empty[rings.input.at]);
  rings.input.next();
}
template <int kWidth>
__device__ double* await_start(const Tiles<kWidth>& shared, const Rings<kWidth>& rings) {
  ptx::barrier_wait(&shared.barrier.start_full[rings.start.at], rings.start.phase);
  return shared.data.start[rings.start.at];
}
template <int kWidth>
__device__ void leave_start(const Tiles<kWidth>& shared, Rings<kWidth>& rings) {
  __syncwarp();
  if (ptx::thread_index() % 32 == 0) ptx::barrier_arrive(&shared.barrier.start_empty[rings.start.at]);
  rings.start.next();
}

/// Rows that are there of a tile row to rows row(r) of an array.
template <bool kForward, int kWidth, class Row>
__device__ void publish_rows(double* array, Index rows, Sums<kWidth>& sum, const Row& row) {
  const Lane at = here();
  double* to[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int r = own_row<kForward>(at, half);
    to[half] = r < rows ? array + Offset{row(r)} * kWidth + first_column<kWidth>(at) : nullptr;
  }
  for_pairs(sum, [&](int half, int step, double x, double y) {
    if (to[half] != nullptr) publish(to[half] + step, x, y);
  });
}
template <bool kForward, int kWidth>
__device__ void publish_part(double* parts, Index part, Index rows, Sums<kWidth>& sum) {
  publish_rows<kForward>(parts + Offset{part} * (kTile * kWidth), rows, sum, [](int r) { return r; });
}

/// Numbers of a pivot tile from what is left of its sums, in `start`; to the task's input, too, where rows below in the same task read
/// them.
template <int kWidth>
__device__ void finish_pivots(const Tiles<kWidth>& shared, Rings<kWidth>& rings, const SweepTask& task, const Front& front, Index i,
                              double* start, Sums<kWidth>& sum, const SweepMemory& memory) {
  const FrontCells cells{front.m, front.p};
  const Index rows = cells.rows_of(i);
  solve_tile<true>(shared, rings, memory.l + front.panel, cells, i, start, sum);
  publish_rows<true>(memory.y + Offset{front.first + i * kTile} * kWidth, rows, sum, [](int r) { return r; });
  if (!has_one_input(task)) return;
  put<true>(await_input(shared, rings), sum);
  together();
}

/// Rows [8 column, 8 column + 8) of a tile row: the children's update rows, each warp its rows, in a fixed tree: a lane has two columns of
/// every kTogether-th.
template <int kWidth>
__device__ void gather_rows(const SweepTask& task, const Front& front, const Lane& at, const SweepView& view, const SweepMemory& memory) {
  constexpr int kLanes = kWidth / 2, kTogether = 32 / kLanes, kUnderWay = kWidth == 8 ? 8 : 16;
  const FrontCells cells{front.m, front.p};
  const int mine = at.lane / kLanes, column = at.lane % kLanes * 2;
  constexpr Index kOwn = symbolic::kGatherRows / kMultipliers;
  for (Index r = symbolic::kGatherRows * task.column + kOwn * at.warp, e = 0; e < kOwn; ++e, ++r) {
    if (r >= cells.rows_of(task.row)) return;
    const std::uint32_t* ptr = view.ptr + front.row + task.front + cells.first_row(task.row) + r;
    const std::uint32_t begin = ptr[0], count = ptr[1] - begin;
    const double* from = memory.update + Offset{begin} * kWidth + column;
    double2 sum[4] = {};
    for (std::uint32_t k = static_cast<std::uint32_t>(mine); k < count; k += kUnderWay * kTogether) {
      double2 x[kUnderWay];
      const auto place = [&](int u) {
        const std::uint32_t row = k + static_cast<std::uint32_t>(u * kTogether);
        return row < count ? from + Offset{row} * kWidth : nullptr;
      };
      await_pairs(x, place);
#pragma unroll
      for (int u = 0; u < kUnderWay; ++u) {
        sum[u % 4] = sum_of(sum[u % 4], x[u]);
        if (const double* p = place(u); p != nullptr) unset_pair(const_cast<double*>(p));
      }
    }
    double2 all = sum_of(sum_of(sum[0], sum[1]), sum_of(sum[2], sum[3]));
    __syncwarp();
#pragma unroll
    for (int lanes = 16; lanes >= kLanes; lanes /= 2) all = sum_of(all, make_double2(exchange(all.x, lanes), exchange(all.y, lanes)));
    if (mine == 0) publish(memory.forward_part + (Offset{task.part} * kTile + r) * kWidth + column, all.x, all.y);
  }
}

template <int kWidth>
__device__ void do_task(const Tiles<kWidth>& shared, Rings<kWidth>& rings, const SweepTask& task, const Front& front, const SweepView& view,
                        const SweepMemory& memory) {
  if (task.kind == SweepTask::Kind::gather) return gather_rows<kWidth>(task, front, here(), view, memory);
  const FrontCells cells{front.m, front.p};
  const Index pivots = cells.pivot_tiles();
  for (Index i = task.row; i < task.row + task.rows; ++i) {
    Sums<kWidth> sum;
    const Index rows = cells.rows_of(i), end = last_column(task, i, pivots);
#pragma unroll 1
    for (Index k = task.column; k < end; ++k) {
      multiply_tile<true>(shared, rings, cells.cells_of(i), cells.cells_of(k), await_input(shared, rings), sum);
      if (!has_one_input(task)) leave_input(shared, rings);
    }
    if (task.kind == SweepTask::Kind::part) return publish_part<true>(memory.forward_part, task.part, rows, sum);
    double* start = await_start(shared, rings);
    take_away<true>(start, rows, sum);
    if (i < pivots) {
      finish_pivots(shared, rings, task, front, i, start, sum, memory);
    } else {
      const OwnRows<true, kWidth> own(start, here());
      for_pairs(sum, [&](int half, int step, double& x, double& y) { x = own.pair(half, step).x, y = own.pair(half, step).y; });
      const std::uint32_t* slot = view.slot + front.relative + cells.first_row(i) - front.p;
      publish_rows<true>(memory.update, rows, sum, [&](int r) { return __ldg(slot + r); });
    }
    leave_start(shared, rings);
  }
  if (has_one_input(task)) leave_input(shared, rings);
}

/// sum + part, with what that rounds in the place of part: the next products go on from there.
__device__ inline void carry(double& sum, double& part) {
  const Dot2 both = add(Dot2{sum}, Dot2{part});
  sum = both.sum, part = both.error;
}

template <int kWidth>
__device__ void carry(Sums<kWidth>& sum, Sums<kWidth>& part) {
#pragma unroll
  for (int n = 0; n < kWidth / 8; ++n)
#pragma unroll
    for (int j = 0; j < 4; ++j) carry(sum.of[n][j], part.of[n][j]);
}

template <int kWidth>
__device__ void do_task_back(const Tiles<kWidth>& shared, Rings<kWidth>& rings, const SweepTask& task, const Front& front,
                             const WideMemory& memory) {
  const FrontCells cells{front.m, front.p};
  Sums<kWidth> sum, part;
#pragma unroll 1
  for (Index i = task.row + task.rows; i-- > task.row;) {
    carry(sum, part);
    multiply_tile<false>(shared, rings, cells.cells_of(i), cells.cells_of(task.column), await_input(shared, rings), part);
    leave_input(shared, rings);
  }
  carry(sum, part);  // what is left in `part` is less than what the sum rounds
  if (task.kind == SweepTask::Kind::part) return publish_part<false>(memory.numbers.backward_part, task.part, cells.rows_of(task.column), sum);
  double* start = await_start(shared, rings);
  take_away<false>(start, cells.rows_of(task.column), sum);
  solve_tile<false>(shared, rings, memory.numbers.l + front.panel, cells, task.column, start, sum);
  leave_start(shared, rings);
  publish_rows<false>(memory.numbers.x + Offset{front.first + task.column * kTile} * kWidth, cells.rows_of(task.column), sum,
                      [](int r) { return r; });
}

template <bool kForward, int kWidth>
__device__ void run_multipliers(const Tiles<kWidth>& shared, const SweepView& view, const WideMemory& memory) {
  Rings<kWidth> rings;
  for (Turn<2> turn;; turn.next()) {
    ptx::barrier_wait(&shared.barrier.task_full[turn.at], turn.phase);
    const SweepTask& task = shared.data.task[turn.at];
    if (task.front == kNone) return;
    const Front& front = shared.data.front[turn.at];
    if constexpr (kForward)
      do_task(shared, rings, task, front, view, memory.numbers);
    else
      do_task_back(shared, rings, task, front, memory);
    __syncwarp();
    if (ptx::thread_index() % 32 == 0) ptx::barrier_arrive(&shared.barrier.task_empty[turn.at]);
  }
}

/// All tasks of tiled fronts, by all threads of a block. Registers as in sweep::sweep_tiles().
template <bool kForward, int kWidth>
__device__ void sweep_tiles(const Tiles<kWidth>& shared, const SweepView& view, const WideMemory& memory) {
  const int warp = ptx::thread_index() / 32;
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
