// The kernels of a solve of several right-hand sides: take_b() copies b, sweep() goes through the
// fronts as single/kernel.cuh does, by rows of kWidth numbers, and give_x() copies x.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <stdexcept>

#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"
#include "numeric/cuda/solve/multi/copies.cuh"
#include "numeric/cuda/solve/multi/fronts.cuh"
#include "numeric/cuda/solve/multi/tiles.cuh"
#include "numeric/cuda/solve/single/fronts.cuh"

namespace kauri::numeric::cuda::sweep::multi {
namespace {

template <bool kForward, class K, int kRows, int kWarps>
__device__ void sweep_fronts(FrontShared<K, kRows> (&shared)[kWarps],
                             WarpBarriers (&barriers)[kWarps], const SweepView& view,
                             const typename K::Memory& memory, const SolveBlock& at,
                             const BlockRange& group, Index begin, Index end, int warp, int lane) {
  if (warp >= kWarps) return;
  const Dealt dealt = deal<kForward>(group, kWarps, begin, end, warp, at);
  if constexpr (kForward)
    sweep_fronts_forward(shared[warp], barriers[warp], view, memory, dealt, lane);
  else
    sweep_fronts_backward(shared[warp], barriers[warp], view, memory, dealt, lane);
}

/// Lets copies fill shared memory that threads have read and written. Called by all threads of the
/// block.
template <class Loads>
__device__ void hand_over() {
  Loads::fence();
  __syncthreads();
}

template <bool kForward, class K>
__device__ void sweep_direction(MultiShared<K>& shared, const SweepView& view,
                                const typename K::Memory& memory) {
  using Loads = typename K::Loads;
  const int warp = ptx::thread_index() / 32, lane = ptx::thread_index() % 32;
  const SolveBlock at(memory.groups);
  const Roles roles(view, at, kNarrows<K>, kSmalls<K>);
  Barriers<K>& barriers = shared.direction[kForward ? 0 : 1];
  const auto narrow = [&] {
    sweep_fronts<kForward>(shared.narrow, barriers.narrow, view, memory, at, roles.narrow, 0,
                           view.narrow, warp, lane);
    hand_over<Loads>();
  };
  const auto small = [&] {
    sweep_fronts<kForward>(shared.small, barriers.small, view, memory, at, roles.small, view.narrow,
                           view.small, warp, lane);
    hand_over<Loads>();
  };
  if constexpr (kForward) narrow(), small();
  if (place_in(roles.tiles, at) >= 0)
    sweep_tiles<kForward>(Tiles<K>{shared.tiles, barriers.tiles}, view, memory);
  hand_over<Loads>();
  if constexpr (!kForward) small(), narrow();
}

/// Moves the addresses in `memory` to the arrays of this block's group, which solves kWidth of the
/// columns; the arrays of the groups follow one another.
template <int kWidth, class S, class N>
__device__ void take_share(MultiMemory<S, N>& memory) {
  const auto group = static_cast<Offset>(static_cast<Index>(blockIdx.x) % memory.groups);
  const Offset vector = group * memory.n * kWidth, kept = group * memory.kept * kWidth;
  memory.numbers.x += vector, memory.numbers.y += vector, memory.rows += vector;
  memory.numbers.update += kept, memory.numbers.forward_part += kept,
      memory.numbers.backward_part += kept;
  memory.numbers.ticket += 2 * group;
}

template <class K>
__global__ void __launch_bounds__(kThreads, kResident)
    sweep(SweepView view, typename K::Memory memory, bool forward, bool backward) {
  static_assert(kFits<K>);
  if (!ptx::begin_block()) return;
  if (is_skipped(memory.numbers.run_flag)) return;
  take_share<K::kWidth>(memory);
  extern __shared__ __align__(128) unsigned char multi_shared[];
  MultiShared<K>& shared = *reinterpret_cast<MultiShared<K>*>(multi_shared);
  watchdog::begin(watchdog::Kernel::multi_sweep);
  if (ptx::thread_index() == 0) {
    set_up(shared.direction[0]), set_up(shared.direction[1]);
    K::Loads::barrier_fence();
  }
  __syncthreads();
  if (forward) sweep_direction<true>(shared, view, memory);
  if (backward) sweep_direction<false>(shared, view, memory);
}

}  // namespace
}  // namespace kauri::numeric::cuda::sweep::multi

namespace kauri::numeric::cuda {

template <class S, int kWidth, SweepProducts kProducts>
int multi_blocks() {
  namespace multi = sweep::multi;
  using K = multi::MultiKernel<S, kWidth, kProducts>;
  using N = typename K::N;
  const int blocks =
      kernels::cooperative_blocks(multi::sweep<K>, sweep::kThreads, sizeof(multi::MultiShared<K>));
  if (blocks == 0) return 0;  // a device that cannot run sweep() needs no other kernel
  load(multi::take_b<S, N, kWidth, 32>), load(multi::give_x<S, N, kWidth, 32>);
  if constexpr (kWidth == 8) load(multi::take_b<S, N, 8, 8>), load(multi::give_x<S, N, 8, 8>);
  return blocks;
}

template <class S, int kWidth, SweepProducts kProducts>
void enqueue_multi_sweeps(const SweepView& view,
                          const MultiMemory<S, NumberOf<S, kProducts>>& memory, bool forward,
                          bool backward, int blocks, cudaStream_t stream) {
  namespace multi = sweep::multi;
  using K = multi::MultiKernel<S, kWidth, kProducts>;
  using N = typename K::N;
  const Index most = view.small + std::max(view.forward_tasks, view.backward_tasks);
  if (most == 0) return;
  auto* take = multi::take_b<S, N, kWidth, 32>;
  auto* give = multi::give_x<S, N, kWidth, 32>;
  if constexpr (kWidth == 8)
    if (memory.columns <= 8) take = multi::take_b<S, N, 8, 8>, give = multi::give_x<S, N, 8, 8>;
  const Index each = std::min<Index>(blocks / memory.groups, most);
  if (each < 1) throw std::logic_error("sweeps of several columns by fewer blocks than groups");
  const unsigned copies = multi::copy_blocks(memory.n);
  check(kernels::launch(take, copies, multi::kCopyThreads, 0, stream, memory, forward),
        "a launch of sweeps");
  if (forward || backward)  // without a sweep, take and give permute b alone
    check(kernels::launch_cooperative(multi::sweep<K>, static_cast<unsigned>(each * memory.groups),
                                      sweep::kThreads, sizeof(multi::MultiShared<K>), stream, view,
                                      memory, forward, backward),
          "a launch of sweeps");
  check(kernels::launch(give, copies, multi::kCopyThreads, 0, stream, memory,
                        backward ? memory.numbers.x : memory.numbers.y),
        "a launch of sweeps");
}

/// Instantiates the kernels of a kind for groups of 8, 16 and 32 columns.
#define KAURI_MULTI_SWEEP(S, kWidth, kProducts)                                                   \
  template int multi_blocks<S, kWidth, SweepProducts::kProducts>();                               \
  template void enqueue_multi_sweeps<S, kWidth, SweepProducts::kProducts>(                        \
      const SweepView&, const MultiMemory<S, NumberOf<S, SweepProducts::kProducts>>&, bool, bool, \
      int, cudaStream_t);
#define KAURI_MULTI_SWEEPS(S, kProducts) \
  KAURI_MULTI_SWEEP(S, 8, kProducts)     \
  KAURI_MULTI_SWEEP(S, 16, kProducts)    \
  KAURI_MULTI_SWEEP(S, 32, kProducts)

}  // namespace kauri::numeric::cuda
