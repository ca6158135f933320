// The flow polish of a vertex separator: it is exchanged for a minimum vertex cut of the band round it.
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
  Index width = 5;       ///< layers of the band on each side; a wider band costs more and finds more
  Offset most_side = 0;  ///< weight that neither side may have afterwards, unless it has it now and does not grow
  /// What a separation of these part weights is worth, less is better; empty: weight of the separator, then of the heavier side.
  std::function<double(const PartWeights&)> score;
};

/// What was done, for tuning.
struct BandCutResult {
  bool improved = false;
  Offset flow = 0;          ///< weight of a minimum cut of the band; the old separator's where that was reached
  Index band_vertices = 0;  ///< 0: there was no separator
  Offset band_edges = 0;    ///< directed
  Index phases = 0;         ///< breadth-first passes of the flow
};

/// Kept from one call to the next, one for each thread; grows with the largest graph (4 bytes a vertex) and the largest band.
struct BandCutWorkspace {
  Band band;
  UnitBand units;
  DisjointPaths paths;
  CapacityFlow flow;
  std::array<std::vector<std::uint8_t>, 2> part;  // by band vertex, of the cut nearest the source and the one nearest the sink
  std::array<std::vector<std::uint8_t>, 2> unit_part;
};

/// Exchanges the separator for a minimum-weight vertex cut within `width` layers of it, where that is better: of the two extreme minimum
/// cuts, the one nearest to the left and the one nearest to the right, the better one. The band ends where a side could get too heavy if
/// all of the band across, and the separator, went over to it. Where neither is better than what is there, nothing changes. The separator
/// never gets heavier, and a side with vertices keeps some. side: length n, kLeft, kRight or kSeparator, no edge joins left and right;
/// weight: of the three parts. Both are updated. A function of its arguments alone. O(band edges) a phase; of the rest of the graph only
/// the n bytes of `side` are read, once a band.
BandCutResult improve_separator(const GraphView& graph, std::span<std::uint8_t> side, PartWeights& weight, const BandCutOptions& options,
                                BandCutWorkspace& workspace);

}  // namespace kauri::ordering::dissection
