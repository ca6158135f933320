// Tests analyze() as callers see it: choices and their reasons, on patterns whose best ordering is
// known.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "kauri/extras/generate.hpp"
#include "support/process/error_text.hpp"
#include "support/process/many_threads.hpp"
#include "support/systems/candidate_of.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "tests/symbolic/choose/analysis.hpp"

namespace kauri::test {
namespace {

TEST(Analyze, EachMethodGivesASoundPlan) {
  const OwnedPattern a = shuffled(grid_pattern(25, 25, 1), 1);
  for (const OrderingMethod method :
       {OrderingMethod::natural, OrderingMethod::rcm, OrderingMethod::minimum_degree,
        OrderingMethod::amd, OrderingMethod::parallel_amd, OrderingMethod::nested_dissection,
        OrderingMethod::metis, OrderingMethod::automatic}) {
    if (!ordering_available(method)) continue;
    const Analysis analysis = analyze_with_report(a.view(), method_options(method));
    check_analysis(analysis);
    if (method != OrderingMethod::automatic) {
      EXPECT_EQ(analysis.plan->ordering, method);
    }
    EXPECT_FALSE(analysis.plan->given);
    EXPECT_EQ(analysis.plan->perm, analyze(a.view(), method_options(method))->perm);
  }
}

TEST(Analyze, TheCallersPermutationIsTakenAsItIs) {
  const OwnedPattern a = grid_pattern(12, 12, 1);
  AnalyzeOptions options = method_options();
  options.permutation = grid_dissection(12, 12, 1);
  const Analysis analysis = analyze_with_report(a.view(), options);
  check_analysis(analysis);
  EXPECT_TRUE(analysis.plan->given);
  EXPECT_EQ(analysis.candidates.size(), 1U);
  options.permutation = Permutation::identity(5);
  try {
    analyze(a.view(), options);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
  }
}

TEST(Analyze, ShuffledGridIsWonByAFillReducingOrdering) {
  const OwnedPattern a = shuffled(grid_pattern(60, 60, 1), 2);
  const Analysis analysis = analyze_with_report(a.view(), method_options());
  check_analysis(analysis);
  EXPECT_TRUE(analysis.plan->ordering == OrderingMethod::amd ||
              analysis.plan->ordering == OrderingMethod::nested_dissection);
  EXPECT_NE(candidate_of(analysis, OrderingMethod::natural)->note.find("not tried: its envelope"),
            std::string::npos);
  EXPECT_NE(candidate_of(analysis, OrderingMethod::rcm)->note.find("not tried"), std::string::npos);
}

// The methods by METIS are there to be compared: a build without it chooses the same.
TEST(Analyze, AutomaticNeverRunsMetis) {
  for (const OwnedPattern& a :
       {chain_pattern(50), grid_pattern(14, 14, 14), shuffled(grid_pattern(40, 40, 1), 2)}) {
    EXPECT_EQ(candidate_of(analyze_with_report(a.view(), method_options()), OrderingMethod::metis),
              nullptr);
    const Analysis all = compare_orderings(a.view(), method_options());
    const Analysis::Candidate* metis = candidate_of(all, OrderingMethod::metis);
    ASSERT_NE(metis, nullptr);
    EXPECT_FALSE(metis->chosen);
    EXPECT_EQ(metis->plan != nullptr, ordering_compared(OrderingMethod::metis));
  }
}

TEST(Analyze, ThreadsOfTheOrderingReachNothing) {
  const ManyThreads many;
  const OwnedPattern a = grid_pattern(16, 16, 16);
  AnalyzeOptions options = method_options();
  options.factorizations = 1000;
  const Analysis first = compare_orderings(a.view(), options);
  for (const int threads : {1, 2, 5}) {
    options.ordering.threads = threads;
    const Analysis other = compare_orderings(a.view(), options);
    EXPECT_EQ(other.reason, first.reason) << threads;
    EXPECT_EQ(candidate_of(other, OrderingMethod::nested_dissection)->plan->perm,
              candidate_of(first, OrderingMethod::nested_dissection)->plan->perm)
        << threads;
  }
}

TEST(Analyze, NorDoThreadsReachWhatIsDissectedAtOnce) {
  const ManyThreads many;
  for (const OwnedPattern& a :
       {grid_pattern(38, 38, 38, true), shuffled(grid_pattern(260, 260, 1), 1)})
    for (const char* target : {"", "sm_90"}) {
      AnalyzeOptions options = method_options();
      options.target = target;
      options.ordering.threads = 1;
      const Analysis first = analyze_with_report(a.view(), options);
      options.ordering.threads = 8;
      const Analysis other = analyze_with_report(a.view(), options);
      EXPECT_EQ(other.reason, first.reason);
      EXPECT_EQ(other.plan->perm, first.plan->perm) << first.reason;
    }
}

TEST(Analyze, TheChoiceDoesNotDependOnTheNumberOfWorkers) {
  const std::vector<OwnedPattern> patterns = {
      grid_pattern(12, 12, 12), grid_pattern(16, 16, 16),       grid_pattern(20, 20, 20),
      grid_pattern(24, 24, 24), grid_pattern(10, 10, 10, true), grid_pattern(70, 70, 1)};
  for (const OwnedPattern& a : patterns) {
    AnalyzeOptions options = method_options();
    options.workers = 1;
    const Analysis alone = analyze_with_report(a.view(), options);
    for (const int workers : {2, 3, 16}) {
      options.workers = workers;
      const Analysis other = analyze_with_report(a.view(), options);
      EXPECT_EQ(other.reason, alone.reason);
      EXPECT_EQ(other.plan->perm, alone.plan->perm);
      ASSERT_EQ(other.candidates.size(), alone.candidates.size());
      for (std::size_t k = 0; k < alone.candidates.size(); ++k)
        EXPECT_EQ(other.candidates[k].note, alone.candidates[k].note);
    }
  }
}

TEST(Analyze, CompareChoosesWhatAutomaticTakes) {
  const std::vector<OwnedPattern> patterns = {
      diagonal_pattern(0),       chain_pattern(1),
      chain_pattern(50),         shuffled(chain_pattern(3000), 6),
      grid_pattern(8, 8, 8),     grid_pattern(30, 30, 1),
      grid_pattern(3, 700, 1),   shuffled(grid_pattern(3, 700, 1), 7),
      grid_pattern(12, 12, 12),  shuffled(grid_pattern(40, 40, 1), 8),
      random_pattern(400, 6, 9), random_pattern(3000, 3, 10)};
  for (const OwnedPattern& a : patterns)
    for (const int factorizations : {0, 1, 1000}) {
      AnalyzeOptions options = method_options();
      options.factorizations = factorizations;
      const Analysis automatic = analyze_with_report(a.view(), options),
                     all = compare_orderings(a.view(), options);
      EXPECT_EQ(all.plan->ordering, automatic.plan->ordering);
      EXPECT_EQ(all.plan->perm, automatic.plan->perm);
      EXPECT_EQ(all.reason, automatic.reason);
      check_analysis(all);
    }
}

// Hubs stay below the limit of dense rows, but are so many that each pivot of minimum degree has
// most of them as neighbours.
TEST(Analyze, AutomaticGivesUpMinimumDegreeThatRunsAway) {
  const auto a = generate("hubs 20000 300 400 1");
  const Analysis automatic = analyze_with_report(a.pattern(), method_options()),
                 all = compare_orderings(a.pattern(), method_options());
  check_analysis(automatic);
  EXPECT_NE(automatic.reason.find("amd given up: it takes more than the "), std::string::npos)
      << automatic.reason;
  EXPECT_TRUE(std::regex_search(automatic.reason,
                                std::regex(" steps of 2 times the \\S+ m?s predicted for nd")))
      << automatic.reason;
  EXPECT_EQ(automatic.plan->ordering, OrderingMethod::nested_dissection);
  ASSERT_NE(candidate_of(automatic, OrderingMethod::amd), nullptr);
  EXPECT_TRUE(candidate_of(automatic, OrderingMethod::amd)->note.starts_with("given up: "));
  EXPECT_EQ(all.reason, automatic.reason);
  EXPECT_EQ(all.plan->perm, automatic.plan->perm);
}

// The analysis orders the rest of a block arrow and predicts the time for that.
TEST(Analyze, BundleAdjustmentIsOrderedByItsCameras) {
  const auto a = generate("bundle 60 8000 3 1");
  const Analysis automatic = analyze_with_report(a.pattern(), method_options());
  check_analysis(automatic);
  const Analysis::Candidate* amd = candidate_of(automatic, OrderingMethod::amd);
  ASSERT_NE(amd, nullptr);
  EXPECT_LT(amd->predicted_order_s, 0.02);
  // L has columns of 9 K + 3, 2, 1 rows for points, and a triangle of all cameras.
  EXPECT_EQ(automatic.plan->cost.nnz_l, 8000 * (3 * 27 + 6) + 540 * 541 / 2);
}

TEST(Analyze, NarrowSystemsInTheirOwnNumberingAreLeftInIt) {
  EXPECT_EQ(analyze(chain_pattern(5000).view(), method_options())->ordering,
            OrderingMethod::natural);
  const OwnedPattern strip = grid_pattern(4, 300, 1);
  const Analysis analysis = analyze_with_report(strip.view(), method_options());
  EXPECT_EQ(analysis.plan->ordering, OrderingMethod::natural);
  EXPECT_NE(analysis.reason.find("by the envelope of the natural ordering the job takes"),
            std::string::npos)
      << analysis.reason;
  EXPECT_EQ(compare_orderings(strip.view(), method_options()).reason, analysis.reason);
  EXPECT_NE(analyze(shuffled(chain_pattern(5000), 11).view(), method_options())->ordering,
            OrderingMethod::natural);
}

TEST(Analyze, LongThinGraphsMakeRcmWorthALook) {
  const OwnedPattern thin = shuffled(grid_pattern(3, 4000, 1), 3);
  AnalyzeOptions options = method_options();
  options.factorizations = 100;  // so that ordering time does not decide
  const Analysis analysis = analyze_with_report(thin.view(), options);
  check_analysis(analysis);
  EXPECT_EQ(candidate_of(analysis, OrderingMethod::rcm)->note.find("not tried"), std::string::npos);
}

TEST(Analyze, CompareMakesEveryPlan) {
  const OwnedPattern a = shuffled(grid_pattern(30, 30, 1), 4);
  AnalyzeOptions options = method_options();
  options.permutation = random_order(900, 5);
  options.factorizations = 1000;  // so that ordering time does not decide
  const Analysis analysis = compare_orderings(a.view(), options);
  check_analysis(analysis);
  EXPECT_EQ(analysis.candidates.size(), 8U);
  double least = 1e300;
  for (const Analysis::Candidate& candidate : analysis.candidates) {
    if (!candidate.plan) continue;
    EXPECT_EQ(find_flaw(*candidate.plan), "");
    least = std::min(least, static_cast<double>(candidate.plan->cost.nnz_l));
  }
  EXPECT_FALSE(analysis.plan->given);  // a random permutation is the worst
  EXPECT_LT(static_cast<double>(analysis.plan->cost.nnz_l),
            2 * least);  // time decides, not fill alone
}

TEST(Analyze, SmallestMatrices) {
  for (const Index n : {0, 1, 2})
    for (const OrderingMethod method :
         {OrderingMethod::automatic, OrderingMethod::amd, OrderingMethod::nested_dissection,
          OrderingMethod::metis, OrderingMethod::natural}) {
      if (!ordering_available(method)) continue;
      const Analysis analysis =
          analyze_with_report(chain_pattern(n).view(), method_options(method));
      check_analysis(analysis);
      EXPECT_EQ(analysis.plan->cost.nnz_l, n == 0 ? 0 : 2 * n - 1);
    }
  check_analysis(compare_orderings(diagonal_pattern(0).view(), method_options()));
}

TEST(Analyze, BrokenInputIsAnError) {
  OwnedPattern a = chain_pattern(4);
  std::swap(a.row[0], a.row[1]);
  for (const OrderingMethod method : {OrderingMethod::automatic, OrderingMethod::natural}) try {
      analyze(a.view(), method_options(method));
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::input);
    }
  AnalyzeOptions options = method_options();
  options.solves = -1;
  EXPECT_THROW(analyze(chain_pattern(4).view(), options), Error);
}

TEST(Analyze, ChecksTheOptionsOfOrderingsWhateverTheMethod) {
  const OwnedPattern a = grid_pattern(30, 30, 1);
  for (const OrderingMethod method :
       {OrderingMethod::automatic, OrderingMethod::nested_dissection, OrderingMethod::amd}) {
    SCOPED_TRACE(name_of(method));
    AnalyzeOptions delta, effort;
    delta.ordering.method = effort.ordering.method = method;
    delta.ordering.delta = -1;
    effort.ordering.effort = static_cast<Effort>(7);
    const auto said = [&](const AnalyzeOptions& options) {
      const std::string text =
          error_text(ErrorKind::usage, [&] { (void)analyze(a.view(), options); });
      EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)compare_orderings(a.view(), options); }),
                text);
      return text;
    };
    EXPECT_EQ(said(delta), "analyze: delta is -1, expected 0 or more");
    EXPECT_EQ(said(effort), "analyze: unknown Effort 7; expected fast, standard or best (0 to 2)");
  }
}

}  // namespace
}  // namespace kauri::test
