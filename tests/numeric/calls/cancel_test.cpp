// Tests cancellation at any moment: a call throws Error(cancelled), leaks nothing, and leaves all
// its objects usable.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "tests/support/process/cancel.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/process/seeds.hpp"

namespace kauri {
namespace {

using test::cancel_often;
using test::cancelled;
using test::error_text;
using test::kCancelled;
using test::microseconds_of;
using test::StopAfter;
using test::stopped;

std::vector<double> ones(const SymmetricMatrix<double>& a) {
  return std::vector<double>(static_cast<std::size_t>(a.pattern().n), 1.0);
}

std::shared_ptr<const Plan> plan_of(const SymmetricMatrix<double>& a, int workers) {
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::nested_dissection;
  options.workers = workers;
  return analyze(a.pattern(), options);
}

class Cancel : public testing::Test {
 private:
  test::ManyThreads many_;
};

const std::vector<std::string> kSystems{"poisson2d 40", "poisson3d 14", "elast3d 6",
                                        "rgg3d 3000 12 1", "poisson2d 150"};

TEST_F(Cancel, Orderings) {
  for (const OrderingMethod method :
       {OrderingMethod::rcm, OrderingMethod::minimum_degree, OrderingMethod::amd,
        OrderingMethod::parallel_amd, OrderingMethod::nested_dissection}) {
    for (const std::string& system : kSystems)
      for (const int threads : {1, 4}) {
        const Graph graph(generate(system).pattern());
        OrderingOptions options{.method = method, .threads = threads};
        Permutation fresh;
        const std::int64_t whole = microseconds_of([&] { fresh = order(graph, options); });
        cancel_often(1, whole, [&](const std::stop_token& stop) {
          options.stop = stop;
          EXPECT_EQ(order(graph, options), fresh) << system;
        });
        options.stop = stopped();
        EXPECT_EQ(error_text(ErrorKind::cancelled, [&] { (void)order(graph, options); }),
                  kCancelled);
      }
  }
}

TEST_F(Cancel, OrderingsOfPieces) {
  const Graph graph(generate("poisson2d 90").pattern());
  OrderingOptions options{.method = OrderingMethod::nested_dissection, .threads = 2};
  const Permutation perm = order(graph, options);
  const SeparatorTree tree = separator_tree(graph, perm);
  const std::vector<Index> changed{4, 5000};
  const Permutation within = order_within(graph, perm, tree, options),
                    again = reorder(graph, perm, tree, changed, options);
  cancel_often(2, microseconds_of([&] { (void)order_within(graph, perm, tree, options); }),
               [&](const std::stop_token& stop) {
                 OrderingOptions with = options;
                 with.stop = stop;
                 EXPECT_EQ(order_within(graph, perm, tree, with), within);
                 EXPECT_EQ(reorder(graph, perm, tree, changed, with), again);
               });
  options.stop = stopped();
  EXPECT_EQ(
      error_text(ErrorKind::cancelled, [&] { (void)order_within(graph, perm, tree, options); }),
      kCancelled);
  EXPECT_EQ(
      error_text(ErrorKind::cancelled, [&] { (void)reorder(graph, perm, tree, changed, options); }),
      kCancelled);
}

TEST_F(Cancel, Analyses) {
  for (const std::string& system : kSystems)
    for (const int threads : {1, 3})
      for (const char* target : {"", "sm_90"}) {
        const SymmetricMatrix<double> a = generate(system);
        AnalyzeOptions options;
        options.ordering = {.method = OrderingMethod::automatic, .threads = threads};
        options.target = target;
        options.workers = 2;
        Analysis fresh;
        const std::int64_t whole =
            microseconds_of([&] { fresh = analyze_with_report(a.pattern(), options); });
        cancel_often(3, whole, [&](const std::stop_token& stop) {
          options.ordering.stop = stop;
          const Analysis analysis = analyze_with_report(a.pattern(), options);
          EXPECT_EQ(analysis.plan->perm, fresh.plan->perm);
          EXPECT_EQ(analysis.plan->supernodes.row, fresh.plan->supernodes.row);
        });
        options.ordering.stop = stopped();
        EXPECT_EQ(error_text(ErrorKind::cancelled, [&] { (void)analyze(a.pattern(), options); }),
                  kCancelled);
        EXPECT_EQ(error_text(ErrorKind::cancelled,
                             [&] { (void)compare_orderings(a.pattern(), options); }),
                  kCancelled);
        options.ordering.stop = {};
        const auto plan = analyze(a.pattern(), options);
        EXPECT_EQ(plan->perm, fresh.plan->perm);
        EXPECT_EQ(find_flaw(*plan), "");
      }
}

/// After a cancelled factorisation: the factor is as before if nothing was touched, else not valid.
/// solved(): a solution by it, `fresh` if it is as before.
template <class T, class Solved>
void expect_whole_or_invalid(const Factor<T>& factor, const Solved& solved,
                             const std::vector<T>& fresh) {
  if (factor.valid()) {
    EXPECT_EQ(solved(), fresh);
    return;
  }
  EXPECT_EQ(factor.verdict().status, VerdictStatus::none);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)solved(); }).rfind("solve: ", 0), 0U);
}

