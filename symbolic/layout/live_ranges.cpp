// Places blocks by first fit with time reversed: the block that dies last comes first. If that
// leaves room unused in the phase with the least room, the blocks that are live in that phase come
// first.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/layout/live_ranges.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/common/checked.hpp"

namespace kauri::symbolic {
namespace {

/// The free intervals of an array.
class Gaps {
 public:
  /// Begins with all memory free but the places of the blocks in `taken`.
  explicit Gaps(std::vector<LiveBlock> taken = {}) {
    std::sort(taken.begin(), taken.end(),
              [](const LiveBlock& a, const LiveBlock& b) { return a.at < b.at; });
    for (const LiveBlock& x : taken) {
      if (x.at > end_) free_.emplace(end_, x.at - end_);
      end_ = x.at + x.size;
    }
  }
  /// Takes the lowest place for `size` > 0 entries; the end of all memory grows if there is none.
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
    if (const auto after = std::next(next); after != free_.end() && begin + size == after->first)
      join(next, after);
    if (next == free_.begin()) return;
    if (const auto before = std::prev(next); before->first + before->second == next->first)
      join(before, next);
  }

 private:
  using FreeRange = std::map<Offset, Offset>::iterator;
  void join(FreeRange left, FreeRange right) {
    left->second += right->second;
    free_.erase(right);
  }
  std::map<Offset, Offset> free_;  // sizes by beginning
  Offset end_ = 0;
};

/// Returns the blocks in the order of their placement: the one that dies last comes first.
std::vector<std::size_t> latest_first(const std::vector<LiveBlock>& blocks) {
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const LiveBlock &x = blocks[a], &y = blocks[b];
    return std::tuple(-x.dies, x.born, -x.size, a) < std::tuple(-y.dies, y.born, -y.size, b);
  });
  return order;
}

/// Places the blocks of `order` from `first` on. All blocks before, which die later than any of
/// these, have their places.
void place_from(std::vector<LiveBlock>& blocks, const std::vector<std::size_t>& order,
                std::size_t first) {
  if (first == order.size()) return;
  std::multimap<Index, std::size_t, std::greater<>>
      unborn;  // by phase of birth, before which their places are free
  std::vector<LiveBlock> there;
  for (std::size_t k = 0; k < first; ++k) {
    if (blocks[order[k]].born > blocks[order[first]].dies) continue;
    there.push_back(blocks[order[k]]);
    unborn.emplace(blocks[order[k]].born, order[k]);
  }
  Gaps gaps(std::move(there));
  for (; first < order.size(); ++first) {
    LiveBlock& block = blocks[order[first]];
    for (; !unborn.empty() && unborn.begin()->first > block.dies; unborn.erase(unborn.begin())) {
      const LiveBlock& later = blocks[unborn.begin()->second];
      gaps.give(later.at, later.size);
    }
    block.at = gaps.take(block.size);
    unborn.emplace(block.born, order[first]);
  }
}

/// Most blocks that place_critical_first() places, in quadratic time: the blocks that die last,
/// among which the large ones are.
constexpr std::size_t kFew = 128;

/// Places those blocks of `order` first, without gaps, that are live in phase `critical`; then the
/// others in turn, each at the lowest place that is free for all of its live range. O(order^2).
void place_critical_first(std::vector<LiveBlock>& blocks, std::span<const std::size_t> order,
                          Index critical) {
  const auto is_there = [&](std::size_t k) {
    return blocks[k].born <= critical && critical <= blocks[k].dies;
  };
  std::vector<std::size_t> mine(order.begin(), order.end());
  const auto others = std::stable_partition(mine.begin(), mine.end(), is_there);
  std::sort(mine.begin(), others, [&](std::size_t a, std::size_t b) {
    return std::tuple(-blocks[a].dies, -blocks[a].size, a) <
           std::tuple(-blocks[b].dies, -blocks[b].size, b);
  });
  std::vector<LiveBlock> placed;  // by place
  for (const std::size_t k : mine) {
    LiveBlock& block = blocks[k];
    block.at = 0;
    for (const LiveBlock& x : placed) {
      if (x.born > block.dies || x.dies < block.born) continue;
      if (x.at >= block.at + block.size) break;
      block.at = std::max(block.at, checked_add(x.at, x.size, "entries of device memory"));
    }
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), block,
                         [](const LiveBlock& a, const LiveBlock& b) { return a.at < b.at; }),
        block);
  }
}

