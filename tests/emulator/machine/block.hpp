// A block of the emulated device: fibers, their waits, and copies under way.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bitset>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/emulator/machine/fiber.hpp"
#include "tests/emulator/machine/machine.hpp"

namespace kauri::emulator {

using Random = std::minstd_rand;

/// State of a launch.
struct Status {
  std::uint64_t progress = 0;
  std::uint64_t stalled_rounds = 0;
  std::string failure;
};

/// A thread of a block.
struct Thread {
  Fiber fiber;
  int index = 0;
  int shown = 0;  ///< threadIdx.x
  bool done = false;
  std::string (*describe)(const Thread&) =
      nullptr;  ///< returns a text about what the thread waits for
  const void* place = nullptr;
  int number = 0;

  std::uint64_t looks = 0;  ///< reads of the clock
  const void* looked_at = nullptr;
  int seen = 0;

  struct Copy {
    void* to;
    const void* from;
    int bytes;
    bool there;
    int group;
  };
  std::vector<Copy> copies;
  int group = 0;
  struct Product {
    std::function<void()> compute;
    int group;
  };
  std::vector<Product> products;
  int product_group = 0;
  struct Store {
    void* to;
    const void* from;
    std::vector<std::byte> held;
    bool read;
  };
  std::vector<Store> stores;

  void read_stores();
  void write_stores();
};

struct Warp {
  unsigned runnable = 0;  ///< one bit per lane
  unsigned spinning = 0;  ///< one bit per lane that was in a loop that waits when it last ran
  int arrived = 0;
  Together what = Together::sync;
  std::array<void*, 32> argument{};
  std::vector<int> registers;  ///< per thread, after each change of the warp
  int wanted_registers = 0;    ///< per thread, while the warp waits until the block can spare them
};

/// A named barrier.
struct NamedBarrier {
  int arrived = 0;
  int expected = 0;
  std::vector<int> waiting;  ///< waiting warps
};

class Block {
 public:
  void begin(const Launch& launch, unsigned index, std::uint64_t seed, Status& status);
  [[nodiscard]] bool done() const { return live_ == 0; }
  /// Lets threads run for a while, or until none can run.
  void slice();
  [[nodiscard]] std::string describe() const;
  /// Ends the threads that still run.
  void abandon();

  // Members for the running thread:
  [[nodiscard]] Thread& thread() { return *running_; }
  [[nodiscard]] Warp& warp() { return warps_[static_cast<std::size_t>(running_->index / 32)]; }
  /// Returns the threads that barriers of the block wait for. Ended wavefronts take no part.
  [[nodiscard]] int size() const;
  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] Status& status() { return *status_; }
  void yield();
  void spin();
  /// Suspends the thread until wake().
  void block(std::string (*what)(const Thread&), const void* place, int number);
  void wake(int thread);
  void arrive(int id, int threads, bool waits);
  void wait_for(std::uint64_t* barrier);
  void completed(const std::uint64_t* barrier);

  struct BulkCopy {
    void* to;
    const void* from;
    int bytes;
    std::uint64_t* barrier;
  };
  std::vector<BulkCopy> bulk_copies;

  /// An arrival at a barrier that a thread's copies so far come before.
  struct Arrival {
    int thread;
    std::vector<Thread::Copy> copies;
    std::uint64_t* barrier;

    void finish_copies();
  };
  std::vector<Arrival> arrivals;

  /// Bytes that a copy has written, and the threads that read them.
  struct Brought {
    const std::byte* begin;
    const std::byte* end;
    const std::uint64_t* barrier;
    std::bitset<1024> readers;
  };
  std::vector<Brought> brought;
  /// Fails if a thread may still read bytes that a new copy overwrites.
  void forget_brought(const void* to, int bytes);
  void change_registers(int from, int to);

 private:
  void resume(Thread& thread);
  void suspend(Thread& thread);
  void run_thread();
  int pick_warp();
  /// Returns the lanes of a warp that may run now, none if another warp of its wavefront may alone.
  [[nodiscard]] unsigned lanes_of(std::size_t warp) const;
  void release(NamedBarrier& barrier);
  void finish_bulk_copy();
  void finish_arrival();
  /// Finishes a copy that threads wait for at a barrier, or some. Returns false if there is none.
  bool finish_some();
  void grant_registers();

  std::function<void()> body_;
  Random random_;
  Status* status_ = nullptr;
  unsigned index_ = 0, threads_per_block_ = 0, blocks_ = 0;
  std::vector<std::unique_ptr<Thread>> threads_;  // at least as many as in any launch so far
  std::vector<Warp> warps_;
  std::array<NamedBarrier, 16> barriers_;
  struct Waiter {
    const std::uint64_t* barrier;
    int thread;
  };
  std::vector<Waiter> waiters_;
  int live_ = 0;
  int spare_registers_ = 0;  // in registers per thread of a warp
  bool abandoned_ = false;
  unsigned favoured_ = ~0U;
  int until_redrawn_ = 0;
  Thread* running_ = nullptr;
};

/// Returns the block that runs on the calling thread of the host.
Block& current_block();

/// Fails if there is no initialised barrier in shared memory at this place.
void check_barrier(const std::uint64_t* barrier);

}  // namespace kauri::emulator
