// When analyze() tries dissection, and when it dissects at once without minimum degree before it:
// by the shape of the graph, the target, the cores and the number of factorisations.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>

#include "kauri/core/plan.hpp"
#include "kauri/extras/generate.hpp"
#include "support/systems/candidate_of.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/common/cost_table.hpp"
#include "tests/symbolic/choose/analysis.hpp"

namespace kauri::test {
namespace {

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

// If vertices have many neighbours and a device has 1000 factorisations to do, minimum degree costs
// more than dissection takes; not for one factorisation, nor if the graph is long or flat.
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

}  // namespace
}  // namespace kauri::test
