// Tests that parts that run in parallel are independent, and that their size changes no row.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/common/independent_ranges.hpp"

#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "kauri/core/analysis.hpp"
#include "kauri/extras/generate.hpp"
#include "support/oracles/fill_oracle.hpp"
#include "support/process/many_threads.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/plan/front_rows.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/structure.hpp"
#include "symbolic/tree/elimination_tree.hpp"

namespace kauri::test {
namespace {

using namespace kauri::symbolic;

struct System {
  OwnedPattern a;
  Permutation perm;
};

std::vector<System> systems() {
  std::vector<System> all;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Index n = 1 + static_cast<Index>(seed * 11 % 90);
    all.push_back({random_pattern(n, 0.5 + static_cast<double>(seed % 7) * 0.6, seed),
                   random_order(n, seed)});
  }
  for (const Index n : {0, 1, 2, 40})
    for (const OwnedPattern& a :
         {diagonal_pattern(n), chain_pattern(n), dense_pattern(n), caterpillar_pattern(n)})
      all.push_back({a, Permutation::identity(n)});
  all.push_back({star_pattern(50, 49), Permutation::identity(50)});
  all.push_back({star_pattern(50, 0), random_order(50, 3)});
  all.push_back({grid_pattern(13, 11, 1), grid_dissection(13, 11, 1)});
  all.push_back({grid_pattern(5, 4, 5, true), grid_dissection(5, 4, 5)});
  return all;
}

TEST(Parts, StretchesAreClosedAndNoLongerThanAsked) {
  for (const System& s : systems())
    for (const Index most : {1, 2, 6, 25, 1000}) {
      const Graph graph(s.a.view());
      const ordering::CompressedGraph plain(graph, false);
      const PermutedAdjacency adjacency(plain, {s.perm.old_of().begin(), s.perm.old_of().end()});
      Index last = 0;
      for (const IndexRange& stretch : independent_ranges(adjacency, most)) {
        ASSERT_LE(last, stretch.begin);
        ASSERT_LE(stretch.end - stretch.begin, most);
        for (Index k = stretch.begin; k < stretch.end; ++k)
          for (const Index j : adjacency.lower(k)) ASSERT_GE(j, stretch.begin);
        last = stretch.end;
      }
      ASSERT_LE(last, adjacency.size());
    }
}

/// The ranges of a dissected grid hold nearly all places: the others belong to separators larger
/// than a range.
TEST(Parts, StretchesOfADissectionHoldAllButTheLargeSeparators) {
  const OwnedPattern a = grid_pattern(63, 63, 1);
  const Permutation perm = grid_dissection(63, 63, 1);
  const Graph graph(a.view());
  const ordering::CompressedGraph plain(graph, false);
  const PermutedAdjacency adjacency(plain, {perm.old_of().begin(), perm.old_of().end()});
  Index inside = 0;
  for (const IndexRange& stretch : independent_ranges(adjacency, 1000))
    inside += stretch.end - stretch.begin;
  EXPECT_GE(inside, 63 * 63 - (63 + 2 * 31));
}

TEST(Parts, SubtreesAreWholeAndTileTheForest) {
  for (const System& s : systems()) {
    const Graph graph(s.a.view());
    const ordering::CompressedGraph plain(graph, false);
    const PermutedAdjacency adjacency(plain, {s.perm.old_of().begin(), s.perm.old_of().end()});
    const std::vector<Index> tree = elimination_tree(adjacency), position = postorder(tree);
    std::vector<Index> parent(tree.size(), kNone), size(tree.size(), 1);
    for (std::size_t j = 0; j < tree.size(); ++j)
      if (tree[j] != kNone) parent[position[j]] = position[tree[j]];
    for (std::size_t j = 0; j < tree.size(); ++j)
      if (parent[j] != kNone) size[parent[j]] += size[j];
    for (const Index most : {1, 3, 10, 1000}) {
      Index end = 0;
      for (const TreePart& part : cut_into_subtrees(parent, most)) {
        ASSERT_EQ(part.begin, end);
        ASSERT_LT(part.begin, part.end);
        end = part.end;
        for (Index j = part.begin; j < part.end; ++j) {
          ASSERT_EQ(part.whole, size[j] <= most) << "node " << j;
          ASSERT_TRUE(!part.whole || j - size[j] + 1 >= part.begin) << "node " << j;
        }
      }
      ASSERT_EQ(end, static_cast<Index>(parent.size()));
    }
  }
}

/// The rows of each front are those of its columns in L, whatever the parts, and the runs cover
/// them.
TEST(Parts, RowsOfFronts) {
  const CostTable& table = cost_table("cpu-generic");
  for (const System& s : systems())
    for (const bool merged : {false, true}) {
      const Graph graph(s.a.view());
      const ordering::CompressedGraph compressed(graph, merged);
      for (const Index part : {0, 1, 2, 4, 9}) {
        PlanDraft draft = draft_plan(s.a.view(), compressed, s.perm, table, {.workers = 2});
        const auto columns = naive_columns(s.a.view(), draft.perm);
        std::vector<Index> place(static_cast<std::size_t>(s.a.n()));
        for (Index k = 0; k < draft.adjacency.size(); ++k) place[draft.row_of[k]] = k;
        Assembly assembly;
        fill_front_rows(place, draft, assembly, part);
        const Supernodes& nodes = draft.supernodes;
        for (Index f = 0; f < nodes.count(); ++f) {
          std::set<Index> rows;
          for (Index j = nodes.first[f]; j < nodes.first[f + 1]; ++j)
            rows.insert(columns[j].begin(), columns[j].end());
          ASSERT_EQ(std::vector<Index>(rows.begin(), rows.end()),
                    std::vector<Index>(nodes.rows(f).begin(), nodes.rows(f).end()));
        }
        const Assembly all = fill_structure(s.a.view(), draft);
        ASSERT_EQ(all.run_ptr, assembly.run_ptr) << "parts of " << part;
      }
    }
}

void expect_same(const Plan& one, const Plan& other) {
  EXPECT_EQ(one.perm, other.perm);
  EXPECT_EQ(one.tree.parent, other.tree.parent);
  EXPECT_EQ(one.tree.column_count, other.tree.column_count);
  EXPECT_EQ(one.supernodes.first, other.supernodes.first);
  EXPECT_EQ(one.supernodes.row, other.supernodes.row);
  EXPECT_EQ(one.internals->panel_ptr, other.internals->panel_ptr);
  EXPECT_EQ(one.internals->assembly.entry_source, other.internals->assembly.entry_source);
  EXPECT_EQ(one.internals->assembly.entry_row, other.internals->assembly.entry_row);
  EXPECT_EQ(one.internals->assembly.entry_ptr, other.internals->assembly.entry_ptr);
  EXPECT_EQ(one.internals->assembly.run_ptr, other.internals->assembly.run_ptr);
  const auto same_run = [](const RowRun& x, const RowRun& y) {
    return x.child == y.child && x.parent == y.parent && x.length == y.length;
  };
  EXPECT_TRUE(
      std::ranges::equal(one.internals->assembly.run, other.internals->assembly.run, same_run));
  const auto same_task = [](const Schedule::Task& x, const Schedule::Task& y) {
    return x.first_front == y.first_front && x.last_front == y.last_front && x.parent == y.parent &&
           x.flops == y.flops;
  };
  EXPECT_TRUE(
      std::ranges::equal(one.internals->schedule.task, other.internals->schedule.task, same_task));
  EXPECT_EQ(one.internals->schedule.factor_edges, other.internals->schedule.factor_edges);
  EXPECT_EQ(one.internals->schedule.forward_edges, other.internals->schedule.forward_edges);
  EXPECT_EQ(one.internals->schedule.fully_summed, other.internals->schedule.fully_summed);
  EXPECT_EQ(one.internals->schedule.partially_summed, other.internals->schedule.partially_summed);
  EXPECT_EQ(one.internals->device.front, other.internals->device.front);
  EXPECT_EQ(one.internals->device.panel, other.internals->device.panel);
  EXPECT_EQ(one.internals->device.block, other.internals->device.block);
  EXPECT_EQ(one.internals->device.sums.term, other.internals->device.sums.term);
  EXPECT_EQ(one.internals->device.task, other.internals->device.task);
  EXPECT_EQ(one.internals->device.update, other.internals->device.update);
  EXPECT_EQ(one.cost.flops, other.cost.flops);
}

/// The systems are large enough for several parts of the default size; one thread makes a single
/// part.
TEST(Parts, PlansAreTheSameByAnyThreads) {
  const ManyThreads eight;
  for (const char* spec :
       {"poisson2d 90", "poisson3d 20", "tree 30000 1", "rgg3d 9000 10 1", "poisson2d 60 --dof 3"})
    for (const char* target : {"cpu-generic", "sm_90"})
      for (const OrderingMethod method :
           {OrderingMethod::nested_dissection, OrderingMethod::amd, OrderingMethod::parallel_amd}) {
        SCOPED_TRACE(std::string(spec) + " for " + target + " by " + std::string(name_of(method)));
        const auto a = generate(spec);
        AnalyzeOptions options;
        options.target = target;
        options.workers = 2;
        options.ordering.method = method;
        options.ordering.threads = 1;
        const auto alone = analyze(a.pattern(), options);
        options.ordering.threads = 8;
        const auto many = analyze(a.pattern(), options);
        expect_same(*many, *alone);
        EXPECT_EQ(find_flaw(*many), "");
      }
}

/// If another iteration of a caller's loop throws, an analysis in the same loop is completed or not
/// begun.
TEST(Parts, AnalysesAreNotCutShortByWhatFailsBesideThem) {
  const auto a = generate("poisson2d 150");
  AnalyzeOptions options;
  options.target = "sm_90";
  options.ordering.method = OrderingMethod::amd;
  for (int run = 0; run < 12; ++run) {
    std::shared_ptr<const Plan> plan;
    std::atomic<bool> begun{false};
    EXPECT_THROW(
        tbb::parallel_for(
            0, 2,
            [&](int i) {
              if (i == 0) {
                begun = true;
                plan = analyze(a.pattern(), options);
              } else {
                const auto wait = [&](int milliseconds, const auto& done) {
                  const auto end =
                      std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
                  while (!done() && std::chrono::steady_clock::now() < end)
                    std::this_thread::yield();
                };
                wait(100, [&] { return begun.load(); });  // times out if one thread runs both
                wait(2 * run, [] { return false; });
                throw std::runtime_error("beside it");
              }
            },
            tbb::simple_partitioner()),
        std::runtime_error);
    ASSERT_EQ(plan ? find_flaw(*plan) : "", "");
  }
}

}  // namespace
}  // namespace kauri::test
