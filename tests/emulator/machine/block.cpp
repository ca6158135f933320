// Threads and barriers of one block; bulk copies as they arrive.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "tests/emulator/machine/indices.hpp"

namespace kauri::emulator {
namespace {

thread_local Block* current = nullptr;
int lockstep = 0;  // lanes of a wavefront, 0 if threads run independently

/// Thrown on a fiber whose launch has failed, so that its stack is unwound.
struct Abandoned {};

constexpr int kUntilRedrawn = 64;  // choices of a warp among the same favoured ones

std::string hexadecimal(const void* place) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", place);
  return text;
}

std::string describe_named(const Thread& t) { return "barrier " + std::to_string(t.number); }
std::string describe_shared_barrier(const Thread& t) {
  return "the barrier in shared memory at " + hexadecimal(t.place);
}
std::string describe_registers(const Thread& t) {
  return std::to_string(t.number) + " registers a thread";
}
std::string describe_together(const Thread& t) {
  constexpr const char* kNames[] = {"__syncwarp", "a shuffle", "a vote", "a product", "a barrier"};
  return std::string("the other lanes in ") + kNames[t.number];
}
std::string describe_running(const Thread& t) {
  if (t.looked_at == nullptr) return "nothing: it runs";
  return "the flag at " + hexadecimal(t.looked_at) + ", " + std::to_string(t.seen) + " so far";
}

/// mbarrier, in its 64 bits.
struct SharedBarrier {
  std::uint16_t pending, expected;
  std::uint32_t phase : 1;
  std::int32_t bytes : 31;
};
static_assert(sizeof(SharedBarrier) == sizeof(std::uint64_t));

SharedBarrier load(const std::uint64_t* barrier) {
  const auto state = std::bit_cast<SharedBarrier>(*barrier);
  if (state.expected == 0 || state.expected > 1024)
    fail("a barrier in shared memory at " + hexadecimal(barrier) + " was not initialised");
  return state;
}

/// Stores the state, and ends the phase if it is complete.
void store(std::uint64_t* barrier, SharedBarrier state) {
  const bool complete = state.pending == 0 && state.bytes == 0;
  if (complete) state.pending = state.expected, state.phase ^= 1U;
  *barrier = std::bit_cast<std::uint64_t>(state);
  note_progress();
  if (complete) current->completed(barrier);
}

}  // namespace

Block& current_block() { return *current; }

void Block::begin(const Launch& launch, unsigned index, std::uint64_t seed, Status& status) {
  body_ = launch.body;
  random_.seed(static_cast<unsigned>(seed));
  status_ = &status;
  index_ = index, threads_per_block_ = launch.threads, blocks_ = launch.blocks;
  const auto count = static_cast<std::size_t>(launch.threads);
  while (threads_.size() < count) threads_.push_back(std::make_unique<Thread>());
  for (std::size_t t = 0; t < count; ++t) {
    Thread& thread = *threads_[t];
    thread.index = thread.shown = static_cast<int>(t);
    thread.done = false;
    thread.describe = describe_running;
    thread.looked_at = nullptr;
    thread.group = 0;
    thread.products.clear(), thread.product_group = 0;
    thread.copies.clear();
    thread.stores.clear();
    thread.fiber.start([this] { run_thread(); });
  }
  warps_.assign(count / 32, Warp{});
  for (Warp& w : warps_) w.runnable = ~0U;
  barriers_ = {};
  waiters_.clear();
  bulk_copies.clear();
  arrivals.clear();
  brought.clear();
  live_ = static_cast<int>(count);
  spare_registers_ = 0;
  until_redrawn_ = 0;
  abandoned_ = false;
}

void Block::run_thread() {
  Thread& self = *running_;
  try {
    if (!abandoned_) body_();
    for (const Thread::Store& s : self.stores)
      if (!s.read)
        fail("thread " + std::to_string(self.index) +
             " ended before its stores had read shared memory");
    self.write_stores();
  } catch (const Abandoned&) {
  }
  self.done = true;
  warps_[static_cast<std::size_t>(self.index / 32)].runnable &= ~(1U << self.index % 32);
  --live_;
  note_progress();
  NamedBarrier& all = barriers_[0];
  if (lockstep != 0 && all.arrived > 0 && all.arrived == live_) release(all);
}

int Block::size() const { return lockstep != 0 ? live_ : static_cast<int>(threads_per_block_); }

