// best_separation(): compares multilevel separations and level sets, and improves the winner by
// minimum cuts.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/candidates.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/common/splitmix64.hpp"
#include "base/threads/blocks.hpp"

namespace kauri::ordering::dissection {
namespace {

// Largest ratios of predicted work at which the two sides of a separator try the winner alone:
// level sets to multilevel separations (kLevelSetsWin), and the reverse (kMultilevelWins). Level
// sets are better on lattices, where dissection continues as it began; multilevel separations on
// other meshes, where level sets sometimes win further down.
constexpr double kLevelSetsWin = 0.9, kMultilevelWins = 0.8;
// Ratio of predicted work to that of level sets above which a multilevel separation is given up
// before its refinement on a large graph itself. That refinement improved separations by factors of
// 1.3 to 1.6 on irregular meshes and by 3.6 on poisson3d 100, where level sets won nevertheless.
constexpr double kGivenUp = 2.5;
// Largest share of a side for level sets: distances ignore balance, and the thinnest level may be
// at a corner, where it cuts off too little.
constexpr double kMostLevelSetSide = 0.65;
// Largest share of a side after a minimum cut, which itself takes no account of balance.
constexpr double kMostCutSide = 0.6;
// A separation with a side of more than this share of all weight is lopsided: it loses against any
// that is not, and keeps no other method from being tried.
constexpr double kLopsided = 0.72;
constexpr Index kBandWidth = 5;
// Least number of vertices of a graph whose separator several threads search.
constexpr Index kShared = 20000;

bool lopsided(const Separation& s) {
  return heavier_side(s.weight) >
         most_side(s.weight[kLeft] + s.weight[kRight] + s.weight[kSeparator], kLopsided);
}

/// Returns true if a is better than b: not lopsided while b is, or, if both or neither are
/// lopsided, of less predicted work.
bool better(const Separation& a, const Separation& b) {
  if (const bool l = lopsided(a); l != lopsided(b)) return !l;
  return costs_less(a.weight, b.weight);
}

class Searcher {
 public:
  Searcher(const GraphView& graph, const Trials& trials, std::uint64_t seed,
           SeparatorWorkspaces& workspaces)
      : graph_(graph), trials_(trials), seed_(splitmix64(seed)), workspaces_(workspaces) {}

  SeparatorSearch run() {
    if (trials_.level_sets && trials_.multilevel && shared()) {
      // A thread that waits for one of the two must not take up another separation, which may take
      // much longer.
      side_by_side_alone([this] { try_level_sets(); },
                         [this] { trials_.follow ? begin_multilevel() : try_multilevel(); });
      if (begun_ && connected_ && !given_up()) finish_multilevel();
    } else {
      if (trials_.level_sets) try_level_sets();
      if (connected_ && (!level_set_ || (trials_.multilevel && !settled()))) try_multilevel();
    }
    SeparatorSearch found{{}, trials_};
    if (!connected_) return found;
    if (trials_.follow && level_set_ && (multilevel_ || begun_)) follow(found.below);
    if (multilevel_ && level_set_)
      found.best =
          better(*level_set_, *multilevel_) ? std::move(level_set_) : std::move(multilevel_);
    else
      found.best = multilevel_ ? std::move(multilevel_) : std::move(level_set_);
    const bool thin = is_thin(found.best->weight);
    found.is_across = thin && is_across(found.best->weight);
    if (!trials_.polish_all && (!thin || found.is_across)) polish(*found.best);
    return found;
  }

 private:
  [[nodiscard]] bool shared() const { return graph_.size() >= kShared; }

  // Returns true if the level set is thin and not lopsided: then no multilevel separation is tried,
  // since it could gain little.
  [[nodiscard]] bool settled() const {
    return is_thin(level_set_->weight) && !lopsided(*level_set_);
  }

  // Returns true if the multilevel separation, before its last refinement, is much worse than the
  // level set.
  [[nodiscard]] bool given_up() const {
    if (!level_set_ || lopsided(*level_set_)) return false;
    const PartWeights& weight = begun_->weight();
    const double reference = std::min(reference_of(weight), reference_of(level_set_->weight));
    return predicted_work(weight, reference) >
           kGivenUp * predicted_work(level_set_->weight, reference);
  }

  [[nodiscard]] bool is_across(const PartWeights& weight) {
    if (levels_ == 0) {  // no level sets were tried
      const auto workspace = workspaces_.use();
      levels_ = breadth_first(graph_, breadth_first(graph_, 0, workspace->level).farthest,
                              workspace->level)
                    .levels();
    }
    return 2 * Offset{levels_} * weight[kSeparator] >= graph_.total_weight();
  }

  void follow(Trials& below) const {
    if (!multilevel_) {  // the multilevel separation was given up before its last refinement
      below.multilevel = false;
      return;
    }
    const double reference =
        std::min(reference_of(multilevel_->weight), reference_of(level_set_->weight));
    const double multilevel = predicted_work(multilevel_->weight, reference),
                 level_set = predicted_work(level_set_->weight, reference);
    if (level_set < kLevelSetsWin * multilevel) below.multilevel = false;
    if (multilevel < kMultilevelWins * level_set) below.level_sets = false;
  }

  void begin_multilevel() {
    begun_.emplace(graph_, MultilevelOptions{false, trials_.thorough}, seed_,
                   workspaces_.use()->multilevel);
  }

  void try_multilevel() {
    begin_multilevel();
    finish_multilevel();
  }

