// Tests objects that allow one call at a time: a second call is an Error(usage), and the first call
// proceeds undisturbed.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/threads/one_call.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "kauri/kauri.hpp"
#include "numeric/backend.hpp"
#include "tests/support/process/many_threads.hpp"

namespace kauri {
namespace {

/// Returns whether f() throws an Error(usage) that mentions another call.
bool refused(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.kind() == ErrorKind::usage &&
           std::string(error.what()).find("another call on this") != std::string::npos;
  }
  return false;
}

TEST(OneCall, HoldsTheFlagForItsScope) {
  CallFlag flag;
  {
    const OneCall call(flag, "first", "thing");
    EXPECT_TRUE(refused([&] { const OneCall second(flag, "second", "thing"); }));
  }
  EXPECT_NO_THROW(const OneCall third(flag, "third", "thing"));
}

TEST(OneCall, SharedCallsRunTogetherAndWithNoOther) {
  CallFlag flag;
  const auto alone = [&] { const OneCall call(flag, "alone", "thing"); };
  {
    const SharedCall first(flag, "first", "thing");
    EXPECT_NO_THROW(const SharedCall second(flag, "second", "thing"));
    EXPECT_TRUE(refused(alone)) << "the first one is under way";
  }
  EXPECT_NO_THROW(alone());
  const OneCall call(flag, "alone", "thing");
  EXPECT_TRUE(refused([&] { const SharedCall third(flag, "third", "thing"); }));
}

/// Makes every call on a solver from its own handler and from another thread, while `call` is in
/// each of its phases.
TEST(OneCall, ASolverRefusesASecondOne) {
  const auto a = generate("poisson2d 12");
  const std::vector<double> b(static_cast<std::size_t>(a.n()), 1.0);
  Solver<double>* solver = nullptr;
  int asked = 0, said = 0;
  const auto ask = [&] {
    const std::function<void()> calls[] = {
        [&] { static_cast<void>(solver->compute(a.view())); },
        [&] { solver->analyze(a.pattern()); },
        [&] { static_cast<void>(solver->refactorize(a.value())); },
        [&] { static_cast<void>(solver->refactorize(a.view())); },
        [&] { static_cast<void>(solver->refactorize_shifted(1.0)); },
        [&] { static_cast<void>(solver->solve(b)); },
        [&] {
          std::vector<double> x(b.size());
          static_cast<void>(
              solver->solve(column_view<const double>(b), column_view<double>(x), {}));
        },
        [&] { solver->set_stop({}); }};
    for (const auto& call : calls) asked += 1, said += refused(call) ? 1 : 0;
  };
  SolverOptions options;
  options.on_message = [&](const Message&) {
    ask();
    std::thread(ask).join();
  };
  Solver<double> made(options);
  solver = &made;
  ASSERT_TRUE(made.compute(a.view()));
  const std::vector<double> x = made.solve(b);
  ASSERT_TRUE(made.refactorize(a.value()));
  EXPECT_EQ(made.solve(b), x);
  EXPECT_GT(asked, 100);
  EXPECT_EQ(said, asked);
}

TEST(OneCall, AFactorIsFilledByOne) {
  const auto a = generate("poisson2d 12");
  Backend backend = cpu_backend(1);
  auto factor = factorize<double>(analyze(a.pattern()), a.value(), backend);
  {
    const OneCall other(factor.value().store().fillings, "other", "factor");
    EXPECT_TRUE(
        refused([&] { static_cast<void>(refactorize<double>(factor.value(), a.value())); }));
    EXPECT_TRUE(factor.value().valid());
  }
  EXPECT_TRUE(refactorize<double>(factor.value(), a.value()));
}

/// Runs `call` in four threads: each result that is returned is right, and every other call is
/// refused.
void share(const std::function<bool()>& call) {
  std::atomic<int> right{0}, refusals{0}, wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int k = 0; k < 60; ++k) {
          bool good = false;
          if (refused([&] { good = call(); }))
            ++refusals;
          else
            ++(good ? right : wrong);
        }
      });
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(right, 0);
  EXPECT_EQ(right + refusals, 240);
}

class Shared : public ::testing::TestWithParam<int> {
 protected:
  const test::ManyThreads many{};
  const SymmetricMatrix<double> a = generate("poisson2d 60");
  const std::vector<double> b = std::vector<double>(static_cast<std::size_t>(a.n()), 1.0);
  Backend backend = cpu_backend(GetParam());
  const std::shared_ptr<const Plan> plan = analyze(a.pattern());
};

