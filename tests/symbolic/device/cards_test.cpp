// Properties of predictions over cards of each class of FP64: more multiprocessors, a faster clock
// or memory never take longer, and measured rates replace what they measure.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "kauri/extras/generate.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

/// Classes of cards by capability and what the driver says of double: as fast by tensor cores as
/// float (8.0, 9.0), half as fast (10.0), 1/32 (a driver's word), 1/64 (8.6, 8.9, 12.0).
struct Class {
  int major, minor, single_to_double;
};
constexpr Class kClasses[] = {{8, 0, 2},  {9, 0, 2},  {10, 0, 2}, {9, 0, 32},
                              {8, 6, 32}, {8, 9, 64}, {12, 0, 0}};

const std::vector<DeviceWork>& works() {
  static const std::vector<DeviceWork> all = [] {
    std::vector<DeviceWork> made;
    for (const char* spec : {"poisson3d 20", "poisson2d 100", "tree 3000 1", "elast3d 8"}) {
      AnalyzeOptions options;
      options.target = "sm_80";
      options.workers = 1;
      options.ordering.method = OrderingMethod::amd;
      made.push_back(analyze(generate(spec).pattern(), options)->internals->device.work);
    }
    return made;
  }();
  return all;
}

/// Returns the most multiprocessors of a card of a class, at most `most`. A Hopper with fast double
/// has no more than 113, since the seconds of larger ones are those measured on a whole one,
/// whatever its clock.
int most_processors(const Class& of, int most) {
  const bool measured = of.major == 9 && of.single_to_double < kSlowDouble;
  return measured ? std::min(most, kFewestMeasured - 1) : most;
}

DeviceCard any_card(const Class& of) {
  const int most = most_processors(of, 200);
  DeviceCard card;
  card.major = of.major, card.minor = of.minor, card.single_to_double = of.single_to_double;
  card.processors = *rc::gen::inRange(4, most + 1);
  card.clock_hz = 1e6 * *rc::gen::inRange(500, 3000);
  card.bandwidth = 1e9 * *rc::gen::inRange(100, 8000);
  return card;
}

DeviceCard::Rates any_rates(double peak) {
  const auto between = [](int least, int most) { return 1e-3 * *rc::gen::inRange(least, most); };
  return {.flops_per_s = peak * between(200, 1000),
          .read_bytes_per_s = 1e12 * between(100, 8000),
          .start_s = 1e-4 * between(200, 3000),
          .level_s = 1e-6 * between(1000, 20000),
          .sweep_start_s = 1e-4 * between(100, 2000),
          .sweep_level_s = 1e-6 * between(1000, 20000)};
}

/// Predicted seconds of a factorisation and of a solve on a card, for each work.
std::vector<std::pair<double, double>> seconds_on(const DeviceCard& card, int scalar_bytes) {
  const DeviceCost cost = device_cost(device_target(card.major, card.minor), scalar_bytes, card);
  std::vector<std::pair<double, double>> all;
  for (const DeviceWork& work : works())
    all.emplace_back(device_factor_seconds(cost, work), device_solve_seconds(cost, work, 1000));
  return all;
}

/// Asserts that each work takes `better` no longer than `card`.
void expect_no_slower(const DeviceCard& better, const DeviceCard& card) {
  for (const int scalar_bytes : {4, 8}) {
    const auto less = seconds_on(better, scalar_bytes), more = seconds_on(card, scalar_bytes);
    for (std::size_t k = 0; k < less.size(); ++k) {
      RC_ASSERT(less[k].first > 0 && less[k].second > 0);
      RC_ASSERT(less[k].first <= more[k].first * (1 + 1e-12));
      RC_ASSERT(less[k].second <= more[k].second * (1 + 1e-12));
    }
  }
}

