// Sets the hooks of a plan for a device (symbolic/common/test_hooks.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/plan.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::test {

/// References to the hooks of a plan, by which tests set them.
struct DeviceHooks {
  static bool& by_level(Plan& plan) { return of(plan).by_level_; }
  static Index& teams(Plan& plan) { return of(plan).teams_; }
  static unsigned& pauses(Plan& plan) { return of(plan).pauses_; }
  static Index& least_part(Plan& plan) { return of(plan).least_part_; }
  static Offset& most_short(Plan& plan) { return of(plan).most_short_; }

 private:
  static symbolic::DeviceTestHooks& of(Plan& plan) { return plan.internals->device.hooks; }
};

}  // namespace kauri::test
