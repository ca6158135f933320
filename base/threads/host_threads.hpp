// The threads of oneTBB as kauri uses them: arenas that outlive their users, threads that are started before they are needed, and none in
// a forked child.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <mutex>

namespace kauri {

namespace host_threads {
/// Set in a child that fork() made after start() had begun to make threads, or while another thread of the process may have been within
/// oneTBB, for ever.
inline std::atomic<bool> lost{false};

/// Has `wanted` threads of oneTBB beside the calling one, or as many as oneTBB allows the process, run and wait for work; those that were
/// started before count. Started later, by oneTBB itself, one that the system refuses would end the process. Throws Error(memory) where the
/// system refuses one now. Not to be called where oneTBB's threads are lost.
void start(int wanted);

/// Threads that start() has started so far.
int started();

/// Makes the first call of oneTBB of the process where none was made: by it, not elsewhere, so that no thread forks meanwhile.
void begin_process();

/// A first call that loads libraries or makes locks, which a child would find half done: as long as this lives, no other thread of the
/// process forks. Where is_done already, nothing is held. The holder sets is_done after the call, and calls nothing of kauri; it may fork
/// itself, as NVIDIA's driver does to run nvidia-modprobe.
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

/// True in a forked child of a process in which kauri had threads, or others beside the one that forked: oneTBB takes them to be there, and
/// waits for what they hold. Nothing of oneTBB may be called any more, its allocator included; the calling thread does everything.
inline bool threads_lost() { return host_threads::lost.load(std::memory_order_relaxed); }

/// How many threads, the calling one among them, share the work of its arena: 1 in an arena for which start() has not started the threads,
/// such as that of a caller outside of with_threads(). oneTBB would start them there, and end the process where one is refused.
int threads_here();

/// f() while the calling thread, should it wait, takes up no work from outside f.
template <class F>
void isolated(F&& f) {
  if (threads_lost())
    f();
  else
    tbb::this_task_arena::isolate(f);
}

/// An arena of oneTBB of so many threads, 1 or more, of one user at a time. The process keeps it for the next one: where no thread of
/// oneTBB has looked at an arena by the time that it is destroyed, releases up to 2021.8 at least never give its 7 KB back (oneTBB issue
/// 396). So the process has as many as were in use at a time, of each width.
class Arena {
 public:
  explicit Arena(int threads);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// f() in the arena, by another thread where all its places are taken; waits for it. The first call has the arena's threads started:
  /// Error(memory) where they cannot be. Not to be called where threads are lost.
  template <class F>
  void execute(const F& f) {
    if (!ready_.load(std::memory_order_acquire)) make_ready();
    arena_->execute(f);
  }

 private:
  void make_ready();

  int threads_;
  tbb::task_arena* arena_ = nullptr;  // of the process
  std::atomic<bool> ready_{false};    // its threads were asked for
};

}  // namespace kauri
