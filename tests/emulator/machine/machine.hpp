// A device on the CPU: the threads of a block are fibers of one thread of the host, which a seed
// orders.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace kauri::emulator {

/// Orders of all launches from here on; each launch has another.
void set_seed(std::uint64_t seed);

/// How often the properties of a device were asked for.
int times_properties_asked();

/// What the making of a graph asks of the runtime.
enum class GraphStep { none, begin_capture, capture, end_capture, instantiate, upload };
/// From here on this step fails, as it does where the driver has no memory for a graph; `capture`:
/// whatever is enqueued meanwhile.
void refuse_graphs_at(GraphStep step);
/// Steps refused so far, graphs made and launched; uploads are no part of the making.
struct GraphCounts {
  int refused = 0, made = 0, launched = 0;
};
GraphCounts graph_counts();

/// Of the launches from here on so many are taken, and all others refused as they are enqueued;
/// negative: none is refused.
void refuse_launches_after(int taken);

/// Copies from or to these bytes are counted from here on.
void watch_copies(std::span<const std::byte> host);
/// Those that are on streams which nobody has waited for since.
int copies_under_way();
/// Launches on streams that nobody has waited for since, the default stream's apart.
int launches_under_way();

/// A kernel and its launch.
struct Launch {
  unsigned blocks = 1;
  unsigned threads = 32;
  std::size_t shared_bytes = 0;
  bool all_at_once = false;    ///< cooperative; otherwise some blocks run beside one another
  std::function<void()> body;  ///< what a thread does
};

/// Runs it. Returns what went wrong: nothing, or why, and what each warp waits for.
std::string run(const Launch& launch);

/// Dynamic shared memory is an array that a source file declares, one per thread of the host; this
/// names it, so that it is poisoned.
class DynamicShared {
 public:
  using Find = std::span<std::byte> (*)();  ///< of the calling thread
  explicit DynamicShared(Find find);
};

// ---- what device code calls; on a fiber ----

/// Others may run.
void yield();
/// The same, now and then.
void maybe_yield();
/// Ends the launch.
[[noreturn]] void fail(const std::string& what);
/// What the whole device sees has changed, or somebody can go on: no deadlock.
void note_progress();
/// A look at a flag. Looks alone are no progress.
void note_look(const void* place, int value);
/// The same where a thread looks at several places in turn: no progress, however often they differ
/// from one another.
void note_look_in_turn(const void* place, int value);

/// The calling thread's clock, which goes on as it looks in vain, 4 us each time, and a millisecond
/// with each turn of all blocks without progress, from the 50th in a row on: at the 200th the
/// launch is ended.
std::uint64_t nanoseconds();

/// What all lanes of a warp do together.
enum class Together : int { sync, shuffle, vote, product, barrier };
/// The last lane to come does `combine` on the arguments of all; true for that lane.
bool together(Together what, void* mine, const std::function<void(void* const* lanes)>& combine);

/// Barrier `id` of the block among `threads` threads. Whole warps come.
void block_barrier(int id, int threads, bool waits);
/// All threads of the block.
void block_barrier();

/// `to` registers a thread from here on, `from` until here: the same for all four warps of a group,
/// which have met since they last changed theirs. A warp that takes registers waits until the block
/// has as many to spare; which of several waiting warps takes them is random.
void change_registers(int from, int to);

// Barriers in shared memory, as mbarrier.
void barrier_init(std::uint64_t* barrier, int arrivals);
void barrier_arrive(std::uint64_t* barrier, int bytes);
void barrier_wait(std::uint64_t* barrier, unsigned parity);

// Asynchronous copies: what they are to write is poisoned when they begin. They read and write at
// some time before the wait.
void bulk_copy(void* to, const void* from, int bytes, std::uint64_t* barrier);
void prefetch(const void* from, int bytes);
/// The thread has waited for this barrier, and reads what copies brought with it until a fence:
/// another copy there would overtake loads that are under way.
void note_reading(const std::uint64_t* barrier);
void proxy_fence();
void bulk_store(void* to, const void* from, int bytes);
void finish_stores();
void finish_store_reads();
void copy_async(void* to, const void* from, int bytes, bool there);
void commit_copies();
void wait_for_copies(int groups_left);
void finish_async_copies();

// Products of a group: computed as late as the thread's wait for them, from what their operands are
// then.
void ask_for_product(std::function<void()> compute);
void commit_products();
void wait_for_products(int groups_left);

}  // namespace kauri::emulator
