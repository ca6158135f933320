// An object per process, made anew in a forked child, where locks of the parent may stay locked for
// ever.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>

namespace kauri {

/// A default-constructed T for each process that calls here(). A forked child gets a new one, since
/// threads of the parent that held locks of the parent's T at the time of the fork do not exist in
/// the child. Use it as a variable of static storage duration. T is never destroyed, since threads
/// may use it at exit.
template <class T>
class PerProcess {
 public:
  constexpr PerProcess() = default;
  PerProcess(const PerProcess&) = delete;
  PerProcess& operator=(const PerProcess&) = delete;

  /// Returns the T of the calling process. Thread-safe. The first call of a process may throw
  /// std::bad_alloc.
  T& here() {
    const pid_t process = getpid();
    Owned* owned = owned_.load(std::memory_order_acquire);
    if (owned != nullptr && owned->process == process) return owned->value;
    auto* fresh = new Owned{process, {}};
    // Another thread of this process may have stored its T first. The parent's T leaks, since it
    // may not be touched.
    while (!owned_.compare_exchange_weak(owned, fresh, std::memory_order_acq_rel,
                                         std::memory_order_acquire))
      if (owned != nullptr && owned->process == process) {
        delete fresh;
        return owned->value;
      }
    return fresh->value;
  }

 private:
  struct Owned {
    pid_t process;
    T value;
  };
  std::atomic<Owned*> owned_ = nullptr;
};

}  // namespace kauri
