// Admits one call at a time to an object: a concurrent second call throws, instead of corrupting
// memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <string>

#include "kauri/core/error.hpp"

namespace kauri {

/// Flag of an object that admits one call at a time: set while a call is under way.
class CallFlag {
 public:
  CallFlag() = default;
  CallFlag(const CallFlag&) = delete;
  CallFlag& operator=(const CallFlag&) = delete;

 private:
  friend class OneCall;
  std::atomic<bool> busy_{false};
};

/// Marks a call on the object that has the flag as under way, for the lifetime of the OneCall.
class OneCall {
 public:
  /// Throws Error(usage) if another call is under way. call: name of this call for the text of the
  /// error, such as "Solver::solve"; object: name of the kind of object, such as "solver".
  OneCall(CallFlag& flag, const char* call, const char* object) : flag_(flag) {
    if (flag_.busy_.exchange(true, std::memory_order_acquire))
      throw Error(ErrorKind::usage, std::string(call) + ": another call on this " + object +
                                        " is under way (from another thread, or the call that runs "
                                        "this message handler), expected one at a time");
  }
  ~OneCall() { flag_.busy_.store(false, std::memory_order_release); }
  OneCall(const OneCall&) = delete;
  OneCall& operator=(const OneCall&) = delete;

 private:
  CallFlag& flag_;
};

}  // namespace kauri
