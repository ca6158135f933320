// First fit with time reversed: who dies last is born first.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/lodgings.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "symbolic/checked.hpp"

namespace kauri::symbolic {
namespace {

/// Free stretches.
class Gaps {
 public:
  /// The lowest place for `size` > 0 entries; the end of all memory grows if there is none.
  Offset take(Offset size) {
    for (auto gap = free_.begin(); gap != free_.end(); ++gap) {
      if (gap->second < size) continue;
      const auto [begin, found] = *gap;
      free_.erase(gap);
      if (found > size) free_.emplace(begin + size, found - size);
      return begin;
    }
    Offset begin = end_;
    if (!free_.empty() && std::prev(free_.end())->first + std::prev(free_.end())->second == end_) {
      begin = std::prev(free_.end())->first;
      free_.erase(std::prev(free_.end()));
    }
    end_ = checked_add(begin, size, "entries of device memory");
    return begin;
  }
  void give(Offset begin, Offset size) {
    auto next = free_.emplace(begin, size).first;
    if (const auto after = std::next(next); after != free_.end() && begin + size == after->first) join(next, after);
    if (next == free_.begin()) return;
    if (const auto before = std::prev(next); before->first + before->second == next->first) join(before, next);
  }
  [[nodiscard]] Offset end() const { return end_; }

 private:
  using Place = std::map<Offset, Offset>::iterator;
  void join(Place left, Place right) {
    left->second += right->second;
    free_.erase(right);
  }
  std::map<Offset, Offset> free_;  // sizes by beginning
  Offset end_ = 0;
};

}  // namespace

Offset give_places(std::vector<Lodger>& lodgers) {
  std::vector<std::size_t> order(lodgers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Lodger &x = lodgers[a], &y = lodgers[b];
    return std::tuple(-x.dies, x.born, -x.size, a) < std::tuple(-y.dies, y.born, -y.size, b);
  });
  Gaps gaps;
  std::multimap<Index, std::size_t, std::greater<>> unborn;  // by the phase of their birth, before which their places are free
  for (const std::size_t k : order) {
    Lodger& lodger = lodgers[k];
    for (; !unborn.empty() && unborn.begin()->first > lodger.dies; unborn.erase(unborn.begin())) {
      const Lodger& later = lodgers[unborn.begin()->second];
      gaps.give(later.at, later.size);
    }
    lodger.at = gaps.take(lodger.size);
    unborn.emplace(lodger.born, k);
  }
  return gaps.end();
}

Index LastUse::of(Offset begin, Offset end) const {
  Index phase = -1;
  auto next = used_.upper_bound(begin);
  if (next != used_.begin() && std::prev(next)->second.end > begin) --next;
  for (; next != used_.end() && next->first < end; ++next) phase = std::max(phase, next->second.phase);
  return phase;
}

void LastUse::set(Offset begin, Offset end, Index phase) {
  auto next = used_.upper_bound(begin);
  if (next != used_.begin()) {
    const auto before = std::prev(next);
    const Stretch whole = before->second;
    if (whole.end > end) used_.emplace(end, whole);
    if (whole.end > begin) before->second.end = begin;
    if (before->first == begin) used_.erase(before);
  }
  for (next = used_.lower_bound(begin); next != used_.end() && next->first < end; next = used_.erase(next))
    if (next->second.end > end) {
      used_.emplace(end, next->second);
    }
  used_.emplace(begin, Stretch{end, phase});
}

}  // namespace kauri::symbolic