void Block::resume(Thread& thread) {
  current = this;
  running_ = &thread;
  threadIdx.x = static_cast<unsigned>(thread.shown), blockIdx.x = index_,
  blockDim.x = threads_per_block_, gridDim.x = blocks_;
  thread.fiber.resume();
}

int Block::pick_warp() {
  unsigned able = 0;
  for (std::size_t w = 0; w < warps_.size(); ++w)
    if (warps_[w].runnable != 0) able |= 1U << w;
  if (able == 0) return -1;
  if (--until_redrawn_ <= 0) {
    until_redrawn_ = 1 + static_cast<int>(random_() % kUntilRedrawn);
    favoured_ = static_cast<unsigned>(random_());
  }
  if ((able & favoured_) != 0 && random_() % 8 != 0) able &= favoured_;
  for (auto skip = static_cast<int>(random_() % static_cast<unsigned>(std::popcount(able)));
       skip > 0; --skip)
    able &= able - 1;
  return std::countr_zero(able);
}

unsigned Block::lanes_of(std::size_t warp) const {
  const Warp& own = warps_[warp];
  if (lockstep == 0) return own.runnable;
  const auto spinning = [](const Warp& w) { return w.runnable & w.spinning; };
  if (spinning(own) != 0) return spinning(own);
  const std::size_t other = warp ^ 1U;
  const bool waits = lockstep == 64 && other < warps_.size() && spinning(warps_[other]) != 0;
  return waits ? 0 : own.runnable;
}

void Block::finish_bulk_copy() {
  const auto at = bulk_copies.begin() + static_cast<std::ptrdiff_t>(random_() % bulk_copies.size());
  const BulkCopy copy = *at;
  bulk_copies.erase(at);
  std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.bytes));
  const auto* to = static_cast<const std::byte*>(copy.to);
  brought.push_back({to, to + copy.bytes, copy.barrier, {}});
  SharedBarrier state = load(copy.barrier);
  state.bytes -= copy.bytes;
  store(copy.barrier, state);
}

void Block::finish_arrival() {
  const std::size_t last = random_() % arrivals.size();
  const Arrival chosen{arrivals[last].thread, {}, arrivals[last].barrier};
  for (std::size_t k = 0; k <= last; ++k)
    if (arrivals[k].thread == chosen.thread) arrivals[k].finish_copies();
  arrivals.erase(arrivals.begin() + static_cast<std::ptrdiff_t>(last));
  SharedBarrier state = load(chosen.barrier);
  if (state.pending == 0) fail("too many arrivals at a barrier after copies");
  --state.pending;
  store(chosen.barrier, state);
}

bool Block::finish_some() {
  const bool any = !bulk_copies.empty() || !arrivals.empty();
  if (!bulk_copies.empty()) finish_bulk_copy();
  if (!arrivals.empty())  // each lane of a warp has one
    for (auto left = 1 + random_() % 32; left > 0 && !arrivals.empty(); --left) finish_arrival();
  return any;
}

void Block::slice() {
  current = this;
  int idle = 0;
  for (auto left = static_cast<int>(32 + random_() % 512);
       left > 0 && live_ > 0 && status_->failure.empty(); --left) {
    if ((!bulk_copies.empty() || !arrivals.empty()) && random_() % 8 == 0) finish_some();
    const int w = pick_warp();
    if (w < 0) {
      if (!finish_some()) return;
      continue;
    }
    const std::uint64_t before = status_->progress;
    Warp& warp = warps_[static_cast<std::size_t>(w)];
    const unsigned lanes = warp.runnable, first = static_cast<unsigned>(random_()) % 32;
    for (unsigned k = 0; k < 32 && status_->failure.empty(); ++k) {
      const unsigned lane = (first + k) % 32;
      if ((lanes & lanes_of(static_cast<std::size_t>(w)) & 1U << lane) == 0) continue;
      warp.spinning &= ~(1U << lane);
      resume(*threads_[static_cast<std::size_t>(w) * 32 + lane]);
    }
    idle = status_->progress == before ? idle + 1 : 0;
    if (idle > 4 * static_cast<int>(warps_.size())) return;
  }
}

void Block::forget_brought(const void* to, int bytes) {
  const auto *begin = static_cast<const std::byte*>(to), *end = begin + bytes;
  std::erase_if(brought, [&](const Brought& b) {
    if (!std::less<>()(begin, b.end) || !std::less<>()(b.begin, end)) return false;
    for (std::size_t t = 0; t < b.readers.size(); ++t)
      if (b.readers[t])
        fail("a copy to " + hexadecimal(to) + ", where thread " + std::to_string(t) +
             " has read without a proxy fence since");
    return true;
  });
}

