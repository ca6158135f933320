// Tickets in postorder, memory by first fit, edges from data and from reuse.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/schedule.hpp"

#include <algorithm>
#include <utility>

#include "symbolic/arena.hpp"
#include "symbolic/checked.hpp"
#include "symbolic/cost_table.hpp"

namespace kauri::symbolic {
namespace {

/// An edge of the task graph.
using Edge = std::pair<Index, Index>;

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

/// Contribution blocks and scratch: lays out each task and reuses memory; adds the edges this needs.
void place_contributions(const TaskTree& tree, Schedule& schedule, std::vector<Edge>& edges) {
  std::vector<Offset> size(tree.fronts.parent.size()), scratch(tree.fronts.parent.size(), 0);
  for (Index s = 0; s < tree.fronts.count(); ++s) size[s] = ContributionLayout::entries(tree.fronts.contribution(s));
  schedule.contribution.resize(size.size());
  Arena arena(schedule.workers);
  std::vector<Index> waits;
  for (Index t = 0; t < tree.tasks(); ++t) {
    const TaskExtent extent = place_blocks(tree, t, size, schedule.contribution, scratch);
    arena.begin(t, tree.least[t]);
    waits.clear();
    // What lives longest first: it fills the lowest gap, and what goes with the task lies beyond.
    const Offset left = extent.left > 0 ? arena.take(extent.left, tree.parent[t], waits) : 0;
    const Offset region = extent.region > 0 ? arena.take(extent.region, t, waits) : 0;
    const Offset packed = scratch_entries(tree, t);
    schedule.scratch.push_back(packed > 0 ? arena.take(packed, t, waits) : Offset{kNone});
    move_blocks(tree, t, region, left, schedule.contribution);
    for (const Index w : waits)
      if (w < tree.least[t]) edges.emplace_back(w, t);  // descendants are waited for anyway
  }
  schedule.stack_entries = arena.size();
}

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

void set_edges(std::vector<Edge> edges, Schedule& schedule) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
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

Schedule make_schedule(const TaskTree& tree, int workers) {
  Schedule schedule;
  schedule.workers = workers;
  std::vector<Edge> edges;
  for (Index t = 0; t < tree.tasks(); ++t) {
    const TaskRange range = tree.range[t];
    double flops = 0;
    for (Index s = range.first; s < range.last; ++s) flops += front_flops(tree.fronts.order[s], tree.fronts.pivots[s]);
    schedule.task.push_back({range.first, range.last, tree.parent[t], flops});
    if (tree.parent[t] != kNone) edges.emplace_back(t, tree.parent[t]);
  }
  place_contributions(tree, schedule, edges);
  place_updates(tree, schedule);
  set_edges(std::move(edges), schedule);
  return schedule;
}

}  // namespace kauri::symbolic
