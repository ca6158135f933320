// Reduction over a block in a tree that depends on the number of threads alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kauri::numeric::cuda {

/// Combines the values `mine` of all threads of a block by both(): first those of lanes 16 apart,
/// then 8, 4, 2 and 1, then those of warps likewise. Returns the result in thread 0 and an
/// unspecified value in the others. both(a, b) combines the value of a lane and that of a higher
/// one. lane_above(mine, by) returns the value of the lane that is `by` higher, by shuffles.
/// Threads: threads of the block, all of which call it; a power of two from 32 to 1024. A kernel
/// that calls it again needs a barrier before.
template <unsigned Threads, class T, class Both, class LaneAbove>
__device__ T block_reduce(T mine, Both&& both, LaneAbove&& lane_above) {
  constexpr int kWarps = Threads / 32;
  __shared__ T of_warp[kWarps];
  const auto of_lanes = [&](T value, int lanes) {
    for (int by = lanes / 2; by > 0; by /= 2) value = both(value, lane_above(value, by));
    return value;
  };
  const auto lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  mine = of_lanes(mine, 32);
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp == 0) mine = of_lanes(of_warp[lane % kWarps], kWarps);
  return mine;
}

}  // namespace kauri::numeric::cuda
