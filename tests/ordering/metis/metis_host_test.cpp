// METIS within kauri leaves the process alone: its signals, its standard error, its rand(), its
// memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "kauri/core/error.hpp"
#include "kauri/core/graph.hpp"
#include "kauri/core/ordering.hpp"
#include "kauri/extras/generate.hpp"
#include "ordering/metis/metis.hpp"
#include "support/process/limits.hpp"
#include "support/process/seeds.hpp"

namespace {

long allocations_left = -1,
     alive = 0;  // left: allocations until one fails, negative if none fails; alive: unreleased
                 // blocks of METIS
bool fail_once = true;

bool fails() {
  if (allocations_left < 0 || allocations_left-- > 0) return false;
  if (!fail_once) allocations_left = 0;
  return true;
}

}  // namespace

// The linker (--wrap) puts these functions in the place of the functions that METIS calls.
extern "C" {
void* __real_malloc(std::size_t bytes);                 // NOLINT
void* __real_realloc(void* memory, std::size_t bytes);  // NOLINT
void __real_free(void* memory);                         // NOLINT
void* __wrap_malloc(std::size_t bytes) {                // NOLINT
  void* p = fails() ? nullptr : __real_malloc(bytes);
  alive += p != nullptr ? 1 : 0;
  return p;
}
void* __wrap_realloc(void* memory, std::size_t bytes) {  // NOLINT
  void* p = fails() ? nullptr : __real_realloc(memory, bytes);
  alive += p != nullptr && memory == nullptr ? 1 : 0;
  return p;
}
void __wrap_free(void* memory) {  // NOLINT
  alive -= memory != nullptr ? 1 : 0;
  __real_free(memory);
}
}

namespace kauri::ordering {
namespace {

class MetisInside : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!metis_is_own())
      GTEST_SKIP() << "METIS is the system's library, which has handlers of its own";
  }
};

std::atomic<int> handled{0};

Permutation by_metis(const Graph& graph) {
  return order(graph, {.method = OrderingMethod::metis, .threads = 1});
}

int expected_signal = 0;

