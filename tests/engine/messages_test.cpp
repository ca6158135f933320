// Messages of a Solver: in order, from the caller's thread, with fractions of the work; and what a
// handler may do.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/progress/meter.hpp"
#include "kauri/kauri.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/many_threads.hpp"

namespace kauri {
namespace {

using test::error_text;

std::string label(const Message& message) {
  std::string text =
      std::string(name_of(message.level)) + " " + std::string(name_of(message.phase));
  if (message.fraction)
    text += " " + std::to_string(static_cast<int>(100 * *message.fraction)) + " %";
  return text;
}

TEST(Messages, InOrderFromTheCallersThread) {
  const test::ManyThreads many;
  for (const int threads : {1, 5}) {
    std::vector<std::string> told;
    SolverOptions options;
    options.backend = BackendChoice::cpu;
    options.threads = threads;
    options.on_message = [&, caller = std::this_thread::get_id()](const Message& message) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      EXPECT_FALSE(message.text.empty());
      EXPECT_EQ(message.text.find('\n'), std::string::npos);
      told.push_back(label(message));
    };
    options.analyze.ordering.method = OrderingMethod::amd;
    Solver<double> solver(options);
    const SymmetricMatrix<double> a = generate("poisson3d 12");
    ASSERT_TRUE(solver.compute(a.view()).ok());
    EXPECT_EQ(told,
              (std::vector<std::string>{
                  "info ordering 0 %", "info ordering", "info symbolic", "info ordering 100 %",
                  "info symbolic", "info symbolic 100 %", "info prepare 0 %", "info prepare 100 %",
                  "info factor 0 %", "info factor 100 %"}));
    told.clear();
    (void)solver.solve(std::vector<double>(1728, 1.0));
    EXPECT_EQ(told,
              (std::vector<std::string>{"info solve 0 %", "info refine 0 %", "info refine 100 %"}));
    told.clear();
    ASSERT_FALSE(solver.refactorize(a.value(), -100).ok());
    EXPECT_EQ(told, (std::vector<std::string>{"info factor 0 %", "warning factor 100 %"}));
  }
}

/// A factorisation long enough tells how far it is, by the calling thread; no bit of L depends on
/// it.
TEST(Messages, FractionsOfAFactorisation) {
  const test::ManyThreads many;
  const SymmetricMatrix<double> a = generate("poisson3d 24");
  const std::vector<double> b(static_cast<std::size_t>(a.n()), 1.0);
  for (const int threads : {1, 3}) {
    SolverOptions options;
    options.backend = BackendChoice::cpu;
    options.threads = threads;
    options.analyze.ordering.method = OrderingMethod::amd;  // one subtree, and large fronts
    Solver<double> silent(options);
    ASSERT_TRUE(silent.compute(a.view()).ok());
    ASSERT_GE(silent.plan().cost.flops, 1e9);
    std::vector<double> told;
    bool cancel = false;
    std::stop_source source;
    options.on_message = [&, caller = std::this_thread::get_id()](const Message& message) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      if (message.phase != Phase::factor) return;
      told.push_back(message.fraction.value());
      if (told.size() == 2 && cancel) source.request_stop();
      if (told.size() == 2)
        (void)Solver<double>(SolverOptions{}).compute(a.view());  // it counts for nobody
    };
    Solver<double> solver(options);
    ASSERT_TRUE(solver.compute(a.view()).ok());
    EXPECT_EQ(solver.solve(b), silent.solve(b));
    ASSERT_GE(told.size(), 2U);
    EXPECT_LE(told.size(), 33U);
    EXPECT_EQ(told.front(), 0);
    EXPECT_EQ(told.back(), 1);
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    if (threads > 1) continue;
    EXPECT_GE(told.size(), 20U);  // it does all of the work itself
    EXPECT_GE(told[told.size() - 2], 0.9);
    told.clear();
    cancel = true;
    solver.set_stop(source.get_token());
    EXPECT_NE(error_text(ErrorKind::cancelled, [&] { (void)solver.refactorize(a.value()); })
                  .find("cancelled"),
              std::string::npos);
    EXPECT_LE(told.size(), 3U);
  }
}

/// Operations are counted to the last one, on any number of threads.
TEST(Messages, OperationsAreCountedToTheLastOne) {
  const test::ManyThreads many;
  for (const char* spec : {"poisson3d 20", "elast3d 8", "tree 3000 1", "blockdiag 1000 500"}) {
    const SymmetricMatrix<double> a = generate(spec);
    for (const int threads : {1, 4}) {
      Backend backend = cpu_backend(threads);
      auto factor = Factor<double>::create(analyze(a.pattern()), backend);
      Meter meter;
      EXPECT_EQ(meter.fraction(), 0);
      {
        const MeterScope scope(&meter);
        ASSERT_TRUE(refactorize<double>(factor, a.value()).ok());
      }
      const double flops = factor.plan().cost.executed_flops;
      EXPECT_NEAR(meter.done(), flops, 1e-9 * flops) << spec;
      ASSERT_TRUE(refactorize<double>(factor, a.value()).ok());  // nobody counts
    }
  }
}

/// From each message in turn: a token is asked to stop, or the handler throws. Then the same object
/// does it all, with the bits of another.
TEST(Messages, MayCancelOrThrow) {
  const test::ManyThreads many;
  const SymmetricMatrix<double> a = generate("poisson3d 10");
  const std::vector<double> b(1000, 1.0);
  SolverOptions options;
  options.backend = BackendChoice::cpu;
  options.threads = 3;
  Solver<double> plain(options);
  ASSERT_TRUE(plain.compute(a.view()).ok());
  const std::vector<double> x = plain.solve(b);
  for (const bool throws : {false, true}) {
    int left = -1, cancelled = 0;
    std::stop_source source;
    options.on_message = [&](const Message&) {
      if (left < 0 || left-- > 0) return;
      (void)analyze(a.pattern());  // another call of kauri's, which nobody cancels
      if (throws) throw std::string("thrown by the handler");
      source.request_stop();
    };
    Solver<double> solver(options);
    bool quiet = false;  // the message was not met any more
    for (int k = 0; !quiet; ++k) {
      left = k;
      source = {};
      solver.set_stop(source.get_token());
      const auto all = [&] {
        ASSERT_TRUE(solver.compute(a.view()).ok());
        EXPECT_EQ(solver.solve(b), x);
      };
      try {
        all();
        quiet = left >= 0;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::cancelled);
        ++cancelled;
      } catch (const std::string& text) {
        EXPECT_EQ(text, "thrown by the handler");
        ++cancelled;
      }
      left = -1;
      solver.set_stop({});
      all();
    }
    EXPECT_GE(cancelled, 10);
  }
}

TEST(Messages, Names) {
  EXPECT_EQ(name_of(Phase::ordering), "ordering");
  EXPECT_EQ(name_of(Phase::refine), "refine");
  EXPECT_EQ(name_of(MessageLevel::warning), "warning");
  EXPECT_EQ(error_text(ErrorKind::usage, [] { (void)name_of(static_cast<Phase>(17)); }),
            "name_of: unknown Phase 17; expected ordering, symbolic, prepare, factor, solve or "
            "refine (0 to 5)");
  EXPECT_EQ(error_text(ErrorKind::usage, [] { (void)name_of(static_cast<MessageLevel>(17)); }),
            "name_of: unknown MessageLevel 17; expected info or warning (0 or 1)");
}

}  // namespace
}  // namespace kauri
