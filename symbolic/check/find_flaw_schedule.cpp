// Checks the validity of a CPU's schedule: tasks, edges, and that no two blocks that can be live at
// once share memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "symbolic/check/find_flaw.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

std::vector<Index> task_of_front(const Plan& plan) {
  std::vector<Index> task_of(plan.supernodes.parent.size(), kNone);
  const auto& tasks = plan.internals->schedule.task;
  for (std::size_t t = 0; t < tasks.size(); ++t)
    for (Index s = tasks[t].first_front; s < tasks[t].last_front; ++s)
      task_of[s] = static_cast<Index>(t);
  return task_of;
}

/// The tasks that come after each task along the edges, as bits. O(tasks^2).
class Reachability {
 public:
  explicit Reachability(const TaskEdges& edges)
      : words_((edges.dependencies.size() + 63) / 64),
        bits_(words_ * edges.dependencies.size(), 0) {
    for (std::size_t t = edges.dependencies.size(); t-- > 0;)
      for (Offset k = edges.successor_ptr[t]; k < edges.successor_ptr[t + 1]; ++k) {
        const auto next = static_cast<std::size_t>(edges.successor[k]);
        bits_[t * words_ + next / 64] |= std::uint64_t{1} << (next % 64);
        for (std::size_t w = next / 64; w < words_; ++w)
          bits_[t * words_ + w] |= bits_[next * words_ + w];
      }
  }
  /// Returns true if `to` cannot start before `from` is done.
  [[nodiscard]] bool before(Index from, Index to) const {
    const auto f = static_cast<std::size_t>(from), t = static_cast<std::size_t>(to);
    return (bits_[f * words_ + t / 64] >> (t % 64) & 1) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Memory [begin, end) in use from the start of task `from` to the end of task `until`, or for good
/// if that is kNone.
struct Item {
  Offset begin;
  Offset end;
  Index from;
  Index until;
};

/// Disjoint intervals; insert() returns false if the new one overlaps.
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

/// A part of a front's contribution block, its fully or its partially summed columns; of its update
/// rows; or scratch.
struct BlockPart {
  Offset place;
  Offset size;
  bool early;  // true: dead once the parent's panel is assembled
};

/// Checks the contents of one array: two parts of each front's block, and in a factorisation the
/// panels and the scratch of tasks.
class ArrayCheck {
 public:
  /// factor: true for a factorisation, whose array begins with the panels, which stay, and holds
  /// scratch. edges: edges that reuse of memory may rely on.
  ArrayCheck(const Plan& plan, const std::vector<Index>& task_of, std::vector<BlockPart> parts,
             Offset size, bool factor, const TaskEdges& edges)
      : plan_(plan),
        task_of_(task_of),
        parts_(std::move(parts)),
        size_(size),
        factor_(factor),
        reach_(edges) {}

  std::string run() {
    for (Index s = 0; s < plan_.supernodes.count(); ++s)
      for (const BlockPart& part : parts_of(s)) {
        if ((part.size == 0) != (part.place == kNone))
          return at("supernode", s, "a place for an empty block, or none for a full one");
        if (part.size > 0 && (part.place < 0 || part.place > size_ - part.size))
          return at("supernode", s, "its block leaves the array");
      }
    for (std::size_t t = 0; t < plan_.internals->schedule.task.size(); ++t) {
      if (std::string flaw = factor_ ? measure_scratch(static_cast<Index>(t)) : std::string();
          !flaw.empty())
        return flaw;
      if (std::string flaw = run_task(static_cast<Index>(t)); !flaw.empty()) return flaw;
    }
    return compare_items();
  }

 private:
  [[nodiscard]] std::span<const BlockPart> parts_of(Index s) const {
    return {parts_.data() + std::size_t{2} * static_cast<std::size_t>(s), 2};
  }
  [[nodiscard]] std::span<const Index> children_of(Index s) const {
    const auto& a = plan_.internals->assembly;
    return {a.child.data() + a.child_ptr[s],
            static_cast<std::size_t>(a.child_ptr[s + 1] - a.child_ptr[s])};
  }
  bool add(const BlockPart& part) {
    return part.size == 0 || live_.insert(part.place, part.place + part.size);
  }
  void remove_children(Index s, bool early) {
    for (const Index c : children_of(s))
      for (const BlockPart& part : parts_of(c))
        if (part.size > 0 && part.early == early) live_.erase(part.place);
  }

  /// Returns the scratch of front s, of size 0 if it works in place. All fronts of task t use one
  /// place.
  [[nodiscard]] BlockPart scratch(Index t, Index s) const {
    const Offset size =
        factor_ ? FrontScratch::entries(plan_.supernodes.order(s), plan_.supernodes.pivots(s)) : 0;
    return {plan_.internals->schedule.scratch[t], size, true};
  }

  std::string measure_scratch(Index t) {
    const auto& task = plan_.internals->schedule.task[t];
    BlockPart most{plan_.internals->schedule.scratch[t], 0, true};
    for (Index s = task.first_front; s < task.last_front; ++s)
      most.size = std::max(most.size, scratch(t, s).size);
    if ((most.size == 0) != (most.place == kNone))
      return at("task", t, "a place for no scratch, or none for some");
    if (most.size > 0 && (most.place < 0 || most.place > size_ - most.size))
      return at("task", t, "its scratch leaves the array");
    if (most.size > 0) items_.push_back({most.place, most.place + most.size, t, t});
    return {};
  }

  /// Simulates task t, with its panels and all blocks from other tasks live from the start. Each
  /// front in turn assembles its panel from its children's blocks; then the early parts of these
  /// die, its block and scratch are born, and last its scratch and the rest of its children's
  /// blocks die.
  std::string run_task(Index t) {
    const auto& task = plan_.internals->schedule.task[t];
    live_.clear();
    if (factor_) {
      const Offset begin = plan_.internals->panel_ptr[task.first_front],
                   end = plan_.internals->panel_ptr[task.last_front];
      live_.insert(begin, end);
      items_.push_back({begin, end, t, kNone});
    }
    for (Index s = task.first_front; s < task.last_front; ++s)
      for (const Index c : children_of(s))
        for (const BlockPart& part : parts_of(c))
          if (task_of_[c] != t && !add(part))
            return at("task", t, "blocks handed in overlap each other or its panels");
    for (Index s = task.first_front; s < task.last_front; ++s) {
      remove_children(s, true);
      for (const BlockPart& part : parts_of(s))
        if (!add(part)) return at("supernode", s, "its block overlaps what is live in its task");
      if (!add(scratch(t, s)))
        return at("supernode", s, "its scratch overlaps what is live in its task");
      if (scratch(t, s).size > 0) live_.erase(scratch(t, s).place);
      remove_children(s, false);
    }
    note_blocks(t);
    return {};
  }

  /// Notes the blocks of task t for other tasks: those consumed inside form one interval that lives
  /// as long as the task.
  void note_blocks(Index t) {
    const auto& task = plan_.internals->schedule.task[t];
    Item region{size_, 0, t, t};
    for (Index s = task.first_front; s < task.last_front; ++s)
      for (const BlockPart& part : parts_of(s)) {
        if (part.size == 0) continue;
        if (const Index up = plan_.supernodes.parent[s]; up != kNone && task_of_[up] == t) {
          region.begin = std::min(region.begin, part.place);
          region.end = std::max(region.end, part.place + part.size);
        } else {
          items_.push_back({part.place, part.place + part.size, t, task.parent});
        }
      }
    if (region.begin < region.end) items_.push_back(region);
  }

  /// Returns true if b cannot begin before a is done. run_task() checks the case that a ends in the
  /// task that b begins with.
  [[nodiscard]] bool ordered(const Item& a, const Item& b) const {
    return a.until != kNone && (a.until == b.from || reach_.before(a.until, b.from));
  }

  /// Returns a flaw if items (panels, blocks, scratch) of different tasks share memory but neither
  /// is dead before the other starts.
  std::string compare_items() {
    std::sort(items_.begin(), items_.end(),
              [](const Item& a, const Item& b) { return a.begin < b.begin; });
    for (std::size_t a = 0; a < items_.size(); ++a)
      for (std::size_t b = a + 1; b < items_.size() && items_[b].begin < items_[a].end; ++b)
        if (!ordered(items_[a], items_[b]) && !ordered(items_[b], items_[a]))
          return "tasks " + std::to_string(items_[a].from) + " and " +
                 std::to_string(items_[b].from) + " share memory unordered";
    return {};
  }

  const Plan& plan_;
  const std::vector<Index>& task_of_;
  std::vector<BlockPart> parts_;
  Offset size_;
  bool factor_;
  Reachability reach_;
  LiveSet live_;
  std::vector<Item> items_;
};

/// Returns the number of columns of the block of c that meet pivots of its parent; these are its
/// first columns.
Index meeting_columns(const Plan& plan, Index c) {
  const Index up = plan.supernodes.parent[c];
  Index columns = 0;
  for (Offset k = plan.internals->assembly.run_ptr[c]; k < plan.internals->assembly.run_ptr[c + 1];
       ++k) {
    const RowRun run = plan.internals->assembly.run[k];
    columns += std::clamp(plan.supernodes.pivots(up) - run.parent, Index{0}, run.length);
  }
  return columns;
}

/// Appends the fully and the partially summed columns of each front's block to `parts`. Returns a
/// flaw if a block is not cut between block columns of ContributionLayout.
std::string block_parts(const Plan& plan, std::vector<BlockPart>& parts) {
  const Schedule& schedule = plan.internals->schedule;
  for (Index s = 0; s < plan.supernodes.count(); ++s) {
    const Index q = plan.supernodes.contribution(s), columns = schedule.fully_summed_columns[s];
    if (columns < 0 || columns > q || (columns < q && columns % ContributionLayout::kTile != 0))
      return at("supernode", s, "its block is not cut between block columns");
    const Offset all = ContributionLayout::entries(q),
                 fully_summed = columns < q ? ContributionLayout::column(q, columns) : all;
    parts.push_back({schedule.fully_summed[s], fully_summed, columns <= meeting_columns(plan, s)});
    parts.push_back({schedule.partially_summed[s], all - fully_summed, false});
  }
  return {};
}

bool divided(const TaskEdges& edges, std::size_t tasks) {
  return edges.dependencies.size() == tasks && edges.successor_ptr.size() == tasks + 1 &&
         edges.successor_ptr.front() == 0 &&
         edges.successor_ptr.back() == static_cast<Offset>(edges.successor.size()) &&
         std::is_sorted(edges.successor_ptr.begin(), edges.successor_ptr.end());
}

/// Checks that edges go to higher tickets, each once, that parents wait for their children, and
/// that dependencies count the edges.
std::string flaw_in_edges(const Schedule& schedule, const TaskEdges& edges) {
  const auto count = static_cast<Index>(schedule.task.size());
  std::vector<Index> incoming(schedule.task.size(), 0), seen(schedule.task.size(), kNone);
  if (!divided(edges, schedule.task.size())) return "edges are not divided among the tasks";
  for (Index t = 0; t < count; ++t) {
    bool found = schedule.task[t].parent == kNone;
    for (Offset k = edges.successor_ptr[t]; k < edges.successor_ptr[t + 1]; ++k) {
      const Index to = edges.successor[k];
      if (to <= t || to >= count)
        return at("task", t, "an edge that does not go to a higher ticket");
      if (seen[to] == t) return at("task", t, "an edge twice");
      seen[to] = t;
      ++incoming[to];
      found = found || to == schedule.task[t].parent;
    }
    if (!found) return at("task", t, "its parent does not wait for it");
  }
  for (Index t = 0; t < count; ++t)
    if (incoming[t] != edges.dependencies[t])
      return at("task", t, "its dependencies are not the edges that end there");
  return {};
}

/// Checks that the backward edges are the forward edges, which must be sound, reversed.
std::string flaw_in_reversal(const TaskEdges& forward, const TaskEdges& backward) {
  const std::size_t count = forward.dependencies.size();
  if (!divided(backward, count)) return "edges are not divided among the tasks";
  std::vector<std::pair<Index, Index>> there, back;
  for (std::size_t t = 0; t < count; ++t) {
    const auto task = static_cast<Index>(t);
    for (Offset k = forward.successor_ptr[t]; k < forward.successor_ptr[t + 1]; ++k)
      there.emplace_back(task, forward.successor[k]);
    for (Offset k = backward.successor_ptr[t]; k < backward.successor_ptr[t + 1]; ++k)
      back.emplace_back(backward.successor[k], task);
    if (backward.dependencies[t] != forward.successor_ptr[t + 1] - forward.successor_ptr[t])
      return at("task", task, "its dependencies are not the edges that end there");
  }
  std::sort(there.begin(), there.end());
  std::sort(back.begin(), back.end());
  return there == back ? std::string() : "not the edges of the forward sweep reversed";
}

std::string flaw_in_all_edges(const Schedule& schedule) {
  std::string flaw = flaw_in_edges(schedule, schedule.factor_edges);
  if (!flaw.empty()) return flaw;
  flaw = flaw_in_edges(schedule, schedule.forward_edges);
  if (!flaw.empty()) return "forward sweep: " + flaw;
  flaw = flaw_in_reversal(schedule.forward_edges, schedule.backward_edges);
  return flaw.empty() ? flaw : "backward sweep: " + flaw;
}

}  // namespace

std::string flaw_in_tasks(const Plan& plan) {
  const Schedule& schedule = plan.internals->schedule;
  const auto count = static_cast<Index>(schedule.task.size());
  Index next = 0;
  for (Index t = 0; t < count; ++t) {
    const Schedule::Task& task = schedule.task[t];
    if (task.first_front != next || task.last_front <= next ||
        task.last_front > plan.supernodes.count())
      return at("task", t, "tasks do not divide the fronts");
    next = task.last_front;
  }
  if (next != plan.supernodes.count()) return "some fronts belong to no task";
  const std::vector<Index> task_of = task_of_front(plan);
  for (Index t = 0; t < count; ++t) {
    const Schedule::Task& task = schedule.task[t];
    const Index up = plan.supernodes.parent[task.last_front - 1];
    if (task.parent != (up == kNone ? kNone : task_of[up]))
      return at("task", t, "its parent does not hold the parent of its last front");
    for (Index s = task.first_front; s < task.last_front; ++s)
      if (const Index parent = plan.supernodes.parent[s];
          parent != up && (parent == kNone || task_of[parent] != t))
        return at("task", t, "fronts with different parents outside the task");
  }
  if (schedule.workers < 1) return "no workers";
  return flaw_in_all_edges(schedule);
}

std::string flaw_in_memory(const Plan& plan) {
  const Schedule& schedule = plan.internals->schedule;
  const std::size_t count = plan.supernodes.parent.size();
  if (schedule.fully_summed_columns.size() != count || schedule.fully_summed.size() != count ||
      schedule.partially_summed.size() != count || schedule.update.size() != count)
    return "places of blocks are not one per supernode";
  if (schedule.scratch.size() != schedule.task.size())
    return "places of scratch are not one per task";
  if (schedule.stack_entries < 0) return "less memory than the panels take";
  std::vector<BlockPart> blocks, rows;
  std::string flaw = block_parts(plan, blocks);
  if (!flaw.empty()) return flaw;
  for (Index s = 0; s < plan.supernodes.count(); ++s) {
    rows.push_back({schedule.update[s], plan.supernodes.contribution(s), false});
    rows.push_back({kNone, 0, false});
  }
  const std::vector<Index> task_of = task_of_front(plan);
  flaw = ArrayCheck(plan, task_of, std::move(blocks),
                    plan.internals->panel_ptr.back() + schedule.stack_entries, true,
                    schedule.factor_edges)
             .run();
  if (!flaw.empty()) return "contribution blocks: " + flaw;
  // The backward sweep needs no separate check: tasks use less memory there, and backward_edges are
  // forward_edges reversed.
  flaw = ArrayCheck(plan, task_of, std::move(rows), schedule.update_rows, false,
                    schedule.forward_edges)
             .run();
  return flaw.empty() ? flaw : "updates of a solve: " + flaw;
}

}  // namespace kauri::symbolic
