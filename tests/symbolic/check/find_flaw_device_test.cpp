// Tests that find_flaw() accepts the schedules that kauri makes for a device and detects damage to
// their levels and places.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "kauri/extras/generate.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/small_layout.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/systems/block_tree.hpp"
#include "tests/support/systems/caterpillar.hpp"

namespace kauri::test {
namespace {

TEST(FindFlawOfDevice, SchedulesAsTheyAreMadeHaveNone) {
  for (const char* spec :
       {"poisson2d 1", "poisson2d 70", "poisson3d 14", "elast3d 6", "tree 4000 1",
        "blockdiag 300 50", "shell2d 20", "rgg3d 2000 12 1", "arrow 3000 3", "lap27 12"})
    for (const OrderingMethod method :
         {OrderingMethod::natural, OrderingMethod::amd, OrderingMethod::rcm}) {
      const auto plan = plan_of(generate(spec).pattern(), method);
      EXPECT_EQ(find_flaw(*plan), "") << spec;
      for (const Index teams : {4, 6, 20})
        EXPECT_EQ(find_flaw(for_teams(*plan, teams)), "") << spec << ": " << teams;
    }
  for (const Index n : {0, 1, 2, 5000})
    for (const auto& pattern : {chain_pattern(n), caterpillar_pattern(n), diagonal_pattern(n)})
      for (const bool amalgamate : {true, false})
        EXPECT_EQ(find_flaw(*plan_of(pattern.view(), OrderingMethod::natural, amalgamate)), "");
  for (const auto& [hosts, leaves] : {CaterpillarSize{100, 999}, {1000, 99}, {2000, 49}})
    EXPECT_EQ(find_flaw(*plan_of(Caterpillar(hosts, leaves, 1).pattern.view(),
                                 OrderingMethod::natural, false)),
              "");
  BlockTree tree({330, 200, 130, 90}, 5);
  EXPECT_EQ(find_flaw(*plan_of(dense_exact_system(tree.with_leaves(300, 2, 20)).a.pattern(),
                               OrderingMethod::natural, false)),
            "");
  EXPECT_EQ(find_flaw(*plan_of(star_pattern(100000, 99999).view(), OrderingMethod::natural, false)),
            "");
}

TEST(FindFlawOfDevice, NorOnRandomPatterns) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    std::mt19937_64 random(seed);
    const auto n = static_cast<Index>(1 + random() % 900);
    const auto plan =
        plan_of(random_pattern(n, static_cast<double>(1 + seed % 12), seed).view(),
                seed % 2 == 0 ? OrderingMethod::amd : OrderingMethod::natural, seed % 3 != 0);
    ASSERT_EQ(find_flaw(*plan), "") << seed;
    ASSERT_EQ(find_flaw(for_teams(*plan, 4)), "") << seed;
  }
}