  void finish_multilevel() {
    const auto workspace = workspaces_.use();
    multilevel_ = begun_->finish(workspace->multilevel);
    begun_.reset();
    if (trials_.backwards) {
      Separation other =
          multilevel_separation(graph_, {true, trials_.thorough}, seed_, workspace->multilevel);
      if (better(other, *multilevel_)) multilevel_ = std::move(other);
    }
    if (trials_.polish_all) polish(*multilevel_);
  }

  void polish(Separation& s) {
    if (s.weight[kSeparator] == 0) return;
    BandCutOptions options;
    options.width = kBandWidth;
    options.most_side = most_side(graph_.total_weight(), kMostCutSide);
    options.score = [reference = reference_of(s.weight)](const PartWeights& w) {
      return predicted_work(w, reference);
    };
    const auto workspace = workspaces_.use();
    for (int k = 0; k < trials_.rounds; ++k)
      if (!improve_separator(graph_, s.side, s.weight, options, workspace->cut).improved) break;
  }

  // Tries level sets of distances. Each source lies far from those before it; the first two are the
  // ends of a long shortest path.
  void try_level_sets() {
    const auto workspace = workspaces_.use();
    constexpr Index start = 0;  // often at a corner, where numberings begin
    Distances from = breadth_first(graph_, start, workspace->level);
    connected_ = from.reached == graph_.size();
    if (!connected_) return;
    std::vector<Distances> source;
    source.push_back(breadth_first(graph_, from.farthest, workspace->level));
    levels_ = source[0].levels();
    if (trials_.sources > 1 && source[0].of[start] + 1 == source[0].levels())
      source.push_back(std::move(from));
    while (static_cast<int>(source.size()) < trials_.sources)
      source.push_back(breadth_first(
          graph_, source.size() < 2 ? source[0].farthest : far_from(source), workspace->level));
    refine_best(thresholds(source));
  }

  // Returns the vertex whose nearest source is farthest away, the first of several.
  [[nodiscard]] Index far_from(const std::vector<Distances>& source) const {
    Index best = 0, distance = -1;
    for (Index v = 0; v < graph_.size(); ++v) {
      Index nearest = source[0].of[v];
      for (const Distances& s : source) nearest = std::min(nearest, s.of[v]);
      if (nearest > distance) best = v, distance = nearest;
    }
    return best;
  }

  // Returns the best level-set separation of each function, which is the distance from one source
  // or the difference of two distances: the best first, at most trials_.refined of them.
  std::vector<Separation> thresholds(const std::vector<Distances>& source) {
    std::vector<std::pair<std::size_t, std::size_t>>
        function;  // pairs (j, k) of sources: distance from source j if j = k, else the difference
    for (std::size_t k = 0; k < source.size(); ++k)
      for (std::size_t j = 0; j <= k; ++j) function.emplace_back(j, k);
    std::vector<Separation> found(function.size());
    for_each(function.size(), [&](std::size_t f) {
      const Distances &a = source[function[f].first], &b = source[function[f].second];
      const auto workspace = workspaces_.use();
      if (a.levels() < 3 || b.levels() < 3) return;
      found[f] = &a == &b
                     ? level_separation(graph_, a, kMostLevelSetSide, workspace->level)
                     : difference_separation(graph_, a, b, kMostLevelSetSide, workspace->level);
    });
    std::erase_if(found, [](const Separation& s) { return s.side.empty(); });
    // One reference for all makes the predicted work comparable; of equal separations the first
    // wins.
    double reference = std::numeric_limits<double>::max();
    for (const Separation& s : found) reference = std::min(reference, reference_of(s.weight));
    std::vector<std::tuple<bool, double, std::size_t>> rank;
    rank.reserve(found.size());
    for (const Separation& s : found)
      rank.emplace_back(lopsided(s), predicted_work(s.weight, reference), rank.size());
    std::sort(rank.begin(), rank.end());
    rank.resize(std::min(rank.size(), static_cast<std::size_t>(trials_.refined)));
    std::vector<Separation> best;
    best.reserve(rank.size());
    for (const auto& [heavy, work, k] : rank) best.push_back(std::move(found[k]));
    return best;
  }

  void refine_best(std::vector<Separation> found) {
    for_each(found.size(), [&](std::size_t k) {
      const auto workspace = workspaces_.use();
      NodeRefiner(graph_, found[k], workspace->multilevel.refine)
          .refine({most_side(graph_.total_weight(), kMostLevelSetSide)});
      if (trials_.polish_all) polish(found[k]);
    });
    for (Separation& s : found)
      if (!level_set_ || better(s, *level_set_)) level_set_ = std::move(s);
  }

  template <class F>
  void for_each(std::size_t count, F&& f) const {
    const auto n = static_cast<Index>(count);
    Blocks(n, shared() ? 1 : std::max<Index>(n, 1)).for_each([&](Index, Index begin, Index end) {
      for (Index k = begin; k < end; ++k) f(static_cast<std::size_t>(k));
    });
  }

  const GraphView graph_;
  const Trials& trials_;
  const std::uint64_t seed_;
  SeparatorWorkspaces& workspaces_;
  std::optional<MultilevelSearch> begun_;  // search whose finish() was not called yet
  std::optional<Separation> multilevel_, level_set_;
  bool connected_ = true;
  Index levels_ = 0;  // number of levels of a search from the end of a long path; 0: not searched
};

}  // namespace

SeparatorSearch best_separation(const GraphView& graph, const Trials& trials, std::uint64_t seed,
                                SeparatorWorkspaces& workspaces) {
  return Searcher(graph, trials, seed, workspaces).run();
}

}  // namespace kauri::ordering::dissection
