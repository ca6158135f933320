// The kernels of a solve of several right-hand sides: take_b() copies b, sweep() goes through the
// fronts as single/kernel.cu does, by rows of kWidth numbers, and give_x() copies x.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "numeric/cuda/runtime/kernel/skip.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"
#include "numeric/cuda/solve/multi/fronts.cuh"
#include "numeric/cuda/solve/multi/tiles.cuh"
#include "numeric/cuda/solve/single/fronts.cuh"

namespace kauri::numeric::cuda::sweep::multi {
namespace {

template <bool kForward, int kRows, int kWidth, int kWarps>
__device__ void sweep_fronts(FrontShared<kRows, kWidth> (&shared)[kWarps],
                             WarpBarriers (&barriers)[kWarps], const SweepView& view,
                             const MultiMemory& memory, const SolveBlock& at,
                             const BlockRange& group, Index begin, Index end, int warp, int lane) {
  if (warp >= kWarps) return;
  const Dealt dealt = deal<kForward>(group, kWarps, begin, end, warp, at);
  if constexpr (kForward)
    sweep_fronts_forward(shared[warp], barriers[warp], view, memory, dealt, lane);
  else
    sweep_fronts_backward(shared[warp], barriers[warp], view, memory, dealt, lane);
}

/// Lets bulk copies fill shared memory that threads have read and written. Called by all threads of
/// the block.
__device__ void hand_over() {
  ptx::shared_proxy_fence();
  __syncthreads();
}

template <bool kForward, int kWidth>
__device__ void sweep_direction(MultiShared<kWidth>& shared, const SweepView& view,
                                const MultiMemory& memory) {
  const int warp = ptx::thread_index() / 32, lane = ptx::thread_index() % 32;
  const SolveBlock at(memory.groups);
  const Roles roles(view, at);
  Barriers<kWidth>& barriers = shared.direction[kForward ? 0 : 1];
  const auto narrow = [&] {
    sweep_fronts<kForward>(shared.narrow, barriers.narrow, view, memory, at, roles.narrow, 0,
                           view.narrow, warp, lane);
    hand_over();
  };
  const auto small = [&] {
    sweep_fronts<kForward>(shared.small, barriers.small, view, memory, at, roles.small, view.narrow,
                           view.small, warp, lane);
    hand_over();
  };
  if constexpr (kForward) narrow(), small();
  if (place_in(roles.tiles, at) >= 0)
    sweep_tiles<kForward>(Tiles<kWidth>{shared.tiles, barriers.tiles}, view, memory);
  hand_over();
  if constexpr (!kForward) small(), narrow();
}

/// Moves the addresses in `memory` to the arrays of this block's group, which solves kWidth of the
/// columns; the arrays of the groups follow one another.
template <int kWidth>
__device__ void take_share(MultiMemory& memory) {
  const auto group = static_cast<Offset>(static_cast<Index>(blockIdx.x) % memory.groups);
  const Offset vector = group * memory.n * kWidth, kept = group * memory.kept * kWidth;
  memory.numbers.x += vector, memory.numbers.y += vector, memory.rows += vector;
  memory.numbers.update += kept, memory.numbers.forward_part += kept,
      memory.numbers.backward_part += kept;
  memory.numbers.ticket += 2 * group;
}

template <int kWidth>
__global__ void __launch_bounds__(kThreads, kResident)
    sweep(SweepView view, MultiMemory memory, bool forward, bool backward) {
  if (is_skipped(memory.numbers.run_flag)) return;
  take_share<kWidth>(memory);
  extern __shared__ __align__(128) unsigned char multi_shared[];
  MultiShared<kWidth>& shared = *reinterpret_cast<MultiShared<kWidth>*>(multi_shared);
  watchdog::begin(watchdog::Kernel::multi_sweep);
  if (ptx::thread_index() == 0) {
    set_up(shared.direction[0]), set_up(shared.direction[1]);
    ptx::barrier_init_fence();
  }
  __syncthreads();
  if (forward) sweep_direction<true>(shared, view, memory);
  if (backward) sweep_direction<false>(shared, view, memory);
}

constexpr int kCopyThreads = 256, kCopyRows = 32;

/// Returns the offset of row k and column c of a block of right-hand sides in an array that holds n
/// rows of kWidth columns for each group.
template <int kWidth>
__device__ Offset place_of_row(Index k, int c, Index n) {
  return (Offset{c / kWidth} * n + k) * kWidth + c % kWidth;
}

/// Calls f(row, column) for kCopyRows rows of kColumns, along rows if kByRows, else along columns.
/// The threads of a block share out the calls.
template <int kColumns, bool kByRows, class F>
__device__ void for_block(const F& f) {
#pragma unroll
  for (int j = 0; j < kCopyRows * kColumns / kCopyThreads; ++j) {
    const int e = static_cast<int>(threadIdx.x) + kCopyThreads * j;
    if constexpr (kByRows)
      f(e / kColumns, e % kColumns);
    else
      f(e % kCopyRows, e / kCopyRows);
  }
}

/// Calls f(row, column) for kCopyRows rows of kColumns, along the direction that is contiguous in
/// the caller's array: along columns if the array's rows are `step` = 1 apart, else along rows.
template <int kColumns, class F>
__device__ void for_caller(Offset step, const F& f) {
  if (step == 1)
    for_block<kColumns, false>(f);
  else
    for_block<kColumns, true>(f);
}

/// Copies b to memory.rows, by rows, unsets x and y of the solve, and sets its tickets to -1. If
/// not `forward`, for a backward sweep alone or no sweep, y = b instead, with the caller's NaNs
/// replaced, which could have the bits of an unset number.
template <int kWidth, int kColumns>
__global__ void __launch_bounds__(kCopyThreads) take_b(MultiMemory memory, bool forward) {
  if (is_skipped(memory.numbers.run_flag)) return;
  __shared__ double block[kColumns][kCopyRows + 1];
  const Index first = static_cast<Index>(blockIdx.x) * kCopyRows;
  if (blockIdx.x == 0 && threadIdx.x < symbolic::kMultiTickets)
    memory.numbers.ticket[threadIdx.x] = -1;
  for_caller<kColumns>(memory.numbers.b_step, [&](int r, int c) {
    const bool there = first + r < memory.n && c < memory.columns;
    block[c][r] =
        there ? memory.numbers.b[(first + r) * memory.numbers.b_step + c * memory.b_column] : 0.0;
  });
  __syncthreads();
  for_block<kColumns, true>([&](int r, int c) {
    if (first + r >= memory.n || c / kWidth >= memory.groups) return;
    const Offset place = place_of_row<kWidth>(row_of(memory.b_row, first + r), c, memory.n);
    memory.numbers.x[place] = unset_number();
    memory.numbers.y[place] = forward ? unset_number() : as_number(block[c][r]);
    if (forward) memory.rows[place] = block[c][r];
  });
}

/// Copies `from`, x or after a forward sweep alone y, to out; writes NaN if the verdict is not
/// good.
template <int kWidth, int kColumns>
__global__ void __launch_bounds__(kCopyThreads) give_x(MultiMemory memory, const double* from) {
  if (is_skipped(memory.numbers.run_flag)) return;
  __shared__ double block[kColumns][kCopyRows + 1];
  const Index first = static_cast<Index>(blockIdx.x) * kCopyRows;
  const bool good = memory.numbers.verdict->status == VerdictStatus::positive_definite;
  for_block<kColumns, true>([&](int r, int c) {
    if (first + r < memory.n && c < memory.columns)
      block[c][r] = from[place_of_row<kWidth>(row_of(memory.out_row, first + r), c, memory.n)];
  });
  __syncthreads();
  for_caller<kColumns>(memory.numbers.out_step, [&](int r, int c) {
    if (first + r < memory.n && c < memory.columns)
      memory.numbers.out[(first + r) * memory.numbers.out_step + c * memory.out_column] =
          good ? block[c][r] : std::numeric_limits<double>::quiet_NaN();
  });
}

inline unsigned copy_blocks(Index n) {
  return static_cast<unsigned>((Offset{n} + kCopyRows - 1) / kCopyRows);
}

}  // namespace
}  // namespace kauri::numeric::cuda::sweep::multi

