// Coarsening, separations of the coarsest graph, and the way back.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/multilevel.hpp"

#include <algorithm>
#include <utility>

#include "src/base/blocks.hpp"
#include "src/base/splitmix64.hpp"

namespace kauri::ordering::dissection {
namespace {

constexpr Index kCoarsest = 60;           // vertices at which coarsening ends
constexpr double kLeastShrinking = 0.95;  // or where a level keeps more than this of the one before
// Shares of the weight that a side may reach: separators of irregular meshes are lighter where balance is loose, and worse where it is
// looser still, those of regular ones where it is tight.
constexpr double kTight = 0.57, kLoose = 0.66;
constexpr Index kBoth = 1000;              // vertices of a level up to which both are kept
constexpr Index kMultilevelBlock = 65536;  // vertices that are worth a task
constexpr int kTries = 2;                  // separations of the coarsest graph

Separation coarsest_separation(const GraphView& graph, std::uint64_t seed, const RefineLimits& limits, RefineWorkspace& workspace) {
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
  Blocks(static_cast<Index>(coarse_of.size()), kMultilevelBlock).for_each([&](Index, Index begin, Index end) {
    for (Index v = begin; v < end; ++v) fine.side[v] = coarse.side[coarse_of[v]];
  });
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

Separation multilevel_separation(const GraphView& graph, const MultilevelOptions& options, std::uint64_t seed,
                                 MultilevelWorkspace& workspace) {
  std::vector<Coarser> level = coarsened(graph, options.backwards, workspace.coarsen);
  const auto view = [&] { return level.empty() ? graph : level.back().graph.view(); };
  const auto limits = [&](double share) {
    RefineLimits made{most_side(graph.total_weight(), share)};
    if (options.thorough) made.patience = kMostPatience;
    return made;
  };
  struct Track {
    RefineLimits limits;
    Separation separation;
  };
  std::vector<Track> tracks{{limits(kTight), {}}, {limits(kLoose), {}}};
  for (Track& t : tracks) t.separation = coarsest_separation(view(), seed, t.limits, workspace.refine);
  const auto keep_better = [&tracks] {
    if (costs_less(tracks[1].separation.weight, tracks[0].separation.weight)) std::swap(tracks[0], tracks[1]);
    tracks.pop_back();
  };
  while (!level.empty()) {
    const Coarser last = std::move(level.back());
    level.pop_back();
    if (tracks.size() > 1 && view().size() > kBoth && !options.thorough) keep_better();
    for (Track& t : tracks) {
      t.separation = projected(t.separation, last.coarse_of);
      NodeRefiner(view(), t.separation, workspace.refine).refine(t.limits);
    }
  }
  if (tracks.size() > 1) keep_better();
  return std::move(tracks[0].separation);
}

}  // namespace kauri::ordering::dissection
