// What a process has once, and a forked child anew: locks that a thread of the parent may hold for ever there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>

namespace kauri {

/// A T, default-made, of the process that asks. A child gets one of its own: threads of the parent, which held the parent's at the time of
/// the fork, are not there to let go of it. As a variable of static storage duration; never destroyed, since threads may use it at exit.
template <class T>
class PerProcess {
 public:
  constexpr PerProcess() = default;
  PerProcess(const PerProcess&) = delete;
  PerProcess& operator=(const PerProcess&) = delete;

  /// Safe from several threads. Throws std::bad_alloc at the first call of a process.
  T& here() {
    const pid_t process = getpid();
    Owned* owned = owned_.load(std::memory_order_acquire);
    if (owned != nullptr && owned->process == process) return owned->value;
    auto* fresh = new Owned{process, {}};
    // Another thread of this process may have been faster; the parent's, which nobody may touch, stays where it is.
    while (!owned_.compare_exchange_weak(owned, fresh, std::memory_order_acq_rel, std::memory_order_acquire))
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
