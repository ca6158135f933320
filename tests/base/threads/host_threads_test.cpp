// Threads of the process: refused by the system, absent in a forked child, kept from one solver to
// the next.
//
// Each test runs in its own child, forked before this process has threads, since oneTBB's state
// belongs to the process.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/threads/host_threads.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/threads/blocks.hpp"
#include "kauri/kauri.hpp"
#include "kauri/solve/named_options.hpp"
#include "tests/support/process/child.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/process/resident_bytes.hpp"
#include "tests/support/process/seeds.hpp"

namespace {

std::atomic<int> made{0}, allowed{INT_MAX};  // numbers of threads

}  // namespace

/// Replaces the C library's pthread_create(), for oneTBB too: refuses threads beyond the first
/// `allowed`.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (made.fetch_add(1) >= allowed) {
    --made;
    return EAGAIN;
  }
  return real(thread, attributes, start, argument);
}

namespace kauri {
namespace {

/// Returns the exit status that f() returns in a child of this process, or 1000 + signal if a
/// signal ended it.
template <class F>
int in_child(const F& f) {
  return test::exit_of(test::status_of_child([&] { _exit(f()); }));
}

std::vector<double> solution(const SymmetricMatrix<double>& a, int threads) {
  SolverOptions options;
  options.threads = threads;
  Solver<double> solver(options);
  if (!solver.compute(a.view())) return {};
  return solver.solve(std::vector<double>(static_cast<std::size_t>(a.n()), 1.0));
}

class HostThreads : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test::kSanitized) GTEST_SKIP() << "a sanitizer makes threads by itself, and keeps memory";
  }
};

TEST_F(HostThreads, OneThatTheSystemRefusesIsAnErrorOfMemory) {
  for (int there = 0; there < 7; ++there) {
    const int status = in_child([there] {
      const test::ManyThreads many;
      const auto a = generate("poisson2d 60");
      allowed = there;
      const auto alone = solution(a, 1);  // needs no thread
      for (int again = 0; again < 2; ++again) {
        try {
          if (solution(a, 8) != alone || again == 0)
            return 1;  // the second time oneTBB may have adapted to the threads that exist
        } catch (const Error& error) {
          if (error.kind() != ErrorKind::memory) return 2;
          if (std::string(error.what()).find("threads = 1") == std::string::npos) return 3;
        }
      }
      if (solution(a, 1) != alone) return 4;
      allowed = INT_MAX;
      return solution(a, 8) == alone ? 0 : 5;  // succeeds once threads are available
    });
    EXPECT_EQ(status, 0) << there;
  }
}

TEST_F(HostThreads, AreStartedOnceAndByWhomeverAsks) {
  EXPECT_EQ(in_child([] {
              const test::ManyThreads many;
              host_threads::start(5);
              if (host_threads::started() != 5 || made != 5) return 1;
              host_threads::start(3);
              if (made != 5) return 2;
              allowed = 5;  // prevents oneTBB from making its own
              for (int k = 0; k < 100; ++k) {
                std::atomic<Index> sum{0};
                Arena arena(6);
                arena.execute(
                    [&] { Blocks(1000, 1).for_each([&](Index b, Index, Index) { sum += b; }); });
                if (sum != 499500) return 3;
              }
              return 0;
            }),
            0);
}

TEST_F(HostThreads, NoMemoryStaysOfSolvers) {
  for (const int threads : {2, 8}) {
    const int status = in_child([threads] {
      const test::ManyThreads many;
      const auto a = generate("poisson2d 5");
      Offset before = 0;
      for (int k = 0; k < 2500; ++k) {
        if (k == 500) before = test::resident_bytes();
        if (solution(a, threads).empty()) return 1;
      }
      const Offset more = test::resident_bytes() - before;
      if (more > 0)
        std::printf("%d threads: %lld bytes more after 2000 solvers\n", threads,
                    static_cast<long long>(more));
      return more < (Offset{1} << 20) ? 0 : 2;
    });
    EXPECT_EQ(status, 0) << threads;
  }
}

/// Returns the number in "Threads:" of this process.
int running_threads() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("Threads:")) return std::atoi(line.c_str() + 8);
  return 0;
}

