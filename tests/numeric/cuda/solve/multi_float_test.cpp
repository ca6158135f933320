// Tests fast solves of several right-hand sides with L in float, on a CUDA device and on the
// emulated one. With numbers and sums in double each column agrees with the solve of one right-hand
// side by the same L to the rounding of x. In float, by portable multiply-adds, each has a small
// backward error for that L.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/numeric/cuda/solve/multi_sweeps.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/oracles/error_of_l.hpp"
#include "tests/support/systems/graph_families.hpp"
#include "tests/support/systems/near_singular.hpp"

namespace kauri::test {
namespace {

class FloatMultiSweeps : public MultiSweepsOf<float> {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    together_.emplace(cuda_backend(options_of(32, GetParam().columns)));
    alone_.emplace(cuda_backend(options_of(1, GetParam().columns)));
  }
  /// True if numbers and sums are in float.
  static bool in_float() { return GetParam().portable && GetParam().compute == CudaCompute::fma; }
  /// Expects that each column agrees with its solve alone, or in float that it has a small error,
  /// and that a second solve has equal bits.
  void check(const Pattern& pattern, std::span<const double> value, OrderingMethod method,
             bool amalgamate, const std::vector<Index>& numbers) {
    const auto plan = plan_of(pattern, method, amalgamate);
    ASSERT_GT(plan->internals->device.sweeps.bytes, 0);
    const Index n = pattern.n;
    const auto many = factor(plan, value, *together_), one = factor(plan, value, *alone_);
    for (const Index columns : numbers) {
      SCOPED_TRACE(columns);
      const Values b = random_rhs(n, columns), x = solve(many, b, columns, columns),
                   expected = solve(one, b, columns, columns);
      EXPECT_TRUE(solve(many, b, columns, columns) == x);
      for (Index c = 0; c < columns; ++c) {
        if (in_float()) {
          EXPECT_LE(error_of_l(many, &b[at(n, c)], &x[at(n, c)]), 8)
              << c;  // the largest seen is 4.6
          EXPECT_LE(error_of_l(one, &b[at(n, c)], &expected[at(n, c)]), 4) << c;
          continue;
        }
        double largest = 0;
        for (Index i = 0; i < n; ++i)
          largest = std::max(largest, std::abs(double{expected[at(n, c) + i]}));
        for (Index i = 0; i < n; ++i) {
          const double found = x[at(n, c) + i], wanted = expected[at(n, c) + i];
          EXPECT_LE(std::abs(found - wanted),
                    std::numeric_limits<float>::epsilon() * std::abs(wanted) + 1e-9 * largest)
              << c << " " << i;
        }
      }
    }
  }

  std::optional<Backend> together_, alone_;
};

TEST_P(FloatMultiSweeps, SolveAsOneColumnDoes) {
  const bool emulated = together_->device() == "emulated";  // slow: systems take turns
  const std::vector<Index> numbers = {8, 32, 9, 2};
  std::size_t turn = 0;
  for (const char* spec :
       {"poisson2d 20", "poisson3d 7", "blockdiag 360 30", "blockdiag 260 130"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    check(a.pattern(), a.value(), OrderingMethod::amd, true,
          emulated ? std::vector<Index>{numbers[turn++ % numbers.size()]} : numbers);
  }
}

/// The fronts are those of multi_test.cpp: long sums in parts, one tile above many rows, all
/// numbers of cells, and gathered rows.
TEST_P(FloatMultiSweeps, TakeTasksOfEachKind) {
  for (const std::vector<Index>& parts :
       {std::vector<Index>{850, 130}, std::vector<Index>{30, 30, 1100},
        std::vector<Index>{3, 8, 9, 17, 25, 33, 41, 49, 57, 64, 70}}) {
    SCOPED_TRACE(parts.size());
    const auto dense = near_singular({"", parts}, 1);
    check(dense.pattern(), random_dominant<double>(dense.pattern(), 3), OrderingMethod::natural,
          false, {5, 20});
  }
  const auto hubs = hubs_and_cube(2000, 4, 5);
  check(hubs.view(), random_dominant<double>(hubs.view(), 3), OrderingMethod::amd, false, {32});
}

TEST_P(FloatMultiSweeps, PartsOfSolvesAreThoseOfTheWhole) { check_parts(*together_); }
TEST_P(FloatMultiSweeps, NumbersOfEveryKindComeThrough) { check_numbers(*together_); }
TEST_P(FloatMultiSweeps, TakeTheBytesThatAreSaid) { check_bytes(); }

INSTANTIATE_TEST_SUITE_P(Teams, FloatMultiSweeps,
                         ::testing::Values(Teams{"hopper16", 16, false, CudaCompute::automatic},
                                           Teams{"hopper32", 32, false, CudaCompute::automatic},
                                           Teams{"tensor16", 16, true, CudaCompute::automatic},
                                           Teams{"tensor32", 32, true, CudaCompute::automatic},
                                           Teams{"fma16", 16, true, CudaCompute::fma},
                                           Teams{"fma32", 32, true, CudaCompute::fma}),
                         [](const auto& teams) { return teams.param.name; });

}  // namespace
}  // namespace kauri::test
