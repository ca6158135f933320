// Plans for a device, damaged plans, and the answers of find_flaw().
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "kauri/core/plan.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/device/front_tasks.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/layout/layout.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/device/device_hooks.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {

/// Returns a plan's work on a device.
inline symbolic::DeviceSchedule& device_of(Plan& plan) { return plan.internals->device; }
inline const symbolic::DeviceSchedule& device_of(const Plan& plan) {
  return plan.internals->device;
}

inline std::shared_ptr<const Plan> plan_of(const Pattern& pattern, OrderingMethod method,
                                           bool amalgamate = true) {
  AnalyzeOptions options;
  options.target = "sm_90";
  options.ordering.method = method;
  options.amalgamate = amalgamate;
  return analyze(pattern, options);
}

/// Returns the plan with tasks made for this many teams.
inline Plan for_teams(const Plan& plan, Index teams) {
  Plan other = plan;
  device_of(other) =
      symbolic::make_device_schedule(plan.supernodes, plan.internals->assembly, teams);
  return other;
}

/// Returns the plan with its tasks run by this many teams (0: as many as the device holds) and with
/// pauses seeded by `pauses`.
inline std::shared_ptr<Plan> run_by(const Plan& plan, Index teams, unsigned pauses = 0) {
  auto other = std::make_shared<Plan>(for_teams(
      plan, teams == 0 ? symbolic::kFewestTeams : std::min(teams, symbolic::kFewestTeams)));
  DeviceHooks::by_level(*other) = device_of(plan).hooks.by_level();
  DeviceHooks::teams(*other) = teams;
  DeviceHooks::pauses(*other) = pauses;
  return other;
}

/// Returns the plan with a limit that makes the device's array one entry too large for 32-bit
/// places of sums.
inline Plan with_long_places(const Plan& plan) {
  Plan other = plan;
  DeviceHooks::most_short(other) = device_of(plan).entries - 1;
  device_of(other).shared_bytes =
      symbolic::count_shared_bytes(plan.supernodes, plan.internals->assembly, device_of(other));
  device_of(other).task_bytes =
      symbolic::count_task_bytes(plan.supernodes, plan.internals->assembly, device_of(other));
  device_of(other).fast_bytes = symbolic::count_fast_bytes(device_of(other));
  return other;
}

/// Returns a graph of leaves, each below two neighbours of a path of hubs, and a cube: gives fronts
/// with thousands of children, and large fronts.
inline OwnedPattern hubs_and_cube(Index leaves, Index hubs, Index side) {
  EdgeList edges;
  for (Index k = 0; k < leaves; ++k)
    for (const Index hub : {k % (hubs - 1), k % (hubs - 1) + 1})
      edges.emplace_back(k, leaves + hub);
  const Index before = leaves + hubs;
  const auto cube = grid_pattern(side, side, side, true);
  for (Index j = 0; j < cube.n(); ++j)
    for (Offset k = cube.col_ptr[j]; k < cube.col_ptr[j + 1]; ++k)
      edges.emplace_back(before + j, before + cube.row[k]);
  return pattern_of(before + cube.n(), std::move(edges));
}

/// Returns a plan with fronts of all kinds: fronts with sums of sums, pulled children, panels and
/// blocks in reused memory, chains of several tiles.
inline const Plan& sound_plan() {
  static const auto plan = plan_of(hubs_and_cube(6000, 4, 17).view(), OrderingMethod::amd, false);
  return *plan;
}

inline std::string flaw_after(const std::function<void(Plan&)>& damage) {
  Plan plan = sound_plan();
  damage(plan);
  return find_flaw(plan);
}

/// A damage, and the text that find_flaw() must report for it.
struct Damage {
  const char* flaw;
  std::function<void(Plan&)> done;
};

inline void expect_found(const std::vector<Damage>& damages) {
  for (std::size_t k = 0; k < damages.size(); ++k)
    EXPECT_NE(flaw_after(damages[k].done).find(damages[k].flaw), std::string::npos)
        << "damage " << k << ": \"" << flaw_after(damages[k].done) << "\" instead of \""
        << damages[k].flaw << "\"";
}

/// Makes every tiled front wait for all levels below its own, which is sound, too.
inline void wait_longest(Plan& plan) {
  symbolic::DeviceSchedule& device = device_of(plan);
  for (auto level = device.level.begin() + device.small_levels; level != device.level.end();
       ++level)
    for (Index k = level->first - device.small_fronts;
         k < level->first + level->count - device.small_fronts; ++k)
      device.panel_reuses[k] = device.block_reuses[k] =
          static_cast<Index>(level - device.level.begin()) - device.small_levels;
}

using IsFront = std::function<bool(Index)>;

/// Returns the first front that satisfies `is`.
inline Index find_front(const Plan& plan, const IsFront& is) {
  Index s = 0;
  while (s < plan.supernodes.count() && !is(s)) ++s;
  return s < plan.supernodes.count() ? s : throw std::logic_error("no such front");
}
/// Returns the first tiled front that satisfies `is`, as its place among tiled fronts.
inline Index find_tiled(const Plan& plan, const IsFront& is) {
  return device_of(plan).tiled[find_front(plan, [&](Index s) {
    return device_of(plan).tiled[s] != kNone && is(device_of(plan).tiled[s]);
  })];
}
inline Index front_with_block(const Plan& plan, bool tiled) {
  return find_front(plan, [&](Index s) {
    return device_of(plan).block[s] != -1 && (device_of(plan).tiled[s] != kNone) == tiled;
  });
}
inline Index root(const Plan& plan) {
  return find_front(plan, [&](Index s) { return plan.supernodes.parent[s] == kNone; });
}

inline void swap_fronts(Plan& plan, Index a, Index b) {
  std::swap(device_of(plan).front[a], device_of(plan).front[b]);
  for (const Index k : {a, b})
    device_of(plan).tiled[device_of(plan).front[k]] =
        k < device_of(plan).small_fronts ? kNone : k - device_of(plan).small_fronts;
}

}  // namespace kauri::test
