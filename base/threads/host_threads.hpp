// Threads of oneTBB: arenas that the process reuses, threads that are started before they are
// needed, and no threads in a forked child that may have none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <mutex>

namespace kauri {

namespace host_threads {
/// True in a child that fork() made after start() had begun to make threads, or while another
/// thread of the process may have been inside oneTBB. Never reset.
inline std::atomic<bool> lost{false};

/// Ensures that `wanted` threads of oneTBB exist beside the calling one, or as many as oneTBB
/// allows the process; starts the threads that earlier calls have not started. Throws Error(memory)
/// if the system refuses a thread; a refusal to oneTBB itself, later, would end the process. Must
/// not be called if threads_lost().
void start(int wanted);

/// Returns the number of threads that start() has started.
int started();

/// Makes the process's first call of oneTBB, unless it was made before. No other thread can fork
/// meanwhile.
void begin_process();

/// Scope of a first call that loads libraries or creates locks, which a child would find half done:
/// during the scope no other thread of the process forks or is in a FirstCall. Holds nothing if
/// is_done is already set. The holder tests is_done again, since another thread may have made the
/// call meanwhile, sets it after the call, and calls nothing of kauri. It may fork itself, as
/// NVIDIA's driver does to run nvidia-modprobe.
class FirstCall {
 public:
  explicit FirstCall(const std::atomic<bool>& is_done);
  FirstCall(const FirstCall&) = delete;
  FirstCall& operator=(const FirstCall&) = delete;
  ~FirstCall();

 private:
  std::unique_lock<std::mutex> lock_;
};
}  // namespace host_threads

/// Returns true in a forked child if kauri had started threads in the parent, or if kauri had
/// called oneTBB there and the parent had other threads than the one that forked. In the child,
/// oneTBB takes those threads to exist and waits for locks that they hold. So nothing of oneTBB may
/// be called there, its allocator included; the calling thread does all work.
inline bool threads_lost() { return host_threads::lost.load(std::memory_order_relaxed); }

/// Returns the number of threads, the calling one included, that share the work of the calling
/// arena. Returns 1 if threads_lost(), and in an arena for which start() has not started the
/// threads, for example that of a caller outside with_threads(): oneTBB would start them there, and
/// end the process if the system refuses one.
int threads_here();

/// Calls f(). A thread that waits for tasks within f takes no tasks of oneTBB from outside f.
template <class F>
void isolated(F&& f) {
  if (threads_lost())
    f();
  else
    tbb::this_task_arena::isolate(f);
}

/// Returns a oneTBB context for the tasks of one loop or call. It is isolated: a context that is
/// bound to the enclosing one would be cancelled if a task beside this loop throws, in kauri or in
/// the calling program, and the loop would return as if it were complete. Its tasks run with the
/// calling thread's floating-point environment (rounding, flushing of denormals, traps). Without
/// that they would run with the environment in which the arena was first used: the process keeps
/// arenas (Arena), and results would depend on the number of threads.
inline tbb::task_group_context own_context() {
  return tbb::task_group_context(tbb::task_group_context::isolated,
                                 tbb::task_group_context::fp_settings);
}

/// A oneTBB arena of `threads` >= 1 threads, with one user at a time. The process keeps it for the
/// next user: releases up to at least 2021.8 never free the 7 KB of an arena that is destroyed
/// before a thread of oneTBB has looked at it (oneTBB issue 396). So the process keeps, for each
/// width, as many arenas as were in use at the same time.
class Arena {
 public:
  explicit Arena(int threads);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Runs f() in the arena and waits for it. If the arena is full, one of its threads runs f. The
  /// first call starts the arena's threads, and throws Error(memory) if the system refuses one.
  /// Must not be called if threads_lost().
  template <class F>
  void execute(const F& f) {
    if (!ready_.load(std::memory_order_acquire)) make_ready();
    auto own = own_context();  // oneTBB gives even the calling thread the arena's environment
    arena_->execute([&] { tbb::task_group(own).run_and_wait(f); });
  }

 private:
  void make_ready();

  int threads_;
  tbb::task_arena* arena_ = nullptr;  // owned by the process; null if threads_lost()
  std::atomic<bool> ready_{false};    // make_ready() has started the threads of the arena
};

}  // namespace kauri
