// The work of each block of a sweep's grid, and the fronts of each warp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/single/fronts.cuh"

namespace kauri::numeric::cuda::sweep {

/// A range of blocks of the grid.
struct BlockRange {
  Index first, count;
};

/// This block's index among the `blocks` that do one solve: all blocks of the grid, or every
/// shares-th.
struct SolveBlock {
  Index block, blocks;
  __device__ explicit SolveBlock(Index shares = 1)
      : block(static_cast<Index>(blockIdx.x) / shares),
        blocks(static_cast<Index>(gridDim.x) / shares) {}
};

/// Ranges of blocks that do narrow fronts, small fronts and tiles. If there are blocks enough, the
/// ranges are disjoint, and blocks have loaded their first data when the numbers that they await
/// come; else each range is all blocks, which do one kind after the other.
struct Roles {
  BlockRange narrow, small, tiles;
  __device__ explicit Roles(const SweepView& view, const SolveBlock& at = SolveBlock()) {
    const Index all = at.blocks, few = blocks_of(view.narrow, kNarrowWarps),
                some = blocks_of(view.small - view.narrow, kSmallWarps),
                tasks = max(view.forward_tasks, view.backward_tasks);
    narrow = small = tiles = {0, all};
    if (few + some + min(tasks, max(all / 4, 1)) > all) return;
    narrow = {0, few}, small = {few, some}, tiles = {few + some, all - few - some};
  }
  __device__ static Index blocks_of(Index count, Index warps) {
    return (count + warps - 1) / warps;
  }
};

/// Returns this block's place in a group; -1 if it is not in the group.
__device__ inline Index place_in(const BlockRange& group, const SolveBlock& at = SolveBlock()) {
  const Index block = at.block - group.first;
  return block < group.count ? max(block, Index{-1}) : Index{-1};
}

/// Returns the fronts of view.order[begin, end) that a warp takes if they are dealt to `warps`
/// warps in each block of a group: from the first on, or backward from the last.
template <bool kForward>
__device__ Dealt deal(const BlockRange& group, Index warps, Index begin, Index end, Index warp,
                      const SolveBlock& at = SolveBlock()) {
  const Index block = place_in(group, at);
  if (block < 0) return {begin, 1, 0};
  const Index step = group.count * warps, mine = warp * group.count + block;
  const Index count = mine < end - begin ? (end - begin - mine - 1) / step + 1 : 0;
  return kForward ? Dealt{begin + mine, step, count} : Dealt{end - 1 - mine, -step, count};
}

}  // namespace kauri::numeric::cuda::sweep
