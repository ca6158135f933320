// Tickets in postorder, memory placed at once, edges from data and from reuse.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/schedule.hpp"

#include <algorithm>
#include <utility>

#include "symbolic/checked.hpp"
#include "symbolic/cost_table.hpp"
#include "symbolic/placement.hpp"

namespace kauri::symbolic {
namespace {

/// Shifts the places of task t's blocks to where its region and its blocks left behind begin.
void move_blocks(const TaskTree& tree, Index t, Offset region, Offset left, std::span<Offset> place) {
  for (Index s = tree.range[t].first; s < tree.range[t].last; ++s)
    if (place[s] != kNone) place[s] += tree.internal(s) ? region : left;
}

/// The most scratch that a front of task t needs.
Offset scratch_entries(const TaskTree& tree, Index t) {
  Offset most = 0;
  for (Index s = tree.range[t].first; s < tree.range[t].last; ++s)
    most = std::max(most, FrontScratch::entries(tree.fronts.order[s], tree.fronts.pivots[s]));
  return most;
}

constexpr Index kLag = 2;  // times workers; with 1 predicted times are up to 10 % longer on 2 workers, 40 % on 16

/// Contribution blocks and scratch of a factorisation, gathered task by task, placed at once.
class BlockMemory {
 public:
  BlockMemory(const TaskTree& tree, Schedule& schedule)
      : tree_(tree), schedule_(schedule), size_(tree.fronts.parent.size()), counter_(tree.fronts.parent.size(), 0) {
    schedule.head.resize(size_.size());
    schedule.tail.assign(size_.size(), kNone);
    for (Index s = 0; s < tree.fronts.count(); ++s) size_[s] = head_entries(s);
    for (Index t = 0; t < tree.tasks(); ++t) add_task(t);
  }

  /// Sets all places; returns the edges they need.
  std::vector<Edge> place(std::span<const Offset> panel_ptr) {
    std::vector<Offset> panel;
    for (const TaskRange range : tree_.range) panel.push_back(panel_ptr[range.first]);
    panel.push_back(panel_ptr.back());
    Placement placement = place_tenants({panel, tree_.least, lag()}, tenants_);
    for (Index t = 0; t < tree_.tasks(); ++t) {
      const auto at = [&](Index k) { return k == kNone ? Offset{kNone} : placement.place[k]; };
      const Parts& parts = parts_[t];
      move_blocks(tree_, t, at(parts.region), at(parts.heads), schedule_.head);
      move_blocks(tree_, t, kNone, at(parts.tails), schedule_.tail);
      schedule_.scratch.push_back(at(parts.scratch));
    }
    schedule_.stack_entries = placement.end - panel_ptr.back();
    return std::move(placement.waits);
  }

 private:
  /// Tenants of a task: blocks consumed inside, heads and tails left for the parent, scratch.
  struct Parts {
    Index region, heads, tails, scratch;
  };

  /// Where several tasks run at once, a task that begins is up to that many tickets behind the last one done, and tasks differ in length.
  [[nodiscard]] Index lag() const {
    return schedule_.workers == 1 ? 1 : static_cast<Index>(std::min(Offset{kLag} * schedule_.workers, Offset{tree_.tasks()} + 1));
  }

  [[nodiscard]] Offset head_entries(Index s) const {
    const Index q = tree_.fronts.contribution(s), columns = schedule_.head_columns[s];
    return columns < q ? ContributionLayout::column(q, columns) : ContributionLayout::entries(q);
  }

  Index add(Offset size, Offset born, Offset dies) {
    if (size == 0) return kNone;
    tenants_.push_back({size, born, dies});
    return static_cast<Index>(tenants_.size()) - 1;
  }

  void add_task(Index t) {
    const TaskExtent extent = place_blocks(tree_, t, size_, schedule_.head, counter_);
    Offset tails = 0;
    for (Index s = tree_.range[t].first; s < tree_.range[t].last; ++s) {
      const Offset size = ContributionLayout::entries(tree_.fronts.contribution(s)) - size_[s];
      if (size > 0) schedule_.tail[s] = tails;
      tails = checked_add(tails, size, "entries of contribution blocks");
    }
    // A front alone in its task takes memory for its block and its scratch once its panel is assembled.
    const Offset last = Offset{t} * 2 + 1, born = tree_.alone(t) ? last : last - 1, read = Offset{tree_.parent[t]} * 2 + 1;
    Parts parts{};
    parts.heads = add(extent.left, born, tree_.parent[t] != kNone && tree_.alone(tree_.parent[t]) ? read - 1 : read);
    parts.tails = add(tails, born, read);
    parts.region = add(extent.region, born, last);
    parts.scratch = add(scratch_entries(tree_, t), born, last);
    parts_.push_back(parts);
  }