/// Returns the phase in which most entries are in use, those of stays[] included.
Index critical_phase(const std::vector<LiveBlock>& blocks, std::span<const Offset> stays) {
  std::vector<Offset> change(stays.size() + 1, 0);
  for (const LiveBlock& x : blocks) change[x.born] += x.size, change[x.dies + 1] -= x.size;
  Offset there = 0, most = -1;
  Index phase = 0;
  for (std::size_t f = 0; f < stays.size(); ++f) {
    there += change[f];
    if (there + stays[f] > most) most = there + stays[f], phase = static_cast<Index>(f);
  }
  return phase;
}

Offset end_of(const std::vector<LiveBlock>& blocks) {
  Offset end = 0;
  for (const LiveBlock& x : blocks)
    end = std::max(end, checked_add(x.at, x.size, "entries of device memory"));
  return end;
}

}  // namespace

Offset allocate_offsets(std::vector<LiveBlock>& blocks) {
  place_from(blocks, latest_first(blocks), 0);
  return end_of(blocks);
}

Offset allocate_offsets(std::vector<LiveBlock>& blocks, std::span<const Offset> stays) {
  const std::vector<std::size_t> order = latest_first(blocks);
  std::vector<LiveBlock> other = blocks;
  place_from(blocks, order, 0);
  const Index phases = static_cast<Index>(stays.size()), critical = critical_phase(blocks, stays);
  std::size_t few = order.size();
  if (few > kFew) {  // the blocks that die after some phase, at most kFew
    for (few = kFew; few > 0 && blocks[order[few - 1]].dies == blocks[order[few]].dies;) --few;
    if (few == 0 || critical <= blocks[order[few]].dies) return end_of(blocks);
  }
  place_critical_first(other, std::span(order).first(few), critical);
  place_from(other, order, few);
  const auto most = [&](const std::vector<LiveBlock>& there) {
    const std::vector<Offset> reach = reach_of(there, phases);
    Offset sum = 0;
    for (Index f = 0; f < phases; ++f)
      sum = std::max(sum, checked_add(stays[f], reach[f], "entries of device memory"));
    return sum;
  };
  if (most(other) < most(blocks)) blocks = std::move(other);
  return end_of(blocks);
}

std::vector<Offset> reach_of(const std::vector<LiveBlock>& blocks, Index phases) {
  std::vector<Offset> reach(static_cast<std::size_t>(phases), 0);
  std::vector<std::pair<Index, Offset>> births, deaths;
  for (const LiveBlock& x : blocks) {
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
    for (; death != deaths.end() && death->first == f; ++death)
      tops.erase(tops.find(death->second));
  }
  return reach;
}

Index LastUse::of(Offset begin, Offset end) const {
  Index phase = -1;
  auto next = used_.upper_bound(begin);
  if (next != used_.begin() && std::prev(next)->second.end > begin) --next;
  for (; next != used_.end() && next->first < end; ++next)
    phase = std::max(phase, next->second.phase);
  return phase;
}

void LastUse::set(Offset begin, Offset end, Index phase) {
  auto next = used_.upper_bound(begin);
  if (next != used_.begin()) {
    const auto before = std::prev(next);
    const Interval whole = before->second;
    if (whole.end > end) used_.emplace(end, whole);
    if (whole.end > begin) before->second.end = begin;
    if (before->first == begin) used_.erase(before);
  }
  for (next = used_.lower_bound(begin); next != used_.end() && next->first < end;
       next = used_.erase(next))
    if (next->second.end > end) {
      used_.emplace(end, next->second);
    }
  used_.emplace(begin, Interval{end, phase});
}

}  // namespace kauri::symbolic
