// Tests the memory and the seconds of cuts of a device's phases against naive counts, on random
// memory of a few phases.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/layout/segments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "kauri/extras/generate.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

PhaseMemory random_memory(std::mt19937& random) {
  const auto phases = static_cast<Index>(kTiledPhase + 1 + random() % 6);
  const auto numbers = [&](Index from) {
    std::vector<Offset> out(static_cast<std::size_t>(phases), 0);
    for (Index f = from; f < phases; ++f) out[f] = 1 + random() % 20;
    return out;
  };
  return {static_cast<Offset>(random() % 5), numbers(kTiledPhase), numbers(0),
          numbers(kTiledPhase)};
}

/// Returns all cuts of so many phases.
std::vector<Segments> all_cuts(Index phases) {
  std::vector<Segments> all;
  const Index inner = phases - kTiledPhase - 1;  // places where a segment may end
  for (unsigned bits = 0; bits < 1U << inner; ++bits) {
    Segments cut;
    for (Index k = 0; k < inner; ++k)
      if ((bits >> k & 1) != 0) cut.end.push_back(kTiledPhase + k + 1);
    cut.end.push_back(phases);
    for (const bool small_leave : {false, true})
      for (Index depth = 2; depth <= 4; ++depth)
        for (Index resident = kTiledPhase; resident <= phases; ++resident)
          all.push_back({cut.end, resident, depth, small_leave});
  }
  return all;
}

/// Returns the number of the segment of a phase.
Index segment_of(const Segments& cut, Index phase) {
  Index k = 0;
  while (cut.end[k] <= phase) ++k;
  return k;
}

/// Returns the most entries in use with a cut, panel by panel.
Offset most_in_use(const PhaseMemory& memory, const Segments& cut) {
  Offset most = 0;
  for (Index f = 0; f < memory.phases(); ++f) {
    Offset here = (cut.small_leave ? 0 : memory.stays) + memory.blocks[f];
    for (Index p = kTiledPhase; f >= kTiledPhase && p < memory.phases(); ++p) {
      const Index own = segment_of(cut, p), now = segment_of(cut, f);
      const bool there = p <= f && (p >= cut.resident || now < own + cut.depth);
      const bool made = now > own || (now == own && f + 1 == cut.end[own]);
      if (there) here += memory.panels[p];
      if (made) here += memory.inverses[p];
    }
    most = std::max(most, here);
  }
  return most;
}

TEST(Segments, TakeTheMemoryOfTheirPanels) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    const PhaseMemory memory = random_memory(random);
    for (const Segments& cut : all_cuts(memory.phases())) {
      ASSERT_EQ(most_entries(memory, cut), most_in_use(memory, cut)) << round;
      Offset leaving = cut.small_leave ? memory.stays : 0;
      for (Index p = kTiledPhase; p < cut.resident; ++p) leaving += memory.panels[p];
      ASSERT_EQ(leaving_entries(memory, cut), leaving);
    }
  }
}

/// Without inverses no cut takes less memory than the least of the candidates.
TEST(Segments, CandidatesIncludeTheLeastMemory) {
  std::mt19937 random(8);
  for (int round = 0; round < 40; ++round) {
    PhaseMemory memory = random_memory(random);
    std::ranges::fill(memory.inverses, 0);
    Offset all = std::numeric_limits<Offset>::max(), least = all;
    for (const Segments& cut : all_cuts(memory.phases()))
      all = std::min(all, most_in_use(memory, cut));
    for (const Segments& cut : candidate_cuts(memory)) {
      ASSERT_EQ(cut.end.back(), memory.phases());
      ASSERT_TRUE(std::ranges::is_sorted(cut.end));
      ASSERT_GE(cut.depth, 2);
      least = std::min(least, most_in_use(memory, cut));
    }
    EXPECT_EQ(least, all) << round;
  }
}

/// The seconds are those of a naive timeline: a segment begins when the one before has ended and
/// the panels have left that it must wait for; panels leave one segment after another.
TEST(Segments, SecondsAreThoseOfATimeline) {
  std::mt19937 random(9);
  for (int round = 0; round < 40; ++round) {
    const PhaseMemory memory = random_memory(random);
    SpillCost cost{std::vector<double>(static_cast<std::size_t>(memory.phases()), 0.0), 4.0, 0.25};
    for (Index f = kTiledPhase; f < memory.phases(); ++f)
      cost.phase_s[f] = static_cast<double>(random() % 16) / 4;
    for (const Segments& cut : all_cuts(memory.phases())) {
      const auto count = static_cast<Index>(cut.end.size());
      const double small = cut.small_leave ? static_cast<double>(memory.stays) / 4 : 0;
      const auto leaving = [&](Index k) {
        Offset sum = 0;
        for (Index p = kTiledPhase; p < cut.resident; ++p)
          sum += segment_of(cut, p) == k ? memory.panels[p] : 0;
        return static_cast<double>(sum) / 4;
      };
      const auto ended = [&](const auto& again, Index k) -> double {
        if (k < 0) return small;
        double begin = again(again, k - 1);
        // All panels have left once the last segment that has any, and all before it, have.
        double link = small;
        for (Index j = 0; j <= k - cut.depth; ++j)
          if (leaving(j) > 0) link = std::max(link, again(again, j)) + leaving(j);
        if (k >= cut.depth) begin = std::max(begin, link);
        for (Index f = kTiledPhase; f < memory.phases(); ++f)
          if (segment_of(cut, f) == k) begin += cost.phase_s[f];
        return begin + 0.25;
      };
      double link = small;
      for (Index j = 0; j < count; ++j)
        if (leaving(j) > 0) link = std::max(link, ended(ended, j)) + leaving(j);
      const double reads = 2 * static_cast<double>(leaving_entries(memory, cut)) / 4;
      ASSERT_DOUBLE_EQ(predicted_seconds(memory, cut, cost),
                       std::max(link, ended(ended, count - 1)) + reads)
          << round;
    }
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
  const Segments whole{{memory.phases()}, kTiledPhase};
  // The other count has panels of narrow and small fronts from their phases on.
  EXPECT_EQ(most_entries(memory, whole), most_entries(levels, nodes.parent, sizes));
}

}  // namespace
}  // namespace kauri::symbolic
