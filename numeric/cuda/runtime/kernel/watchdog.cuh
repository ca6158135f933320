// The device's side of the watchdog (numeric/cuda/runtime/watchdog.hpp): calls of the loops that
// wait for a signal. Without KAURI_WATCHDOG all of them are empty.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/kernel/clock.cuh"
#include "numeric/cuda/runtime/watchdog.hpp"

namespace kauri::numeric::cuda::watchdog {

#ifdef KAURI_WATCHDOG

constexpr bool kOn = true;
namespace {
__device__ Settings settings;
[[maybe_unused]] const bool is_known = add_module(
    [](const Settings& some) { return cudaMemcpyToSymbol(settings, &some, sizeof some); });
}  // namespace

/// Progress of a block: its kernel, the ticket or front that each of its warps works on
/// (Waiter::unit), and tickets that hand_on() has stored.
struct BlockProgress {
  Kernel kernel;
  int unit[32];
  int drawn[2];
};
__device__ inline BlockProgress& state() {
  __shared__ BlockProgress shared;
  return shared;
}
__device__ inline int warp_of_block() { return static_cast<int>(threadIdx.x / 32); }

/// Notes that a kernel begins. All threads call it.
__device__ inline void begin(Kernel kernel) {
  state().kernel = kernel, state().unit[warp_of_block()] = -1;
}
/// Notes that the calling warp works on a ticket from here on.
__device__ inline void take(int ticket) { state().unit[warp_of_block()] = ticket; }
/// Notes that the calling warp works on a front of a solve that has no tickets.
__device__ inline void take_front(int front) { take(-2 - front); }
/// Notes that the calling warp works on a ticket, and stores it in slot `place` (0 or 1) for other
/// warps; take_handed(place) notes that the calling warp works on that ticket too.
__device__ inline void hand_on(int place, int ticket) {
  state().drawn[place] = ticket, take(ticket);
}
__device__ inline void take_handed(int place) { take(state().drawn[place]); }

/// Returns true if the calling thread must omit its signals, as a test asks (Settings::lost_...).
__device__ inline bool loses() {
  return settings.lost_kernel != Kernel::none && settings.lost_kernel == state().kernel &&
         settings.lost_unit == state().unit[warp_of_block()] &&
         (settings.lost_lane < 0 || settings.lost_lane == static_cast<int>(threadIdx.x % 32));
}

/// A wait of one thread for one signal.
class Watch {
 public:
  /// Call it after each unsuccessful read of a signal. `place` is the address that was read; it
  /// held `found`, and the thread waits for `wanted`. After Settings::limit the wait is recorded;
  /// after 9/8 of it the kernel traps.
  __device__ void look(Awaited what, const void* place, std::int64_t wanted, std::int64_t found) {
    const std::uint64_t now = kernels::nanoseconds(), limit = settings.limit;
    if (begun_ == 0) begun_ = now;
    if (limit == 0 || now - begun_ <= limit) return;
    write_down(what, reinterpret_cast<std::uint64_t>(place), wanted, found);
    if (now - begun_ > limit + limit / 8)
      kernels::trap();  // other threads have had time to record their waits, too
  }

 private:
  /// Records a wait in the entry that its place is mapped to, if that is still free.
  __device__ static void write_down(Awaited what, std::uint64_t place, std::int64_t wanted,
                                    std::int64_t found) {
    const unsigned word = static_cast<unsigned>(place >> 2);
    const int slot = what == Awaited::barrier
                         ? kGlobalSlots + static_cast<int>((word >> 1) % kSharedSlots)
                         : static_cast<int>(word % kGlobalSlots);
    if (settings.taken[slot] != 0 || atomicAdd(settings.taken + slot, 1) != 0) return;
    Waiter& waiter = settings.record->waiter[slot];
    waiter.kernel = state().kernel, waiter.what = what;
    waiter.block = static_cast<int>(blockIdx.x), waiter.warp = warp_of_block(),
    waiter.unit = state().unit[warp_of_block()];
    waiter.place = place, waiter.wanted = wanted, waiter.found = found;
    kernels::fence_for_host();
    waiter.there = 1;
    kernels::fence_for_host();
  }

  std::uint64_t begun_ = 0;
};

#else

constexpr bool kOn = false;
__device__ inline void begin(Kernel) {}
__device__ inline void take(int) {}
__device__ inline void take_front(int) {}
__device__ inline void hand_on(int, int) {}
__device__ inline void take_handed(int) {}
__device__ constexpr bool loses() { return false; }
class Watch {
 public:
  __device__ void look(Awaited, const void*, std::int64_t, std::int64_t) {}
};

#endif

}  // namespace kauri::numeric::cuda::watchdog
