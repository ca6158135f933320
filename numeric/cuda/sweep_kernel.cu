// The kernel of a fast solve. A block goes from narrow fronts to small ones, to tiles, and back, each as soon as it is done with what comes
// before: there is nothing to wait for but numbers. Whoever waits for a number waits for what comes earlier in one fixed order of all work
// (levels of fronts dealt to warps, tickets of tiles), and all blocks are there at once, so nobody waits for ever.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "numeric/cuda/sweep_fronts.cuh"
#include "numeric/cuda/sweep_tiles.cuh"

namespace kauri::numeric::cuda::sweep {
namespace {

/// Blocks of the grid.
struct Team {
  Index first, count;
};

/// Who does what. Where there are blocks enough, each kind of work has its own, and all of them wait with all that they need at hand; else
/// all do one after the other.
struct Roles {
  Team narrow, small, tiles;
  __device__ explicit Roles(const SweepView& view) {
    const Index all = static_cast<Index>(gridDim.x), few = blocks_of(view.narrow, kNarrowWarps),
                some = blocks_of(view.small - view.narrow, kSmallWarps), tasks = max(view.forward_tasks, view.backward_tasks);
    narrow = small = tiles = {0, all};
    if (few + some + min(tasks, max(all / 4, 1)) > all) return;
    narrow = {0, few}, small = {few, some}, tiles = {few + some, all - few - some};
  }
  __device__ static Index blocks_of(Index count, Index warps) { return (count + warps - 1) / warps; }
};

/// This block's place in a team; none: -1.
__device__ Index place_in(const Team& team) {
  const Index block = static_cast<Index>(blockIdx.x) - team.first;
  return block < team.count ? max(block, Index{-1}) : Index{-1};
}

/// Fronts [begin, end) of view.order, dealt to the warps of a team's blocks, block by block; those warps of a block that there is room for.
template <bool kForward, int kRows, int kWarps>
__device__ void sweep_fronts(WarpShared<kRows> (&shared)[kWarps], WarpBarriers (&barriers)[kWarps], const SweepView& view,
                             const SweepMemory& memory, const Team& team, Index begin, Index end) {
  const int thread = ptx::thread_index(), warp = thread / 32, lane = thread % 32;  // kept from phase to phase, they would be spilled
  const Index block = place_in(team);
  if (block < 0 || warp >= kWarps) return;
  const Index step = team.count * kWarps, mine = warp * team.count + block;
  const Index count = mine < end - begin ? (end - begin - mine - 1) / step + 1 : 0;
  if constexpr (kForward)
    sweep_fronts_forward(shared[warp], barriers[warp], view, memory, {begin + mine, step, count}, lane);
  else
    sweep_fronts_backward(shared[warp], barriers[warp], view, memory, {end - 1 - mine, -step, count}, lane);
}

template <bool kForward>
__device__ void sweep_narrow(Shared& shared, const SweepView& view, const SweepMemory& memory, const Team& team) {
  sweep_fronts<kForward>(shared.narrow, shared.direction[kForward ? 0 : 1].narrow, view, memory, team, 0, view.narrow);
}

template <bool kForward>
__device__ void sweep_small(Shared& shared, const SweepView& view, const SweepMemory& memory, const Team& team) {
  sweep_fronts<kForward>(shared.small, shared.direction[kForward ? 0 : 1].small, view, memory, team, view.narrow, view.small);
}

template <bool kForward>
__device__ void sweep_tiles(Shared& shared, const SweepView& view, const SweepMemory& memory, const Team& team) {
  if (place_in(team) < 0) return;
  sweep_tiles<kForward>(Tiles{shared.tiles, shared.direction[kForward ? 0 : 1].tiles}, view, memory);
}

/// y as a caller gave it, whose NaN must not look as if it were still to come. Who is ahead of this waits for it.
__device__ void set_all(double* y, Index n) {
  for (Offset k = static_cast<Offset>(blockIdx.x) * kThreads + ptx::thread_index(); k < n; k += static_cast<Offset>(gridDim.x) * kThreads)
    if (const double x = y[k]; !is_set(x)) publish(y + k, x);
}

/// Shared memory that was read and written is next filled by copies. Barriers lie apart from all that: some that had been made anew where
/// copies had been let through what had not come.
__device__ void hand_over() {
  ptx::shared_proxy_fence();
  __syncthreads();
}

__global__ void __launch_bounds__(kThreads, kResident) sweep(SweepView view, SweepMemory memory, bool forward, bool backward) {
  extern __shared__ __align__(128) unsigned char sweep_shared[];
  Shared& shared = *reinterpret_cast<Shared*>(sweep_shared);
  if (ptx::thread_index() == 0) {
    set_up(shared.direction[0]), set_up(shared.direction[1]);
    ptx::barrier_init_fence();
  }
  __syncthreads();
  const Roles roles(view);
  if (!forward) set_all(memory.y, view.n);
  if (forward) {
    sweep_narrow<true>(shared, view, memory, roles.narrow);
    hand_over();
    sweep_small<true>(shared, view, memory, roles.small);
    hand_over();
    sweep_tiles<true>(shared, view, memory, roles.tiles);
    hand_over();
  }
  if (backward) {
    sweep_tiles<false>(shared, view, memory, roles.tiles);
    hand_over();
    sweep_small<false>(shared, view, memory, roles.small);
    hand_over();
    sweep_narrow<false>(shared, view, memory, roles.narrow);
  }
}

}  // namespace
}  // namespace kauri::numeric::cuda::sweep

namespace kauri::numeric::cuda {

int sweep_blocks() { return kernels::cooperative_blocks(sweep::sweep, sweep::kThreads, sizeof(sweep::Shared)); }

void enqueue_sweeps(const SweepView& view, const SweepMemory& memory, bool forward, bool backward, int blocks, cudaStream_t stream) {
  const Index most = view.small + std::max(view.forward_tasks, view.backward_tasks);
  if (most == 0) return;
  check(kernels::launch_cooperative(sweep::sweep, static_cast<unsigned>(std::min<Index>(most, blocks)), sweep::kThreads,
                                    sizeof(sweep::Shared), stream, view, memory, forward, backward),
        "a launch of sweeps");
}

}  // namespace kauri::numeric::cuda
