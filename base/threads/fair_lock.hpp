// A lock of many readers or one writer that serves its callers in the order of their arrival.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace kauri {

/// A lock of many readers or one writer, for std::shared_lock and std::unique_lock. Callers get it
/// in the order of their arrival: a reader waits behind a writer that came before it, so neither
/// readers nor writers that call without pause keep the others out. A reader must not take the
/// lock again, nor wait for another thread that takes it, except within call_back().
class FairLock {
 public:
  void lock();
  void unlock();
  void lock_shared();
  void unlock_shared();

  /// Calls f() for a reader that holds the lock, unless a caller waits for the lock. While f()
  /// runs, readers of all threads get the lock at once, ahead of writers, so f() may itself read
  /// under the lock. Writers are not kept out for longer than f() and these reads take, since no
  /// further f() is called while they wait.
  template <class F>
  void call_back(const F& f) {
    const CallBack scope(*this);
    if (scope.begun) f();
  }

  /// Returns the number of callers that wait for the lock.
  [[nodiscard]] std::uint64_t waiting() const;

 private:
  /// Scope of one call_back().
  struct CallBack {
    explicit CallBack(FairLock& of);
    ~CallBack();
    CallBack(const CallBack&) = delete;
    CallBack& operator=(const CallBack&) = delete;
    FairLock& lock;
    bool begun;
  };

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::uint64_t next_ = 0;  // ticket of the next caller
  std::uint64_t turn_ = 0;  // ticket of the first caller that waits; next_ if none does
  int readers_ = 0;         // readers that hold the lock
  int call_backs_ = 0;      // calls of call_back() under way
  bool writing_ = false;    // a writer holds the lock
};

}  // namespace kauri
