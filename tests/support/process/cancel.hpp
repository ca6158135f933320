// Calls that are cancelled at random moments.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>

#include "tests/support/process/error_text.hpp"
#include "tests/support/process/seeds.hpp"

namespace kauri::test {

// Least number of tokens that a call is tried with.
#ifdef KAURI_LONG_TESTS
inline constexpr std::uint32_t kCancelRounds = 60;
#else
inline constexpr std::uint32_t kCancelRounds = seeds(8);
#endif

inline const std::string kCancelled = "cancelled: the stop token of the call was asked to stop";

/// Requests a stop this many microseconds after its construction, which returns only once its
/// thread runs, since threads may wait long for a core.
class StopAfter {
 public:
  explicit StopAfter(std::int64_t microseconds)
      : thread_([this, microseconds] {
          const auto until =
              std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
          if (microseconds == 0) source_.request_stop();
          running_ = true;
          while (std::chrono::steady_clock::now() < until && !done_.load())
            std::this_thread::yield();
          source_.request_stop();
        }) {
    while (!running_.load()) std::this_thread::yield();  // ends: its first lines set it
  }
  ~StopAfter() {
    done_ = true;
    thread_.join();
  }
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::atomic<bool> running_{false}, done_{false};
  std::thread thread_;
};

inline std::stop_token stopped() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

/// Returns true if f is cancelled; other errors are failures of the test.
inline bool cancelled(const std::function<void()>& f) {
  const std::string text = error_text(ErrorKind::cancelled, f);
  EXPECT_TRUE(text == kCancelled || text == "no Error") << text;
  return text == kCancelled;
}

/// Calls f with tokens that are stopped after random times of at most `whole` microseconds, until
/// at least one call was cancelled. `whole` is halved after each 50 calls of which none was
/// cancelled: on a loaded machine `whole` may have been measured far too long, and the timer's
/// thread may get no core within a short call.
inline void cancel_often(std::uint32_t seed, std::int64_t whole,
                         const std::function<void(const std::stop_token&)>& f) {
  constexpr std::uint32_t kMost = 2000;  // a call not cancelled in so many tries reads no token
  constexpr std::uint32_t kPatience = 50;
  std::mt19937_64 random(seed);
  int count = 0;
  for (std::uint32_t k = 0; k < kCancelRounds || (count == 0 && k < kMost); ++k) {
    if (count == 0 && k % kPatience == kPatience - 1) whole /= 2;
    const StopAfter timer(
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(whole + 1)));
    count += cancelled([&] { f(timer.token()); }) ? 1 : 0;
  }
  EXPECT_GT(count, 0);
}

/// Returns the microseconds of a call, plus 50.
inline std::int64_t microseconds_of(const std::function<void()>& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return 50 + std::chrono::duration_cast<std::chrono::microseconds>(
                  std::chrono::steady_clock::now() - begin)
                  .count();
}

}  // namespace kauri::test
