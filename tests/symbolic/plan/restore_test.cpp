// Small plans in any order with any supernodes: restore_plan() accepts only sound plans, and
// accepts those of an analysis.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/plan/restore.hpp"
#include "tests/support/process/seeds.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

using symbolic::PlanCore;

/// Returns A's pattern in a given order, postorder or not, without supernodes.
PlanCore core_in_order(const OwnedPattern& a, const Permutation& perm) {
  PlanCore core;
  core.old_of.assign(perm.old_of().begin(), perm.old_of().end());
  std::vector<std::vector<Index>> rows(core.old_of.size());
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = a.col_ptr[j] + 1; k < a.col_ptr[j + 1]; ++k) {
      const bool first = perm.new_of(j) < perm.new_of(a.row[k]);
      rows[perm.new_of(first ? j : a.row[k])].push_back(first ? a.row[k] : j);
    }
  for (const auto& column : rows) {
    core.length.push_back(static_cast<Index>(column.size()));
    core.row.insert(core.row.end(), column.begin(), column.end());
  }
  core.target = "cpu-generic";
  return core;
}

/// Returns supernodes that end at the set bits.
std::vector<Index> divided(Index n, unsigned bits) {
  std::vector<Index> pivots(1, 0);
  for (Index j = 0; j < n; ++j) {
    ++pivots.back();
    if (j + 1 < n && (bits >> j & 1) != 0) pivots.push_back(0);
  }
  return pivots;
}

struct Counts {
  int taken = 0, refused = 0;
};

/// Tries every division into supernodes, with and without columns that come last.
void check_divisions(PlanCore core, Counts& counts) {
  const auto n = static_cast<Index>(core.old_of.size());
  for (unsigned bits = 0; bits < 1U << (n - 1); ++bits) {
    core.pivots = divided(n, bits);
    for (const Index last : {Index{0}, core.pivots.back()}) {
      core.last = last;
      try {
        const auto plan = restore_plan(core, "cpu-generic", 2);
        ASSERT_EQ(find_flaw(*plan), "") << bits << " " << last;
        ++counts.taken;
        const auto device = restore_plan(core, "sm_90", 2);
        ASSERT_EQ(find_flaw(*device), "") << bits << " " << last;
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::input);
        ++counts.refused;
      }
    }
  }
}

TEST(RestoredPlans, AnyOrderAndAnySupernodes) {
  Counts counts;
  for (std::uint32_t seed = 0; seed < seeds(200); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Index n = 1 + static_cast<Index>(seed % 7);
    const OwnedPattern a = random_pattern(n, 0.5 + static_cast<double>(seed % 5), seed);
    check_divisions(core_in_order(a, random_order(n, seed + 1)), counts);
    AnalyzeOptions options;
    options.target = "cpu-generic";
    options.permutation = random_order(n, seed + 2);
    options.amalgamate = seed % 2 == 0;
    check_divisions(symbolic::core_of(*analyze(a.view(), options)), counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.taken, 100);
  EXPECT_GT(counts.refused, 100);
}

std::string refusal(const PlanCore& core) {
  try {
    restore_plan(core, "cpu-generic", 1);
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error";
}

TEST(RestoredPlans, WhatIsSaidOfSupernodes) {
  PlanCore chain = core_in_order(chain_pattern(4), Permutation::identity(4));
  chain.pivots = {1, 1, 2};
  EXPECT_EQ(refusal(chain), "0 columns come last, expected 2, those of the last supernode");
  chain.last = 2;
  EXPECT_EQ(refusal(chain), "no Error");
  chain.pivots = {1, 1, 1, 1}, chain.last = 1;
  EXPECT_EQ(refusal(chain), "no Error");  // rows that come last are kept apart
  PlanCore dense = core_in_order(dense_pattern(4), Permutation::identity(4));
  dense.pivots = {1, 3}, dense.last = 0;
  EXPECT_EQ(refusal(dense), "columns 0 and 1 of B belong to one supernode");
  PlanCore none = core_in_order(diagonal_pattern(3), Permutation::identity(3));
  none.pivots = {2, 1}, none.last = 1;
  EXPECT_EQ(refusal(none), "column 0 of B does not belong to supernode 0, where its parent is not");
  // The graph consists of two paths, 0 - 2 and 1 - 3.
  PlanCore crossed = core_in_order(pattern_of(4, {{0, 2}, {1, 3}}), Permutation::identity(4));
  crossed.pivots = {1, 1, 1, 1}, crossed.last = 1;
  EXPECT_EQ(refusal(crossed), "supernode 1 is not where a postorder of the tree has it");
}

}  // namespace
}  // namespace kauri::test
