// Greedy bottom-up merging by predicted seconds (after Ashcraft & Grimes 1989).
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/amalgamate.hpp"

#include <algorithm>
#include <utility>

#include "symbolic/children.hpp"

namespace kauri::symbolic {
namespace {

/// Of a front in a factorisation and a solve.
double seconds_of(const CostTable& table, Index m, Index p) { return front_seconds(table, m, p) + 2 * front_sweep_seconds(table, m, p); }

/// One pass over the tree at a given price of padding.
class Merger {
 public:
  /// seconds: of each front as it is; stored: the sum of m p.
  Merger(const FrontTree& fronts, const Children& children, const CostTable& table, double padding_s, std::vector<double> seconds,
         double stored)
      : children_(children),
        table_(table),
        padding_s_(padding_s),
        tree_(fronts),
        merged_(fronts.parent.size(), 0),
        stored_(stored),
        seconds_(std::move(seconds)) {}

  /// False, with the pass left half done, once more than `limit` entries are stored: merging never makes them fewer.
  bool run(double limit) {
    for (Index s = 0; s < tree_.count() && stored_ <= limit; ++s) absorb_children(s);
    return stored_ <= limit;
  }

  [[nodiscard]] bool merged(Index s) const { return merged_[s] != 0; }  // into its parent
  [[nodiscard]] const FrontTree& tree() const { return tree_; }         // sizes are right for fronts that are not merged

 private:
  struct Candidate {
    double delta;  // seconds lost, below 0
    Index child;
    double together;  // seconds of the two as one

    bool operator<(const Candidate& other) const { return delta != other.delta ? delta < other.delta : child < other.child; }
  };

  /// Seconds lost (gained if negative) by merging c into s as s is now.
  double price(Index c, Index s, double& together) const {
    const Index p = tree_.pivots[c] + tree_.pivots[s], m = tree_.pivots[c] + tree_.order[s];
    together = seconds_of(table_, m, p);
    return together - seconds_[c] - seconds_[s] + padding_s_ * padding(c, s);
  }

  /// Entries of zeros stored once c is merged into s. Exact: far below 2^53.
  [[nodiscard]] double padding(Index c, Index s) const {
    const double p = tree_.pivots[c] + tree_.pivots[s], m = tree_.pivots[c] + tree_.order[s];
    return m * p - static_cast<double>(tree_.order[c]) * tree_.pivots[c] - static_cast<double>(tree_.order[s]) * tree_.pivots[s];
  }

  void absorb_children(Index s) {
    candidates_.clear();
    for (const Index c : children_.of(s)) {
      Candidate candidate{0, c, 0};
      candidate.delta = price(c, s, candidate.together);
      if (candidate.delta < 0) candidates_.push_back(candidate);
    }
    if (candidates_.size() > 1) std::sort(candidates_.begin(), candidates_.end());
    bool grown = false;
    for (auto& [delta, c, together] : candidates_) {
      if (grown && price(c, s, together) >= 0) continue;
      stored_ += padding(c, s);
      tree_.order[s] += tree_.pivots[c];
      tree_.pivots[s] += tree_.pivots[c];
      seconds_[s] = together;
      merged_[c] = 1;
      grown = true;
    }
  }

  const Children& children_;
  const CostTable& table_;
  double padding_s_;
  FrontTree tree_;
  std::vector<unsigned char> merged_;
  double stored_;  // sum of m p over the fronts as merged so far
  std::vector<double> seconds_;
  std::vector<Candidate> candidates_;
};

Groups compact(const FrontTree& fronts, const Merger& merger) {
  const Index count = fronts.count();
  Groups groups;
  groups.group.assign(fronts.parent.size(), kNone);
  for (Index s = 0; s < count; ++s)
    if (!merger.merged(s)) {
      groups.group[s] = groups.fronts.count();
      groups.fronts.parent.push_back(kNone);
      groups.fronts.order.push_back(merger.tree().order[s]);
      groups.fronts.pivots.push_back(merger.tree().pivots[s]);
    }
  for (Index s = count - 1; s >= 0; --s) {
    const Index up = fronts.parent[s];
    if (merger.merged(s))
      groups.group[s] = groups.group[up];
    else if (up != kNone)
      groups.fronts.parent[groups.group[s]] = groups.group[up];
  }
  return groups;
}

}  // namespace

Groups no_amalgamation(FrontTree fronts) {
  std::vector<Index> group(fronts.parent.size());
  for (Index s = 0; s < fronts.count(); ++s) group[s] = s;
  return {std::move(group), std::move(fronts)};
}

double storage_limit(const FrontTree& fronts) {
  double stored = 0, columns = 0;
  for (Index s = 0; s < fronts.count(); ++s) {
    stored += static_cast<double>(fronts.order[s]) * fronts.pivots[s];
    columns += fronts.pivots[s];
  }
  return stored + std::max(0.3 * stored, 4 * columns);
}

Groups amalgamate(const FrontTree& fronts, const CostTable& table) {
  const double limit = storage_limit(fronts);
  const Children children = children_of(fronts.parent);
  std::vector<double> seconds;
  seconds.reserve(fronts.parent.size());
  double stored = 0;
  for (Index s = 0; s < fronts.count(); ++s) {
    seconds.push_back(seconds_of(table, fronts.order[s], fronts.pivots[s]));
    stored += static_cast<double>(fronts.order[s]) * fronts.pivots[s];
  }
  for (double padding_s = table.padding_s;; padding_s *= 2) {
    Merger merger(fronts, children, table, padding_s, seconds, stored);
    if (merger.run(limit)) return compact(fronts, merger);
  }
}

}  // namespace kauri::symbolic
