// The kernel of a fast solve. A block goes from narrow fronts to small ones, to tiles, and back, each as soon as it is done with what comes
// before: there is nothing to wait for but numbers. Whoever waits for a number waits for what comes earlier in one fixed order of all work
// (levels of fronts dealt to warps, tickets of tiles), and all blocks are there at once, so nobody waits for ever.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "numeric/cuda/sweep_fronts.cuh"
#include "numeric/cuda/sweep_tiles.cuh"

namespace kauri::numeric::cuda::sweep {
namespace {

/// Fronts [begin, end) of view.order, dealt to so many warps of each block, block by block.
__device__ Dealt deal(Index begin, Index end, int warps, int warp, bool forward) {
  const Index step = static_cast<Index>(gridDim.x) * warps, mine = warp * static_cast<Index>(gridDim.x) + static_cast<Index>(blockIdx.x);
  const Index count = mine < end - begin ? (end - begin - mine - 1) / step + 1 : 0;
  return forward ? Dealt{begin + mine, step, count} : Dealt{end - 1 - mine, -step, count};
}

template <bool kForward>
__device__ void sweep_narrow(Shared& shared, const SweepView& view, const SweepMemory& memory, int warp, int lane) {
  const Dealt dealt = deal(0, view.narrow, kNarrowWarps, warp, kForward);
  WarpBarriers& barriers = shared.direction[kForward ? 0 : 1].narrow[warp];
  if constexpr (kForward)
    sweep_fronts_forward<32>(shared.narrow[warp], barriers, view, memory, dealt, lane);
  else
    sweep_fronts_backward<32>(shared.narrow[warp], barriers, view, memory, dealt, lane);
}

template <bool kForward>
__device__ void sweep_small(Shared& shared, const SweepView& view, const SweepMemory& memory, int warp, int lane) {
  if (warp >= kSmallWarps) return;
  const Dealt dealt = deal(view.narrow, view.small, kSmallWarps, warp, kForward);
  WarpBarriers& barriers = shared.direction[kForward ? 0 : 1].small[warp];
  if constexpr (kForward)
    sweep_fronts_forward<64>(shared.small[warp], barriers, view, memory, dealt, lane);
  else
    sweep_fronts_backward<64>(shared.small[warp], barriers, view, memory, dealt, lane);
}

/// Shared memory that was read and written is next filled by copies.
__device__ void hand_over() {
  ptx::shared_proxy_fence();
  __syncthreads();
}

__global__ void __launch_bounds__(kThreads, kResident) sweep(SweepView view, SweepMemory memory, bool forward, bool backward) {
  extern __shared__ __align__(128) unsigned char sweep_shared[];
  Shared& shared = *reinterpret_cast<Shared*>(sweep_shared);
  if (threadIdx.x == 0) {
    set_up(shared.direction[0]), set_up(shared.direction[1]);
    ptx::barrier_init_fence();
  }
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  if (forward) {
    sweep_narrow<true>(shared, view, memory, warp, lane);
    hand_over();
    sweep_small<true>(shared, view, memory, warp, lane);
    hand_over();
    sweep_tiles<true>({shared.tiles, shared.direction[0].tiles}, view, memory);
    hand_over();
  }
  if (backward) {
    sweep_tiles<false>({shared.tiles, shared.direction[1].tiles}, view, memory);
    hand_over();
    sweep_small<false>(shared, view, memory, warp, lane);
    hand_over();
    sweep_narrow<false>(shared, view, memory, warp, lane);
  }
}

}  // namespace
}  // namespace kauri::numeric::cuda::sweep

namespace kauri::numeric::cuda {

int sweep_blocks() { return kernels::cooperative_blocks(sweep::sweep, sweep::kThreads, sizeof(sweep::Shared)); }

void enqueue_sweeps(const SweepView& view, const SweepMemory& memory, bool forward, bool backward, int blocks, cudaStream_t stream) {
  const Index most = std::max({view.narrow, view.small - view.narrow, view.forward_tasks, view.backward_tasks});
  if (most == 0) return;
  check(kernels::launch_cooperative(sweep::sweep, static_cast<unsigned>(std::min<Index>(most, blocks)), sweep::kThreads,
                                    sizeof(sweep::Shared), stream, view, memory, forward, backward),
        "a launch of sweeps");
}

}  // namespace kauri::numeric::cuda
