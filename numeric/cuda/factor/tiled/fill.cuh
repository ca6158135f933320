// Tiles of a front before products: zeros, A's entries, and sums of children's entries by lists.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "numeric/cuda/factor/tiled/update.cuh"
#include "symbolic/device/child_sums.hpp"

namespace kauri::numeric::cuda::kernels {

/// Returns the column, counted from `first`, of entry e of A, which must lie in columns [first,
/// first + count). column[j]: index of the first entry of column j.
__device__ inline int column_of(const std::uint32_t* column, int first, int count, Offset e) {
  int low = 0;
  while (count > 1) {
    const int half = count / 2;
    if (column[first + low + half] <= e) low += half;
    count -= half;
  }
  return low;
}

/// Sets rows of cells [begin, end) of the padded front in tile column k to zero, at and below the
/// diagonal. Called by kConsumers threads, which store 16 bytes at a time.
template <class T>
__device__ inline void clear_cells(const FrontViewOf<T>& front, int k, int begin, int end,
                                   int thread) {
  const bool below = k >= front.cells.pivot_tiles();
  const symbolic::CellLayout layout = below ? front.cells.block() : front.cells.panel();
  constexpr int kWordEntries = 16 / sizeof(T);
  const int skipped = below ? front.cells.pivot_cells() : 0, first = front.cells.first_cell(k);
  T* cells = below ? front.block : front.panel;
  for (int c = first - skipped; c < first - skipped + front.cells.cells_of(k); c += 2) {
    const int top = max(begin - skipped, c);
    if (top >= end - skipped) return;
    int4* run = reinterpret_cast<int4*>(cells + layout.cell(top, c));
    const int count = (end - skipped - top) * layout.width(c) * kCellEntries / kWordEntries;
    for (int e = thread; e < count; e += kConsumers) run[e] = make_int4(0, 0, 0, 0);
  }
}

/// Stores A's entries of pivot tile column k that lie in rows of cells [begin, end) of the padded
/// front to the panel. Called by kConsumers threads.
template <class T>
__device__ inline void scatter_entries(const FrontViewOf<T>& front, const ValuesOf<T>& a, int k,
                                       int begin, int end, int thread) {
  const int first = front.first + k * kTile, count = min(kTile, front.cells.p - k * kTile);
  for (Offset e = Offset{a.column[first]} + thread; e < Offset{a.column[first + count]};
       e += kConsumers) {
    const int row = front.cells.padded_row(a.row[e]);
    if (row < begin * symbolic::kCell || row >= end * symbolic::kCell) continue;
    front.panel[front.cells.panel().place(row, k * kTile + column_of(a.column, first, count, e))] =
        a.value[a.source[e]];
  }
}

/// Executes a task of kind `fill`: waits until the memory is free, and sets the task's tiles to
/// zero. In tile columns of pivots it then stores A's entries and, if the diagonal tile is among
/// its tiles, adds the shift to the diagonal and sets the padding of the diagonal to 1. Called by
/// all consumers of a team.
template <class T, class Team>
__device__ inline void fill(const FrontTask& task, const FrontViewOf<T>& front,
                            const Levels& levels, const ValuesOf<T>& a, const Team& me) {
  const int thread = 32 * me.warp + me.lane, k = task.column, last = task.row + task.rows - 1;
  const int begin = front.cells.first_cell(task.row),
            end = front.cells.first_cell(last) + front.cells.cells_of(last);
  const bool pivots = k < front.cells.pivot_tiles();
  wait_for_levels(levels, pivots ? front.panel_reuses : front.block_reuses, me.lane);
  clear_cells(front, k, begin, end, thread);
  if (!pivots) return;
  me.sync_consumers();
  scatter_entries(front, a, k, begin, end, thread);
  if (task.row != k) return;
  me.sync_consumers();
  const int pivot = k * kTile + thread;
  if (thread >= front.cells.cells_of(k) * symbolic::kCell) return;
  T& diagonal = front.panel[front.cells.panel().place(pivot, pivot)];
  diagonal = pivot < front.cells.p ? diagonal + *a.shift : T(1);
}

/// Steps of a group of sums whose terms a lane loads together.
inline constexpr int kStepsAtOnce = 8;

template <class Place>
using PlacePair = std::conditional_t<sizeof(Place) == 4, uint2, longlong2>;

/// Returns a lane's sum: `sum` plus the entries at the lane's places in `terms`, in their order,
/// two in each of `steps` steps; kNoPlace adds zero.
template <class Place, class T>
__device__ inline T add_terms(T sum, const PlacePair<Place>* terms, int steps, const T* entries) {
  constexpr Place kNone = symbolic::kNoPlace<Place>;
  for (int first = 0; first < steps; first += kStepsAtOnce) {
    PlacePair<Place> term[kStepsAtOnce];
#pragma unroll
    for (int i = 0; i < kStepsAtOnce; ++i)
      term[i] = first + i < steps ? __ldcs(terms + (first + i) * symbolic::kSumGroup)
                                  : PlacePair<Place>{kNone, kNone};
    T left[kStepsAtOnce], right[kStepsAtOnce];
#pragma unroll
    for (int i = 0; i < kStepsAtOnce; ++i) {
      left[i] = term[i].x != kNone ? __ldcg(entries + term[i].x) : T(0);
      right[i] = term[i].y != kNone ? __ldcg(entries + term[i].y) : T(0);
    }
#pragma unroll
    for (int i = 0; i < kStepsAtOnce; ++i) sum += left[i], sum += right[i];
  }
  return sum;
}

/// Computes sums [task.row, task.row + task.rows), whole groups, and stores them to their places: a
/// warp does a group at a time, a lane one sum. `warp`: number of the consumer warp.
template <class Place, class T>
__device__ inline void add_groups(const FrontTask& task, const SumsOf<T>& sums, int warp,
                                  int lane) {
  for (int group = task.row / symbolic::kSumGroup + warp;
       group * symbolic::kSumGroup < task.row + task.rows; group += kConsumerWarps) {
    const Offset begin = sums.step[group];
    const int steps = static_cast<int>(sums.step[group + 1] - begin);
    const Place place = static_cast<const Place*>(sums.place)[group * symbolic::kSumGroup + lane];
    const bool any = place != symbolic::kNoPlace<Place>, adds = any && place < sums.scratch_begin;
    const auto* terms = reinterpret_cast<const PlacePair<Place>*>(
        static_cast<const Place*>(sums.term) + begin * symbolic::kSumStep);
    const T sum = add_terms<Place>(adds ? __ldcg(sums.entries + place) : T(0), terms + lane, steps,
                                   sums.entries);
    if (any) sums.entries[place] = sum;
  }
}

/// Executes a task of kind `sum`: waits for the children's blocks and for the front's first
/// task.column `fill` and `sum` tasks, then computes the sums. Called by all consumers of a team.
template <class T, class Team>
__device__ inline void add_sums(const FrontTask& task, const FrontViewOf<T>& front,
                                const SumsOf<T>& sums, const Team& me) {
  wait_for_children(front, me.lane);
  if (task.column > 0) wait_warp(front.counters + kFilled, task.column, Awaited::filled, me.lane);
  if (sums.short_places)
    add_groups<std::uint32_t>(task, sums, me.warp, me.lane);
  else
    add_groups<Offset>(task, sums, me.warp, me.lane);
}

}  // namespace kauri::numeric::cuda::kernels
