// The kernel of a fast solve of several right-hand sides: as that of one (sweep_kernel.cu), with rows of numbers in the place of numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "numeric/cuda/sweep_roles.cuh"
#include "numeric/cuda/wide_fronts.cuh"
#include "numeric/cuda/wide_tiles.cuh"

namespace kauri::numeric::cuda::sweep::wide {
namespace {

template <bool kForward, int kRows, int kWidth, int kWarps>
__device__ void sweep_fronts(FrontShared<kRows, kWidth> (&shared)[kWarps], WarpBarriers (&barriers)[kWarps], const SweepView& view,
                             const WideMemory& memory, const Team& team, Index begin, Index end, int warp, int lane) {
  if (warp >= kWarps) return;
  const Dealt dealt = deal<kForward>(team, kWarps, begin, end, warp);
  if constexpr (kForward)
    sweep_fronts_forward(shared[warp], barriers[warp], view, memory, dealt, lane);
  else
    sweep_fronts_backward(shared[warp], barriers[warp], view, memory, dealt, lane);
}

/// Shared memory that was read and written is next filled by copies.
__device__ void hand_over() {
  ptx::shared_proxy_fence();
  __syncthreads();
}

template <bool kForward, int kWidth>
__device__ void sweep_direction(Shared<kWidth>& shared, const SweepView& view, const WideMemory& memory) {
  const int warp = ptx::thread_index() / 32, lane = ptx::thread_index() % 32;
  const Roles roles(view);
  Barriers<kWidth>& barriers = shared.direction[kForward ? 0 : 1];
  const auto narrow = [&] {
    sweep_fronts<kForward>(shared.narrow, barriers.narrow, view, memory, roles.narrow, 0, view.narrow, warp, lane);
    hand_over();
  };
  const auto small = [&] {
    sweep_fronts<kForward>(shared.small, barriers.small, view, memory, roles.small, view.narrow, view.small, warp, lane);
    hand_over();
  };
  if constexpr (kForward) narrow(), small();
  if (place_in(roles.tiles) >= 0) sweep_tiles<kForward>(Tiles<kWidth>{shared.tiles, barriers.tiles}, view, memory);
  hand_over();
  if constexpr (!kForward) small(), narrow();
}

template <int kWidth>
__global__ void __launch_bounds__(kThreads, kResident) sweep(SweepView view, WideMemory memory, bool forward, bool backward) {
  extern __shared__ __align__(128) unsigned char wide_shared[];
  Shared<kWidth>& shared = *reinterpret_cast<Shared<kWidth>*>(wide_shared);
  if (ptx::thread_index() == 0) {
    set_up(shared.direction[0]), set_up(shared.direction[1]);
    ptx::barrier_init_fence();
  }
  __syncthreads();
  if (forward) sweep_direction<true>(shared, view, memory);
  if (backward) sweep_direction<false>(shared, view, memory);
}

constexpr int kCopyThreads = 256;

/// y = b, for a backward sweep alone. A NaN of the caller's must not look as if it were still to come.
template <int kWidth>
__global__ void __launch_bounds__(kCopyThreads) take_b(SweepView view, WideMemory memory) {
  const Offset place = static_cast<Offset>(blockIdx.x) * kCopyThreads + threadIdx.x;
  const Index k = static_cast<Index>(place / kWidth), column = static_cast<Index>(place % kWidth);
  if (k >= view.n) return;
  publish(memory.numbers.y + place, column < memory.columns ? memory.numbers.b[row_of(view.old_of, k) + column * memory.b_ld] : 0.0);
}

/// out = y, after a forward sweep alone.
template <int kWidth>
__global__ void __launch_bounds__(kCopyThreads) give_y(SweepView view, WideMemory memory) {
  const Offset place = static_cast<Offset>(blockIdx.x) * kCopyThreads + threadIdx.x;
  const Index k = static_cast<Index>(place / kWidth), column = static_cast<Index>(place % kWidth);
  if (k >= view.n || column >= memory.columns) return;
  const bool good = memory.numbers.verdict->status == VerdictStatus::positive_definite;
  memory.numbers.out[row_of(view.back_of, k) + column * memory.out_ld] =
      good ? memory.numbers.y[place] : std::numeric_limits<double>::quiet_NaN();
}

template <int kWidth>
unsigned copy_blocks(Index n) {
  return static_cast<unsigned>((Offset{n} * kWidth + kCopyThreads - 1) / kCopyThreads);
}

}  // namespace
}  // namespace kauri::numeric::cuda::sweep::wide

namespace kauri::numeric::cuda {

template <int kWidth>
int wide_blocks() {
  namespace wide = sweep::wide;
  const int blocks = kernels::cooperative_blocks(wide::sweep<kWidth>, sweep::kThreads, sizeof(wide::Shared<kWidth>));
  if (blocks > 0) load(wide::take_b<kWidth>), load(wide::give_y<kWidth>);  // other devices have none of the three
  return blocks;
}

template <int kWidth>
void enqueue_wide_sweeps(const SweepView& view, const WideMemory& memory, bool forward, bool backward, int blocks, cudaStream_t stream) {
  namespace wide = sweep::wide;
  const Index most = view.small + std::max(view.forward_tasks, view.backward_tasks);
  if (most == 0) return;
  if (!forward) kernels::launch(wide::take_b<kWidth>, wide::copy_blocks<kWidth>(view.n), wide::kCopyThreads, 0, stream, view, memory);
  check(kernels::launch_cooperative(wide::sweep<kWidth>, static_cast<unsigned>(std::min<Index>(most, blocks)), sweep::kThreads,
                                    sizeof(wide::Shared<kWidth>), stream, view, memory, forward, backward),
        "a launch of sweeps");
  if (!backward) kernels::launch(wide::give_y<kWidth>, wide::copy_blocks<kWidth>(view.n), wide::kCopyThreads, 0, stream, view, memory);
  check(cudaGetLastError(), "a launch of sweeps");
}

template int wide_blocks<8>();
template int wide_blocks<32>();
template void enqueue_wide_sweeps<8>(const SweepView&, const WideMemory&, bool, bool, int, cudaStream_t);
template void enqueue_wide_sweeps<32>(const SweepView&, const WideMemory&, bool, bool, int, cudaStream_t);

}  // namespace kauri::numeric::cuda
