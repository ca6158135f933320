// Checks the validity of a plan: permutation, tree, supernodes, assembly and counts.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/check/find_flaw.hpp"

#include <algorithm>
#include <cmath>

#include "symbolic/common/cost_table.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri {
namespace symbolic {
namespace {

template <class T, class Allocator>
bool has_size(const std::vector<T, Allocator>& array, Offset size) {
  return static_cast<Offset>(array.size()) == size;
}

/// Returns true if ptr starts at 0, never descends and ends at `end`.
template <class T>
bool points_into(const std::vector<T>& ptr, Offset end) {
  return !ptr.empty() && ptr.front() == 0 && ptr.back() == end &&
         std::is_sorted(ptr.begin(), ptr.end());
}

std::string flaw_in_rows(const Plan& plan, Index s) {
  const Supernodes& nodes = plan.supernodes;
  const auto rows = nodes.rows(s);
  const Index p = nodes.pivots(s), m = nodes.order(s);
  for (Index k = 0; k < p; ++k)
    if (rows[k] != nodes.first[s] + k)
      return at("supernode", s, "its rows do not start with its own columns");
  for (Index k = p; k < m; ++k)
    if (rows[k] <= rows[k - 1] || rows[k] >= plan.n)
      return at("supernode", s, "rows are not ascending and in range");
  const Index parent = nodes.parent[s];
  if ((parent == kNone) != (p == m))
    return at("supernode", s, "a parent without rows below the pivots, or rows without a parent");
  if (parent != kNone && (rows[p] < nodes.first[parent] || rows[p] >= nodes.first[parent + 1]))
    return at("supernode", s, "the parent does not hold the first row below the pivots");
  if (plan.internals->panel_ptr[s + 1] - plan.internals->panel_ptr[s] != Offset{m} * p)
    return at("supernode", s, "its panel is not m x p");
  return {};
}

std::string flaw_in_columns(const Plan& plan, Index s) {
  const Supernodes& nodes = plan.supernodes;
  for (Index j = nodes.first[s]; j < nodes.first[s + 1]; ++j) {
    if (plan.tree.column_count[j] > nodes.order(s) - (j - nodes.first[s]))
      return at("column", j, "more entries than its panel can hold");
    const Index up = plan.tree.parent[j];
    if (up != kNone && !std::binary_search(nodes.rows(s).begin(), nodes.rows(s).end(), up))
      return at("column", j, "its parent is not a row of its supernode");
  }
  return {};
}

std::string flaw_in_runs(const Plan& plan, Index c) {
  const Supernodes& nodes = plan.supernodes;
  const Assembly& assembly = plan.internals->assembly;
  const Index s = nodes.parent[c];
  Index next = 0;
  for (Offset k = assembly.run_ptr[c]; k < assembly.run_ptr[c + 1]; ++k) {
    const RowRun run = assembly.run[k];
    if (s == kNone) return at("supernode", c, "runs at a root");
    if (run.child != next || run.length <= 0 || run.length > nodes.contribution(c) - next ||
        run.parent < 0 || run.parent > nodes.order(s) - run.length)
      return at("run", k, "out of range or out of turn");
    next += run.length;
    for (Index l = 0; l < run.length; ++l)
      if (nodes.rows(c)[nodes.pivots(c) + run.child + l] != nodes.rows(s)[run.parent + l])
        return at("run", k, "rows that differ");
  }
  return next == nodes.contribution(c)
             ? std::string()
             : at("supernode", c, "its runs do not cover the contribution block");
}

}  // namespace

std::string flaw_in_tree(const Plan& plan) {
  const Index n = plan.n;
  if (n < 0 || plan.perm.size() != n) return "the permutation is not of size n";
  if (!has_size(plan.tree.parent, n) || !has_size(plan.tree.column_count, n))
    return "the elimination tree is not of size n";
  for (Index j = 0; j < n; ++j) {
    const Index up = plan.tree.parent[j], count = plan.tree.column_count[j];
    if (up != kNone && (up <= j || up >= n))
      return at("column", j, "its parent is not a later column");
    if (count < 1 || count > n - j || (up == kNone) != (count == 1))
      return at("column", j, "its count does not fit its place");
    if (up != kNone && plan.tree.column_count[up] < count - 1)
      return at("column", j, "its parent has too few entries");
  }
  return {};
}

std::string flaw_in_supernodes(const Plan& plan) {
  const Supernodes& nodes = plan.supernodes;
  const Index count = nodes.count();
  if (!has_size(nodes.first, Offset{count} + 1) || !has_size(nodes.row_ptr, Offset{count} + 1) ||
      !has_size(plan.internals->panel_ptr, Offset{count} + 1))
    return "arrays of supernodes differ in length";
  if (!points_into(nodes.first, plan.n)) return "supernodes do not divide the columns";
  if (!points_into(nodes.row_ptr, static_cast<Offset>(nodes.row.size())))
    return "row_ptr does not divide the rows";
  if (plan.internals->panel_ptr.front() != 0) return "panels do not start at 0";
  std::vector<Index> size(nodes.parent.size(), 1),
      below(nodes.parent.size(), 0);  // per front: fronts of its subtree; fronts below it visited
  for (Index s = 0; s < count; ++s) {
    if (nodes.pivots(s) < 1 || nodes.order(s) < nodes.pivots(s))
      return at("supernode", s, "no pivots, or fewer rows than pivots");
    const Index up = nodes.parent[s];
    if (up == kNone) continue;
    if (up <= s || up >= count) return at("supernode", s, "its parent is not a later supernode");
    size[up] += size[s];
  }
  for (Index s = count - 1; s >= 0; --s) {  // the last child ends just before its parent, every
                                            // other child just before its next sibling
    const Index up = nodes.parent[s];
    if (up == kNone) continue;
    if (s != up - 1 - below[up]) return at("supernode", s, "not in postorder");
    below[up] += size[s];
  }
  for (Index s = 0; s < count; ++s) {
    if (std::string flaw = flaw_in_rows(plan, s); !flaw.empty()) return flaw;
    if (std::string flaw = flaw_in_columns(plan, s); !flaw.empty()) return flaw;
  }
  return {};
}

/// Returns true if entry `source` of the pattern is entry (row, column) of B.
bool is_entry_of_pattern(const Plan& plan, Offset source, Index column, Index row) {
  const auto [low, high] = std::minmax({plan.perm.old_of(column), plan.perm.old_of(row)});
  return plan.internals->pattern.row[source] == high &&
         plan.internals->pattern.col_ptr[low] <= source &&
         source < plan.internals->pattern.col_ptr[low + 1];
}

std::string flaw_in_assembly(const Plan& plan) {
  const Supernodes& nodes = plan.supernodes;
  const Assembly& assembly = plan.internals->assembly;
  const Index count = nodes.count();
  if (!has_size(assembly.entry_ptr, Offset{plan.n} + 1) ||
      !points_into(assembly.entry_ptr, plan.nnz) || !has_size(assembly.entry_source, plan.nnz) ||
      !has_size(assembly.entry_row, plan.nnz))
    return "the entries of A are not divided among the columns";
  if (!has_size(plan.internals->pattern.row, plan.nnz) ||
      !has_size(plan.internals->pattern.col_ptr, Offset{plan.n} + 1) ||
      !points_into(plan.internals->pattern.col_ptr, plan.nnz))
    return "the pattern has another size than the plan";
  std::vector<bool> seen(static_cast<std::size_t>(plan.nnz), false);
  for (Index s = 0; s < count; ++s)
    for (Index j = nodes.first[s]; j < nodes.first[s + 1]; ++j)
      for (Offset k = assembly.entry_ptr[j]; k < assembly.entry_ptr[j + 1]; ++k) {
        const Offset source = assembly.entry_source[k];
        if (source >= plan.nnz || seen[source])
          return at("entry", k, "its source is out of range or taken twice");
        seen[source] = true;
        if (assembly.entry_row[k] < j - nodes.first[s] || assembly.entry_row[k] >= nodes.order(s))
          return at("entry", k, "its row is above the diagonal or outside the front");
        if (!is_entry_of_pattern(plan, source, j, nodes.rows(s)[assembly.entry_row[k]]))
          return at("entry", k, "it is another of the pattern");
      }
  if (!has_size(assembly.child_ptr, Offset{count} + 1) ||
      !points_into(assembly.child_ptr, static_cast<Offset>(assembly.child.size())))
    return "child_ptr does not divide the children";
  const auto roots = std::count(nodes.parent.begin(), nodes.parent.end(), kNone);
  if (!has_size(assembly.child, Offset{count} - roots))
    return "not every supernode but the roots is a child";
  for (Index s = 0; s < count; ++s)
    for (Index k = assembly.child_ptr[s]; k < assembly.child_ptr[s + 1]; ++k) {
      const Index c = assembly.child[k];
      if (c < 0 || c >= count || nodes.parent[c] != s ||
          (k > assembly.child_ptr[s] && c <= assembly.child[k - 1]))
        return at("supernode", s, "its children are wrong or not ascending");
    }
  if (!has_size(assembly.run_ptr, Offset{count} + 1) ||
      !points_into(assembly.run_ptr, static_cast<Offset>(assembly.run.size())))
    return "run_ptr does not divide the runs";
  for (Index c = 0; c < count; ++c)
    if (std::string flaw = flaw_in_runs(plan, c); !flaw.empty()) return flaw;
  return {};
}

std::string flaw_in_cost(const Plan& plan) {
  const Supernodes& nodes = plan.supernodes;
  Offset nnz = 0, stored = 0;
  double flops = 0, executed = 0;
  Index front = 0, pivots = 0;
  for (const Index c : plan.tree.column_count) {
    nnz += c;
    flops += static_cast<double>(c) * c;
  }
  for (Index s = 0; s < nodes.count(); ++s) {
    stored += Offset{nodes.order(s)} * nodes.pivots(s);
    executed += front_flops(nodes.order(s), nodes.pivots(s));
    front = std::max(front, nodes.order(s));
    pivots = std::max(pivots, nodes.pivots(s));
  }
  const auto differs = [](double a, double b) { return std::abs(a - b) > 1e-12 * std::max(a, b); };
  if (plan.cost.nnz_l != nnz || differs(plan.cost.flops, flops))
    return "nnz_l or flops are not the sums over the column counts";
  if (plan.cost.stored_entries != stored || plan.internals->panel_ptr.back() != stored)
    return "stored_entries are not the sum of the panels";
  if (differs(plan.cost.executed_flops, executed))
    return "executed_flops are not the sum over the fronts";
  if (plan.cost.largest_front != front || plan.cost.largest_supernode != pivots)
    return "the largest front or supernode is another";
  Index binned = 0;
  for (const Cost::FrontBin& bin : plan.cost.fronts) binned += bin.count;
  return binned == nodes.count() ? std::string() : "the histogram does not count every front once";
}

}  // namespace symbolic

std::string find_flaw(const Plan& plan) {
  for (const auto part :
       {symbolic::flaw_in_tree, symbolic::flaw_in_supernodes, symbolic::flaw_in_assembly,
        symbolic::flaw_in_tasks, symbolic::flaw_in_memory, symbolic::flaw_in_cost,
        symbolic::flaw_in_device_levels, symbolic::flaw_in_device_memory,
        symbolic::flaw_in_device_tasks, symbolic::flaw_in_device_sums,
        symbolic::flaw_in_device_bytes})
    if (std::string flaw = part(plan); !flaw.empty()) return flaw;
  return {};
}

}  // namespace kauri
