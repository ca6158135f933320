// Tests fast solves of several right-hand sides, on a CUDA device and on the emulated one: against
// plain solves level by level, and by the backward error of each column.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/numeric/cuda/solve/multi_sweeps.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/graph_families.hpp"
#include "tests/support/systems/near_singular.hpp"

namespace kauri::test {
namespace {

class MultiSweeps : public MultiSweepsOf<double> {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    CudaOptions options = options_of(32, GetParam().columns);
    fast_.emplace(cuda_backend(options));
    options.fast_solve = false;
    plain_.emplace(cuda_backend(options));
  }
  /// Expects that each column agrees with the plain solve, and that a second solve has equal bits.
  void check(const SymmetricView<double>& a, const std::shared_ptr<const Plan>& plan,
             const std::vector<Index>& numbers, bool well_conditioned = true) {
    ASSERT_GT(plan->internals->device.sweeps.bytes, 0);
    const Index n = a.pattern.n;
    const auto fast = factor(plan, a.value, *fast_), plain = factor(plan, a.value, *plain_);
    for (const Index columns : numbers) {
      SCOPED_TRACE(columns);
      if (is_seen(columns)) continue;
      const Values b = random_rhs(n, columns), x = solve(fast, b, columns, columns),
                   expected = solve(plain, b, columns, columns);
      EXPECT_TRUE(solve(fast, b, columns, columns) == x);
      for (Index c = 0; c < columns; ++c)
        check_column(a, &b[at(n, c)], &x[at(n, c)], &expected[at(n, c)], well_conditioned);
    }
  }
  /// Returns whether another parameter covers this number of columns: up to 8 columns there is one
  /// kind of group, and the emulated device, which is slow, runs it once.
  [[nodiscard]] bool is_seen(Index columns) const {
    return columns <= 8 && GetParam().columns == 32 && fast_->device() == "emulated";
  }
  /// Checks fronts so large that several tasks compute one sum.
  void check_long_sums(const std::vector<Index>& parts) {
    const auto dense = near_singular({"", parts}, 1);
    const auto made = plan_of(dense.pattern(), OrderingMethod::natural, false);
    ASSERT_GT(made->internals->device.sweeps.forward_parts, 0);
    ASSERT_GT(made->internals->device.sweeps.backward_parts, 0);
    const Values value = random_dominant<double>(dense.pattern(), 3);
    check({dense.pattern(), value}, made, {8, 20});
  }
  void check_column(const SymmetricView<double>& a, const double* b, const double* x,
                    const double* expected, bool well_conditioned) {
    const Index n = a.pattern.n;
    const auto error = [&](const double* solution) {
      return backward_error<double>(a, {solution, n, 1, n}, {b, n, 1, n}, cpu_).componentwise;
    };
    EXPECT_LE(error(x), std::max(4e-15, 4 * error(expected)));
    if (!well_conditioned) return;
    double largest = 0, difference = 0;
    for (Index i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      difference = std::max(difference, std::abs(x[i] - expected[i]));
    }
    EXPECT_LE(difference, 1e-9 * largest);
  }
  /// Checks solves on the caller's stream before the verdict is known, from b to x on the device,
  /// with different leading dimensions.
  void check_verdicts(const SymmetricMatrix<double>& a) {
    const auto made = plan_of(a.pattern(), OrderingMethod::amd);
    const Index n = a.n();
    Values value(a.value().begin(), a.value().end());
    const auto good = DeviceValues<double>::copy_of(value, *fast_);
    value[a.pattern().col_ptr[40]] = -1;
    const auto bad = DeviceValues<double>::copy_of(value, *fast_);
    auto out = Factor<double>::create(made, *fast_);
    const CallerStream stream;
    for (const Index columns : {3, 10, 33}) {
      const Values b = random_rhs(n, columns);
      const CallerArray<double> there(b),
          x(Values(static_cast<std::size_t>(n + 2) * static_cast<std::size_t>(columns), 5.0));
      auto workspace = Workspace<double>::create(out, columns);
      const auto solve_with = [&](const DeviceValues<double>& from) {
        enqueue_refactorize(out, from, 0.0, stream.get());
        out.enqueue_solve(DeviceMatrixView<const double>({there.data(), n, columns, n + kApart}),
                          DeviceMatrixView<double>({x.data(), n, columns, n + 2}), workspace,
                          stream.get());
        out.fetch_verdict(stream.get());
        return x.fetch();
      };
      const Values nothing = solve_with(bad);
      for (Index c = 0; c < columns; ++c)
        for (Index k = 0; k < n + 2; ++k)
          EXPECT_EQ(std::isnan(nothing[static_cast<std::size_t>(c) * (n + 2) + k]), k < n)
              << c << " " << k;
      const Values found = solve_with(good),
                   expected = solve(factor(made, a.value(), *fast_), b, columns, columns);
      for (Index c = 0; c < columns; ++c)
        for (Index k = 0; k < n; ++k)
          EXPECT_EQ(found[static_cast<std::size_t>(c) * (n + 2) + k], expected[at(n, c) + k])
              << c << " " << k;
      EXPECT_EQ(there.fetch(), b);
    }
  }

