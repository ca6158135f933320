// Counts the memory and the seconds of cuts into segments.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/layout/segments.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "base/common/checked.hpp"

namespace kauri::symbolic {
namespace {

Offset plus(Offset a, Offset b) { return checked_add(a, b, "entries of device memory"); }

/// Sums over the phases before each one.
std::vector<Offset> sums_of(const std::vector<Offset>& entries) {
  std::vector<Offset> sums(entries.size() + 1, 0);
  std::partial_sum(entries.begin(), entries.end(), sums.begin() + 1, plus);
  return sums;
}

/// Deepest cut that is tried, and the numbers of segments that are aimed at.
constexpr Index kDeepest = 8;
constexpr Index kSegments[] = {4, 8, 16, 32, 64};

/// Returns the ends of segments with at least `least` entries of panels each, but for the last one.
std::vector<Index> ends_of(const PhaseMemory& memory, Offset least) {
  std::vector<Index> end;
  Offset sum = 0;
  for (Index f = kTiledPhase; f < memory.phases(); ++f) {
    sum += memory.panels[f];
    if (sum < least && f + 1 < memory.phases()) continue;
    end.push_back(f + 1);
    sum = 0;
  }
  return end;
}

}  // namespace

PhaseMemory phase_memory(const DeviceLevels& levels, std::span<const Index> parent,
                         const FrontSizes& sizes, std::span<const Offset> inverses) {
  const auto phases = static_cast<std::size_t>(levels.phases);
  PhaseMemory out{0, std::vector<Offset>(phases, 0), std::vector<Offset>(phases, 0),
                  std::vector<Offset>(phases, 0)};
  std::vector<Offset> change(phases + 1, 0);
  for (std::size_t s = 0; s < parent.size(); ++s) {
    const Index f = levels.phase[s];
    Offset& panels = levels.is_tiled(s) ? out.panels[f] : out.stays;
    panels = plus(panels, sizes.panel[s]);
    out.inverses[f] = plus(out.inverses[f], inverses[s]);
    if (sizes.block[s] == 0) continue;
    change[f] = plus(change[f], sizes.block[s]);
    change[levels.phase[parent[s]] + 1] -= sizes.block[s];
  }
  std::partial_sum(change.begin(), change.end() - 1, out.blocks.begin(), plus);
  return out;
}

Offset most_entries(const PhaseMemory& memory, const Segments& cut) {
  const std::vector<Offset> panels = sums_of(memory.panels), inverses = sums_of(memory.inverses);
  const Offset stays = cut.small_leave ? 0 : memory.stays;
  Offset most = 0;
  for (Index f = 0; f < kTiledPhase; ++f) most = std::max(most, plus(stays, memory.blocks[f]));
  for (std::size_t k = 0; k < cut.count(); ++k)
    for (Index f = cut.begin(k); f < cut.end[k]; ++f) {
      const Index end = f + 1, resident = std::min(cut.resident, end),
                  held = std::min(cut.held(k), resident);
      const Offset made = inverses[end == cut.end[k] ? end : cut.begin(k)];
      most = std::max(most,
                      plus(plus(stays, memory.blocks[f]), plus(panels[end] - panels[held], made)));
    }
  return most;
}

Offset leaving_entries(const PhaseMemory& memory, const Segments& cut) {
  return std::accumulate(memory.panels.begin(), memory.panels.begin() + cut.resident,
                         cut.small_leave ? memory.stays : Offset{0}, plus);
}

double predicted_seconds(const PhaseMemory& memory, const Segments& cut, const SpillCost& cost) {
  std::vector<double> left(cut.count());  // when the panels of each segment have left
  double now = 0, link = 0;
  if (cut.small_leave) now = link = static_cast<double>(memory.stays) / cost.entries_per_s;
  for (std::size_t k = 0; k < cut.count(); ++k) {
    const auto depth = static_cast<std::size_t>(cut.depth);
    if (k >= depth) now = std::max(now, left[k - depth]);
    now = std::accumulate(cost.phase_s.begin() + cut.begin(k), cost.phase_s.begin() + cut.end[k],
                          now + cost.segment_s);
    Offset entries = 0;
    for (Index f = cut.begin(k); f < std::min(cut.end[k], cut.resident); ++f)
      entries += memory.panels[f];
    if (entries > 0) link = std::max(link, now) + static_cast<double>(entries) / cost.entries_per_s;
    left[k] = link;
  }
  const double reads = 2 * static_cast<double>(leaving_entries(memory, cut)) / cost.entries_per_s;
  return std::max(now, link) + reads;
}

std::vector<Segments> candidate_cuts(const PhaseMemory& memory) {
  const Offset all = std::accumulate(memory.panels.begin(), memory.panels.end(), Offset{0}, plus);
  std::vector<std::vector<Index>> ends{ends_of(memory, 0)};
  for (const Index count : kSegments)
    if (std::vector<Index> end = ends_of(memory, all / count); end != ends.back())
      ends.push_back(std::move(end));
  std::vector<Segments> cuts;
  for (const std::vector<Index>& end : ends)
    for (const bool small_leave : {false, true})
      for (Index depth = 2; depth <= kDeepest; ++depth) {
        cuts.push_back({end, kTiledPhase, depth, small_leave});
        for (const Index resident : end) cuts.push_back({end, resident, depth, small_leave});
      }
  return cuts;
}

}  // namespace kauri::symbolic
