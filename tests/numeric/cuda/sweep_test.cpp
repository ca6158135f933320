// Fast solves by sweeps, on a CUDA device and on the emulated one: against the plain ones level by level, and by their backward errors.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/device_schedule.hpp"
#include "tests/numeric/cuda/runtime.hpp"
#include "tests/support/cuda_ways.hpp"
#include "tests/support/device_plans.hpp"
#include "tests/support/graph_families.hpp"
#include "tests/support/near_singular.hpp"
#include "tests/support/system_bodies.hpp"

namespace kauri::test {
namespace {

using symbolic::aligned_bytes;
using Values = std::vector<double>;

class Sweeps : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    CudaOptions options;
    options.solves_together = 1;
    fast_.emplace(cuda_backend(options));
    options.fast_solve = false;
    plain_.emplace(cuda_backend(options));
    if (fast_->target() != "sm_90") GTEST_SKIP() << "sweeps are for Hopper";
  }
  std::shared_ptr<const Plan> plan(const Pattern& pattern, OrderingMethod method = OrderingMethod::amd, bool amalgamate = true) {
    AnalyzeOptions options;
    options.ordering.method = method;
    options.target = fast_->target();
    options.amalgamate = amalgamate;
    return analyze(pattern, options);
  }
  static Factor<double> factor(const std::shared_ptr<const Plan>& plan, std::span<const double> value, Backend& backend) {
    auto out = Factor<double>::create(plan, backend);
    EXPECT_TRUE(refactorize<double>(out, value).ok());
    return out;
  }
  static Values random_rhs(Index n, Index columns) {
    Values b(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns));
    std::mt19937_64 random(7);
    for (double& x : b) x = std::uniform_real_distribution<double>(-1, 1)(random);
    return b;
  }
  static Values solve(const Factor<double>& factor, const Values& b, Index columns, Index room) {
    auto workspace = Workspace<double>::create(factor, room);
    Values x = b;
    factor.solve({x.data(), factor.plan().n, columns, factor.plan().n}, workspace);
    return x;
  }
  /// A backward error like the plain solve's, and its digits, where the condition is not too large for that; the same bits again.
  void check(const SymmetricView<double>& a, const std::shared_ptr<const Plan>& plan, bool well_conditioned = true) {
    const Index n = a.pattern.n;
    const Values b = random_rhs(n, 1);
    const auto fast = factor(plan, a.value, *fast_), plain = factor(plan, a.value, *plain_);
    const Values x = solve(fast, b, 1, 1), expected = solve(plain, b, 1, 1);
    const auto error = [&](const Values& solution) {
      return backward_error<double>(a, {solution.data(), n, 1, n}, {b.data(), n, 1, n}, cpu_).componentwise;
    };
    EXPECT_LE(error(x), std::max(4e-15, 4 * error(expected)));
    EXPECT_EQ(solve(fast, b, 1, 1), x);
    if (!well_conditioned) return;
    double largest = 0, difference = 0;
    for (Index i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      difference = std::max(difference, std::abs(x[i] - expected[i]));
    }
    EXPECT_LE(difference, 1e-9 * largest);
  }

  std::optional<Backend> plain_, fast_;
  Backend cpu_ = cpu_backend(1);
};

TEST_F(Sweeps, SolveAsThePlainOnesDo) {
  for (const char* spec :
       {"poisson2d 1", "poisson2d 20", "poisson3d 7", "tree 400 1", "blockdiag 360 30", "blockdiag 260 130", "rgg3d 300 8 1"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    check(a.view(), plan(a.pattern()));
  }
  for (const char* spec : {"poisson2d 7", "elast3d 4"}) {  // a path of fronts
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    check(a.view(), plan(a.pattern(), OrderingMethod::natural, false));
  }
}

/// More tiles of pivots than a task takes: parts of sums in both directions, in fronts without and with rows below.
TEST_F(Sweeps, DividesLongSums) {
  for (const std::vector<Index>& parts : {std::vector<Index>{900}, std::vector<Index>{850, 130}}) {
    const auto dense = near_singular({"", parts}, 1);
    const auto made = plan(dense.pattern(), OrderingMethod::natural, false);
    ASSERT_GT(made->device.sweeps.forward_parts, 0);
    ASSERT_GT(made->device.sweeps.backward_parts, 0);
    const Values value = random_dominant<double>(dense.pattern(), 3);
    check({dense.pattern(), value}, made);
  }
}

/// Tiled fronts of one to eight cells of pivots, odd and even, above one tile and a cell of rows: all edges of tiles, inverses of one to
/// four rows of blocks, with corrections and without.
TEST_F(Sweeps, TakeFrontsOfEveryNumberOfCells) {
  for (const Index below : {70, 100}) {
    const auto a = near_singular({"", {3, 8, 9, 17, 25, 33, 41, 49, 57, 64, below}}, 1);
    const auto made = plan(a.pattern(), OrderingMethod::natural, false);
    ASSERT_EQ(made->device.small_fronts, 0);
    check(a.view(), made, false);
    const Values value = random_dominant<double>(a.pattern(), 3);
    check({a.pattern(), value}, made);
  }
}

/// Hosts of so many children that tasks of their own add their update rows up.
TEST_F(Sweeps, GathersTheRowsOfManyChildren) {
  const auto pattern = hubs_and_cube(6000, 4, 5);
  const auto made = plan(pattern.view(), OrderingMethod::amd, false);
  const Values value = random_dominant<double>(pattern.view(), 3);
  check({pattern.view(), value}, made);
}

/// Diagonal tiles whose inverses alone would lose digits.
TEST_F(Sweeps, CorrectsNearlySingularTiles) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const Index order : {70, 130, 200}) {
      const auto a = near_singular({"", {order, 90}}, seed);
      check(a.view(), plan(a.pattern(), OrderingMethod::natural, false), false);
    }
}