  std::optional<Backend> plain_, fast_;
  Backend cpu_ = cpu_backend(1);
};

TEST_P(MultiSweeps, SolveAsThePlainOnesDo) {
  const bool emulated = fast_->device() == "emulated";
  const std::vector<Index> numbers = {8, 2, 9, 32};
  std::size_t turn = 0;
  for (const char* spec : {"poisson2d 1", "poisson2d 20", "poisson3d 7", "tree 400 1",
                           "blockdiag 360 30", "blockdiag 260 130", "rgg3d 300 8 1"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    const auto plan = plan_of(a.pattern(), OrderingMethod::amd);
    check(a.view(), plan,
          emulated ? std::vector<Index>{numbers[turn++ % numbers.size()]}
                   : numbers);  // it is slow: systems take turns
  }
}

TEST_P(MultiSweeps, SolvePathsOfFronts) {
  for (const char* spec : {"poisson2d 7", "elast3d 4"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    check(a.view(), plan_of(a.pattern(), OrderingMethod::natural, false), {3, 17});
  }
}

TEST_P(MultiSweeps, TakeAnyNumberOfColumns) {
  const auto a = generate("poisson3d 6");
  const bool emulated = fast_->device() == "emulated";  // slow
  check(a.view(), plan_of(a.pattern(), OrderingMethod::amd),
        emulated ? std::vector<Index>{1, 3, 7, 9, 16, 31, 34}
                 : std::vector<Index>{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 32, 33, 34, 40, 65});
}

TEST_P(MultiSweeps, TakePatternsOfManySeeds) {
  const std::uint64_t seeds = fast_->device() == "emulated" ? 6 : 12;  // it is slow
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    const auto a = generate("rgg3d " + std::to_string(20 * seed * seed % 700 + 1) + " " +
                            std::to_string(4 + seed % 9) + " " + std::to_string(seed));
    check(a.view(),
          plan_of(a.pattern(), seed % 3 == 0 ? OrderingMethod::natural : OrderingMethod::amd,
                  seed % 2 == 0),
          {static_cast<Index>(2 + seed % 7), static_cast<Index>(9 + 2 * seed)});
  }
}

/// The fronts have more tiles of pivots than a task takes, so sums have parts in both directions,
/// in fronts without and with rows below.
TEST_P(MultiSweeps, DivideLongSums) { check_long_sums({850, 130}); }
TEST_P(MultiSweeps, DivideLongSumsOfOneFrontOrOfAChild) {
  check_long_sums({900});
  check_long_sums({60, 1200});
}

/// The fronts are those of sweep_test.cpp: all edges of tiles, inverses of one to four rows of
/// blocks, with corrections and without.
TEST_P(MultiSweeps, TakeFrontsOfEveryNumberOfCells) {
  for (const Index below : {70, 100}) {
    const auto a = near_singular({"", {3, 8, 9, 17, 25, 33, 41, 49, 57, 64, below}}, 1);
    const auto made = plan_of(a.pattern(), OrderingMethod::natural, false);
    ASSERT_EQ(made->internals->device.small_fronts, 0);
    check(a.view(), made, {2, 32}, false);
    const Values value = random_dominant<double>(a.pattern(), 3);
    check({a.pattern(), value}, made, {7, 32});
  }
}

/// One pivot tile lies above so many rows that a task takes several tile rows with one input, of
/// its own front and of others.
TEST_P(MultiSweeps, TakeFrontsOfOneTileAndManyRows) {
  for (const Index pivots : {30, 64}) {
    const auto a = near_singular({"", {pivots, pivots, 1100}}, 1);
    const Values value = random_dominant<double>(a.pattern(), 3);
    check({a.pattern(), value}, plan_of(a.pattern(), OrderingMethod::natural, false), {4, 32});
  }
}

TEST_P(MultiSweeps, GatherTheRowsOfManyChildren) {
  const auto pattern = hubs_and_cube(6000, 4, 5);
  const Values value = random_dominant<double>(pattern.view(), 3);
  check({pattern.view(), value}, plan_of(pattern.view(), OrderingMethod::amd, false), {5, 32});
}

TEST_P(MultiSweeps, CorrectNearlySingularTiles) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed)
    for (const Index order : {70, 130, 200}) {
      const auto a = near_singular({"", {order, 90}}, seed);
      check(a.view(), plan_of(a.pattern(), OrderingMethod::natural, false), {3, 20}, false);
    }
}

