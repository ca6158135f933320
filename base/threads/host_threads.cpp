// Arenas and threads of the process, and the state of a forked child.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/threads/host_threads.hpp"

#include <fcntl.h>
#include <oneapi/tbb/cache_aligned_allocator.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/host/control_groups.hpp"
#include "base/threads/allowed_threads.hpp"
#include "base/threads/per_process.hpp"
#include "kauri/core/error.hpp"

namespace kauri {
namespace {

/// Arenas with the same number of threads.
struct Width {
  std::vector<tbb::task_arena*> free;  // arenas that no Arena uses now
  std::size_t made = 0;  // number of arenas; `free` has room for all, so that ~Arena() cannot throw
};

/// State of the process. Never destroyed: detached threads may still run while the process exits.
struct Process {
  std::mutex arenas;            // guards widths, wanted and used; a thread holds it while it forks
  std::map<int, Width> widths;  // by number of threads
  // Sum of (threads - 1) over the arenas in `used`: the calling thread of each is not counted. An
  // arena may request its threads for a while after its last use, so the sum never decreases.
  int wanted = 0;
  std::set<const tbb::task_arena*> used;  // arenas counted in `wanted`

  std::atomic<bool> awake{false};  // wake_tbb() has been called
  std::mutex starting;  // guards the creation of threads; a child in which it may be locked has
                        // lost its threads, and never touches it
  std::unique_ptr<tbb::task_arena>
      keeper;  // never destroyed: with an arena, oneTBB keeps its threads
  std::atomic<bool> begun{false};
  std::atomic<int> started{0};
};

std::atomic<Process*> only_process{nullptr};

/// Returns false if the calling thread is the only one of the process; then no other thread is
/// inside oneTBB or its allocator. Returns true if the number of threads cannot be read.
bool other_threads_run() {
  char text[1024];
  const int file = ::open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  const ssize_t got = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (got <= 0) return true;
  text[got] = '\0';
  const char* at =
      std::strrchr(text, ')');  // end of the name; the thread count is the 18th field after it
  for (int field = 0; at != nullptr && field < 18; ++field) at = std::strchr(at + 1, ' ');
  return at == nullptr || std::atoi(at + 1) != 1;
}

thread_local bool is_in_first_call = false;

/// Registers handlers that hold Process::arenas while a thread forks, and that set `lost` in the
/// child if start() had begun to make threads, or if oneTBB had been called and other threads ran.
/// A child may register the handlers again: then each fork calls them several times, of which the
/// first locks and the last unlocks. A thread within a FirstCall holds the lock already; it may
/// fork, and the handlers then do nothing. Throws std::bad_alloc if the system registers none.
void register_fork() {
  static thread_local int depth = 0;
  static thread_local Process* held = nullptr;
  static thread_local bool others = false;
  const auto prepare = [] {
    if (depth++ > 0) return;
    held = is_in_first_call ? nullptr : only_process.load();
    if (held == nullptr) return;
    held->arenas.lock();
    others = other_threads_run();
  };
  const auto parent = [] {
    if (--depth == 0 && held != nullptr) held->arenas.unlock();
  };
  const auto child = [] {
    if (--depth > 0 || held == nullptr) return;
    held->arenas.unlock();
    if (held->begun || (held->awake && others))
      host_threads::lost.store(true, std::memory_order_relaxed);
  };
  if (pthread_atfork(prepare, parent, child) != 0) throw std::bad_alloc();
}

/// Calls the functions of oneTBB that create locks and load libraries when they are first called:
/// the first reads the machine's topology, the last loads oneTBB's allocator.
void wake_tbb() {
  static_cast<void>(tbb::info::default_concurrency());
  static_cast<void>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  tbb::cache_aligned_allocator<char> allocator;
  allocator.deallocate(allocator.allocate(1), 1);
}

PerProcess<std::mutex> making;

/// Returns the state of the process. Its first call also makes the process's first calls of oneTBB,
/// while no other thread can fork. The state is not a local static: if a thread constructed a local
/// static while another one forks, the static's guard would stay locked in the child.
Process& process() {
  Process* now = only_process.load(std::memory_order_acquire);
  if (now == nullptr) {
    const std::lock_guard lock(making.here());
    now = only_process.load(std::memory_order_acquire);
    if (now == nullptr) {
      auto fresh = std::make_unique<Process>();
      register_fork();
      only_process.store(now = fresh.release(), std::memory_order_release);
    }
  }
  if (!now->awake.load(std::memory_order_acquire)) {
    const std::lock_guard lock(now->arenas);
    if (!now->awake) wake_tbb();
    now->awake.store(true, std::memory_order_release);
  }
  return *now;
}

/// Meeting point of jobs that each hold a thread of oneTBB, in stay(), until end() is called. The
/// jobs share ownership, since one may start late.
class Roll {
 public:
  void stay() {
    std::unique_lock lock(mutex_);
    ++present_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return over_; });
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    ++gone_;
    changed_.notify_all();
  }
  /// Waits until `count` jobs have started, but at most 200 ms: threads that are busy with other
  /// work come later.
  void wait_for(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(200), [&] { return present_ >= count; });
  }
  /// Makes stay() return for all jobs, also for jobs that start later. Then waits, for 1 s at
  /// most, until as many threads have called leave() as jobs have started.
  void end() {
    std::unique_lock lock(mutex_);
    over_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::seconds(1), [&] { return gone_ >= present_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int present_ = 0, gone_ = 0;
  bool over_ = false;
};

/// An arena of one worker thread that runs one job, Roll::stay(). When the thread leaves the arena,
/// which then requests no thread any more, it calls Roll::leave().
class JobArena : public tbb::task_scheduler_observer {
 public:
  explicit JobArena(std::shared_ptr<Roll> roll)
      : tbb::task_scheduler_observer(arena_), roll_(std::move(roll)) {}
  JobArena(const JobArena&) = delete;
  JobArena& operator=(const JobArena&) = delete;
  ~JobArena() override { observe(false); }
  void ask() {
    arena_.initialize(1, 0);
    observe(true);
    arena_.enqueue([roll = roll_] { roll->stay(); });
  }
  void on_scheduler_exit(bool) override { roll_->leave(); }

 private:
  tbb::task_arena arena_{1, 0};
  std::shared_ptr<Roll> roll_;
};

[[noreturn]] void refuse_threads(int had, int wanted, const std::string& why) {
  throw Error(ErrorKind::memory, "the system gave " + std::to_string(had) + " of " +
                                     std::to_string(wanted) + " threads beside the calling one (" +
                                     why +
                                     "): limits on processes (ulimit -u, pids.max) and on memory "
                                     "count threads; threads = 1 needs none");
}

/// Makes oneTBB have `wanted` threads beside the calling one, by one JobArena after the other,
/// whose jobs hold all threads until the last one has started. So the calling thread creates every
/// thread, and throws Error(memory) if the system refuses one. In one wide arena, oneTBB's worker
/// threads would create most of the others, and end the process if one is refused. The caller holds
/// p.starting. Sets p.started.
void start_one_by_one(Process& p, int wanted) {
  const auto roll = std::make_shared<Roll>();
  std::vector<std::unique_ptr<JobArena>> places;
  places.reserve(static_cast<std::size_t>(wanted));
  try {
    for (int k = 0; k < wanted; ++k) {
      places.push_back(std::make_unique<JobArena>(roll));
      places.back()->ask();
    }
  } catch (const std::runtime_error& error) {  // thrown by oneTBB if pthread_create() fails
    roll->end();
    const int had = static_cast<int>(places.size()) - 1;
    static_cast<void>(
        places.back().release());  // leaked: its job waits for a thread that never comes
    p.started = std::max(p.started.load(), had);
    refuse_threads(had, wanted, error.what());
  } catch (...) {
    roll->end();
    throw;
  }
  roll->wait_for(wanted);  // an arena destroyed before a thread has entered it leaks its memory
  roll->end();
  p.started = wanted;
}

}  // namespace

