// Factors beyond a device's memory: cuts of a factorisation into segments, after which panels leave
// the device for host memory, with the memory and the seconds that a cut takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/types.hpp"
#include "symbolic/device/levels.hpp"

namespace kauri::symbolic {

/// Entries that a factorisation holds on a device in each phase (symbolic/device/levels.hpp).
struct PhaseMemory {
  Offset stays = 0;              ///< panels of narrow and small fronts
  std::vector<Offset> panels;    ///< length phases: panels of the tiled fronts of the phase
  std::vector<Offset> blocks;    ///< length phases: contribution blocks that are in use in it
  std::vector<Offset> inverses;  ///< length phases: what sweeps multiply by, of the tiled fronts of
                                 ///< the phase; stays from the last phase of their segment on
  [[nodiscard]] Index phases() const { return static_cast<Index>(panels.size()); }
};

/// Returns the memory of each phase. inverses[s]: entries that sweeps multiply by for front s, 0
/// unless it is tiled. Throws Error(overflow).
PhaseMemory phase_memory(const DeviceLevels& levels, std::span<const Index> parent,
                         const FrontSizes& sizes, std::span<const Offset> inverses);

/// A cut of the phases of tiled fronts into segments. When the tasks of a segment have ended, the
/// panels of its phases before `resident` begin to leave; their places are used again from the
/// segment on that is `depth` segments later, which waits until they have left. All other panels
/// stay.
struct Segments {
  std::vector<Index> end;  ///< per segment: the phase after its last one
  Index resident = kTiledPhase;
  Index depth = 2;  ///< number of segments that hold a panel which leaves: at least 2, else
                    ///< nothing would run meanwhile
  bool small_leave = false;  ///< panels of narrow and small fronts are in host memory, where their
                             ///< kernels write them

  [[nodiscard]] std::size_t count() const { return end.size(); }
  /// Returns the first phase of segment k.
  [[nodiscard]] Index begin(std::size_t k) const { return k == 0 ? kTiledPhase : end[k - 1]; }
  /// Returns the first phase whose panels are held while segment k runs, even if they leave.
  [[nodiscard]] Index held(std::size_t k) const {
    const auto before = static_cast<std::size_t>(depth - 1);
    return begin(k < before ? 0 : k - before);
  }
};

/// Returns the most entries in use in any phase.
Offset most_entries(const PhaseMemory& memory, const Segments& cut);

/// Returns the entries that leave.
Offset leaving_entries(const PhaseMemory& memory, const Segments& cut);

/// Rates from which the seconds of a cut are predicted.
struct SpillCost {
  std::vector<double> phase_s;  ///< length phases: seconds of the tiled fronts of each phase
  double entries_per_s = 0;     ///< entries that are copied to the host, or read there, a second
  double segment_s = 0;         ///< seconds that each further segment adds
};

/// Returns the predicted seconds of the tiled fronts of a factorisation, with the copies, and of
/// one solve's reads of what has left.
double predicted_seconds(const PhaseMemory& memory, const Segments& cut, const SpillCost& cost);

/// Returns cuts with segments of several sizes, all depths up to 8 and all first resident phases at
/// which a segment begins. They include, with small_leave true, those with one phase in each
/// segment, of which one takes the least memory of all cuts.
std::vector<Segments> candidate_cuts(const PhaseMemory& memory);

}  // namespace kauri::symbolic
