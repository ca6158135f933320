// Tiles of a front and the memory of a device that runs level by level.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "kauri/generate.hpp"
#include "symbolic/front_cells.hpp"
#include "symbolic/small_layout.hpp"

namespace kauri::symbolic {
namespace {

const std::vector<std::pair<Index, Index>> kShapes{{1, 1},  {5, 2},    {8, 8},     {9, 8},   {64, 64},  {65, 64},
                                                   {64, 1}, {130, 66}, {200, 130}, {201, 7}, {700, 300}};

/// Every entry of the lower trapezoid has a place of its own, inside the panel or the block.
TEST(FrontCells, EntriesHavePlacesOfTheirOwn) {
  for (const auto& [m, p] : kShapes) {
    const FrontCells cells{m, p};
    std::set<Offset> panel, block;
    for (Index c = 0; c < m; ++c)
      for (Index r = c; r < m; ++r) {
        const Offset at = cells.place(r, c);
        ASSERT_GE(at, 0);
        ASSERT_LT(at, c < p ? cells.panel().entries() : cells.block().entries()) << m << " " << p << ": " << r << " " << c;
        ASSERT_TRUE((c < p ? panel : block).insert(at).second);
        if (c >= p) {
          ASSERT_EQ(at, CellLayout::row_part(r - p) + cells.block().column_part(c - p));
        }
      }
  }
}

/// Rows of a tile under one another are one run per pair of cell columns, and pairs fill the panel without a gap.
TEST(FrontCells, PairsOfColumnsAreRuns) {
  for (const auto& [m, p] : kShapes) {
    const CellLayout panel = FrontCells{m, p}.panel();
    Offset next = 0;
    for (Index c = 0; c < panel.columns; c += 2) {
      ASSERT_EQ(panel.pair(c / 2), next);
      for (Index r = c; r < panel.rows; ++r)
        for (Index i = c; i < std::min(c + 2, panel.columns); ++i) {
          ASSERT_EQ(panel.cell(r, i), next);
          next += kCellEntries;
        }
    }
    ASSERT_EQ(panel.entries(), next);
  }
}

TEST(FrontCells, TileRowsDivideTheRows) {
  for (const auto& [m, p] : kShapes) {
    const FrontCells cells{m, p};
    Index row = 0, cell = 0;
    for (Index i = 0; i < cells.row_tiles(); ++i) {
      ASSERT_EQ(cells.first_row(i), row);
      ASSERT_EQ(cells.first_cell(i), cell);
      ASSERT_EQ(cells.padded_row(row), cell * kCell);
      ASSERT_EQ(cells_for(cells.rows_of(i)), cells.cells_of(i));
      row += cells.rows_of(i), cell += cells.cells_of(i);
    }
    ASSERT_EQ(row, m);
    ASSERT_EQ(cell, cells.cells());
    ASSERT_GE(cells.solve_entries(), Offset{p} * 8);
  }
}

TEST(SmallLayout, EntriesHavePlacesOfTheirOwn) {
  for (const auto& [m, p] : kShapes) {
    const SmallLayout layout{m, p};
    std::set<Offset> places;
    for (Index c = 0; c < p; ++c)
      for (Index r = 0; r < m; ++r) {
        ASSERT_LT(layout.place(r, c), layout.inverse());
        ASSERT_TRUE(places.insert(layout.place(r, c)).second);
      }
  }
}

Offset panel_size(const Plan& plan, Index s) {
  const FrontCells cells{plan.supernodes.order(s), plan.supernodes.pivots(s)};
  return plan.device.tiled[s] == kNone ? SmallLayout{cells.m, cells.p}.entries() : cells.panel().entries() + cells.solve_entries();
}
Offset block_size(const Plan& plan, Index s) {
  const FrontCells cells{plan.supernodes.order(s), plan.supernodes.pivots(s)};
  return plan.device.tiled[s] == kNone ? SmallLayout{cells.m, cells.p}.block_entries() : cells.block().entries();
}

/// Stretches [at, at + size) lie apart, and before the end.
void expect_apart(std::vector<std::pair<Offset, Offset>> stretches, Offset end) {
  std::sort(stretches.begin(), stretches.end());
  Offset last = 0;
  for (const auto& [begin, size] : stretches) {
    ASSERT_GE(begin, last);
    last = begin + size;
  }
  ASSERT_LE(last, end);
}

std::vector<Index> levels_of(const Plan& plan) {
  std::vector<Index> level(plan.supernodes.parent.size(), -1);
  for (std::size_t l = 0; l < plan.device.level.size(); ++l)
    for (Index k = 0; k < plan.device.level[l].count; ++k) level[plan.device.front[plan.device.level[l].first + k]] = static_cast<Index>(l);
  return level;
}

/// Panels lie apart, those of tiled fronts behind the others; blocks and update rows that are there at one level lie apart.
void check_places(const Plan& plan) {
  const DeviceSchedule& device = plan.device;
  const Supernodes& nodes = plan.supernodes;
  const std::vector<Index> level = levels_of(plan);
  std::vector<std::pair<Offset, Offset>> panels;
  for (Index s = 0; s < nodes.count(); ++s) {
    panels.emplace_back(device.panel[s], panel_size(plan, s));
    ASSERT_EQ(device.panel[s] >= device.tiled_panels, device.tiled[s] != kNone);
  }
  expect_apart(panels, device.panel.back());
  for (std::size_t l = 0; l < device.level.size(); ++l) {
    std::vector<std::pair<Offset, Offset>> blocks, updates;
    for (Index s = 0; s < nodes.count(); ++s) {
      const Index q = nodes.contribution(s);
      ASSERT_EQ(device.block[s] < 0, q == 0);
      ASSERT_EQ(device.update[s] < 0, q == 0);
      if (q == 0 || level[s] > static_cast<Index>(l) || static_cast<Index>(l) > level[nodes.parent[s]]) continue;
      blocks.emplace_back(device.block[s], block_size(plan, s));
      updates.emplace_back(device.update[s], q);
    }
    expect_apart(blocks, device.stack_entries);
    expect_apart(updates, device.update_rows);
  }
}

/// Levels rise along the tree; those of small fronts come first, and hold nothing above a tiled one.
void check_levels(const Plan& plan) {
  const DeviceSchedule& device = plan.device;
  const Supernodes& nodes = plan.supernodes;
  const std::vector<Index> level = levels_of(plan);
  std::vector<bool> large(nodes.parent.size(), false);
  for (Index s = 0; s < nodes.count(); ++s) {
    large[s] = large[s] || nodes.order(s) > DeviceSchedule::kSmall;
    ASSERT_EQ(device.tiled[s] != kNone, large[s]);
    ASSERT_EQ(level[s] >= device.small_levels, large[s]);
    if (nodes.parent[s] == kNone) continue;
    ASSERT_LT(level[s], level[nodes.parent[s]]);
    if (large[s]) large[nodes.parent[s]] = true;
  }
}

/// A tiled front's block begins where blocks of levels not below `reuses` never lay.
void check_reuse(const Plan& plan) {
  const DeviceSchedule& device = plan.device;
  const Supernodes& nodes = plan.supernodes;
  const std::vector<Index> level = levels_of(plan);
  const auto meet = [&](Index a, Index b) {
    return device.block[a] < device.block[b] + block_size(plan, b) && device.block[b] < device.block[a] + block_size(plan, a);
  };
  for (Index s = 0; s < nodes.count(); ++s)
    for (Index before = 0; before < nodes.count(); ++before) {
      if (device.tiled[s] == kNone || device.block[s] < 0 || device.block[before] < 0 || before == s || !meet(s, before)) continue;
      if (level[before] > level[s]) continue;
      ASSERT_LT(level[nodes.parent[before]], device.small_levels + device.reuses[device.tiled[s]]) << s << " " << before;
      ASSERT_LE(device.reuses[device.tiled[s]], level[s] - device.small_levels);
    }
}

TEST(DeviceSchedule, NothingAliveOverlaps) {
  for (const char* spec : {"poisson2d 1", "poisson2d 40", "poisson3d 12", "elast3d 5", "tree 3000 1", "blockdiag 300 50", "shell2d 20"})
    for (const OrderingMethod method : {OrderingMethod::natural, OrderingMethod::amd}) {
      SCOPED_TRACE(spec);
      AnalyzeOptions options;
      options.ordering.method = method;
      options.target = "sm_90";
      const auto plan = analyze(generate(spec).pattern(), options);
      check_levels(*plan);
      check_places(*plan);
      check_reuse(*plan);
    }
}

}  // namespace
}  // namespace kauri::symbolic
