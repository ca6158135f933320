// The kernel on tiled fronts of floats on Hopper, compiled once for each loop of products, and its
// launches.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/tiled/streamed/kernel.hpp"

#include "numeric/cuda/factor/tiled/portable/tf32.cuh"
#include "numeric/cuda/factor/tiled/streamed/task.cuh"
#include "numeric/cuda/runtime/launch.hpp"

namespace kauri::numeric::cuda::kernels::streamed {
namespace {

using portable::Tf32Loop;

constexpr int kRegisters = 128, kConsumerRegisters = 224,
              kProducerRegisters = 32;  // registers per thread: at the start, then of a consumer
                                        // and of any other thread
// Consumers take the registers that the other warps leave: with fewer left, consumers would wait
// forever.
static_assert(kConsumers * (kConsumerRegisters + kProducerRegisters) * Tf32Loop<3>::kBlocks ==
              65536);
static_assert(kConsumerRegisters + kProducerRegisters == 2 * kRegisters);

template <class Loop>
__global__ void __launch_bounds__(kThreads, Loop::kBlocks)
    run_streamed_tasks(const FrontViewOf<float>* fronts, const FrontTask* tasks, int task_count,
                       int* next, Levels levels, ValuesOf<float> values, SumsOf<float> sums,
                       int least_part, unsigned pauses) {
  watchdog::begin(watchdog::Kernel::run_streamed_tasks);
  start<float>();
  if (threadIdx.x < kConsumers) {
    ptx::take_registers<kRegisters, kConsumerRegisters>();
    run_consumers<Streamed<Loop>>(task_count, levels, values, sums, least_part, pauses);
  } else {
    ptx::leave_registers<kRegisters, kProducerRegisters>();
    const int warp = static_cast<int>(threadIdx.x / 32) - kConsumerWarps;
    if (warp == 0)
      run_producer(fronts, tasks, task_count, next, pauses, static_cast<int>(threadIdx.x % 32));
    else if (warp <= kSplitterWarps)
      run_splitters<Loop>(task_count);
    else
      run_announcer<Streamed<Loop>>(task_count, levels, pauses, static_cast<int>(threadIdx.x % 32));
  }
}

template <class Use>
auto with_kernel(Arithmetic arithmetic, const Use& use) {
  if (arithmetic == Arithmetic::fp16x3) return use(run_streamed_tasks<HalfLoop>);
  return arithmetic == Arithmetic::tf32 ? use(run_streamed_tasks<Tf32Loop<1>>)
                                        : use(run_streamed_tasks<Tf32Loop<3>>);
}

constexpr int kSharedBytes = static_cast<int>(sizeof(StreamedShared<float>));

}  // namespace

int resident_teams(Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::tensor || arithmetic == Arithmetic::fma) return 0;
  return with_kernel(
      arithmetic, [](auto* kernel) { return cooperative_blocks(kernel, kThreads, kSharedBytes); });
}

cudaError_t enqueue_factor(Arithmetic arithmetic, const FrontViewOf<float>* fronts,
                           const symbolic::FrontTask* tasks, int task_count, int* ticket,
                           const Levels& levels, const ValuesOf<float>& values,
                           const SumsOf<float>& sums, int least_part, int teams, unsigned pauses,
                           cudaStream_t stream) {
  if (task_count == 0) return cudaSuccess;
  return with_kernel(arithmetic, [&](auto* kernel) {
    return launch_cooperative(kernel, static_cast<unsigned>(teams), kThreads, kSharedBytes, stream,
                              fronts, tasks, task_count, ticket, levels, values, sums,
                              least_part / kSlabColumns, pauses);
  });
}

}  // namespace kauri::numeric::cuda::kernels::streamed
