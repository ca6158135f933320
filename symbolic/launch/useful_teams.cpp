// Predicts seconds on parts of a device.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/launch/useful_teams.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "symbolic/device/front_cells.hpp"

namespace kauri::symbolic {
namespace {

constexpr Index kTeams = 8, kBlocks = 4;  ///< steps of useful teams and blocks

/// Returns the teams of the device of `cost`, two on each multiprocessor. Devices whose
/// multiprocessors have one team, as with portable kernels in double where a block has 99 KB, take
/// the same part of theirs.
Index teams_of(const DeviceCost& cost) { return 2 * cost.processors; }

/// Work on a level, in seconds of one team.
struct TeamSeconds {
  double panels = 0;         ///< products and solves of panels, and chains
  double contributions = 0;  ///< products of contribution blocks
  double held = 0;           ///< chains and preparations that may wait for later tasks
  double chain = 0;          ///< the longest chain
  double contribution = 0;   ///< the longest task of a contribution block
};

/// Adds the work on a front of a level to `sum`.
void add_front(const FrontCells& cells, const DeviceCost& cost, TeamSeconds& sum) {
  const double product = cost.product_s * teams_of(cost), tile = cost.panel_tile_s * teams_of(cost);
  const double pivots = cells.pivot_tiles(), rows = cells.row_tiles(), below = rows - pivots;
  const double columns_before = pivots * (pivots - 1) / 2,
               squares_before = columns_before * (2 * pivots - 1) / 3;
  const double chain_tiles = 2 * pivots - (below > 0 ? 0 : 1),
               chain = pivots * cost.diagonal_tile_s;
  sum.panels += (rows * columns_before - squares_before) * product +
                (rows * pivots - columns_before - chain_tiles) * tile + chain;
  sum.contributions += below * (below + 1) / 2 * pivots * product;
  // A preparation waits beside the chain from the third tile on.
  if (pivots > 1) sum.held += chain + (pivots - 2) * cost.diagonal_tile_s;
  sum.chain = std::max(sum.chain, chain);
  if (below > 0) sum.contribution = std::max(sum.contribution, 2 * pivots * product);
}

/// The predicted seconds of all levels of tiled fronts by any number of teams.
class TiledSeconds {
 public:
  TiledSeconds(const Supernodes& nodes, const DeviceSchedule& schedule, const DeviceCost& cost)
      : schedule_(schedule), cost_(cost), level_(schedule.work.tiled.size()) {
    for (std::size_t l = 0; l < level_.size(); ++l) {
      const DeviceSchedule::Level& level =
          schedule.level[static_cast<std::size_t>(schedule.small_levels) + l];
      for (const Index s : std::span(schedule.front)
                               .subspan(static_cast<std::size_t>(level.first),
                                        static_cast<std::size_t>(level.count)))
        add_front({nodes.order(s), nodes.pivots(s)}, cost, level_[l]);
    }
  }
  /// O(levels).
  [[nodiscard]] double by(Index teams) const {
    double seconds = 0;
    for (std::size_t l = 0; l < level_.size(); ++l) {
      const TeamSeconds& work = level_[l];
      seconds += cost_.tiled_level_s +
                 std::max({work.chain, work.panels / teams, 2 * work.held / teams}) +
                 std::max(work.contribution, work.contributions / teams) +
                 schedule_.work.tiled[l].bytes / double_bandwidth(cost_) * teams_of(cost_) / teams;
    }
    return seconds;
  }

 private:
  const DeviceSchedule& schedule_;
  const DeviceCost& cost_;
  std::vector<TeamSeconds> level_;
};

/// Returns the smallest number that is enough of step, 2 * step, ..., kMostUseful * all; or 0 if
/// none is.
template <class Enough>
Index fewest(Index step, Index all, const Enough& enough) {
  for (Index count = step; count <= kMostUseful * all; count += step)
    if (enough(count)) return count;
  return 0;
}

/// Returns the greater of what in(cost) returns for float and double; 0 counts as all.
template <class Fewest>
Index in_both(std::string_view target, const Fewest& in) {
  const Index one = in(device_cost(target, 4)), two = in(device_cost(target, 8));
  return one == 0 || two == 0 ? 0 : std::max(one, two);
}

}  // namespace

double seconds_by_teams(const Supernodes& nodes, const DeviceSchedule& schedule,
                        const DeviceCost& cost, Index teams) {
  return TiledSeconds(nodes, schedule, cost).by(teams);
}

Index useful_teams(const Supernodes& nodes, const DeviceSchedule& schedule,
                   std::string_view target) {
  return in_both(target, [&](const DeviceCost& cost) {
    const TiledSeconds seconds(nodes, schedule, cost);
    const double most =
        seconds.by(teams_of(cost)) + kMostLost * device_factor_seconds(cost, schedule.work);
    return fewest(kTeams, teams_of(cost), [&](Index teams) { return seconds.by(teams) <= most; });
  });
}

Index useful_blocks(const DeviceWork& work, std::string_view target) {
  return in_both(target, [&](const DeviceCost& cost) {
    // `shared` is the part of the work that all multiprocessors share.
    double shared = work.narrow.fronts * cost.sweep_narrow_front_s +
                    work.small.fronts * cost.sweep_small_front_s;
    for (const DeviceWork::Level& level : work.tiled)
      shared += level.panel_tiles * cost.sweep_panel_tile_s;
    const double lost = kMostLost * device_solve_seconds(cost, work, 0);
    return fewest(kBlocks, cost.processors, [&](Index blocks) {
      return shared * (static_cast<double>(cost.processors) / blocks - 1) <= lost;
    });
  });
}

}  // namespace kauri::symbolic