/// Holds one factor, which is refilled and solved with after each cancellation, and its memory
/// ledger.
template <class T>
void factor_and_solve(const std::string& system, int threads) {
  const SymmetricMatrix<double> a = generate(system);
  const std::vector<T> value(a.value().begin(), a.value().end());
  const SymmetricView<T> view{a.pattern(), value};
  Backend backend = cpu_backend(threads);
  const auto plan = plan_of(a, threads);
  Factor<T> factor = Factor<T>::create(plan, backend);
  Workspace<T> workspace = Workspace<T>::create(factor, 3);
  const Offset bytes = backend.bytes_in_use();
  const Index n = plan->n, columns = 5;  // solved in two blocks of columns
  const std::vector<T> b(static_cast<std::size_t>(n) * columns, T(1));
  std::vector<T> fresh = b, refined;
  const auto view_of = [&](std::vector<T>& x) { return MatrixView<T>{x.data(), n, columns, n}; };
  const MatrixView<const T> rhs{b.data(), n, columns, n};
  const auto solved = [&] {
    std::vector<T> x = b;
    factor.solve(view_of(x), workspace);
    return x;
  };
  const std::int64_t factor_us =
      microseconds_of([&] { ASSERT_TRUE(refactorize<T>(factor, value).ok()); });
  const std::int64_t solve_us = microseconds_of([&] { factor.solve(view_of(fresh), workspace); });
  refined = fresh;
  const RefineOptions refine_options{.max_steps = 3, .target = 1e-30, .stagnation = 0.5};
  const std::int64_t refine_us = microseconds_of(
      [&] { (void)refine<T>(view, factor, rhs, view_of(refined), workspace, refine_options); });

  cancel_often(4, factor_us, [&](const std::stop_token& stop) {
    try {
      ASSERT_TRUE(refactorize<T>(factor, value, 0, stop).ok());
    } catch (const Error&) {
      expect_whole_or_invalid<T>(factor, solved, fresh);
      throw;
    }
  });
  ASSERT_TRUE(refactorize<T>(factor, value).ok());
  cancel_often(5, solve_us, [&](const std::stop_token& stop) {
    std::vector<T> x = b;
    factor.solve(view_of(x), workspace, stop);
    EXPECT_EQ(x, fresh);
  });
  cancel_often(6, refine_us, [&](const std::stop_token& stop) {
    std::vector<T> x = fresh;
    RefineOptions options = refine_options;
    options.stop = stop;
    (void)refine<T>(view, factor, rhs, view_of(x), workspace, options);
    EXPECT_EQ(x, refined);
  });
  EXPECT_EQ(solved(), fresh);
  EXPECT_EQ(backend.bytes_in_use(), bytes);
}