TEST(FindFlawOfDevice, Lengths) {
  expect_found({
      {"a device's schedule for a CPU's plan", [](Plan& p) { device_of(p).on = false; }},
      {"a device's schedule for a CPU's plan", [](Plan& p) { p.target = "cpu-avx2"; }},
      {"arrays of fronts differ in length", [](Plan& p) { device_of(p).front.pop_back(); }},
      {"arrays of fronts differ in length", [](Plan& p) { device_of(p).tiled.pop_back(); }},
      {"arrays of fronts differ in length", [](Plan& p) { device_of(p).panel.pop_back(); }},
      {"arrays of fronts differ in length", [](Plan& p) { device_of(p).block.push_back(-1); }},
      {"arrays of fronts differ in length", [](Plan& p) { device_of(p).update.clear(); }},
      {"arrays of fronts differ in length", [](Plan& p) { device_of(p).inverses.pop_back(); }},
      {"not narrow ones, small ones", [](Plan& p) { device_of(p).narrow_levels = -1; }},
      {"not narrow ones, small ones",
       [](Plan& p) { device_of(p).narrow_levels = device_of(p).small_levels + 1; }},
      {"not narrow ones, small ones",
       [](Plan& p) {
         device_of(p).small_levels = static_cast<Index>(device_of(p).level.size()) + 1;
       }},
      {"levels do not divide the fronts", [](Plan& p) { device_of(p).level[1].first += 1; }},
      {"levels do not divide the fronts", [](Plan& p) { device_of(p).level[0].count = 0; }},
      {"levels do not divide the fronts", [](Plan& p) { device_of(p).level.back().count += 1; }},
      {"some fronts are of no device level", [](Plan& p) { device_of(p).level.pop_back(); }},
      {"narrow or small fronts are miscounted", [](Plan& p) { device_of(p).narrow_fronts += 1; }},
      {"narrow or small fronts are miscounted", [](Plan& p) { device_of(p).small_fronts -= 1; }},
      {"not one wait for memory per tiled front",
       [](Plan& p) { device_of(p).panel_reuses.pop_back(); }},
      {"not one wait for memory per tiled front",
       [](Plan& p) { device_of(p).block_reuses.push_back(0); }},
  });
}

TEST(FindFlawOfDevice, KindsAndLevels) {
  expect_found({
      {"a front is not in one device level",
       [](Plan& p) { device_of(p).front[0] = device_of(p).front[1]; }},
      {"a front is not in one device level",
       [](Plan& p) { device_of(p).front[0] = p.supernodes.count(); }},
      {"in another kind's level",
       [](Plan& p) {  // a level of tiled fronts is said to be one of small ones
         const Index count = device_of(p).level[device_of(p).small_levels++].count;
         device_of(p).small_fronts += count;
         for (auto* reuses : {&device_of(p).panel_reuses, &device_of(p).block_reuses})
           reuses->erase(reuses->begin(), reuses->begin() + count);
       }},
      {"in another kind's level",
       [](Plan& p) {
         device_of(p).narrow_levels = 0;
         device_of(p).narrow_fronts = 0;
       }},
      {"its parent's level is not higher",
       [](Plan& p) {
         const Index s = find_front(p, [&](Index c) {
           const Index up = p.supernodes.parent[c];
           return up != kNone && device_of(p).tiled[c] != kNone && device_of(p).tiled[up] != kNone;
         });
         swap_fronts(p, device_of(p).small_fronts + device_of(p).tiled[s],
                     device_of(p).small_fronts + device_of(p).tiled[p.supernodes.parent[s]]);
       }},
      {"its position among the tiled fronts",
       [](Plan& p) { device_of(p).tiled[device_of(p).front[0]] = 0; }},
      {"its position among the tiled fronts",
       [](Plan& p) { device_of(p).tiled[device_of(p).front.back()] -= 1; }},
      {"list of pivot tiles", [](Plan& p) { device_of(p).pivot_tiles.tiles -= 1; }},
      {"list of pivot tiles", [](Plan& p) { device_of(p).pivot_tiles.first += 1; }},
      {"list of pivot tiles",
       [](Plan& p) { device_of(p).tile_ptr[device_of(p).pivot_tiles.at + 1] += 1; }},
  });
}

