// Partial Cholesky of a packed front in shared memory by the warps of a block: warp 0 eliminates
// the diagonal blocks, the other warps follow.
//
// In phase j warp 0 makes block (j+1,j) of L, subtracts its square from diagonal block j+1 and
// eliminates that block. Meanwhile the other warps make the rest of block column j, then update
// block column j+1 below its diagonal, and diagonal block j+2 but for its last product. During the
// last elimination they subtract all products known so far from the contribution block. Phase -1 is
// the first elimination alone; after the last phase all warps subtract the products of the last
// block column from the contribution block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/small/blocks.cuh"

namespace kauri::numeric::cuda::kernels {

inline constexpr int kBelowReady = 1;  // named barrier: block (j+1,j) is in shared memory

/// Shared memory of a front beside its entries; two buffers for data that one phase writes and the
/// next one reads.
struct ChainScratch {
  double* operations;  // 2 x kOperationsEntries: column operations of two diagonal blocks
  double* exchange;    // kExchangeEntries: scratch of the eliminating warp
  int* failed_column;  // 2: first failed column of the front, or -1
  int* corrects;       // 2: not 0 if products with the column operations need a correction

  __device__ void keep(const EliminatedDiagonal& done, int slot) const {
    failed_column[slot] = done.failed_column, corrects[slot] = static_cast<int>(done.corrects);
  }
};

/// Does the work of warp 0 in phase j >= -1: makes block (j+1,j) of L, if j >= 0 and the front has
/// that row of blocks. If diagonal block j+1 has pivots, warp 0 then subtracts the square of block
/// (j+1,j) from it, if j >= 0, and eliminates it.
template <int kWarps>
__device__ inline void lead_phase(const LaneFront& front, int pivots, int panels,
                                  const ChainScratch& scratch, int j) {
  if (j + 1 >= front.blocks()) return;
  if (j >= 0) {
    const LaneColumns columns(front, j);
    BlockAccumulator x;
    solve_block(x, front, pivots, j + 1, j, columns,
                scratch.operations + (j & 1) * kOperationsEntries, scratch.corrects[j & 1] != 0);
    if (j + 1 >= panels) return;
    __syncwarp();
    ptx::named_arrive(kBelowReady, 32 * kWarps);
    const LaneColumns next(front, j + 1);
    BlockAccumulator acc;
    load_minus(acc, front, j + 1, j + 1, next);
    double a[8];
    as_operand(a, x[0], x[1]);
    multiply_block<HopperCore>(acc, a, a);
    store_block<true>(acc, front, j + 1, j + 1, next);
    __syncwarp();
  }
  const int slot = (j + 1) & 1;
  const auto done = eliminate_diagonal(
      front, pivots, scratch.operations + slot * kOperationsEntries, scratch.exchange, j + 1);
  if (front.lane == 0) scratch.keep(done, slot);
}

/// Makes blocks (i,j), i > j+1, of L, and waits for block (j+1,j), which warp 0 makes, if the front
/// has a block column j+1 of pivots. Called in phase j >= 0 by all warps but warp 0. `warp`: number
/// of the calling warp.
template <int kWarps>
__device__ inline void follow_phase(const LaneFront& front, int pivots, int panels,
                                    const ChainScratch& scratch, int j, int warp) {
  const LaneColumns columns(front, j);
  for (int i = j + 1 + warp; i < front.blocks(); i += kWarps - 1) {
    BlockAccumulator x;
    solve_block(x, front, pivots, i, j, columns, scratch.operations + (j & 1) * kOperationsEntries,
                scratch.corrects[j & 1] != 0);
  }
  if (j + 1 >= panels) return;
  __syncwarp();
  ptx::named_sync(kBelowReady, 32 * kWarps);
}

/// Updates blocks in phase j, dealt to `warps` warps, of which the caller is number `warp`: block
/// column j + 1 below its diagonal and diagonal block j + 2, by all products so far; in the last
/// phase but one also the contribution block. After the last phase, j = panels, it updates the
/// contribution block by the last block column. One loop does all of it, which keeps the code small
/// in the instruction cache.
__device__ inline void update_phase(const LaneFront& front, int pivots, int panels, int j, int warp,
                                    int warps) {
  const int blocks = front.blocks();
  const bool over = j == panels;
  const int column = over || j + 1 >= panels ? 0 : blocks - (j + 2);
  const int contribution =
      over || j + 2 == panels ? (blocks - panels) * (blocks - panels + 1) / 2 : 0;
  const int diagonal = j + 2 < panels ? 1 : 0;
  for (int t = warp; t < column + diagonal + contribution; t += warps) {
    int row = j + 2 + t, first = j + 1;
    if (t >= column) {  // blocks of a triangle, column by column: diagonal block j + 2 alone, or
                        // the contribution block's
      int place = t - column;
      for (first = diagonal != 0 ? j + 2 : panels; place >= blocks - first; ++first)
        place -= blocks - first;
      row = first + place;
    }
    update_block(front, pivots, row, first, over ? panels - 1 : 0, over ? panels : j + 1);
  }
}

/// Factorises a front, complete in shared memory, and calls done(j) in one thread when block column
/// j of L is finished and visible to bulk copies. Returns the first column without an ordinary
/// pivot, or -1. Called by all threads of the block.
template <int kWarps, class Done>
__device__ inline int factor_by_chain(const LaneFront& front, int pivots,
                                      const ChainScratch& scratch, int warp, const Done& done) {
  const int panels = (pivots + kBlock - 1) / kBlock;
#pragma unroll 1
  for (int j = -1;; ++j) {
    const bool over = j == panels;
    if (!over) {
      if (j >= 0)
        if (const int failed = scratch.failed_column[j & 1]; failed >= 0) return failed;
      if (warp == 0)
        lead_phase<kWarps>(front, pivots, panels, scratch, j);
      else if (j >= 0)
        follow_phase<kWarps>(front, pivots, panels, scratch, j, warp);
    }
    const int helper = over ? warp : warp - 1;
    if (j >= 0 && helper >= 0)
      update_phase(front, pivots, panels, j, helper, over ? kWarps : kWarps - 1);
    if (over) return -1;
    ptx::shared_proxy_fence();
    __syncthreads();
    if (j >= 0 && warp == kWarps - 1 && front.lane == 0) done(j);
  }
}

}  // namespace kauri::numeric::cuda::kernels
