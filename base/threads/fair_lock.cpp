// A lock of many readers or one writer that serves its callers in the order of their arrival.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/threads/fair_lock.hpp"

namespace kauri {

void FairLock::lock() {
  std::unique_lock held(mutex_);
  const std::uint64_t ticket = next_++;
  changed_.wait(held, [&] { return turn_ == ticket && !writing_ && readers_ == 0; });
  ++turn_;
  writing_ = true;
}

void FairLock::unlock() {
  const std::lock_guard held(mutex_);
  writing_ = false;
  changed_.notify_all();
}

void FairLock::lock_shared() {
  std::unique_lock held(mutex_);
  if (call_backs_ == 0) {
    const std::uint64_t ticket = next_++;
    changed_.wait(held, [&] { return turn_ == ticket && !writing_; });
    ++turn_;
    changed_.notify_all();  // the next caller may be a reader
  }
  ++readers_;
}

void FairLock::unlock_shared() {
  const std::lock_guard held(mutex_);
  if (--readers_ == 0) changed_.notify_all();
}

std::uint64_t FairLock::waiting() const {
  const std::lock_guard held(mutex_);
  return next_ - turn_;
}

FairLock::CallBack::CallBack(FairLock& of) : lock(of) {
  const std::lock_guard held(lock.mutex_);
  begun = lock.next_ == lock.turn_;
  if (begun) ++lock.call_backs_;
}

FairLock::CallBack::~CallBack() {
  const std::lock_guard held(lock.mutex_);
  if (begun) --lock.call_backs_;
}

}  // namespace kauri
