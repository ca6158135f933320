// Improves a vertex separator by flow: replaces it by a minimum vertex cut of the band around it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ordering/dissection/flow/band.hpp"
#include "ordering/dissection/flow/capacity_flow.hpp"
#include "ordering/dissection/flow/disjoint_paths.hpp"

namespace kauri::ordering::dissection {

struct BandCutOptions {
  Index width = 5;  ///< layers of the band on each side of the separator; a wider band costs more
                    ///< and finds lighter cuts
  Offset most_side = 0;  ///< largest weight of a side after the cut; a side that is heavier before
                         ///< may keep its weight, but not grow
  /// Score of a separation by its part weights, less is better. Empty: weight of the separator,
  /// then of the heavier side.
  std::function<double(const PartWeights&)> score;
};

/// Statistics of improve_separator(), for tuning.
struct BandCutResult {
  bool improved = false;  ///< the separator was replaced
  Offset flow = 0;  ///< weight of a minimum cut of the band, at most that of the old separator
  Index band_vertices = 0;  ///< vertices of the band; 0 if there was no separator
  Offset band_edges = 0;    ///< directed edges of the band
  Index phases = 0;         ///< number of breadth-first passes of the flow
};

/// Workspace of improve_separator(), one per thread; grows with the largest graph (4 bytes a
/// vertex) and the largest band.
struct BandCutWorkspace {
  Band band;
  UnitBand units;
  DisjointPaths paths;
  CapacityFlow flow;
  std::array<std::vector<std::uint8_t>, 2>
      part;  // by band vertex: its part by the cut nearest the source, and by that nearest the sink
  std::array<std::vector<std::uint8_t>, 2> unit_part;
};

/// Replaces the separator by a minimum-weight vertex cut within options.width layers of it if that
/// is better by options.score. Of the two extreme minimum cuts, nearest to the left and nearest to
/// the right, the better one is taken. The band is limited so that no side gets too heavy if the
/// separator and all of the band on the other side joined that side. If neither cut is better,
/// nothing changes. The separator never gets heavier, and a nonempty side stays nonempty. side:
/// length n, kLeft, kRight or kSeparator; no edge joins left and right. weight: weights of these
/// three parts. Updates side and weight. The result is a function of the arguments alone, not of
/// the workspace's content. O(band edges) per phase; of the rest of the graph only the n bytes of
/// `side` are read, once per band.
BandCutResult improve_separator(const GraphView& graph, std::span<std::uint8_t> side,
                                PartWeights& weight, const BandCutOptions& options,
                                BandCutWorkspace& workspace);

}  // namespace kauri::ordering::dissection
