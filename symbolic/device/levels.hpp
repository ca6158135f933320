// Order in which a device processes the fronts of a plan: kinds, and levels that rise from children
// to parents.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/plan.hpp"
#include "symbolic/tree/supernodes.hpp"

namespace kauri::symbolic {

/// Size class of a front: see kinds_of().
enum FrontKind : Index { narrow, small, tiled };

/// First phase of tiled fronts. Narrow fronts are one phase, and so are small ones, since each kind
/// runs in one launch and does not reuse memory within it. Every level of tiled fronts is a phase.
inline constexpr Index kTiledPhase = 2;

/// Kind, level and phase of each front. Levels are numbered as in DeviceSchedule: those of narrow
/// fronts first, then those of small ones, then those of tiled ones.
struct DeviceLevels {
  std::vector<Index> kind, of, phase;  ///< per front; `of` is its level
  Index begin[4] = {};  ///< first level of each kind; begin[3] is the number of levels
  Index phases = 0;     ///< number of phases

  [[nodiscard]] bool is_tiled(std::size_t s) const { return kind[s] == tiled; }
};

/// Places in the array of a device are multiples of this number of entries: 128 bytes of doubles.
inline constexpr Offset kAlignment = 16;
constexpr Offset aligned(Offset entries) {
  return (entries + kAlignment - 1) / kAlignment * kAlignment;
}

/// Entries of each front's panel and contribution block in the array of a device, rounded up to
/// kAlignment; a tiled front's panel includes the inverses of its diagonal blocks.
struct FrontSizes {
  std::vector<Offset> panel, block;
};

/// Returns the number of children of each front.
std::vector<Index> child_counts(std::span<const Index> parent);

/// Returns the kind of each front: tiled if it or one of its descendants has more than
/// DeviceSchedule::kSmall rows or more than kMostChildren children; otherwise small if it or one of
/// its descendants has more than kNarrow rows; otherwise narrow. Neither these functions nor those
/// below in this file read Supernodes::row, which a plan draft does not have.
std::vector<Index> kinds_of(const Supernodes& nodes);
std::vector<Index> kinds_of(const FrontTree& fronts);
FrontSizes sizes_of(const Supernodes& nodes, std::span<const Index> kinds);

/// Returns the levels. The level of a front is its height among fronts of its kind. If some
/// subtrees of tiled fronts are so large that one at a time fills the device, these come one after
/// another, as in a depth-first traversal, so the contribution blocks in one are dead when the next
/// begins. The work from which a subtree is large is chosen to minimise a product of memory and
/// predicted seconds. O(n log n).
DeviceLevels find_levels(const Supernodes& nodes, const std::vector<Index>& kinds,
                         const FrontSizes& sizes);

DeviceLevels find_levels(const Supernodes& nodes);

/// Levels with the subtrees of at least some work one after another, and predicted seconds.
struct LevelsOfSubtrees {
  DeviceLevels levels;
  double seconds = 0;
};
/// Returns the levels without such subtrees, then with those of a half, a quarter ... of all work,
/// so many times halved. The later ones take less memory for contribution blocks and more seconds.
std::vector<LevelsOfSubtrees> levels_of_subtrees(const Supernodes& nodes,
                                                 const std::vector<Index>& kinds,
                                                 const FrontSizes& sizes, int halvings);

/// Returns the most entries that are in use in any phase: panels of it and of earlier phases, and
/// blocks from the phase of their front to that of its parent.
Offset most_entries(const DeviceLevels& levels, std::span<const Index> parent,
                    const FrontSizes& sizes);

}  // namespace kauri::symbolic
