// The steps of a draft in order: tree, counts, supernodes, numbering, tasks, cost.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/plan/plan_draft.hpp"

#include <algorithm>
#include <utility>

#include "base/common/checked.hpp"
#include "base/threads/blocks.hpp"
#include "symbolic/common/supervariables.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/host/cost.hpp"
#include "symbolic/host/fully_summed.hpp"
#include "symbolic/host/schedule.hpp"
#include "symbolic/host/task_cut.hpp"
#include "symbolic/host/task_memory.hpp"
#include "symbolic/tree/amalgamate.hpp"
#include "symbolic/tree/child_order.hpp"
#include "symbolic/tree/coarse_tree.hpp"
#include "symbolic/tree/supernodes.hpp"

namespace kauri::symbolic {
namespace {

constexpr Index kOutlineBlock = 16384;  // nodes or fronts in a block of a parallel loop

FrontTree renumbered(const FrontTree& fronts, std::span<const Index> position) {
  FrontTree out{renamed(fronts.parent, position), std::vector<Index>(position.size()),
                std::vector<Index>(position.size())};
  for (std::size_t s = 0; s < position.size(); ++s) {
    out.order[position[s]] = fronts.order[s];
    out.pivots[position[s]] = fronts.pivots[s];
  }
  return out;
}

std::vector<double> work_of(const FrontTree& fronts, const CostTable& table) {
  std::vector<double> work(fronts.parent.size());
  Blocks(fronts.count(), kOutlineBlock).for_each([&](Index, Index begin, Index end) {
    for (Index s = begin; s < end; ++s)
      work[s] = front_seconds(table, fronts.order[s], fronts.pivots[s]);
  });
  return work;
}

/// Returns the final row of the first column of each node (nodes are in postorder): supernodes come
/// in final order, and the fundamental supernodes inside each keep their own order, which places
/// every column after its descendants.
std::vector<Index> final_rows(const Partition& partition, std::span<const Index> front_of,
                              std::span<const Index> first, std::span<const Index> weight) {
  std::vector<Index> next(first.begin(), first.end() - 1),
      row(static_cast<std::size_t>(partition.first.back()));
  for (Index f = 0; f < partition.fronts.count(); ++f)
    for (Index j = partition.first[f]; j < partition.first[f + 1]; ++j) {
      row[j] = next[front_of[f]];
      next[front_of[f]] += weight.empty() ? 1 : weight[j];
    }
  return row;
}

/// Expands the tree and the counts to columns in their final numbering, and sets perm and row_of.
void set_numbering(const Permutation& perm, const CoarseTree& coarse, std::span<const Index> row,
                   PlanDraft& out) {
  const auto n = static_cast<std::size_t>(perm.size());
  const auto nodes = static_cast<Index>(row.size());
  out.tree.parent.resize(n);
  out.tree.column_count.resize(n);
  out.row_of.resize(row.size());
  const auto weight = [&](Index j) { return coarse.weight.empty() ? 1 : coarse.weight[j]; };
  const std::vector<Index>& above = coarse.lowest.empty() ? coarse.parent : coarse.lowest;
  std::vector<Index> first(row.size() + 1, 0);  // by place: position in perm of the first member
  for (Index k = 0; k < nodes; ++k) first[k + 1] = first[k] + weight(coarse.position[k]);
  std::vector<Index> old_of(n);
  Blocks(nodes, kOutlineBlock).for_each([&](Index, Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const Index j = coarse.position[k], from = row[j], last = from + weight(j) - 1;
      for (Index i = from; i <= last; ++i) {
        out.tree.parent[i] = i + 1;
        out.tree.column_count[i] = coarse.count[j] - (i - from);
        old_of[i] = perm.old_of(first[k] + (i - from));
      }
      out.tree.parent[last] = above[j] == kNone ? kNone : row[above[j]];
      out.row_of[k] = from;
    }
  });
  out.perm = Permutation::from_old_of(std::move(old_of));
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

/// Predicts the seconds of the whole device in double, which orderings are compared by. (Fronts are
/// merged by the seconds of one multiprocessor.)
void predict_device(std::string_view target, const Pattern& lower, PlanDraft& out) {
  const DeviceCost& cost = device_cost(target);
  out.device_work = count_device_work(out.supernodes, out.device_levels, lower.nnz());
  out.cost.predicted_factor_s = device_factor_seconds(cost, out.device_work);
  out.cost.predicted_solve_s = device_solve_seconds(cost, out.device_work, lower.n);
  out.cost.predicted_create_s = device_create_seconds(cost, out.device_work);
  out.core = {out.cost.predicted_factor_s, out.cost.predicted_solve_s};
}

}  // namespace

void set_sizes(PlanDraft& out) {
  const FrontTree& fronts = out.fronts;
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

void set_schedule(const CostTable& table, PlanDraft& out) {
  const std::vector<double> work = work_of(out.fronts, table);
  const TaskTree tasks = task_tree(
      out.fronts,
      task_ranges(out.fronts.parent, work, find_cut(out.fronts.parent, work, table.task_floor_s)));
  out.schedule = make_schedule(
      tasks, out.panel_ptr,
      fully_summed_columns(tasks, out.adjacency, out.row_of, out.supernodes.first), out.workers);
}

void predict_costs(const Pattern& lower, const CostTable& table, PlanDraft& out) {
  const auto count = [&] {
    out.cost = count_cost(out.tree.column_count, out.fronts);
    out.cost.tree_height = height_of(out.tree.parent);
  };
  if (is_device_target(table.target)) {
    side_by_side(count, [&] { out.device_levels = find_levels(out.supernodes); });
    predict_device(table.target, lower, out);
  } else {
    side_by_side(count, [&] { set_schedule(table, out); });
    out.core = predict(table, out.fronts, out.schedule, lower.nnz(), out.cost);
  }
}

PlanDraft draft_plan(const Pattern& lower, const ordering::CompressedGraph& graph,
                     const Permutation& perm, const CostTable& table, const DraftOptions& options) {
  PlanDraft out;
  out.own = other_supervariables(graph, perm);
  out.graph = out.own ? out.own.get() : &graph;
  out.adjacency = PermutedAdjacency(*out.graph, elimination_order(*out.graph, perm).value());
  const CoarseTree tree = coarse_tree(out.adjacency, options.last);

  const Partition partition =
      fundamental_supernodes(tree.parent, tree.count, tree.weight, options.last);
  const Index apart = options.last > 0 ? partition.fronts.count() - 1 : kNone;
  const Groups groups = options.amalgamate ? amalgamate(partition.fronts, table, apart)
                                           : no_amalgamation(partition.fronts);
  const Cut rough =
      find_cut(groups.fronts.parent, work_of(groups.fronts, table), table.task_floor_s);
  const std::vector<Index> front_place = stack_postorder(groups.fronts, rough.above, rough.small);
  out.fronts = renumbered(groups.fronts, front_place);
  out.workers = options.workers;
  set_sizes(out);

  std::vector<Index> front_of(groups.group.size());
  for (std::size_t f = 0; f < front_of.size(); ++f) front_of[f] = front_place[groups.group[f]];
  set_numbering(perm, tree, final_rows(partition, front_of, out.supernodes.first, tree.weight),
                out);

  predict_costs(lower, table, out);
  return out;
}

}  // namespace kauri::symbolic