/// The bits of a column depend neither on its neighbours nor on their number, if the same kernel
/// solves them.
TEST_P(MultiSweeps, ColumnsAreApart) {
  const auto a = generate("blockdiag 300 100");
  const auto made = factor(plan_of(a.pattern(), OrderingMethod::amd), a.value(), *fast_);
  for (const Index columns : {8, 32}) {
    if (is_seen(columns)) continue;
    const Values b = random_rhs(a.n(), columns), x = solve(made, b, columns, columns);
    Values some(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(at(a.n(), columns - 3)));
    some[at(a.n(), 1) + 7] = std::numeric_limits<double>::quiet_NaN();
    const Values y = solve(made, some, columns - 3, columns);
    for (Index c = 0; c < columns - 3; ++c)
      EXPECT_EQ(std::equal(&x[at(a.n(), c)], &x[at(a.n(), c) + a.n()], &y[at(a.n(), c)]), c != 1)
          << c;
    EXPECT_TRUE(std::isnan(y[at(a.n(), 1) + 7]));
  }
}

TEST_P(MultiSweeps, PartsOfSolvesAreThoseOfTheWhole) { check_parts(*fast_); }
TEST_P(MultiSweeps, NumbersOfEveryKindComeThrough) { check_numbers(*fast_); }
TEST_P(MultiSweeps, TakeTheBytesThatAreSaid) { check_bytes(); }

TEST(SolvesTogether, OtherNumbersOfColumnsAreRefused) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  CudaOptions options;
  options.solves_together = 5;
  EXPECT_NE(error_text(ErrorKind::usage, [&] { (void)cuda_backend(options); })
                .find("solves_together is 5"),
            std::string::npos);
  options.solves_together = 32, options.group_columns = 4;
  EXPECT_NE(
      error_text(ErrorKind::usage, [&] { (void)cuda_backend(options); }).find("group_columns is 4"),
      std::string::npos);
}

/// Groups of 16 and of 32 columns sum update rows in another order than groups of 8, which kauri
/// chooses if rows and entries of L are few.
TEST_P(MultiSweeps, AreDoneByTheTeamsAskedFor) {
  const auto pattern = hubs_and_cube(1200, 3, 3);
  const Values value = random_dominant<double>(pattern.view(), 3);
  const auto made = plan_of(pattern.view(), OrderingMethod::amd, false);
  Backend automatic = cuda_backend(options_of(32, 0)), by_four = cuda_backend(options_of(32, 8));
  const auto asked = factor(made, value, *fast_), unasked = factor(made, value, automatic),
             eights = factor(made, value, by_four);
  const Values b = random_rhs(made->n, 20), x = solve(unasked, b, 20, 20);
  EXPECT_FALSE(solve(asked, b, 20, 20) == x);
  EXPECT_TRUE(solve(eights, b, 20, 20) == x);
}

