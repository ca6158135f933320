// First fit with time reversed: who dies last is born first. Or, where that leaves room unused when it is shortest, those first who are
// there then.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/lodgings.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "symbolic/common/checked.hpp"

namespace kauri::symbolic {
namespace {

/// Free stretches.
class Gaps {
 public:
  /// All but the places of some lodgers.
  explicit Gaps(std::vector<Lodger> taken = {}) {
    std::sort(taken.begin(), taken.end(), [](const Lodger& a, const Lodger& b) { return a.at < b.at; });
    for (const Lodger& x : taken) {
      if (x.at > end_) free_.emplace(end_, x.at - end_);
      end_ = x.at + x.size;
    }
  }
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

 private:
  using Place = std::map<Offset, Offset>::iterator;
  void join(Place left, Place right) {
    left->second += right->second;
    free_.erase(right);
  }
  std::map<Offset, Offset> free_;  // sizes by beginning
  Offset end_ = 0;
};

/// Who dies last first.
std::vector<std::size_t> latest_first(const std::vector<Lodger>& lodgers) {
  std::vector<std::size_t> order(lodgers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Lodger &x = lodgers[a], &y = lodgers[b];
    return std::tuple(-x.dies, x.born, -x.size, a) < std::tuple(-y.dies, y.born, -y.size, b);
  });
  return order;
}

/// Those of `order` from `first` on; all before, who die later than any of them, have their places.
void place_from(std::vector<Lodger>& lodgers, const std::vector<std::size_t>& order, std::size_t first) {
  if (first == order.size()) return;
  std::multimap<Index, std::size_t, std::greater<>> unborn;  // by the phase of their birth, before which their places are free
  std::vector<Lodger> there;
  for (std::size_t k = 0; k < first; ++k) {
    if (lodgers[order[k]].born > lodgers[order[first]].dies) continue;
    there.push_back(lodgers[order[k]]);
    unborn.emplace(lodgers[order[k]].born, order[k]);
  }
  Gaps gaps(std::move(there));
  for (; first < order.size(); ++first) {
    Lodger& lodger = lodgers[order[first]];
    for (; !unborn.empty() && unborn.begin()->first > lodger.dies; unborn.erase(unborn.begin())) {
      const Lodger& later = lodgers[unborn.begin()->second];
      gaps.give(later.at, later.size);
    }
    lodger.at = gaps.take(lodger.size);
    unborn.emplace(lodger.born, order[first]);
  }
}

/// So many lodgers at most are placed by looking at all others: the large ones are among those who die last.
constexpr std::size_t kFew = 128;

/// Those of `order` who are there in a phase first, without gaps; then the others in turn, each at the lowest place that is free for all of
/// its life. O(order^2).
void place_critical_first(std::vector<Lodger>& lodgers, std::span<const std::size_t> order, Index critical) {
  const auto is_there = [&](std::size_t k) { return lodgers[k].born <= critical && critical <= lodgers[k].dies; };
  std::vector<std::size_t> mine(order.begin(), order.end());
  const auto others = std::stable_partition(mine.begin(), mine.end(), is_there);
  std::sort(mine.begin(), others, [&](std::size_t a, std::size_t b) {
    return std::tuple(-lodgers[a].dies, -lodgers[a].size, a) < std::tuple(-lodgers[b].dies, -lodgers[b].size, b);
  });
  std::vector<Lodger> placed;  // by place
  for (const std::size_t k : mine) {
    Lodger& lodger = lodgers[k];
    lodger.at = 0;
    for (const Lodger& x : placed) {
      if (x.born > lodger.dies || x.dies < lodger.born) continue;
      if (x.at >= lodger.at + lodger.size) break;
      lodger.at = std::max(lodger.at, checked_add(x.at, x.size, "entries of device memory"));
    }
    placed.insert(std::upper_bound(placed.begin(), placed.end(), lodger, [](const Lodger& a, const Lodger& b) { return a.at < b.at; }),
                  lodger);
  }
}

/// In which most is there.
Index critical_phase(const std::vector<Lodger>& lodgers, std::span<const Offset> stays) {
  std::vector<Offset> change(stays.size() + 1, 0);
  for (const Lodger& x : lodgers) change[x.born] += x.size, change[x.dies + 1] -= x.size;
  Offset there = 0, most = -1;
  Index phase = 0;
  for (std::size_t f = 0; f < stays.size(); ++f) {
    there += change[f];
    if (there + stays[f] > most) most = there + stays[f], phase = static_cast<Index>(f);
  }
  return phase;
}

Offset end_of(const std::vector<Lodger>& lodgers) {
  Offset end = 0;
  for (const Lodger& x : lodgers) end = std::max(end, checked_add(x.at, x.size, "entries of device memory"));
  return end;
}

}  // namespace

Offset give_places(std::vector<Lodger>& lodgers) {
  place_from(lodgers, latest_first(lodgers), 0);
  return end_of(lodgers);
}

Offset give_places(std::vector<Lodger>& lodgers, std::span<const Offset> stays) {
  const std::vector<std::size_t> order = latest_first(lodgers);
  std::vector<Lodger> other = lodgers;
  place_from(lodgers, order, 0);
  const Index phases = static_cast<Index>(stays.size()), critical = critical_phase(lodgers, stays);
  std::size_t few = order.size();
  if (few > kFew) {  // all that die after some phase, up to so many
    for (few = kFew; few > 0 && lodgers[order[few - 1]].dies == lodgers[order[few]].dies;) --few;
    if (few == 0 || critical <= lodgers[order[few]].dies) return end_of(lodgers);
  }
  place_critical_first(other, std::span(order).first(few), critical);
  place_from(other, order, few);
  const auto most = [&](const std::vector<Lodger>& there) {
    const std::vector<Offset> reach = reach_of(there, phases);
    Offset sum = 0;
    for (Index f = 0; f < phases; ++f) sum = std::max(sum, checked_add(stays[f], reach[f], "entries of device memory"));
    return sum;
  };
  if (most(other) < most(lodgers)) lodgers = std::move(other);
  return end_of(lodgers);
}

std::vector<Offset> reach_of(const std::vector<Lodger>& lodgers, Index phases) {
  std::vector<Offset> reach(static_cast<std::size_t>(phases), 0);
  std::vector<std::pair<Index, Offset>> births, deaths;
  for (const Lodger& x : lodgers) {
    births.emplace_back(x.born, x.at + x.size);
    deaths.emplace_back(x.dies, x.at + x.size);
  }
  std::sort(births.begin(), births.end());
  std::sort(deaths.begin(), deaths.end());
  std::multiset<Offset> tops;
  auto birth = births.begin();
  auto death = deaths.begin();
  for (Index f = 0; f < phases; ++f) {
    for (; birth != births.end() && birth->first == f; ++birth) tops.insert(birth->second);
    reach[f] = tops.empty() ? 0 : *tops.rbegin();
    for (; death != deaths.end() && death->first == f; ++death) tops.erase(tops.find(death->second));
  }
  return reach;
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