void Block::grant_registers() {
  const std::size_t first = random_() % warps_.size();
  for (std::size_t k = 0; k < warps_.size(); ++k) {
    Warp& warp = warps_[(first + k) % warps_.size()];
    if (warp.wanted_registers == 0 || warp.wanted_registers > spare_registers_) continue;
    spare_registers_ -= warp.wanted_registers;
    warp.wanted_registers = 0;
    warp.runnable = ~0U;
    note_progress();
  }
}

void Block::change_registers(int from, int to) {
  const std::size_t mine = static_cast<std::size_t>(running_->index) / 32, first = mine / 4 * 4,
                    end = first + 4;
  const std::size_t turn = warps_[mine].registers.size();
  for (const int count : {from, to})
    if (count < 24 || count > 256 || count % 8 != 0)
      fail("registers cannot be " + std::to_string(count) + " a thread");
  if (turn > 0 && warps_[mine].registers.back() != from)
    fail("warp " + std::to_string(mine) + " has " + std::to_string(warps_[mine].registers.back()) +
         " registers a thread, not " + std::to_string(from));
  if (end > warps_.size()) fail("a change of registers in a group of fewer than four warps");
  for (std::size_t w = first; w < end; ++w) {
    const std::vector<int>& other = warps_[w].registers;
    if (other.size() < turn)
      fail("warp " + std::to_string(mine) + " changes its registers again before warp " +
           std::to_string(w) + " has");
    if (other.size() > turn && other[turn] != to)
      fail("warps of a group that change their registers differently");
  }
  warps_[mine].registers.push_back(to);
  if (to < from)
    spare_registers_ += from - to;
  else
    warps_[mine].wanted_registers = to - from;
  grant_registers();
}

std::string Block::describe() const {
  std::string all;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    const auto first = threads_.begin() + static_cast<std::ptrdiff_t>(32 * w);
    const auto waits = [](const std::unique_ptr<Thread>& t) {
      return t->done ? std::string("nothing: it has ended") : t->describe(*t);
    };
    for (auto t = first; t != first + 32;) {
      const std::string what = waits(*t);
      const auto end =
          std::find_if(t, first + 32, [&](const auto& other) { return waits(other) != what; });
      all += "\n  block " + std::to_string(index_) + " warp " + std::to_string(w) + " lanes " +
             std::to_string(t - first) + "-" + std::to_string(end - first - 1) + " wait for " +
             what;
      t = end;
    }
  }
  for (std::size_t b = 0; b < barriers_.size(); ++b)
    if (barriers_[b].arrived > 0)
      all += "\n  block " + std::to_string(index_) + " barrier " + std::to_string(b) + ": " +
             std::to_string(barriers_[b].arrived) + " of " + std::to_string(barriers_[b].expected) +
             " threads there";
  return all;
}

void Block::suspend(Thread& thread) {
  thread.fiber.suspend();
  if (abandoned_) throw Abandoned{};
}

void Block::abandon() {
  abandoned_ = true;
  for (const auto& thread : threads_)
    if (!thread->done) resume(*thread);
}

void Block::yield() { suspend(*running_); }

void Block::spin() {
  warp().spinning |= 1U << running_->index % 32;
  suspend(*running_);
}

void Block::block(std::string (*what)(const Thread&), const void* place, int number) {
  Thread& self = *running_;
  self.describe = what, self.place = place, self.number = number;
  warps_[static_cast<std::size_t>(self.index / 32)].runnable &= ~(1U << self.index % 32);
  suspend(self);
  self.describe = describe_running;
}

void Block::wake(int thread) {
  warps_[static_cast<std::size_t>(thread / 32)].runnable |= 1U << thread % 32;
}

void Block::arrive(int id, int threads, bool waits) {
  NamedBarrier& barrier = barriers_[static_cast<std::size_t>(id)];
  if (threads % 32 != 0 || threads > size())
    fail("barrier " + std::to_string(id) + " of " + std::to_string(threads) + " threads");
  if (barrier.arrived > 0 && barrier.expected != threads && lockstep == 0)
    fail("barrier " + std::to_string(id) + " of " + std::to_string(barrier.expected) +
         " threads and of " + std::to_string(threads));
  barrier.expected = threads;
  barrier.arrived += 32;
  const int warp = running_->index / 32;
  if (waits) barrier.waiting.push_back(warp);
  note_progress();
  if (barrier.arrived == threads) release(barrier);
}