/// With four groups of 8, each column has the bits of a solve of 8 columns by the same kernel.
TEST_P(MultiSweeps, OfFourTeamsHaveTheBitsOfEightColumns) {
  if (GetParam().columns != 16) return;  // one parameter of each kind is enough
  Backend eights = cuda_backend(options_of(32, 8));
  for (const char* spec : {"poisson2d 20", "blockdiag 260 130", "elast3d 4"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    const auto made = plan_of(a.pattern(), OrderingMethod::amd);
    const auto out = factor(made, a.value(), eights);
    for (const Index columns : {9, 30}) {
      const Values b = random_rhs(a.n(), columns), x = solve(out, b, columns, columns);
      for (Index c = 0; c < columns; c += 8) {
        const Index some = std::min<Index>(columns - c, 8);
        const auto first = static_cast<std::ptrdiff_t>(at(a.n(), c)),
                   end = static_cast<std::ptrdiff_t>(at(a.n(), c + some));
        Values part(b.begin() + first, b.begin() + end);
        if (some == 1)
          part.resize(2 * part.size(), 0.0);  // otherwise another kernel would solve it alone
        const Values own = solve(out, part, std::max<Index>(some, 2), 8);
        EXPECT_TRUE(std::equal(x.begin() + first, x.begin() + end, own.begin()))
            << columns << " " << c;
      }
    }
  }
}

/// The reader of a number unsets it again, so solves of every width, and of parts, can follow one
/// another in one workspace.
TEST_P(MultiSweeps, FollowOneAnotherInOneWorkspace) {
  const auto check_all = [&](const SymmetricView<double>& a,
                             const std::shared_ptr<const Plan>& made) {
    const auto out = factor(made, a.value, *fast_);
    const Index n = a.pattern.n;
    auto shared = Workspace<double>::create(out, 32);
    // On the emulated device large systems run System::A only, which includes the other two.
    const bool few = n > 100 && fast_->device() == "emulated";
    for (const Index columns : {32, 1, 5, 33}) {
      for (const System system :
           few ? std::vector{System::A} : std::vector{System::L, System::A, System::Lt}) {
        const Values b = random_rhs(n, columns);
        Values x = b, expected = b;
        auto own = Workspace<double>::create(out, 32);
        out.solve(system, {b.data(), n, columns, n + kApart}, {x.data(), n, columns, n + kApart},
                  shared);
        out.solve(system, {b.data(), n, columns, n + kApart},
                  {expected.data(), n, columns, n + kApart}, own);
        EXPECT_TRUE(x == expected) << n << " " << columns << " " << static_cast<int>(system);
      }
    }
  };
  for (const char* spec : {"poisson2d 20", "blockdiag 260 130", "elast3d 4"}) {
    const auto a = generate(spec);
    check_all(a.view(), plan_of(a.pattern(), OrderingMethod::amd));
  }
  const auto hubs = hubs_and_cube(1200, 3, 3);
  const Values value = random_dominant<double>(hubs.view(), 3);
  check_all({hubs.view(), value}, plan_of(hubs.view(), OrderingMethod::amd, false));
}

TEST_P(MultiSweeps, GiveNoNumbersWithoutAVerdict) {
  for (const char* spec : {"poisson2d 9", "blockdiag 260 130"}) {  // narrow fronts, and tiles
    SCOPED_TRACE(spec);
    check_verdicts(generate(spec));
  }
}

INSTANTIATE_TEST_SUITE_P(Teams, MultiSweeps,
                         ::testing::Values(Teams{"hopper16", 16, false, CudaCompute::automatic},
                                           Teams{"hopper32", 32, false, CudaCompute::automatic},
                                           Teams{"tensor16", 16, true, CudaCompute::tensor},
                                           Teams{"tensor32", 32, true, CudaCompute::tensor},
                                           Teams{"fma16", 16, true, CudaCompute::fma},
                                           Teams{"fma32", 32, true, CudaCompute::fma}),
                         [](const auto& teams) { return teams.param.name; });

}  // namespace
}  // namespace kauri::test