TEST(Cards, BetterOnesNeverTakeLonger) {
  for (const Class& of : kClasses)
    EXPECT_TRUE(
        rc::check("cards of " + std::to_string(of.major) + "." + std::to_string(of.minor), [&] {
          const DeviceCard card = any_card(of);
          DeviceCard more = card, faster = card, wider = card;
          more.processors = std::min(2 * card.processors, most_processors(of, 400));
          faster.clock_hz *= 1.3, wider.bandwidth *= 1.3;
          for (const DeviceCard& better : {more, faster, wider}) expect_no_slower(better, card);
        }));
}

/// A slice of a whole Hopper is never predicted faster than the whole one.
TEST(Cards, ASliceOfAHopperIsNoFasterThanTheWhole) {
  const DeviceCard whole{9, 0, 132, 1.98e9, 4.8e12, 2};
  for (int processors = 8; processors < 132; ++processors) {
    DeviceCard slice = whole;
    slice.processors = processors;
    for (const int scalar_bytes : {4, 8}) {
      const auto all = seconds_on(whole, scalar_bytes), part = seconds_on(slice, scalar_bytes);
      for (std::size_t k = 0; k < all.size(); ++k) {
        EXPECT_GE(part[k].first, all[k].first * (1 - 1e-12)) << processors;
        EXPECT_GE(part[k].second, all[k].second * (1 - 1e-12)) << processors;
      }
    }
  }
}

/// A part of a card is predicted slower the smaller it is, by figures of the driver and by measured
/// rates of the whole card.
TEST(Cards, PartsAreNoFasterThanLargerOnes) {
  for (const bool measured : {false, true}) {
    DeviceCard whole{9, 0, 132, 1.98e9, 4.8e12, 2};
    if (measured) {
      whole.in_double = {4e13, 4e12, 5e-5, 3e-6, 3e-5, 3e-6};
      whole.in_float = {5e13, 2.5e12, 5e-5, 3e-6, 3e-5, 3e-6};
      whole.copy_s = 1e-5, whole.copy_bytes_per_s = 1e10;
    }
    for (const int all : {0, 132}) EXPECT_EQ(part_of(whole, all).processors, 132);
    for (const int scalar_bytes : {4, 8}) {
      auto larger = seconds_on(whole, scalar_bytes);
      for (const int taken : {66, 33, 18, 8}) {
        const DeviceCard part = part_of(whole, taken);
        EXPECT_EQ(part.processors, taken);
        const auto now = seconds_on(part, scalar_bytes);
        EXPECT_GT(now[0].first, larger[0].first) << taken;  // poisson3d 20
        for (std::size_t k = 0; k < now.size(); ++k) {
          EXPECT_GE(now[k].first, larger[k].first * (1 - 1e-12)) << taken;
          EXPECT_GE(now[k].second, larger[k].second * (1 - 1e-12)) << taken;
        }
        larger = now;
      }
      const auto some = seconds_on(whole, scalar_bytes);
      EXPECT_GT(larger[0].second, some[0].second);  // few multiprocessors read slowly
    }
  }
}

/// The classes come in the order of their rates: what double costs beyond float grows with the
/// ratio that the driver reports.
TEST(Cards, SlowerDoubleTakesLongerAndFloatAsLong) {
  DeviceCard card{9, 0, 100, 1.98e9, 4e12};
  std::vector<std::pair<double, double>> before;
  const auto in_float = seconds_on(card, 4);
  for (const int ratio : {0, 1, 2, 32, 64}) {
    card.single_to_double = ratio;
    const auto now = seconds_on(card, 8);
    for (std::size_t k = 0; k < before.size(); ++k) {
      if (ratio <= 2)
        EXPECT_EQ(now[k], before[k]) << ratio;
      else
        EXPECT_GE(now[k].first, before[k].first) << ratio;
      EXPECT_EQ(now[k].second, before[k].second) << ratio;  // solves read L
    }
    EXPECT_EQ(seconds_on(card, 4), in_float) << ratio;
    before = now;
  }
  EXPECT_GT(before[0].first, 1.5 * in_float[0].first);  // poisson3d 20
}

