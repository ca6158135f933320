// Tests the choice between L in double and L in float on cards of each class of FP64, and that the
// comparison with the CPU takes the precision that is chosen.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/choose/precision_choice.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kauri/extras/generate.hpp"
#include "symbolic/choose/target_choice.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

constexpr Offset kGb = 1000000000;

// Cards as their drivers report them. k1of32 and the whole one: no such card is known; its driver
// says it.
constexpr DeviceCard kH200{9, 0, 132, 1.98e9, 4.9e12, 2}, kA100{8, 0, 108, 1.41e9, 1.555e12, 2},
    kB200{10, 0, 148, 1.965e9, 8e12, 2}, k1of32{9, 0, 78, 1.98e9, 4e12, 32},
    k1of32Whole{9, 0, 132, 1.98e9, 4.8e12, 32}, kA6000{8, 6, 84, 1.8e9, 7.68e11, 32},
    k4090{8, 9, 128, 2.52e9, 1.008e12, 64}, k5090{12, 0, 170, 2.41e9, 1.79e12, 64};

AnalyzeOptions::DeviceOffer offer_of(const DeviceCard& card, Offset free_bytes = 20 * kGb) {
  AnalyzeOptions::DeviceOffer offer;
  offer.target = device_target(card.major, card.minor);
  offer.free_bytes = free_bytes;
  offer.started = true;
  offer.card = card;
  return offer;
}

std::shared_ptr<const Plan> plan_for(const DeviceCard& card, const char* spec) {
  AnalyzeOptions options;
  options.target = device_target(card.major, card.minor);
  options.workers = 1;
  options.ordering.method = OrderingMethod::amd;
  return analyze(generate(spec).pattern(), options);
}

TEST(PrecisionChoice, CardsHaveFastOrSlowDouble) {
  for (const DeviceCard& card : {kH200, kA100, kB200, DeviceCard{9, 0, 132, 1.98e9, 4.9e12}})
    EXPECT_FALSE(has_slow_double(card)) << card.major << "." << card.minor;
  for (const DeviceCard& card :
       {k1of32, k1of32Whole, kA6000, k4090, k5090, DeviceCard{8, 6, 84, 1.8e9, 7e11}})
    EXPECT_TRUE(has_slow_double(card)) << card.major << "." << card.minor;
  // The driver's ratio of float to double counts if it is above the maker's.
  EXPECT_EQ(single_to_double(k1of32), 32);
  EXPECT_EQ(single_to_double(kA6000), 64);
  EXPECT_EQ(operations_per_cycle(k1of32, 8, CudaCompute::fma), 128.0 * 2 / 32);
  EXPECT_EQ(operations_per_cycle(kH200, 8, CudaCompute::tensor), 256);
  EXPECT_EQ(operations_per_cycle(k4090, 4, CudaCompute::fma), 256);
}

TEST(PrecisionChoice, FloatIsTakenWhereDoubleIsSlowAndTheJobIsLarge) {
  AnalyzeOptions job;
  job.factorizations = 100;
  for (const DeviceCard& card : {kH200, kA100, kB200, k1of32, k1of32Whole, kA6000, k4090, k5090})
    for (const char* spec : {"poisson2d 20", "poisson3d 24", "elast3d 14"}) {
      const auto plan = plan_for(card, spec);
      const Analysis::Precisions both = choose_precision(device_job(*plan), offer_of(card), job);
      const bool slow = has_slow_double(card), large = std::string(spec) != "poisson2d 20";
      if (std::string(spec) != "poisson3d 24") {
        EXPECT_EQ(both.takes_mixed, slow && large) << spec << ": " << both.reason;
      }
      EXPECT_EQ(both.takes_mixed, slow && kMixedWeight * both.mixed.job_s < both.full.job_s);
      EXPECT_EQ(both.reason.find(both.takes_mixed ? "mixed: " : "full: "), 0U) << both.reason;
      EXPECT_TRUE(both.mixed.mixed && !both.full.mixed);
      EXPECT_EQ(both.full.job_s, job_seconds(both.full, job));
      EXPECT_EQ(both.mixed.job_s, job_seconds(both.mixed, job));
      if (large) {
        EXPECT_LT(both.mixed.bytes, both.full.bytes) << spec;
      }
      // A solve in mixed precision takes several sweeps and residuals.
      const DeviceCost in_float = device_cost(both.mixed.target, 4, card);
      EXPECT_GT(both.mixed.solve_s,
                kMixedSolves * device_solve_seconds(in_float, plan->internals->device.work, 0));
    }
}