/// One after the other (several together: wide_test.cpp).
TEST_F(Sweeps, ColumnsAreSolvedAsEachAlone) {
  const auto a = generate("poisson3d 8");
  const Index n = a.n(), columns = 5;
  const auto made = factor(plan(a.pattern()), a.value(), *fast_);
  const Values b = random_rhs(n, columns), x = solve(made, b, columns, 2);
  for (Index c = 0; c < columns; ++c) {
    const Values one(b.begin() + c * n, b.begin() + (c + 1) * n);
    EXPECT_EQ(solve(made, one, 1, 1), Values(x.begin() + c * n, x.begin() + (c + 1) * n)) << c;
  }
}

TEST_F(Sweeps, PartsOfSolvesAreThoseOfTheWhole) {
  for (const char* spec : {"poisson2d 12 --shuffle 3", "blockdiag 160 80"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    check_system_parts(factor(plan(a.pattern()), a.value(), *fast_));
    check_system_parts(factor(plan(a.pattern()), a.value(), *plain_));
  }
}

TEST_F(Sweeps, TakeTheBytesThatAreSaid) {
  for (const char* spec : {"poisson2d 1", "poisson2d 40", "elast3d 5"}) {
    const auto a = generate(spec);
    const auto made = plan(a.pattern());
    const Offset before = fast_->bytes_in_use();
    const auto out = factor(made, a.value(), *fast_);
    EXPECT_EQ(fast_->bytes_in_use() - before, made->peak_bytes(8)) << spec;
    ASSERT_GT(made->device.sweeps.bytes, 0);
    const Offset with_factor = fast_->bytes_in_use();
    for (const Index nrhs : {1, 3, 40}) {
      const auto workspace = Workspace<double>::create(out, nrhs);
      EXPECT_EQ(fast_->bytes_in_use() - with_factor, made->workspace_bytes(8, nrhs, 1)) << spec;
      EXPECT_EQ(made->workspace_bytes(8, nrhs, 1),
                aligned_bytes(made->n, 8 * std::min(nrhs, kSolveBlock)) + aligned_bytes(made->device.sweeps.numbers, 8))
          << spec;
    }
    const Offset plain_before = plain_->bytes_in_use();
    const auto other = factor(made, a.value(), *plain_);
    EXPECT_EQ(plain_->bytes_in_use() - plain_before, made->peak_bytes(8) - made->device.sweeps.bytes) << spec;
    const auto other_workspace = Workspace<double>::create(other, 3);
    EXPECT_EQ(plain_->bytes_in_use() - plain_before, made->peak_bytes(8) - made->device.sweeps.bytes + 2 * aligned_bytes(made->n, 24) +
                                                         aligned_bytes(made->device.update_rows, 24))
        << spec;
  }
}

/// What all numbers would look like before they are there comes through as a NaN, and ends.
TEST_F(Sweeps, NumbersOfEveryKindComeThrough) {
  const auto a = generate("poisson2d 12");
  const auto made = factor(plan(a.pattern()), a.value(), *fast_);
  for (const double odd : {std::bit_cast<double>(~std::uint64_t{0}), std::numeric_limits<double>::infinity(), 0.0, 1e300, 5e-324}) {
    Values b = random_rhs(a.n(), 1);
    b[17] = odd;
    const Values x = solve(made, b, 1, 1);
    EXPECT_EQ(std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }), std::isfinite(odd)) << odd;
  }
}

/// So it does where a sweep begins with what the caller gives in the place of its own numbers.
TEST_F(Sweeps, NumbersOfEveryKindComeThroughTheBackwardSweepAlone) {
  const auto a = generate("poisson2d 12");
  const auto made = factor(plan(a.pattern()), a.value(), *fast_);
  auto workspace = Workspace<double>::create(made, 1);
  for (const System system : {System::L, System::Lt}) {
    Values x = random_rhs(a.n(), 1);
    x[17] = x[143] = std::bit_cast<double>(~std::uint64_t{0});
    const Values b = x;
    made.solve(system, {b.data(), a.n(), 1, a.n()}, {x.data(), a.n(), 1, a.n()}, workspace);
    EXPECT_TRUE(std::isnan(x[17]));
  }
}

TEST_F(Sweeps, GiveNoNumbersWithoutAVerdict) {
  auto a = generate("poisson2d 9");
  Values value(a.value().begin(), a.value().end());
  const auto made = plan(a.pattern());
  auto out = Factor<double>::create(made, *fast_);
  auto workspace = Workspace<double>::create(out, 1);
  const Values b = random_rhs(a.n(), 1);
  const CallerArray<double> there(b), x(b);
  const CallerStream stream;
  const auto good = DeviceValues<double>::copy_of(value, *fast_);
  value[0] = -1;
  const auto bad = DeviceValues<double>::copy_of(value, *fast_);
  const auto solve_with = [&](const DeviceValues<double>& from) {
    enqueue_refactorize(out, from, 0.0, stream.get());
    out.enqueue_solve(DeviceMatrixView<const double>({there.data(), a.n(), 1, a.n()}),
                      DeviceMatrixView<double>({x.data(), a.n(), 1, a.n()}), workspace, stream.get());
    out.fetch_verdict(stream.get());
    return x.fetch();
  };
  const Values expected = solve(factor(made, a.value(), *fast_), b, 1, 1);
  for (int turn = 0; turn < 2; ++turn) {
    for (const double v : solve_with(bad)) EXPECT_TRUE(std::isnan(v));
    EXPECT_EQ(out.verdict().status, VerdictStatus::not_positive_definite);
    EXPECT_EQ(solve_with(good), expected);
  }
}

}  // namespace
}  // namespace kauri::test