void Block::release(NamedBarrier& barrier) {
  for (const int w : barrier.waiting) warps_[static_cast<std::size_t>(w)].runnable = ~0U;
  barrier = {};
}

void Block::wait_for(std::uint64_t* barrier) {
  waiters_.push_back({barrier, running_->index});
  block(describe_shared_barrier, barrier, 0);
}

void Block::completed(const std::uint64_t* barrier) {
  std::erase_if(waiters_, [&](const Waiter& w) {
    if (w.barrier == barrier) wake(w.thread);
    return w.barrier == barrier;
  });
}

// ---- what device code calls ----

void run_in_wavefronts(int lanes) { lockstep = lanes; }
int wavefront() { return lockstep != 0 ? lockstep : 32; }

void yield() { current->yield(); }
void spin() { current->spin(); }

unsigned take_wavefront() {
  Thread& self = current->thread();
  self.shown = self.index / wavefront() * 32 + self.index % wavefront();
  threadIdx.x = static_cast<unsigned>(self.shown);
  return static_cast<unsigned>(self.index);
}

void maybe_yield() {
  if (current->random()() % 4 == 0) yield();
}

void fail(const std::string& what) {
  Block& block = *current;
  if (block.status().failure.empty()) block.status().failure = what + block.describe();
  throw Abandoned{};
}

void note_progress() { ++current->status().progress; }

void note_look(const void* place, int value) {
  Thread& self = current->thread();
  if (self.looked_at == place && self.seen == value) return;
  self.looked_at = place, self.seen = value;
  note_progress();
}

std::uint64_t nanoseconds() {
  return 1'000'000 * (1 + current->status().stalled_rounds) + 4'000 * ++current->thread().looks;
}

void note_look_in_turn(const void* place, int value) {
  Thread& self = current->thread();
  self.looked_at = place, self.seen = value;
}

bool together(Together what, void* mine, const std::function<void(void* const* lanes)>& combine) {
  Warp& warp = current->warp();
  const int index = current->thread().index, first = index / 32 * 32;
  if (warp.arrived == 0) warp.what = what;
  if (warp.what != what) fail("lanes of a warp in different operations");
  warp.argument[static_cast<std::size_t>(index - first)] = mine;
  note_progress();
  if (++warp.arrived < 32) {
    current->block(describe_together, nullptr, static_cast<int>(what));
    return false;
  }
  warp.arrived = 0;
  warp.runnable = ~0U;
  combine(warp.argument.data());
  return true;
}

void block_barrier(int id, int threads, bool waits) {
  const bool last = together(Together::barrier, nullptr, [&](void* const*) {
    if (waits) current->warp().runnable = 0;  // until the barrier completes, which may happen now
    current->arrive(id, threads, waits);
  });
  if (last && current->warp().runnable == 0) current->block(describe_named, nullptr, id);
}

void block_barrier() { block_barrier(0, current->size(), true); }

void change_registers(int from, int to) {
  together(Together::sync, nullptr, [=](void* const*) { current->change_registers(from, to); });
  while (current->warp().wanted_registers > 0) current->block(describe_registers, nullptr, to);
}

void barrier_init(std::uint64_t* barrier, int arrivals) {
  const auto count = static_cast<std::uint16_t>(arrivals);
  *barrier = std::bit_cast<std::uint64_t>(SharedBarrier{count, count, 0, 0});
}

void barrier_arrive(std::uint64_t* barrier, int bytes) {
  SharedBarrier state = load(barrier);
  if (state.pending == 0)
    fail("too many arrivals at the barrier in shared memory at " + hexadecimal(barrier));
  --state.pending, state.bytes += bytes;
  store(barrier, state);
  maybe_yield();
}

void barrier_wait(std::uint64_t* barrier, unsigned parity) {
  maybe_yield();
  while (load(barrier).phase == parity) current->wait_for(barrier);
}

bool barrier_test(const std::uint64_t* barrier, unsigned parity) {
  maybe_yield();
  const unsigned phase = load(barrier).phase;
  note_look(barrier, static_cast<int>(phase));
  return phase != parity;
}

void check_barrier(const std::uint64_t* barrier) { load(barrier); }

void note_reading(const std::uint64_t* barrier) {
  const auto thread = static_cast<std::size_t>(current->thread().index);
  for (Block::Brought& b : current->brought)
    if (b.barrier == barrier) b.readers.set(thread);
}

void proxy_fence() {
  const auto thread = static_cast<std::size_t>(current->thread().index);
  for (Block::Brought& b : current->brought) b.readers.reset(thread);
}

}  // namespace kauri::emulator