namespace host_threads {

void start(int wanted) {
  wanted = std::min(wanted, allowed_threads() - 1);
  Process& p = process();
  if (wanted <= p.started.load(std::memory_order_acquire)) return;
  p.begun = true;
  const std::lock_guard lock(p.starting);
  if (!p.keeper) {
    auto keeper = std::make_unique<tbb::task_arena>(1);
    keeper->initialize();
    p.keeper = std::move(keeper);
  }
  if (wanted > p.started) start_one_by_one(p, wanted);
}

int started() { return process().started; }

void begin_process() { static_cast<void>(process()); }

FirstCall::FirstCall(const std::atomic<bool>& is_done) {
  if (is_done) return;
  lock_ = std::unique_lock(process().arenas);
  is_in_first_call = true;
}

FirstCall::~FirstCall() {
  if (lock_) is_in_first_call = false;
}

}  // namespace host_threads

int threads_here() {
  const Process* p = only_process.load(std::memory_order_acquire);
  const int others = p == nullptr ? 0 : p->started.load(std::memory_order_acquire);
  if (others == 0 || threads_lost()) return 1;
  const int all = tbb::this_task_arena::max_concurrency();
  return all - 1 <= others || allowed_threads() - 1 <= others ? all : 1;
}

int default_threads() {
  if (threads_lost()) return 1;
  static std::atomic<int> quota{0};  // most threads by the CPU quotas; 0: not read yet
  if (quota == 0) quota = processors_of_groups().value_or(std::numeric_limits<int>::max());
  const int allowed = allowed_threads();
  return allowed == tbb::info::default_concurrency() ? std::min(allowed, quota.load()) : allowed;
}

Arena::Arena(int threads) : threads_(threads) {
  if (threads_lost()) return;
  Process& p = process();
  const std::lock_guard lock(p.arenas);
  Width& width = p.widths[threads];
  if (width.free.empty()) {
    width.free.reserve(width.made + 1);
    arena_ = new tbb::task_arena(threads);
    ++width.made;
  } else {
    arena_ = width.free.back();
    width.free.pop_back();
  }
}

Arena::~Arena() {
  if (threads_lost()) return;
  Process& p = process();
  const std::lock_guard lock(p.arenas);
  p.widths.find(threads_)->second.free.push_back(arena_);
}

void Arena::make_ready() {
  Process& p = process();
  const auto most = [&] {
    const std::lock_guard lock(p.arenas);
    return p.wanted + (p.used.contains(arena_) ? 0 : threads_ - 1);
  };
  host_threads::start(most());
  const std::lock_guard lock(p.arenas);
  if (p.used.insert(arena_).second) p.wanted += threads_ - 1;
  ready_.store(true, std::memory_order_release);
}

}  // namespace kauri
