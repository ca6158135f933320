// A device on the CPU: the threads of a block are fibers of one thread of the host, scheduled by a
// seed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace kauri::emulator {

/// Seeds the orders of all later launches; each launch gets another order.
void set_seed(std::uint64_t seed);

/// Sets the lanes of a wavefront, 32 or 64, whose lanes run in lockstep from here on: while some of
/// them are in a loop that waits, the others, which have left it or are on another way, stand
/// still. 0, as at the beginning: threads run independently.
void run_in_wavefronts(int lanes);
/// Returns the threads that run in lockstep, or 32 if threads run independently.
int wavefront();

/// Returns how often the properties of a device were read.
int times_properties_asked();

/// Steps of making a graph, as calls of the runtime.
enum class GraphStep { none, begin_capture, capture, end_capture, instantiate, upload };
/// Makes this step fail from here on, as it does if the driver has no memory for a graph.
/// `capture`: any work that is enqueued during a capture fails.
void refuse_graphs_at(GraphStep step);
/// Refused steps, and graphs made and launched so far; a graph counts as made before its upload.
struct GraphCounts {
  int refused = 0, made = 0, launched = 0;
};
GraphCounts graph_counts();

/// Accepts this many launches from here on and refuses all later ones when they are enqueued;
/// negative: accepts all.
void refuse_launches_after(int taken);

/// Sets whether the device says that it ends kernels that run for long, as one with a display does.
/// It never ends one.
void limit_kernel_time(bool limited);

/// Sets whether the device reports no clock, no memory rate and no ratio of float to double.
void hide_rates(bool hidden);

/// Sets how many multiply-adds in float the device says that it does in the time of one in double,
/// at first 2. It computes as before.
void report_single_to_double(int ratio);

/// Counts copies from or to these bytes from here on.
void watch_copies(std::span<const std::byte> host);
/// Returns the number of counted copies on streams that were not waited for since.
int copies_under_way();
/// Returns the number of launches on streams, except the default stream, that were not waited for
/// since.
int launches_under_way();

/// A kernel and its launch.
struct Launch {
  unsigned blocks = 1;
  unsigned threads = 32;
  std::size_t shared_bytes = 0;
  bool all_at_once = false;    ///< cooperative; otherwise a few blocks run concurrently
  std::function<void()> body;  ///< executed by each thread
};

/// Runs the launch. Returns an empty text or, after a failure, its cause and what each warp waits
/// for.
std::string run(const Launch& launch);

/// Registers an array that a source file declares as dynamic shared memory, one per thread of the
/// host, so that launches poison it.
class DynamicShared {
 public:
  using Find = std::span<std::byte> (*)();  ///< array of the calling thread
  explicit DynamicShared(Find find);
};

// ---- called by device code, on a fiber ----

/// Lets other threads run.
void yield();
/// Lets other threads run from time to time.
void maybe_yield();
/// Lets other threads run, in a loop that waits.
void spin();
/// Makes the thread one of a warp that is the lower half of a wavefront, or if these have 32 lanes
/// all of it: threadIdx counts such threads alone from here on. Returns the number of the hardware
/// thread.
unsigned take_wavefront();
/// Ends the launch with this failure.
[[noreturn]] void fail(const std::string& what);
/// Records progress (a change visible to the whole device, or a thread that can go on), which rules
/// out a deadlock.
void note_progress();
/// Records a read of a flag. It is progress only if the flag or its value differs from the thread's
/// last read.
void note_look(const void* place, int value);
/// Records a read of one of several flags in turn. It is never progress, since their values may
/// differ.
void note_look_in_turn(const void* place, int value);

/// Returns the calling thread's clock. It advances by 4 us with each read, and by a millisecond
/// with each turn of all blocks without progress after the 50th in a row; the 200th such turn ends
/// the launch.
std::uint64_t nanoseconds();

/// Operations of all lanes of a warp together.
enum class Together : int { sync, shuffle, vote, product, barrier };
/// Waits for all lanes; the last one calls `combine` on the arguments of all, and returns true.
bool together(Together what, void* mine, const std::function<void(void* const* lanes)>& combine);

/// Waits at barrier `id` of the block among `threads` threads, in whole warps.
void block_barrier(int id, int threads, bool waits);
/// Waits for all threads of the block.
void block_barrier();

/// Changes the registers per thread of a warp from `from` to `to`. All four warps of a group must
/// make the same change, and must have met since their last one. A warp that takes registers waits
/// until the block can spare them; which of several waiting warps is served first is random.
void change_registers(int from, int to);

// Barriers in shared memory, as mbarrier.
void barrier_init(std::uint64_t* barrier, int arrivals);
void barrier_arrive(std::uint64_t* barrier, int bytes);
void barrier_wait(std::uint64_t* barrier, unsigned parity);
/// Returns true if the phase has completed, at once. Call spin() in a loop of such tests.
bool barrier_test(const std::uint64_t* barrier, unsigned parity);

// Asynchronous copies. Their destination is poisoned when they begin; they read and write at some
// time before the wait.
void bulk_copy(void* to, const void* from, int bytes, std::uint64_t* barrier);
void prefetch(const void* from, int bytes);
/// Records that the thread has waited for this barrier and reads what its copies brought, until a
/// fence. Another copy to that place before the fence could overtake loads that are under way, and
/// fails.
void note_reading(const std::uint64_t* barrier);
void proxy_fence();
void bulk_store(void* to, const void* from, int bytes);
void finish_stores();
void finish_store_reads();
void copy_async(void* to, const void* from, int bytes, bool there);
/// Arrives at the barrier when the thread's copies so far have come, at some later time.
void arrive_after_copies(std::uint64_t* barrier);
void commit_copies();
void wait_for_copies(int groups_left);
void finish_async_copies();

// Products of a group, which are computed when the thread waits for them, from the operands at that
// time.
void ask_for_product(std::function<void()> compute);
void commit_products();
void wait_for_products(int groups_left);

}  // namespace kauri::emulator
