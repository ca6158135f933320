// Finds which blocks may be alive together, places blocks greedily in a few orders, and lists the
// edges that the best placement needs.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/host/block_placement.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "base/common/checked.hpp"
#include "base/threads/stopping.hpp"

namespace kauri::symbolic {
namespace {

Index task_at(Offset step) { return static_cast<Index>(step / 2); }

/// Places blocks in given orders. Rivals of a block are the blocks that may be alive at the same
/// time.
class Placer {
 public:
  Placer(const TaskPanels& panels, std::span<const TaskBlock> blocks)
      : panels_(panels), blocks_(blocks), rival_ptr_(blocks.size() + 1, 0) {
    std::vector<std::pair<Index, Index>> rivals;
    std::vector<Index> alive;  // blocks that may still be alive when a later block is born
    for (Index k = 0; k < count(); ++k) {
      const Index task = task_at(blocks[k].born);
      const auto gone = [&](Index j) { return task - task_at(blocks[j].dies) >= panels.lag; };
      alive.erase(std::remove_if(alive.begin(), alive.end(), gone), alive.end());
      for (const Index j : alive)
        if (!before(blocks[j], blocks[k])) rivals.emplace_back(j, k);
      alive.push_back(k);
    }
    list(rivals);
    least_end_ = least_end();
  }

  /// Sets `place` to the placement with the least end of those tried, and returns that end.
  Offset best(std::vector<Offset>& place) {
    std::vector<Index> by_size(blocks_.size());
    std::iota(by_size.begin(), by_size.end(), 0);
    const auto greater = [&](Index a, Index b) {
      return blocks_[a].size != blocks_[b].size ? blocks_[a].size > blocks_[b].size : a < b;
    };
    std::sort(by_size.begin(), by_size.end(), greater);
    std::vector<Index> by_reader = by_size;
    std::sort(by_reader.begin(), by_reader.end(), [&](Index a, Index b) {
      const Index x = task_at(blocks_[a].dies), y = task_at(blocks_[b].dies);
      return x != y ? x > y : greater(a, b);
    });
    Offset end = std::numeric_limits<Offset>::max();
    std::vector<Offset> trial;
    const auto attempt = [&](const std::vector<Index>& order, bool high) {
      if (end == least_end_) return;
      const Offset reached = fill(order, high, trial);
      if (reached >= end) return;
      end = reached;
      place = trial;
    };
    attempt(by_size, false);
    attempt(by_reader, false);
    attempt(by_reader, true);
    return end;
  }

 private:
  using EntryRange = std::pair<Offset, Offset>;

  /// Working data of one placement.
  struct Trial {
    std::vector<EntryRange> taken;
    std::vector<Index> placed;    // ascending by place
    std::vector<Index> rival_of;  // per block: the last block k whose marked rivals include it
  };

  /// A block's rivals are sorted if this many times their number is less than the number of placed
  /// blocks; else they are picked from the placed blocks, which are sorted already.
  static constexpr std::size_t kSorting = 8;

  [[nodiscard]] Index count() const { return static_cast<Index>(blocks_.size()); }

  /// Lists each block's rivals in rival_, list after list, both ways: j in k's list and k in j's.
  void list(std::span<const std::pair<Index, Index>> rivals) {
    for (const auto& [j, k] : rivals) ++rival_ptr_[j + 1], ++rival_ptr_[k + 1];
    std::partial_sum(rival_ptr_.begin(), rival_ptr_.end(), rival_ptr_.begin());
    rival_.resize(rivals.size() * 2);
    std::vector<Offset> next(rival_ptr_.begin(), rival_ptr_.end() - 1);
    for (const auto& [j, k] : rivals) {
      rival_[next[j]++] = k;
      rival_[next[k]++] = j;
    }
  }

  /// Returns true if b, which is born no earlier than a, may take over the memory of a.
  [[nodiscard]] bool before(const TaskBlock& a, const TaskBlock& b) const {
    const Index from = task_at(a.dies), to = task_at(b.born);
    if (from >= to) return a.dies < b.born;
    return from <= to - panels_.lag || from >= panels_.least[to];
  }

  [[nodiscard]] std::span<const Index> rivals(Index k) const {
    return {rival_.data() + rival_ptr_[k],
            static_cast<std::size_t>(rival_ptr_[k + 1] - rival_ptr_[k])};
  }
  [[nodiscard]] EntryRange piece(Index k, const std::vector<Offset>& place) const {
    return {place[k], place[k] + blocks_[k].size};
  }

  /// Sets trial.taken, ascending, to the memory that block k may not use beyond the panel of the
  /// task that reads it: panels of tasks that may run beside that task, and rivals that have a
  /// place.
  void find_taken(Index k, const std::vector<Offset>& place, Trial& trial) const {
    std::vector<EntryRange>& taken = trial.taken;
    taken.clear();
    const Index reader = task_at(blocks_[k].dies), tasks = static_cast<Index>(panels_.least.size());
    for (Index t = reader + 1; t < tasks && t - reader < panels_.lag; ++t)
      if (panels_.least[t] > reader && panels_.panel[t] < panels_.panel[t + 1])
        taken.emplace_back(panels_.panel[t], panels_.panel[t + 1]);
    const auto panels = static_cast<std::ptrdiff_t>(taken.size());
    if (rivals(k).size() * kSorting < trial.placed.size()) {
      for (const Index j : rivals(k))
        if (place[j] != kNone) taken.push_back(piece(j, place));
      std::sort(taken.begin() + panels, taken.end());
    } else {
      for (const Index j : rivals(k)) trial.rival_of[j] = k;
      for (const Index j : trial.placed)
        if (trial.rival_of[j] == k) taken.push_back(piece(j, place));
    }
    std::inplace_merge(taken.begin(), taken.begin() + panels, taken.end());
  }

