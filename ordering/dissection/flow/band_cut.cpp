// Computes the minimum vertex cut of a band, and chooses between its two extremes. Cuts of a band
// around a separator: Chevalier & Pellegrini, "PT-Scotch", Parallel Computing 34 (2008); both
// extreme minimum cuts: Picard & Queyranne, "On the structure of all minimum cuts in a network",
// Mathematical Programming Study 13 (1980).
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/flow/band_cut.hpp"

#include <algorithm>

namespace kauri::ordering::dissection {
namespace {

bool better(const PartWeights& a, const PartWeights& b, const BandCutOptions& options) {
  if (options.score) return options.score(a) < options.score(b);
  if (a[kSeparator] != b[kSeparator]) return a[kSeparator] < b[kSeparator];
  return std::max(a[kLeft], a[kRight]) < std::max(b[kLeft], b[kRight]);
}

/// Largest factor by which the division of a band into copies of equal weight may multiply its
/// vertices and its edges: disjoint paths in the copies are then faster than a flow with
/// capacities.
constexpr double kMostDivided = 2;

/// Writes both extreme minimum cuts of a graph, after flow.run(graph): part[0] nearest to the
/// source, part[1] nearest to the sink.
template <class Flow, class Graph>
void find_cuts(Flow& flow, const Graph& graph, std::array<std::vector<std::uint8_t>, 2>& part) {
  for (auto& p : part) p.resize(static_cast<std::size_t>(graph.size()));
  flow.cut_near_sink(graph, part[1]);  // first: reads labels of run(), which the next call clears
  flow.cut_near_source(graph, part[0]);
}

/// Writes to `part` both extreme minimum cuts of a graph whose vertices weigh `unit` each, by
/// disjoint paths. separator: weight of the separator that the cut may replace. Returns the weight
/// of a minimum cut.
Offset run_paths(const BandGraph& graph, Index unit, Offset separator,
                 std::array<std::vector<std::uint8_t>, 2>& part, BandCutWorkspace& w) {
  w.paths.run(graph, static_cast<Index>(separator / unit));
  find_cuts(w.paths, graph, part);
  return Offset{unit} * w.paths.count();
}

void run_flow(Offset separator, BandCutWorkspace& w, BandCutResult& result) {
  const Band& band = w.band;
  if (band.uniform()) {
    result.flow = run_paths(band, band.weight(0), separator, w.part, w);
    result.phases += w.paths.phases();
  } else if (w.units.divide(band, kMostDivided)) {
    result.flow = run_paths(w.units, w.units.unit(), separator, w.unit_part, w);
    result.phases += w.paths.phases();
    for (std::size_t p = 0; p < w.part.size(); ++p) {
      w.part[p].resize(static_cast<std::size_t>(band.size()));
      for (Index i = 0; i < band.size(); ++i) w.part[p][i] = w.unit_part[p][w.units.first_part(i)];
    }
  } else {
    w.flow.run(band, separator);
    find_cuts(w.flow, band, w.part);
    result.flow = w.flow.value();
    result.phases += w.flow.phases();
  }
  result.band_vertices = band.size();
  result.band_edges = band.edges();
}

PartWeights weights_after(const Band& band, std::span<const std::uint8_t> part,
                          const PartWeights& weight) {
  PartWeights after = weight;
  for (std::size_t p = 0; p < after.size(); ++p) after[p] -= band.weights()[p];
  for (Index i = 0; i < band.size(); ++i) after[part[i]] += band.weight(i);
  return after;
}

}  // namespace

BandCutResult improve_separator(const GraphView& graph, std::span<std::uint8_t> side,
                                PartWeights& weight, const BandCutOptions& options,
                                BandCutWorkspace& w) {
  const std::array<Offset, 2> most{std::max(options.most_side, weight[kLeft]),
                                   std::max(options.most_side, weight[kRight])};
  BandCutResult result;
  PartWeights best = weight;
  const std::vector<std::uint8_t>* chosen = nullptr;
  if (weight[kSeparator] == 0) return result;
  w.band.collect(graph, side, weight, options.width,
                 {most[kRight] - weight[kRight] - weight[kSeparator],
                  most[kLeft] - weight[kLeft] - weight[kSeparator]});
  run_flow(weight[kSeparator], w, result);
  for (const auto& part : w.part) {
    const PartWeights after = weights_after(w.band, part, weight);
    // If a side of the graph is empty, so is the minimum cut: the old separator then joins the
    // other side, if that side does not get too heavy.
    if (after[kLeft] > most[kLeft] || after[kRight] > most[kRight] || !better(after, best, options))
      continue;
    best = after;
    chosen = &part;
  }
  if (chosen == nullptr) return result;
  result.improved = true;
  weight = best;
  for (Index i = 0; i < w.band.size(); ++i) side[w.band.vertex(i)] = (*chosen)[i];
  return result;
}

}  // namespace kauri::ordering::dissection
