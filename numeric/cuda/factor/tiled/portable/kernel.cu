// The portable kernel on tiled fronts, compiled once for each scalar and loop of products, and its
// launches.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/tiled/portable/kernel.hpp"

#include <type_traits>

#include "numeric/cuda/factor/tiled/portable/alone.cuh"
#include "numeric/cuda/factor/tiled/portable/supplied.cuh"
#include "numeric/cuda/factor/tiled/portable/tf32.cuh"
#include "numeric/cuda/runtime/launch.hpp"

namespace kauri::numeric::cuda::kernels::portable {
namespace {

/// Floats leave registers for a producer.
template <class T>
constexpr bool kHasProducer = sizeof(T) == sizeof(float);
template <class T>
constexpr int kThreadsOf = kHasProducer<T> ? kBlockThreads : kThreads;
template <class T>
using SharedOf = std::conditional_t<kHasProducer<T>, SuppliedShared<T>, AloneShared<T>>;
template <class T>
constexpr int kSharedBytes = static_cast<int>(sizeof(SharedOf<T>));

template <class Loop>
__global__ void __launch_bounds__(kThreadsOf<typename Loop::T>, Loop::kBlocks)
    run_tasks(const FrontViewOf<typename Loop::T>* fronts, const FrontTask* tasks, int task_count,
              int* next, Levels levels, ValuesOf<typename Loop::T> values,
              SumsOf<typename Loop::T> sums, int least_part, unsigned pauses) {
  if (!ptx::begin_block()) return;
  watchdog::begin(watchdog::Kernel::run_tasks);
  if constexpr (!kHasProducer<typename Loop::T>) {
    run_alone<Loop>(fronts, tasks, task_count, next, levels, values, sums, least_part, pauses);
  } else {
    start<typename Loop::T>();
    if (threadIdx.x < kThreads)
      run_team<Loop>(task_count, levels, values, sums, least_part, pauses);
    else
      run_producer(fronts, tasks, task_count, next, pauses, this_thread().lane);
  }
}

/// Calls use() with the kernel of T whose loop has the arithmetic, and returns its result.
template <class T, class Use>
auto with_kernel(Arithmetic arithmetic, const Use& use) {
  if constexpr (!ptx::kTensorCores) {
  } else if constexpr (std::is_same_v<T, double>) {
    if (arithmetic == Arithmetic::tensor) return use(run_tasks<TensorLoop>);
  } else {
    if (arithmetic == Arithmetic::tf32x3) return use(run_tasks<Tf32Loop<3>>);
    if (arithmetic == Arithmetic::tf32) return use(run_tasks<Tf32Loop<1>>);
  }
  return use(run_tasks<FmaLoop<T>>);
}

}  // namespace

template <class T>
int resident_teams(Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::fp16x3) return 0;
  if (arithmetic != Arithmetic::fma && !ptx::kTensorCores) return 0;
  if (arithmetic != Arithmetic::fma &&
      (arithmetic == Arithmetic::tensor) != std::is_same_v<T, double>)
    return 0;
  return with_kernel<T>(arithmetic, [](auto* kernel) {
    return cooperative_blocks(kernel, kThreadsOf<T>, kSharedBytes<T>);
  });
}

template <class T>
cudaError_t enqueue_factor(Arithmetic arithmetic, const FrontViewOf<T>* fronts,
                           const symbolic::FrontTask* tasks, int task_count, int* ticket,
                           const Levels& levels, const ValuesOf<T>& values, const SumsOf<T>& sums,
                           int least_part, int teams, unsigned pauses, cudaStream_t stream) {
  if (task_count == 0) return cudaSuccess;
  return with_kernel<T>(arithmetic, [&](auto* kernel) {
    return launch_cooperative(kernel, static_cast<unsigned>(teams), kThreadsOf<T>, kSharedBytes<T>,
                              stream, fronts, tasks, task_count, ticket, levels, values, sums,
                              least_part / kSlabColumns, pauses);
  });
}

#define KAURI_PORTABLE(T)                                                                      \
  template int resident_teams<T>(Arithmetic);                                                  \
  template cudaError_t enqueue_factor(                                                         \
      Arithmetic, const FrontViewOf<T>*, const symbolic::FrontTask*, int, int*, const Levels&, \
      const ValuesOf<T>&, const SumsOf<T>&, int, int, unsigned, cudaStream_t);
KAURI_PORTABLE(float)
KAURI_PORTABLE(double)
#undef KAURI_PORTABLE

}  // namespace kauri::numeric::cuda::kernels::portable