/// Many solves with one factor favour double, whose solves take no refinement.
TEST(PrecisionChoice, FollowsTheJobThatTheUserNames) {
  const auto plan = plan_for(k4090, "poisson3d 24");
  AnalyzeOptions few, many;
  many.solves = 100000;
  EXPECT_TRUE(choose_precision(device_job(*plan), offer_of(k4090), few).takes_mixed);
  const Analysis::Precisions both = choose_precision(device_job(*plan), offer_of(k4090), many);
  EXPECT_FALSE(both.takes_mixed) << both.reason;
  EXPECT_NE(both.reason.find("too small a gain"), std::string::npos) << both.reason;
}

TEST(PrecisionChoice, ADoubleThatDoesNotFitLeavesFloat) {
  const auto plan = plan_for(k4090, "poisson3d 24");
  AnalyzeOptions many;
  many.solves = 100000;
  Analysis::Precisions both = choose_precision(device_job(*plan), offer_of(k4090), many);
  const Offset between = (both.full.bytes + both.mixed.bytes) / 2;
  both = choose_precision(device_job(*plan), offer_of(k4090, between), many);
  EXPECT_TRUE(both.takes_mixed) << both.reason;
  EXPECT_NE(both.reason.find("memory"), std::string::npos) << both.reason;
  // Where double is fast, it is taken if it fits; if neither fits, as if both did.
  EXPECT_TRUE(choose_precision(device_job(*plan), offer_of(kA100, between), many).takes_mixed);
  EXPECT_FALSE(choose_precision(device_job(*plan), offer_of(kA100), many).takes_mixed);
  for (const DeviceCard& card : {k4090, kA100})
    EXPECT_FALSE(choose_precision(device_job(*plan), offer_of(card, 1), many).takes_mixed);
}

/// The device is compared with the CPU in the precision that is chosen, and the forecast of a draft
/// is that of its plan.
TEST(PrecisionChoice, OffersAreJudgedInTheChosenPrecision) {
  const auto a = generate("poisson3d 20");
  for (const DeviceCard& card : {kA100, k4090}) {
    AnalyzeOptions options;
    options.target = "cpu-generic";
    options.workers = 1;
    options.factorizations = 1000000, options.solves = 0;
    options.device = offer_of(card);
    options.device.mixed = true;
    const Analysis both = analyze_with_report(a.pattern(), options);
    ASSERT_TRUE(both.precisions) << both.target_reason;
    ASSERT_TRUE(both.plan->on_device()) << both.target_reason;
    EXPECT_EQ(both.precisions->takes_mixed, has_slow_double(card));
    const Analysis::Forecast &chosen = both.precisions->takes_mixed ? both.precisions->mixed
                                                                    : both.precisions->full,
                             &judged = both.forecasts.at(1);
    EXPECT_EQ(judged.mixed, both.precisions->takes_mixed);
    EXPECT_EQ(judged.factor_s, chosen.factor_s);
    EXPECT_EQ(judged.job_s, chosen.job_s);
    const Analysis::Precisions again =
        choose_precision(device_job(*both.plan), options.device, options);
    EXPECT_EQ(again.reason, both.precisions->reason);
    EXPECT_EQ(again.mixed.bytes, both.precisions->mixed.bytes);
    EXPECT_EQ(again.full.job_s, both.precisions->full.job_s);
    options.device.mixed = false;
    EXPECT_FALSE(analyze_with_report(a.pattern(), options).precisions);
  }
}

}  // namespace
}  // namespace kauri::symbolic
