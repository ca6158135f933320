// The kernel of a solve by sweeps. A block goes from narrow fronts to small ones, to tiles, and
// back, each as soon as it is done with the work before: it waits for numbers alone. A thread that
// waits for a number waits for work that comes earlier in one fixed order (levels of fronts dealt
// to warps, tickets of tiles), and all blocks are resident at once, so no thread waits forever.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "numeric/cuda/runtime/kernel/skip.cuh"
#include "numeric/cuda/solve/single/fronts.cuh"
#include "numeric/cuda/solve/single/tiles.cuh"

namespace kauri::numeric::cuda::sweep {
namespace {

/// Sweeps, in one direction, through fronts [begin, end) of view.order, which are dealt to the
/// warps of a group's blocks, block by block. Only the first kWarps warps of a block, for which
/// there is shared memory, take fronts. Called by all threads of a block.
template <bool kForward, class Panels, class S, class N, int kWarps, int kMost>
__device__ void sweep_fronts(Panels (&shared)[kWarps], WarpBarriers (&barriers)[kMost],
                             const SweepView& view, const SweepMemory<S, N>& memory,
                             const BlockRange& group, Index begin, Index end) {
  const int thread = ptx::thread_index(), warp = thread / 32,
            lane = thread % 32;  // kept from phase to phase, they would be spilled
  if (warp >= kWarps) return;
  const Dealt dealt = deal<kForward>(group, kWarps, begin, end, warp);
  if constexpr (kForward)
    sweep_fronts_forward(shared[warp], barriers[warp], view, memory, dealt, lane);
  else
    sweep_fronts_backward(shared[warp], barriers[warp], view, memory, dealt, lane);
}

template <bool kForward, class S, class N, class Loads>
__device__ void sweep_narrow(SweepShared<S, N, Loads>& shared, const SweepView& view,
                             const SweepMemory<S, N>& memory, const BlockRange& group) {
  sweep_fronts<kForward>(shared.narrow, shared.direction[kForward ? 0 : 1].narrow, view, memory,
                         group, 0, view.narrow);
}

template <bool kForward, class S, class N, class Loads>
__device__ void sweep_small(SweepShared<S, N, Loads>& shared, const SweepView& view,
                            const SweepMemory<S, N>& memory, const BlockRange& group) {
  sweep_fronts<kForward>(shared.small, shared.direction[kForward ? 0 : 1].small, view, memory,
                         group, view.narrow, view.small);
}

template <bool kForward, class S, class N, class Loads>
__device__ void sweep_tiles(SweepShared<S, N, Loads>& shared, const SweepView& view,
                            const SweepMemory<S, N>& memory, const BlockRange& group) {
  if (place_in(group) < 0) return;
  sweep_tiles<kForward>(Tiles<S, N, Loads>{shared.tiles, shared.direction[kForward ? 0 : 1].tiles},
                        view, memory);
}

/// Replaces NaNs of the caller's in y that have the bits of an unset number, before a backward
/// sweep alone. Threads that are ahead of this call wait for these numbers.
template <class N>
__device__ void set_all(N* y, Index n) {
  for (Offset k = static_cast<Offset>(blockIdx.x) * kThreads + ptx::thread_index(); k < n;
       k += static_cast<Offset>(gridDim.x) * kThreads)
    if (const N x = y[k]; !is_set(x)) publish(y + k, x);
}

/// Lets copies fill shared memory that threads have read and written. Called by all threads of
/// the block. Barriers lie apart from that memory: barriers that were initialised anew in memory
/// that copies had filled let waits pass before the data had come.
template <class Loads>
__device__ void hand_over() {
  Loads::fence();
  __syncthreads();
}

// Devices of compute capability 8.6, 8.9 and 12.0 have 99 KB for a block, AMD's have 64 KB.
static_assert(sizeof(SweepShared<double, double, AsyncLoads>) <= ptx::kBlockKilobytes * 1024);

template <class S, class N, class Loads>
__global__ void __launch_bounds__(kThreads, kResident<N, Loads>)
    sweep(SweepView view, SweepMemory<S, N> memory, bool forward, bool backward) {
  if (!ptx::begin_block()) return;
  if (is_skipped(memory.run_flag)) return;
  extern __shared__ __align__(128) unsigned char sweep_shared[];
  auto& shared = *reinterpret_cast<SweepShared<S, N, Loads>*>(sweep_shared);
  watchdog::begin(watchdog::Kernel::sweep);
  if (ptx::thread_index() == 0) {
    set_up<Loads>(shared.direction[0]), set_up<Loads>(shared.direction[1]);
    Loads::barrier_fence();
  }
  __syncthreads();
  const Roles roles(view, SolveBlock(), kNarrows<S>, kSmalls<S>);
  if (!forward) set_all(memory.y, view.n);
  if (forward) {
    sweep_narrow<true>(shared, view, memory, roles.narrow);
    hand_over<Loads>();
    sweep_small<true>(shared, view, memory, roles.small);
    hand_over<Loads>();
    sweep_tiles<true>(shared, view, memory, roles.tiles);
    hand_over<Loads>();
  }
  if (backward) {
    sweep_tiles<false>(shared, view, memory, roles.tiles);
    hand_over<Loads>();
    sweep_small<false>(shared, view, memory, roles.small);
    hand_over<Loads>();
    sweep_narrow<false>(shared, view, memory, roles.narrow);
  }
}

}  // namespace
}  // namespace kauri::numeric::cuda::sweep

namespace kauri::numeric::cuda {

template <class S, class N, class Loads>
int sweep_blocks() {
  return kernels::cooperative_blocks(sweep::sweep<S, N, Loads>, sweep::kThreads,
                                     sizeof(sweep::SweepShared<S, N, Loads>));
}

template <class S, class N, class Loads>
void enqueue_sweeps(const SweepView& view, const SweepMemory<S, N>& memory, bool forward,
                    bool backward, int blocks, cudaStream_t stream) {
  const Index most = view.small + std::max(view.forward_tasks, view.backward_tasks);
  if (most == 0) return;
  check(kernels::launch_cooperative(sweep::sweep<S, N, Loads>,
                                    static_cast<unsigned>(std::min<Index>(most, blocks)),
                                    sweep::kThreads, sizeof(sweep::SweepShared<S, N, Loads>),
                                    stream, view, memory, forward, backward),
        "a launch of sweeps");
}

}  // namespace kauri::numeric::cuda
