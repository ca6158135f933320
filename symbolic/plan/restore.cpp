// Reduces a plan to a few arrays that do not depend on the target, checks these arrays, and
// rebuilds the plan.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/plan/restore.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "base/host/memory.hpp"
#include "base/threads/blocks.hpp"
#include "kauri/core/graph.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/make_plan.hpp"
#include "symbolic/tree/coarse_tree.hpp"

namespace kauri::symbolic {
namespace {

constexpr Index kCoreBlock = 16384;  // columns in a block of a parallel loop

[[noreturn]] void misfit(const std::string& what) { throw Error(ErrorKind::input, what); }

std::string in_words(Offset k) { return std::to_string(k); }

/// A's lower triangle, owned, and the lists of entries that it was made from.
struct ListedPattern {
  std::vector<Offset> col_ptr;
  std::vector<Index> row;
  ListedEntries listed;

  [[nodiscard]] Pattern view() const {
    return {static_cast<Index>(col_ptr.size()) - 1, col_ptr, row};
  }
};

/// An entry of a column of A: its row, and its index in PlanCore::row.
struct Placed {
  Index row;
  std::uint32_t at;  // index in PlanCore::row
  friend bool operator<(const Placed& a, const Placed& b) { return a.row < b.row; }
};

/// Returns the beginning of each list. Throws Error(input) if a length is negative or the lengths
/// do not add up to the number of rows given.
std::vector<Offset> list_begins(const PlanCore& core) {
  std::vector<Offset> ptr(core.length.size() + 1, 0);
  for (std::size_t j = 0; j < core.length.size(); ++j) {
    if (core.length[j] < 0)
      misfit("column " + in_words(static_cast<Offset>(j)) + " of B has " +
             in_words(core.length[j]) + " entries");
    ptr[j + 1] = ptr[j] + core.length[j];
  }
  if (ptr.back() != static_cast<Offset>(core.row.size()))
    misfit("the columns of B have " + in_words(ptr.back()) + " entries, rows are there for " +
           in_words(static_cast<Offset>(core.row.size())));
  return ptr;
}

/// Checks that each entry lies below the diagonal of B, and counts the entries of each column of A:
/// count[v + 1] is that of column v.
std::vector<Offset> column_lengths(const PlanCore& core, const Permutation& perm,
                                   std::span<const Offset> begin) {
  const Index n = perm.size();
  std::vector<Offset> count(static_cast<std::size_t>(n) + 1, 0);
  for (Index j = 0; j < n; ++j) {
    const Index v = perm.old_of(j);
    for (Offset k = begin[j]; k < begin[j + 1]; ++k) {
      const Index u = core.row[k];
      if (u < 0 || u >= n)
        misfit("column " + in_words(j) + " of B has an entry in row " + in_words(u) + " of A");
      if (perm.new_of(u) <= j)
        misfit("column " + in_words(j) + " of B has an entry in row " + in_words(perm.new_of(u)) +
               ", which is not below the diagonal");
      ++count[std::min(u, v) + 1];
    }
  }
  return count;
}

/// Makes the pattern, and sets listed.source to the position of each listed entry in it.
ListedPattern pattern_of(const PlanCore& core, const Permutation& perm) {
  const Index n = perm.size();
  ListedPattern a;
  a.listed.ptr = list_begins(core);
  a.listed.row = core.row;
  if (n + a.listed.ptr.back() > kMostEntries)
    misfit("more than " + in_words(kMostEntries) + " entries of A");
  std::vector<Offset> next = column_lengths(core, perm, a.listed.ptr);
  std::partial_sum(next.begin(), next.end(), next.begin());
  a.col_ptr.resize(next.size());
  for (Index v = 0; v <= n; ++v)
    a.col_ptr[v] = next[v] + v;  // + v: one diagonal entry in each column before v
  Array<Placed> placed(core.row.size());
  for (Index j = 0; j < n; ++j)
    for (Offset k = a.listed.ptr[j]; k < a.listed.ptr[j + 1]; ++k) {
      const Index u = core.row[k], v = perm.old_of(j);
      placed[next[std::min(u, v)]++] = {std::max(u, v), static_cast<std::uint32_t>(k)};
    }
  a.row.resize(static_cast<std::size_t>(a.col_ptr.back()));
  resize_large(a.listed.source, a.listed.ptr.back());
  Blocks(n, kCoreBlock).for_each([&](Index, Index first, Index last) {
    for (Index v = first; v < last; ++v) {
      Offset at = a.col_ptr[v];
      const auto begin = placed.begin() + (at - v),
                 end = placed.begin() + (a.col_ptr[v + 1] - v - 1);
      std::sort(begin, end);
      a.row[at] = v;
      for (auto entry = begin; entry != end; ++entry) {
        if (a.row[at] == entry->row)
          misfit("entry (" + in_words(entry->row) + ", " + in_words(v) + ") of A occurs twice");
        a.row[++at] = entry->row;
        a.listed.source[entry->at] = static_cast<std::uint32_t>(at);
      }
    }
  });
  return a;
}

/// Columns of B in their final order. above: the parent of each in the tree that supernodes are
/// checked against, which is CoarseTree::parent (B's elimination tree unless columns come last);
/// count: entries of each column of L.
struct OrderedColumns {
  std::vector<Index> above, count;
};

/// Returns the columns of B from a coarse tree that has one node per column. Sets out.tree.
OrderedColumns columns_of(const CoarseTree& coarse, PlanDraft& out) {
  const std::vector<Index>& place = coarse.position;
  const auto n = static_cast<Index>(place.size());
  std::vector<Index> at(place.size());
  for (Index k = 0; k < n; ++k) at[place[k]] = k;
  const std::vector<Index>& lowest = coarse.lowest.empty() ? coarse.parent : coarse.lowest;
  OrderedColumns columns{renamed(coarse.parent, at), std::vector<Index>(place.size())};
  out.tree.parent = renamed(lowest, at);
  for (Index k = 0; k < n; ++k) columns.count[k] = coarse.count[place[k]];
  out.tree.column_count = columns.count;
  return columns;
}

std::vector<Index> fronts_of(const PlanCore& core) {
  const auto n = static_cast<Offset>(core.old_of.size());
  std::vector<Index> front(core.old_of.size());
  Offset next = 0;
  for (std::size_t s = 0; s < core.pivots.size(); ++s) {
    const Offset p = core.pivots[s];
    if (p < 1 || p > n - next)
      misfit("supernode " + in_words(static_cast<Offset>(s)) + " has " + in_words(p) +
             " columns, expected 1 to " + in_words(n - next));
    std::fill_n(front.begin() + next, p, static_cast<Index>(s));
    next += p;
  }
  if (next != n) misfit("supernodes hold " + in_words(next) + " columns of " + in_words(n));
  if (core.last != 0 && (core.pivots.empty() || core.last != core.pivots.back()))
    misfit(in_words(core.last) +
           " columns come last, expected none or those of the last supernode");
  return front;
}

/// Checks the supernodes. Each column but the last of a supernode must have its parent in the
/// supernode: then the rows below all of its columns are the rows below its last. Two consecutive
/// columns whose structures nest, the first being the only child of the second, must not be
/// divided, so that fronts have no more rows in all than those of an analysis.
void check_supernodes(const PlanCore& core, const OrderedColumns& columns,
                      std::span<const Index> front) {
  const auto n = static_cast<Index>(front.size());
  std::vector<unsigned char> children(front.size(), 0);  // 0, 1, or 2 for two and more
  for (Index j = 0; j < n; ++j)
    if (const Index up = columns.above[j]; up != kNone && children[up] < 2) ++children[up];
  for (Index j = 0; j + 1 < n; ++j) {
    const Index up = columns.above[j];
    if (front[j + 1] == front[j]) {
      if (up == kNone || front[up] != front[j])
        misfit("column " + in_words(j) + " of B does not belong to supernode " +
               in_words(front[j]) + ", where its parent is not");
    } else if (up == j + 1 && children[j + 1] == 1 &&
               columns.count[j] == columns.count[j + 1] + 1 && j + 1 != n - core.last) {
      misfit("columns " + in_words(j) + " and " + in_words(j + 1) +
             " of B belong to one supernode");
    }
  }
}

/// Returns the sizes and parents of all fronts.
FrontTree front_tree(const PlanCore& core, const OrderedColumns& columns,
                     std::span<const Index> front) {
  FrontTree tree;
  tree.pivots = core.pivots;
  tree.parent.resize(core.pivots.size());
  tree.order.resize(core.pivots.size());
  Index end = 0;
  for (std::size_t s = 0; s < core.pivots.size(); ++s) {
    end += core.pivots[s];
    const Index up = columns.above[end - 1];
    tree.parent[s] = up == kNone ? kNone : front[up];
    tree.order[s] = core.pivots[s] + columns.count[end - 1] - 1;
  }
  return tree;
}

/// Checks that supernodes are in postorder: the last child ends just before its parent, every other
/// child just before its next sibling.
void check_postorder(std::span<const Index> parent) {
  struct Subtree {
    std::size_t fronts = 1,
                taken = 0;  // fronts of the whole subtree, and of the children visited so far
  };
  std::vector<Subtree> subtree(parent.size());
  for (std::size_t s = 0; s < parent.size(); ++s)
    if (parent[s] != kNone)
      subtree[static_cast<std::size_t>(parent[s])].fronts += subtree[s].fronts;
  for (std::size_t s = parent.size(); s-- > 0;) {
    if (parent[s] == kNone) continue;
    const auto up = static_cast<std::size_t>(parent[s]);
    if (s + subtree[up].taken + 1 != up)
      misfit("supernode " + in_words(static_cast<Offset>(s)) +
             " is not where a postorder of the tree has it");
    subtree[up].taken += subtree[s].fronts;
  }
}

/// Returns the number of columns at the end that form one dense supernode, because the pattern
/// makes them one or because the caller asked for rows to come last; 0 if there is none.
Index dense_end(const Plan& plan) {
  const Supernodes& nodes = plan.supernodes;
  if (nodes.count() == 0) return 0;
  for (Index j = nodes.first[nodes.count() - 1]; j < plan.n; ++j)
    if (plan.tree.column_count[j] != plan.n - j ||
        plan.tree.parent[j] != (j + 1 < plan.n ? j + 1 : kNone))
      return 0;
  return nodes.pivots(nodes.count() - 1);
}

}  // namespace

PlanCore core_of(const Plan& plan) {
  const Supernodes& nodes = plan.supernodes;
  const Assembly& assembly = plan.internals->assembly;
  const std::vector<Offset>& ptr = assembly.entry_ptr;
  PlanCore core;
  core.old_of.assign(plan.perm.old_of().begin(), plan.perm.old_of().end());
  core.pivots.resize(nodes.parent.size());
  core.length.resize(core.old_of.size());
  resize_large(core.row, plan.nnz - plan.n);
  Blocks(nodes.count(), kCoreBlock).for_each([&](Index, Index begin, Index end) {
    for (Index s = begin; s < end; ++s) {
      core.pivots[s] = nodes.pivots(s);
      const auto rows = nodes.rows(s);
      for (Index j = nodes.first[s]; j < nodes.first[s + 1]; ++j) {
        core.length[j] = static_cast<Index>(ptr[j + 1] - ptr[j] - 1);
        Index* to = core.row.data() + (ptr[j] - j);
        for (Offset k = ptr[j] + 1; k < ptr[j + 1]; ++k)
          *to++ = plan.perm.old_of(rows[assembly.entry_row[k]]);
      }
    }
  });
  core.last = dense_end(plan);
  core.ordering = plan.ordering;
  core.given = plan.given;
  core.target = plan.target;
  core.workers = plan.internals->schedule.workers;
  return core;
}

std::shared_ptr<Plan> restore_plan(const PlanCore& core, std::string_view target, int workers,
                                   const LookAtFronts& look) {
  const CostTable& table = cost_table(target);
  PlanDraft out;
  out.perm = Permutation::from_old_of(core.old_of);
  if (core.length.size() != core.old_of.size())
    misfit("columns of A are not as many as rows of the permutation");
  const std::vector<Index> front = fronts_of(core);
  const ListedPattern a = pattern_of(core, out.perm);
  const Graph rows(a.view());
  const ordering::CompressedGraph graph(rows, false);
  out.graph = &graph;
  out.listed = &a.listed;
  out.adjacency = PermutedAdjacency(graph, core.old_of);
  out.row_of.resize(core.old_of.size());
  std::iota(out.row_of.begin(), out.row_of.end(), 0);
  const OrderedColumns columns = columns_of(coarse_tree(out.adjacency, core.last), out);
  check_supernodes(core, columns, front);
  out.fronts = front_tree(core, columns, front);
  check_postorder(out.fronts.parent);
  if (look) look(out.fronts);
  out.workers = workers;
  set_sizes(out);
  predict_costs(a.view(), table, out);
  auto plan = complete_plan(a.view(), std::move(out), table);
  if (const Index last = dense_end(*plan); last != core.last)
    misfit(in_words(core.last) + " columns come last, expected " + in_words(last) +
           ", those of the last supernode");
  plan->ordering = core.ordering;
  plan->given = core.given;
  return plan;
}

Offset lower_entries(const Supernodes& nodes) {
  Offset entries = 0;
  for (Index s = 0; s < nodes.count(); ++s) {
    const Offset m = nodes.order(s), p = nodes.pivots(s);
    entries += m * p - p * (p - 1) / 2;
  }
  return entries;
}

Offset lower_entries(std::span<const Index> pivots, std::span<const Index> order) {
  Offset entries = 0;
  for (std::size_t s = 0; s < pivots.size(); ++s) {
    const Offset m = order[s], p = pivots[s];
    entries += m * p - p * (p - 1) / 2;
  }
  return entries;
}

}  // namespace kauri::symbolic
