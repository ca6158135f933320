// Merges fronts greedily, bottom-up, by predicted seconds (after Ashcraft & Grimes 1989).
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/tree/amalgamate.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "base/threads/blocks.hpp"
#include "base/threads/stopping.hpp"
#include "symbolic/common/children.hpp"
#include "symbolic/common/independent_ranges.hpp"

namespace kauri::symbolic {
namespace {

constexpr Index kSubtree = 4096;  // fronts in a block of a parallel loop that predicts seconds
constexpr Index kReport = 256;  // fronts between two updates of the shared count of stored entries
constexpr int kPrices = 4;      // prices of padding that are tried at once
constexpr Index kMergeBlock = 65536;  // fronts in a block of a parallel loop that copies arrays

/// Seconds of a front in a factorisation and a solve. Those of fronts of less than kSmall rows,
/// which most are, are tabulated.
class FrontSeconds {
 public:
  explicit FrontSeconds(const CostTable& table) : table_(table) {
    for (Index m = 0; m < kSmall; ++m)
      for (Index p = 0; p <= m; ++p) small_[m][p] = of(m, p);
  }
  double operator()(Index m, Index p) const { return m < kSmall ? small_[m][p] : of(m, p); }

 private:
  static constexpr Index kSmall = 32;

  [[nodiscard]] double of(Index m, Index p) const {
    return front_seconds(table_, m, p) + 2 * front_sweep_seconds(table_, m, p);
  }

  const CostTable& table_;
  std::array<std::array<double, kSmall>, kSmall> small_;
};

/// Returns for each front the share of all critical work that lies in and below it, times the
/// weight of a path. Work of a front counts less if the longest path through the front is shorter
/// than the longest of all: by the square of the ratio.
std::vector<double> critical_shares(const FrontTree& fronts, const CostTable& table,
                                    std::span<const double> seconds) {
  std::vector<double> latency(seconds.size());
  Blocks(fronts.count(), kSubtree).for_each([&](Index, Index begin, Index end) {
    for (Index s = begin; s < end; ++s)
      latency[s] = front_latency(table, fronts.order[s], fronts.pivots[s]);
  });
  std::vector<double> up(seconds.size(), 0.0), down(up);
  double longest = 0;
  for (Index s = 0; s < fronts.count(); ++s) {
    up[s] += latency[s];
    const Index parent = fronts.parent[s];
    (parent == kNone ? longest : up[parent]) =
        std::max(parent == kNone ? longest : up[parent], up[s]);
  }
  std::vector<double> share(seconds.begin(), seconds.end());
  double total = 0;
  for (Index s = fronts.count() - 1; s >= 0; --s) {
    if (const Index parent = fronts.parent[s]; parent != kNone)
      down[s] = down[parent] + latency[parent];
    const double length = (up[s] + down[s]) / longest;
    share[s] *= length * length;
    total += share[s];
  }
  for (Index s = 0; s < fronts.count(); ++s)
    if (fronts.parent[s] != kNone) share[fronts.parent[s]] += share[s];
  for (double& x : share) x *= table.path_weight / total;
  return share;
}

/// The tree while children are merged into their parents. Threads may process fronts of disjoint
/// subtrees side by side.
struct Merging {
  std::vector<Index> order, pivots;  // valid for fronts that are not merged into their parent
  std::vector<unsigned char> merged;
  std::vector<double> seconds;  // of each front in its present size
  std::vector<double> below;    // on a device: seconds of the longest path from a leaf up to the
                                // children of each front, included

  void begin(const FrontTree& fronts, std::span<const double> each_s, bool device) {
    const std::size_t count = fronts.parent.size();
    order.resize(count), pivots.resize(count), merged.resize(count), seconds.resize(count),
        below.resize(device ? count : 0);
    Blocks(fronts.count(), kMergeBlock).for_each([&](Index, Index first, Index last) {
      std::copy(fronts.order.begin() + first, fronts.order.begin() + last, order.begin() + first);
      std::copy(fronts.pivots.begin() + first, fronts.pivots.begin() + last,
                pivots.begin() + first);
      std::fill(merged.begin() + first, merged.begin() + last, 0);
      std::copy(each_s.begin() + first, each_s.begin() + last, seconds.begin() + first);
      if (device) std::fill(below.begin() + first, below.begin() + last, 0.0);
    });
  }
};

/// The longest paths from leaves up to the children of one front at a time.
class Paths {
 public:
  Paths(Merging& now, const CostTable& table, std::span<const double> share)
      : now_(now), table_(table), share_(share) {}

