// Which blocks of a sweep's grid do what, and which fronts a warp takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/single/fronts.cuh"

namespace kauri::numeric::cuda::sweep {

/// Blocks of the grid.
struct BlockRange {
  Index first, count;
};

/// A block among those that do one solve: the grid, or an equal share of it.
struct Place {
  Index block, blocks;
  __device__ explicit Place(Index shares = 1)
      : block(static_cast<Index>(blockIdx.x) / shares), blocks(static_cast<Index>(gridDim.x) / shares) {}
};

/// Who does what. Where there are blocks enough, each kind of work has its own, and all of them wait with all that they need at hand; else
/// all do one after the other.
struct Roles {
  BlockRange narrow, small, tiles;
  __device__ explicit Roles(const SweepView& view, const Place& at = Place()) {
    const Index all = at.blocks, few = blocks_of(view.narrow, kNarrowWarps), some = blocks_of(view.small - view.narrow, kSmallWarps),
                tasks = max(view.forward_tasks, view.backward_tasks);
    narrow = small = tiles = {0, all};
    if (few + some + min(tasks, max(all / 4, 1)) > all) return;
    narrow = {0, few}, small = {few, some}, tiles = {few + some, all - few - some};
  }
  __device__ static Index blocks_of(Index count, Index warps) { return (count + warps - 1) / warps; }
};

/// This block's place in a group; none: -1.
__device__ inline Index place_in(const BlockRange& group, const Place& at = Place()) {
  const Index block = at.block - group.first;
  return block < group.count ? max(block, Index{-1}) : Index{-1};
}

/// Of fronts [begin, end) of view.order those that a warp takes of `warps` in each block of a group; backward from the last.
template <bool kForward>
__device__ Dealt deal(const BlockRange& group, Index warps, Index begin, Index end, Index warp, const Place& at = Place()) {
  const Index block = place_in(group, at);
  if (block < 0) return {begin, 1, 0};
  const Index step = group.count * warps, mine = warp * group.count + block;
  const Index count = mine < end - begin ? (end - begin - mine - 1) / step + 1 : 0;
  return kForward ? Dealt{begin + mine, step, count} : Dealt{end - 1 - mine, -step, count};
}

}  // namespace kauri::numeric::cuda::sweep
