// Factors made one after another, with different pauses at tasks and warps, by few teams and by
// many: each must have the same bits of L.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/numeric/cuda/factor/factor_memory.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_hooks.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {

/// A system, and how its tasks are run.
struct DisturbedTrial {
  OwnedPattern pattern;
  OrderingMethod method;
  bool amalgamate;
  std::vector<Index> teams;  ///< numbers of teams, in turn; 0: as many as the device holds
  int runs;
};

template <class W>
class DisturbedRuns : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;

  /// Makes a new factor for each run, with pauses that no earlier run had.
  void same_bits_of_l(const DisturbedTrial& trial) {
    RecycledMemory memory;
    Backend backend = cuda_backend(CudaOptions{.device = 0,
                                               .allocator = memory.allocator(),
                                               .compute = W::compute,
                                               .portable = W::portable});
    const auto made = this->plan(trial.pattern.view(), trial.method, trial.amalgamate);
    ASSERT_FALSE(made->internals->device.task.empty());
    const std::vector<Value> value = random_dominant<Value>(trial.pattern.view(), 5);
    const auto there = DeviceValues<Value>::copy_of(value, backend);
    FactorReader<Value> reader(memory);
    auto undisturbed = Factor<Value>::create(made, backend);
    ASSERT_TRUE(refactorize(undisturbed, there).ok());
    const std::vector<Value> expected =
        reader.read(undisturbed, stored_numbers(*made, this->has_products()));
    expect_l(undisturbed, expected);
    std::vector<std::shared_ptr<const Plan>> plans;
    std::vector<std::vector<StoredNumber>> stored;
    for (const Index teams : trial.teams) {
      plans.push_back(run_by(*made, teams));
      stored.push_back(stored_numbers(*plans.back(), this->has_products()));
    }
    for (int run = 0; run < trial.runs; ++run) {
      const std::size_t k = static_cast<std::size_t>(run) % plans.size();
      auto paused = std::make_shared<Plan>(*plans[k]);
      DeviceHooks::pauses(*paused) = static_cast<unsigned>(run) + 1;
      auto factor = Factor<Value>::create(paused, backend);
      ASSERT_TRUE(refactorize(factor, there).ok()) << "run " << run;
      ASSERT_EQ(factor.verdict(), undisturbed.verdict()) << "run " << run;
      const std::vector<Value> found = reader.read(factor, stored[k]);
      ASSERT_EQ(std::memcmp(found.data(), expected.data(), expected.size() * sizeof(Value)), 0)
          << "run " << run << ", " << trial.teams[k] << " teams";
    }
  }

 private:
  /// Expects that the numbers read are finite and that a sample of them equals entries of L.
  void expect_l(const Factor<Value>& factor, const std::vector<Value>& read) {
    const std::vector<StoredNumber> stored = stored_numbers(factor.plan(), this->has_products());
    ASSERT_EQ(read.size(), stored.size());
    ASSERT_TRUE(std::all_of(read.begin(), read.end(), [](Value v) { return std::isfinite(v); }));
    std::mt19937_64 random(3);
    for (std::size_t k = 0; k < stored.size(); k += 1 + random() % (stored.size() / 200 + 1))
      if (stored[k].row != kNone) {
        ASSERT_EQ(read[k], factor.entry(stored[k].row, stored[k].column))
            << stored[k].row << " " << stored[k].column;
      }
  }
};

}  // namespace kauri::test
