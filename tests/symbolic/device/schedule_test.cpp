// Tests tiles of a front and the memory of a device that runs level by level.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/schedule.hpp"
#include "symbolic/layout/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/extras/generate.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/small_layout.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/plan_facts.hpp"

namespace kauri::symbolic {
namespace {

const std::vector<std::pair<Index, Index>> kShapes{{1, 1},     {5, 2},   {8, 8},    {9, 8},
                                                   {64, 64},   {65, 64}, {64, 1},   {130, 66},
                                                   {200, 130}, {201, 7}, {700, 300}};

/// Every entry of the lower trapezoid has its own place inside the panel or the block.
TEST(FrontCells, EntriesHavePlacesOfTheirOwn) {
  for (const auto& [m, p] : kShapes) {
    const FrontCells cells{m, p};
    std::set<Offset> panel, block;
    for (Index c = 0; c < m; ++c)
      for (Index r = c; r < m; ++r) {
        const Offset at = cells.place(r, c);
        ASSERT_GE(at, 0);
        ASSERT_LT(at, c < p ? cells.panel().entries() : cells.block().entries())
            << m << " " << p << ": " << r << " " << c;
        ASSERT_TRUE((c < p ? panel : block).insert(at).second);
        if (c >= p) {
          ASSERT_EQ(at, CellLayout::row_part(r - p) + cells.block().column_part(c - p));
        }
      }
  }
}

/// The rows of a tile form one run per pair of cell columns, and pairs fill the panel without a
/// gap.
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
  }
}

/// The lower blocks of each tile's inverse lie by rows without gaps; diagonal blocks are stored
/// whole.
TEST(FrontCells, InversesFillTheirPlace) {
  for (const auto& [m, p] : kShapes) {
    const FrontCells cells{m, p};
    const Index padded = (cells.pivot_cells() + 1) / 2 * kInverseOrder;
    std::set<Offset> inverses;
    for (Index r = 0; r < padded; ++r)
      for (Index c = r / kTile * kTile; c < (r / kInverseOrder + 1) * kInverseOrder; ++c)
        ASSERT_TRUE(inverses.insert(FrontCells::inverse_place(r, c)).second);
    ASSERT_EQ(static_cast<Offset>(inverses.size()), cells.inverse_entries());
    ASSERT_EQ(*inverses.begin(), 0);
    ASSERT_EQ(*inverses.rbegin(), cells.inverse_entries() - 1);
    for (Index r = 0; r < padded; r += kInverseOrder) {
      const Offset tile = Offset{r / kTile} * kTileInverseEntries;
      ASSERT_EQ(FrontCells::inverse_place(r, r),
                tile + FrontCells::diagonal_inverse(r % kTile / kInverseOrder));
      ASSERT_EQ(FrontCells::inverse_place(r, r / kTile * kTile),
                tile + FrontCells::inverse_block(r % kTile / kInverseOrder, 0));
    }
  }
  EXPECT_EQ(FrontCells::inverse_place(0, 1), FrontCells::kInverseFlag);
}

/// The inverses of 16 x 16 blocks lie one after another.
TEST(FrontCells, InversesOfBlocksFillTheirPlace) {
  for (const auto& [m, p] : kShapes) {
    const FrontCells cells{m, p};
    const Index padded = (cells.pivot_cells() + 1) / 2 * kInverseOrder;
    std::set<Offset> found;
    for (Index r = 0; r < padded; ++r)
      for (Index c = r / kInverseOrder * kInverseOrder; c < (r / kInverseOrder + 1) * kInverseOrder;
           ++c)
        ASSERT_TRUE(found.insert(FrontCells::diagonal_place(r, c)).second);
    ASSERT_EQ(static_cast<Offset>(found.size()), cells.diagonal_entries());
    if (p > 0) {
      ASSERT_EQ(*found.rbegin(), cells.diagonal_entries() - 1);
    }
  }
}

/// Two products for each pivot tile but the first, stored whole, follow the inverses.
TEST(FrontCells, ProductsFillTheirPlace) {
  std::set<Index> forward, backward;
  for (Index r = 0; r < kTile; ++r)
    for (Index c = 0; c < kTile; ++c)
      forward.insert(FrontCells::forward_product_place(r, c)),
          backward.insert(FrontCells::backward_product_place(r, c));
  for (const std::set<Index>& places : {forward, backward}) {
    EXPECT_EQ(static_cast<Index>(places.size()), kTileProductEntries);
    EXPECT_EQ(*places.begin(), 0);
    EXPECT_EQ(*places.rbegin(), kTileProductEntries - 1);
  }
  for (const auto& [m, p] : kShapes) {
    const FrontCells cells{m, p};
    Offset next = cells.inverse_entries();
    for (Index k = 1; k < cells.pivot_tiles(); ++k, next += 2 * kTileProductEntries) {
      ASSERT_EQ(cells.forward_product(k), next);
      ASSERT_EQ(cells.backward_product(k - 1), next + kTileProductEntries);
    }
    ASSERT_EQ(cells.solve_entries(), next);
  }
}

