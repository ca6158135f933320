// Tests plans against the elimination game: structures, runs and the scatter map by their meaning,
// counts, sizes.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/plan.hpp"
#include "kauri/core/analysis.hpp"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <cstddef>

#include "support/oracles/fill_oracle.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/make_plan.hpp"

namespace kauri::test {
namespace {

using symbolic::make_plan;

AnalyzeOptions options_for(int workers, bool amalgamate = true, const char* target = "cpu-avx512") {
  AnalyzeOptions options;
  options.workers = workers;
  options.amalgamate = amalgamate;
  options.target = target;
  return options;
}

/// Expects that the structures are those of the columns of L, merged per supernode.
void check_structures(const Plan& plan, const std::vector<std::set<Index>>& columns) {
  const Supernodes& nodes = plan.supernodes;
  ASSERT_EQ(plan.tree.parent, naive_tree(columns));
  for (Index s = 0; s < nodes.count(); ++s) {
    std::set<Index> rows;
    for (Index j = nodes.first[s]; j < nodes.first[s + 1]; ++j) {
      rows.insert(columns[j].begin(), columns[j].end());
      ASSERT_EQ(plan.tree.column_count[j], static_cast<Index>(columns[j].size()));
    }
    ASSERT_TRUE(std::equal(rows.begin(), rows.end(), nodes.rows(s).begin(), nodes.rows(s).end()))
        << "supernode " << s;
  }
}

/// Expects that every entry of A lands at its row of B in the front that owns its column, and that
/// each of the caller's values is taken once.
void check_entries(const Plan& plan, const Pattern& a) {
  const symbolic::Assembly& assembly = plan.internals->assembly;
  std::vector<Index> column_of(static_cast<std::size_t>(a.nnz()));
  for (Index j = 0; j < a.n; ++j)
    std::fill(column_of.begin() + a.col_ptr[j], column_of.begin() + a.col_ptr[j + 1], j);
  std::vector<int> taken(column_of.size(), 0);
  for (Index s = 0; s < plan.supernodes.count(); ++s)
    for (Index j = plan.supernodes.first[s]; j < plan.supernodes.first[s + 1]; ++j)
      for (Offset k = assembly.entry_ptr[j]; k < assembly.entry_ptr[j + 1]; ++k) {
        const Offset source = assembly.entry_source[k];
        const Index u = plan.perm.new_of(column_of[source]), v = plan.perm.new_of(a.row[source]);
        ASSERT_EQ(j, std::min(u, v));
        ASSERT_EQ(plan.supernodes.rows(s)[assembly.entry_row[k]], std::max(u, v));
        ++taken[source];
      }
  ASSERT_EQ(taken, std::vector<int>(taken.size(), 1));
}

void check_runs(const Plan& plan) {
  const Supernodes& nodes = plan.supernodes;
  for (Index c = 0; c < nodes.count(); ++c) {
    const Index s = nodes.parent[c];
    Index next = 0, expected = kNone;
    for (Offset k = plan.internals->assembly.run_ptr[c];
         k < plan.internals->assembly.run_ptr[c + 1]; ++k) {
      const symbolic::RowRun run = plan.internals->assembly.run[k];
      ASSERT_EQ(run.child, next);
      ASSERT_NE(run.parent, expected) << "two runs that are one";
      for (Index l = 0; l < run.length; ++l)
        ASSERT_EQ(nodes.rows(c)[nodes.pivots(c) + run.child + l], nodes.rows(s)[run.parent + l]);
      next += run.length;
      expected = run.parent + run.length;
    }
    ASSERT_EQ(next, nodes.contribution(c));
  }
}

void check_cost(const Plan& plan, const std::vector<std::set<Index>>& columns) {
  Offset nnz = 0;
  double flops = 0, executed = 0;
  for (const auto& rows : columns) {
    nnz += static_cast<Offset>(rows.size());
    flops += static_cast<double>(rows.size()) * static_cast<double>(rows.size());
  }
  std::vector<Index> height(columns.size(), 1);
  Index tallest = 0, counted = 0, largest = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    tallest = std::max(tallest, height[j]);
    if (columns[j].size() > 1) {
      Index& up = height[*std::next(columns[j].begin())];
      up = std::max(up, height[j] + 1);
    }
  }
  for (Index s = 0; s < plan.supernodes.count(); ++s) {
    largest = std::max(largest, plan.supernodes.order(s));
    for (Index k = 0; k < plan.supernodes.pivots(s); ++k)
      executed +=
          static_cast<double>(plan.supernodes.order(s) - k) * (plan.supernodes.order(s) - k);
  }
  double binned = 0;
  for (const Cost::FrontBin& bin : plan.cost.fronts) {
    counted += bin.count;
    binned += bin.flops;
  }
  EXPECT_EQ(plan.cost.nnz_l, nnz);
  EXPECT_EQ(plan.cost.flops, flops);
  EXPECT_DOUBLE_EQ(plan.cost.executed_flops, executed);
  EXPECT_DOUBLE_EQ(binned, executed);
  EXPECT_GE(plan.cost.executed_flops, plan.cost.flops);
  EXPECT_GE(plan.cost.stored_entries, plan.cost.nnz_l);
  EXPECT_EQ(plan.cost.stored_entries, plan.internals->panel_ptr.back());
  EXPECT_EQ(plan.cost.tree_height, tallest);
  EXPECT_EQ(plan.cost.largest_front, largest);
  EXPECT_EQ(counted, plan.supernodes.count());
}

void check_plan(const OwnedPattern& a, const Permutation& perm, const AnalyzeOptions& options) {
  const auto plan = make_plan(a.view(), perm, options);
  ASSERT_EQ(find_flaw(*plan), "");
  const auto columns = naive_columns(a.view(), plan->perm);
  ASSERT_EQ(plan->n, a.n());
  ASSERT_EQ(plan->nnz, a.view().nnz());
  ASSERT_NO_FATAL_FAILURE(check_structures(*plan, columns));
  ASSERT_NO_FATAL_FAILURE(check_entries(*plan, a.view()));
  ASSERT_NO_FATAL_FAILURE(check_runs(*plan));
  check_cost(*plan, columns);
  Offset given = 0;  // the final numbering is equivalent: it has the fill of the given ordering
  for (const auto& rows : naive_columns(a.view(), perm)) given += static_cast<Offset>(rows.size());
  EXPECT_EQ(plan->cost.nnz_l, given);
}

TEST(Plan, RandomGraphsAgainstTheEliminationGame) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Index n = 1 + static_cast<Index>(seed * 11 % 90);
    const OwnedPattern a = random_pattern(n, 0.5 + static_cast<double>(seed % 8) * 0.5, seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int workers = 1 << (seed % 4);
    check_plan(a, random_order(n, seed + 1), options_for(workers));
    check_plan(a, Permutation::identity(n), options_for(workers, false));
    if (HasFatalFailure()) return;
  }
}

