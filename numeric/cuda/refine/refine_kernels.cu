// Refinement on a device: one warp applies the rule of refine_rule.hpp, all threads work on
// vectors. A correction is added at once, so x is written once a step, not twice. A correction that
// did not help is the last one; the end of the refinement takes it back.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/refine/refine_kernels.hpp"

#include <algorithm>

#include "numeric/backward_error.hpp"
#include "numeric/cuda/runtime/kernel/skip.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

constexpr unsigned kThreads = 256, kMostBlocks = 1024;

/// Calls f(entry of x, its index in an array of columns one after another) for all entries of x, by
/// all threads of the launch.
template <class T, class F>
__device__ void for_entries(const RefinedColumns<T>& x, const F& f) {
  for (Index c = 0; c < x.cols; ++c)
    for (Offset i = Offset{blockIdx.x} * kThreads + threadIdx.x; i < x.rows;
         i += Offset{gridDim.x} * kThreads)
      f(x.entry(i, c), Offset{c} * x.rows + i);
}

__device__ bool is_first_thread() { return blockIdx.x == 0 && threadIdx.x == 0; }

template <class T>
__global__ void __launch_bounds__(kThreads)
    begin(RefinedColumns<T> x, const DeviceVerdict* verdict, RefineMemory* memory,
          OwnedPlace<DeviceRefinement> host) {
  if (is_first_thread()) {
    memory->report.status = host.there->value.status = VerdictStatus::none;
    host.there->owner = host.owner;
  }
  if (verdict->status == VerdictStatus::positive_definite) return;
  for_entries(x, [&](T& entry, Offset) { entry = std::numeric_limits<T>::quiet_NaN(); });
}

/// Returns the largest error of each kind over all columns, in every lane of the warp; all its
/// lanes call it.
__device__ BackwardError worst_error(const ResidualNorms* norms, Index columns) {
  BackwardError worst;
  for (auto c = static_cast<Index>(threadIdx.x); c < columns; c += 32)
    worst = worse(backward_error(norms[c].worst, norms[c].x, norms[c].b), worst);
  for (int by = 16; by > 0; by /= 2) {
    const double normwise = __shfl_xor_sync(~0U, worst.normwise, by);
    worst = worse({normwise, __shfl_xor_sync(~0U, worst.componentwise, by)}, worst);
  }
  return worst;
}

__global__ void decide(const ResidualNorms* norms, Index columns, RefineLimits limits, bool first,
                       RefineMemory* memory) {
  if (!first && is_skipped(&memory->progress.going)) return;
  const BackwardError error = worst_error(norms, columns);
  if (threadIdx.x != 0) return;
  if (first)
    memory->progress = begin_refinement(error, limits);
  else
    take_step(memory->progress, error, limits);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    add(RefinedColumns<T> x, const T* r, T* before, const RefineMemory* memory) {
  if (is_skipped(&memory->progress.going)) return;
  for_entries(x, [&](T& entry, Offset k) {
    before[k] = entry;
    entry = before[k] + r[k];
  });
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    finish(RefinedColumns<T> x, const T* before, const DeviceVerdict* verdict, RefineMemory* memory,
           OwnedPlace<DeviceRefinement> host) {
  const RefineProgress& progress = memory->progress;
  if (is_first_thread()) {
    memory->report = {verdict->status, progress.done};
    *host.there = {memory->report, host.owner};
  }
  if (progress.done.tried == progress.done.steps) return;
  for_entries(x, [&](T& entry, Offset k) { entry = before[k]; });
}

unsigned blocks_for(Index n) {
  return std::clamp((static_cast<unsigned>(n) + kThreads - 1) / kThreads, 1U, kMostBlocks);
}

template <class... P, class... A>
void launch(void (*kernel)(P...), unsigned blocks, unsigned threads, cudaStream_t stream,
            A&&... arguments) {
  check(kernels::launch(kernel, blocks, threads, 0, stream, std::forward<A>(arguments)...),
        "a launch of refinement");
}

}  // namespace

template <class T>
void load_refine_kernels() {
  load(begin<T>);
  load(decide);
  load(add<T>);
  load(finish<T>);
}

template <class T>
void enqueue_refine_beginning(const RefinedColumns<T>& x, const DeviceVerdict* verdict,
                              RefineMemory* memory, const OwnedPlace<DeviceRefinement>& host,
                              cudaStream_t stream) {
  launch(begin<T>, blocks_for(x.rows), kThreads, stream, x, verdict, memory, host);
}

void enqueue_refine_decision(const ResidualNorms* norms, Index columns, const RefineLimits& limits,
                             bool first, RefineMemory* memory, cudaStream_t stream) {
  launch(decide, 1, 32, stream, norms, columns, limits, first, memory);
}

template <class T>
void enqueue_refine_step(const RefinedColumns<T>& x, const T* r, T* before,
                         const RefineMemory* memory, cudaStream_t stream) {
  launch(add<T>, blocks_for(x.rows), kThreads, stream, x, r, before, memory);
}

template <class T>
void enqueue_refine_end(const RefinedColumns<T>& x, const T* before, const DeviceVerdict* verdict,
                        RefineMemory* memory, const OwnedPlace<DeviceRefinement>& host,
                        cudaStream_t stream) {
  launch(finish<T>, blocks_for(x.rows), kThreads, stream, x, before, verdict, memory, host);
}

#define KAURI_INSTANTIATE(T)                                                                     \
  template void load_refine_kernels<T>();                                                        \
  template void enqueue_refine_beginning(const RefinedColumns<T>&, const DeviceVerdict*,         \
                                         RefineMemory*, const OwnedPlace<DeviceRefinement>&,     \
                                         cudaStream_t);                                          \
  template void enqueue_refine_step(const RefinedColumns<T>&, const T*, T*, const RefineMemory*, \
                                    cudaStream_t);                                               \
  template void enqueue_refine_end(const RefinedColumns<T>&, const T*, const DeviceVerdict*,     \
                                   RefineMemory*, const OwnedPlace<DeviceRefinement>&,           \
                                   cudaStream_t);
KAURI_INSTANTIATE(float)
KAURI_INSTANTIATE(double)
#undef KAURI_INSTANTIATE

}  // namespace kauri::numeric::cuda
