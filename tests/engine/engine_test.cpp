// Engine: its steps in order and out of order, failed factorisations, threads that solve while
// another one factorises, values that are copied or borrowed, and engines that share an analysis.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/engine/engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "kauri/kauri.hpp"

namespace kauri {
namespace {

/// A system of which symbolic() makes an analysis on the CPU.
class Engines : public ::testing::Test {
 protected:
  std::shared_ptr<Symbolic> symbolic(int scalar_bytes = sizeof(double)) const {
    SolverOptions options;
    options.backend = BackendChoice::cpu;
    options.threads = 2;
    auto made = std::make_shared<Symbolic>(options, scalar_bytes);
    made->analyze(made->options.analyze, 1, [&](const AnalyzeOptions& offered) {
      return analyze_with_report(a.pattern(), offered);
    });
    return made;
  }

  std::vector<double> solved(Engine<double>& engine, int corrections = 2) const {
    std::vector<double> x(b.size());
    EXPECT_TRUE(engine.solve(System::A, column_view<const double>(b), column_view<double>(x),
                             {.corrections = corrections}));
    return x;
  }

  const SymmetricMatrix<double> a = generate("poisson2d 30");
  const std::vector<double> b = std::vector<double>(static_cast<std::size_t>(a.n()), 1.0);
};

/// Expects f() to throw an Error of this kind.
template <class F>
void refused(ErrorKind kind, const F& f) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
  }
}

std::stop_token stopped() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

/// The steps of a job one after another; what each leaves.
TEST_F(Engines, StepsFollowEachOther) {
  SolverOptions options;
  options.backend = BackendChoice::cpu;
  options.threads = 1;
  const auto shared = std::make_shared<Symbolic>(options, static_cast<int>(sizeof(double)));
  Engine<double> engine(shared);
  EXPECT_FALSE(shared->analysis.plan);
  EXPECT_EQ(shared->options.analyze.workers, 1);

  engine.analyze(a.pattern(), {});
  ASSERT_TRUE(shared->analysis.plan);
  EXPECT_EQ(engine.report().nnz_l, shared->analysis.plan->cost.nnz_l);
  EXPECT_EQ(shared->prepared(), nullptr);
  EXPECT_FALSE(engine.is_prepared());

  const PreparedPlan* prepared = &shared->prepare();
  EXPECT_EQ(shared->prepared(), prepared);
  EXPECT_EQ(&shared->prepare(), prepared);
  engine.prepare();
  EXPECT_TRUE(engine.is_prepared());
  EXPECT_FALSE(engine.valid());
  EXPECT_EQ(engine.fillings(), 0U);

  ASSERT_TRUE(engine.factorize(a.value(), 0.0, {}));
  EXPECT_TRUE(engine.valid());
  EXPECT_GT(engine.report().smallest_pivot, 0);
  EXPECT_EQ(engine.verdict().smallest_pivot, engine.report().smallest_pivot);
  EXPECT_EQ(engine.report().factor.flops, shared->analysis.plan->cost.flops);

  std::vector<double> x = b;
  ASSERT_TRUE(engine.solve_in_place(column_view<double>(x), {.corrections = 2}));
  EXPECT_EQ(x, solved(engine));
  EXPECT_EQ(engine.report().status, SolveStatus::ok);
  EXPECT_EQ(engine.report().right_hand_sides, 1);
  ASSERT_TRUE(engine.solve(System::A, column_view<const double>(b), column_view<double>(x), {}));
  EXPECT_EQ(engine.report().status, SolveStatus::none);
  EXPECT_GE(engine.condition({}).condition(), 1);

  engine.analyze(a.pattern(), {});
  EXPECT_FALSE(engine.is_prepared());
  EXPECT_FALSE(engine.valid());
  EXPECT_EQ(engine.report().factor.flops, 0);
}