TEST(FindFlawOfDevice, TilesAndStepsOfALevel) {
  const auto last = [](Plan& p) -> symbolic::DeviceSchedule::Level& {
    return device_of(p).level.back();
  };
  expect_found({
      {"small fronts are not by order",
       [](Plan& p) {
         const auto& level = device_of(p).level[device_of(p).narrow_levels];
         swap_fronts(p, level.first, level.first + level.count - 1);
       }},
      {"level 0: small fronts are miscounted", [](Plan& p) { device_of(p).level[0].small16 -= 1; }},
      {"level 0: small fronts are miscounted", [](Plan& p) { device_of(p).level[0].small32 -= 1; }},
      {"level 0: small fronts are miscounted", [](Plan& p) { device_of(p).level[0].small -= 1; }},
      {"tiles of small fronts", [](Plan& p) { device_of(p).level[0].tiles.tiles = 1; }},
      {"tiles of small fronts", [](Plan& p) { device_of(p).level[0].steps.emplace_back(); }},
      {"small fronts among tiled ones", [&](Plan& p) { last(p).small = 1; }},
      {"tiled fronts are not those of most pivots first",
       [](Plan& p) {
         for (auto level = device_of(p).level.begin() + device_of(p).small_levels;
              level != device_of(p).level.end(); ++level)
           if (level->steps.size() > 1 && level->steps[1].panel.count < level->count)
             return swap_fronts(p, level->first, level->first + level->count - 1);
       }},
      {"not all tiles are listed", [&](Plan& p) { last(p).tiles.tiles += 1; }},
      {"not all tiles are listed", [&](Plan& p) { device_of(p).tile_ptr[last(p).tiles.at] = 1; }},
      {"not all tiles are listed",
       [&](Plan& p) { last(p).tiles.at = static_cast<Offset>(device_of(p).tile_ptr.size()) - 1; }},
      {"not a step per column of pivot tiles", [&](Plan& p) { last(p).steps.pop_back(); }},
      {"a step does not list its tiles", [&](Plan& p) { last(p).steps[0].k = 1; }},
      {"a step does not list its tiles", [&](Plan& p) { last(p).steps[0].panel.tiles -= 1; }},
      {"a step does not list its tiles", [&](Plan& p) { last(p).steps[0].update.at -= 1; }},
      {"a step does not list its tiles", [&](Plan& p) { last(p).steps[1].update.count -= 1; }},
  });
}

TEST(FindFlawOfDevice, PlacesOfPanelsAndBlocks) {
  const Plan& sound = sound_plan();
  const Index small = front_with_block(sound, false), tiled = front_with_block(sound, true);
  const auto& panel = sound.internals->device.panel_reuses;
  const auto& block = sound.internals->device.block_reuses;
  const Index later = find_tiled(sound, [&](Index t) { return panel[t] > 0; }),
              again = find_tiled(sound, [&](Index t) { return block[t] > 0; });
  expect_found({
      {"do not fit a device's array",
       [](Plan& p) { device_of(p).entries = device_of(p).sums.scratch_begin - 1; }},
      {"do not fit a device's array",
       [](Plan& p) { device_of(p).sums.scratch_begin = device_of(p).factor_entries - 1; }},
      {"do not fit a device's array", [](Plan& p) { device_of(p).factor_entries = -1; }},
      {"its panel is not among the panels", [&](Plan& p) { device_of(p).panel[small] = -16; }},
      {"its panel is not among the panels",
       [&](Plan& p) { device_of(p).panel[tiled] = device_of(p).factor_entries; }},
      {"its panel is not among the panels", [](Plan& p) { device_of(p).factor_entries -= 16; }},
      {"its panel is not aligned", [&](Plan& p) { device_of(p).panel[tiled] += 8; }},
      {"its panel waits for its own level", [](Plan& p) { device_of(p).panel_reuses[0] = 1; }},
      {"its panel waits for its own level", [](Plan& p) { device_of(p).panel_reuses[0] = -1; }},
      {"its panel lies where something is alive",
       [&](Plan& p) { device_of(p).panel[tiled] = device_of(p).panel[small]; }},
      {"its panel lies where something is alive",
       [&](Plan& p) {
         device_of(p).panel[p.supernodes.parent[tiled]] = device_of(p).panel[tiled];
       }},
      {"its panel does not wait until", [&](Plan& p) { device_of(p).panel_reuses[later] -= 1; }},
      {"its block waits for its own level",
       [](Plan& p) {
         device_of(p).block_reuses.back() = static_cast<Index>(device_of(p).level.size());
       }},
      {"its block waits for its own level", [](Plan& p) { device_of(p).block_reuses.back() = -1; }},
      {"a place on the device for an empty block",
       [&](Plan& p) { device_of(p).block[small] = -1; }},
      {"a place on the device for an empty block",
       [](Plan& p) { device_of(p).block[root(p)] = 0; }},
      {"its block leaves the device's array", [&](Plan& p) { device_of(p).block[small] = -16; }},
      {"its block leaves the device's array",
       [&](Plan& p) { device_of(p).block[tiled] = device_of(p).sums.scratch_begin / 16 * 16; }},
      {"its block is not aligned", [&](Plan& p) { device_of(p).block[tiled] += 8; }},
      {"its block lies where something is alive",
       [&](Plan& p) { device_of(p).block[small] = device_of(p).panel[small]; }},
      {"its panel lies where something is alive",
       [&](Plan& p) {
         device_of(p).block[tiled] = device_of(p).panel[p.supernodes.parent[tiled]];
       }},
      {"lies where something is alive",
       [&](Plan& p) {
         device_of(p).block[tiled] = device_of(p).block[p.supernodes.parent[tiled]];
       }},
      {"its block does not wait until", [&](Plan& p) { device_of(p).block_reuses[again] -= 1; }},
  });
}

