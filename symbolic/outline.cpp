// The phase read top to bottom: tree, counts, supernodes, numbering, tasks, cost.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/outline.hpp"

#include <algorithm>
#include <utility>

#include "symbolic/amalgamate.hpp"
#include "symbolic/block_heads.hpp"
#include "symbolic/checked.hpp"
#include "symbolic/child_order.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/cost.hpp"
#include "symbolic/elimination_tree.hpp"
#include "symbolic/schedule.hpp"
#include "symbolic/supernodes.hpp"
#include "symbolic/task_cut.hpp"
#include "symbolic/task_memory.hpp"

namespace kauri::symbolic {
namespace {

/// Names nodes by their position: result[position[j]] = position[parent[j]].
std::vector<Index> renamed(std::span<const Index> parent, std::span<const Index> position) {
  std::vector<Index> out(parent.size());
  for (std::size_t j = 0; j < parent.size(); ++j) out[position[j]] = parent[j] == kNone ? kNone : position[parent[j]];
  return out;
}

FrontTree renumbered(const FrontTree& fronts, std::span<const Index> position) {
  FrontTree out{renamed(fronts.parent, position), std::vector<Index>(position.size()), std::vector<Index>(position.size())};
  for (std::size_t s = 0; s < position.size(); ++s) {
    out.order[position[s]] = fronts.order[s];
    out.pivots[position[s]] = fronts.pivots[s];
  }
  return out;
}

std::vector<double> work_of(const FrontTree& fronts, const CostTable& table) {
  std::vector<double> work(fronts.parent.size());
  for (Index s = 0; s < fronts.count(); ++s) work[s] = front_seconds(table, fronts.order[s], fronts.pivots[s]);
  return work;
}

/// Sizes of the supernodes: columns, parents, presized rows and panels.
void set_sizes(const FrontTree& fronts, Outline& out) {
  Supernodes& nodes = out.supernodes;
  nodes.parent = fronts.parent;
  nodes.first.assign(fronts.parent.size() + 1, 0);
  nodes.row_ptr.assign(fronts.parent.size() + 1, 0);
  out.panel_ptr.assign(fronts.parent.size() + 1, 0);
  for (Index s = 0; s < fronts.count(); ++s) {
    const Offset m = fronts.order[s], p = fronts.pivots[s];
    nodes.first[s + 1] = nodes.first[s] + fronts.pivots[s];
    nodes.row_ptr[s + 1] = nodes.row_ptr[s] + m;
    out.panel_ptr[s + 1] = checked_add(out.panel_ptr[s], m * p, "entries of L");
  }
}

/// Final places of postordered columns: supernodes in final order, the fundamental ones inside in their own order, which keeps every column
/// behind its descendants.
std::vector<Index> final_places(const Partition& partition, std::span<const Index> front_of, std::span<const Index> first) {
  std::vector<Index> next(first.begin(), first.end() - 1), place(static_cast<std::size_t>(partition.first.back()));
  for (Index f = 0; f < partition.fronts.count(); ++f)
    for (Index j = partition.first[f]; j < partition.first[f + 1]; ++j) place[j] = next[front_of[f]]++;
  return place;
}

Index height_of(std::span<const Index> parent) {
  std::vector<Index> height(parent.size(), 1);
  Index greatest = 0;
  for (std::size_t j = 0; j < parent.size(); ++j) {
    greatest = std::max(greatest, height[j]);
    if (parent[j] != kNone) height[parent[j]] = std::max(height[parent[j]], height[j] + 1);
  }
  return greatest;
}

/// Takes columns from postordered to final numbers: tree, counts, permutation.
void set_numbering(const Permutation& perm, std::span<const Index> position, const EliminationTree& postordered,
                   std::span<const Index> place, Outline& out) {
  const Index n = perm.size();
  out.tree.parent = renamed(postordered.parent, place);
  out.tree.column_count.resize(place.size());
  for (Index j = 0; j < n; ++j) out.tree.column_count[place[j]] = postordered.column_count[j];
  out.final_of.resize(place.size());
  std::vector<Index> old_of(place.size());
  for (Index k = 0; k < n; ++k) {
    out.final_of[k] = place[position[k]];
    old_of[out.final_of[k]] = perm.old_of(k);
  }
  out.perm = Permutation::from_old_of(std::move(old_of));
}

}  // namespace

Outline make_outline(const Pattern& lower, const Permutation& perm, const CostTable& table, int workers, bool relaxed) {
  Outline out;
  out.rows = row_lists(lower, perm);
  EliminationTree tree;
  std::vector<Index> position;
  {
    const std::vector<Index> parent = elimination_tree(out.rows);
    position = postorder(parent);
    tree.parent = renamed(parent, position);
  }
  tree.column_count = column_counts(out.rows, position, tree.parent);

  const Partition partition = fundamental_supernodes(tree.parent, tree.column_count);
  const Groups groups = relaxed ? amalgamate(partition.fronts, table) : no_amalgamation(partition.fronts);
  const Cut rough = find_cut(groups.fronts.parent, work_of(groups.fronts, table), table.task_floor_s);
  const std::vector<Index> front_place = stack_postorder(groups.fronts, rough.above, rough.small);
  const FrontTree fronts = renumbered(groups.fronts, front_place);
  set_sizes(fronts, out);

  std::vector<Index> front_of(groups.group.size());
  for (std::size_t f = 0; f < front_of.size(); ++f) front_of[f] = front_place[groups.group[f]];
  set_numbering(perm, position, tree, final_places(partition, front_of, out.supernodes.first), out);

  const std::vector<double> work = work_of(fronts, table);
  const TaskTree tasks = task_tree(fronts, task_ranges(fronts.parent, work, find_cut(fronts.parent, work, table.task_floor_s)));
  out.schedule = make_schedule(tasks, out.panel_ptr, head_columns(tasks, out.rows, out.final_of, out.supernodes.first), workers);
  out.cost = count_cost(tree.column_count, fronts);
  out.cost.tree_height = height_of(out.tree.parent);
  out.core = predict(table, fronts, out.schedule, lower.nnz(), out.cost);
  return out;
}

}  // namespace kauri::symbolic
