// Helpers of tests of analyze(): options, and checks of every analysis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kauri/core/plan.hpp"
#include "symbolic/check/find_flaw.hpp"

namespace kauri::test {

/// Options of an analysis for the CPU by this method, with two workers.
inline AnalyzeOptions method_options(OrderingMethod method = OrderingMethod::automatic) {
  AnalyzeOptions options;
  options.ordering.method = method;
  options.target = "cpu-avx512";
  options.workers = 2;
  return options;
}

/// Checks what holds for every analysis: a sound plan, one chosen candidate, a note for each
/// candidate without a plan, a prediction in the reason.
inline void check_analysis(const Analysis& analysis) {
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

}  // namespace kauri::test