TEST_F(Engines, CallsInTheWrongOrderAreRefused) {
  Engine<double> engine(symbolic());
  std::vector<double> x = b;
  const auto solve = [&] { static_cast<void>(solved(engine)); };
  const auto read = [&] { engine.read([](const Factor<double>&) {}); };
  refused(ErrorKind::usage, solve);
  refused(ErrorKind::usage, read);
  refused(ErrorKind::usage, [&] { static_cast<void>(engine.factorize(a.value(), 0.0, {})); });
  refused(ErrorKind::usage,
          [&] { static_cast<void>(engine.factorize({.value = a.value()}, 0.0, {}, {})); });
  refused(ErrorKind::usage, [&] { static_cast<void>(engine.factorize_shifted(1.0, {})); });
  refused(ErrorKind::usage,
          [&] { static_cast<void>(engine.solve_in_place(column_view<double>(x), {})); });
  refused(ErrorKind::usage, [&] { static_cast<void>(engine.condition({})); });
  refused(ErrorKind::usage, [&] { static_cast<void>(engine.worst_pivot()); });
  refused(ErrorKind::usage, [&] { engine.set_values(a.value()); });
  EXPECT_EQ(engine.fillings(), 0U);

  engine.prepare();
  refused(ErrorKind::usage, solve);
  refused(ErrorKind::usage, [&] { static_cast<void>(engine.factorize_shifted(1.0, {})); });
  refused(ErrorKind::usage, [&] { engine.set_values(a.value().first(3)); });
  EXPECT_EQ(engine.worst_pivot(), std::nullopt);

  SolverOptions options;
  options.backend = BackendChoice::cpu;
  Engine<double> unplanned(std::make_shared<Symbolic>(options, static_cast<int>(sizeof(double))));
  refused(ErrorKind::usage, [&] { unplanned.prepare(); });

  Engine<double> mixed(symbolic(sizeof(float)), Precision::mixed);
  mixed.prepare();
  ASSERT_TRUE(mixed.factorize(a.value(), 0.0, {}));
  refused(ErrorKind::usage, [&] { static_cast<void>(mixed.condition({})); });
  refused(ErrorKind::usage, [&] { mixed.read([](const Factor<double>&) {}); });
}

/// A breakdown leaves the values of the failed call and no factor; a call that fails while it
/// factorises leaves the values before and no factor; a call that is refused leaves all.
TEST_F(Engines, FailedFactorisationsLeaveWhatTheHeaderSays) {
  Engine<double> engine(symbolic());
  engine.prepare();
  const std::vector<double> values(a.value().begin(), a.value().end());
  std::vector<double> doubled = values, bad = values;
  for (double& v : doubled) v *= 2;
  bad[5] = 0.0 / 0.0;
  ASSERT_TRUE(engine.factorize(doubled, 0.0, {}));
  const std::vector<double> half = solved(engine);
  const auto factorize = [&](std::span<const double> value, const std::stop_token& stop) {
    static_cast<void>(engine.factorize(value, 0.0, stop));
  };

  refused(ErrorKind::usage, [&] { factorize(a.value().first(3), {}); });
  refused(ErrorKind::cancelled, [&] { factorize(values, stopped()); });
  EXPECT_TRUE(engine.valid());
  EXPECT_EQ(solved(engine), half);
  EXPECT_EQ(engine.values(), doubled);
  EXPECT_TRUE(engine.can_shift());

  const double seconds = engine.report().factor.seconds;
  refused(ErrorKind::input, [&] { factorize(bad, {}); });
  EXPECT_FALSE(engine.valid());
  EXPECT_FALSE(engine.can_shift());
  EXPECT_EQ(engine.values(), doubled);
  EXPECT_EQ(engine.report().factor.seconds, seconds);
  refused(ErrorKind::usage, [&] { static_cast<void>(solved(engine)); });

  const Result<void, Breakdown> failed = engine.factorize(values, -100.0, {});
  ASSERT_FALSE(failed);
  EXPECT_FALSE(engine.valid());
  EXPECT_EQ(engine.verdict().status, VerdictStatus::not_positive_definite);
  refused(ErrorKind::usage, [&] { static_cast<void>(solved(engine)); });
  ASSERT_TRUE(engine.factorize_shifted(0.0, {}));
  EXPECT_EQ(engine.values(), values);
  ASSERT_TRUE(engine.factorize(doubled, 0.0, {}));
  EXPECT_EQ(solved(engine), half);
}

