// Tasks run with the floating-point environment of the thread that makes them, whatever environment
// the arena was first used in: results do not depend on the number of threads.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <thread>
#include <vector>

#include "base/threads/allowed_threads.hpp"
#include "base/threads/blocks.hpp"
#include "base/threads/host_threads.hpp"
#include "kauri/kauri.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/process/meeting.hpp"

namespace kauri {
namespace {

/// Rounds upwards during its lifetime, on the calling thread.
class Upwards {
 public:
  Upwards() : before_(std::fegetround()) { std::fesetround(FE_UPWARD); }
  ~Upwards() { std::fesetround(before_); }
  Upwards(const Upwards&) = delete;
  Upwards& operator=(const Upwards&) = delete;

 private:
  int before_;
};

/// Two tasks, each of which waits for the other one to begin, so that two threads run them.
class Pair {
 public:
  void operator()() {
    const int rounding = std::fegetround();
    EXPECT_TRUE(meeting_.meet());
    rounding_.at(static_cast<std::size_t>(done_++)) = rounding;
  }
  /// Expects that both tasks have run, with this rounding.
  void expect(int rounding, const char* what) {
    EXPECT_EQ(done_, 2) << what;
    EXPECT_EQ(rounding_, (std::array{rounding, rounding})) << what;
  }

 private:
  test::Meeting meeting_{2};
  std::atomic<int> done_ = 0;
  std::array<int, 2> rounding_{-1, -1};
};

void expect_in_tasks(int rounding) {
  with_threads(4, [&] {
    Pair of_loop, of_calls, of_meanwhile;
    Blocks(2, 1).for_each([&](Index, Index, Index) { of_loop(); });
    of_loop.expect(rounding, "a loop");
    side_by_side(of_calls, of_calls);
    of_calls.expect(rounding, "calls side by side");
    meanwhile(of_meanwhile, of_meanwhile);
    of_meanwhile.expect(rounding, "a call meanwhile");
    EXPECT_EQ(std::fegetround(), rounding);
  });
}

TEST(Environment, OfTheCallerIsThatOfItsTasks) {
  const test::ManyThreads many;
  expect_in_tasks(FE_TONEAREST);
  {
    const Upwards upwards;
    expect_in_tasks(FE_UPWARD);
  }
  expect_in_tasks(FE_TONEAREST);
}

/// Two tasks hold both threads of an arena while a third thread asks for it. Which thread then runs
/// the third one's work is up to oneTBB; nearly always it is one of the first two.
TEST(Environment, OfTheCallerIsThatOfAFullArena) {
  const test::ManyThreads many;
  int elsewhere = 0;
  for (int repeat = 0; repeat < 50; ++repeat) {
    Arena arena(2);
    test::Meeting meeting(3);
    std::thread first([&] {
      arena.execute([&] {
        const auto hold = [&] {
          EXPECT_TRUE(meeting.meet());  // the arena is full
          EXPECT_TRUE(meeting.meet());  // the third thread asks for it
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        };
        side_by_side(hold, hold);
      });
    });
    EXPECT_TRUE(meeting.meet());
    const Upwards upwards;
    const auto self = std::this_thread::get_id();
    EXPECT_TRUE(meeting.meet());
    arena.execute([&] {
      EXPECT_EQ(std::fegetround(), FE_UPWARD);
      if (std::this_thread::get_id() != self) ++elsewhere;
    });
    first.join();
  }
  EXPECT_GT(elsewhere, 0);
}

/// Computes a factor and a solution by this number of threads. With late, the rounding changes
/// between compute() and refactorize().
std::vector<double> solution(const SymmetricMatrix<double>& a, int threads, bool late) {
  SolverOptions options;
  options.backend = BackendChoice::cpu;
  options.threads = threads;
  options.analyze.ordering.method = OrderingMethod::amd;
  Solver<double> solver(options);
  if (late) {
    EXPECT_TRUE(solver.compute(a.view()).ok());
  }
  const Upwards upwards;
  EXPECT_TRUE((late ? solver.refactorize(a.value()) : solver.compute(a.view())).ok());
  std::vector<double> b(static_cast<std::size_t>(a.n()));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1 / (1 + static_cast<double>(i % 13));
  return solver.solve(b);
}

TEST(Environment, AnyNumberOfThreadsGivesTheSameBits) {
  const test::ManyThreads many;
  const auto a = generate("shell2d 15");
  for (const bool late : {true, false}) {
    const std::vector<double> one = solution(a, 1, late);
    for (const int threads : {2, 4}) EXPECT_EQ(solution(a, threads, late), one) << threads << late;
  }
}

}  // namespace
}  // namespace kauri