TEST(Plan, FamiliesAgainstTheEliminationGame) {
  for (const bool amalgamate : {true, false})
    for (const Index n : {0, 1, 2, 5, 33}) {
      const AnalyzeOptions options = options_for(2, amalgamate, "cpu-generic");
      for (const OwnedPattern& a :
           {diagonal_pattern(n), chain_pattern(n), dense_pattern(n), caterpillar_pattern(n)}) {
        check_plan(a, Permutation::identity(n), options);
        check_plan(a, random_order(n, 7), options);
      }
      if (n == 0) continue;
      check_plan(star_pattern(n, 0), Permutation::identity(n), options);
      check_plan(star_pattern(n, n - 1), Permutation::identity(n), options);
    }
  check_plan(grid_pattern(20, 19, 1), grid_dissection(20, 19, 1), options_for(2));
  check_plan(grid_pattern(7, 6, 7), grid_dissection(7, 6, 7), options_for(2));
  check_plan(grid_pattern(6, 6, 6, true), grid_dissection(6, 6, 6),
             options_for(8, true, "cpu-avx2"));
}

TEST(Plan, StructuredMediumSizesAreSound) {
  for (const int workers : {1, 2, 8})
    for (const bool amalgamate : {true, false}) {
      const auto flat = make_plan(grid_pattern(150, 140, 1).view(), grid_dissection(150, 140, 1),
                                  options_for(workers, amalgamate));
      EXPECT_EQ(find_flaw(*flat), "");
      const auto cube = make_plan(grid_pattern(18, 17, 19, true).view(),
                                  grid_dissection(18, 17, 19), options_for(workers, amalgamate));
      EXPECT_EQ(find_flaw(*cube), "");
      EXPECT_GT(cube->internals->schedule.task.size(), 20U);
      const auto strip = make_plan(grid_pattern(8, 3000, 1).view(), Permutation::identity(24000),
                                   options_for(workers, amalgamate));
      EXPECT_EQ(find_flaw(*strip), "");
    }
}