  /// Begins with front s and its children.
  void enter(Index s, std::span<const Index> children) {
    own_ = share_[s];
    now_.below[s] = 0;
    first_ = 0, second_ = 1;
    child_.clear();
    for (const Index c : children)
      child_.push_back({now_.below[c] + front_latency(table_, now_.order[c], now_.pivots[c]), c});
    std::sort(child_.begin(), child_.end(), [](const Child& a, const Child& b) {
      return a.path != b.path ? a.path > b.path : a.index < b.index;
    });
  }
  /// Returns the price, in seconds of one core, of the change of the longest path through s if c is
  /// merged into s, which makes a front of order m with p pivots.
  [[nodiscard]] double price(Index c, Index s, Index m, Index p) const {
    const double before = front_latency(table_, now_.order[s], now_.pivots[s]) +
                          std::max(now_.below[s], longest(kNone));
    const double after =
        front_latency(table_, m, p) + std::max({now_.below[s], now_.below[c], longest(c)});
    return own_ * (after - before);
  }
  void merge(Index c, Index s) {
    now_.below[s] = std::max(now_.below[s], now_.below[c]);
    first_ = next(first_);
    second_ = next(std::max(second_, first_ + 1));
  }
  void leave(Index s) { now_.below[s] = std::max(now_.below[s], longest(kNone)); }

 private:
  struct Child {
    double path;
    Index index;
  };
  [[nodiscard]] std::size_t next(std::size_t k) const {
    while (k < child_.size() && now_.merged[child_[k].index] != 0) ++k;
    return k;
  }
  /// Returns the seconds of the longest path through a child that is not merged, other than c; 0 if
  /// there is none.
  [[nodiscard]] double longest(Index c) const {
    const std::size_t k = first_ < child_.size() && child_[first_].index == c ? second_ : first_;
    return k < child_.size() ? child_[k].path : 0.0;
  }

  Merging& now_;
  const CostTable& table_;
  const std::span<const double> share_;
  std::vector<Child> child_;            // children of the front entered, longest path first
  std::size_t first_ = 0, second_ = 1;  // indices in child_ of the first two that are not merged
  double own_ = 0;
};

/// Merges children into their parents, at a given price of padding, front by front.
class Merger {
 public:
  /// share: result of critical_shares(), by which paths count; empty if they do not count (on a
  /// CPU).
  Merger(Merging& now, const Children& children, const CostTable& table, const FrontSeconds& front,
         std::span<const double> share, double padding_s)
      : now_(now), children_(children), front_(front), padding_s_(padding_s) {
    if (!share.empty()) paths_.emplace(now, table, share);
  }

  /// Returns the number of zeros that merging has added to panels since the last call. Exact: far
  /// below 2^53.
  double taken() { return std::exchange(taken_, 0); }

  void absorb_children(Index s) {
    const std::span<const Index> children = children_.of(s);
    if (children.empty()) return;
    candidates_.clear();
    if (paths_) paths_->enter(s, children);
    for (const Index c : children) {
      MergeCandidate candidate{0, c, 0};
      candidate.delta = price(c, s, candidate.together);
      if (candidate.delta < 0) candidates_.push_back(candidate);
    }
    if (candidates_.size() > 1) std::sort(candidates_.begin(), candidates_.end());
    bool grown = false;
    for (auto& [delta, c, together] : candidates_) {
      if (grown && price(c, s, together) >= 0) continue;
      taken_ += padding(c, s);
      now_.order[s] += now_.pivots[c];
      now_.pivots[s] += now_.pivots[c];
      now_.seconds[s] = together;
      now_.merged[c] = 1;
      grown = true;
      if (paths_) paths_->merge(c, s);
    }
    if (paths_) paths_->leave(s);
  }

 private:
  struct MergeCandidate {
    double delta;  // seconds lost by merging, below 0
    Index child;
    double together;  // seconds of the merged front

    bool operator<(const MergeCandidate& other) const {
      return delta != other.delta ? delta < other.delta : child < other.child;
    }
  };

  /// Returns the seconds lost (gained if negative) by merging c into s in its present size, prices
  /// of padding and of the path included. Sets `together` to the seconds of the merged front.
  double price(Index c, Index s, double& together) const {
    const Index p = now_.pivots[c] + now_.pivots[s], m = now_.pivots[c] + now_.order[s];
    together = front_(m, p);
    const double path = paths_ ? paths_->price(c, s, m, p) : 0.0;
    return together - now_.seconds[c] - now_.seconds[s] + padding_s_ * padding(c, s) + path;
  }

  /// Returns the entries of zeros that merging c into s adds.
  [[nodiscard]] double padding(Index c, Index s) const {
    const double p = now_.pivots[c] + now_.pivots[s], m = now_.pivots[c] + now_.order[s];
    return m * p - static_cast<double>(now_.order[c]) * now_.pivots[c] -
           static_cast<double>(now_.order[s]) * now_.pivots[s];
  }

