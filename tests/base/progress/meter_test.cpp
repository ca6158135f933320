// Tests Meter: the fractions that its step is told, also if work begins again.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/progress/meter.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace kauri::test {
namespace {

TEST(Meters, TellAscendingFractionsBetweenTheirEnds) {
  std::vector<double> told;
  Meter meter([&](double fraction) { told.push_back(fraction); });
  EXPECT_EQ(meter.fraction(), 0);
  meter.begin(1000);
  for (int k = 0; k < 1000; ++k) meter.add(1);
  EXPECT_EQ(meter.fraction(), 1);
  ASSERT_EQ(told.size(), static_cast<std::size_t>(Meter::kSteps - 1));
  for (std::size_t k = 0; k < told.size(); ++k) {
    EXPECT_GE(told[k], static_cast<double>(k + 1) / Meter::kSteps);
    EXPECT_LT(told[k], static_cast<double>(k + 1) / Meter::kSteps + 0.001);
  }
}

/// A factor in mixed precision may begin three times in one phase, whose fraction does not fall.
TEST(Meters, BegunAgainTellNothingThatWasToldBefore) {
  std::vector<double> told;
  Meter meter([&](double fraction) { told.push_back(fraction); });
  const auto work = [&](double whole, double done) {
    meter.begin(whole);
    EXPECT_EQ(meter.fraction(), 0);
    for (double k = 0; k < done; ++k) meter.add(1);
  };
  work(100, 40);
  const std::vector<double> first = told;
  ASSERT_FALSE(first.empty());
  EXPECT_GT(first.back(), 0.35);
  work(300, 100);
  EXPECT_EQ(told, first);
  work(200, 200);
  ASSERT_GT(told.size(), first.size());
  for (std::size_t k = 1; k < told.size(); ++k) EXPECT_GT(told[k], told[k - 1]);
  EXPECT_GT(told.back(), 0.9);
  EXPECT_LT(told.size(), static_cast<std::size_t>(Meter::kSteps));
}

TEST(Meters, TellInTheThreadThatMadeThem) {
  int told = 0;
  Meter meter([&](double) { ++told; });
  meter.begin(2);
  std::thread([&] { meter.add(1); }).join();
  EXPECT_EQ(told, 0);
  EXPECT_EQ(meter.fraction(), 0.5);
  meter.add(0.25);
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace kauri::test