TEST_P(Shared, AWorkspace) {
  const auto factor = factorize<double>(plan, a.value(), backend);
  auto workspace = Workspace<double>::create(factor.value(), 1);
  std::vector<double> expected = b;
  factor.value().solve(column_view<double>(expected), workspace);
  share([&] {
    std::vector<double> x = b;
    factor.value().solve(column_view<double>(x), workspace);
    return x == expected;
  });
}

TEST_P(Shared, AMixedFactor) {
  auto factor = MixedFactor::create(a.pattern(), plan, backend);
  ASSERT_TRUE(factor.refactorize(a.value()));
  const auto solve = [&] {
    std::vector<double> x(b.size());
    return std::pair(factor.solve(column_view<const double>(b), column_view<double>(x)).ok(), x);
  };
  const auto expected = solve();
  share([&] { return solve() == expected; });
}

TEST_P(Shared, ASolver) {
  SolverOptions options;
  options.threads = GetParam();
  Solver<double> solver(options);
  ASSERT_TRUE(solver.compute(a.view()));
  const auto expected = solver.solve(b);
  share([&] { return solver.solve(b) == expected; });
}

TEST_P(Shared, SolvesOfASolverAllRun) {
  SolverOptions options;
  options.threads = GetParam();
  Solver<double> solver(options);
  ASSERT_TRUE(solver.compute(a.view()));
  const auto expected = solver.solve(b);
  std::atomic<int> right{0};
  share([&] {
    std::vector<double> x(b.size());
    solver.solve(column_view<const double>(b), column_view<double>(x), RefineOptions{});
    right += x == expected ? 1 : 0;
    return true;
  });
  EXPECT_EQ(right, 240) << "no call is refused";
}

TEST_P(Shared, ASelectedInverse) {
  const auto factor = factorize<double>(plan, a.value(), backend);
  auto inverse = SelectedInverse<double>::create(factor.value());
  share([&] {
    inverse.compute(factor.value());
    return true;
  });
  const auto expected = [&] {
    auto other = SelectedInverse<double>::create(factor.value());
    other.compute(factor.value());
    return other.diagonal();
  }();
  EXPECT_EQ(inverse.diagonal(), expected);
}

TEST_P(Shared, ASparseProduct) {
  auto product = SparseProduct<double>::create(a.view(), backend);
  std::vector<double> expected(b.size());
  product.multiply(1, column_view<const double>(b), 0, column_view<double>(expected));
  share([&] {
    std::vector<double> y(b.size());
    product.set_values(a.value());
    product.multiply(1, column_view<const double>(b), 0, column_view<double>(y));
    return y == expected;
  });
}

TEST_P(Shared, ARefiner) {
  const auto factor = factorize<double>(plan, a.value(), backend);
  auto refiner = Refiner<double>::create(a.pattern(), factor.value(), 1);
  refiner.set_values(DeviceValues<double>::borrow(a.value()));
  const auto refined = [&] {
    std::vector<double> x(b.size());
    auto workspace = Workspace<double>::create(factor.value(), 1);
    refiner.refine(factor.value(), DeviceMatrixView<const double>(column_view<const double>(b)),
                   DeviceMatrixView<double>(column_view<double>(x)), workspace);
    return x;
  };
  const auto expected = refined();
  share([&] {
    refiner.set_values(DeviceValues<double>::borrow(a.value()));
    return refined() == expected;
  });
}

TEST_P(Shared, AFusedSolve) {
  auto fused = FusedSolve<double>::create(a.pattern(), plan, backend);
  const auto solved = [&] {
    std::vector<double> x(b.size());
    EXPECT_TRUE(fused.solve(a.value(), column_view<const double>(b), column_view<double>(x)));
    return x;
  };
  const auto expected = solved();
  share([&] { return solved() == expected; });
  share([&] {  // solves with values on a device, and reads the verdict
    std::vector<double> x(b.size());
    EXPECT_TRUE(fused.solve(DeviceValues<double>::borrow(a.value()),
                            DeviceMatrixView<const double>(column_view<const double>(b)),
                            DeviceMatrixView<double>(column_view<double>(x))));
    static_cast<void>(fused.fetch_verdict(nullptr));
    return x == expected;
  });
}

TEST_P(Shared, AProductWithTheFactor) {
  const auto factor = factorize<double>(plan, a.value(), backend);
  auto workspace = Workspace<double>::create(factor.value(), 1);
  const auto multiplied = [&] {
    std::vector<double> y(b.size());
    factor.value().multiply(System::L, column_view<const double>(b), column_view<double>(y),
                            workspace);
    return y;
  };
  const auto expected = multiplied();
  share([&] { return multiplied() == expected; });
}

INSTANTIATE_TEST_SUITE_P(OneCall, Shared, ::testing::Values(1, 3));

}  // namespace
}  // namespace kauri