/// Sends the signal repeatedly, to the ordering thread or to this one, while METIS runs.
void send_while_ordering(int number, bool to_orderer) {
  const Graph graph(generate("poisson2d 250").pattern());
  struct sigaction ours {};
  ours.sa_sigaction = [](int, siginfo_t* told, void*) {
    handled += told != nullptr && told->si_signo == expected_signal ? 1 : 1000000;
  };
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(number, &ours, nullptr);
  handled = 0, expected_signal = number;
  const Permutation expected = by_metis(graph);
  std::atomic<bool> done{false};
  Permutation found;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(test::kLimitSeconds);
  std::thread orderer([&] {
    try {
      for (int k = 0; k < 3; ++k) found = by_metis(graph);
    } catch (const Error&) {  // from a handler of METIS, which ends its call
      found = Permutation();
    }
    done = true;
    // Keeps this thread available for signals until no more are sent.
    while (done && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  });
  int sent = 0;
  while (!done) {
    pthread_kill(to_orderer ? orderer.native_handle() : pthread_self(), number);
    ++sent;
    while (handled < sent && !done && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (handled < sent && std::chrono::steady_clock::now() < last) std::this_thread::yield();
  done = false;
  orderer.join();
  EXPECT_EQ(handled, sent);
  EXPECT_EQ(found, expected);
  struct sigaction now {};
  sigaction(number, nullptr, &now);
  EXPECT_EQ(now.sa_sigaction, ours.sa_sigaction);
  EXPECT_EQ(now.sa_flags & (SA_SIGINFO | SA_RESTART | static_cast<int>(SA_RESETHAND)),
            ours.sa_flags);
  signal(number, SIG_DFL);
}

/// METIS as published installs its own handlers for these signals.
class MetisSignals : public MetisInside, public ::testing::WithParamInterface<int> {};

TEST_P(MetisSignals, OfTheOrderingThreadAreThePrograms) {
  // ThreadSanitizer runs this handler at once and then waits for its own lock: a program of 30
  // lines without kauri hangs as well (GCC 13).
  if (test::kThreadSanitized && GetParam() == SIGABRT)
    GTEST_SKIP() << "ThreadSanitizer hangs where SIGABRT interrupts its own runtime";
  send_while_ordering(GetParam(), true);
}
TEST_P(MetisSignals, OfOtherThreadsAreThePrograms) { send_while_ordering(GetParam(), false); }
INSTANTIATE_TEST_SUITE_P(Both, MetisSignals, ::testing::Values(SIGTERM, SIGABRT));

/// The system's METIS takes SIGTERM for its own error: the ordering ends as cancelled, and the
/// program's handler receives the signal.
TEST(MetisOfTheSystem, HandsSigtermOnAndIsCancelled) {
  if (!metis_available() || metis_is_own()) GTEST_SKIP() << "METIS is kauri's own, or is not there";
  const Graph graph(generate("poisson2d 600").pattern());
  struct sigaction ours {};
  ours.sa_sigaction = [](int, siginfo_t*, void*) { ++handled; };
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGTERM, &ours, nullptr);
  handled = 0;
  ErrorKind kind = ErrorKind::usage;
  std::thread orderer([&] {
    try {
      while (handled == 0) by_metis(graph);
    } catch (const Error& error) {
      kind = error.kind();
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(test::kLimitSeconds);
  struct sigaction now {};
  do {
    sigaction(SIGTERM, nullptr, &now);
    std::this_thread::yield();
  } while (now.sa_sigaction == ours.sa_sigaction && std::chrono::steady_clock::now() < end);
  std::this_thread::sleep_for(
      std::chrono::milliseconds(20));  // METIS sets its handlers before it is ready to jump
  pthread_kill(orderer.native_handle(), SIGTERM);
  orderer.join();
  EXPECT_EQ(kind, ErrorKind::cancelled);
  EXPECT_EQ(handled, 1);
  sigaction(SIGTERM, nullptr, &now);
  EXPECT_EQ(now.sa_sigaction, ours.sa_sigaction);
  signal(SIGTERM, SIG_DFL);
}

TEST_F(MetisInside, RandomNumbersOfTheProcessGoOn) {
  const Graph graph(generate("poisson2d 60").pattern());
  std::srand(7);
  std::vector<int> expected(5);
  for (int& x : expected) x = std::rand();
  std::srand(7);
  for (const int x : expected) {
    by_metis(graph);
    EXPECT_EQ(std::rand(), x);
  }
}

/// Returns everything that f() prints on standard error, by any means.
template <class F>
std::string standard_error_of(const F& f) {
  std::FILE* const said = std::tmpfile();
  const int before = dup(STDERR_FILENO);
  dup2(fileno(said), STDERR_FILENO);
  f();
  dup2(before, STDERR_FILENO);
  close(before);
  std::rewind(said);
  std::string text;
  for (int c = 0; (c = std::fgetc(said)) != EOF;) text.push_back(static_cast<char>(c));
  std::fclose(said);
  return text;
}

/// Every allocation of METIS fails in turn, alone or with all later ones.
TEST_F(MetisInside, MemoryThatRunsOutIsToldByTheErrorAlone) {
  const Graph graph(generate("poisson2d 25").pattern());
  allocations_left = std::numeric_limits<long>::max();
  const Permutation expected = by_metis(graph);
  const long needed = std::numeric_limits<long>::max() - allocations_left;
  allocations_left = -1;
  if (needed == 0)
    GTEST_SKIP()
        << "kauri is a shared library: the linker puts nothing in the place of its malloc()";
  ASSERT_GT(needed, 100);
  allocations_left = 0;
  EXPECT_ANY_THROW((void)by_metis(graph));
  allocations_left = -1;
  // Counted after a first exception, since that one may allocate what later ones use again. Of
  // other libraries that the linker wrapped, such as CUDA's runtime.
  const long before = alive;
  for (const bool once : {true, false}) {
    fail_once = once;
    const std::string said = standard_error_of([&] {
      for (long k = 0; k < needed; ++k) {
        allocations_left = k;
        try {
          by_metis(graph);
          ADD_FAILURE() << "no error where allocation " << k << " fails";
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::memory) << k << ": " << error.what();
        } catch (const std::bad_alloc&) {  // from allocations before METIS is called, if the linker
                                           // also wraps operator new's malloc()
        }
        allocations_left = -1;
        ASSERT_EQ(alive, before) << k;
      }
    });
    EXPECT_EQ(said, "");
    EXPECT_EQ(by_metis(graph), expected);
  }
}

}  // namespace
}  // namespace kauri::ordering
