// Multilevel separations and level sets side by side.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/candidates.hpp"

#include <algorithm>
#include <utility>
#include <cstdio>
#include <cstdlib>

#include "src/base/splitmix64.hpp"

namespace kauri::ordering::dissection {
namespace {

double weight_of(const Separation& s) { return static_cast<double>(std::max<Offset>(1, s.weight[kSeparator])); }

/// True if a is better than b by what both are predicted to cost.
bool better(const Separation& a, const Separation& b) {
  const auto lopsided = [](const Separation& s) { return static_cast<double>(std::max(s.weight[kLeft], s.weight[kRight])) > 0.72 * static_cast<double>(s.weight[kLeft] + s.weight[kRight] + s.weight[kSeparator]); };
  if (const bool l = lopsided(a); l != lopsided(b)) return !l;
  const double reference = std::min(weight_of(a), weight_of(b));
  return predicted_work(a.weight, reference) < predicted_work(b.weight, reference);
}

void keep_better(std::optional<Separation>& best, Separation&& s) {
  if (!best || better(s, *best)) best = std::move(s);
}

class Search {
 public:
  Search(const GraphView& graph, const Trials& trials, std::uint64_t seed, SeparatorWorkspace& workspace)
      : graph_(graph), trials_(trials), seed_(seed), w_(workspace), total_(graph.total_weight()) {}

  Found run() {
    Found found;
    std::optional<Separation> ml, ls;
    if (trials_.level_sets) {
      ls = level_sets(found.reached);
      if (!found.reached.empty()) return found;
    }
    if (trials_.multilevel || !ls) {
      ml = multilevel_separation(graph_, {}, splitmix64(seed_), w_.multilevel);
      if (trials_.polish_all) polish(*ml);
    }
    if (getenv("DBG") && graph_.size() > 4000) { printf("n %d", graph_.size()); if (ls) printf(" ls %ld %.3f", (long)ls->weight[2], double(ls->weight[0])/(ls->weight[0]+ls->weight[1])); if (ml) printf(" ml %ld %.3f", (long)ml->weight[2], double(ml->weight[0])/(ml->weight[0]+ml->weight[1])); printf("\n"); }
    if (ml && ls) {
      const double reference = std::min(weight_of(*ml), weight_of(*ls));
      found.multilevel_work = predicted_work(ml->weight, reference);
      found.level_set_work = predicted_work(ls->weight, reference);
    }
    found.best = std::move(ls);
    if (ml) keep_better(found.best, std::move(*ml));
    if (!trials_.polish_all) polish(*found.best);
    return found;
  }

 private:
  void polish(Separation& s) {
    if (s.weight[kSeparator] == 0) return;
    BandCutOptions options;
    options.width = static_cast<Index>(tune[15]);
    options.excess = tune[9];
    options.most_side = static_cast<Offset>(tune[1] * static_cast<double>(total_));
    options.score = [reference = weight_of(s)](const PartWeights& w) { return predicted_work(w, reference); };
    for (int k = 0; k < trials_.rounds; ++k)
      if (!improve_separator(graph_, s.side, s.weight, options, w_.cut).improved) break;
  }

  // Each source lies far from those before it: the first two are ends of a long shortest path.
  std::optional<Separation> level_sets(std::vector<Index>& reached) {
    const auto start = static_cast<Index>(splitmix64(seed_) % static_cast<std::uint64_t>(graph_.size()));
    Distances from = breadth_first(graph_, start, w_.level);
    if (from.reached < graph_.size()) {
      reached = std::move(from.of);
      return {};
    }
    std::vector<Distances> source;
    while (static_cast<int>(source.size()) < trials_.sources) {
      const Index next = source.size() < 2 ? from.farthest : far_from(source);
      source.push_back(breadth_first(graph_, next, w_.level));
      from.farthest = source.back().farthest;
    }
    return best_of(source);
  }

  // The vertex whose nearest source is farthest away, the first of several.
  [[nodiscard]] Index far_from(const std::vector<Distances>& source) const {
    Index best = 0, distance = -1;
    for (Index v = 0; v < graph_.size(); ++v) {
      Index nearest = source[0].of[v];
      for (const Distances& s : source) nearest = std::min(nearest, s.of[v]);
      if (nearest > distance) best = v, distance = nearest;
    }
    return best;
  }

  std::optional<Separation> best_of(const std::vector<Distances>& source) {
    std::vector<Separation> raw;
    const auto consider = [&](std::span<const Index> key, Index keys) {
      if (keys > 2) raw.push_back(threshold_separation(graph_, key, keys, tune[5], w_.level));
    };
    for (std::size_t k = 0; k < source.size(); ++k) {
      consider(source[k].of, source[k].levels());
      for (std::size_t j = 0; j < k; ++j) consider(difference(source[j], source[k]), source[j].levels() + source[k].levels());
    }
    std::stable_sort(raw.begin(), raw.end(), better);
    std::optional<Separation> best;
    if (raw.size() > static_cast<std::size_t>(trials_.refined)) raw.resize(static_cast<std::size_t>(trials_.refined));
    for (Separation& s : raw) {
      NodeRefiner(graph_, s, w_.multilevel.refine).refine({static_cast<Index>(tune[5] * static_cast<double>(total_)), static_cast<int>(tune[2]), static_cast<Index>(tune[3])});
      if (trials_.polish_all) polish(s);
      keep_better(best, std::move(s));
    }
    return best;
  }

  std::span<const Index> difference(const Distances& a, const Distances& b) {
    w_.level.key.resize(a.of.size());
    for (std::size_t v = 0; v < a.of.size(); ++v) w_.level.key[v] = a.of[v] - b.of[v] + b.levels() - 1;
    return w_.level.key;
  }

  const GraphView graph_;
  const Trials& trials_;
  std::uint64_t seed_;
  SeparatorWorkspace& w_;
  const Index total_;
};

}  // namespace

Found best_separation(const GraphView& graph, const Trials& trials, std::uint64_t seed, SeparatorWorkspace& workspace) {
  return Search(graph, trials, seed, workspace).run();
}

}  // namespace kauri::ordering::dissection