TEST(FindFlawOfDevice, PlacesOfInversesAndUpdateRows) {
  const Plan& sound = sound_plan();
  const Index small = front_with_block(sound, false), tiled = front_with_block(sound, true);
  expect_found({
      {"a place for no inverses",
       [&](Plan& p) { device_of(p).inverses[small] = device_of(p).factor_entries; }},
      {"a place for no inverses", [&](Plan& p) { device_of(p).inverses[tiled] = -1; }},
      {"its inverses are not between panels",
       [&](Plan& p) { device_of(p).inverses[tiled] = device_of(p).factor_entries - 16; }},
      {"its inverses are not between panels",
       [&](Plan& p) { device_of(p).inverses[tiled] = device_of(p).sums.scratch_begin / 16 * 16; }},
      {"its inverses are not aligned", [&](Plan& p) { device_of(p).inverses[tiled] += 8; }},
      {"its inverses lie among another's",
       [&](Plan& p) {
         device_of(p).inverses[tiled] = device_of(p).inverses[p.supernodes.parent[tiled]] + 16;
       }},
      {"a place for no update rows", [&](Plan& p) { device_of(p).update[small] = -1; }},
      {"a place for no update rows", [](Plan& p) { device_of(p).update[root(p)] = 0; }},
      {"its update rows leave the device's arena",
       [&](Plan& p) { device_of(p).update[tiled] = -2; }},
      {"its update rows leave the device's arena",
       [&](Plan& p) { device_of(p).update[tiled] = device_of(p).update_rows; }},
      {"its update rows lie where others are alive",
       [&](Plan& p) {
         device_of(p).update[tiled] = device_of(p).update[p.supernodes.parent[tiled]];
       }},
  });
}

TEST(FindFlawOfDevice, ASoundPlanWithWaitsThatAreLonger) {
  Plan plan = sound_plan();
  wait_longest(plan);
  EXPECT_EQ(find_flaw(plan), "");
}

TEST(FindFlawOfDevice, NoWaitCanBeShorter) {
  const Plan& sound = sound_plan();
  Plan plan = sound;
  for (std::size_t t = 0; t < sound.internals->device.panel_reuses.size(); ++t)
    for (auto* reuses : {&device_of(plan).panel_reuses, &device_of(plan).block_reuses}) {
      if ((*reuses)[t] == 0) continue;
      (*reuses)[t] -= 1;
      EXPECT_NE(find_flaw(plan).find("does not wait until"), std::string::npos) << t;
      (*reuses)[t] += 1;
    }
}
/// An object in the array, live from phase `born` to the end of phase `dies`; it is first written
/// after `reuses` levels of tiled fronts are done.
struct LiveRange {
  Offset begin, end;
  Index born, dies, reuses;
};

