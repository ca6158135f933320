// Numbers tasks in postorder, places their memory, and collects the edges from data and from reuse.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/host/schedule.hpp"

#include <algorithm>
#include <utility>

#include "base/common/checked.hpp"
#include "symbolic/common/cost_table.hpp"
#include "symbolic/host/block_placement.hpp"

namespace kauri::symbolic {
namespace {

/// Shifts the places of task t's blocks by the beginnings of its region and of its blocks left
/// behind.
void move_blocks(const TaskTree& tree, Index t, Offset region, Offset left,
                 std::span<Offset> place) {
  for (Index s = tree.range[t].first; s < tree.range[t].last; ++s)
    if (place[s] != kNone) place[s] += tree.internal(s) ? region : left;
}

/// Returns the most scratch that a front of task t needs, in entries.
Offset scratch_entries(const TaskTree& tree, Index t) {
  Offset most = 0;
  for (Index s = tree.range[t].first; s < tree.range[t].last; ++s)
    most = std::max(most, FrontScratch::entries(tree.fronts.order[s], tree.fronts.pivots[s]));
  return most;
}

constexpr Index kLag = 2;  // lag in units of workers; with 1 predicted times are up to 10 % longer
                           // on 2 workers, 40 % on 16

/// Returns TaskPanels::lag. If several tasks run at once, a task begins while up to `workers`
/// tickets before it still run, and tasks differ in length; hence kLag.
Index lag(int workers, Index tasks) {
  return workers == 1 ? 1 : static_cast<Index>(std::min(Offset{kLag} * workers, Offset{tasks} + 1));
}

/// Appends a block and returns its number, or kNone if its size is 0.
Index add_block(std::vector<TaskBlock>& blocks, Offset size, Offset born, Offset dies) {
  if (size == 0) return kNone;
  blocks.push_back({size, born, dies});
  return static_cast<Index>(blocks.size()) - 1;
}

/// Returns the place of block k, or kNone if k is kNone.
Offset place_of(const Placement& placement, Index k) {
  return k == kNone ? Offset{kNone} : placement.place[k];
}

/// Memory of contribution blocks and scratch of a factorisation: blocks are collected task by task,
/// then placed all at once.
class BlockMemory {
 public:
  BlockMemory(const TaskTree& tree, Schedule& schedule)
      : tree_(tree),
        schedule_(schedule),
        size_(tree.fronts.parent.size()),
        counter_(tree.fronts.parent.size(), 0) {
    schedule.fully_summed.resize(size_.size());
    schedule.partially_summed.assign(size_.size(), kNone);
    for (Index s = 0; s < tree.fronts.count(); ++s) size_[s] = fully_summed_entries(s);
    for (Index t = 0; t < tree.tasks(); ++t) add_task(t);
  }

  /// Sets all places in the schedule and returns the edges that they need.
  std::vector<Edge> place(std::span<const Offset> panel_ptr) {
    std::vector<Offset> panel;
    for (const TaskRange range : tree_.range) panel.push_back(panel_ptr[range.first]);
    panel.push_back(panel_ptr.back());
    Placement placement =
        place_blocks({panel, tree_.least, lag(schedule_.workers, tree_.tasks())}, blocks_);
    for (Index t = 0; t < tree_.tasks(); ++t) {
      const auto at = [&](Index k) { return place_of(placement, k); };
      const Parts& parts = parts_[t];
      move_blocks(tree_, t, at(parts.region), at(parts.fully_summed), schedule_.fully_summed);
      move_blocks(tree_, t, kNone, at(parts.partially_summed), schedule_.partially_summed);
      schedule_.scratch.push_back(at(parts.scratch));
    }
    schedule_.stack_entries = placement.end - panel_ptr.back();
    return std::move(placement.waits);
  }

 private:
  /// Numbers in blocks_ of a task's blocks: the region of contribution blocks consumed inside the
  /// task, fully and partially summed columns left for the parent task, scratch; kNone for a block
  /// of size 0.
  struct Parts {
    Index region, fully_summed, partially_summed, scratch;
  };

  [[nodiscard]] Offset fully_summed_entries(Index s) const {
    const Index q = tree_.fronts.contribution(s), columns = schedule_.fully_summed_columns[s];
    return columns < q ? ContributionLayout::column(q, columns) : ContributionLayout::entries(q);
  }

  void add_task(Index t) {
    const TaskExtent extent = place_blocks(tree_, t, size_, schedule_.fully_summed, counter_);
    Offset partially_summed = 0;
    for (Index s = tree_.range[t].first; s < tree_.range[t].last; ++s) {
      const Offset size = ContributionLayout::entries(tree_.fronts.contribution(s)) - size_[s];
      if (size > 0) schedule_.partially_summed[s] = partially_summed;
      partially_summed = checked_add(partially_summed, size, "entries of contribution blocks");
    }
    // A front that is alone in its task takes memory for its block and its scratch only once its
    // panel is assembled.
    const Offset last = Offset{t} * 2 + 1, born = tree_.alone(t) ? last : last - 1,
                 read = Offset{tree_.parent[t]} * 2 + 1;
    Parts parts{};
    parts.fully_summed =
        add_block(blocks_, extent.left, born,
                  tree_.parent[t] != kNone && tree_.alone(tree_.parent[t]) ? read - 1 : read);
    parts.partially_summed = add_block(blocks_, partially_summed, born, read);
    parts.region = add_block(blocks_, extent.region, born, last);
    parts.scratch = add_block(blocks_, scratch_entries(tree_, t), born, last);
    parts_.push_back(parts);
  }

