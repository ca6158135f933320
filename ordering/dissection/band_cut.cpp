// The exact minimum vertex cut of a band and the choice between its two extremes. Cuts of a band round a separator: Chevalier & Pellegrini,
// "PT-Scotch", Parallel Computing 34 (2008); both extreme minimum cuts: Picard & Queyranne, "On the structure of all minimum cuts in a
// network", Mathematical Programming Study 13 (1980).
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/band_cut.hpp"

#include <algorithm>

namespace kauri::ordering::dissection {
namespace {

bool better(const PartWeights& a, const PartWeights& b, const BandCutOptions& options) {
  if (options.score) return options.score(a) < options.score(b);
  if (a[kSeparator] != b[kSeparator]) return a[kSeparator] < b[kSeparator];
  return std::max(a[kLeft], a[kRight]) < std::max(b[kLeft], b[kRight]);
}

// Runs the flow and leaves both extreme cuts in the workspace.
template <class Flow>
void find_cuts(const Band& band, Flow& flow, BandCutWorkspace& w) {
  for (auto& part : w.part) part.resize(static_cast<std::size_t>(band.size()));
  flow.cut_near_sink(band, w.part[1]);  // in this order: the last phase is its search
  flow.cut_near_source(band, w.part[0]);
}

PartWeights weights_after(const Band& band, const std::vector<std::uint8_t>& part, const PartWeights& weight) {
  PartWeights after;
  for (std::size_t p = 0; p < after.size(); ++p) after[p] = weight[p] - band.weights()[p];
  for (Index i = 0; i < band.size(); ++i) after[part[i]] += band.weight(i);
  return after;
}

}  // namespace

BandCutResult improve_separator(const GraphView& graph, std::span<std::uint8_t> side, PartWeights& weight, const BandCutOptions& options,
                                BandCutWorkspace& workspace) {
  auto& w = workspace;
  const std::array<Offset, 2> most{std::max(options.most_side, weight[kLeft]), std::max(options.most_side, weight[kRight])};
  // Were a whole side of the band and the separator to move over, the other side would still keep its limit.
  w.band.collect(graph, side, weight, options.width,
                 {most[kRight] - weight[kRight] - weight[kSeparator], most[kLeft] - weight[kLeft] - weight[kSeparator]});
  const Band& band = w.band;
  BandCutResult result;
  result.band_vertices = band.size();
  result.band_edges = band.edges();
  if (band.size() == 0) return result;
  if (band.uniform()) {
    const Offset unit = band.weight(0);
    w.paths.run(band, static_cast<Index>(weight[kSeparator] / unit));
    find_cuts(band, w.paths, w);
    result.flow = unit * w.paths.count();
    result.phases = w.paths.phases();
  } else {
    w.flow.run(band, weight[kSeparator]);
    find_cuts(band, w.flow, w);
    result.flow = w.flow.value();
    result.phases = w.flow.phases();
  }
  PartWeights best = weight;
  const std::vector<std::uint8_t>* part = nullptr;
  for (const auto& candidate : w.part) {
    const PartWeights after = weights_after(band, candidate, weight);
    if (after[kLeft] > most[kLeft] || after[kRight] > most[kRight] || !better(after, best, options)) continue;
    best = after;
    part = &candidate;
  }
  if (part == nullptr) return result;
  result.improved = true;
  weight = best;
  for (Index i = 0; i < band.size(); ++i) side[band.vertex(i)] = (*part)[i];
  return result;
}

}  // namespace kauri::ordering::dissection
