// Cancels a call from another thread: passes the stop token of a public call to the code that works
// for it.
//
// The token reaches inner loops by a thread-local pointer, not by parameters of a hundred
// functions. Code that passes work to other threads (base/threads/blocks.hpp, with_threads,
// numeric/cpu/runtime/workers.hpp) sets the pointer there and restores it when that work is done,
// since a thread that waits may take up work of another call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stop_token>
#include <utility>

namespace kauri {

namespace stopping {
/// Stop token of the public call that this thread works for; null if the call cannot be stopped.
inline constinit thread_local const std::stop_token* current = nullptr;
/// Throws Error(cancelled).
[[noreturn]] void throw_cancelled();
}  // namespace stopping

/// Sets stopping::current of the calling thread to a token for the scope's lifetime: the thread
/// works for the call with this token. Then restores the previous one.
class StopScope {
 public:
  /// Begins the scope of a public call with this token, which must outlive the scope. A token
  /// without a stop source counts as none.
  explicit StopScope(const std::stop_token& token)
      : StopScope(token.stop_possible() ? &token : nullptr) {}
  /// Begins the scope of a task. token: stopping::current of the thread that made the task.
  explicit StopScope(const std::stop_token* token)
      : before_(std::exchange(stopping::current, token)) {}
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  ~StopScope() { stopping::current = before_; }

 private:
  const std::stop_token* before_;
};

/// Function object that throws Error(cancelled) if the token of the thread's current call was asked
/// to stop. Use it in loops: it reads the thread-local pointer only once, when it is made.
class StopCheck {
 public:
  void operator()() const {
    if (token_ != nullptr && token_->stop_requested()) stopping::throw_cancelled();
  }

  /// Checks only if `step`, the counter of a loop with short steps, is a multiple of 1024.
  void at(std::int64_t step) const {
    if ((step & 1023) == 0) (*this)();
  }

 private:
  const std::stop_token* token_ = stopping::current;
};

/// Throws Error(cancelled) if the token of the thread's current call was asked to stop. Use it
/// outside loops.
inline void stop_here() { StopCheck()(); }

/// Returns a function g: g(args...) calls f(args...) on any thread with the stop token of the
/// thread that called carrying_stop(), or throws Error(cancelled) if that token was asked to stop.
/// g drops the result of f. g refers to f and to the token, which must outlive it.
template <class F>
auto carrying_stop(F& f) {
  return [token = stopping::current, &f](auto&&... args) {
    const StopScope scope(token);
    stop_here();
    f(std::forward<decltype(args)>(args)...);
  };
}

}  // namespace kauri