  Merging& now_;
  const Children& children_;
  const FrontSeconds& front_;
  const double padding_s_;
  double taken_ = 0;
  std::optional<Paths> paths_;  // used on a device
  std::vector<MergeCandidate> candidates_;
};

/// Input of a pass over the tree.
struct Before {
  const FrontTree& fronts;
  const Children& children;
  const CostTable& table;
  const FrontSeconds& front;
  std::span<const double> share, seconds;
  double stored;  // sum of m p
  std::vector<TreePart> parts;
  Index apart;
};

/// Makes one pass, bottom-up, at a given price of padding. Returns false, with the pass left
/// incomplete, once more than `limit` entries are stored: further merges never make them fewer.
bool merge_all(const Before& before, double padding_s, double limit, Merging& now) {
  now.begin(before.fronts, before.seconds, !before.share.empty());
  std::atomic<double> stored{before.stored};
  const auto go = [&](Merger& merger, Index begin, Index end) {
    const StopCheck check_stop;
    for (Index s = begin; s < end && stored.load(std::memory_order_relaxed) <= limit; ++s) {
      check_stop.at(s);
      if (s != before.apart) merger.absorb_children(s);
      if (s % kReport == 0 || s + 1 == end)
        stored.fetch_add(merger.taken(), std::memory_order_relaxed);
    }
  };
  batches(before.parts.size()).for_each([&](Index, Index first, Index last) {
    Merger merger(now, before.children, before.table, before.front, before.share, padding_s);
    for (Index k = first; k < last; ++k)
      if (before.parts[k].whole) go(merger, before.parts[k].begin, before.parts[k].end);
  });
  Merger merger(now, before.children, before.table, before.front, before.share, padding_s);
  for (const TreePart& part : before.parts)
    if (!part.whole) go(merger, part.begin, part.end);
  return stored.load() <= limit;
}

/// Merges with the first price of padding with which at most `limit` entries are stored, of
/// padding_s, 2 padding_s, 4 padding_s and so on. Mostly that is padding_s; of the higher prices,
/// several are tried at once if there are threads for it.
Merging merged(const Before& before, double padding_s, double limit) {
  std::vector<Merging> tried(1);
  for (;;) {
    std::vector<char> fits(tried.size());
    Blocks(static_cast<Index>(tried.size()), 1).for_each([&](Index k, Index, Index) {
      fits[k] = merge_all(before, std::ldexp(padding_s, k), limit, tried[k]);
    });
    const auto first = std::find(fits.begin(), fits.end(), 1) - fits.begin();
    if (first < static_cast<std::ptrdiff_t>(tried.size())) return std::move(tried[first]);
    padding_s = std::ldexp(padding_s, static_cast<int>(tried.size()));
    tried.resize(static_cast<std::size_t>(std::clamp(threads_here(), 1, kPrices)));
  }
}

Groups compact(const FrontTree& fronts, const Merging& now) {
  const Index count = fronts.count();
  Groups groups;
  groups.group.assign(fronts.parent.size(), kNone);
  for (Index s = 0; s < count; ++s)
    if (now.merged[s] == 0) {
      groups.group[s] = groups.fronts.count();
      groups.fronts.parent.push_back(kNone);
      groups.fronts.order.push_back(now.order[s]);
      groups.fronts.pivots.push_back(now.pivots[s]);
    }
  for (Index s = count - 1; s >= 0; --s) {
    const Index up = fronts.parent[s];
    if (now.merged[s] != 0)
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

Groups amalgamate(const FrontTree& fronts, const CostTable& table, Index apart) {
  const double limit = storage_limit(fronts);
  const Children children = children_of(fronts.parent);
  const FrontSeconds front(table);
  std::vector<double> seconds(fronts.parent.size());
  Blocks(fronts.count(), kSubtree).for_each([&](Index, Index begin, Index end) {
    for (Index s = begin; s < end; ++s) seconds[s] = front(fronts.order[s], fronts.pivots[s]);
  });
  double stored = 0;
  for (Index s = 0; s < fronts.count(); ++s)
    stored += static_cast<double>(fronts.order[s]) * fronts.pivots[s];
  const std::vector<double> share =
      table.path_weight > 0 ? critical_shares(fronts, table, seconds) : std::vector<double>{};
  const Before before{
      fronts, children, table,  front,
      share,  seconds,  stored, cut_into_subtrees(fronts.parent, part_size(fronts.count(), 0)),
      apart};
  return compact(fronts, merged(before, table.padding_s, limit));
}

}  // namespace kauri::symbolic
