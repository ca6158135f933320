// Admits one call at a time to an object, or several calls of a kind that may run together: any
// other concurrent call throws, instead of corrupting memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <string>

#include "kauri/core/error.hpp"

namespace kauri {

/// Flag of an object that admits one call at a time, or several shared ones: says which calls are
/// under way.
class CallFlag {
 public:
  CallFlag() = default;
  CallFlag(const CallFlag&) = delete;
  CallFlag& operator=(const CallFlag&) = delete;

 private:
  friend class OneCall;
  friend class SharedCall;
  static constexpr int kAlone = -1;

  [[noreturn]] static void refuse(const char* call, const char* object) {
    throw Error(ErrorKind::usage, std::string(call) + ": another call on this " + object +
                                      " is under way (from another thread, or the call that runs "
                                      "this message handler), expected one at a time");
  }

  std::atomic<int> calls_{0};  // the number of shared calls under way; kAlone during another one
};

/// Marks a call on the object that has the flag as under way, for the lifetime of the OneCall. It
/// runs alone.
class OneCall {
 public:
  /// Throws Error(usage) if another call is under way. call: name of this call for the text of the
  /// error, such as "Solver::solve"; object: name of the kind of object, such as "solver".
  OneCall(CallFlag& flag, const char* call, const char* object) : flag_(flag) {
    int none = 0;
    if (!flag_.calls_.compare_exchange_strong(none, CallFlag::kAlone, std::memory_order_acquire))
      CallFlag::refuse(call, object);
  }
  ~OneCall() { flag_.calls_.store(0, std::memory_order_release); }
  OneCall(const OneCall&) = delete;
  OneCall& operator=(const OneCall&) = delete;

 private:
  CallFlag& flag_;
};

/// Marks a call as under way, for its lifetime. Other shared calls may run at the same time.
class SharedCall {
 public:
  /// Throws Error(usage) if a OneCall is under way. Arguments as in OneCall.
  SharedCall(CallFlag& flag, const char* call, const char* object) : flag_(flag) {
    int now = flag_.calls_.load(std::memory_order_relaxed);
    do {
      if (now == CallFlag::kAlone) CallFlag::refuse(call, object);
    } while (!flag_.calls_.compare_exchange_weak(now, now + 1, std::memory_order_acquire));
  }
  ~SharedCall() { flag_.calls_.fetch_sub(1, std::memory_order_release); }
  SharedCall(const SharedCall&) = delete;
  SharedCall& operator=(const SharedCall&) = delete;

 private:
  CallFlag& flag_;
};

}  // namespace kauri
