// Device memory of a factor, as kernels read and write it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/device_plan.hpp"

namespace kauri::numeric::cuda {

/// State of a front in a factorisation: failed, if one of its pivots failed; below_failed, if the
/// fallback skips it because a descendant failed; else done, also before its turn.
enum class FrontState : int { done = 0, below_failed = 1, failed = 2 };

static_assert(sizeof(FrontState) == symbolic::kDeviceStateBytes);
static_assert(sizeof(Index) == symbolic::kDeviceColumnBytes &&
              sizeof(double) == symbolic::kDevicePivotBytes);

/// Device memory of a factor. All arrays are borrowed.
template <class T>
struct FactorMemory {
  T* entries;            ///< panels and contribution blocks: DeviceSchedule::entries entries
  const T* value;        ///< values of A, in the order of the pattern analysed
  const T* shift;        ///< one number, added to each diagonal entry of A
  FrontState* state;     ///< one per front; all `done` before the first level
  Index* failed_column;  ///< per front, set if its state is `failed`: column of L of its first
                         ///< pivot that failed
  double* failed_pivot;  ///< per front, set likewise: the value of that pivot
};

}  // namespace kauri::numeric::cuda