  const TaskTree& tree_;
  Schedule& schedule_;
  std::vector<Offset> size_, counter_;  // per front: entries of its fully summed columns: of the
                                        // whole block if it is consumed inside the task; scratch of
                                        // place_blocks(), zeros between tasks
  std::vector<TaskBlock> blocks_;
  std::vector<Parts> parts_;
};

/// Places the update rows of a solve, and returns the edges that their reuse needs. A front's rows
/// and those of its children are read and written together until the front is done, so no block
/// dies inside a task.
std::vector<Edge> place_updates(const TaskTree& tree, Schedule& schedule) {
  std::vector<Offset> size(tree.fronts.parent.size()), scratch(tree.fronts.parent.size(), 0);
  for (Index s = 0; s < tree.fronts.count(); ++s) size[s] = tree.fronts.contribution(s);
  schedule.update.resize(size.size());
  std::vector<TaskBlock> blocks;
  std::vector<std::pair<Index, Index>>
      parts;  // per task: region of rows consumed inside, rows left for the parent
  for (Index t = 0; t < tree.tasks(); ++t) {
    const TaskExtent extent = place_blocks(tree, t, size, schedule.update, scratch);
    const Offset born = Offset{t} * 2;
    const Index region = add_block(blocks, extent.region, born, born + 1);
    parts.emplace_back(region,
                       add_block(blocks, extent.left, born, Offset{tree.parent[t]} * 2 + 1));
  }
  const std::vector<Offset> no_panels(tree.range.size() + 1, 0);
  Placement placement =
      place_blocks({no_panels, tree.least, lag(schedule.workers, tree.tasks())}, blocks);
  for (Index t = 0; t < tree.tasks(); ++t)
    move_blocks(tree, t, place_of(placement, parts[t].first), place_of(placement, parts[t].second),
                schedule.update);
  schedule.update_rows = placement.end;
  return std::move(placement.waits);
}

/// Drops edges that follow from another edge and the tree: r -> u if there is r -> v with v a
/// descendant of u, or v -> u with r a descendant of v. Edges of the tree stay.
std::vector<Edge> without_implied(const TaskTree& tree, std::vector<Edge> edges) {
  const auto keep = [&](const Edge& edge, bool implied) {
    return !implied || tree.parent[edge.first] == edge.second;
  };
  std::vector<Edge> some, few;
  std::sort(edges.begin(), edges.end());
  for (const Edge& e : edges) {
    const bool implied =
        !some.empty() && some.back().first == e.first && some.back().second >= tree.least[e.second];
    if (keep(e, implied)) some.push_back(e);
  }
  const auto by_end = [](const Edge& a, const Edge& b) {
    return a.second != b.second ? a.second < b.second : a.first > b.first;
  };
  std::sort(some.begin(), some.end(), by_end);
  for (const Edge& e : some) {
    const bool implied =
        !few.empty() && few.back().second == e.second && e.first >= tree.least[few.back().first];
    if (keep(e, implied)) few.push_back(e);
  }
  std::sort(few.begin(), few.end());
  return few;
}

/// Returns edges as lists of successors. edges: ascending, no repeats.
TaskEdges task_edges(const std::vector<Edge>& edges, Index tasks) {
  TaskEdges out;
  out.dependencies.assign(static_cast<std::size_t>(tasks), 0);
  out.successor_ptr.assign(static_cast<std::size_t>(tasks) + 1, 0);
  out.successor.reserve(edges.size());
  for (const auto& [from, to] : edges) {
    ++out.dependencies[to];
    ++out.successor_ptr[from + 1];
    out.successor.push_back(to);
  }
  for (Index t = 0; t < tasks; ++t) out.successor_ptr[t + 1] += out.successor_ptr[t];
  return out;
}

/// Returns the edges of the task tree and `edges`, which reuse of memory needs, without implied
/// ones.
std::vector<Edge> with_tree(const TaskTree& tree, std::vector<Edge> edges) {
  for (Index t = 0; t < tree.tasks(); ++t)
    if (tree.parent[t] != kNone) edges.emplace_back(t, tree.parent[t]);
  return without_implied(tree, std::move(edges));
}

}  // namespace

Schedule make_schedule(const TaskTree& tree, std::span<const Offset> panel_ptr,
                       std::vector<Index> fully_summed_columns, int workers) {
  Schedule schedule;
  schedule.workers = workers;
  schedule.fully_summed_columns = std::move(fully_summed_columns);
  for (Index t = 0; t < tree.tasks(); ++t) {
    const TaskRange range = tree.range[t];
    double flops = 0;
    for (Index s = range.first; s < range.last; ++s)
      flops += front_flops(tree.fronts.order[s], tree.fronts.pivots[s]);
    schedule.task.push_back({range.first, range.last, tree.parent[t], flops});
  }
  schedule.factor_edges =
      task_edges(with_tree(tree, BlockMemory(tree, schedule).place(panel_ptr)), tree.tasks());
  std::vector<Edge> edges = with_tree(tree, place_updates(tree, schedule));
  schedule.forward_edges = task_edges(edges, tree.tasks());
  for (auto& [from, to] : edges) std::swap(from, to);
  std::sort(edges.begin(), edges.end());
  schedule.backward_edges = task_edges(edges, tree.tasks());
  return schedule;
}

}  // namespace kauri::symbolic
