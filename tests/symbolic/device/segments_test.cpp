// Tests cuts of a device's phases against all cuts there are, on random memory of a few phases.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/segments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "kauri/extras/generate.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

PhaseMemory random_memory(std::mt19937& random) {
  const auto phases = static_cast<Index>(kTiledPhase + random() % 7);
  const auto numbers = [&](Index from) {
    std::vector<Offset> out(static_cast<std::size_t>(phases), 0);
    for (Index f = from; f < phases; ++f) out[f] = random() % 20;
    return out;
  };
  PhaseMemory memory{static_cast<Offset>(random() % 5), numbers(kTiledPhase), numbers(0),
                     numbers(kTiledPhase)};
  for (Offset& x : memory.inverses) x /= 5;
  return memory;
}

/// Returns the most entries in use with a cut: at any phase, panels of it and of the phases before
/// are there if they stay, or if their segment is the one of the phase or the one before.
Offset most_in_use(const PhaseMemory& memory, const Segments& cut) {
  const auto segment_of = [&](Index phase) {
    return std::upper_bound(cut.end.begin(), cut.end.end(), phase) - cut.end.begin();
  };
  Offset most = 0, all_inverses = 0;
  for (Index f = 0; f < memory.phases(); ++f) {
    Offset here = memory.stays + memory.blocks[f];
    for (Index p = kTiledPhase; f >= kTiledPhase && p <= f; ++p) {
      const bool leaves = p < cut.resident;
      if (!leaves || segment_of(p) + 1 >= segment_of(f)) here += memory.panels[p];
      if (p < f) here += memory.inverses[p];
    }
    all_inverses += memory.inverses[f];
    most = std::max(most, here);
  }
  // After the last segment its own panels are there, and all inverses.
  Offset last = memory.stays + all_inverses;
  const auto segments = static_cast<std::ptrdiff_t>(cut.end.size());
  for (Index p = kTiledPhase; p < memory.phases(); ++p)
    if (p >= cut.resident || segment_of(p) + 1 == segments) last += memory.panels[p];
  return std::max(most, last);
}

/// Returns all cuts of so many phases.
std::vector<Segments> all_cuts(Index phases) {
  std::vector<Segments> all;
  for (Index resident = kTiledPhase; resident <= phases; ++resident) {
    const Index inner = std::max(resident - kTiledPhase - 1, 0);  // places where a segment may end
    for (unsigned bits = 0; bits < 1U << inner; ++bits) {
      Segments cut{{}, resident};
      for (Index k = 0; k < inner; ++k)
        if ((bits >> k & 1) != 0) cut.end.push_back(kTiledPhase + k + 1);
      if (resident > kTiledPhase) cut.end.push_back(resident);
      if (resident < phases) cut.end.push_back(phases);
      all.push_back(cut);
    }
  }
  return all;
}

TEST(Segments, AreTheBestOfAllCuts) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    const PhaseMemory memory = random_memory(random);
    const std::vector<Segments> all = all_cuts(memory.phases());
    Offset least = most_in_use(memory, all.front());
    for (const Segments& cut : all) least = std::min(least, most_in_use(memory, cut));
    EXPECT_EQ(least_entries(memory), least) << round;
    EXPECT_FALSE(segments_within(memory, least - 1)) << round;
    for (const Offset most : {least, least + 3, least + 15, least + 1000}) {
      const auto found = segments_within(memory, most);
      ASSERT_TRUE(found) << round;
      EXPECT_LE(most_in_use(memory, *found), most) << round;
      for (const Segments& cut : all)
        if (most_in_use(memory, cut) <= most) {
          EXPECT_GE(cut.resident, found->resident) << round;
          if (cut.resident == found->resident) {
            EXPECT_LE(cut.end, found->end) << round;
          }
        }
    }
    const auto in_core = segments_within(memory, least + 1000);
    EXPECT_EQ(in_core->resident, kTiledPhase);
    EXPECT_LE(in_core->end.size(), 1U);
  }
}

/// The memory of a plan's phases is that which its levels count.
TEST(Segments, MemoryOfAPlan) {
  AnalyzeOptions options;
  options.target = "sm_90";
  options.workers = 1;
  const auto plan = analyze(generate("poisson3d 24").pattern(), options);
  const Supernodes& nodes = plan->supernodes;
  const std::vector<Index> kinds = kinds_of(nodes);
  const FrontSizes sizes = sizes_of(nodes, kinds);
  const DeviceLevels levels = find_levels(nodes, kinds, sizes);
  const std::vector<Offset> none(static_cast<std::size_t>(nodes.count()), 0);
  const PhaseMemory memory = phase_memory(levels, nodes.parent, sizes, none);
  const auto whole = Segments{{memory.phases()}, kTiledPhase};
  // most_entries() counts panels of narrow and small fronts from their phases on, which here stay.
  EXPECT_EQ(most_in_use(memory, whole), most_entries(levels, nodes.parent, sizes));
  EXPECT_LT(least_entries(memory), most_in_use(memory, whole));
}

}  // namespace
}  // namespace kauri::symbolic
