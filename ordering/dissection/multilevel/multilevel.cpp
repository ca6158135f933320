// Coarsening, separations of the coarsest graph, and refinement on the finer levels.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/multilevel/multilevel.hpp"

#include <algorithm>
#include <utility>

#include "base/common/splitmix64.hpp"
#include "base/threads/blocks.hpp"

namespace kauri::ordering::dissection {
namespace {

constexpr Index kCoarsest = 60;           // vertices at which coarsening ends
constexpr double kLeastShrinking = 0.95;  // coarsening ends if more of the vertices than this stay
// Largest shares of the weight of a side. On irregular meshes a loose balance gives lighter
// separators, and an even looser one worse ones; on regular meshes a tight balance is best.
constexpr double kTight = 0.57, kLoose = 0.66;
constexpr Index kBoth = 1000;              // vertices of a level up to which both limits are tried
constexpr Index kMultilevelBlock = 65536;  // vertices in a task
constexpr int kTries = 2;                  // grown separations of the coarsest graph, per limit

Separation coarsest_separation(const GraphView& graph, std::uint64_t seed,
                               const RefineLimits& limits, RefineWorkspace& workspace) {
  Separation best, now;
  for (int k = 0; k < kTries; ++k) {
    NodeRefiner refiner(graph, now, workspace);
    refiner.grow(static_cast<Index>(splitmix64(seed) % static_cast<std::uint64_t>(graph.size())));
    refiner.refine(limits);
    if (k == 0 || costs_less(now.weight, best.weight)) std::swap(best, now);
  }
  return best;
}

Separation projected(const Separation& coarse, const std::vector<Index>& coarse_of) {
  Separation fine{std::vector<Side>(coarse_of.size()), coarse.weight};
  Blocks(static_cast<Index>(coarse_of.size()), kMultilevelBlock)
      .for_each([&](Index, Index begin, Index end) {
        for (Index v = begin; v < end; ++v) fine.side[v] = coarse.side[coarse_of[v]];
      });
  return fine;
}

std::vector<Coarser> coarsened(const GraphView& graph, bool backwards,
                               CoarsenWorkspace& workspace) {
  std::vector<Coarser> level;
  const Index total = graph.total_weight();
  const Index most = std::max<Index>(2, total / kCoarsest + total / kCoarsest / 2);
  GraphView fine = graph;
  while (fine.size() > kCoarsest) {
    Coarser next =
        coarsen(fine, level.empty() ? std::span<const Index>{} : level.back().graph.edge_weight,
                most, backwards, workspace);
    if (next.graph.size() > kLeastShrinking * fine.size()) break;
    level.push_back(std::move(next));
    fine = level.back().graph.view();
  }
  return level;
}

}  // namespace

MultilevelSearch::MultilevelSearch(const GraphView& graph, const MultilevelOptions& options,
                                   std::uint64_t seed, MultilevelWorkspace& workspace)
    : graph_(graph), thorough_(options.thorough) {
  std::vector<Coarser> level = coarsened(graph, options.backwards, workspace.coarsen);
  const auto view = [&] { return level.empty() ? graph : level.back().graph.view(); };
  for (const double share : {kTight, kLoose}) {
    RefineLimits limits{most_side(graph.total_weight(), share)};
    if (thorough_) limits.patience = kMostPatience;
    tracks_.push_back({limits, coarsest_separation(view(), seed, limits, workspace.refine)});
  }
  while (level.size() > 1) {
    const Coarser last = std::move(level.back());
    level.pop_back();
    go_down(view(), last.coarse_of, workspace.refine);
  }
  if (!level.empty()) coarse_of_ = std::move(level[0].coarse_of);
}

const PartWeights& MultilevelSearch::weight() const {
  const PartWeights& first = tracks_[0].separation.weight;
  if (tracks_.size() == 1) return first;
  const PartWeights& second = tracks_[1].separation.weight;
  return costs_less(second, first) ? second : first;
}

Separation MultilevelSearch::finish(MultilevelWorkspace& workspace) {
  if (!coarse_of_.empty()) go_down(graph_, coarse_of_, workspace.refine);
  if (tracks_.size() > 1) keep_better();
  return std::move(tracks_[0].separation);
}

void MultilevelSearch::go_down(const GraphView& graph, const std::vector<Index>& coarse_of,
                               RefineWorkspace& workspace) {
  if (tracks_.size() > 1 && graph.size() > kBoth && !thorough_) keep_better();
  for (Track& t : tracks_) {
    t.separation = projected(t.separation, coarse_of);
    NodeRefiner(graph, t.separation, workspace).refine(t.limits);
  }
}

void MultilevelSearch::keep_better() {
  if (costs_less(tracks_[1].separation.weight, tracks_[0].separation.weight))
    std::swap(tracks_[0], tracks_[1]);
  tracks_.pop_back();
}

Separation multilevel_separation(const GraphView& graph, const MultilevelOptions& options,
                                 std::uint64_t seed, MultilevelWorkspace& workspace) {
  return MultilevelSearch(graph, options, seed, workspace).finish(workspace);
}

}  // namespace kauri::ordering::dissection