  const TaskTree& tree_;
  Schedule& schedule_;
  std::vector<Offset> size_, counter_;  // heads (whole blocks, where they are consumed inside); zeros between tasks
  std::vector<Tenant> tenants_;
  std::vector<Parts> parts_;
};

/// Update rows of a solve: the same inside a task, and no memory in common between tasks.
void place_updates(const TaskTree& tree, Schedule& schedule) {
  std::vector<Offset> size(tree.fronts.parent.size()), scratch(tree.fronts.parent.size(), 0);
  for (Index s = 0; s < tree.fronts.count(); ++s) size[s] = tree.fronts.contribution(s);
  schedule.update.resize(size.size());
  Offset used = 0;
  for (Index t = 0; t < tree.tasks(); ++t) {
    const TaskExtent extent = place_blocks(tree, t, size, schedule.update, scratch);
    move_blocks(tree, t, used, used + extent.region, schedule.update);
    used = checked_add(used, extent.region + extent.left, "rows of a solve's arena");
  }
  schedule.update_rows = used;
}

/// Drops edges that others imply together with the tree: r -> u where r -> v is there too and v is a descendant of u, or v -> u and r is a
/// descendant of v. Edges of the tree stay.
std::vector<Edge> without_implied(const TaskTree& tree, std::vector<Edge> edges) {
  const auto keep = [&](const Edge& edge, bool implied) { return !implied || tree.parent[edge.first] == edge.second; };
  std::vector<Edge> some, few;
  std::sort(edges.begin(), edges.end());
  for (const Edge& e : edges) {
    const bool implied = !some.empty() && some.back().first == e.first && some.back().second >= tree.least[e.second];
    if (keep(e, implied)) some.push_back(e);
  }
  const auto by_end = [](const Edge& a, const Edge& b) { return a.second != b.second ? a.second < b.second : a.first > b.first; };
  std::sort(some.begin(), some.end(), by_end);
  for (const Edge& e : some) {
    const bool implied = !few.empty() && few.back().second == e.second && e.first >= tree.least[few.back().first];
    if (keep(e, implied)) few.push_back(e);
  }
  std::sort(few.begin(), few.end());
  return few;
}

/// edges: ascending, no repeats.
void set_edges(const std::vector<Edge>& edges, Schedule& schedule) {
  schedule.dependencies.assign(schedule.task.size(), 0);
  schedule.successor_ptr.assign(schedule.task.size() + 1, 0);
  schedule.successor.reserve(edges.size());
  for (const auto& [from, to] : edges) {
    ++schedule.dependencies[to];
    ++schedule.successor_ptr[from + 1];
    schedule.successor.push_back(to);
  }
  for (std::size_t t = 0; t < schedule.task.size(); ++t) schedule.successor_ptr[t + 1] += schedule.successor_ptr[t];
}

}  // namespace

Schedule make_schedule(const TaskTree& tree, std::span<const Offset> panel_ptr, std::vector<Index> head_columns, int workers) {
  Schedule schedule;
  schedule.workers = workers;
  schedule.head_columns = std::move(head_columns);
  for (Index t = 0; t < tree.tasks(); ++t) {
    const TaskRange range = tree.range[t];
    double flops = 0;
    for (Index s = range.first; s < range.last; ++s) flops += front_flops(tree.fronts.order[s], tree.fronts.pivots[s]);
    schedule.task.push_back({range.first, range.last, tree.parent[t], flops});
  }
  std::vector<Edge> edges = BlockMemory(tree, schedule).place(panel_ptr);
  for (Index t = 0; t < tree.tasks(); ++t)
    if (tree.parent[t] != kNone) edges.emplace_back(t, tree.parent[t]);
  place_updates(tree, schedule);
  set_edges(without_implied(tree, std::move(edges)), schedule);
  return schedule;
}

}  // namespace kauri::symbolic