TEST_F(HostThreads, AChildOfAProcessWithThreadsGoesOnAlone) {
  EXPECT_EQ(in_child([] {
              const test::ManyThreads many;
              const auto a = generate("shell2d 15");
              Backend backend = cpu_backend(4);
              const auto plan = analyze(a.pattern());
              auto factor = factorize<double>(plan, a.value(), backend);
              auto workspace = Workspace<double>::create(factor.value(), 1);
              Solver<double> solver;
              if (!solver.compute(a.view())) return 1;
              const std::vector<double> b(static_cast<std::size_t>(a.n()), 1.0);
              const auto refined = solver.solve(b);
              std::vector<double> x = b;
              factor.value().solve(column_view<double>(x), workspace);
              for (int k = 0; k < 20; ++k) {
                if (!refactorize<double>(factor.value(), a.value()))
                  return 2;  // oneTBB's threads still run when the process forks
                const int status = in_child([&] {
                  allowed = 0;
                  std::vector<double> y = b;
                  factor.value().solve(column_view<double>(y), workspace);  // objects of the parent
                                                                            // work
                  if (y != x) return 3;
                  if (!refactorize<double>(factor.value(), a.value()) || solver.solve(b) != refined)
                    return 4;
                  Backend own = cpu_backend(4);  // and new objects of the child
                  if (own.threads() != 1) return 5;
                  for (const char* name : {"rcm", "md", "amd", "pamd", "nd"}) {
                    AnalyzeOptions options;
                    options.ordering.method = ordering_from_name(name).value();
                    if (!factorize<double>(analyze(a.pattern(), options), a.value(), own)) return 6;
                  }
                  if (analyze(a.pattern())->perm != plan->perm) return 7;
                  if (solution(a, 4) != refined) return 8;
                  return running_threads() == 1 ? 0 : 9;
                });
                if (status != 0) return 10 + status;
              }
              return refactorize<double>(factor.value(), a.value()) ? 0 : 9;  // the parent is
                                                                              // unaffected
            }),
            0);
}

/// Forks, in a fresh process each time, at a different moment of the first `calls`; the child must
/// be able to run `calls`.
void expect_children_work(const std::function<void()>& calls) {
  for (int k = 0; k < 400; ++k) {
    ASSERT_EQ(in_child([&] {
                std::latch begins(1);
                std::jthread other([&] {
                  begins.count_down();
                  calls();
                });
                begins.wait();
                std::this_thread::sleep_for(std::chrono::microseconds(k * 13 % 1500));
                return test::exit_of(test::status_of_child(calls, 20));
              }),
              0)
        << k;
  }
}

TEST_F(HostThreads, AChildOfTheFirstSolveWorks) {
  expect_children_work([] {
    if (solution(generate("poisson2d 5"), 2).empty()) throw std::runtime_error("no solution");
  });
}

TEST_F(HostThreads, AChildOfTheFirstLookAtOptionsWorks) {
  expect_children_work([] {
    if (named_options().empty()) throw std::runtime_error("no options");
  });
}

/// The holder of a FirstCall may fork: NVIDIA's driver forks in its first call, to run
/// nvidia-modprobe.
TEST_F(HostThreads, AFirstCallMayFork) {
  EXPECT_EQ(in_child([] {
              const std::atomic<bool> is_done = false;
              for (int k = 0; k < 2; ++k) {
                const host_threads::FirstCall call(is_done);
                if (in_child([] { return 0; }) != 0) return 1;
              }
              const int status = in_child([] {
                return solution(generate("poisson2d 5"), 2).empty() ? 1 : 0;
              });  // the lock is free again
              return status == 0 && !solution(generate("poisson2d 5"), 2).empty() ? 0 : 2;
            }),
            0);
}

/// The caller's thread is outside kauri's arenas, where oneTBB would start threads itself.
TEST_F(HostThreads, CallsOutsideOfAnArenaStartNone) {
  EXPECT_EQ(in_child([] {
              const test::ManyThreads many;
              const auto a = generate("poisson2d 300");
              const auto identity = Permutation::identity(a.n());
              const std::vector<Index> old_of(identity.old_of().begin(), identity.old_of().end());
              for (int k = 0; k < 2; ++k) {
                const int before = made;
                allowed = before;
                if (Permutation::from_old_of(old_of) != identity) return 1;
                if (Graph(a.pattern()).size() != a.n()) return 2;
                if (made != before || running_threads() != before + 1) return 3;
                allowed = INT_MAX;
                if (k == 0 && solution(generate("poisson2d 60"), 2).empty())
                  return 4;  // starts a thread that could be lent
              }
              return 0;
            }),
            0);
}

TEST_F(HostThreads, AChildOfAProcessWithoutThreadsHasItsOwn) {
  EXPECT_EQ(in_child([] {
              const test::ManyThreads many;
              const auto a = generate("shell2d 15");
              const auto alone = solution(a, 1);
              return in_child([&] {
                return cpu_backend(4).threads() == 4 && solution(a, 4) == alone && made >= 3 ? 0
                                                                                             : 1;
              });
            }),
            0);
}

}  // namespace
}  // namespace kauri
