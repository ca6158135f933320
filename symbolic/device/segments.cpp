// Cuts the phases of tiled fronts by what is in use in each.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/segments.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

#include "base/common/checked.hpp"

namespace kauri::symbolic {
namespace {

Offset plus(Offset a, Offset b) { return checked_add(a, b, "entries of device memory"); }

Offset sum_of(const std::vector<Offset>& entries, Index begin, Index end) {
  return std::accumulate(entries.begin() + begin, entries.begin() + std::max(begin, end), Offset{0},
                         plus);
}

/// Returns true if the segment of all resident phases fits into `most` entries while the panels of
/// phases [before, resident) leave, and if what stays fits in the end.
bool resident_fits(const PhaseMemory& memory, Index before, Index resident, Offset most) {
  for (Index f = resident; f < memory.phases(); ++f)
    if (entries_in(memory, f, before) > most) return false;
  const Offset end = plus(memory.stays, sum_of(memory.inverses, 0, memory.phases()));
  const Offset last =
      sum_of(memory.panels, resident == memory.phases() ? before : resident, memory.phases());
  return plus(end, last) <= most;
}

/// Returns the most entries in use in the phases before those of tiled fronts.
Offset entries_of_small(const PhaseMemory& memory) {
  Offset most = 0;
  for (Index f = 0; f < kTiledPhase; ++f)
    most = std::max(most, plus(memory.stays, memory.blocks[f]));
  return most;
}

/// Returns the cut with this first resident phase, if there is one.
std::optional<Segments> cut(const PhaseMemory& memory, Index resident, Offset most) {
  Segments out{{}, resident};
  for (Index before = kTiledPhase, first = kTiledPhase; first < resident;) {
    Index end = first;  // of the longest segment that fits and lets the next phase fit
    for (Index f = first; f < resident; ++f) {
      if (entries_in(memory, f, before) > most) break;
      const bool next = f + 1 < resident ? entries_in(memory, f + 1, first) <= most
                                         : resident_fits(memory, first, resident, most);
      if (next) end = f + 1;
    }
    if (end == first) return std::nullopt;
    out.end.push_back(end);
    before = first, first = end;
  }
  if (out.end.empty() && !resident_fits(memory, resident, resident, most)) return std::nullopt;
  if (resident < memory.phases()) out.end.push_back(memory.phases());
  return out;
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

Offset entries_in(const PhaseMemory& memory, Index phase, Index before) {
  const Offset here = plus(memory.stays, sum_of(memory.inverses, 0, phase));
  return plus(plus(here, sum_of(memory.panels, before, phase + 1)), memory.blocks[phase]);
}

std::optional<Segments> segments_within(const PhaseMemory& memory, Offset most) {
  if (entries_of_small(memory) > most) return std::nullopt;
  for (Index resident = kTiledPhase; resident <= memory.phases(); ++resident)
    if (std::optional<Segments> found = cut(memory, resident, most)) return found;
  return std::nullopt;
}

Offset least_entries(const PhaseMemory& memory) {
  // With segments of one phase each, the most entries are least for each first resident phase.
  Offset least = std::numeric_limits<Offset>::max();
  const Offset end = plus(memory.stays, sum_of(memory.inverses, 0, memory.phases()));
  for (Index resident = kTiledPhase; resident <= memory.phases(); ++resident) {
    Offset most = entries_of_small(memory);
    const auto before = [](Index first) { return std::max(first - 1, kTiledPhase); };
    for (Index f = kTiledPhase; f < memory.phases(); ++f)
      most = std::max(most, entries_in(memory, f, before(std::min(f, resident))));
    const Index last = resident == memory.phases() ? before(resident) : resident;
    most = std::max(most, plus(end, sum_of(memory.panels, last, memory.phases())));
    least = std::min(least, most);
  }
  return least;
}

}  // namespace kauri::symbolic
