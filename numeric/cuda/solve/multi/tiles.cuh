// Sweeps of several right-hand sides through tiled fronts: the tasks of the sweeps of one
// right-hand side (single/tiles.cuh), by products of tiles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/multi/load.cuh"
#include "numeric/cuda/solve/multi/load_numbers.cuh"
#include "numeric/cuda/solve/multi/products.cuh"

namespace kauri::numeric::cuda::sweep::multi {

template <class K>
__device__ void put(typename K::N* tile, TileSums<K>& sum) {
  const Lane at = here<K>();
  const OwnRows<K> own(tile, at);
  for_pairs(sum, at, [&](int slot, int step, typename K::N x, typename K::N y) {
    own.pair(slot, step) = {x, y};
  });
}

template <class K>
__device__ void take(typename K::N* tile, TileSums<K>& sum) {
  const Lane at = here<K>();
  const OwnRows<K> own(tile, at);
  for_pairs(sum, at, [&](int slot, int step, typename K::N& x, typename K::N& y) {
    x = own.pair(slot, step).x, y = own.pair(slot, step).y;
  });
}

/// Subtracts `sum` from the warp's rows of a tile of numbers in shared memory; sets rows from
/// `rows` on to zero.
template <class K>
__device__ void take_away(typename K::N* tile, Index rows, TileSums<K>& sum) {
  using N = typename K::N;
  using Pair = typename K::Pair;
  const Lane at = here<K>();
  const OwnRows<K> own(tile, at);
  for_pairs(sum, at, [&](int slot, int step, N x, N y) {
    Pair& to = own.pair(slot, step);
    to = own_row<K::kWidth>(at, slot) < rows ? Pair{to.x - x, to.y - y} : Pair{0, 0};
  });
}

/// Publishes the sums in the first `rows` rows of a tile row: row r to row row(r) of `array`, whose
/// rows have kWidth numbers.
template <class K, class Row>
__device__ void publish_rows(typename K::N* array, Index rows, TileSums<K>& sum, const Row& row) {
  using N = typename K::N;
  const Lane at = here<K>();
  N* to[kSlots<K::kWidth>];
#pragma unroll
  for (int slot = 0; slot < kSlots<K::kWidth>; ++slot) {
    const int r = own_row<K::kWidth>(at, slot);
    to[slot] =
        r < rows ? array + Offset{row(r)} * K::kWidth + first_column<K::kWidth>(at) : nullptr;
  }
  for_pairs(sum, at, [&](int slot, int step, N x, N y) {
    if (to[slot] != nullptr) publish(to[slot] + step, x, y);
  });
}

template <class K>
__device__ typename K::N* await_input(const Tiles<K>& shared, const Rings<K>& rings) {
  ptx::barrier_wait(&shared.barrier.input_full[rings.input.at], rings.input.phase);
  return shared.data.input[rings.input.at];
}
template <class K>
__device__ void leave_input(const Tiles<K>& shared, Rings<K>& rings) {
  __syncwarp();
  if (ptx::thread_index() % 32 == 0)
    ptx::barrier_arrive(&shared.barrier.input_empty[rings.input.at]);
  rings.input.next();
}
template <class K>
__device__ typename K::N* await_start(const Tiles<K>& shared, const Rings<K>& rings) {
  ptx::barrier_wait(&shared.barrier.start_full[rings.start.at], rings.start.phase);
  return shared.data.start[rings.start.at];
}
template <class K>
__device__ void leave_start(const Tiles<K>& shared, Rings<K>& rings) {
  __syncwarp();
  if (ptx::thread_index() % 32 == 0)
    ptx::barrier_arrive(&shared.barrier.start_empty[rings.start.at]);
  rings.start.next();
}

template <class K>
__device__ void flip(TileSums<K>& sum) {
#pragma unroll
  for (int cell = 0; cell < 2; ++cell)
#pragma unroll
    for (int h = 0; h < kGroups<K::kWidth>; ++h)
#pragma unroll
      for (int j = 0; j < TileSums<K>::kHeld; ++j)
        sum.of[cell][h][j] = ptx::flipped(sum.of[cell][h][j]);
}

/// Computes sum = y + V (c - T y), y = V c, or with V^T and T^T if not kForward, for diagonal tile
/// k: one step of refinement, for a V (`inverse`) that alone is not accurate enough, with T and V
/// in global memory. All warps have written c, in shared memory, which is changed. `scratch`: the
/// tile's rows of an array that no other thread reads any more; each lane keeps its own entries
/// there, c while y is in c's place, then y. Called by all threads that multiply.
template <bool kForward, class K>
__device__ void solve_marked_tile(const InverseOfL<typename K::S>& inverse,
                                  const typename K::S* panel, const FrontCells& cells, Index k,
                                  typename K::N* c, typename K::N* scratch, TileSums<K>& sum) {
  using N = typename K::N;
  using Pair = typename K::Pair;
  const Lane at = here<K>();
  const Index rows = cells.rows_of(k);
  const OwnRows<K> own(c, at);
  const auto kept = [&](int slot, int step) {
    return reinterpret_cast<Pair*>(scratch + own_row<K::kWidth>(at, slot) * K::kWidth +
                                   first_column<K::kWidth>(at) + step);
  };
  const auto is_there = [&](int slot) { return own_row<K::kWidth>(at, slot) < rows; };
  sum = {};
  multiply_inverse<kForward>(inverse, at, c, sum);
  together();
  for_pairs(sum, at, [&](int slot, int step, N x, N y) {
    if (is_there(slot)) *kept(slot, step) = own.pair(slot, step);
    own.pair(slot, step) = {x, y};
  });
  together();
  sum = {};
  multiply_diagonal<kForward>(panel, cells, k, at, c, sum);
  together();
  for_pairs(sum, at, [&](int slot, int step, N& x, N& y) {
    Pair& place = own.pair(slot, step);
    const Pair first = place;
    place = {0, 0};
    if (is_there(slot)) {
      const Pair right = *kept(slot, step);
      place = {right.x - x, right.y - y};
      *kept(slot, step) = first;
    }
  });
  together();
  sum = {};
  multiply_inverse<kForward>(inverse, at, c, sum);
  for_pairs(sum, at, [&](int slot, int step, N& x, N& y) {
    if (!is_there(slot)) return;
    const Pair first = *kept(slot, step);
    x += first.x, y += first.y;
  });
}

/// Computes sum = V c, or V^T c if not kForward, for diagonal tile k; each warp has put its rows of
/// c in shared memory. If `product`, c lacks the product of the tile C of L beside the diagonal
/// tile, and U = V C, or W^T = (C V)^T, times the next input is subtracted. For a marked tile the
/// ring holds C, not U or W, and the result is refined. Leaves the stages and the input. Called by
/// all threads that multiply.
template <bool kForward, class K>
__device__ void solve_tile(const Tiles<K>& shared, Rings<K>& rings,
                           const typename K::Memory& memory, const Front& front, Index k,
                           bool product, typename K::N* c, TileSums<K>& sum) {
  const FrontCells cells{front.m, front.p};
  const InverseStages<K> stages(shared, rings, sweep::blocks_of(cells.cells_of(k)));
  together();
  sum = {};
  const bool marked = stages.needs_correction();  // the same for all threads
  if (!marked) multiply_inverse<kForward>(stages, here<K>(), c, sum);
  stages.leave(shared, rings, here<K>().lane);
  if (product) {
    flip(sum);
    multiply_tile<kForward>(shared, rings, symbolic::kTileCells, symbolic::kTileCells,
                            await_input(shared, rings), sum);
    leave_input(shared, rings);
    if (!marked) return flip(sum);
    take_away(c, cells.rows_of(k), sum);
    together();
  }
  if (!marked) return;
  const InverseOfL<typename K::S> inverse{
      memory.numbers.l + front.inverses + Offset{k} * symbolic::kTileInverseEntries,
      sweep::blocks_of(cells.cells_of(k))};
  solve_marked_tile<kForward>(inverse, memory.numbers.l + front.panel, cells, k, c,
                              memory.rows + Offset{front.first + k * kTile} * K::kWidth, sum);
}

template <class K>
__device__ void publish_part(typename K::N* parts, Index part, Index rows, TileSums<K>& sum) {
  publish_rows(parts + Offset{part} * (kTile * K::kWidth), rows, sum, [](int r) { return r; });
}

/// Computes y of pivot tile i from its reduced sums, in `start`, which it leaves, and publishes it;
/// also stores y to the task's input if rows below in the same task read it. `sum`: the result.
template <class K>
__device__ void finish_pivots(const Tiles<K>& shared, Rings<K>& rings, const SweepTask& task,
                              const Front& front, Index i, typename K::N* start, TileSums<K>& sum,
                              const typename K::Memory& memory) {
  const FrontCells cells{front.m, front.p};
  const Offset first = Offset{front.first + i * kTile} * K::kWidth;
  solve_tile<true>(shared, rings, memory, front, i, ends_with_product(task, i, cells.pivot_tiles()),
                   start, sum);
  leave_start(shared, rings);
  publish_rows(memory.numbers.y + first, cells.rows_of(i), sum, [](int r) { return r; });
  if (!has_one_input(task)) return;
  put(await_input(shared, rings), sum);
  together();
}

/// Adds up the children's update rows for the kGatherRows rows of a task, each warp for its own
/// rows, and publishes the sums to vector task.part of the forward sweep. A lane adds up two
/// columns of right-hand sides over every kTogether-th update row, and the sums of the lanes are
/// added in a fixed tree, so that equal inputs give equal bits. Waits for each update row, and
/// unsets it once it has been read.
template <class K>
__device__ void gather_rows(const SweepTask& task, const Front& front, const Lane& at,
                            const SweepView& view, const typename K::Numbers& memory) {
  using N = typename K::N;
  using Pair = typename K::Pair;
  constexpr int kLanes = K::kWidth / 2, kTogether = 32 / kLanes, kUnderWay = 16;
  const FrontCells cells{front.m, front.p};
  const int mine = at.lane / kLanes, column = at.lane % kLanes * 2;
  constexpr Index kOwn = symbolic::kGatherRows / kMultipliers;
  for (Index r = symbolic::kGatherRows * task.column + kOwn * at.warp, e = 0; e < kOwn; ++e, ++r) {
    if (r >= cells.rows_of(task.row)) return;
    const std::uint32_t* ptr = view.ptr + front.row + task.front + cells.first_row(task.row) + r;
    const std::uint32_t begin = ptr[0], count = ptr[1] - begin;
    N* from = memory.update + (Offset{begin} + mine) * K::kWidth + column;
    Pair sum[4] = {};
#pragma unroll 1
    for (int left = static_cast<int>(count) - mine; left > 0;
         left -= kUnderWay * kTogether, from += kUnderWay * kTogether * K::kWidth) {
      Pair x[kUnderWay];
      const auto place = [&](int u) {
        return u * kTogether < left ? from + u * kTogether * K::kWidth : nullptr;
      };
      await_pairs(x, place);
#pragma unroll
      for (int u = 0; u < kUnderWay; ++u) {
        sum[u % 4] = sum_of(sum[u % 4], x[u]);
        if (N* p = place(u); p != nullptr) unset_pair(p);
      }
    }
    Pair all = sum_of(sum_of(sum[0], sum[1]), sum_of(sum[2], sum[3]));
    __syncwarp();
#pragma unroll
    for (int lanes = 16; lanes >= kLanes; lanes /= 2)
      all = sum_of(all, Pair{exchange(all.x, lanes), exchange(all.y, lanes)});
    if (mine == 0)
      publish(memory.forward_part + (Offset{task.part} * kTile + r) * K::kWidth + column, all.x,
              all.y);
  }
}

template <class K>
__device__ void do_task(const Tiles<K>& shared, Rings<K>& rings, const SweepTask& task,
                        const Front& front, const SweepView& view,
                        const typename K::Memory& memory) {
  if (task.kind == SweepTask::Kind::gather)
    return gather_rows<K>(task, front, here<K>(), view, memory.numbers);
  const FrontCells cells{front.m, front.p};
  const Index pivots = cells.pivot_tiles();
  for (Index i = task.row; i < task.row + task.rows; ++i) {
    TileSums<K> sum;
    const Index rows = cells.rows_of(i),
                end = last_column(task, i, pivots) - (ends_with_product(task, i, pivots) ? 1 : 0);
#pragma unroll 1
    for (Index k = task.column; k < end; ++k) {
      multiply_tile<true>(shared, rings, cells.cells_of(i), cells.cells_of(k),
                          await_input(shared, rings), sum);
      if (!has_one_input(task)) leave_input(shared, rings);
    }
    if (task.kind == SweepTask::Kind::part)
      return publish_part(memory.numbers.forward_part, task.part, rows, sum);
    typename K::N* start = await_start(shared, rings);
    take_away(start, rows, sum);
    if (i < pivots) {
      finish_pivots(shared, rings, task, front, i, start, sum, memory);
    } else {
      take(start, sum);
      leave_start(shared, rings);
      const std::uint32_t* slot = view.slot + front.relative + cells.first_row(i) - front.p;
      publish_rows(memory.numbers.update, rows, sum, [&](int r) { return __ldg(slot + r); });
    }
  }
  if (has_one_input(task)) leave_input(shared, rings);
}

/// Adds `part` to `sum`, and sets `part` to the rounding error of this addition, to which the
/// caller adds the next products.
template <class N>
__device__ inline void carry(N& sum, N& part) {
  const Dot2Of<N> both = add(Dot2Of<N>{sum}, Dot2Of<N>{part});
  sum = both.sum, part = both.error;
}

template <class K>
__device__ void carry(TileSums<K>& sum, TileSums<K>& part) {
#pragma unroll
  for (int cell = 0; cell < 2; ++cell)
#pragma unroll
    for (int h = 0; h < kGroups<K::kWidth>; ++h)
#pragma unroll
      for (int j = 0; j < TileSums<K>::kHeld; ++j) carry(sum.of[cell][h][j], part.of[cell][h][j]);
}

template <class K>
__device__ void do_task_back(const Tiles<K>& shared, Rings<K>& rings, const SweepTask& task,
                             const Front& front, const typename K::Memory& memory) {
  const FrontCells cells{front.m, front.p};
  const bool product = ends_with_product_back(task, cells.pivot_tiles());
  TileSums<K> sum, part;
#pragma unroll 1
  for (Index i = task.row + task.rows, first = task.row + (product ? 1 : 0); i-- > first;) {
    carry(sum, part);
    multiply_tile<false>(shared, rings, cells.cells_of(i), cells.cells_of(task.column),
                         await_input(shared, rings), part);
    leave_input(shared, rings);
  }
  carry(sum, part);  // the error left in `part` is less than the rounding error of sum
  if (task.kind == SweepTask::Kind::part)
    return publish_part(memory.numbers.backward_part, task.part, cells.rows_of(task.column), sum);
  typename K::N* start = await_start(shared, rings);
  take_away(start, cells.rows_of(task.column), sum);
  const Offset first = Offset{front.first + task.column * kTile} * K::kWidth;
  solve_tile<false>(shared, rings, memory, front, task.column,
                    ends_with_product_back(task, cells.pivot_tiles()), start, sum);
  leave_start(shared, rings);
  publish_rows(memory.numbers.x + first, cells.rows_of(task.column), sum, [](int r) { return r; });
}

template <bool kForward, class K>
__device__ void run_multipliers(const Tiles<K>& shared, const SweepView& view,
                                const typename K::Memory& memory) {
  Rings<K> rings;
  for (Turn<2> turn;; turn.next()) {
    ptx::barrier_wait(&shared.barrier.task_full[turn.at], turn.phase);
    const SweepTask& task = shared.data.task[turn.at];
    if (task.front == kNone) return;
    watchdog::take_handed(turn.at);
    const Front& front = shared.data.front[turn.at];
    if constexpr (kForward)
      do_task(shared, rings, task, front, view, memory);
    else
      do_task_back(shared, rings, task, front, memory);
    __syncwarp();
    if (ptx::thread_index() % 32 == 0) ptx::barrier_arrive(&shared.barrier.task_empty[turn.at]);
  }
}

/// Executes tasks of tiled fronts until no ticket is left. Called by all threads of a block.
template <bool kForward, class K>
__device__ void sweep_tiles(const Tiles<K>& shared, const SweepView& view,
                            const typename K::Memory& memory) {
  const auto multiply = [&] { run_multipliers<kForward>(shared, view, memory); };
  const auto load_numbers = [&](int warp) {
    if (warp == kLoader)
      run_loader<kForward>(shared, view, memory);
    else
      run_number_loader<kForward>(shared, view, memory);
  };
  multiply_and_load<typename K::Loads, kRegisters, kMultiplierRegisters>(multiply, load_numbers);
}

}  // namespace kauri::numeric::cuda::sweep::multi