TEST(SmallLayout, EntriesFollowEachOther) {
  for (const auto& [m, p] : kShapes) {
    const SmallLayout layout{m, p};
    Index panel = 0, block = layout.padding();
    for (Index c = 0; c < m; ++c)
      for (Index r = c; r < m; ++r)
        ASSERT_EQ(layout.place(r, c), c < p ? panel++ : block++)
            << m << " " << p << ": " << r << " " << c;
    EXPECT_EQ(layout.panel_entries(), panel);
    EXPECT_GE(layout.panel_storage(), panel);
    if (m > p) {
      EXPECT_GE(layout.block_storage(), block);
    }
    // In shared memory the block follows the panel: its places there and in its own array differ by
    // whole units of 16 bytes.
    EXPECT_EQ((layout.panel_entries() - layout.padding()) % 2, 0);
  }
}

Offset panel_size(const Plan& plan, Index s) {
  const FrontCells cells{plan.supernodes.order(s), plan.supernodes.pivots(s)};
  return plan.internals->device.tiled[s] == kNone
             ? SmallLayout{cells.m, cells.p}.panel_storage()
             : cells.panel().entries() + cells.diagonal_entries();
}
Offset block_size(const Plan& plan, Index s) {
  const FrontCells cells{plan.supernodes.order(s), plan.supernodes.pivots(s)};
  return plan.internals->device.tiled[s] == kNone ? SmallLayout{cells.m, cells.p}.block_storage()
                                                  : cells.block().entries();
}

/// Expects that the ranges [at, at + size) are disjoint and lie before the end.
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
  for (std::size_t l = 0; l < plan.internals->device.level.size(); ++l)
    for (Index k = 0; k < plan.internals->device.level[l].count; ++k)
      level[plan.internals->device.front[plan.internals->device.level[l].first + k]] =
          static_cast<Index>(l);
  return level;
}

/// Returns phases: narrow fronts form one, other small ones another, then each level of tiled ones
/// its own.
std::vector<Index> phases_of(const Plan& plan) {
  const DeviceSchedule& device = plan.internals->device;
  std::vector<Index> phase = levels_of(plan);
  for (Index& f : phase)
    f = f < device.narrow_levels ? 0 : f < device.small_levels ? 1 : 2 + f - device.small_levels;
  return phase;
}

/// Expects that all objects live in one phase are disjoint: panels of it and of earlier ones,
/// blocks, update rows.
void check_places(const Plan& plan) {
  const DeviceSchedule& device = plan.internals->device;
  const Supernodes& nodes = plan.supernodes;
  const std::vector<Index> phase = phases_of(plan), level = levels_of(plan);
  Offset panels = 0;
  for (Index now = 0; now < 2 + static_cast<Index>(device.level.size()) - device.small_levels;
       ++now) {
    std::vector<std::pair<Offset, Offset>> numbers;
    for (Index s = 0; s < nodes.count(); ++s) {
      if (phase[s] <= now) numbers.emplace_back(device.panel[s], panel_size(plan, s));
      if (phase[s] == now) panels += panel_size(plan, s);
      ASSERT_EQ(device.block[s] < 0, nodes.contribution(s) == 0);
      if (device.block[s] >= 0 && phase[s] <= now && now <= phase[nodes.parent[s]])
        numbers.emplace_back(device.block[s], block_size(plan, s));
    }
    expect_apart(numbers, device.entries);
  }
  EXPECT_LE(panels, device.factor_entries);
  std::vector<std::pair<Offset, Offset>> inverses{{0, device.factor_entries}};
  for (Index s = 0; s < nodes.count(); ++s) {
    ASSERT_EQ(device.inverses[s] < 0, device.tiled[s] == kNone);
    if (device.inverses[s] >= 0)
      inverses.emplace_back(device.inverses[s],
                            FrontCells{nodes.order(s), nodes.pivots(s)}.solve_entries());
  }
  expect_apart(inverses, device.entries);
  for (Index l = 0; l < static_cast<Index>(device.level.size()); ++l) {
    std::vector<std::pair<Offset, Offset>> updates;
    for (Index s = 0; s < nodes.count(); ++s) {
      ASSERT_EQ(device.update[s] < 0, nodes.contribution(s) == 0);
      if (device.update[s] >= 0 && level[s] <= l && l <= level[nodes.parent[s]])
        updates.emplace_back(device.update[s], nodes.contribution(s));
    }
    expect_apart(updates, device.update_rows);
  }
}

