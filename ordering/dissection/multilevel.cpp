// Coarsening, separators of the coarsest graph, and the way back.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/multilevel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/base/splitmix64.hpp"

namespace kauri::ordering::dissection {
namespace {

RefineLimits limits_of(const GraphView& graph, const MultilevelOptions& options, Index separator_size) {
  const Index total = graph.total_weight();
  return {static_cast<Index>(tune[1] * total), static_cast<int>(tune[2]), std::min<Index>(static_cast<Index>(tune[3]), 20 + separator_size)};
}

Separation coarsest_separation(const GraphView& graph, const MultilevelOptions& options, std::uint64_t seed, RefineWorkspace& workspace) {
  Separation best, now;
  double reference = 0;
  for (int k = 0; k < tune[0]; ++k) {
    NodeRefiner refiner(graph, now, workspace);
    refiner.grow(static_cast<Index>(splitmix64(seed) % static_cast<std::uint64_t>(graph.size())));
    refiner.refine(limits_of(graph, options, 50));
    if (k == 0) reference = static_cast<double>(now.weight[kSeparator]);
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

Separation multilevel_separation(const GraphView& graph, const MultilevelOptions& options, std::uint64_t seed,
                                 MultilevelWorkspace& workspace) {
  std::vector<Coarser> level;
  const auto view = [&](std::size_t k) { return k == 0 ? graph : level[k - 1].graph.view(); };
  const Index total = graph.total_weight();
  const Index most = std::max<Index>(2, static_cast<Index>(1.5 * total / tune[4]));
  while (view(level.size()).size() > tune[4]) {
    const GraphView fine = view(level.size());
    Coarser next = coarsen(fine, level.empty() ? std::span<const Index>{} : level.back().graph.edge_weight, most, workspace.coarsen);
    if (next.graph.size() > 0.95 * fine.size()) break;
    level.push_back(std::move(next));
  }
  Separation separation = coarsest_separation(view(level.size()), options, seed, workspace.refine);
  for (std::size_t k = level.size(); k-- > 0;) {
    separation = projected(separation, level[k].coarse_of);
    level.pop_back();
    const GraphView fine = view(k);
    NodeRefiner(fine, separation, workspace.refine).refine(limits_of(fine, options, static_cast<Index>(tune[3])));
  }
  return separation;
}

}  // namespace kauri::ordering::dissection
