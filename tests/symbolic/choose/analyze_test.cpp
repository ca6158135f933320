// analyze() as callers see it: choices and their reasons, on patterns whose best ordering is known.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "kauri/extras/generate.hpp"
#include "support/process/error_text.hpp"
#include "support/process/many_threads.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/common/cost_table.hpp"

namespace kauri::test {
namespace {

AnalyzeOptions method_options(OrderingMethod method = OrderingMethod::automatic) {
  AnalyzeOptions options;
  options.ordering.method = method;
  options.target = "cpu-avx512";
  options.workers = 2;
  return options;
}

const Analysis::Candidate* candidate_of(const Analysis& analysis, OrderingMethod method) {
  for (const Analysis::Candidate& candidate : analysis.candidates)
    if (candidate.method == method && !candidate.given) return &candidate;
  return nullptr;
}

/// What holds for every analysis.
void check_analysis(const Analysis& analysis) {
  ASSERT_NE(analysis.plan, nullptr);
  EXPECT_EQ(find_flaw(*analysis.plan), "");
  int chosen = 0;
  for (const Analysis::Candidate& candidate : analysis.candidates) {
    EXPECT_NE(candidate.plan == nullptr, candidate.note.empty()) << name_of(candidate.method);
    if (!candidate.chosen) continue;
    ++chosen;
    EXPECT_EQ(candidate.plan, analysis.plan);
    EXPECT_EQ(candidate.method, analysis.plan->ordering);
    EXPECT_EQ(candidate.given, analysis.plan->given);
  }
  EXPECT_EQ(chosen, 1);
  EXPECT_NE(analysis.reason.find("predicted"), std::string::npos) << analysis.reason;
  EXPECT_GE(analysis.symbolic_s, 0);
}

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

TEST(Analyze, DissectionIsTriedWhereTheJobCanPayForIt) {
  const OwnedPattern a = grid_pattern(14, 14, 14, true);
  AnalyzeOptions options = method_options();
  options.factorizations = 0;
  const auto note = [&](const Analysis& analysis) {
    return candidate_of(analysis, OrderingMethod::nested_dissection)->note;
  };
  EXPECT_NE(note(analyze_with_report(a.view(), options)).find("not tried"), std::string::npos);
  // The sentence says so where the ordering itself was too dear.
  const OwnedPattern grid = shuffled(grid_pattern(40, 40, 1), 2);
  const std::string reason = analyze_with_report(grid.view(), method_options()).reason;
  EXPECT_NE(reason.find("; nd not tried: "), std::string::npos) << reason;
  EXPECT_EQ(compare_orderings(grid.view(), method_options()).reason, reason);
  options.factorizations = 10000;
  const Analysis analysis = analyze_with_report(a.view(), options);
  check_analysis(analysis);
  EXPECT_TRUE(note(analysis).empty() || note(analysis).find("judged") == 0) << note(analysis);
}

// Trees and what is like them: whatever the number of factorisations, there is nothing to spare.
TEST(Analyze, WhereLIsSparseDissectionIsNeverTried) {
  AnalyzeOptions options = method_options();
  options.factorizations = 1 << 30;
  EdgeList edges;
  for (Index v = 1; v < 4000; ++v) edges.emplace_back(v, v / 2);
  for (const OwnedPattern& a :
       {shuffled(pattern_of(4000, std::move(edges)), 4), shuffled(grid_pattern(3, 900, 1), 5)}) {
    const Analysis analysis = analyze_with_report(a.view(), options);
    check_analysis(analysis);
    EXPECT_EQ(candidate_of(analysis, OrderingMethod::nested_dissection)->note.find("not tried: "),
              0U)
        << analysis.reason;
  }
}

TEST(DissectionHope, GrowsFromNothingToLessThanAll) {
  for (const double none : {0.0, 1.0, 30.0}) EXPECT_EQ(symbolic::dissection_gain(none), 0);
  double last = 0;
  for (double work = 100; work < 1e8; work *= 2) {
    const double hope = symbolic::dissection_gain(work);
    EXPECT_GE(hope, last);
    EXPECT_GT(hope, 0);
    EXPECT_LT(hope, 1);
    last = hope;
  }
  EXPECT_GT(last, symbolic::dissection_gain(1000));
}

TEST(Analyze, DissectionWinsLargeJobsOnGridsInSpace) {
  AnalyzeOptions options = method_options();
  options.factorizations = 1000;
  const Analysis analysis =
      analyze_with_report(shuffled(grid_pattern(18, 18, 18), 3).view(), options);
  EXPECT_EQ(analysis.plan->ordering, OrderingMethod::nested_dissection) << analysis.reason;
}

// Minimum degree takes longer than the rest of the job where a device factorises, and little of it
// on one core; of many neighbours it is sooner done than dissection. Of a tree, or nearly,
// dissection takes what hangs off at once.
TEST(Analyze, LargeGraphsWithoutThinSeparatorsAreDissectedAtOnce) {
  AnalyzeOptions host = method_options(), device = method_options(), offered = method_options();
  device.target = "sm_90";
  offered.device.target = "sm_90";
  host.cores = 1;
  const auto at_once = [](const OwnedPattern& a, const AnalyzeOptions& options) {
    const Analysis analysis = analyze_with_report(a.view(), options);
    const bool found = analysis.reason.find("nd alone") != std::string::npos;
    EXPECT_EQ(candidate_of(analysis, OrderingMethod::amd)->note.find("not tried: ") == 0, found)
        << analysis.reason;
    EXPECT_TRUE(!found || analysis.plan->ordering == OrderingMethod::nested_dissection);
    return found;
  };
  const OwnedPattern body = shuffled(grid_pattern(38, 38, 38), 1),
                     surface = shuffled(grid_pattern(380, 380, 1), 2);
  const OwnedPattern less = shuffled(grid_pattern(300, 300, 1), 2);
  EdgeList edges;
  for (Index v = 1; v < 60000; ++v) edges.emplace_back(v, v / 2);
  EdgeList more;  // a grid, of each vertex of which two leaves hang
  for (Index v = 0; v < 22500; ++v) {
    if (v % 150 > 0) more.emplace_back(v, v - 1);
    if (v >= 150) more.emplace_back(v, v - 150);
  }
  for (Index v = 22500; v < 67500; ++v) more.emplace_back(v, v % 22500);
  const OwnedPattern leaves = shuffled(pattern_of(67500, std::move(more)), 5);
  const OwnedPattern tree = shuffled(pattern_of(60000, std::move(edges)), 3),
                     small = shuffled(grid_pattern(30, 30, 30), 4);
  const OwnedPattern neighbours = grid_pattern(38, 38, 38, true);
  EdgeList ties;  // points with four of 300 hubs each: five levels
  std::mt19937_64 random(6);
  for (Index v = 300; v < 60300; ++v)
    for (int k = 0; k < 4; ++k) ties.emplace_back(v, static_cast<Index>(random() % 300));
  const OwnedPattern hubs = pattern_of(60300, std::move(ties));
  for (const AnalyzeOptions& options : {host, device, offered}) {
    const bool for_device = options.target == "sm_90" || !options.device.target.empty();
    EXPECT_TRUE(at_once(body, options));
    EXPECT_EQ(at_once(neighbours, options), !for_device);
    EXPECT_EQ(at_once(surface, options), for_device);
    EXPECT_FALSE(at_once(less, options));
    EXPECT_TRUE(at_once(tree, options));
    EXPECT_FALSE(at_once(leaves, options));
    EXPECT_FALSE(at_once(hubs, options));
    EXPECT_FALSE(at_once(small, options));
  }
}

// Dissection is shared by all cores that the caller states, minimum degree done by one. A device's
// host is what it is.
TEST(Analyze, TheMoreCoresTheSoonerASurfaceIsDissected) {
  const auto at_once = [](const Pattern& a, const AnalyzeOptions& options) {
    return analyze_with_report(a, options).reason.find("nd alone") != std::string::npos;
  };
  AnalyzeOptions options = method_options(), device = method_options();
  device.target = "sm_90";
  const OwnedPattern lattice = grid_pattern(420, 420, 1);
  const SymmetricMatrix<double> mesh = generate("tri2d 150000 1");
  for (const Pattern& a : {lattice.view(), mesh.pattern()}) {
    int fewest = 0;
    const bool for_device = at_once(a, device);
    for (int cores = 1; cores <= 64; cores *= 2) {
      options.cores = device.cores = cores;
      const bool dissected = at_once(a, options);
      EXPECT_TRUE(dissected || fewest == 0) << cores;
      if (dissected && fewest == 0) fewest = cores;
      EXPECT_EQ(at_once(a, device), for_device) << cores;
    }
    EXPECT_GT(fewest, 4);  // of which dissection of a surface takes longer
    EXPECT_LE(fewest, 32);
  }
  options.cores = 64;
  EXPECT_FALSE(at_once(grid_pattern(370, 370, 1).view(), options));  // too small
  options.cores = 0;
  EXPECT_THROW((void)analyze(lattice.view(), options), Error);
}

// Of many neighbours: a device with 1000 factorisations before it loses more by minimum degree than
// dissection takes, with one it does not; nor where the graph is long, or flat.
TEST(Analyze, BodiesThatKeepADeviceBusyAreDissectedAtOnce) {
  AnalyzeOptions options = method_options();
  options.target = "sm_90";
  const auto at_once = [&](const OwnedPattern& a, Index factorizations) {
    options.factorizations = factorizations;
    return analyze_with_report(a.view(), options).reason.find("nd alone") != std::string::npos;
  };
  const OwnedPattern body = grid_pattern(38, 38, 38, true), flat = grid_pattern(166, 166, 2, true),
                     rod = grid_pattern(7, 7, 1120, true);
  EXPECT_TRUE(at_once(body, 1000));
  EXPECT_FALSE(at_once(body, 1));
  EXPECT_FALSE(at_once(flat, 1000));
  EXPECT_FALSE(at_once(rod, 1000));
}

// Minimum degree goes from one end of a long body to the other; a device waits for each step of
// that path, whatever is on it.
TEST(Analyze, LongBodiesAreDissectedForADevice) {
  const auto tried = [](const Analysis& analysis) {
    return candidate_of(analysis, OrderingMethod::nested_dissection)->note.find("not tried: ") != 0;
  };
  EdgeList edges;
  for (Index v = 1; v < 16000; ++v) edges.emplace_back(v, v / 2);
  const OwnedPattern strip = shuffled(grid_pattern(4, 4000, 1), 1),
                     bar = shuffled(grid_pattern(4, 4, 1000), 2),
                     tree = shuffled(pattern_of(16000, std::move(edges)), 3);
  AnalyzeOptions device = method_options(), host = method_options();
  device.target = "sm_90";
  for (const OwnedPattern* long_one : {&strip, &bar}) {
    device.factorizations = 10000;
    const Analysis analysis = analyze_with_report(long_one->view(), device);
    EXPECT_TRUE(tried(analysis)) << analysis.reason;
    EXPECT_EQ(analysis.plan->ordering, OrderingMethod::nested_dissection) << analysis.reason;
    EXPECT_LT(analysis.plan->cost.tree_height, 400);
    device.factorizations = 0;
    EXPECT_FALSE(tried(analyze_with_report(long_one->view(), device)));
  }
  device.factorizations = host.factorizations = 10000;
  EXPECT_FALSE(tried(analyze_with_report(tree.view(), device)));
  EXPECT_FALSE(tried(analyze_with_report(
      strip.view(), host)));  // nothing is filled, and one core waits for nobody
}

// By all threads of a device's host where neither the numbering nor a lattice helps, and the graph
// is worth it; else by one. One core dissects such a mesh at once.
TEST(Analyze, IrregularMeshesForADeviceAreEliminatedInRounds) {
  AnalyzeOptions host = method_options(), device = method_options(), offered = method_options();
  device.target = "sm_90";
  offered.device.target = "sm_90";
  const auto in_rounds = [](const Pattern& a, const AnalyzeOptions& options) {
    const Analysis analysis = analyze_with_report(a, options);
    const Analysis::Candidate *amd = candidate_of(analysis, OrderingMethod::amd),
                              *rounds = candidate_of(analysis, OrderingMethod::parallel_amd);
    EXPECT_TRUE(amd->note.find("not tried: ") == 0 || rounds->note.find("not tried: ") == 0)
        << analysis.reason;
    return rounds->note.find("not tried: ") != 0;
  };
  const SymmetricMatrix<double> mesh = generate("rgg3d 52000 9 1"),
                                few = generate("rgg3d 52000 6 1"),
                                small = generate("rgg3d 36000 6 1");
  const OwnedPattern lattice = shuffled(grid_pattern(213, 213, 1), 1);
  for (const AnalyzeOptions& options : {host, device, offered}) {
    const bool for_device = options.target == "sm_90" || !options.device.target.empty();
    EXPECT_EQ(in_rounds(mesh.pattern(), options), for_device);
    EXPECT_EQ(in_rounds(few.pattern(), options),
              for_device);  // by its neighbours alone it would be a lattice's body
    EXPECT_FALSE(in_rounds(small.pattern(), options));
    EXPECT_FALSE(in_rounds(lattice.view(), options));
  }
  device.factorizations =
      128;  // with a lattice's share of dissection's seconds 64 would do to dissect it at once
  EXPECT_TRUE(in_rounds(mesh.pattern(), device));
  device.factorizations = 1000;
  EXPECT_FALSE(in_rounds(mesh.pattern(), device));
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

// Hubs below the limit of dense rows, so many that each pivot of minimum degree has most of them
// for neighbours.
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

// What is left of a block arrow is ordered, and predictions are of that.
TEST(Analyze, BundleAdjustmentIsOrderedByItsCameras) {
  const auto a = generate("bundle 60 8000 3 1");
  const Analysis automatic = analyze_with_report(a.pattern(), method_options());
  check_analysis(automatic);
  const Analysis::Candidate* amd = candidate_of(automatic, OrderingMethod::amd);
  ASSERT_NE(amd, nullptr);
  EXPECT_LT(amd->predicted_order_s, 0.02);
  // Points' columns of 9 K + 3, 2, 1 rows, and a triangle of all cameras.
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
  options.factorizations = 100;  // so that seconds of ordering do not decide
  const Analysis analysis = analyze_with_report(thin.view(), options);
  check_analysis(analysis);
  EXPECT_EQ(candidate_of(analysis, OrderingMethod::rcm)->note.find("not tried"), std::string::npos);
}

TEST(Analyze, CompareMakesEveryPlan) {
  const OwnedPattern a = shuffled(grid_pattern(30, 30, 1), 4);
  AnalyzeOptions options = method_options();
  options.permutation = random_order(900, 5);
  options.factorizations = 1000;  // so that seconds of ordering do not decide
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
            2 * least);  // seconds decide, not fill alone
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
