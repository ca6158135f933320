// Factors beyond a device's memory: which panels stay on the device, and the segments of levels
// after which the others leave for host memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kauri/core/types.hpp"
#include "symbolic/device/levels.hpp"

namespace kauri::symbolic {

/// Entries that a factorisation holds on a device in each phase (symbolic/device/levels.hpp).
struct PhaseMemory {
  Offset stays = 0;              ///< panels of narrow and small fronts that stay
  std::vector<Offset> panels;    ///< length phases: panels of the tiled fronts of the phase
  std::vector<Offset> blocks;    ///< length phases: contribution blocks that are in use in it
  std::vector<Offset> inverses;  ///< length phases: what sweeps multiply by, of the tiled fronts of
                                 ///< the phase; made when their segment ends, never leaves, and
                                 ///< counts from the next phase on
  [[nodiscard]] Index phases() const { return static_cast<Index>(panels.size()); }
};

/// Returns the memory of each phase. inverses[s]: entries that sweeps multiply by for front s, 0
/// unless it is tiled. Throws Error(overflow).
PhaseMemory phase_memory(const DeviceLevels& levels, std::span<const Index> parent,
                         const FrontSizes& sizes, std::span<const Offset> inverses);

/// A cut of the phases of tiled fronts into segments. The panels of phases before `resident` leave
/// the device when their segment has ended, while the next segment runs; those of all others stay.
/// The last segment holds the phases from `resident` on, unless there are none.
struct Segments {
  std::vector<Index> end;  ///< per segment: the phase after its last one
  Index resident = kTiledPhase;
  bool small_leave = false;  ///< panels of narrow and small fronts are in host memory, where their
                             ///< kernels write them; not read by the functions below
};

/// Returns the entries in use in `phase`, while the panels of phases [before, phase] are there:
/// those of its segment, and of the one before it, which are on their way to the host.
Offset entries_in(const PhaseMemory& memory, Index phase, Index before);

/// Returns the cut with the fewest panels that leave, and among these with the longest segments
/// from the first on, in which no phase has more than `most` entries in use; nothing if there is
/// none. A cut without panels that leave has one segment. O(phases^2).
std::optional<Segments> segments_within(const PhaseMemory& memory, Offset most);

/// Returns the least `most` for which segments_within() returns a cut. O(phases^2).
Offset least_entries(const PhaseMemory& memory);

}  // namespace kauri::symbolic
