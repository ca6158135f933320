// Greedy bottom-up merging by predicted seconds (after Ashcraft & Grimes 1989).
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/amalgamate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "symbolic/children.hpp"

namespace kauri::symbolic {
namespace {

/// Of a front in a factorisation and a solve.
double seconds_of(const CostTable& table, Index m, Index p) { return front_seconds(table, m, p) + 2 * front_sweep_seconds(table, m, p); }

/// Power of a path's length, relative to the longest one's, that says how much it counts.
constexpr double kSharpness = 2;

/// The longest paths from leaves up to fronts, as children are merged into their parents.
class Paths {
 public:
  /// tree, merged: as they are when a call is made. seconds: of each front as it is now.
  Paths(const FrontTree& tree, const std::vector<unsigned char>& merged, const CostTable& table, std::span<const double> seconds)
      : tree_(tree), merged_(merged), table_(table), share_(critical(tree, table, seconds)), below_(seconds.size(), 0.0) {
    double total = 0;
    for (const double x : share_) total += x;
    for (Index s = 0; s < tree.count(); ++s)
      if (tree.parent[s] != kNone) share_[tree.parent[s]] += share_[s];
    for (double& x : share_) x *= table.path_weight / total;
  }

  /// Begins with front s and its children.
  void enter(Index s, std::span<const Index> children) {
    own_ = share_[s];
    below_[s] = 0;
    first_ = 0, second_ = 1;
    child_.clear();
    for (const Index c : children) child_.push_back({below_[c] + front_latency(table_, tree_.order[c], tree_.pivots[c]), c});
    std::sort(child_.begin(), child_.end(),
              [](const Child& a, const Child& b) { return a.path != b.path ? a.path > b.path : a.index < b.index; });
  }
  /// Seconds of one core that the longer path is worth if c is merged into s, which makes a front of order m with p pivots.
  [[nodiscard]] double price(Index c, Index s, Index m, Index p) const {
    const double before = front_latency(table_, tree_.order[s], tree_.pivots[s]) + std::max(below_[s], longest(kNone));
    const double after = front_latency(table_, m, p) + std::max({below_[s], below_[c], longest(c)});
    return own_ * (after - before);
  }
  void merge(Index c, Index s) {
    below_[s] = std::max(below_[s], below_[c]);
    first_ = next(first_);
    second_ = next(std::max(second_, first_ + 1));
  }
  void leave(Index s) { below_[s] = std::max(below_[s], longest(kNone)); }

 private:
  struct Child {
    double path;
    Index index;
  };
  [[nodiscard]] std::size_t next(std::size_t k) const {
    while (k < child_.size() && merged_[child_[k].index] != 0) ++k;
    return k;
  }
  /// Seconds of each front, less where the longest path through it is shorter than others.
  static std::vector<double> critical(const FrontTree& fronts, const CostTable& table, std::span<const double> seconds) {
    std::vector<double> up(seconds.size(), 0.0), down(up);
    double longest = 0;
    for (Index s = 0; s < fronts.count(); ++s) {
      up[s] += front_latency(table, fronts.order[s], fronts.pivots[s]);
      const Index parent = fronts.parent[s];
      (parent == kNone ? longest : up[parent]) = std::max(parent == kNone ? longest : up[parent], up[s]);
    }
    std::vector<double> critical(seconds.begin(), seconds.end());
    for (Index s = fronts.count() - 1; s >= 0; --s) {
      if (const Index parent = fronts.parent[s]; parent != kNone)
        down[s] = down[parent] + front_latency(table, fronts.order[parent], fronts.pivots[parent]);
      critical[s] *= std::pow((up[s] + down[s]) / longest, kSharpness);
    }
    return critical;
  }

  /// Of the children that are left, but for c.
  [[nodiscard]] double longest(Index c) const {
    const std::size_t k = first_ < child_.size() && child_[first_].index == c ? second_ : first_;
    return k < child_.size() ? child_[k].path : 0.0;
  }

  const FrontTree& tree_;
  const std::vector<unsigned char>& merged_;
  const CostTable& table_;
  std::vector<double> share_;           // of all critical work, in and below each front, times the weight of a path
  std::vector<double> below_;           // longest path up to the children of a front as merged
  std::vector<Child> child_;            // of the front entered, longest first
  std::size_t first_ = 0, second_ = 1;  // of those that are left
  double own_ = 0;
};

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
        seconds_(std::move(seconds)),
        paths_(table.path_weight > 0 ? std::make_unique<Paths>(tree_, merged_, table, seconds_) : nullptr) {}

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
    const double path = paths_ ? paths_->price(c, s, m, p) : 0.0;
    return together - seconds_[c] - seconds_[s] + padding_s_ * padding(c, s) + path;
  }

  /// Entries of zeros stored once c is merged into s. Exact: far below 2^53.
  [[nodiscard]] double padding(Index c, Index s) const {
    const double p = tree_.pivots[c] + tree_.pivots[s], m = tree_.pivots[c] + tree_.order[s];
    return m * p - static_cast<double>(tree_.order[c]) * tree_.pivots[c] - static_cast<double>(tree_.order[s]) * tree_.pivots[s];
  }

  void absorb_children(Index s) {
    candidates_.clear();
    if (paths_) paths_->enter(s, children_.of(s));
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
      if (paths_) paths_->merge(c, s);
    }
    if (paths_) paths_->leave(s);
  }

  const Children& children_;
  const CostTable& table_;
  double padding_s_;
  FrontTree tree_;
  std::vector<unsigned char> merged_;
  double stored_;  // sum of m p over the fronts as merged so far
  std::vector<double> seconds_;
  std::unique_ptr<Paths> paths_;  // on a device
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
