// The parts of a device that factors and solves of a plan can use: those of small systems leave the
// rest to others on other streams.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "kauri/core/plan.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/device/schedule_lists.hpp"

namespace kauri::symbolic {

/// Part of the predicted seconds on a whole device that may be lost on a part of it.
inline constexpr double kMostLost = 0.02;
/// A plan that can use more than this part of a device takes all of it, since no second such plan
/// could run beside it.
inline constexpr double kMostUseful = 0.5;

/// Fewest teams of a large device for which a plan's list of tasks is made if it can use fewer.
inline constexpr Index kLeastTeams = 64;
/// Returns the fewest of `all` teams that a factor takes on a device: about a quarter, a multiple
/// of 16. With a smaller part, two teams that are at work share a multiprocessor more often, which
/// the predictions do not know.
constexpr Index least_teams(int all) { return (all + 32) / 64 * 16; }
/// Returns the fewest of `all` resident blocks that a solve takes on a device: about a quarter, a
/// multiple of 8, but at most the 32 that a solve takes on a large device.
constexpr Index least_blocks(int all) { return all >= 112 ? 32 : (all + 16) / 32 * 8; }

/// Returns the predicted seconds of all levels of tiled fronts by `teams` warp teams of the device
/// of `cost`, which has 2 * cost.processors of them. A level takes
///
///     tiled_level_s + panels + contributions + bytes / bandwidth * 2 * processors / teams
///
/// Panels take as long as the longest chain; or the work of all teams on products, solves and
/// chains, divided by `teams`; or as long as chains and preparations of more than one tile hold
/// teams, divided by the half of `teams` that may be held. Contributions come after the last
/// columns of a panel: they take as long as the longest task, or all their products divided by
/// `teams`. Reads the schedule's levels and work. O(fronts).
double seconds_by_teams(const Supernodes& nodes, const DeviceSchedule& schedule,
                        const DeviceCost& cost, Index teams);

/// Returns the fewest teams, a multiple of 8, by which a factorisation is predicted to take at most
/// kMostLost longer than by all teams of the target's device, in float and in double; 0, which
/// means all, if they are more than kMostUseful of these. Reads the schedule's levels and work.
/// O(fronts).
Index useful_teams(const Supernodes& nodes, const DeviceSchedule& schedule,
                   std::string_view target);

/// Returns the fewest thread blocks, one a multiprocessor and a multiple of 4, by which a solve by
/// sweeps is predicted to take at most kMostLost longer than on all multiprocessors of the target's
/// device, in float and in double; 0, which means all, if they are more than kMostUseful of these.
/// O(levels).
Index useful_blocks(const DeviceWork& work, std::string_view target);

/// Returns how many of `all` teams or blocks of a device to take for a plan that can use `useful`
/// of them (0: all), if it takes at least `least`: as many plans as can run side by side take equal
/// shares, of which each is a multiple of `multiple`; all if only one can run.
constexpr int share_of(int all, Index useful, Index least, int multiple) {
  const Index each = useful < least ? least : useful;
  if (useful <= 0 || each <= 0 || all < 2 * each) return all;
  return all / (all / each) / multiple * multiple;
}

}  // namespace kauri::symbolic
