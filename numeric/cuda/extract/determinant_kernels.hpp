// Launches of a log-determinant.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "numeric/cuda/plan/device_plan.hpp"

namespace kauri::numeric::cuda {

/// The number (high + low) 2^exponent, high in [1, 2), low much smaller: a product of many numbers,
/// which would overflow a double, in about twice the precision of double.
struct LongProduct {
  double high, low;
  long long exponent;
};

/// Returns the number of thread blocks of enqueue_log_determinant() for `fronts` fronts, at least
/// 1. If it is two or more, it is the length that `part` must have, which then takes fewer bytes
/// than `fronts` floats; else `part` is not used.
inline Index determinant_blocks(Index fronts) {
  constexpr Index kFronts = 256, kMost = 1024;
  return std::clamp(fronts / kFronts + (fronts % kFronts != 0), Index{1}, kMost);
}

/// Loads the kernels. Throws Error(device).
void load_determinant_kernels();

/// Enqueues *there = ln det(L L^T), or NaN if *verdict is not good when the kernel runs, in one
/// launch or two. `fronts`: number of all fronts; entries: FactorMemory::entries; part: scratch of
/// length determinant_blocks(). All addresses are on the device.
template <class T>
void enqueue_log_determinant(const PlanView& plan, Index fronts, const T* entries,
                             LongProduct* part, const DeviceVerdict* verdict, double* there,
                             cudaStream_t stream);

}  // namespace kauri::numeric::cuda
