// Tests that the plan made with supervariables equals the plan without them, field by field, for
// any numbering and any ordering.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/common/supervariables.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "kauri/core/ordering.hpp"
#include "support/oracles/fill_oracle.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/make_plan.hpp"

namespace kauri::test {
namespace {

using ordering::CompressedGraph;
using symbolic::make_plan;

/// Returns `a` with rows `hubs` that also meet every `step`-th row: dense rows that distinguish
/// members of a node.
OwnedPattern with_hubs(const OwnedPattern& a, const std::vector<Index>& hubs, Index step) {
  EdgeList edges;
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = a.col_ptr[j]; k < a.col_ptr[j + 1]; ++k) edges.emplace_back(j, a.row[k]);
  for (const Index hub : hubs)
    for (Index i = hub % step; i < a.n(); i += step) edges.emplace_back(hub, i);
  return pattern_of(a.n(), std::move(edges));
}

/// Returns the supervariables in random order, with members ascending or descending.
Permutation by_supervariables(const CompressedGraph& graph, std::uint64_t seed, bool ascending) {
  const Permutation order = random_order(graph.size(), seed);
  std::vector<Index> old_of;
  for (const Index v : order.old_of())
    for (Index t = 0; t < graph.weight(v); ++t)
      old_of.push_back(graph.member(v, ascending ? t : graph.weight(v) - 1 - t));
  return Permutation::from_old_of(std::move(old_of));
}

/// Returns each column's entries as a set of (source, row).
std::vector<std::set<std::pair<Offset, Index>>> entries_of(const Plan& plan) {
  std::vector<std::set<std::pair<Offset, Index>>> entries(static_cast<std::size_t>(plan.n));
  for (Index j = 0; j < plan.n; ++j)
    for (Offset k = plan.internals->assembly.entry_ptr[j];
         k < plan.internals->assembly.entry_ptr[j + 1]; ++k)
      entries[j].emplace(plan.internals->assembly.entry_source[k],
                         plan.internals->assembly.entry_row[k]);
  return entries;
}

auto fields(const symbolic::RowRun& run) { return std::tuple(run.child, run.parent, run.length); }
auto fields(const symbolic::Schedule::Task& task) {
  return std::tuple(task.first_front, task.last_front, task.parent, task.flops);
}
auto fields(const Cost::FrontBin& bin) { return std::tuple(bin.least_order, bin.count, bin.flops); }

template <class T, class Allocator>
auto fields(const std::vector<T, Allocator>& items) {
  std::vector<decltype(fields(items[0]))> all;
  for (const T& item : items) all.push_back(fields(item));
  return all;
}

/// Returns the name of the first field that differs, or "".
std::string difference(const Plan& a, const Plan& b) {
  if (a.n != b.n || a.nnz != b.nnz ||
      a.internals->pattern.col_ptr != b.internals->pattern.col_ptr ||
      a.internals->pattern.row != b.internals->pattern.row)
    return "size or pattern";
  if (a.perm != b.perm) return "perm";
  if (a.tree.parent != b.tree.parent || a.tree.column_count != b.tree.column_count) return "tree";
  const Supernodes &s = a.supernodes, &t = b.supernodes;
  if (s.first != t.first || s.parent != t.parent || s.row_ptr != t.row_ptr) return "supernodes";
  if (s.row != t.row) return "rows";
  if (a.internals->panel_ptr != b.internals->panel_ptr) return "panel_ptr";
  if (a.internals->assembly.entry_ptr != b.internals->assembly.entry_ptr) return "entry_ptr";
  if (entries_of(a) != entries_of(b)) return "entries";
  if (a.internals->assembly.child_ptr != b.internals->assembly.child_ptr ||
      a.internals->assembly.child != b.internals->assembly.child)
    return "children";
  if (a.internals->assembly.run_ptr != b.internals->assembly.run_ptr ||
      fields(a.internals->assembly.run) != fields(b.internals->assembly.run))
    return "runs";
  const symbolic::Schedule &x = a.internals->schedule, &y = b.internals->schedule;
  if (fields(x.task) != fields(y.task) || x.factor_edges != y.factor_edges ||
      x.forward_edges != y.forward_edges || x.backward_edges != y.backward_edges)
    return "tasks";
  if (x.scratch != y.scratch || x.fully_summed_columns != y.fully_summed_columns ||
      x.fully_summed != y.fully_summed || x.partially_summed != y.partially_summed ||
      x.update != y.update || x.stack_entries != y.stack_entries || x.update_rows != y.update_rows)
    return "memory";
  if (a.peak_bytes(8) != b.peak_bytes(8) || a.workspace_bytes(8, 3) != b.workspace_bytes(8, 3))
    return "bytes";
  const Cost &c = a.cost, &d = b.cost;
  if (std::tuple(c.nnz_l, c.flops, c.stored_entries, c.executed_flops, c.tree_height,
                 c.largest_front, c.largest_supernode) !=
      std::tuple(d.nnz_l, d.flops, d.stored_entries, d.executed_flops, d.tree_height,
                 d.largest_front, d.largest_supernode))
    return "cost";
  if (fields(c.fronts) != fields(d.fronts) || c.predicted_factor_s != d.predicted_factor_s ||
      c.predicted_solve_s != d.predicted_solve_s)
    return "predictions";
  return {};
}

/// Compares the plans with and without supervariables for one permutation; returns "" if they are
/// sound and equal.
std::string flaw_of(const OwnedPattern& a, const CompressedGraph& graph, const Permutation& perm,
                    bool amalgamate) {
  AnalyzeOptions options;
  options.workers = 2;
  options.amalgamate = amalgamate;
  options.target = "cpu-avx512";
  const auto merged = make_plan(a.view(), graph, perm, options),
             plain = make_plan(a.view(), perm, options);
  if (std::string flaw = find_flaw(*merged); !flaw.empty()) return flaw;
  // A graph made from the pattern builds no graph of the rows unless asked.
  const CompressedGraph from_pattern(ordering::GraphSource(a.view()), true);
  const std::string other = difference(*make_plan(a.view(), from_pattern, perm, options), *plain);
  if (!other.empty()) return "from the pattern: " + other;
  return difference(*merged, *plain);
}

/// Checks every kind of permutation of one pattern.
void check_all(const OwnedPattern& a, std::uint64_t seed) {
  const Graph graph(a.view());
  const CompressedGraph compressed(graph, true);
  std::map<std::string, Permutation> perms;
  for (const OrderingMethod method :
       {OrderingMethod::natural, OrderingMethod::rcm, OrderingMethod::minimum_degree,
        OrderingMethod::amd, OrderingMethod::parallel_amd, OrderingMethod::nested_dissection,
        OrderingMethod::metis}) {
    if (!ordering_available(method)) continue;
    OrderingOptions options;
    options.method = method;
    options.dense = seed % 2 == 0 ? 10 : 1;
    perms[std::string(name_of(method))] = order(graph, options);
  }
  perms["random"] = random_order(a.n(), seed);
  perms["whole"] = by_supervariables(compressed, seed, true);
  perms["whole, members backwards"] = by_supervariables(compressed, seed, false);
  for (const auto& [name, perm] : perms)
    ASSERT_EQ(flaw_of(a, compressed, perm, seed % 3 != 0), "")
        << name << ", seed " << seed << ", n = " << a.n();
}

TEST(Supervariables, RandomPatternsOfEveryNumbering) {
  for (std::uint64_t seed = 0; seed < 240; ++seed) {
    std::mt19937_64 random(seed);
    const auto nodes = 1 + static_cast<Index>(random() % 40);
    std::vector<Index> weight(static_cast<std::size_t>(nodes));
    const Index most = 1 + static_cast<Index>(seed % 5);
    for (Index& w : weight) w = 1 + static_cast<Index>(random() % static_cast<std::uint64_t>(most));
    const OwnedPattern coarse =
        random_pattern(nodes, 0.3 + static_cast<double>(random() % 40) / 10, seed);
    for (const Numbering numbering :
         {Numbering::together, Numbering::shuffled, Numbering::by_unknown}) {
      const OwnedPattern a = blown_up(coarse, weight, numbering, seed);
      check_all(a, seed);
      if (HasFatalFailure()) return;
      if (seed % 4 == 0)
        check_all(with_hubs(a, {0, a.n() / 2}, 1 + static_cast<Index>(seed % 3)), seed);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Supervariables, Families) {
  for (const Index n : {0, 1, 2, 7, 40})
    for (const OwnedPattern& a :
         {diagonal_pattern(n), chain_pattern(n), dense_pattern(n), caterpillar_pattern(n)})
      check_all(a, 3);
  for (const Index n : {1, 30}) check_all(star_pattern(n, n / 2), 4);
  for (const Numbering numbering :
       {Numbering::together, Numbering::shuffled, Numbering::by_unknown}) {
    check_all(blown_up(grid_pattern(6, 6, 6), std::vector<Index>(216, 3), numbering, 1), 1);
    check_all(blown_up(grid_pattern(15, 14, 1), std::vector<Index>(210, 2), numbering, 2), 2);
  }
}

// Blocks between tasks are large enough to be cut behind their fully summed columns.
TEST(Supervariables, LargeFronts) {
  for (const Numbering numbering : {Numbering::together, Numbering::shuffled}) {
    const OwnedPattern a =
        blown_up(grid_pattern(17, 16, 16), std::vector<Index>(17 * 16 * 16, 3), numbering, 5);
    const Graph graph(a.view());
    const CompressedGraph compressed(graph, true);
    const Permutation perm = order(graph, {.method = OrderingMethod::amd});
    ASSERT_EQ(flaw_of(a, compressed, perm, true), "");
    const auto plan = make_plan(a.view(), compressed, perm, {});
    Index divided = 0;
    for (Index s = 0; s < plan->supernodes.count(); ++s) {
      const Index columns = plan->internals->schedule.fully_summed_columns[s];
      divided += columns > 0 && columns < plan->supernodes.contribution(s) ? 1 : 0;
    }
    EXPECT_GT(divided, 0);
  }
}

// Nodes have one to three unknowns, and a dense row distinguishes some of them: whole, divided and
// single blocks all occur.
RC_GTEST_PROP(Supervariables, PlanIsTheOneWithoutThem, ()) {
  const auto nodes = *rc::gen::inRange<Index>(1, 30);
  const auto weight = *rc::gen::container<std::vector<Index>>(static_cast<std::size_t>(nodes),
                                                              rc::gen::inRange<Index>(1, 4));
  EdgeList edges = *rc::gen::container<EdgeList>(
      rc::gen::pair(rc::gen::inRange<Index>(0, nodes), rc::gen::inRange<Index>(0, nodes)));
  const auto numbering =
      *rc::gen::element(Numbering::together, Numbering::shuffled, Numbering::by_unknown);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  OwnedPattern a = blown_up(pattern_of(nodes, std::move(edges)), weight, numbering, seed);
  if (*rc::gen::arbitrary<bool>())
    a = with_hubs(a, {*rc::gen::inRange<Index>(0, a.n())}, *rc::gen::inRange<Index>(1, 4));
  const Graph graph(a.view());
  const CompressedGraph compressed(graph, true);
  const bool amalgamate = *rc::gen::arbitrary<bool>();
  RC_ASSERT(flaw_of(a, compressed, by_supervariables(compressed, seed, true), amalgamate) == "");
  RC_ASSERT(flaw_of(a, compressed, by_supervariables(compressed, seed, false), amalgamate) == "");
  RC_ASSERT(flaw_of(a, compressed, random_order(a.n(), seed), amalgamate) == "");
  RC_ASSERT(flaw_of(a, compressed, order(graph, {.method = OrderingMethod::amd, .dense = 1}),
                    amalgamate) == "");
}

TEST(Supervariables, OrderIsThatOfTheirMembers) {
  const OwnedPattern a = blown_up(chain_pattern(3), {2, 1, 3}, Numbering::together, 0);
  const Graph graph(a.view());
  const CompressedGraph compressed(graph, true);  // {0, 1}, {2}, {3, 4, 5}
  ASSERT_EQ(compressed.size(), 3);
  const auto order_of = [&](std::vector<Index> old_of) {
    return symbolic::elimination_order(compressed, Permutation::from_old_of(std::move(old_of)));
  };
  EXPECT_EQ(order_of({4, 3, 5, 0, 1, 2}), (std::vector<Index>{2, 0, 1}));
  EXPECT_EQ(order_of({0, 2, 1, 3, 4, 5}), std::nullopt);
  EXPECT_EQ(order_of({2, 1, 0, 5, 4, 3}), (std::vector<Index>{1, 0, 2}));
  EXPECT_EQ(order_of({2, 1, 0, 5, 3, 4}), (std::vector<Index>{1, 0, 2}));
  EXPECT_EQ(symbolic::other_supervariables(compressed, Permutation::identity(6)), nullptr);
  EXPECT_TRUE(symbolic::in_blocks(compressed, Permutation::identity(6)));
  EXPECT_FALSE(symbolic::in_blocks(compressed, Permutation::from_old_of({1, 0, 2, 3, 4, 5})));
  const auto divided =
      symbolic::other_supervariables(compressed, Permutation::from_old_of({0, 1, 3, 2, 4, 5}));
  ASSERT_NE(divided, nullptr);
  ASSERT_EQ(divided->size(), 4);  // {0, 1}, {2}, {3}, {4, 5}
  EXPECT_EQ(divided->vertex_of(5), divided->vertex_of(4));
  EXPECT_NE(divided->vertex_of(3), divided->vertex_of(4));
  const auto single =
      symbolic::other_supervariables(compressed, Permutation::from_old_of({0, 3, 1, 4, 2, 5}));
  ASSERT_NE(single, nullptr);
  EXPECT_FALSE(single->merged());

  // Members that are apart in the caller's numbering, {0, 3, 5}, {1}, {2, 4}, stay together if perm
  // numbers them together.
  const OwnedPattern apart = blown_up(chain_pattern(3), {3, 1, 2}, Numbering::by_unknown, 0);
  const Graph other(apart.view());
  const CompressedGraph scattered(other, true);
  ASSERT_EQ(scattered.size(), 3);
  EXPECT_EQ(symbolic::other_supervariables(scattered, Permutation::from_old_of({1, 5, 0, 3, 2, 4})),
            nullptr);
  const auto runs =
      symbolic::other_supervariables(scattered, Permutation::from_old_of({1, 5, 0, 2, 4, 3}));
  ASSERT_NE(runs, nullptr);
  ASSERT_EQ(runs->size(), 4);  // {0, 5}, {1}, {2, 4}, {3}
  EXPECT_EQ(runs->vertex_of(5), runs->vertex_of(0));
}

}  // namespace
}  // namespace kauri::test
