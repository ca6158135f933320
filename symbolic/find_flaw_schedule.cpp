// Validity of a schedule: tasks, edges, and that no two blocks that can be live at once share memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "symbolic/find_flaw.hpp"

namespace kauri::symbolic {
namespace {

std::string at(const char* what, Offset k, const char* wrong) { return std::string(what) + " " + std::to_string(k) + ": " + wrong; }

std::vector<Index> task_of_front(const Plan& plan) {
  std::vector<Index> task_of(plan.supernodes.parent.size(), kNone);
  const auto& tasks = plan.schedule.task;
  for (std::size_t t = 0; t < tasks.size(); ++t)
    for (Index s = tasks[t].first_front; s < tasks[t].last_front; ++s) task_of[s] = static_cast<Index>(t);
  return task_of;
}

/// Which tasks come after which along the edges, as bits; O(tasks^2).
class Reachability {
 public:
  explicit Reachability(const Schedule& schedule) : words_((schedule.task.size() + 63) / 64), bits_(words_ * schedule.task.size(), 0) {
    for (std::size_t t = schedule.task.size(); t-- > 0;)
      for (Offset k = schedule.successor_ptr[t]; k < schedule.successor_ptr[t + 1]; ++k) {
        const auto next = static_cast<std::size_t>(schedule.successor[k]);
        bits_[t * words_ + next / 64] |= std::uint64_t{1} << (next % 64);
        for (std::size_t w = next / 64; w < words_; ++w) bits_[t * words_ + w] |= bits_[next * words_ + w];
      }
  }
  /// True if `to` cannot start before `from` is done.
  [[nodiscard]] bool before(Index from, Index to) const {
    const auto f = static_cast<std::size_t>(from), t = static_cast<std::size_t>(to);
    return (bits_[f * words_ + t / 64] >> (t % 64) & 1) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Memory [begin, end) from the start of task `from` to the end of task `until`.
struct Item {
  Offset begin;
  Offset end;
  Index from;
  Index until;
};

/// Disjoint intervals with insertion that notices overlap.
class LiveSet {
 public:
  bool insert(Offset begin, Offset end) {
    const auto next = live_.lower_bound(begin);
    if (next != live_.end() && next->first < end) return false;
    if (next != live_.begin() && std::prev(next)->second > begin) return false;
    live_.emplace_hint(next, begin, end);
    return true;
  }
  void erase(Offset begin) { live_.erase(begin); }
  void clear() { live_.clear(); }

 private:
  std::map<Offset, Offset> live_;
};

/// One arena: places of the fronts' blocks and their sizes.
class ArenaCheck {
 public:
  ArenaCheck(const Plan& plan, const std::vector<Index>& task_of, const std::vector<Offset>& place, std::vector<Offset> size, Offset arena)
      : plan_(plan), task_of_(task_of), place_(place), size_(std::move(size)), arena_(arena) {}

  /// Memory of task t alone, from its start to its end.
  std::string add_scratch(Index t, Offset place, Offset size) {
    if ((size == 0) != (place == kNone)) return at("task", t, "a place for no scratch, or none for some");
    if (size > 0 && (place < 0 || place > arena_ - size)) return at("task", t, "its scratch leaves the arena");
    if (size > 0) items_.push_back({place, place + size, t, t});
    return {};
  }

  std::string run(const Reachability* reach) {
    for (Index s = 0; s < plan_.supernodes.count(); ++s) {
      if ((size_[s] == 0) != (place_[s] == kNone)) return at("supernode", s, "a place for an empty block, or none for a full one");
      if (size_[s] > 0 && (place_[s] < 0 || place_[s] > arena_ - size_[s])) return at("supernode", s, "its block leaves the arena");
    }
    for (std::size_t t = 0; t < plan_.schedule.task.size(); ++t)
      if (std::string flaw = run_task(static_cast<Index>(t)); !flaw.empty()) return flaw;
    return compare_items(reach);
  }

 private:
  [[nodiscard]] bool internal(Index s) const {
    return plan_.supernodes.parent[s] != kNone && task_of_[plan_.supernodes.parent[s]] == task_of_[s];
  }
  bool add(Index s) { return size_[s] == 0 || live_.insert(place_[s], place_[s] + size_[s]); }

  /// Fronts in order: a block appears while those of the children are live, then those made in this task go.
  std::string run_task(Index t) {
    const auto& task = plan_.schedule.task[t];
    live_.clear();
    Item region{arena_, 0, t, t};
    for (Index s = task.first_front; s < task.last_front; ++s)  // handed in by other tasks, and live throughout
      for (Index k = plan_.assembly.child_ptr[s]; k < plan_.assembly.child_ptr[s + 1]; ++k)
        if (task_of_[plan_.assembly.child[k]] != t && !add(plan_.assembly.child[k])) return at("task", t, "blocks handed in overlap");
    for (Index s = task.first_front; s < task.last_front; ++s) {
      if (!add(s)) return at("supernode", s, "its block overlaps one that is live in its task");
      if (size_[s] > 0 && internal(s)) {
        region.begin = std::min(region.begin, place_[s]);
        region.end = std::max(region.end, place_[s] + size_[s]);
      } else if (size_[s] > 0) {
        items_.push_back({place_[s], place_[s] + size_[s], t, task.parent});
      }
      for (Index k = plan_.assembly.child_ptr[s]; k < plan_.assembly.child_ptr[s + 1]; ++k)
        if (const Index c = plan_.assembly.child[k]; task_of_[c] == t && size_[c] > 0) live_.erase(place_[c]);
    }
    if (region.begin < region.end) items_.push_back(region);
    return {};
  }

  /// Items of different tasks share memory only if one is done with it before the other starts. Without edges for reuse (reach is null)
  /// they never do.
  std::string compare_items(const Reachability* reach) {
    std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.begin < b.begin; });
    for (std::size_t a = 0; a < items_.size(); ++a)
      for (std::size_t b = a + 1; b < items_.size() && items_[b].begin < items_[a].end; ++b) {
        const bool ordered =
            reach != nullptr && (reach->before(items_[a].until, items_[b].from) || reach->before(items_[b].until, items_[a].from));
        if (!ordered)
          return "tasks " + std::to_string(items_[a].from) + " and " + std::to_string(items_[b].from) + " share memory unordered";
      }
    return {};
  }

