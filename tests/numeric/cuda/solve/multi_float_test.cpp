// Tests fast solves of several right-hand sides with L in float, on a CUDA device and on the
// emulated one. With numbers and sums in double each column agrees with the solve of one right-hand
// side by the same L to the rounding of x. In float, by portable multiply-adds, each has a small
// backward error for that L.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/common/aligned_bytes.hpp"
#include "kauri/kauri.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/bodies/system.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/oracles/error_of_l.hpp"
#include "tests/support/systems/graph_families.hpp"
#include "tests/support/systems/near_singular.hpp"

namespace kauri::test {
namespace {

using Floats = std::vector<float>;

/// Kernels to test, and how many columns a group solves in solves of more than 8 columns.
struct FloatTeams {
  const char* name;
  Index columns;
  bool portable;
  CudaCompute compute;
};

class FloatMultiSweeps : public ::testing::TestWithParam<FloatTeams> {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    together_.emplace(cuda_backend(options_of(32)));
    alone_.emplace(cuda_backend(options_of(1)));
  }
  static CudaOptions options_of(Index together) {
    CudaOptions options;
    options.solves_together = together, options.group_columns = GetParam().columns;
    options.portable = GetParam().portable, options.compute = GetParam().compute;
    return options;
  }
  static Factor<float> factor(const std::shared_ptr<const Plan>& plan,
                              std::span<const double> value, Backend& backend) {
    auto out = Factor<float>::create(plan, backend);
    EXPECT_TRUE(refactorize<float>(out, cast<float>(value)).ok());
    return out;
  }
  Floats random_rhs(Index n, Index columns) {
    Floats b(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns));
    for (float& x : b)
      x = static_cast<float>(std::uniform_real_distribution<double>(-1, 1)(random_));
    return b;
  }
  static Floats solve(const Factor<float>& factor, const Floats& b, Index columns) {
    auto workspace = Workspace<float>::create(factor, columns);
    const Index n = factor.plan().n;
    Floats x = b;
    factor.solve({x.data(), n, columns, n}, workspace);
    return x;
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
      const Floats b = random_rhs(n, columns), x = solve(many, b, columns),
                   expected = solve(one, b, columns);
      EXPECT_TRUE(solve(many, b, columns) == x);
      for (Index c = 0; c < columns; ++c) {
        if (in_float()) {
          EXPECT_LE(error_of_l(many, &b[c * n], &x[c * n]), 8) << c;  // the largest seen is 4.6
          EXPECT_LE(error_of_l(one, &b[c * n], &expected[c * n]), 4) << c;
          continue;
        }
        double largest = 0;
        for (Index i = 0; i < n; ++i)
          largest = std::max(largest, std::abs(double{expected[c * n + i]}));
        for (Index i = 0; i < n; ++i) {
          const double found = x[c * n + i], wanted = expected[c * n + i];
          EXPECT_LE(std::abs(found - wanted),
                    std::numeric_limits<float>::epsilon() * std::abs(wanted) + 1e-9 * largest)
              << c << " " << i;
        }
      }
    }
  }

  std::mt19937_64 random_{7};
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

TEST_P(FloatMultiSweeps, PartsOfSolvesAreThoseOfTheWhole) {
  for (const char* spec : {"poisson2d 12 --shuffle 3", "blockdiag 160 80"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    const auto made = factor(plan_of(a.pattern(), OrderingMethod::amd), a.value(), *together_);
    SystemParts<float>(made, 6, 6).check();
    SystemParts<float>(made, 33, 40).check();
  }
}

/// A right-hand side whose double has the bits of an unset number gives NaN, and the sweep still
/// ends.
TEST_P(FloatMultiSweeps, NumbersOfEveryKindComeThrough) {
  for (const char* spec : {"poisson2d 12", "blockdiag 260 130"}) {
    const auto a = generate(spec);
    const auto plan = plan_of(a.pattern(), OrderingMethod::amd);
    auto made = factor(plan, a.value(), *together_);
    const Index n = a.n(), columns = 12;
    auto workspace = Workspace<float>::create(made, columns);
    for (const float odd :
         {std::bit_cast<float>(~std::uint32_t{0}), std::numeric_limits<float>::infinity(), 1e30f})
      for (const System system : {System::A, System::L, System::Lt}) {
        Floats x = random_rhs(n, columns);
        x[9 * n + 17] = odd;
        made.solve(system, {x.data(), n, columns, n}, {x.data(), n, columns, n}, workspace);
        for (Index c = 0; c < columns; ++c) {
          const bool finite = std::all_of(x.data() + c * n, x.data() + (c + 1) * n,
                                          [](float v) { return std::isfinite(v); });
          EXPECT_EQ(finite, c != 9 || std::isfinite(odd)) << spec << " " << odd << " " << c;
        }
      }
  }
}

TEST_P(FloatMultiSweeps, TakeTheBytesThatAreSaid) {
  const auto a = generate("poisson2d 20");
  const auto plan = plan_of(a.pattern(), OrderingMethod::amd);
  for (const Index together : {1, 8, 32}) {
    Backend backend = cuda_backend(options_of(together));
    const auto out = factor(plan, a.value(), backend);
    const Offset with_factor = backend.bytes_in_use();
    for (const Index nrhs : {1, 2, 9, 40}) {
      const Index width = std::min(nrhs == 1 ? 1 : nrhs <= 8 ? 8 : 32, together);
      const auto workspace = Workspace<float>::create(out, nrhs);
      EXPECT_EQ(backend.bytes_in_use() - with_factor, plan->workspace_bytes(4, nrhs, together))
          << nrhs;
      // Vectors of the caller's are floats, the numbers of a solve doubles.
      const Offset one = plan->internals->device.sweeps.numbers, n = plan->n,
                   of_several =
                       (one - 1 - 2 * n) * width + std::max(3 * n * width, one + one % 2) + 4;
      EXPECT_EQ(plan->workspace_bytes(4, nrhs, together),
                aligned_bytes(n, 4 * std::min(nrhs, kSolveBlock)) +
                    aligned_bytes(width == 1 ? one : of_several, 8))
          << nrhs;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Teams, FloatMultiSweeps,
    ::testing::Values(FloatTeams{"hopper16", 16, false, CudaCompute::automatic},
                      FloatTeams{"hopper32", 32, false, CudaCompute::automatic},
                      FloatTeams{"tensor16", 16, true, CudaCompute::automatic},
                      FloatTeams{"tensor32", 32, true, CudaCompute::automatic},
                      FloatTeams{"fma16", 16, true, CudaCompute::fma},
                      FloatTeams{"fma32", 32, true, CudaCompute::fma}),
    [](const auto& teams) { return teams.param.name; });

}  // namespace
}  // namespace kauri::test
