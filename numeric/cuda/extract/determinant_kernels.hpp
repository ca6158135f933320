// Launches of a log-determinant.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "numeric/cuda/plan/device_plan.hpp"

namespace kauri::numeric::cuda {

/// The number (high + low) 2^exponent, high in [1, 2): a product of many numbers, which would
/// overflow, in about twice the precision of double.
struct LongProduct {
  double high, low;
  long long exponent;
};

/// Returns the number of thread blocks for `fronts` fronts. If it is two or more, it is the length
/// that enqueue_log_determinant() needs of `part`, which then takes fewer bytes than `fronts`
/// floats; else `part` is not used.
inline Index determinant_blocks(Index fronts) {
  constexpr Index kFronts = 256, kMost = 1024;
  return std::clamp(fronts / kFronts + (fronts % kFronts != 0), Index{1}, kMost);
}

/// Loads the kernels. Throws Error(device).
void load_determinant_kernels();

/// Enqueues *there = ln det(L L^T), or NaN if the verdict is not good, in one launch or two. part:
/// length determinant_blocks().
template <class T>
void enqueue_log_determinant(const PlanView& plan, Index fronts, const T* entries,
                             LongProduct* part, const DeviceVerdict* verdict, double* there,
                             cudaStream_t stream);

}  // namespace kauri::numeric::cuda