  const Plan& plan_;
  const std::vector<Index>& task_of_;
  const std::vector<Offset>& place_;
  std::vector<Offset> size_;
  Offset arena_;
  LiveSet live_;
  std::vector<Item> items_;
};

std::string flaw_in_edges(const Schedule& schedule) {
  const auto count = static_cast<Index>(schedule.task.size());
  std::vector<Index> incoming(schedule.task.size(), 0), seen(schedule.task.size(), kNone);
  if (schedule.dependencies.size() != schedule.task.size() || schedule.successor_ptr.size() != schedule.task.size() + 1 ||
      schedule.successor_ptr.front() != 0 || schedule.successor_ptr.back() != static_cast<Offset>(schedule.successor.size()) ||
      !std::is_sorted(schedule.successor_ptr.begin(), schedule.successor_ptr.end()))
    return "edges are not divided among the tasks";
  for (Index t = 0; t < count; ++t) {
    bool found = schedule.task[t].parent == kNone;
    for (Offset k = schedule.successor_ptr[t]; k < schedule.successor_ptr[t + 1]; ++k) {
      const Index to = schedule.successor[k];
      if (to <= t || to >= count) return at("task", t, "an edge that does not go to a higher ticket");
      if (seen[to] == t) return at("task", t, "an edge twice");
      seen[to] = t;
      ++incoming[to];
      found = found || to == schedule.task[t].parent;
    }
    if (!found) return at("task", t, "its parent does not wait for it");
  }
  for (Index t = 0; t < count; ++t)
    if (incoming[t] != schedule.dependencies[t]) return at("task", t, "its dependencies are not the edges that end there");
  return {};
}

}  // namespace

std::string flaw_in_tasks(const Plan& plan) {
  const Schedule& schedule = plan.schedule;
  const auto count = static_cast<Index>(schedule.task.size());
  Index next = 0;
  for (Index t = 0; t < count; ++t) {
    const Schedule::Task& task = schedule.task[t];
    if (task.first_front != next || task.last_front <= next || task.last_front > plan.supernodes.count())
      return at("task", t, "tasks do not divide the fronts");
    next = task.last_front;
  }
  if (next != plan.supernodes.count()) return "some fronts belong to no task";
  const std::vector<Index> task_of = task_of_front(plan);
  for (Index t = 0; t < count; ++t) {
    const Schedule::Task& task = schedule.task[t];
    const Index up = plan.supernodes.parent[task.last_front - 1];
    if (task.parent != (up == kNone ? kNone : task_of[up])) return at("task", t, "its parent does not hold the parent of its last front");
    for (Index s = task.first_front; s < task.last_front; ++s)
      if (const Index parent = plan.supernodes.parent[s]; parent != up && (parent == kNone || task_of[parent] != t))
        return at("task", t, "fronts with different parents outside the task");
  }
  if (schedule.workers < 1) return "no workers";
  return flaw_in_edges(schedule);
}

std::string flaw_in_memory(const Plan& plan) {
  const Schedule& schedule = plan.schedule;
  const Index count = plan.supernodes.count();
  if (schedule.contribution.size() != plan.supernodes.parent.size() || schedule.update.size() != plan.supernodes.parent.size())
    return "places of blocks are not one per supernode";
  if (schedule.scratch.size() != schedule.task.size()) return "places of scratch are not one per task";
  std::vector<Offset> entries(plan.supernodes.parent.size()), rows(plan.supernodes.parent.size());
  for (Index s = 0; s < count; ++s) {
    rows[s] = plan.supernodes.contribution(s);
    entries[s] = ContributionLayout::entries(plan.supernodes.contribution(s));
  }
  const std::vector<Index> task_of = task_of_front(plan);
  const Reachability reach(schedule);
  ArenaCheck factor(plan, task_of, schedule.contribution, std::move(entries), schedule.stack_entries);
  for (std::size_t t = 0; t < schedule.task.size(); ++t) {
    Offset most = 0;
    for (Index s = schedule.task[t].first_front; s < schedule.task[t].last_front; ++s)
      most = std::max(most, FrontScratch::entries(plan.supernodes.order(s), plan.supernodes.pivots(s)));
    if (std::string flaw = factor.add_scratch(static_cast<Index>(t), schedule.scratch[t], most); !flaw.empty()) return flaw;
  }
  std::string flaw = factor.run(&reach);
  if (!flaw.empty()) return "contribution blocks: " + flaw;
  flaw = ArenaCheck(plan, task_of, schedule.update, std::move(rows), schedule.update_rows).run(nullptr);
  return flaw.empty() ? flaw : "updates of a solve: " + flaw;
}

}  // namespace kauri::symbolic