/// Solves that are cancelled leave B in place and the factor valid.
TEST_F(Engines, ACancelledSolveLeavesFactorAndRightHandSide) {
  Engine<double> engine(symbolic());
  engine.prepare();
  ASSERT_TRUE(engine.factorize(a.value(), 0.0, {}));
  std::vector<double> x = b;
  refused(ErrorKind::cancelled, [&] {
    static_cast<void>(
        engine.solve_in_place(column_view<double>(x), {.corrections = 2, .stop = stopped()}));
  });
  EXPECT_EQ(x, b);
  EXPECT_TRUE(engine.valid());
  EXPECT_EQ(engine.report().status, SolveStatus::none);
}

/// Threads that solve without pause do not keep a filling out.
TEST_F(Engines, ThreadsSolveWhileOneFactorises) {
  Engine<double> engine(symbolic());
  engine.prepare();
  ASSERT_TRUE(engine.factorize(a.value(), 1.0, {}));
  const std::vector<double> shifted = solved(engine);
  ASSERT_TRUE(engine.factorize(a.value(), 0.0, {}));
  const std::vector<double> plain = solved(engine);
  ASSERT_NE(plain, shifted);

  constexpr int kFillings = 20, kMostSolves = 1000 * kFillings;
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0}, right{0};
  int in_time = 0;  // fillings that ended before kMostSolves solves
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        while ((!done || right < 3) && right + wrong < kMostSolves) {
          const std::vector<double> x = solved(engine);
          ++(x == plain || x == shifted ? right : wrong);
        }
      });
    for (int k = 0; k < kFillings; ++k) {
      EXPECT_TRUE(engine.factorize(a.value(), k % 2, {}));
      in_time += right + wrong < kMostSolves;
    }
    done = true;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(right, 3);
  EXPECT_EQ(in_time, kFillings);
  EXPECT_EQ(engine.fillings(), 22U);
  EXPECT_EQ(engine.report().status, SolveStatus::ok);
}

TEST_F(Engines, BorrowedValuesGiveTheSameBits) {
  Engine<double> copied(symbolic()), borrowed(symbolic());
  for (Engine<double>* engine : {&copied, &borrowed}) engine->prepare();
  auto owner = std::make_shared<const std::vector<double>>(a.value().begin(), a.value().end());
  ASSERT_TRUE(copied.factorize(*owner, 0.5, {}));
  ASSERT_TRUE(borrowed.factorize({.value = *owner, .owner = owner}, 0.5, {}, {}));
  EXPECT_EQ(owner.use_count(), 2);
  EXPECT_EQ(solved(copied), solved(borrowed));
  EXPECT_EQ(copied.values(), borrowed.values());
  ASSERT_TRUE(borrowed.factorize({.value = *owner, .owner = owner}, 0.0, {}, {}));
  EXPECT_EQ(borrowed.values(), *owner);
  EXPECT_EQ(borrowed.worst_pivot()->ratio(), [&] {
    EXPECT_TRUE(copied.factorize(*owner, 0.0, {}));
    return copied.worst_pivot()->ratio();
  }());
  ASSERT_TRUE(borrowed.factorize(*owner, 0.5, {}));
  EXPECT_EQ(owner.use_count(), 1);
}

TEST_F(Engines, AnotherShiftTakesTheSameValues) {
  Engine<double> engine(symbolic());
  engine.prepare();
  EXPECT_FALSE(engine.can_shift());
  EXPECT_FALSE(engine.factorize(a.value(), -100.0, {}));
  EXPECT_FALSE(engine.valid());
  ASSERT_TRUE(engine.factorize_shifted(0.0, {}));
  const std::vector<double> x = solved(engine);
  ASSERT_TRUE(engine.factorize(a.value(), 0.0, {}));
  EXPECT_EQ(solved(engine), x);
  EXPECT_THROW(static_cast<void>(engine.factorize_shifted(0.0 / 0.0, {})), Error);
  EXPECT_TRUE(engine.can_shift());
  EXPECT_EQ(engine.values(), std::vector<double>(a.value().begin(), a.value().end()));
  ASSERT_TRUE(engine.factorize({.value = a.value()}, 0.0, {}, {}));
  EXPECT_FALSE(engine.can_shift());
}

