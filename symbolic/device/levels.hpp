// In what order a device takes the fronts of a plan: kinds, and levels that rise from children to parents.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/plan.hpp"
#include "symbolic/tree/supernodes.hpp"

namespace kauri::symbolic {

/// How a front is done.
enum FrontKind : Index { narrow, small, tiled };

/// Memory is not used again among narrow fronts, nor among small ones, which run in one launch each: they are one phase each, and every
/// level of tiled ones is another.
inline constexpr Index kTiledPhase = 2;  // the first

/// Kinds and levels of the fronts, as DeviceSchedule has them.
struct DeviceLevels {
  std::vector<Index> kind, of, phase;  ///< per front
  Index begin[4] = {};                 ///< first level of each kind, and of none
  Index phases = 0;

  [[nodiscard]] bool is_tiled(std::size_t s) const { return kind[s] == tiled; }
};

/// Places in the array of a device are multiples of this: 128 bytes of doubles.
inline constexpr Offset kAlignment = 16;
constexpr Offset aligned(Offset entries) { return (entries + kAlignment - 1) / kAlignment * kAlignment; }

/// Entries of each front in the array of a device.
struct FrontSizes {
  std::vector<Offset> panel, block;
};

/// How many children each front has.
std::vector<Index> child_counts(std::span<const Index> parent);

/// Kinds. A front is tiled if it, or one below it, has many rows or children. Reads no rows, nor does what follows: a draft has none.
std::vector<Index> kinds_of(const Supernodes& nodes);
std::vector<Index> kinds_of(const FrontTree& fronts);
FrontSizes sizes_of(const Supernodes& nodes, std::span<const Index> kinds);

/// Levels of the kinds: a narrow or small front's is its height among those of its kind. So is a tiled front's, unless some subtrees are so
/// large that one at a time fills the device: then these come one after another, as in a depth-first traversal, and the blocks of one's
/// fronts are gone when the next begins. Which are that large is what makes a product of memory and predicted seconds least. O(n log n).
DeviceLevels find_levels(const Supernodes& nodes, const std::vector<Index>& kinds, const FrontSizes& sizes);

DeviceLevels find_levels(const Supernodes& nodes);

/// Most entries that are there in a phase: panels of it and of earlier ones, blocks from the phase of their front to that of its parent.
Offset most_entries(const DeviceLevels& levels, std::span<const Index> parent, const FrontSizes& sizes);

}  // namespace kauri::symbolic
