// Counts of the work of a factorisation on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::symbolic {

/// Work of a factorisation on a device, from which its seconds are predicted
/// (symbolic/device/cost.hpp): sums by kind and level of fronts. A tile has 64 x 64 entries. Bytes
/// are those of doubles: panels and contribution blocks as they lie in memory, and blocks once more
/// for the parent that reads them.
struct DeviceWork {
  /// Work on all narrow fronts, or on all small fronts.
  struct Small {
    Index fronts = 0;  ///< number of fronts
    Index levels = 0;  ///< number of levels that hold them
    double bytes = 0;  ///< bytes moved
  };
  /// Work on the tiled fronts of a level: sums over them, except for `chain`.
  struct Level {
    Index fronts = 0;        ///< number of fronts
    Index chain = 0;         ///< most pivot tiles of a front, which are factorised in sequence
    double panel_tiles = 0;  ///< tiles of L, each with a triangular solve
    double products = 0;     ///< products of two tiles
    double bytes = 0;        ///< bytes moved
  };
  Small narrow;              ///< work on narrow fronts
  Small small;               ///< work on small fronts
  std::vector<Level> tiled;  ///< work on tiled fronts, by level
  /// Bytes that PreparedPlan uploads, estimated from counts alone: about DeviceSchedule's
  /// plan_bytes + shared_bytes, and the places of update rows for sweeps.
  double upload_bytes = 0;
};

}  // namespace kauri::symbolic