TEST_F(Cancel, FactorsAndSolves) {
  for (const std::string system : {"poisson2d 40", "poisson3d 14", "elast3d 6", "poisson3d 20"})
    for (const int threads : {1, 2, 5}) {
      SCOPED_TRACE(system + ", threads: " + std::to_string(threads));
      factor_and_solve<double>(system, threads);
      if (threads == 2) factor_and_solve<float>(system, threads);
    }
}

/// Cancels solves in float, by conjugate gradients and with the factor in double anywhere; the
/// factor then repeats the solve with the same bits.
TEST_F(Cancel, MixedPrecision) {
  for (const int threads : {1, 3}) {
    const SymmetricMatrix<double> a = generate("poisson3d 14");
    Backend backend = cpu_backend(threads);
    const auto plan = plan_of(a, threads);
    MixedFactor mixed = MixedFactor::create(a.pattern(), plan, backend, 2);
    const Index n = a.n(), columns = 3;
    const std::vector<double> b(static_cast<std::size_t>(n) * columns, 1.0);
    const MatrixView<const double> rhs{b.data(), n, columns, n};
    std::vector<double> x(b.size());
    const MatrixView<double> to{x.data(), n, columns, n};
    for (const MixedSolveOptions& way : {MixedSolveOptions{}, MixedSolveOptions{.max_steps = 1},
                                         MixedSolveOptions{.max_steps = 1, .max_cg_steps = 0}}) {
      ASSERT_TRUE(mixed.refactorize(a.value()).ok());
      ASSERT_TRUE(mixed.solve(rhs, to, way).value().converged());
      const std::vector<double> fresh = x;
      const auto whole = [&](const std::stop_token& stop) {
        MixedSolveOptions options = way;
        options.stop = stop;
        ASSERT_TRUE(mixed.refactorize(a.value(), stop).ok());
        try {
          ASSERT_TRUE(mixed.solve(rhs, to, options).ok());
        } catch (const Error&) {
          EXPECT_TRUE(mixed.valid());
          ASSERT_TRUE(mixed.solve(rhs, to, way).ok());
          EXPECT_EQ(x, fresh);
          throw;
        }
        EXPECT_EQ(x, fresh);
      };
      cancel_often(9, microseconds_of([&] { whole({}); }), whole);
    }
    ASSERT_TRUE(mixed.refactorize(a.value()).ok());  // the last call may have been cancelled
    EXPECT_EQ(
        error_text(ErrorKind::cancelled, [&] { (void)mixed.refactorize(a.value(), stopped()); }),
        kCancelled);
    EXPECT_TRUE(mixed.valid());  // the cancelled call changed nothing
    EXPECT_EQ(
        error_text(ErrorKind::cancelled, [&] { (void)mixed.solve(rhs, to, {.stop = stopped()}); }),
        kCancelled);
  }
}

TEST_F(Cancel, BeforeTheStart) {
  const SymmetricMatrix<double> a = generate("poisson2d 20");
  Backend backend = cpu_backend(1);
  const auto plan = analyze(a.pattern());
  const auto refused = [](const std::function<void()>& f) {
    return error_text(ErrorKind::cancelled, f);
  };
  EXPECT_EQ(refused([&] { (void)factorize<double>(plan, a.value(), backend, 0, stopped()); }),
            kCancelled);
  Factor<double> factor = Factor<double>::create(plan, backend);
  ASSERT_TRUE(refactorize<double>(factor, a.value()).ok());
  Workspace<double> workspace = Workspace<double>::create(factor, 1);
  std::vector<double> x = ones(a);
  const std::vector<double> b = x;
  EXPECT_EQ(refused([&] { factor.solve(column_view(std::span(x)), workspace, stopped()); }),
            kCancelled);
  EXPECT_EQ(x, b);
  EXPECT_TRUE(factor.valid());
  EXPECT_EQ(
      refused([&] { (void)estimate_condition<double>(a.view(), factor, workspace, stopped()); }),
      kCancelled);
  EXPECT_EQ(refused([&] { (void)refactorize<double>(factor, a.view(), 0, stopped()); }),
            kCancelled);
  EXPECT_EQ(refused([&] { (void)refactorize_shifted<double>(factor, a.value(), 1, stopped()); }),
            kCancelled);
}

