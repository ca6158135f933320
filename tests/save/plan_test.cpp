// Saved and loaded plans equal the original in every field; those for another target have the same
// fronts.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/plan_facts.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/oracles/same_plan.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/methods.hpp"
#include "tests/support/process/seeds.hpp"
#include "tests/support/process/temp_file.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

/// Returns the hard cases, by name.
std::vector<std::pair<std::string, OwnedPattern>> hard_cases() {
  std::vector<std::pair<std::string, OwnedPattern>> all;
  all.emplace_back("none", diagonal_pattern(0));
  all.emplace_back("one", diagonal_pattern(1));
  all.emplace_back("diagonal", diagonal_pattern(70));
  all.emplace_back("dense", dense_pattern(60));
  all.emplace_back("chain", chain_pattern(20000));
  all.emplace_back("caterpillar", caterpillar_pattern(500));
  all.emplace_back("arrow", star_pattern(300, 299));
  all.emplace_back("arrow upside down", star_pattern(300, 0));
  all.emplace_back("grid", grid_pattern(40, 30, 1));
  all.emplace_back("cube", grid_pattern(9, 9, 9, true));
  all.emplace_back(
      "three unknowns a node",
      blown_up(grid_pattern(8, 7, 3), std::vector<Index>(168, 3), Numbering::together, 1));
  all.emplace_back(
      "two unknowns a node, far apart",
      blown_up(grid_pattern(9, 9, 1), std::vector<Index>(81, 2), Numbering::shuffled, 1));
  EdgeList edges;
  for (Index v = 0; v + 1 < 90; ++v)
    if (v % 30 != 29) edges.emplace_back(v, v + 1);
  all.emplace_back("disconnected", pattern_of(100, std::move(edges)));
  return all;
}

/// Expects that a saved and loaded plan equals the original in every field, and that one loaded for
/// other targets is sound and has the same fronts.
void expect_kept(const Plan& plan) {
  const std::vector<std::byte> bytes = save_plan(plan);
  const auto loaded = load_plan(bytes);
  ASSERT_EQ(PlanDifference(plan, *loaded).name(), "");
  ASSERT_EQ(find_flaw(*loaded), "");
  ASSERT_EQ(save_plan(*loaded), bytes);
  for (const char* target : {"cpu-generic", "cpu-avx512", "sm_90", "sm_80"}) {
    LoadOptions options;
    options.target = target, options.workers = 3;
    const auto other = load_plan(bytes, options);
    ASSERT_EQ(find_flaw(*other), "") << target;
    ASSERT_EQ(other->target, target);
    ASSERT_EQ(other->internals->schedule.workers, 3);
    ASSERT_EQ(other->perm, plan.perm) << target;
    ASSERT_EQ(other->supernodes.row, plan.supernodes.row) << target;
    ASSERT_EQ(other->internals->assembly.entry_source, plan.internals->assembly.entry_source)
        << target;
    LoadOptions back;
    back.target = plan.target, back.workers = plan.internals->schedule.workers;
    ASSERT_EQ(PlanDifference(plan, *load_plan(save_plan(*other), back)).name(), "") << target;
  }
}

TEST(SavedPlans, HardCasesByEveryMethodForEveryTarget) {
  for (const auto& [name, a] : hard_cases())
    for (const OrderingMethod method : methods())
      for (const char* target : {"cpu-generic", "cpu-avx2", "cpu-avx512", "sm_90", "sm_80"}) {
        SCOPED_TRACE(name + ", " + std::string(name_of(method)) + ", " + target);
        AnalyzeOptions options;
        options.ordering.method = method;
        options.target = target;
        options.workers = 1 + static_cast<int>(a.n() % 5);
        options.amalgamate = std::string(target) != "cpu-avx2";
        if (seeds(8) == 1 && (method != OrderingMethod::amd || a.n() > 1000))
          continue;  // under a sanitizer
        expect_kept(*analyze(a.view(), options));
        if (HasFatalFailure()) return;
      }
}

