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

/// The memory of all phases, with sums over the phases before each one.
class PhaseSums {
 public:
  explicit PhaseSums(const PhaseMemory& memory)
      : memory_(memory), panels_(sums_of(memory.panels)), inverses_(sums_of(memory.inverses)) {}
  [[nodiscard]] Index phases() const { return memory_.phases(); }
  /// entries_in() of segments.hpp.
  [[nodiscard]] Offset in(Index phase, Index before) const {
    return plus(plus(memory_.stays, inverses_[phase]),
                plus(panels(before, phase + 1), memory_.blocks[phase]));
  }
  /// Returns the entries that are there in the end, if the panels from phase `first` on are.
  [[nodiscard]] Offset at_end(Index first) const {
    return plus(plus(memory_.stays, inverses_.back()), panels(first, phases()));
  }
  /// Returns the most entries in use in the phases before those of tiled fronts.
  [[nodiscard]] Offset most_of_small() const {
    Offset most = 0;
    for (Index f = 0; f < kTiledPhase; ++f)
      most = std::max(most, plus(memory_.stays, memory_.blocks[f]));
    return most;
  }

 private:
  static std::vector<Offset> sums_of(const std::vector<Offset>& entries) {
    std::vector<Offset> sums(entries.size() + 1, 0);
    std::partial_sum(entries.begin(), entries.end(), sums.begin() + 1, plus);
    return sums;
  }
  [[nodiscard]] Offset panels(Index begin, Index end) const { return panels_[end] - panels_[begin]; }

  const PhaseMemory& memory_;
  std::vector<Offset> panels_, inverses_;
};

/// Returns true if the segment of all resident phases fits into `most` entries while the panels of
/// phases [before, resident) leave, and if what stays fits in the end.
bool resident_fits(const PhaseSums& memory, Index before, Index resident, Offset most) {
  for (Index f = resident; f < memory.phases(); ++f)
    if (memory.in(f, before) > most) return false;
  return memory.at_end(resident == memory.phases() ? before : resident) <= most;
}

/// Returns the cut with this first resident phase, if there is one.
std::optional<Segments> cut(const PhaseSums& memory, Index resident, Offset most) {
  Segments out{{}, resident};
  for (Index before = kTiledPhase, first = kTiledPhase; first < resident;) {
    Index end = first;  // of the longest segment that fits and lets the next phase fit
    for (Index f = first; f < resident; ++f) {
      if (memory.in(f, before) > most) break;
      const bool next = f + 1 < resident ? memory.in(f + 1, first) <= most
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
  return PhaseSums(memory).in(phase, before);
}

std::optional<Segments> segments_within(const PhaseMemory& memory, Offset most) {
  const PhaseSums sums(memory);
  if (sums.most_of_small() > most) return std::nullopt;
  for (Index resident = kTiledPhase; resident <= memory.phases(); ++resident)
    if (std::optional<Segments> found = cut(sums, resident, most)) return found;
  return std::nullopt;
}

Offset least_entries(const PhaseMemory& memory) {
  // With segments of one phase each, the most entries are least for each first resident phase.
  const PhaseSums sums(memory);
  Offset least = std::numeric_limits<Offset>::max();
  for (Index resident = kTiledPhase; resident <= memory.phases(); ++resident) {
    Offset most = sums.most_of_small();
    const auto before = [](Index first) { return std::max(first - 1, kTiledPhase); };
    for (Index f = kTiledPhase; f < memory.phases(); ++f)
      most = std::max(most, sums.in(f, before(std::min(f, resident))));
    most = std::max(most, sums.at_end(resident == memory.phases() ? before(resident) : resident));
    least = std::min(least, most);
  }
  return least;
}

}  // namespace kauri::symbolic