/// A wrong argument is reported before a cancellation, and a stop request after the work is done
/// changes nothing.
TEST_F(Cancel, OtherErrorsAndLateStops) {
  const SymmetricMatrix<double> a = generate("poisson2d 20");
  Backend backend = cpu_backend(2);
  Factor<double> factor = Factor<double>::create(analyze(a.pattern()), backend);
  EXPECT_NE(
      error_text(ErrorKind::usage,
                 [&] { (void)refactorize<double>(factor, a.value().first(3), 0, stopped()); }),
      "no Error");
  std::stop_source source;
  ASSERT_TRUE(refactorize<double>(factor, a.value(), 0, source.get_token()).ok());
  source.request_stop();
  EXPECT_TRUE(factor.valid());
}

TEST_F(Cancel, Solver) {
  for (const std::string& system : kSystems)
    for (const int threads : {1, 4}) {
      SCOPED_TRACE(system);
      const SymmetricMatrix<double> a = generate(system);
      const std::vector<double> b = ones(a);
      SolverOptions options;
      options.backend = BackendChoice::cpu;
      options.threads = threads;
      Solver<double> other(options), solver(options);
      std::vector<double> x;
      const std::int64_t whole = microseconds_of([&] {
        ASSERT_TRUE(other.compute(a.view()).ok());
        x = other.solve(b);
      });
      cancel_often(7, whole, [&](const std::stop_token& stop) {
        solver.set_stop(stop);
        ASSERT_TRUE(solver.compute(a.view()).ok());
        std::vector<double> y = b;
        try {
          solver.solve(column_view(std::span(y)));
        } catch (const Error&) {
          EXPECT_EQ(y, b);
          throw;
        }
        EXPECT_EQ(y, x);
      });
      solver.set_stop({});
      ASSERT_TRUE(solver.compute(a.view()).ok());
      EXPECT_EQ(solver.solve(b), x);
      cancel_often(8, whole / 2, [&](const std::stop_token& stop) {
        solver.set_stop(stop);
        ASSERT_TRUE(solver.refactorize(a.value()).ok());
      });
      solver.set_stop({});
      ASSERT_TRUE(solver.refactorize(a.value()).ok());
      EXPECT_EQ(solver.solve(b), x);
      EXPECT_EQ(solver.backend().bytes_in_use(), other.backend().bytes_in_use());
    }
}

/// Runs calls on one backend at once: each obeys its own token only, although a waiting thread may
/// run tasks of the other call.
TEST_F(Cancel, OnlyTheCallThatWasMeant) {
  const SymmetricMatrix<double> a = generate("poisson3d 16");
  Backend backend = cpu_backend(3);
  const auto plan = plan_of(a, 3);
  Factor<double> steady = Factor<double>::create(plan, backend),
                 shaky = Factor<double>::create(plan, backend);
  std::stop_source never;
  std::atomic<bool> done{false};
  std::thread beside([&] {
    for (std::uint32_t k = 0; !done.load(); ++k) {
      const StopAfter timer(100 + k % 997);
      cancelled([&] { (void)refactorize<double>(shaky, a.value(), 0, timer.token()); });
    }
  });
  for (std::uint32_t k = 0; k < test::seeds(96); ++k)
    EXPECT_EQ(
        error_text(ErrorKind::cancelled,
                   [&] {
                     ASSERT_TRUE(refactorize<double>(steady, a.value(), 0, never.get_token()).ok());
                   }),
        "no Error");
  done = true;
  beside.join();
  ASSERT_TRUE(refactorize<double>(shaky, a.value()).ok());
  for (Index j = 0; j < plan->n; j += 17)
    EXPECT_EQ(shaky.entry(plan->n - 1, j), steady.entry(plan->n - 1, j));
}

}  // namespace
}  // namespace kauri
