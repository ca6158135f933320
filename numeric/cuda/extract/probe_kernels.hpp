// Launches of an estimate of the norm of an inverse: right-hand sides, and what is seen of solutions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "numeric/backend.hpp"
#include "numeric/cuda/plan/kernels.hpp"

namespace kauri::numeric::cuda {

/// Blocks of threads that look through n numbers.
inline Index probe_blocks(Index n) {
  constexpr Index kNumbers = 1024, kMost = 256;
  return std::clamp(n / kNumbers + (n % kNumbers != 0), Index{1}, kMost);
}

/// x, n numbers; of ProbeStart::signs those that were kept.
template <class T>
void enqueue_probe_start(Index n, ProbeStart start, Index corner, const std::int8_t* sign, T* x, cudaStream_t stream);
/// What is seen of x, n >= 1 numbers. `keep`: signs are compared with those kept, and kept. part: probe_blocks(); the first is the result.
/// Two launches, or one.
template <class T>
void enqueue_probe_look(Index n, const T* x, Index corner, bool keep, std::int8_t* sign, ProbeSeen* part, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
