// FairLock: callers get it in the order of their arrival, and readers at once within call_back().
// SPDX-License-Identifier: BSD-3-Clause
#include "base/threads/fair_lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/process/limits.hpp"
#include "support/process/meeting.hpp"

namespace kauri {
namespace {

/// Waits until `count` callers wait for the lock.
void await_waiting(const FairLock& lock, std::uint64_t count) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(test::kLimitSeconds);
  while (lock.waiting() != count && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  EXPECT_EQ(lock.waiting(), count);
}

/// Threads that take the lock one after another: each starts once those before it wait.
class Callers {
 public:
  explicit Callers(FairLock& lock) : lock_(lock) {}

  void write(char name) {
    start([this, name] {
      const std::unique_lock held(lock_);
      log(name);
    });
  }
  void read(char name) {
    start([this, name] {
      const std::shared_lock held(lock_);
      log(name);
    });
  }

  /// Joins all threads and returns the names in the order in which they got the lock.
  std::string order() {
    threads_.clear();
    return order_;
  }

 private:
  template <class F>
  void start(F f) {
    threads_.emplace_back(f);
    await_waiting(lock_, ++count_);
  }
  void log(char name) {
    const std::lock_guard held(mutex_);
    order_ += name;
  }

  FairLock& lock_;
  std::uint64_t count_ = 0;
  std::mutex mutex_;
  std::string order_;
  std::vector<std::jthread> threads_;
};

TEST(FairLock, AReaderWaitsBehindAWriterThatCameBefore) {
  FairLock lock;
  Callers callers(lock);
  std::shared_lock held(lock);
  callers.write('A');
  callers.read('b');
  callers.write('C');
  callers.read('d');
  EXPECT_EQ(lock.waiting(), 4U);
  held.unlock();
  EXPECT_EQ(callers.order(), "AbCd");
  EXPECT_EQ(lock.waiting(), 0U);
}

TEST(FairLock, AWriterWaitsBehindAReaderThatCameBefore) {
  FairLock lock;
  Callers callers(lock);
  std::unique_lock held(lock);
  callers.write('A');
  callers.read('b');
  callers.write('C');
  held.unlock();
  EXPECT_EQ(callers.order(), "AbC");
}

/// Each of three readers that hold the lock waits until the others hold it.
TEST(FairLock, ReadersShareIt) {
  FairLock lock;
  test::Meeting inside(3);
  std::atomic<int> met{0};
  std::unique_lock held(lock);
  {
    std::vector<std::jthread> readers;
    for (int k = 0; k < 3; ++k)
      readers.emplace_back([&] {
        const std::shared_lock shared(lock);
        met += inside.meet();
      });
    await_waiting(lock, 3);
    held.unlock();
  }
  EXPECT_EQ(met, 3);
}

/// The call back, and a thread for which it waits, read ahead of a writer that waits for its end.
TEST(FairLock, ACallBackMayRead) {
  FairLock lock;
  Callers callers(lock);
  bool read = false;
  {
    const std::shared_lock held(lock);
    lock.call_back([&] {
      callers.write('A');
      const std::shared_lock again(lock);
      std::jthread([&] {
        const std::shared_lock beside(lock);
        read = true;
      }).join();
      EXPECT_EQ(lock.waiting(), 1U);
    });
    EXPECT_TRUE(read);
    callers.read('b');
  }
  EXPECT_EQ(callers.order(), "Ab");
}

TEST(FairLock, NothingIsCalledBackWhileACallerWaits) {
  FairLock lock;
  Callers callers(lock);
  int calls = 0;
  {
    const std::shared_lock held(lock);
    lock.call_back([&] { ++calls; });
    callers.write('A');
    lock.call_back([&] { ++calls; });
  }
  EXPECT_EQ(callers.order(), "A");
  EXPECT_EQ(calls, 1);
}

TEST(FairLock, ACallBackThatThrowsHasEnded) {
  FairLock lock;
  Callers callers(lock);
  {
    const std::shared_lock held(lock);
    EXPECT_THROW(lock.call_back([] { throw std::runtime_error("in the call back"); }),
                 std::runtime_error);
    callers.write('A');
    callers.read('b');
  }
  EXPECT_EQ(callers.order(), "Ab");
}

}  // namespace
}  // namespace kauri
