// Coarsening, separations of the coarsest graph, and the way back.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/multilevel.hpp"

#include <algorithm>
#include <utility>

#include "src/base/splitmix64.hpp"

namespace kauri::ordering::dissection {
namespace {

constexpr Index kCoarsest = 120;          // vertices at which coarsening ends
constexpr double kLeastShrinking = 0.95;  // or where a level keeps more than this of the one before
// Shares of the weight that a side may reach: separators of irregular meshes are lighter where balance is loose, and worse where it is
// looser still, those of regular ones where it is tight.
constexpr double kTight = 0.57, kLoose = 0.66;
constexpr int kTries = 4;  // separations of the coarsest graph

struct Track {
  double share;  // that either side may reach
  Separation separation;
};

Separation coarsest_separation(const GraphView& graph, std::uint64_t seed, double share, RefineWorkspace& workspace) {
  Separation best, now;
  double reference = 0;
  for (int k = 0; k < kTries; ++k) {
    NodeRefiner refiner(graph, now, workspace);
    refiner.grow(static_cast<Index>(splitmix64(seed) % static_cast<std::uint64_t>(graph.size())));
    refiner.refine({most_side(graph.total_weight(), share)});
    if (k == 0) reference = reference_of(now.weight);
    if (k == 0 || predicted_work(now.weight, reference) < predicted_work(best.weight, reference)) std::swap(best, now);
  }
  return best;
}

Separation projected(const Separation& coarse, const std::vector<Index>& coarse_of) {
  Separation fine{std::vector<Side>(coarse_of.size()), coarse.weight};
  for (std::size_t v = 0; v < coarse_of.size(); ++v) fine.side[v] = coarse.side[coarse_of[v]];
  return fine;
}

std::vector<Coarser> coarsened(const GraphView& graph, bool backwards, CoarsenWorkspace& workspace) {
  std::vector<Coarser> level;
  const Index total = graph.total_weight();
  const Index most = std::max<Index>(2, total / kCoarsest + total / kCoarsest / 2);
  GraphView fine = graph;
  while (fine.size() > kCoarsest) {
    Coarser next = coarsen(fine, level.empty() ? std::span<const Index>{} : level.back().graph.edge_weight, most, backwards, workspace);
    if (next.graph.size() > kLeastShrinking * fine.size()) break;
    level.push_back(std::move(next));
    fine = level.back().graph.view();
  }
  return level;
}

}  // namespace

Separation multilevel_separation(const GraphView& graph, std::uint64_t seed, bool backwards, MultilevelWorkspace& workspace) {
  std::vector<Coarser> level = coarsened(graph, backwards, workspace.coarsen);
  const auto view = [&](std::size_t k) { return k == 0 ? graph : level[k - 1].graph.view(); };
  const Offset total = graph.total_weight();
  Track track[] = {{kTight, {}}, {kLoose, {}}};
  for (Track& t : track) t.separation = coarsest_separation(view(level.size()), seed, t.share, workspace.refine);
  while (!level.empty()) {
    const Coarser last = std::move(level.back());
    level.pop_back();
    for (Track& t : track) {
      t.separation = projected(t.separation, last.coarse_of);
      NodeRefiner(view(level.size()), t.separation, workspace.refine).refine({most_side(total, t.share)});
    }
  }
  Separation &tight = track[0].separation, &loose = track[1].separation;
  const double reference = std::min(reference_of(tight.weight), reference_of(loose.weight));
  return predicted_work(loose.weight, reference) < predicted_work(tight.weight, reference) ? std::move(loose) : std::move(tight);
}

}  // namespace kauri::ordering::dissection
