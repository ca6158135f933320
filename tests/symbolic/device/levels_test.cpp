// Tests levels of a device's fronts, and places of objects with live ranges.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "symbolic/device/front_cells.hpp"
#include "symbolic/layout/live_ranges.hpp"

namespace kauri::symbolic {
namespace {

/// Holds a forest that is given by parents and sizes only.
struct SplitForest {
  Supernodes nodes;
  FrontSizes sizes;

  void add(Index m, Index p) {
    if (nodes.first.empty()) nodes.first = {0}, nodes.row_ptr = {0};
    nodes.parent.push_back(kNone);
    nodes.first.push_back(nodes.first.back() + p);
    nodes.row_ptr.push_back(nodes.row_ptr.back() + m);
    const FrontCells cells{m, p};
    sizes.panel.push_back(cells.panel().entries());
    sizes.block.push_back(cells.block().entries());
  }
  [[nodiscard]] DeviceLevels levels() const { return find_levels(nodes, kinds_of(nodes), sizes); }
};

/// Returns a nested dissection: separators of p, p / 2, ... pivots, each with the rows of all
/// separators above it that surround it.
SplitForest dissection(Index p, int depth) {
  SplitForest forest;
  const auto build = [&](const auto& self, Index pivots, Index around, int left) -> Index {
    std::vector<Index> children;
    for (int c = 0; left > 0 && c < 2; ++c)
      children.push_back(self(self, pivots / 2, pivots + around / 2, left - 1));
    forest.add(pivots + around, pivots);
    const Index root = forest.nodes.count() - 1;
    for (const Index c : children) forest.nodes.parent[c] = root;
    return root;
  };
  build(build, p, 0, depth);
  return forest;
}

SplitForest random_forest(std::mt19937& random) {
  SplitForest forest;
  const Index count = 1 + static_cast<Index>(random() % 60);
  for (Index s = 0; s < count; ++s) {
    const unsigned most = random() % 3 == 0 ? 40 : random() % 2 == 0 ? 80 : 2000;
    const auto m = 1 + static_cast<Index>(random() % most),
               p = 1 + static_cast<Index>(random() % static_cast<unsigned>(m));
    forest.add(m, p);
  }
  for (Index s = 0; s + 1 < count; ++s)
    if (forest.nodes.contribution(s) > 0)
      forest.nodes.parent[s] =
          s + 1 + static_cast<Index>(random() % static_cast<unsigned>(count - s - 1));
  for (Index s = 0; s < count; ++s)
    if (forest.nodes.parent[s] == kNone) forest.sizes.block[s] = 0;
  return forest;
}

/// Expects that levels rise to parents, that kinds follow one another, that no level is empty, and
/// that the largest memory equals a count phase by phase.
void check(const SplitForest& forest) {
  const DeviceLevels levels = forest.levels();
  const Index count = forest.nodes.count();
  std::vector<Index> fronts(static_cast<std::size_t>(levels.begin[3]), 0);
  for (Index s = 0; s < count; ++s) {
    const Index parent = forest.nodes.parent[s];
    if (parent != kNone) {
      ASSERT_LT(levels.of[s], levels.of[parent]);
    }
    ASSERT_GE(levels.of[s], levels.begin[levels.kind[s]]);
    ASSERT_LT(levels.of[s], levels.begin[levels.kind[s] + 1]);
    ASSERT_EQ(levels.phase[s], levels.is_tiled(s) ? kTiledPhase + levels.of[s] - levels.begin[tiled]
                                                  : levels.kind[s]);
    ++fronts[levels.of[s]];
  }
  EXPECT_EQ(std::count(fronts.begin(), fronts.end(), 0), 0);
  Offset most = 0;
  for (Index f = 0; f < levels.phases; ++f) {
    Offset there = 0;
    for (Index s = 0; s < count; ++s) {
      if (levels.phase[s] <= f) there += forest.sizes.panel[s];
      const Index parent = forest.nodes.parent[s];
      if (parent != kNone && levels.phase[s] <= f && f <= levels.phase[parent])
        there += forest.sizes.block[s];
    }
    most = std::max(most, there);
  }
  EXPECT_EQ(most_entries(levels, forest.nodes.parent, forest.sizes), most);
}

TEST(DeviceLevels, RiseToParents) {
  std::mt19937 random(1);
  for (int k = 0; k < 300; ++k) check(random_forest(random));
  check(dissection(8000, 8));
  check(dissection(300, 4));
  check(SplitForest{{{0}, {}, {0}, {}}, {}});
}

/// Returns whether all levels of the first span are lower than all of the second.
bool below(std::span<const Index> levels, std::span<const Index> others) {
  return *std::max_element(levels.begin(), levels.end()) <
         *std::min_element(others.begin(), others.end());
}

/// Halves that fill the device run one after another and need less memory; small halves run
/// together.
TEST(DeviceLevels, LargeSubtreesComeOneAfterAnother) {
  for (const auto& [pivots, large] : {std::pair<Index, bool>{10000, true}, {600, false}}) {
    const SplitForest forest = dissection(pivots, 7);
    const DeviceLevels levels = forest.levels();
    const Index root = forest.nodes.count() - 1, left = root / 2 - 1, right = root - 1;
    ASSERT_EQ(forest.nodes.parent[left], root);
    const auto half = static_cast<std::size_t>(left) + 1;
    const std::span<const Index> lower(levels.of.data(), half),
        upper(levels.of.data() + half, half);
    EXPECT_EQ(right, 2 * left + 1);
    EXPECT_EQ(below(lower, upper) || below(upper, lower), large);
    EXPECT_EQ(levels.phases - kTiledPhase > 8, large);
  }
}

TEST(LiveRanges, WhatLivesTogetherLiesApart) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<LiveBlock> blocks(random() % 40);
    for (LiveBlock& block : blocks) {
      block.born = static_cast<Index>(random() % 12);
      block.dies = block.born + static_cast<Index>(random() % 5);
      block.size = 1 + static_cast<Offset>(random() % 30);
    }
    const Offset end = allocate_offsets(blocks);
    Offset reached = 0;
    for (const LiveBlock& x : blocks) {
      ASSERT_GE(x.at, 0);
      reached = std::max(reached, x.at + x.size);
      for (const LiveBlock& y : blocks) {
        if (&x == &y || x.born > y.dies || y.born > x.dies) continue;
        ASSERT_TRUE(x.at + x.size <= y.at || y.at + y.size <= x.at);
      }
    }
    EXPECT_EQ(reached, end);
  }
}

