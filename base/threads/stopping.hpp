// Cancelling a call from another thread: the stop token of a public call, where work is done for it.
//
// The token reaches loops far below by a pointer that belongs to the thread, not by parameters of a hundred functions. Whoever hands work
// to other threads (base/threads/blocks.hpp, with_threads, numeric/cpu/runtime/workers.hpp) hands it on, and takes it back when that work
// is done, since a thread that waits may take up work of another call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stop_token>
#include <utility>

namespace kauri {

namespace stopping {
/// Of the public call that this thread works for; null where that cannot be stopped.
inline constinit thread_local const std::stop_token* current = nullptr;
/// Throws Error(cancelled).
[[noreturn]] void throw_cancelled();
}  // namespace stopping

/// While it lives, the calling thread works for a call with this token.
class StopScope {
 public:
  /// Of a public call. The token outlives this; one that can never be asked to stop costs no look at it.
  explicit StopScope(const std::stop_token& token) : StopScope(token.stop_possible() ? &token : nullptr) {}
  /// Of a task: what the thread that made it had in stopping::current.
  explicit StopScope(const std::stop_token* token) : before_(std::exchange(stopping::current, token)) {}
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  ~StopScope() { stopping::current = before_; }

 private:
  const std::stop_token* before_;
};

/// Throws Error(cancelled) once the token of the call was asked to stop. For loops: what the thread works for is looked up once.
class StopCheck {
 public:
  void operator()() const {
    if (token_ != nullptr && token_->stop_requested()) stopping::throw_cancelled();
  }

  /// The same at every 1024th step, where steps are short.
  void at(std::int64_t step) const {
    if ((step & 1023) == 0) (*this)();
  }

 private:
  const std::stop_token* token_ = stopping::current;
};

/// The same where there is no loop.
inline void stop_here() { StopCheck()(); }

/// f(args...) for the call that the calling thread works for now, whatever thread runs it. Throws Error(cancelled) in its place if that is
/// to stop. f is borrowed.
template <class F>
auto carrying_stop(F& f) {
  return [token = stopping::current, &f](auto&&... args) {
    const StopScope scope(token);
    stop_here();
    f(std::forward<decltype(args)>(args)...);
  };
}

}  // namespace kauri
