// Launches of the norm estimator: right-hand sides of its solves, and reductions over their
// solutions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "numeric/backend.hpp"
#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {

/// Returns the number of thread blocks of a reduction over n numbers.
inline Index estimator_blocks(Index n) {
  constexpr Index kNumbers = 1024, kMost = 256;
  return std::clamp(n / kNumbers + (n % kNumbers != 0), Index{1}, kMost);
}

/// Loads the kernels. Throws Error(device).
void load_estimator_kernels();

/// Fills x, n numbers, with the right-hand side `start`; EstimatorStart::signs reads the signs that
/// enqueue_estimator_step() has kept.
template <class T>
void enqueue_estimator_start(Index n, EstimatorStart start, Index corner, const std::int8_t* sign,
                             T* x, cudaStream_t stream);
/// Reduces x, n >= 1 numbers, to an EstimatorStep in part[0]; part has length estimator_blocks(n).
/// keep: signs of x are compared with `sign` and stored there. One launch, or two.
template <class T>
void enqueue_estimator_step(Index n, const T* x, Index corner, bool keep, std::int8_t* sign,
                            EstimatorStep* part, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