/// Returns all objects in the array, by the definitions.
std::vector<LiveRange> live_ranges_of(const Plan& plan) {
  const symbolic::DeviceSchedule& device = device_of(plan);
  std::vector<Index> phase(device.front.size());
  const Index levels = static_cast<Index>(device.level.size());
  for (Index l = 0; l < levels; ++l)
    for (Index k = device.level[l].first; k < device.level[l].first + device.level[l].count; ++k)
      phase[device.front[k]] = l < device.narrow_levels  ? 0
                               : l < device.small_levels ? 1
                                                         : 2 + l - device.small_levels;
  std::vector<LiveRange> all;
  for (Index s = 0; s < plan.supernodes.count(); ++s) {
    const Index t = device.tiled[s];
    const symbolic::FrontCells cells{plan.supernodes.order(s), plan.supernodes.pivots(s)};
    const symbolic::SmallLayout layout{cells.m, cells.p};
    const Offset panel =
        t == kNone ? layout.panel_storage() : cells.panel().entries() + cells.diagonal_entries();
    const Offset block = t == kNone ? layout.block_storage() : cells.block().entries();
    // A launch waits for earlier launches, hence for all that they did.
    all.push_back({device.panel[s], device.panel[s] + panel, phase[s], 2 + levels,
                   t == kNone ? phase[s] - 2 : device.panel_reuses[t]});
    if (block > 0)
      all.push_back({device.block[s], device.block[s] + block, phase[s],
                     phase[plan.supernodes.parent[s]],
                     t == kNone ? phase[s] - 2 : device.block_reuses[t]});
  }
  return all;
}

/// Returns whether any two objects that overlap are live at different times, and the later one
/// waits for the end of the earlier one.
bool apart(const std::vector<LiveRange>& all) {
  const auto follows = [](const LiveRange& a, const LiveRange& b) {
    return a.dies < b.born && b.reuses + 2 > a.dies;
  };
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (all[a].begin < all[b].end && all[b].begin < all[a].end && !follows(all[a], all[b]) &&
          !follows(all[b], all[a]))
        return false;
  return true;
}

TEST(FindFlawOfDevice, PlacesAreJudgedAsByAllPairs) {
  const auto made = plan_of(grid_pattern(9, 9, 9, true).view(), OrderingMethod::amd, false);
  ASSERT_TRUE(apart(live_ranges_of(*made)));
  std::mt19937 random(4);
  int sound = 0, unsound = 0;
  for (int round = 0; round < 400; ++round) {
    Plan plan = *made;
    symbolic::DeviceSchedule& device = device_of(plan);
    wait_longest(plan);  // so that other places may be right
    const auto s = random() % device.front.size();
    const auto somewhere = [&](Offset end) {
      return static_cast<Offset>(random() % static_cast<unsigned>(end / 16)) * 16;
    };
    if (device.block[s] != -1 && round % 4 != 0)
      device.block[s] = std::min(somewhere(device.entries),
                                 device.block[s] + static_cast<Offset>(random() % 4) * 16);
    else if (round % 8 == 0)
      device.panel[s] = somewhere(device.factor_entries);
    else
      device.panel[s] += 16 * (static_cast<Offset>(random() % 3) - 1);
    const auto all = live_ranges_of(plan);
    if (std::any_of(all.begin(), all.end(),
                    [&](const LiveRange& x) { return x.begin < 0 || x.end > device.entries; }))
      continue;
    const bool expected = apart(all);
    const std::string flaw = find_flaw(plan);
    const bool found = flaw.find("alive") != std::string::npos;
    ASSERT_EQ(found, !expected) << round << ": " << flaw;
    ++(expected ? sound : unsound);
  }
  EXPECT_GT(sound, 20);
  EXPECT_GT(unsound, 100);
}

}  // namespace
}  // namespace kauri::test
