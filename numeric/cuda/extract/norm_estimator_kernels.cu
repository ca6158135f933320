// Right-hand sides of the norm estimator, and of their solutions the sum of magnitudes, the largest
// one, and signs: lanes, warps and blocks add up in trees that depend on n alone.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/extract/norm_estimator_kernels.hpp"

#include "numeric/cuda/runtime/kernel/block_reduce.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

constexpr unsigned kThreads = 256;

__device__ Index thread_index() { return static_cast<Index>(blockIdx.x * kThreads + threadIdx.x); }

/// Returns the step from an index that a thread works on to its next one. Indices are of type
/// Offset, since the index after the last one may be above 2^31.
__device__ Offset stride() { return Offset{gridDim.x} * kThreads; }

/// Returns entry i of the right-hand side `start`.
template <class T>
__device__ T start_of(Index n, EstimatorStart start, Index corner, const std::int8_t* sign,
                      Index i) {
  switch (start) {
    case EstimatorStart::even:
      return T(1) / static_cast<T>(n);
    case EstimatorStart::alternating:
      return static_cast<T>(
          (i % 2 == 0 ? 1.0 : -1.0) *
          (1.0 + static_cast<double>(i) / max(1.0, static_cast<double>(n) - 1.0)));
    case EstimatorStart::unit:
      return i == corner ? T(1) : T(0);
    default:
      return static_cast<T>(sign[i]);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    start_step(Index n, EstimatorStart start, Index corner, const std::int8_t* sign, T* x) {
  for (Offset i = thread_index(); i < n; i += stride())
    x[i] = start_of<T>(n, start, corner, sign, static_cast<Index>(i));
}

/// Combines the statistics of two parts of x. A magnitude that is NaN is never the largest.
__device__ EstimatorStep both(const EstimatorStep& a, const EstimatorStep& b) {
  const bool other = b.largest > a.largest || (b.largest == a.largest && b.where < a.where);
  return {a.sum + b.sum, other ? b.largest : a.largest, a.at_corner + b.at_corner,
          other ? b.where : a.where, a.turned | b.turned};
}

/// Combines the statistics of all threads of the block, which all call it. Returns the result in
/// thread 0.
__device__ EstimatorStep of_block(const EstimatorStep& seen) {
  return block_reduce<kThreads>(
      seen, [](const EstimatorStep& a, const EstimatorStep& b) { return both(a, b); },
      [](const EstimatorStep& a, int by) {
        return EstimatorStep{__shfl_down_sync(~0U, a.sum, by), __shfl_down_sync(~0U, a.largest, by),
                             __shfl_down_sync(~0U, a.at_corner, by),
                             __shfl_down_sync(~0U, a.where, by),
                             __shfl_down_sync(~0U, a.turned, by)};
      });
}

/// Returns the statistics of no entry: any magnitude is larger, and row 0 stays if all are NaN.
__device__ EstimatorStep nothing_seen() { return {0, -1, 0, 0, 0}; }

template <class T>
__global__ void __launch_bounds__(kThreads)
    step(Index n, const T* x, Index corner, bool keep, std::int8_t* sign, EstimatorStep* part) {
  EstimatorStep seen = nothing_seen();
  for (Offset i = thread_index(); i < n; i += stride()) {
    const double magnitude = fabs(static_cast<double>(x[i]));
    seen.sum += magnitude;
    if (magnitude > seen.largest) seen.largest = magnitude, seen.where = static_cast<Index>(i);
    if (i == corner) seen.at_corner = magnitude;
    if (!keep) continue;
    const std::int8_t mine = x[i] < T(0) ? -1 : 1;
    if (mine != sign[i]) seen.turned = 1;
    sign[i] = mine;
  }
  seen = of_block(seen);
  if (threadIdx.x == 0) part[blockIdx.x] = seen;
}

__global__ void __launch_bounds__(kThreads) look_at_parts(EstimatorStep* part, Index parts) {
  EstimatorStep seen = nothing_seen();
  for (Index k = thread_index(); k < parts; k += static_cast<Index>(kThreads))
    seen = both(seen, part[k]);
  seen = of_block(seen);
  if (threadIdx.x == 0) part[0] = seen;
}

}  // namespace

void load_estimator_kernels() {
  load(start_step<float>);
  load(start_step<double>);
  load(step<float>);
  load(step<double>);
  load(look_at_parts);
}

template <class T>
void enqueue_estimator_start(Index n, EstimatorStart start, Index corner, const std::int8_t* sign,
                             T* x, cudaStream_t stream) {
  check(kernels::launch(start_step<T>, static_cast<unsigned>(estimator_blocks(n)), kThreads, 0,
                        stream, n, start, corner, sign, x),
        "a launch of an estimate");
}

template <class T>
void enqueue_estimator_step(Index n, const T* x, Index corner, bool keep, std::int8_t* sign,
                            EstimatorStep* part, cudaStream_t stream) {
  const Index blocks = estimator_blocks(n);
  check(kernels::launch(step<T>, static_cast<unsigned>(blocks), kThreads, 0, stream, n, x, corner,
                        keep, sign, part),
        "a launch of an estimate");
  if (blocks > 1)
    check(kernels::launch(look_at_parts, 1, kThreads, 0, stream, part, blocks),
          "a launch of an estimate");
}

template void enqueue_estimator_start(Index, EstimatorStart, Index, const std::int8_t*, float*,
                                      cudaStream_t);
template void enqueue_estimator_start(Index, EstimatorStart, Index, const std::int8_t*, double*,
                                      cudaStream_t);
template void enqueue_estimator_step(Index, const float*, Index, bool, std::int8_t*, EstimatorStep*,
                                     cudaStream_t);
template void enqueue_estimator_step(Index, const double*, Index, bool, std::int8_t*,
                                     EstimatorStep*, cudaStream_t);

}  // namespace kauri::numeric::cuda