/// Expects that levels rise along the tree, narrow fronts first, then small ones, and that no front
/// lies above a larger kind.
void check_levels(const Plan& plan) {
  const DeviceSchedule& device = plan.internals->device;
  const Supernodes& nodes = plan.supernodes;
  const std::vector<Index> level = levels_of(plan);
  std::vector<Index> kind(nodes.parent.size(), 0), count(3, 0);
  for (Index s = 0; s < nodes.count(); ++s) {
    const Index m = nodes.order(s);
    kind[s] = std::max<Index>(kind[s], m <= DeviceSchedule::kNarrow  ? 0
                                       : m <= DeviceSchedule::kSmall ? 1
                                                                     : 2);
    ++count[kind[s]];
    ASSERT_EQ(device.tiled[s] != kNone, kind[s] == 2);
    ASSERT_EQ(kind[s], level[s] < device.narrow_levels  ? 0
                       : level[s] < device.small_levels ? 1
                                                        : 2);
    if (nodes.parent[s] == kNone) continue;
    ASSERT_LT(level[s], level[nodes.parent[s]]);
    kind[nodes.parent[s]] = std::max(kind[nodes.parent[s]], kind[s]);
  }
  EXPECT_EQ(device.narrow_fronts, count[0]);
  EXPECT_EQ(device.small_fronts, count[0] + count[1]);
  for (Index k = 0; k < nodes.count(); ++k)
    ASSERT_EQ(kind[device.front[k]], k < count[0] ? 0 : k < count[0] + count[1] ? 1 : 2);
}

/// Models the waits on the host: a front writes its panel or its block as soon as the levels below
/// `reuses` are done and, of all other fronts, only the fronts that it needs. Returns the first
/// front that would write over a block whose parent may still read it, or kNone.
Index writes_too_early(const Plan& plan, const std::vector<Index>& panel_reuses,
                       const std::vector<Index>& block_reuses) {
  const DeviceSchedule& device = plan.internals->device;
  const Supernodes& nodes = plan.supernodes;
  const std::vector<Index> phase = phases_of(plan);
  const auto too_early = [&](Index s, Offset begin, Offset size, Index reuses) {
    for (Index before = 0; before < nodes.count(); ++before) {
      const Offset block = device.block[before];
      if (before == s || block < 0 || phase[before] > phase[s]) continue;
      if (begin < block + block_size(plan, before) && block < begin + size &&
          phase[nodes.parent[before]] >= 2 + reuses)
        return true;
    }
    return false;
  };
  for (Index s = 0; s < nodes.count(); ++s) {
    const Index t = device.tiled[s];
    if (t == kNone) continue;
    // A level that waits for itself or for a later one never runs.
    if (std::max(panel_reuses[t], block_reuses[t]) > phase[s] - 2) return s;
    if (too_early(s, device.panel[s], panel_size(plan, s), panel_reuses[t])) return s;
    if (device.block[s] >= 0 && too_early(s, device.block[s], block_size(plan, s), block_reuses[t]))
      return s;
  }
  return kNone;
}

void check_reuse(const Plan& plan) {
  ASSERT_EQ(writes_too_early(plan, plan.internals->device.panel_reuses,
                             plan.internals->device.block_reuses),
            kNone);
}

/// Each wait is needed: with one level less a front would write too early. Both kinds of waits
/// occur.
TEST(DeviceSchedule, NoWaitIsLongerThanItMustBe) {
  AnalyzeOptions options;
  options.target = "sm_90";
  options.ordering.method = OrderingMethod::amd;
  const auto plan = analyze(generate("poisson3d 20").pattern(), options);
  const std::vector<Index>&panel = plan->internals->device.panel_reuses,
        &block = plan->internals->device.block_reuses;
  Index panels = 0, blocks = 0;
  for (Index t = 0; t < static_cast<Index>(panel.size()); ++t) {
    std::vector<Index> shorter = panel;
    if (--shorter[t] >= 0) {
      ++panels;
      EXPECT_EQ(plan->internals->device.tiled[writes_too_early(*plan, shorter, block)], t);
    }
    shorter = block;
    if (--shorter[t] >= 0) {
      ++blocks;
      EXPECT_EQ(plan->internals->device.tiled[writes_too_early(*plan, panel, shorter)], t);
    }
  }
  EXPECT_GT(panels, 0);
  EXPECT_GT(blocks, 0);
}

