// Tests limits of an analysis: of the work of orderings, and of the blocks of a device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "base/threads/allowed_threads.hpp"
#include "kauri/core/analysis.hpp"
#include "kauri/extras/generate.hpp"
#include "ordering/orderer.hpp"
#include "support/process/many_threads.hpp"
#include "support/systems/candidate_of.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/choose/ordering_selection.hpp"

namespace kauri::test {
namespace {

// The limit holds for the whole graph, as do the seconds predicted for nd; a component has no
// separate limit.
TEST(Analyze, TheLimitOfMinimumDegreeIsForAllComponentsTogether) {
  const auto one = generate("hubs 3000 100 200 1");
  constexpr Index kCopies = 8;
  OwnedPattern a;
  for (Index copy = 0; copy < kCopies; ++copy) {
    for (const Index r : one.pattern().row) a.row.push_back(r + copy * one.n());
    for (Index j = 1; j <= one.n(); ++j)
      a.col_ptr.push_back(copy * one.nnz() + one.pattern().col_ptr[j]);
  }
  const Graph of_one(one.pattern()), of_all(a.view());
  OrderingOptions options;
  options.dense = 0;  // the limit of a dense row depends on the number of rows
  ordering::Orderer single(of_one, options), several(of_all, options);
  const Offset no_limit = std::numeric_limits<Offset>::max();
  Offset work = 0, all = 0, cut = 0;
  ASSERT_TRUE(single.run_within(OrderingMethod::amd, no_limit, work));
  ASSERT_TRUE(several.run_within(OrderingMethod::amd, no_limit, all));
  EXPECT_GT(work, of_one.edges());
  EXPECT_EQ(all, kCopies * work);
  EXPECT_TRUE(several.run_within(OrderingMethod::amd, all, cut));
  EXPECT_FALSE(several.run_within(OrderingMethod::amd, all - 1, cut));
  EXPECT_FALSE(several.run_within(OrderingMethod::amd, 2 * work, cut));
}

/// Returns the block diagonal pattern of `parts`.
OwnedPattern beside(const std::vector<OwnedPattern>& parts) {
  OwnedPattern all;
  for (const OwnedPattern& part : parts) {
    const auto first = static_cast<Index>(all.col_ptr.size()) - 1;
    const Offset entries = all.col_ptr.back();
    for (const Index r : part.row) all.row.push_back(r + first);
    for (std::size_t j = 1; j < part.col_ptr.size(); ++j)
      all.col_ptr.push_back(entries + part.col_ptr[j]);
  }
  return all;
}

AnalyzeOptions two_workers() {
  AnalyzeOptions options;
  options.target = "cpu-avx512";
  options.workers = 2;
  return options;
}

// A dissection counts the parts that it divides and the lists that minimum degree visits in a large
// leaf; which thread does so has no effect.
TEST(Analyze, TheLimitOfDissectionIsInStepsOfAllThreads) {
  const ManyThreads many;
  const OwnedPattern a =
      beside({grid_pattern(150, 150, 1), random_pattern(3000, 20, 1), chain_pattern(300)});
  const Graph graph(a.view());
  std::optional<Permutation> first;
  Offset steps = 0;
  for (const int threads : {1, 2, 8}) {
    OrderingOptions options;
    ordering::Orderer orderer(graph, options);
    Offset work = 0, cut = 0;
    with_threads(threads, [&] {
      const auto perm = orderer.run_within(OrderingMethod::nested_dissection,
                                           std::numeric_limits<Offset>::max(), work);
      ASSERT_TRUE(perm);
      if (!first) first = perm, steps = work;
      EXPECT_EQ(*perm, *first);
      EXPECT_EQ(work, steps);
      EXPECT_EQ(orderer.run_within(OrderingMethod::nested_dissection, steps, cut), first);
      for (const Offset most : {Offset{0}, steps / 10, steps / 2, steps - 1})
        EXPECT_FALSE(orderer.run_within(OrderingMethod::nested_dissection, most, cut)) << most;
    });
  }
  EXPECT_GT(steps, 10 * graph.edges());
}

/// Returns two copies of a graph of hubs, joined by one edge: a separator so thin that dissection
/// leaves the whole graph to minimum degree.
OwnedPattern joined_hubs(const char* hubs) {
  const auto one = generate(hubs);
  const Index n = one.n();
  std::vector<std::pair<Index, Index>> edges{{n - 1, 2 * n - 1}};
  for (Index j = 0; j < n; ++j)
    for (Offset k = one.pattern().col_ptr[j]; k < one.pattern().col_ptr[j + 1]; ++k)
      for (const Index first : {Index{0}, n})
        edges.emplace_back(j + first, one.pattern().row[k] + first);
  return pattern_of(2 * n, std::move(edges));
}

// Minimum degree of a graph of hubs takes far more steps than predicted, and so does a dissection
// that leaves the graph to it. amd is tried again within what it can save the job with rcm.
TEST(Analyze, AutomaticGivesUpDissectionThatLeavesHubsToMinimumDegree) {
  const OwnedPattern a = joined_hubs("hubs 6000 200 200 1");
  for (const char* target : {"cpu-avx512", "sm_90"}) {
    AnalyzeOptions options = two_workers();
    options.target = target;
    const Analysis analysis = analyze_with_report(a.view(), options),
                   all = compare_orderings(a.view(), options);
    const std::string note = candidate_of(analysis, OrderingMethod::nested_dissection)->note;
    EXPECT_TRUE(std::regex_match(note, std::regex("given up: it takes more than the .* steps of 25 "
                                                  "times the .* predicted for amd")))
        << note;
    EXPECT_NE(analysis.reason.find("; amd given up: "), std::string::npos) << analysis.reason;
    EXPECT_NE(analysis.reason.find("; nd given up: "), std::string::npos) << analysis.reason;
    const Analysis::Candidate *amd = candidate_of(analysis, OrderingMethod::amd),
                              *rcm = candidate_of(analysis, OrderingMethod::rcm);
    ASSERT_TRUE(amd && rcm);
    if (options.target == "sm_90") {  // factorises the band in less time than amd takes
      EXPECT_EQ(analysis.plan->ordering, OrderingMethod::rcm) << analysis.reason;
      EXPECT_TRUE(
          std::regex_match(amd->note, std::regex("given up: it takes more than the \\S+ m?s "
                                                 "that it can save the job with rcm")))
          << amd->note;
    } else {
      EXPECT_EQ(analysis.plan->ordering, OrderingMethod::amd) << analysis.reason;
      EXPECT_TRUE(rcm->note.starts_with("judged by its counts alone: ")) << rcm->note;
    }
    EXPECT_EQ(all.reason, analysis.reason);
    EXPECT_EQ(all.plan->perm, analysis.plan->perm);
  }
}

// A chain of 50,000 vertices or more is dissected at once, and the hubs beside it with it.
TEST(Analyze, AutomaticGivesUpDissectionAtOnce) {
  const OwnedPattern a =
      beside({shuffled(chain_pattern(50000), 1), joined_hubs("hubs 20000 300 400 1")});
  std::vector<std::string> begun;
  AnalyzeOptions options = two_workers();
  options.on_message = [&](const Message& m) {
    if (m.text.starts_with("ordering: ")) begun.push_back(m.text.substr(10));
  };
  const Analysis analysis = analyze_with_report(a.view(), options);
  EXPECT_NE(analysis.reason.find("; amd given up: "), std::string::npos) << analysis.reason;
  EXPECT_NE(analysis.reason.find("; nd given up: "), std::string::npos) << analysis.reason;
  EXPECT_EQ(begun, (std::vector<std::string>{"natural", "nd", "amd", "rcm", "amd"}));
  EXPECT_NE(analysis.plan->ordering, OrderingMethod::nested_dissection);
}

TEST(Analyze, ABandedOrderingThatIsGivenUpIsNoCandidate) {
  const OwnedPattern a = shuffled(grid_pattern(3, 200, 1), 1);
  const Pattern lower = a.view();
  const AnalyzeOptions options = two_workers();
  symbolic::OrderingSelector selector(lower, options);
  selector.try_method(OrderingMethod::amd);
  const Offset visits = selector.compressed().view().size() + selector.compressed().view().edges();
  EXPECT_EQ(selector.envelope_seconds(OrderingMethod::rcm, 1e9, {2 * visits, "two searches"}),
            std::numeric_limits<double>::infinity());
  selector.skip(OrderingMethod::rcm, "not tried");
  const Analysis analysis = selector.finish("amd");
  EXPECT_EQ(candidate_of(analysis, OrderingMethod::rcm)->note, "given up: two searches");
  EXPECT_EQ(analysis.plan->ordering, OrderingMethod::amd);
}

// A device's tasks have no places for blocks from 92,673 rows on; the analysis warns of them.
TEST(Analyze, WarnsOfABlockBeyondThePlacesOfADevicesTasks) {
  const OwnedPattern a = too_large_pattern();
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::natural;
  options.amalgamate = false;
  std::vector<std::string> warnings;
  options.on_message = [&](const Message& m) {
    if (m.level == MessageLevel::warning) warnings.push_back(m.text);
  };
  options.target = "cpu-generic";
  (void)analyze(a.view(), options);
  EXPECT_TRUE(warnings.empty());
  options.target = "sm_90";
  (void)analyze(a.view(), options);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("the contribution block of front 0 has 92697 rows"), std::string::npos)
      << warnings[0];
}

}  // namespace
}  // namespace kauri::test
