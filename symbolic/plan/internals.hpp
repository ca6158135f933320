// Internals of a Plan: the lists of work and the places of memory that the numeric phases follow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/core/matrix.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/core/types.hpp"
#include "symbolic/common/assembly.hpp"
#include "symbolic/device/schedule_lists.hpp"
#include "symbolic/host/schedule_lists.hpp"

namespace kauri::symbolic {

/// A Pattern that owns its arrays, so that the matrix need not outlive it.
struct PatternCopy {
  std::vector<Offset> col_ptr;  ///< Pattern::col_ptr; empty: no columns
  Array<Index> row;             ///< Pattern::row

  /// Returns a view into this object, valid until the object is assigned to or destroyed.
  [[nodiscard]] Pattern view() const {
    if (col_ptr.empty()) return {0, kNoPointers, {}};
    return {static_cast<Index>(col_ptr.size()) - 1, col_ptr, row};
  }
};

/// Contents of Plan::internals.
struct PlanInternals {
  PatternCopy pattern;  ///< the analysed pattern
  /// Length supernodes+1: on the CPU the panel of s is column-major at [panel_ptr[s],
  /// panel_ptr[s+1]) of L, leading dimension m.
  std::vector<Offset> panel_ptr;
  Assembly assembly;      ///< entries and contributions that each front gathers
  Schedule schedule;      ///< work and memory on the CPU; plans for a device have it too
  DeviceSchedule device;  ///< work and memory on a device; empty for the targets of CPUs
};

}  // namespace kauri::symbolic
