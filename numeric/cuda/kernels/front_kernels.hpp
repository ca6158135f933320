// Dense kernels on tiled fronts (tile.hpp) in FP64: partial Cholesky factorisation of one or many fronts in one launch, and the update
// C -= A A^T alone. Left-looking: a task reads its tiles of the front once, keeps them in the registers of one block while all products
// stream through shared memory by bulk copies of a producer warp, and writes them once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "numeric/cuda/kernels/front_tasks.hpp"
#include "numeric/cuda/kernels/tile.hpp"

namespace kauri::cuda {

/// A front on the device. Lives in device memory as an array, one per front.
struct FrontView {
  double* tiles = nullptr;  // shape.tiles() tiles; in: the lower part of the front; out: L (columns of pivots) and the contribution block
  double* solve = nullptr;  // pivot_tiles() tiles; out: L(k,k) with its four 16 x 16 diagonal blocks inverted
  int* counters =
      nullptr;  // counter_count(shape) ints, zero at the start; counters[kFailed]: 1 + first column without a positive pivot, or 0
  int row_tiles = 0;
  int pivot_tiles = 0;
  int last_slabs = 0;
};

/// Places in FrontView::counters; then one counter per block row (tiles of L finished), then one flag per pivot column (prepared).
inline constexpr int kDiagonals = 0;
inline constexpr int kFailed = 1;
inline constexpr int kRows = 2;

inline std::size_t counter_count(const FrontShape& shape) {
  return static_cast<std::size_t>(kRows + shape.row_tiles() + shape.pivot_tiles());
}

/// Teams (the workers that draw tasks) that the current device holds at once, even; 0 if it cannot run the kernels. To be called once
/// before the first launch on a device.
int resident_teams();

/// Partial Cholesky factorisation of all fronts. `tasks`: factor_tasks() on the device, made for no more than `teams` teams, with `ticket`
/// (one int) and all counters zero before the launch. A pivot that is not positive is recorded in its front, replaced by 1, and all else
/// goes on. Enqueued on the stream; returns the launch's error.
cudaError_t enqueue_factor(const FrontView* fronts, const Task* tasks, int task_count, int* ticket, int teams, cudaStream_t stream);

/// C -= A A^T, lower tiles, for fronts whose columns of pivots hold A. `tasks`: update_tasks() on the device; `ticket` zero before
/// the launch. Drawn, not dealt: dealt in turn, teams drift apart and lose the rows they share in the L2 cache (13 % at K = 1024).
cudaError_t enqueue_update(const FrontView* fronts, const Task* tasks, int task_count, int* ticket, int teams, cudaStream_t stream);

}  // namespace kauri::cuda
