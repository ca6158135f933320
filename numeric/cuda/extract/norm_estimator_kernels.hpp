// Launches of the norm estimator: right-hand sides of its solves, and reductions over their
// solutions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "numeric/backend.hpp"
#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {

/// Returns the number of thread blocks of a reduction over n numbers, at least 1.
inline Index estimator_blocks(Index n) {
  constexpr Index kNumbers = 1024, kMost = 256;
  return std::clamp(n / kNumbers + (n % kNumbers != 0), Index{1}, kMost);
}

/// Loads the kernels. Throws Error(device).
void load_estimator_kernels();

/// Enqueues filling x, n >= 1 numbers, with the right-hand side `start`. corner: row of
/// EstimatorStart::unit. sign: n signs that enqueue_estimator_step() has kept, read for
/// EstimatorStart::signs alone.
template <class T>
void enqueue_estimator_start(Index n, EstimatorStart start, Index corner, const std::int8_t* sign,
                             T* x, cudaStream_t stream);
/// Enqueues the reduction of x, n >= 1 numbers, to an EstimatorStep in part[0], in one launch or
/// two; part has length estimator_blocks(n). If `keep`, signs of x are compared with `sign` and
/// stored there; else `sign` is not used, and EstimatorStep::turned is 0.
template <class T>
void enqueue_estimator_step(Index n, const T* x, Index corner, bool keep, std::int8_t* sign,
                            EstimatorStep* part, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