/// The other end of the array holds objects that stay. Some rounds have more blocks than the
/// allocator considers together.
TEST(LiveRanges, WhatLivesTogetherLiesApartBesideWhatStays) {
  std::mt19937 random(5);
  int better = 0, many = 0;
  for (int round = 0; round < 300; ++round) {
    constexpr Index kPhases = 16;
    std::vector<LiveBlock> blocks(random() % (round % 3 == 0 ? 400 : 40));
    for (LiveBlock& block : blocks) {
      block.born = static_cast<Index>(random() % 12);
      block.dies = block.born + static_cast<Index>(random() % (kPhases - 12));
      block.size = 1 + static_cast<Offset>(random() % 30);
    }
    std::vector<Offset> stays(kPhases);
    for (Index f = 0; f < kPhases; ++f)
      stays[f] = (f > 0 ? stays[f - 1] : 0) + static_cast<Offset>(random() % 40);
    std::vector<LiveBlock> alone = blocks;
    const Offset end = allocate_offsets(blocks, stays);
    allocate_offsets(alone);
    const auto most = [&](const std::vector<LiveBlock>& there) {
      Offset out = 0;
      const std::vector<Offset> reach = reach_of(there, kPhases);
      for (Index f = 0; f < kPhases; ++f) {
        Offset naive = 0;
        for (const LiveBlock& x : there)
          if (x.born <= f && f <= x.dies) naive = std::max(naive, x.at + x.size);
        EXPECT_EQ(reach[f], naive);
        out = std::max(out, stays[f] + naive);
      }
      return out;
    };
    ASSERT_LE(most(blocks), most(alone));
    better += most(blocks) < most(alone);
    many += blocks.size() > 128;
    Offset reached = 0;
    for (const LiveBlock& x : blocks) {
      ASSERT_GE(x.at, 0);
      reached = std::max(reached, x.at + x.size);
      for (const LiveBlock& y : blocks) {
        if (&x == &y || x.born > y.dies || y.born > x.dies) continue;
        ASSERT_TRUE(x.at + x.size <= y.at || y.at + y.size <= x.at);
      }
    }
    ASSERT_EQ(reached, end);
  }
  EXPECT_GT(better, 20);
  EXPECT_GT(many, 20);
}

/// Placing blocks in reverse time order leaves a hole under the third when space is tightest;
/// placing first the blocks that are live then leaves none.
TEST(LiveRanges, ThoseWhoAreThereWhenRoomIsShortComeFirst) {
  std::vector<LiveBlock> blocks{{3, 4, 10}, {1, 3, 10}, {1, 2, 15}};
  const std::vector<Offset> stays{0, 100, 100, 60, 60};
  allocate_offsets(blocks, stays);
  const std::vector<Offset> reach = reach_of(blocks, 5);
  EXPECT_EQ(reach[2], 25);
  EXPECT_LE(reach[3], 25 + 40);
}

/// Live ranges nest as on a stack, or all share a phase; no entry is wasted.
TEST(LiveRanges, StacksFit) {
  std::vector<LiveBlock> stack, together;
  Offset sum = 0;
  for (Index k = 0; k < 20; ++k) {
    stack.push_back({k, 40 - k, 1 + k % 7});
    together.push_back({k % 2, 2 + k % 3, 1 + k % 7});
    sum += 1 + k % 7;
  }
  EXPECT_EQ(allocate_offsets(stack), sum);
  EXPECT_EQ(allocate_offsets(together), sum);
  for (Index k = 1; k < 20; ++k) EXPECT_EQ(stack[k].at, stack[k - 1].at + stack[k - 1].size);
}

TEST(LastUse, IsThatOfEachEntry) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    LastUse last;
    std::vector<Index> naive(60, -1);
    for (Index phase = 0; phase < 40; ++phase) {
      const std::size_t begin = random() % 59, end = begin + 1 + random() % (60 - begin - 1);
      const auto first = naive.begin() + static_cast<std::ptrdiff_t>(begin),
                 second = naive.begin() + static_cast<std::ptrdiff_t>(end);
      ASSERT_EQ(last.of(static_cast<Offset>(begin), static_cast<Offset>(end)),
                *std::max_element(first, second));
      if (random() % 2 == 0) continue;
      last.set(static_cast<Offset>(begin), static_cast<Offset>(end), phase);
      std::fill(first, second, phase);
    }
  }
}

}  // namespace
}  // namespace kauri::symbolic
