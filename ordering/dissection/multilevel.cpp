// Coarsening, separations of the coarsest graph, and the way back.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/multilevel.hpp"

#include <algorithm>
#include <utility>

#include "src/base/splitmix64.hpp"

namespace kauri::ordering::dissection {
namespace {

constexpr Index kCoarsest = 120;         // vertices at which coarsening ends
constexpr double kLeastShrinking = 0.95; // or where a level keeps more than this of the one before
constexpr int kTries = 4;                // separations of the coarsest graph

Separation coarsest_separation(const GraphView& graph, std::uint64_t seed, RefineWorkspace& workspace) {
  Separation best, now;
  double reference = 0;
  for (int k = 0; k < kTries; ++k) {
    NodeRefiner refiner(graph, now, workspace);
    refiner.grow(static_cast<Index>(splitmix64(seed) % static_cast<std::uint64_t>(graph.size())));
    refiner.refine({most_side(graph.total_weight())});
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

}  // namespace

Separation multilevel_separation(const GraphView& graph, std::uint64_t seed, MultilevelWorkspace& workspace) {
  std::vector<Coarser> level;
  const auto view = [&](std::size_t k) { return k == 0 ? graph : level[k - 1].graph.view(); };
  const Index total = graph.total_weight();
  const Index most = std::max<Index>(2, total / kCoarsest + total / kCoarsest / 2);
  while (view(level.size()).size() > kCoarsest) {
    const GraphView fine = view(level.size());
    Coarser next = coarsen(fine, level.empty() ? std::span<const Index>{} : level.back().graph.edge_weight, most, workspace.coarsen);
    if (next.graph.size() > kLeastShrinking * fine.size()) break;
    level.push_back(std::move(next));
  }
  Separation separation = coarsest_separation(view(level.size()), seed, workspace.refine);
  while (!level.empty()) {
    separation = projected(separation, level.back().coarse_of);
    level.pop_back();
    const GraphView fine = view(level.size());
    NodeRefiner(fine, separation, workspace.refine).refine({most_side(total)});
  }
  return separation;
}

}  // namespace kauri::ordering::dissection
