// Tiles of a front and the memory of a device that runs level by level.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device_schedule.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

#include "kauri/generate.hpp"
#include "symbolic/tile_layout.hpp"

namespace kauri::symbolic {
namespace {

/// Every entry of the lower trapezoid has a place of its own, inside the panel, and tiles follow each other without a gap.
TEST(TileLayout, TilesFollowEachOther) {
  for (const auto& [m, p] :
       std::vector<std::pair<Index, Index>>{{1, 1}, {5, 2}, {64, 64}, {65, 64}, {64, 1}, {130, 66}, {200, 130}, {700, 300}}) {
    const TileLayout panel{m, p};
    Offset next = 0;
    for (Index k = 0; k < panel.pivot_tiles(); ++k)
      for (Index i = k; i < panel.tiles(); ++i) {
        ASSERT_EQ(panel.place(i, k), next) << m << " " << p << " " << i << " " << k;
        ASSERT_GE(panel.ld(i), panel.rows(i));
        next += Offset{panel.ld(i)} * panel.width(k);
      }
    EXPECT_EQ(panel.entries(), next);
    Index rows = 0;
    for (Index i = 0; i < panel.tiles(); ++i) {
      ASSERT_EQ(panel.first_row(i), rows);
      for (Index r = rows; r < rows + panel.rows(i); ++r) ASSERT_EQ(panel.tile_of(r), i);
      rows += panel.rows(i);
    }
    EXPECT_EQ(rows, m);
    EXPECT_GE(panel.inverse_entries(), Offset{p} * std::min(p, TileLayout::kTile) - (p % TileLayout::kTile != 0 ? Offset{p} * 64 : 0));
  }
}

/// Panels lie apart; blocks and update rows that are there at one level lie apart; levels rise along the tree.
void check_schedule(const Plan& plan) {
  const DeviceSchedule& device = plan.device;
  const Supernodes& nodes = plan.supernodes;
  std::vector<Index> level(nodes.parent.size(), -1);
  for (std::size_t l = 0; l + 1 < device.level_ptr.size(); ++l)
    for (Index k = device.level_ptr[l]; k < device.level_ptr[l + 1]; ++k) level[device.front[k]] = static_cast<Index>(l);
  for (Index s = 0; s < nodes.count(); ++s) {
    ASSERT_GE(level[s], 0);
    if (nodes.parent[s] != kNone) {
      ASSERT_LT(level[s], level[nodes.parent[s]]);
    }
    const TileLayout panel{nodes.order(s), nodes.pivots(s)};
    ASSERT_LE(device.panel[s] + panel.entries() + panel.inverse_entries(), device.panel[s + 1]);
  }
  const auto apart = [&](const std::vector<Offset>& at, Offset end, auto size) {
    for (std::size_t l = 0; l + 1 < device.level_ptr.size(); ++l) {
      std::set<std::pair<Offset, Offset>> there;
      for (Index s = 0; s < nodes.count(); ++s) {
        ASSERT_EQ(at[s] < 0, size(s) == 0);
        if (at[s] >= 0 && level[s] <= static_cast<Index>(l) && static_cast<Index>(l) <= level[nodes.parent[s]])
          there.emplace(at[s], at[s] + size(s));
      }
      Offset last = 0;
      for (const auto& [begin, stop] : there) {
        ASSERT_GE(begin, last);
        last = stop;
      }
      ASSERT_LE(last, end);
    }
  };
  apart(device.block, device.stack_entries, [&](Index s) { return TileLayout{nodes.contribution(s), nodes.contribution(s)}.entries(); });
  apart(device.update, device.update_rows, [&](Index s) { return Offset{nodes.contribution(s)}; });
}

TEST(DeviceSchedule, NothingAliveOverlaps) {
  for (const char* spec : {"poisson2d 1", "poisson2d 40", "poisson3d 12", "elast3d 5", "tree 3000 1", "blockdiag 300 50", "shell2d 20"})
    for (const OrderingMethod method : {OrderingMethod::natural, OrderingMethod::amd}) {
      SCOPED_TRACE(spec);
      AnalyzeOptions options;
      options.ordering.method = method;
      options.target = "sm_90";
      check_schedule(*analyze(generate(spec).pattern(), options));
    }
}

}  // namespace
}  // namespace kauri::symbolic
