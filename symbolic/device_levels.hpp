// Kinds and levels of the fronts on a device: all of a device's schedule that follows from the tree and the sizes of its fronts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/plan.hpp"

namespace kauri::symbolic {

/// Memory is not used again among narrow fronts, nor among small ones, which run in one launch each: they are one phase each, and every
/// level of tiled ones is another.
struct DeviceLevels {
  enum Kind : Index { narrow, small, tiled };
  static constexpr Index kTiledPhase = 2;  ///< the first

  std::vector<Index> kind;      ///< per front
  std::vector<Index> of;        ///< per front
  std::vector<Index> phase;     ///< per front
  std::vector<Index> children;  ///< per front: how many
  Index begin[4] = {};          ///< first level of each kind, and of none
  Index phases = 0;

  [[nodiscard]] bool is_tiled(std::size_t s) const { return kind[s] == tiled; }
};

/// Reads no rows: those of an outline's supernodes are not there yet. O(fronts).
DeviceLevels find_device_levels(const Supernodes& nodes);

}  // namespace kauri::symbolic