/// Measured constants are the predicted ones, and a card with better measured rates never takes
/// longer.
TEST(Cards, PredictionsFollowMeasuredRates) {
  for (const Class& of : kClasses)
    EXPECT_TRUE(
        rc::check("measured " + std::to_string(of.major) + "." + std::to_string(of.minor), [&] {
          DeviceCard card = any_card(of);
          card.in_double = any_rates(2e12), card.in_float = any_rates(5e13);
          card.copy_s = 1e-5, card.copy_bytes_per_s = 1e10;
          for (const int scalar_bytes : {4, 8}) {
            const auto& rates = scalar_bytes == 4 ? card.in_float : card.in_double;
            const DeviceCost cost =
                device_cost(device_target(of.major, of.minor), scalar_bytes, card);
            const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * b; };
            RC_ASSERT(!cost.scaled);
            RC_ASSERT(near(cost.product_s, 2.0 * kTile * kTile * kTile / rates.flops_per_s));
            RC_ASSERT(near(device_read_bandwidth(cost), rates.read_bytes_per_s));
            RC_ASSERT(near(cost.narrow_level_s, rates.level_s));
            RC_ASSERT(near(cost.sweep_small_level_s, rates.sweep_level_s));
            RC_ASSERT(cost.start_s == rates.start_s);
            RC_ASSERT(cost.sweep_start_s == rates.sweep_start_s);
            RC_ASSERT(cost.host_bandwidth == card.copy_bytes_per_s);
          }
          for (DeviceCard::Rates DeviceCard::*in :
               {&DeviceCard::in_double, &DeviceCard::in_float}) {
            DeviceCard better = card;
            (better.*in).flops_per_s *= 1.5;
            expect_no_slower(better, card);
            (better.*in).read_bytes_per_s *= 1.5;
            expect_no_slower(better, card);
            (better.*in).level_s /= 1.5, (better.*in).sweep_level_s /= 1.5;
            expect_no_slower(better, card);
          }
        }));
}

/// Measured cards need no figure of their driver, which may report no clock and no memory rate:
/// the measured constants are the same without them.
TEST(Cards, MeasuredOnesNeedNoClockAndNoBandwidthOfTheDriver) {
  for (const Class& of : kClasses) {
    DeviceCard whole{of.major, of.minor, 48, 2.4e9, 3e11, of.single_to_double};
    whole.in_double = {5e11, 2e11, 5e-5, 5e-6, 4e-5, 3e-6};
    whole.in_float = {2e13, 2.5e11, 6e-5, 4e-6, 3e-5, 2e-6};
    whole.copy_s = 1e-5, whole.copy_bytes_per_s = 1e10;
    for (const auto& [clock, bandwidth] : {std::pair{0.0, 3e11}, {2.4e9, 0.0}, {0.0, 0.0}}) {
      DeviceCard card = whole;
      card.clock_hz = clock, card.bandwidth = bandwidth;
      EXPECT_TRUE(is_predicted(card));
      for (const int scalar_bytes : {4, 8}) {
        const std::string_view target = device_target(of.major, of.minor);
        const DeviceCost with = device_cost(target, scalar_bytes, whole),
                         without = device_cost(target, scalar_bytes, card);
        for (double DeviceCost::*measured :
             {&DeviceCost::start_s, &DeviceCost::narrow_level_s, &DeviceCost::small_level_s,
              &DeviceCost::tiled_level_s, &DeviceCost::product_s, &DeviceCost::panel_tile_s,
              &DeviceCost::bandwidth, &DeviceCost::sweep_start_s, &DeviceCost::sweep_small_level_s,
              &DeviceCost::sweep_tile_s, &DeviceCost::sweep_panel_tile_s})
          EXPECT_NEAR(without.*measured, with.*measured, 1e-9 * with.*measured);
        for (const auto& [factor_s, solve_s] : seconds_on(card, scalar_bytes))
          EXPECT_TRUE(std::isfinite(factor_s) && std::isfinite(solve_s));
      }
      card.in_double = card.in_float = {};
      EXPECT_FALSE(is_predicted(card));
    }
  }
}

}  // namespace
}  // namespace kauri::symbolic
