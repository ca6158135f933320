// Hooks by which tests, and nothing else, change how a device works on a plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/types.hpp"

namespace kauri::test {
struct DeviceHooks;  // tests/support/device/device_hooks.hpp
}

namespace kauri::symbolic {

/// Hooks of a plan for a device. The library reads them; only test::DeviceHooks, which the tests
/// define, sets them.
class DeviceTestHooks {
 public:
  /// Makes hooks that change nothing. least_part, most_short: DeviceSchedule::kLeastPart and
  /// kMostShort.
  constexpr DeviceTestHooks(Index least_part, Offset most_short)
      : least_part_(least_part), most_short_(most_short) {}

  /// Returns true if all fronts are done level by level, by the simple kernels, and solves too.
  [[nodiscard]] bool by_level() const { return by_level_; }
  /// Returns the number of warp teams that run DeviceSchedule::task: 0 for all that the device
  /// holds; else an even number, at least DeviceSchedule::task_teams, or all if the device holds
  /// fewer. No bit of L depends on it.
  [[nodiscard]] Index teams() const { return teams_; }
  /// Returns the seed of pauses in each task and warp, 0 for none. No bit of L depends on it.
  [[nodiscard]] unsigned pauses() const { return pauses_; }
  /// Returns the least number of pivots that a part of a product, except the last, adds up, a
  /// multiple of 16:
  /// DeviceSchedule::kLeastPart, or less. The bits of L depend on it.
  [[nodiscard]] Index least_part() const { return least_part_; }
  /// Returns the most entries of DeviceSchedule's array for which lists of sums hold places of 32
  /// bits: DeviceSchedule::kMostShort, or less, which changes bytes of the lists and no bit of L.
  [[nodiscard]] Offset most_short() const { return most_short_; }

 private:
  friend struct test::DeviceHooks;
  bool by_level_ = false;
  Index teams_ = 0;
  unsigned pauses_ = 0;
  Index least_part_;
  Offset most_short_;
};

}  // namespace kauri::symbolic