/// Blocks lie where panels come later, so memory is less than the panels plus the largest sum of
/// blocks live at one level.
TEST(DeviceSchedule, PanelsFollowBlocks) {
  AnalyzeOptions options;
  options.target = "sm_90";
  options.ordering.method = OrderingMethod::amd;
  const auto plan = analyze(generate("poisson3d 24").pattern(), options);
  const std::vector<Index> level = phases_of(*plan);
  std::vector<Offset> blocks(2 + plan->internals->device.level.size(), 0);
  for (Index s = 0; s < plan->supernodes.count(); ++s)
    for (Index l = level[s];
         plan->internals->device.block[s] >= 0 && l <= level[plan->supernodes.parent[s]]; ++l)
      blocks[l] += block_size(*plan, s);
  EXPECT_LT(plan->internals->device.entries, plan->internals->device.factor_entries +
                                                 *std::max_element(blocks.begin(), blocks.end()));
}

TEST(DeviceSchedule, NothingAliveOverlaps) {
  for (const char* spec : {"poisson2d 1", "poisson2d 40", "poisson3d 12", "elast3d 5",
                           "tree 3000 1", "blockdiag 300 50", "shell2d 20"})
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

/// Lists of tasks for other teams are those of schedules made for them. The list for few teams
/// differs, so that this compares something.
TEST(DeviceSchedule, TasksForOtherTeams) {
  AnalyzeOptions options;
  options.target = "sm_80";
  options.workers = 1;
  options.ordering.method = OrderingMethod::nested_dissection;
  int others = 0;
  for (const char* spec : {"elast3d 12", "poisson3d 14", "tree 3000 1"}) {
    const auto plan = analyze(generate(spec).pattern(), options);
    const DeviceSchedule& device = plan->internals->device;
    for (const Index teams : {kFewestEver, Index{16}, Index{64}, kFewestTeams}) {
      const DeviceSchedule made =
          make_device_schedule(plan->supernodes, plan->internals->assembly, teams);
      EXPECT_EQ(tasks_for_teams(plan->supernodes, device, teams), made.task) << spec << teams;
      others += made.task != device.task;
    }
  }
  EXPECT_GT(others, 0);
}

/// The test sets the limit: just above it all tiled fronts run level by level, and the text says
/// so; at the limit nothing changes.
TEST(DeviceSchedule, TellsOfABlockThatTasksHaveNoPlacesFor) {
  AnalyzeOptions options;
  options.target = "sm_90";
  const auto plan = analyze(generate("lap27 9").pattern(), options);
  ASSERT_FALSE(plan->internals->device.task.empty());
  ASSERT_GT(plan->internals->device.sweeps.bytes, 0);
  EXPECT_EQ(too_large_block(*plan), "");
  const auto entries = [&](Index s) {
    return FrontCells{plan->supernodes.order(s), plan->supernodes.pivots(s)}.block().entries();
  };
  const auto fronts = tiled_fronts(plan->internals->device);
  const Index largest = *std::max_element(
      fronts.begin(), fronts.end(), [&](Index a, Index b) { return entries(a) < entries(b); });
  const Offset most = entries(largest);
  const auto made = [&](Offset limit) {
    return make_device_schedule(plan->supernodes, plan->internals->assembly, kFewestTeams, limit);
  };
  EXPECT_FALSE(made(most).task.empty());
  EXPECT_EQ(too_large_block(plan->supernodes, plan->internals->device, most), "");
  EXPECT_TRUE(made(most - 1).task.empty());
  EXPECT_EQ(made(most - 1).sweeps.bytes, 0);
  const Index rows = plan->supernodes.order(largest) - plan->supernodes.pivots(largest);
  const std::string text = too_large_block(plan->supernodes, plan->internals->device, most - 1);
  EXPECT_EQ(text.find("the contribution block of front " + std::to_string(largest) + " has " +
                      std::to_string(rows) + " rows and " + std::to_string(most) +
                      " entries in cells, more than the " + std::to_string(most - 1) +
                      " that tasks have places for"),
            0U)
      << text;
}

}  // namespace
}  // namespace kauri::symbolic
