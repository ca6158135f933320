// Launches of batches: a block of threads factorises one item after another, or solves one column
// of an item after another, front by front.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kauri/core/verdict.hpp"
#include "numeric/cuda/plan/device_plan.hpp"
#include "numeric/cuda/runtime/owned.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {

inline constexpr int kBatchThreads = 128;  ///< threads of a block
inline constexpr int kBatchWarps = kBatchThreads / 32;
inline constexpr Index kBatchStrip =
    16;  ///< pivots of a strip in a solve; most pivots of a strip in a factorisation
inline constexpr Index kBatchScratch =
    20;  ///< numbers of a block's shared memory for BatchPivots::scratch, rounded up
inline constexpr int kBatchSolves = 8;  ///< resident blocks of a solve per multiprocessor: with 7,
                                        ///< the batches of M55 of docs/measurements take two rounds
inline constexpr int kBatchSolveShared =
    24 * 1024;  ///< most bytes of shared memory of a block of a solve that has its vectors there

/// Shapes of a block's factorisation, chosen so that no registers are spilled in a loop: the spills
/// of all threads of a multiprocessor do not fit into its L1 cache.
struct SmallBatchShape {  // for plans whose fronts have at most kRows rows
  static constexpr int kResident =
      8;  ///< resident blocks of a multiprocessor: 64 registers a thread
  static constexpr Index kStrip = 8;  ///< pivots between two updates of the columns right of them
  static constexpr Index kRows =
      64;  ///< most rows of a front that is done in shared memory; larger fronts are done in global
           ///< memory, by strips in shared memory
  static constexpr bool kAllOnChip = true;  ///< no front has more than kRows rows
  static constexpr Index kTileRows = 16,
                         kTileColumns = 8;  ///< size of a tile of an update, which a warp does
};
struct LargeBatchShape {               // for all other plans
  static constexpr int kResident = 4;  ///< 128 registers a thread
  static constexpr Index kStrip = kBatchStrip, kRows = 112;
  static constexpr bool kAllOnChip = false;
  static constexpr Index kTileRows = 32, kTileColumns = 16;
};
/// Returns the most rows of a front, whose strips must fit into the shared memory of a block of any
/// device of the maker's.
Index batch_most_rows();
inline bool is_small_batch(Index most_rows) { return most_rows <= SmallBatchShape::kRows; }

/// A level of fronts PlanView::order[first .. first + count), whose children are all in earlier
/// levels. The first `narrow` fronts have at most DeviceSchedule::kNarrow rows; a warp does each of
/// them, a block each of the others.
struct BatchLevel {
  Index first, narrow, count;
};

/// Data that all items share.
struct BatchPlan {
  PlanView plan;
  const BatchLevel* level;           ///< the level of the leaves first
  const std::uint32_t* entry_place;  ///< place of each entry of A in its front's panel
                                     ///< (symbolic::packed_column)
  Index levels;                      ///< number of levels
  Index n;                           ///< rows of A
  Index most_rows;                   ///< rows of the largest front
  Index update_rows;                 ///< number of update rows of a solve with one column
};

/// Panels and contribution blocks of a batch: those of item k begin at entries + k * stride. In an
/// item a front's panel, the first p columns of a packed triangle of order m, is at Front::panel,
/// its contribution block, a packed triangle of order q, at Front::block. Tiled fronts are packed,
/// too.
template <class T>
struct BatchMemory {
  T* entries;
  Offset stride;
  Index items;
  DeviceVerdict* verdict;          ///< one per item
  OwnedPlace<DeviceVerdict> host;  ///< the verdicts once more, in page-locked memory of the host
};

/// Values of A on the device: those of item k begin at data + k * stride. `shift` is added to the
/// diagonal of all items.
template <class T>
struct BatchValues {
  const T* data;
  Offset stride;
  T shift;
};

/// `cols` right-hand sides b and solutions x of the first item, on the device, and the strides from
/// item to item, as in BatchView. x may be b itself.
template <class T>
struct BatchRhs {
  StridedView<const T> b;
  Offset b_stride;
  StridedView<T> x;
  Offset x_stride;
  Index cols;
  T* scratch;  ///< batch_vector() numbers for each thread block, unless batch_vectors_shared()
};

/// Returns how many numbers a block needs to solve one column: those of the solution and of the
/// update rows.
inline Offset batch_vector(Index n, Index update_rows) { return Offset{n} + update_rows; }
/// Returns the bytes of dynamic shared memory of a block that factorises.
template <class T>
int batch_factor_bytes(Index most_rows) {
  const Index strip = most_rows > LargeBatchShape::kRows ? LargeBatchShape::kStrip * most_rows : 0;
  constexpr Index narrow = kBatchWarps * (symbolic::DeviceSchedule::kNarrow *
                                          (symbolic::DeviceSchedule::kNarrow + 1) / 2);
  const Index rows = is_small_batch(most_rows) ? SmallBatchShape::kRows : LargeBatchShape::kRows;
  return static_cast<int>((kBatchScratch + std::max({narrow, rows * (rows + 1) / 2, strip})) *
                          Index{sizeof(T)});
}
/// Returns how many numbers of shared memory a block of a solve needs for one column of a front's
/// rows: of a front that the block does, or of a narrow front for each warp.
inline Index batch_solve_rows(Index most_rows) {
  return std::max(Index{kBatchWarps} * symbolic::DeviceSchedule::kNarrow, most_rows);
}
/// Returns true if the batch_vector() numbers of a block of a solve lie in shared memory.
template <class T>
bool batch_vectors_shared(Index n, Index update_rows, Index most_rows) {
  return (batch_vector(n, update_rows) + batch_solve_rows(most_rows)) * Offset{sizeof(T)} <=
         kBatchSolveShared;
}

/// Returns the number of blocks of a kernel, of kBatchThreads threads and `bytes` bytes of dynamic
/// shared memory, that the current device holds at once, at least 1. Throws Error(device).
template <class... P>
int resident_blocks(void (*kernel)(P...), int bytes) {
  int device = 0, processors = 0, blocks = 0;
  check(cudaGetDevice(&device), "the current device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "the device");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kBatchThreads,
                                                      static_cast<std::size_t>(bytes)),
        "blocks of a batch");
  return std::max(1, blocks * processors);
}

/// Loads the kernels. Throws Error(device).
void load_batch_kernels();

/// Return the number of blocks of a factorisation, and of a solve, that the current device holds at
/// once. Throw Error(device).
template <class T>
int batch_factor_blocks(Index most_rows);
template <class T>
int batch_solve_blocks(Index n, Index update_rows, Index most_rows);

/// Enqueues the factorisation of all items, by at most `blocks` blocks, in one launch: L and the
/// verdicts in `memory`.
template <class T>
void enqueue_batch_factor(const BatchPlan& plan, const BatchValues<T>& value,
                          const BatchMemory<T>& memory, int blocks, cudaStream_t stream);
/// Enqueues both sweeps of all columns of all items, by at most `blocks` blocks, in one launch. x
/// of items whose verdict is not good is NaN. in_double: the backward sweep of floats sums in
/// double, else in float, with its rounding errors.
template <class T>
void enqueue_batch_solve(const BatchPlan& plan, const BatchMemory<T>& memory,
                         const BatchRhs<T>& rhs, bool in_double, int blocks, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
