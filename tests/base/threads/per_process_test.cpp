// State that a forked child gets anew: a lock that a thread of the parent holds does not block it.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/threads/per_process.hpp"

#include <gtest/gtest.h>

#include <array>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "support/process/child.hpp"

namespace kauri {
namespace {

struct Counter {
  std::mutex mutex;
  int value = 0;
};

PerProcess<Counter> counter;

/// Returns the exit status that f() returns in a child of this process.
template <class F>
int in_child(const F& f) {
  return test::exit_of(test::status_of_child([&] { _exit(f()); }));
}

TEST(PerProcess, AChildHasALockOfItsOwn) {
  Counter& mine = counter.here();
  mine.value = 5;
  std::latch held(1), done(1);
  std::jthread holder([&] {
    const std::scoped_lock lock(mine.mutex);
    held.count_down();
    done.wait();
  });
  held.wait();
  EXPECT_EQ(in_child([&] {
              Counter& its = counter.here();
              const std::scoped_lock lock(its.mutex);  // the parent's copy stays locked forever in
                                                       // the child
              its.value += 2;
              return &its != &mine && &counter.here() == &its && its.value == 2 ? 0 : 1;
            }),
            0);
  done.count_down();
  holder.join();
  EXPECT_EQ(&counter.here(), &mine);
  EXPECT_EQ(mine.value, 5);
}

TEST(PerProcess, ThreadsHaveOneTogether) {
  static std::array<PerProcess<Counter>, 200> all;
  for (PerProcess<Counter>& fresh : all) {
    std::vector<Counter*> seen(4);
    {
      std::vector<std::jthread> threads;
      for (Counter*& one : seen) threads.emplace_back([&] { one = &fresh.here(); });
    }
    for (const Counter* one : seen) ASSERT_EQ(one, seen[0]);
  }
}

}  // namespace
}  // namespace kauri
