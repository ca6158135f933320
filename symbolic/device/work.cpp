// Counts the work in one pass over the fronts.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/work.hpp"

#include <algorithm>

#include "symbolic/device/child_sums.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/levels.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/device/small_layout.hpp"

namespace kauri::symbolic {
namespace {

constexpr double kBytes = sizeof(double);

struct FrontBytes {
  double panel, block;
};

FrontBytes bytes_of(Index m, Index p, bool is_tiled) {
  if (is_tiled) {
    const FrontCells cells{m, p};
    return {kBytes * static_cast<double>(cells.panel().entries()),
            kBytes * static_cast<double>(cells.block().entries())};
  }
  const SmallLayout layout{m, p};
  return {kBytes * layout.panel_entries(), kBytes * packed_entries(layout.order())};
}

void add_tiles(const FrontCells& cells, DeviceWork::Level& level) {
  const double pivots = cells.pivot_tiles(), rows = cells.row_tiles(), below = rows - pivots;
  const double columns_before = pivots * (pivots - 1) / 2,
               squares_before = columns_before * (2 * pivots - 1) / 3;
  ++level.fronts;
  level.chain = std::max(level.chain, cells.pivot_tiles());
  level.panel_tiles += rows * pivots - columns_before;
  // Tile (i, k) of L takes k products, with the tile columns before it; a tile of the contribution
  // block takes one for each pivot tile.
  level.products += rows * columns_before - squares_before + below * (below + 1) / 2 * pivots;
}

/// Returns the bytes of uploads: rows twice; A's entries with their rows and places; descriptions
/// of columns, fronts and tasks (kDevice...Bytes, less if a front has no tasks); for children of
/// tiled fronts the row maps, or a term for each of their listed entries; and for sweeps the
/// beginning and the place of the update rows of each row.
double upload_bytes(const Supernodes& nodes, Offset entries, const DeviceLevels& levels) {
  constexpr double kFront = kDeviceFrontBytes + kDeviceTiledPlanBytes + kDevicePulledBytes;
  const double columns = nodes.first.empty() ? 0 : nodes.first.back();
  const std::vector<Index> children = child_counts(nodes.parent);
  double maps = 0, terms = 0;
  for (Index s = 0; s < nodes.count(); ++s) {
    const Index parent = nodes.parent[s];
    if (parent == kNone || !levels.is_tiled(static_cast<std::size_t>(parent))) continue;
    const double q = nodes.contribution(s);
    if (is_listed(children[parent], nodes.contribution(s)))
      terms += q * (q + 1) / 2;
    else
      maps += static_cast<double>(row_map_words({nodes.order(parent), nodes.pivots(parent)}));
  }
  constexpr double kIndex = sizeof(Index);
  const double rows = static_cast<double>(nodes.row_ptr.back()), fronts = nodes.count(),
               sweeps = 2 * rows - columns + fronts;
  return 2 * kIndex * (rows + static_cast<double>(entries)) + 2 * kIndex * columns +
         kFront * fronts + sizeof(RowMapWord) * maps + sizeof(std::uint32_t) * (terms + sweeps);
}

}  // namespace

DeviceWork count_device_work(const Supernodes& nodes, const DeviceLevels& levels, Offset entries) {
  DeviceWork work;
  const Index first_tiled = levels.begin[tiled];
  work.narrow.levels = levels.begin[small];
  work.small.levels = first_tiled - levels.begin[small];
  work.tiled.resize(static_cast<std::size_t>(levels.begin[3] - first_tiled));
  const auto group = [&](Index s) -> DeviceWork::Small& {
    return levels.kind[s] == narrow ? work.narrow : work.small;
  };
  const auto level = [&](Index s) -> DeviceWork::Level& {
    return work.tiled[levels.of[s] - first_tiled];
  };
  const auto bytes = [&](Index s) -> double& {
    return levels.kind[s] == tiled ? level(s).bytes : group(s).bytes;
  };
  for (Index s = 0; s < nodes.count(); ++s) {
    const Index m = nodes.order(s), p = nodes.pivots(s);
    const bool is_tiled = levels.kind[s] == tiled;
    const FrontBytes size = bytes_of(m, p, is_tiled);
    bytes(s) += size.panel + size.block;
    if (nodes.parent[s] != kNone) bytes(nodes.parent[s]) += size.block;
    if (is_tiled) {
      add_tiles({m, p}, level(s));
      level(s).largest_panel = std::max(level(s).largest_panel, size.panel);
    } else {
      ++group(s).fronts;
    }
  }
  work.upload_bytes = upload_bytes(nodes, entries, levels);
  return work;
}

}  // namespace kauri::symbolic
