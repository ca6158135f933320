// Tests the choice of CPU or device against a table of times, and analyses with a device on offer.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/choose/target_choice.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kauri/extras/generate.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/make_plan.hpp"

namespace kauri::symbolic {
namespace {

constexpr Offset kGb = 1000000000;

struct Case {
  const char* what;
  double host_factor, host_solve;      // seconds
  double device_factor, device_solve;  // seconds
  double start;                        // start of the device
  int factorizations, solves;
  Offset bytes;  // memory that the device needs, of 10 GB
  bool device;   // expected choice
  bool scaled = false;
};

TEST(TargetChoice, FollowsPredictedSeconds) {
  const std::vector<Case> cases{
      {"faster in all", 1, 0.1, 0.01, 0.01, 0, 1, 1, kGb, true},
      {"slower in all", 0.01, 0.01, 1, 0.1, 0, 1, 1, kGb, false},
      {"a tie", 0.1, 0.1, 0.1, 0.1, 0, 1, 1, kGb, false},
      {"faster, but not started", 0.3, 0.1, 0.01, 0.01, 0.5, 1, 1, kGb, false},
      {"started for many", 0.3, 0.1, 0.01, 0.01, 0.5, 10, 1, kGb, true},
      {"started for one that is long", 3, 0.1, 0.1, 0.1, 0.5, 1, 1, kGb, true},
      {"many slow solves", 1, 0.01, 0.01, 0.1, 0, 1, 100, kGb, false},
      {"no solve at all", 1, 0.01, 0.9, 0.2, 0, 1, 0, kGb, true},
      {"too large for its memory", 1, 0.1, 0.01, 0.01, 0, 1, 1, 11 * kGb, false},
      {"just fits", 1, 0.1, 0.01, 0.01, 0, 1, 1, 10 * kGb, true},
      {"small", 1e-4, 1e-4, 3e-5, 3e-5, 0, 1, 1, kGb, false},
      {"small, many times", 1e-4, 1e-4, 3e-5, 3e-5, 0, 100, 1, kGb, true},
      {"faster, but by scaled seconds", 1, 0.1, 0.5, 0.1, 0, 1, 1, kGb, false, true},
      {"as fast, measured", 1, 0.1, 0.5, 0.1, 0, 1, 1, kGb, true},
      {"twice as fast by scaled seconds", 1, 0.1, 0.5, 0.05, 0, 1, 1, kGb, false, true},
      {"more than that", 1, 0.1, 0.5, 0.04, 0, 1, 1, kGb, true, true},
      {"so is the start", 1, 0.1, 0.1, 0.1, 0.4, 1, 1, kGb, false, true},
  };
  for (const Case& c : cases) {
    AnalyzeOptions options;
    options.factorizations = c.factorizations, options.solves = c.solves;
    options.device = {"sm_90", 10 * kGb, c.start == 0, 1};
    Analysis::Forecast host{"cpu-avx512", 0, 0, 0, c.host_factor, c.host_solve, 0, kGb},
        device{"sm_90", c.start, 0, 0, c.device_factor, c.device_solve, 0, c.bytes, c.scaled};
    const TargetChoice choice = choose_target(host, device, options);
    EXPECT_EQ(choice.device, c.device) << c.what << ": " << choice.reason;
    EXPECT_EQ(choice.reason.find(c.device ? "sm_90: " : "cpu-avx512: "), 0U)
        << c.what << ": " << choice.reason;
    EXPECT_DOUBLE_EQ(host.job_s, c.factorizations * (c.host_factor + c.solves * c.host_solve))
        << c.what;
    EXPECT_DOUBLE_EQ(device.job_s,
                     c.start + c.factorizations * (c.device_factor + c.solves * c.device_solve))
        << c.what;
  }
}

TEST(TargetChoice, PaysForMakingAFactorOnceAndForValuesEachTime) {
  AnalyzeOptions options;
  options.factorizations = 3;
  options.device = {"sm_90", 10 * kGb, true, 1};
  Analysis::Forecast host{"cpu-avx2", 0, 0.5, 0, 1, 0, 0, kGb},
      device{"sm_90", 0, 0.25, 0.125, 0.875, 0, 0, kGb};
  EXPECT_TRUE(choose_target(host, device, options).device);
  EXPECT_DOUBLE_EQ(host.job_s, 3.5);
  EXPECT_DOUBLE_EQ(device.job_s, 0.25 + 3 * (0.125 + 0.875));
  device.values_s = 0.25;
  EXPECT_FALSE(choose_target(host, device, options).device);
}

/// The reason says what the device's predicted seconds are based on, whichever target is chosen.
TEST(TargetChoice, TheReasonTellsMeasuredFromScaled) {
  for (const double host_factor : {1.0, 0.01})
    for (const bool scaled : {false, true})
      for (const int scalar_bytes : {4, 8}) {
        AnalyzeOptions options;
        options.device = {"sm_80", 10 * kGb, true, 1, scalar_bytes};
        Analysis::Forecast host{"cpu-avx2", 0, 0, 0, host_factor, 0, 0, kGb},
            device{"sm_80", 0, 0, 0, 0.1, 0, 0, kGb, scaled};
        const TargetChoice choice = choose_target(host, device, options);
        EXPECT_EQ(choice.device, host_factor > 0.5);
        const std::string constants =
            std::string("; constants of sm_80 in ") + (scalar_bytes == 4 ? "float" : "double");
        EXPECT_NE(choice.reason.find(constants +
                                     (scaled ? " are scaled, not measured" : " are measured")),
                  std::string::npos)
            << choice.reason;
      }
}

/// Expects that an analysis with an offered device decides by its forecasts, and that its plan
/// equals the plan made for the chosen target alone.
void expect_plan_of_winner(const Analysis& analysis, const Pattern& pattern,
                           AnalyzeOptions options) {
  ASSERT_EQ(analysis.forecasts.size(), 2U);
  Analysis::Forecast host = analysis.forecasts[0], device = analysis.forecasts[1];
  const TargetChoice choice = choose_target(host, device, options);
  EXPECT_EQ(analysis.target_reason, choice.reason);
  const Analysis::Forecast& winner = choice.device ? device : host;
  const int scalar_bytes = options.device.scalar_bytes;
  EXPECT_EQ(analysis.plan->target, winner.target);
  EXPECT_EQ(analysis.plan->on_device(), choice.device);
  options.device = {};
  options.target = winner.target;
  options.ordering.method = analysis.plan->ordering;
  const auto alone = analyze(pattern, options);
  EXPECT_EQ(analysis.plan->perm.old_of().size(), alone->perm.old_of().size());
  EXPECT_TRUE(std::equal(alone->perm.old_of().begin(), alone->perm.old_of().end(),
                         analysis.plan->perm.old_of().begin()));
  EXPECT_EQ(analysis.plan->supernodes.first, alone->supernodes.first);
  EXPECT_EQ(analysis.plan->internals->panel_ptr, alone->internals->panel_ptr);
  EXPECT_EQ(analysis.plan->internals->device.panel, alone->internals->device.panel);
  EXPECT_EQ(find_flaw(*analysis.plan), "");
  // The plan holds seconds for double, a forecast those of the offered scalar.
  const Cost& cost = analysis.plan->cost;
  const double share = scalar_bytes / 8.0;
  if (choice.device && scalar_bytes == 4) {
    const DeviceCost& constants = device_cost(winner.target, 4);
    EXPECT_EQ(winner.factor_s,
              device_factor_seconds(constants, analysis.plan->internals->device.work));
    EXPECT_EQ(winner.solve_s, device_solve_seconds(constants, analysis.plan->internals->device.work,
                                                   analysis.plan->n));
    return;
  }
  const int workers = choice.device ? 1 : planned_workers(options);
  EXPECT_EQ(share * crowded_factor(workers) * cost.predicted_factor_s, winner.factor_s);
  EXPECT_EQ(share * crowded_solve(workers) * cost.predicted_solve_s, winner.solve_s);
  EXPECT_EQ(share * cost.predicted_create_s + (choice.device ? 0 : crowded_start(workers)),
            winner.create_s);
}

TEST(TargetChoice, AnalysesPlanForTheWinner) {
  for (const auto& [target, scalar_bytes] :
       {std::pair{"sm_90", 8}, {"sm_90", 4}, {"sm_80", 8}, {"sm_80", 4}}) {
    bool host_won = false, device_won = false;
    for (const char* spec :
         {"poisson2d 20", "poisson3d 10", "poisson3d 24", "elast3d 8", "tree 2000 1"})
      for (const int factorizations : {1, 1000000})
        for (const auto method : {OrderingMethod::automatic, OrderingMethod::amd}) {
          SCOPED_TRACE(std::string(spec) + " " + target + " " + std::to_string(scalar_bytes) + " " +
                       std::to_string(factorizations));
          AnalyzeOptions options;
          options.target = "cpu-generic";
          options.workers = scalar_bytes == 8 ? 16 : 1;
          options.solves = 0;
          options.factorizations = factorizations;
          options.ordering.method = method;
          options.device = {target, 10 * kGb, false, 1, scalar_bytes};
          const auto a = generate(spec);
          const Analysis analysis = analyze_with_report(a.pattern(), options);
          EXPECT_EQ(analysis.forecasts.at(1).scaled, target != std::string("sm_90"));
          expect_plan_of_winner(analysis, a.pattern(), options);
          (analysis.plan->on_device() ? device_won : host_won) = true;
        }
    EXPECT_TRUE(host_won) << target << " " << scalar_bytes;
    EXPECT_TRUE(device_won) << target << " " << scalar_bytes;
  }
}

TEST(TargetChoice, BytesOfTheDeviceAreForeseen) {
  int turn = 0;
  for (const char* spec : {"poisson3d 16", "poisson2d 200", "elast3d 8"})
    for (const auto& [scalar_bytes, nrhs] :
         {std::pair{4, 1}, {8, 1}, {4, 32}, {8, 5}, {8, 32}, {8, 1000}}) {
      AnalyzeOptions options;
      options.target = "cpu-generic";
      options.workers = 1;
      options.solves = 0;
      options.factorizations = 1000000;
      options.device = {turn++ % 2 == 0 ? "sm_90" : "sm_80", 10 * kGb, true, nrhs, scalar_bytes};
      const auto a = generate(spec);
      const Analysis rich = analyze_with_report(a.pattern(), options);
      ASSERT_TRUE(rich.plan->on_device()) << spec;
      const auto foreseen = static_cast<double>(rich.forecasts[1].bytes);
      const auto taken = static_cast<double>(
          rich.plan->peak_bytes(scalar_bytes) + rich.plan->workspace_bytes(scalar_bytes, nrhs) +
          device_residual_bytes(a.n(), rich.plan->nnz, scalar_bytes));
      EXPECT_GT(foreseen, 0.8 * taken) << spec << " " << scalar_bytes << " " << nrhs;
      EXPECT_LT(foreseen, 1.25 * taken) << spec << " " << scalar_bytes << " " << nrhs;
      options.device.free_bytes = static_cast<Offset>(foreseen) - 1;
      const Analysis poor = analyze_with_report(a.pattern(), options);
      EXPECT_FALSE(poor.plan->on_device()) << spec;
      EXPECT_NE(poor.target_reason.find("memory"), std::string::npos) << poor.target_reason;
    }
}

TEST(TargetChoice, NothingIsForecastWhereNothingIsOffered) {
  const auto a = generate("poisson2d 10");
  const Analysis analysis = analyze_with_report(a.pattern());
  EXPECT_TRUE(analysis.forecasts.empty());
  EXPECT_EQ(analysis.target_reason, "");
}

}  // namespace
}  // namespace kauri::symbolic