TEST_F(Engines, SharedPlansAreAnalysedOnce) {
  const auto shared = symbolic(sizeof(float));
  shared->prepare();
  Engine<float> in_float(shared);
  Engine<double> mixed(shared, Precision::mixed);
  in_float.prepare();
  mixed.prepare();
  const std::vector<float> rounded(a.value().begin(), a.value().end());
  ASSERT_TRUE(in_float.factorize(rounded, 0.0F, {}));
  ASSERT_TRUE(mixed.factorize(a.value(), 0.0, {}));
  EXPECT_EQ(mixed.report().precision, Precision::mixed);
  EXPECT_EQ(in_float.report().scalar_bytes, 4);
  const std::vector<double> x = solved(mixed);
  EXPECT_EQ(mixed.report().status, SolveStatus::ok);
  Engine<double> full(symbolic());
  full.prepare();
  ASSERT_TRUE(full.factorize(a.value(), 0.0, {}));
  const std::vector<double> y = solved(full);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-9 * std::abs(y[i]));
}

TEST_F(Engines, AnAdoptedFactorHasNoValuesUntilTheyAreSet) {
  Engine<double> source(symbolic()), engine(symbolic());
  source.prepare();
  ASSERT_TRUE(source.factorize(a.value(), 0.0, {}));
  engine.adopt(source.read([&](const Factor<double>& factor) {
    return load_factor<double>(save_factor(factor), engine.symbolic().backend());
  }));
  EXPECT_TRUE(engine.valid());
  EXPECT_THROW(solved(engine), Error);
  std::vector<double> x = b;
  const auto solve_in_place = [&](int corrections) {
    (void)engine.solve_in_place(column_view<double>(x), {.corrections = corrections});
  };
  refused(ErrorKind::usage, [&] { solve_in_place(2); });
  EXPECT_EQ(x, b);
  EXPECT_EQ(engine.report().right_hand_sides, 0);  // nothing was solved
  engine.set_values(std::span<const double>{});
  EXPECT_TRUE(engine.values().empty());
  EXPECT_THROW(solved(engine), Error);
  engine.set_values(a.value());
  EXPECT_EQ(solved(engine), solved(source));
  solve_in_place(2);
  EXPECT_EQ(x, solved(source));
}

/// The backend holds the values of the last factorisation, not the values that set_values() took.
TEST_F(Engines, NoShiftOfValuesThatWereNotFactorised) {
  Engine<double> engine(symbolic());
  engine.prepare();
  ASSERT_TRUE(engine.factorize(a.value(), 0.0, {}));
  ASSERT_TRUE(engine.factorize_shifted(1.0, {}));
  engine.set_values(a.value());
  EXPECT_THROW((void)engine.factorize_shifted(1.0, {}), Error);
}

/// A solve of several parts reports the worst of them.
TEST_F(Engines, TheWorstStatusOfPartsStays) {
  Engine<double> engine(symbolic());
  engine.prepare();
  ASSERT_TRUE(engine.factorize(a.value(), 0.0, {}));
  std::vector<double> bad = b, x(b.size());
  bad[3] = 0.0 / 0.0;
  const auto solve = [&](const std::vector<double>& right, Index before) {
    EXPECT_TRUE(engine.solve(System::A, column_view<const double>(right), column_view<double>(x),
                             {.corrections = 1, .before = before}));
    return engine.report().status;
  };
  EXPECT_EQ(solve(bad, 0), SolveStatus::not_finite);
  EXPECT_EQ(solve(b, 1), SolveStatus::not_finite);
  EXPECT_NE(engine.report().status_reason.find("entry (3, 0)"), std::string::npos);
  EXPECT_EQ(solve(b, 0), SolveStatus::ok);
}

}  // namespace
}  // namespace kauri
