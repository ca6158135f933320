// Partial Cholesky of a packed front in shared memory by the warps of a block: warp 0 goes from diagonal block to diagonal block, the
// others follow.
//
// In phase j warp 0 makes block (j+1,j) of L, takes its square from diagonal block j+1 and eliminates that; meanwhile the others make the
// rest of block column j, then bring block column j+1 up to date below its diagonal, and diagonal block j+2 but for its last product.
// During the last elimination they take from the contribution block all that is known.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/small_front_blocks.cuh"

namespace kauri::numeric::cuda::kernels {

inline constexpr int kBelowReady = 1;  // named barrier: block (j+1,j) is in shared memory

/// Shared memory of a front beside its entries, double where one phase makes what the next one reads.
struct ChainScratch {
  double* operations;  // 2 x kOperationsEntries
  double* exchange;    // kExchangeEntries
  int* failed;         // 2: -1, or the first failing column
  int* corrects;       // 2: whether what the column operations make is to be corrected

  __device__ void keep(const EliminatedDiagonal& done, int slot) const {
    failed[slot] = done.failed, corrects[slot] = static_cast<int>(done.corrects);
  }
};

/// Warp 0 in phase j.
template <int kWarps>
__device__ inline void lead_phase(const LaneFront& front, int pivots, int panels, const ChainScratch& scratch, int j) {
  if (j + 1 >= front.blocks()) return;
  const LaneColumns columns(front, j);
  BlockAccumulator x;
  solve_block(x, front, pivots, j + 1, j, columns, scratch.operations + (j & 1) * kOperationsEntries, scratch.corrects[j & 1] != 0);
  if (j + 1 >= panels) return;
  __syncwarp();
  ptx::named_arrive(kBelowReady, 32 * kWarps);
  const LaneColumns next(front, j + 1);
  BlockAccumulator acc;
  load_minus(acc, front, j + 1, j + 1, next);
  double a[8];
  as_operand(a, x[0], x[1]);
  multiply_block(acc, a, a);
  store_block<true>(acc, front, j + 1, j + 1, next);
  __syncwarp();
  const int slot = (j + 1) & 1;
  const auto done = eliminate_diagonal(front, pivots, scratch.operations + slot * kOperationsEntries, scratch.exchange, j + 1);
  if (front.lane == 0) scratch.keep(done, slot);
}

/// Another warp in phase j.
template <int kWarps>
__device__ inline void follow_phase(const LaneFront& front, int pivots, int panels, const ChainScratch& scratch, int j, int warp) {
  const int blocks = front.blocks();
  const LaneColumns columns(front, j);
  for (int i = j + 1 + warp; i < blocks; i += kWarps - 1) {
    BlockAccumulator x;
    solve_block(x, front, pivots, i, j, columns, scratch.operations + (j & 1) * kOperationsEntries, scratch.corrects[j & 1] != 0);
  }
  if (j + 1 >= panels) return;
  __syncwarp();
  ptx::named_sync(kBelowReady, 32 * kWarps);
  for (int i = j + 1 + warp; i < blocks; i += kWarps - 1) update_block(front, pivots, i, j + 1, 0, j + 1);
  if (j + 2 < panels && warp == kWarps - 1) update_block(front, pivots, j + 2, j + 2, 0, j + 1);
  if (j + 2 == panels) update_contribution(front, pivots, panels, 0, j + 1, warp - 1, kWarps - 1);
}

/// Calls done(j) of one thread when block column j of L is finished. Returns the first failing column, or -1. All threads of the block.
template <int kWarps, class Done>
__device__ inline int factor_by_chain(const LaneFront& front, int pivots, const ChainScratch& scratch, int warp, const Done& done) {
  const int panels = (pivots + kBlock - 1) / kBlock;
  if (warp == 0) {
    const auto eliminated = eliminate_diagonal(front, pivots, scratch.operations, scratch.exchange, 0);
    if (front.lane == 0) scratch.keep(eliminated, 0);
  }
  __syncthreads();
  for (int j = 0; j < panels; ++j) {
    if (const int failed = scratch.failed[j & 1]; failed >= 0) return failed;
    if (warp == 0) {
      lead_phase<kWarps>(front, pivots, panels, scratch, j);
    } else {
      follow_phase<kWarps>(front, pivots, panels, scratch, j, warp);
    }
    ptx::shared_proxy_fence();
    __syncthreads();
    if (warp == kWarps - 1 && front.lane == 0) done(j);
  }
  update_contribution(front, pivots, panels, panels - 1, panels, warp, kWarps);
  return -1;
}

}  // namespace kauri::numeric::cuda::kernels