  /// Returns a lower bound of the end of any placement: panels and blocks alive at one step of a
  /// run in ticket order.
  [[nodiscard]] Offset least_end() const {
    std::vector<Offset> change(panels_.least.size() * 2 + 1, 0);
    Offset all = panels_.panel.back(), live = 0, most = panels_.panel.back();
    for (const TaskBlock& t : blocks_) {
      all = checked_add(all, t.size, "planned memory");  // no sum below can wrap after this check
      change[t.born] += t.size;
      change[t.dies + 1] -= t.size;
    }
    for (std::size_t step = 0; step + 1 < change.size(); ++step) {
      live += change[step];
      most = std::max(most, live + panels_.panel[step / 2 + 1]);
    }
    return most;
  }

  /// Returns the lowest place for block k that overlaps nothing in `taken`, behind the panel of the
  /// task that reads the block. With `high`, returns the place that ends at least_end_ if all taken
  /// memory leaves room for it there, else the place at the end of the last gap that is large
  /// enough, else the end of all taken memory.
  [[nodiscard]] Offset gap(Index k, bool high, const std::vector<EntryRange>& taken) const {
    const Offset size = blocks_[k].size;
    Offset at = panels_.panel[task_at(blocks_[k].dies) + 1], found = kNone;
    for (const auto& [begin, end] : taken) {
      if (begin - at >= size) found = high ? begin - size : at;
      if (found != kNone && !high) return found;
      at = std::max(at, end);
    }
    if (high && least_end_ - at >= size) return least_end_ - size;
    return found == kNone ? at : found;
  }

  Offset fill(const std::vector<Index>& order, bool high, std::vector<Offset>& place) const {
    place.assign(blocks_.size(), kNone);
    Offset end = panels_.panel.back();
    Trial trial{{}, {}, std::vector<Index>(blocks_.size(), kNone)};
    const StopCheck check_stop;
    for (const Index k : order) {
      check_stop();
      find_taken(k, place, trial);
      place[k] = gap(k, high, trial.taken);
      end = std::max(end, place[k] + blocks_[k].size);
      const auto lower = [&](Index a, Index b) { return piece(a, place) < piece(b, place); };
      trial.placed.insert(std::upper_bound(trial.placed.begin(), trial.placed.end(), k, lower), k);
    }
    return end;
  }

  const TaskPanels& panels_;
  std::span<const TaskBlock> blocks_;
  std::vector<Offset> rival_ptr_;  // length blocks+1
  std::vector<Index> rival_;       // rivals of block k, in [rival_ptr_[k], rival_ptr_[k+1])
  Offset least_end_ = 0;           // a placement that ends here cannot be improved
};

/// The last user of each part of memory, while tasks are visited in the order of tickets.
class LastUsers {
 public:
  /// Marks [begin, end) as used until task `until` is done, and calls wait(u) for each previous
  /// last user u.
  template <class Wait>
  void claim(Offset begin, Offset end, Index until, const Wait& wait) {
    cut(begin);
    cut(end);
    const auto first = part_.lower_bound(begin), last = part_.lower_bound(end);
    for (auto p = first; p != last; ++p) wait(p->second.user);
    part_.erase(first, last);
    part_.emplace(begin, Segment{end, until});
  }

 private:
  struct Segment {
    Offset end;
    Index user;
  };

  /// Divides the part that `at` lies in, so that no part lies on both sides of it.
  void cut(Offset at) {
    auto p = part_.lower_bound(at);
    if (p == part_.begin() || std::prev(p)->second.end <= at) return;
    p = std::prev(p);
    part_.emplace(at, p->second);
    p->second.end = at;
  }

  std::map<Offset, Segment> part_;
};

/// Returns the edges that reuse of memory needs: to each task, from the last users of the memory
/// that it takes. Earlier users need no edge, since the last users wait for them.
std::vector<Edge> waits_of(const TaskPanels& panels, std::span<const TaskBlock> blocks,
                           std::span<const Offset> place) {
  std::vector<Edge> waits;
  LastUsers users;
  const auto tasks = static_cast<Index>(panels.least.size());
  std::size_t k = 0;
  for (Index t = 0; t < tasks; ++t) {
    const auto wait = [&](Index user) {
      if (user < panels.least[t])
        waits.emplace_back(user, t);  // tasks wait for their descendants by data
    };
    if (panels.panel[t] < panels.panel[t + 1])
      users.claim(panels.panel[t], panels.panel[t + 1], t, wait);
    for (; k < blocks.size() && task_at(blocks[k].born) == t; ++k)
      users.claim(place[k], place[k] + blocks[k].size, task_at(blocks[k].dies), wait);
  }
  return waits;
}

}  // namespace

Placement place_blocks(const TaskPanels& panels, std::span<const TaskBlock> blocks) {
  Placement out;
  out.end = Placer(panels, blocks).best(out.place);
  out.waits = waits_of(panels, blocks, out.place);
  return out;
}

}  // namespace kauri::symbolic