namespace kauri::numeric::cuda {

template <int kWidth>
int multi_blocks() {
  namespace multi = sweep::multi;
  const int blocks = kernels::cooperative_blocks(multi::sweep<kWidth>, sweep::kThreads,
                                                 sizeof(multi::MultiShared<kWidth>));
  if (blocks == 0) return 0;  // a device that cannot run sweep() needs no other kernel
  load(multi::take_b<kWidth, 32>), load(multi::give_x<kWidth, 32>);
  if constexpr (kWidth == 8) load(multi::take_b<8, 8>), load(multi::give_x<8, 8>);
  return blocks;
}

template <int kWidth>
void enqueue_multi_sweeps(const SweepView& view, const MultiMemory& memory, bool forward,
                          bool backward, int blocks, cudaStream_t stream) {
  namespace multi = sweep::multi;
  const Index most = view.small + std::max(view.forward_tasks, view.backward_tasks);
  if (most == 0) return;
  auto* take = multi::take_b<kWidth, 32>;
  auto* give = multi::give_x<kWidth, 32>;
  if constexpr (kWidth == 8)
    if (memory.columns <= 8) take = multi::take_b<8, 8>, give = multi::give_x<8, 8>;
  const Index each = std::min<Index>(blocks / memory.groups, most);
  if (each < 1) throw std::logic_error("sweeps of several columns by fewer blocks than groups");
  const unsigned copies = multi::copy_blocks(memory.n);
  check(kernels::launch(take, copies, multi::kCopyThreads, 0, stream, memory, forward),
        "a launch of sweeps");
  if (forward || backward)  // without a sweep, take and give permute b alone
    check(kernels::launch_cooperative(
              multi::sweep<kWidth>, static_cast<unsigned>(each * memory.groups), sweep::kThreads,
              sizeof(multi::MultiShared<kWidth>), stream, view, memory, forward, backward),
          "a launch of sweeps");
  check(kernels::launch(give, copies, multi::kCopyThreads, 0, stream, memory,
                        backward ? memory.numbers.x : memory.numbers.y),
        "a launch of sweeps");
}

template int multi_blocks<8>();
template int multi_blocks<16>();
template int multi_blocks<32>();
template void enqueue_multi_sweeps<8>(const SweepView&, const MultiMemory&, bool, bool, int,
                                      cudaStream_t);
template void enqueue_multi_sweeps<16>(const SweepView&, const MultiMemory&, bool, bool, int,
                                       cudaStream_t);
template void enqueue_multi_sweeps<32>(const SweepView&, const MultiMemory&, bool, bool, int,
                                       cudaStream_t);

}  // namespace kauri::numeric::cuda
