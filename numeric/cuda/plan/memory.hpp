// Device memory of a factor, as kernels read and write it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/device_plan.hpp"

namespace kauri::numeric::cuda {

/// State of a front in a factorisation.
enum class FrontState : int { done = 0, dead = 1, failed = 2 };  // dead: a descendant failed

static_assert(sizeof(FrontState) == symbolic::kDeviceStateBytes);
static_assert(sizeof(Index) == symbolic::kDeviceColumnBytes &&
              sizeof(double) == symbolic::kDevicePivotBytes);

/// Device memory of a factor. All arrays are borrowed.
template <class T>
struct FactorMemory {
  T* entries;          ///< DeviceSchedule::entries
  const T* value;      ///< values of A, in the order of the pattern analysed
  const T* shift;      ///< one number, added to each diagonal entry of A
  FrontState* state;   ///< one per front; all `done` before the first level
  Index* fail_column;  ///< one per front, if it failed: its column of L; fail_pivot: the pivot
  double* fail_pivot;
};

}  // namespace kauri::numeric::cuda
