// Who may be alive together, greedy placement in a few orders, and the edges that the best of them needs.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/host/placement.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "base/threads/stopping.hpp"
#include "symbolic/common/checked.hpp"

namespace kauri::symbolic {
namespace {

Index task_at(Offset step) { return static_cast<Index>(step / 2); }

/// Places in order, given what may be alive together.
class Placer {
 public:
  Placer(const Ground& ground, std::span<const Tenant> tenants) : ground_(ground), tenants_(tenants), rival_ptr_(tenants.size() + 1, 0) {
    std::vector<std::pair<Index, Index>> rivals;
    std::vector<Index> alive;  // may still be there when a later tenant is born
    for (Index k = 0; k < count(); ++k) {
      const Index task = task_at(tenants[k].born);
      const auto gone = [&](Index j) { return task - task_at(tenants[j].dies) >= ground.lag; };
      alive.erase(std::remove_if(alive.begin(), alive.end(), gone), alive.end());
      for (const Index j : alive)
        if (!before(tenants[j], tenants[k])) rivals.emplace_back(j, k);
      alive.push_back(k);
    }
    list(rivals);
    least_end_ = least_end();
  }

  /// The end of the memory that the best of the orders needs; their places in `place`.
  Offset best(std::vector<Offset>& place) {
    std::vector<Index> by_size(tenants_.size());
    std::iota(by_size.begin(), by_size.end(), 0);
    const auto greater = [&](Index a, Index b) {
      return tenants_[a].size != tenants_[b].size ? tenants_[a].size > tenants_[b].size : a < b;
    };
    std::sort(by_size.begin(), by_size.end(), greater);
    std::vector<Index> by_reader = by_size;
    std::sort(by_reader.begin(), by_reader.end(), [&](Index a, Index b) {
      const Index x = task_at(tenants_[a].dies), y = task_at(tenants_[b].dies);
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
  using Piece = std::pair<Offset, Offset>;

  /// What is at hand while tenants are placed.
  struct Trial {
    std::vector<Piece> taken;
    std::vector<Index> placed;    // ascending by place
    std::vector<Index> rival_of;  // the tenant whose rivals were marked last with this one among them
  };

  /// Sorting a few rivals is cheaper than picking them from more placed tenants than this for each.
  static constexpr std::size_t kSorting = 8;

  [[nodiscard]] Index count() const { return static_cast<Index>(tenants_.size()); }

  /// Each tenant's rivals, one list after the other.
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

  /// True if memory may go from a to b, born no earlier.
  [[nodiscard]] bool before(const Tenant& a, const Tenant& b) const {
    const Index from = task_at(a.dies), to = task_at(b.born);
    if (from >= to) return a.dies < b.born;
    return from <= to - ground_.lag || from >= ground_.least[to];
  }

  [[nodiscard]] std::span<const Index> rivals(Index k) const {
    return {rival_.data() + rival_ptr_[k], static_cast<std::size_t>(rival_ptr_[k + 1] - rival_ptr_[k])};
  }
  [[nodiscard]] Piece piece(Index k, const std::vector<Offset>& place) const { return {place[k], place[k] + tenants_[k].size}; }

  /// Where k may not lie beyond its reader's panel, ascending: panels of tasks that may run beside the reader, rivals that have a place.
  void find_taken(Index k, const std::vector<Offset>& place, Trial& trial) const {
    std::vector<Piece>& taken = trial.taken;
    taken.clear();
    const Index reader = task_at(tenants_[k].dies), tasks = static_cast<Index>(ground_.least.size());
    for (Index t = reader + 1; t < tasks && t - reader < ground_.lag; ++t)
      if (ground_.least[t] > reader && ground_.panel[t] < ground_.panel[t + 1]) taken.emplace_back(ground_.panel[t], ground_.panel[t + 1]);
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

  /// No placement ends below this: panels and tenants alive at one step of a run in ticket order.
  [[nodiscard]] Offset least_end() const {
    std::vector<Offset> change(ground_.least.size() * 2 + 1, 0);
    Offset all = ground_.panel.back(), live = 0, most = ground_.panel.back();
    for (const Tenant& t : tenants_) {
      all = checked_add(all, t.size, "planned memory");  // so no sum below can wrap
      change[t.born] += t.size;
      change[t.dies + 1] -= t.size;
    }
    for (std::size_t step = 0; step + 1 < change.size(); ++step) {
      live += change[step];
      most = std::max(most, live + ground_.panel[step / 2 + 1]);
    }
    return most;
  }

  /// The lowest gap for k, or the highest below least_end_ if `high` and there is one.
  [[nodiscard]] Offset gap(Index k, bool high, const std::vector<Piece>& taken) const {
    const Offset size = tenants_[k].size;
    Offset at = ground_.panel[task_at(tenants_[k].dies) + 1], found = kNone;
    for (const auto& [begin, end] : taken) {
      if (begin - at >= size) found = high ? begin - size : at;
      if (found != kNone && !high) return found;
      at = std::max(at, end);
    }
    if (high && least_end_ - at >= size) return least_end_ - size;
    return found == kNone ? at : found;
  }

  Offset fill(const std::vector<Index>& order, bool high, std::vector<Offset>& place) const {
    place.assign(tenants_.size(), kNone);
    Offset end = ground_.panel.back();
    Trial trial{{}, {}, std::vector<Index>(tenants_.size(), kNone)};
    const StopCheck check_stop;
    for (const Index k : order) {
      check_stop();
      find_taken(k, place, trial);
      place[k] = gap(k, high, trial.taken);
      end = std::max(end, place[k] + tenants_[k].size);
      const auto lower = [&](Index a, Index b) { return piece(a, place) < piece(b, place); };
      trial.placed.insert(std::upper_bound(trial.placed.begin(), trial.placed.end(), k, lower), k);
    }
    return end;
  }

  const Ground& ground_;
  std::span<const Tenant> tenants_;
  std::vector<Offset> rival_ptr_;  // length tenants+1
  std::vector<Index> rival_;       // those that may be alive at the same time as tenant k, in [rival_ptr_[k], rival_ptr_[k+1])
  Offset least_end_ = 0;
};

/// The last to use each part of memory, in the order of tickets.
class LastUsers {
 public:
  /// [begin, end) is in use until task `until` is done; calls wait(u) for its last users u before.
  template <class Wait>
  void claim(Offset begin, Offset end, Index until, const Wait& wait) {
    cut(begin);
    cut(end);
    const auto first = part_.lower_bound(begin), last = part_.lower_bound(end);
    for (auto p = first; p != last; ++p) wait(p->second.user);
    part_.erase(first, last);
    part_.emplace(begin, Part{end, until});
  }

 private:
  struct Part {
    Offset end;
    Index user;
  };

  /// No part lies on both sides of `at` afterwards.
  void cut(Offset at) {
    auto p = part_.lower_bound(at);
    if (p == part_.begin() || std::prev(p)->second.end <= at) return;
    p = std::prev(p);
    part_.emplace(at, p->second);
    p->second.end = at;
  }

  std::map<Offset, Part> part_;
};

/// Each task waits for the last users of the memory it takes: these have waited for those before them.
std::vector<Edge> waits_of(const Ground& ground, std::span<const Tenant> tenants, std::span<const Offset> place) {
  std::vector<Edge> waits;
  LastUsers users;
  const auto tasks = static_cast<Index>(ground.least.size());
  std::size_t k = 0;
  for (Index t = 0; t < tasks; ++t) {
    const auto wait = [&](Index user) {
      if (user < ground.least[t]) waits.emplace_back(user, t);  // descendants are waited for anyway
    };
    if (ground.panel[t] < ground.panel[t + 1]) users.claim(ground.panel[t], ground.panel[t + 1], t, wait);
    for (; k < tenants.size() && task_at(tenants[k].born) == t; ++k)
      users.claim(place[k], place[k] + tenants[k].size, task_at(tenants[k].dies), wait);
  }
  return waits;
}

}  // namespace

Placement place_tenants(const Ground& ground, std::span<const Tenant> tenants) {
  Placement out;
  out.end = Placer(ground, tenants).best(out.place);
  out.waits = waits_of(ground, tenants, out.place);
  return out;
}

}  // namespace kauri::symbolic