TEST(SavedPlans, RandomPatternsInAnyOrderWithRowsThatComeLast) {
  for (std::uint32_t seed = 0; seed < seeds(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Index n = static_cast<Index>(seed * 13 % 90);
    const OwnedPattern a = random_pattern(n, 0.5 + static_cast<double>(seed % 6), seed);
    AnalyzeOptions options;
    options.target = seed % 3 == 0 ? "sm_90" : "cpu-avx2";
    options.amalgamate = seed % 5 != 0;
    const Permutation order = random_order(n, seed);
    if (seed % 2 == 0) {
      options.permutation = order;
      if (seed % 4 == 0)
        options.ordering.last.assign(
            order.old_of().end() - std::min<Index>(n, static_cast<Index>(seed % 7)),
            order.old_of().end());
    } else {
      options.ordering.method = methods()[seed % methods().size()];
      options.ordering.last.assign(
          order.old_of().begin(),
          order.old_of().begin() + std::min<Index>(n, static_cast<Index>(seed % 9)));
    }
    expect_kept(*analyze(a.view(), options));
    if (HasFatalFailure()) return;
  }
}

/// Supervariables that the caller's permutation splits, and those of several unknowns per node.
TEST(SavedPlans, RandomSupervariables) {
  for (std::uint32_t seed = 0; seed < seeds(120); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const OwnedPattern coarse =
        random_pattern(1 + static_cast<Index>(seed * 7 % 40), 1.0 + seed % 4, seed);
    std::vector<Index> weight(static_cast<std::size_t>(coarse.n()));
    for (std::size_t v = 0; v < weight.size(); ++v)
      weight[v] = 1 + static_cast<Index>((v * 5 + seed) % 4);
    const OwnedPattern a =
        blown_up(coarse, weight, seed % 2 == 0 ? Numbering::together : Numbering::shuffled, seed);
    AnalyzeOptions options;
    options.target = "cpu-avx2";
    if (seed % 3 == 0) options.permutation = random_order(a.n(), seed);
    options.ordering.method = methods()[seed % methods().size()];
    expect_kept(*analyze(a.view(), options));
    if (HasFatalFailure()) return;
  }
}

/// A plan with fronts of all kinds, tasks that wait for memory, sums of sums.
TEST(SavedPlans, LargeForADevice) { expect_kept(sound_plan()); }

/// L is larger than any memory: loading a plan only counts its entries.
TEST(SavedPlans, MoreEntriesOfLThanThereIsMemory) {
  AnalyzeOptions options;
  options.permutation = Permutation::identity(70000);
  options.target = "cpu-avx2";
  const auto plan = analyze(star_pattern(70000, 0).view(), options);
  EXPECT_EQ(PlanDifference(*plan, *load_plan(save_plan(*plan))).name(), "");
}

/// A plan that a device runs with slower kernels warns when it is loaded for a device, and not for
/// a CPU.
TEST(SavedPlans, WarnOfABlockBeyondThePlacesOfADevicesTasks) {
  AnalyzeOptions made;
  made.ordering.method = OrderingMethod::natural;
  made.amalgamate = false;
  made.target = "cpu-generic";
  const std::vector<std::byte> bytes = save_plan(*analyze(too_large_pattern().view(), made));
  std::vector<std::string> warnings;
  LoadOptions options;
  options.on_message = [&](const Message& m) {
    warnings.push_back(std::string(name_of(m.level)) + ": " + m.text);
  };
  (void)load_plan(bytes, options);
  EXPECT_TRUE(warnings.empty());
  options.target = "sm_90";
  const auto plan = load_plan(bytes, options);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0], "warning: " + symbolic::too_large_block(*plan));
  EXPECT_NE(warnings[0].find("the contribution block of front 0 has 92697 rows"), std::string::npos)
      << warnings[0];
}

TEST(SavedPlans, InFiles) {
  const TempFile file(".kauri");
  const auto plan = analyze(grid_pattern(20, 20, 1).view());
  save_plan(file.path(), *plan);
  EXPECT_EQ(PlanDifference(*plan, *load_plan(file.path())).name(), "");
  const SavedInfo info = saved_info(file.path());
  EXPECT_EQ(info.kind, SavedKind::plan);
  EXPECT_EQ(info.scalar_bytes, 0);
  EXPECT_EQ(info.format, 1);
  EXPECT_EQ(info.n, 400);
  EXPECT_EQ(info.nnz, plan->nnz);
  EXPECT_EQ(info.supernodes, plan->supernodes.count());
  std::ifstream stream(file.path(), std::ios::binary);
  const std::string there((std::istreambuf_iterator<char>(stream)),
                          std::istreambuf_iterator<char>());
  const std::vector<std::byte> bytes = save_plan(*plan);
  EXPECT_EQ(there, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

/// A concurrent reader sees the whole file before or after the replacement.
TEST(SavedPlans, FilesThatAreReplacedWhileOthersReadThem) {
  const TempFile file(".kauri");
  const auto small = analyze(chain_pattern(5).view()), large = analyze(chain_pattern(50).view());
  save_plan(file.path(), *small);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int k = 0; k < 400; ++k) save_plan(file.path(), k % 2 == 0 ? *large : *small);
    done = true;
  });
  std::set<std::string> errors;
  while (!done) {
    try {
      const SavedInfo info = saved_info(file.path());
      EXPECT_TRUE(info.n == 5 || info.n == 50);
    } catch (const Error& error) {
      errors.insert(error.what());
    }
  }
  writer.join();
  EXPECT_EQ(errors, std::set<std::string>());
}

TEST(SavedPlans, WhatIsAskedForWrongly) {
  const std::vector<std::byte> bytes = save_plan(*analyze(chain_pattern(5).view()));
  LoadOptions options;
  options.target = "abacus";
  EXPECT_NE(error_text(ErrorKind::usage, [&] { load_plan(bytes, options); }).find("abacus"),
            std::string::npos);
  options.target.clear(), options.workers = -1;
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { load_plan(bytes, options); }),
            "load: workers is -1, expected 0 or more");
  EXPECT_EQ(error_text(ErrorKind::input, [&] { load_plan("/no such folder/plan"); }),
            "/no such folder/plan: cannot open: No such file or directory");
  EXPECT_NE(
      error_text(ErrorKind::input, [&] { save_plan("/no such folder/plan", *load_plan(bytes)); })
          .find("cannot create"),
      std::string::npos);
}

}  // namespace
}  // namespace kauri::test