TEST(Plan, ColumnsOfAFundamentalPlanAreInPostorder) {
  const auto plan =
      make_plan(grid_pattern(30, 30, 1).view(), grid_dissection(30, 30, 1), options_for(1, false));
  std::vector<Index> low(static_cast<std::size_t>(plan->n)), size(low.size(), 1);
  for (Index j = 0; j < plan->n; ++j) low[j] = j;
  for (Index j = 0; j < plan->n; ++j) {
    ASSERT_EQ(low[j], j - size[j] + 1);
    const Index up = plan->tree.parent[j];
    if (up == kNone) continue;
    low[up] = std::min(low[up], low[j]);
    size[up] += size[j];
  }
}

TEST(Plan, BytesAreThoseOfItsParts) {
  const auto plan =
      make_plan(grid_pattern(30, 31, 1).view(), grid_dissection(30, 31, 1), options_for(2));
  const Offset rows = plan->n + plan->internals->schedule.update_rows,
               counters = plan->counter_bytes();
  EXPECT_GT(counters, 0);
  EXPECT_EQ(plan->workspace_bytes(8, 1), rows * 8 + counters);
  EXPECT_EQ(plan->workspace_bytes(4, 5), rows * 20 + counters);
  EXPECT_EQ(plan->workspace_bytes(8, 1000), rows * 8 * kSolveBlock + counters);
  EXPECT_EQ(plan->factor_bytes(4), plan->cost.stored_entries * 4);
  EXPECT_EQ(plan->peak_bytes(8),
            (plan->cost.stored_entries + plan->internals->schedule.stack_entries) * 8 + counters);
  EXPECT_GE(plan->plan_bytes(),
            static_cast<Offset>(plan->supernodes.row.size() * 4 +
                                plan->internals->assembly.entry_source.size() * 4));
  EXPECT_EQ(plan->target, "cpu-avx512");
}

TEST(Plan, MoreEntriesThanPositionsCountAreRefused) {
  const std::vector<Offset> col_ptr{0, kMostEntries + 1};
  try {
    (void)analyze({1, col_ptr, {}});  // the pointers show it; no row is read
    FAIL() << "a plan was made";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::overflow) << e.what();
    EXPECT_NE(std::string(e.what()).find("4294967296 stored entries"), std::string::npos)
        << e.what();
  }
}

TEST(Plan, WorkersThatNobodyGivesAreTheDefaultThreads) {
  for (const std::size_t threads : {1, 3, 40}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    EXPECT_EQ(symbolic::planned_workers({}), std::min(static_cast<int>(threads), 16));
    EXPECT_EQ(symbolic::planned_workers({.workers = 5}), 5);
  }
}

TEST(Plan, WrongArgumentsAreErrors) {
  const OwnedPattern a = chain_pattern(5);
  const auto kind_of = [&](const Permutation& perm,
                           const AnalyzeOptions& options) -> std::optional<ErrorKind> {
    try {
      make_plan(a.view(), perm, options);
    } catch (const Error& e) {
      return e.kind();
    }
    return std::nullopt;
  };
  EXPECT_EQ(kind_of(Permutation::identity(4), options_for(1)), ErrorKind::input);
  EXPECT_EQ(kind_of(Permutation::identity(5), options_for(-1)), ErrorKind::usage);
  EXPECT_EQ(kind_of(Permutation::identity(5), options_for(1, true, "abacus")), ErrorKind::usage);
  EXPECT_EQ(kind_of(Permutation::identity(5), options_for(0)), std::nullopt);
}

}  // namespace
}  // namespace kauri::test
