// Launches of a log-determinant.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "numeric/cuda/plan/kernels.hpp"

namespace kauri::numeric::cuda {

/// (high + low) 2^exponent, high in [1, 2): a product of many numbers, which would overflow, in about twice the precision of double.
struct LongProduct {
  double high, low;
  long long exponent;
};

/// Blocks of threads that look through so many fronts: what enqueue_log_determinant() needs room for, if there are two of them or more.
/// That is less than a number of any kind for each front.
inline Index determinant_blocks(Index fronts) {
  constexpr Index kFronts = 256, kMost = 1024;
  return std::clamp(fronts / kFronts + (fronts % kFronts != 0), Index{1}, kMost);
}

/// there = ln det(L L^T), or NaN where the verdict is not good: one launch on the stream, or two. part: determinant_blocks().
template <class T>
void enqueue_log_determinant(const PlanView& plan, Index fronts, const T* entries, LongProduct* part, const DeviceVerdict* verdict,
                             double* there, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
