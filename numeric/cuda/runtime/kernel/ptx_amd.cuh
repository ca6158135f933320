// AMD devices have these functions in place of kernel/ptx.cuh: what the portable kernels by
// multiply-adds call. The devices have no barriers with phases in shared memory, no barriers of
// some warps of a block and no asynchronous copies to shared memory: counters in shared memory
// replace the barriers, plain copies the others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "numeric/cuda/runtime/kernel/machine_amd.cuh"
#include "numeric/cuda/runtime/kernel/watchdog.cuh"

namespace kauri::numeric::cuda::kernels::ptx {

/// Shared memory that every device has for a block.
inline constexpr int kBlockKilobytes = 64;

// Tensor cores of NVIDIA, bulk copies and shifts of registers have no counterpart. These functions
// are declared for code that kernels here do not call, and have no definition: a kernel that calls
// one does not link.
inline constexpr bool kTensorCores = false;
__device__ void mma(double (&c)[4], const double (&a)[8], const double (&b)[4]);
__device__ void mma(double (&d)[4], const double (&a)[8], const double (&b)[4],
                    const double (&c)[4]);
__device__ void mma(double (&c)[4], const double (&a)[4], const double (&b)[2]);
__device__ void mma(double (&c)[2], double a, double b);
__device__ float to_tf32(float x);
__device__ void mma_tf32(float (&upper)[2], float (&lower)[2], const float (&a)[4],
                         const float (&b)[2]);
__device__ void barrier_arrive_expecting(std::uint64_t* barrier, int bytes);
__device__ void bulk_copy(void* to_shared, const void* from_global, int bytes,
                          std::uint64_t* barrier);
__device__ void prefetch(const void* from_global, int bytes);
__device__ void proxy_fence();
__device__ bool elect();
template <int kFrom, int kTo>
__device__ void take_registers() = delete;
template <int kFrom, int kTo>
__device__ void leave_registers() = delete;

using SharedAddress = std::uintptr_t;
__device__ inline SharedAddress shared_address(const void* p) {
  return reinterpret_cast<SharedAddress>(p);
}
__device__ inline void load_shared(double& x, SharedAddress address) {
  x = *reinterpret_cast<const volatile double*>(address);
}
__device__ inline void load_shared(double& x, double& y, SharedAddress address) {
  const auto* p = reinterpret_cast<const volatile double*>(address);
  x = p[0], y = p[1];
}

__device__ inline int thread_index() { return static_cast<int>(threadIdx.x); }

// ---- Barriers. A counter has arrivals of the current phase in its lower half and the number of
// phases in its upper half. The last arrival of a phase takes all of them off again and adds a
// phase. An arrival of the next phase may come in between: it is added like any other, and is not
// the last one, since the thread that takes off has yet to arrive there.

/// Arrives at a counter, of which `arrivals` complete a phase; returns its phase before.
__device__ inline std::uint32_t arrive(std::uint32_t* counter, std::uint32_t arrivals) {
  hip::release_to_block();
  const std::uint32_t before = hip::add_shared(counter, 1);
  if ((before & 0xffffU) + 1 == arrivals) {
    hip::acquire_from_block();  // what the others wrote comes before the phase that this one ends
    hip::release_to_block();
    hip::add_shared(counter, 0x10000U - arrivals);
  }
  return before >> 16;
}
__device__ inline std::uint32_t phase_of(const std::uint32_t* counter) {
  return hip::load_shared_word(counter) >> 16;
}

/// A barrier in shared memory in the place of a word of 64 bits: its counter, and arrivals a phase.
struct Barrier {
  std::uint32_t counter, arrivals;
};
static_assert(sizeof(Barrier) == sizeof(std::uint64_t));
__device__ inline Barrier& barrier_at(std::uint64_t* barrier) {
  return *reinterpret_cast<Barrier*>(barrier);
}

__device__ inline void barrier_init(std::uint64_t* barrier, int arrivals) {
  *barrier = static_cast<std::uint64_t>(arrivals) << 32;
}
__device__ inline void barrier_arrive(std::uint64_t* barrier) {
  Barrier& at = barrier_at(barrier);
  arrive(&at.counter, at.arrivals);
}
/// Waits until the barrier's phase of parity 0 or 1 has completed.
__device__ inline void barrier_wait(std::uint64_t* barrier, unsigned parity) {
  watchdog::Watch watch;
  while ((phase_of(&barrier_at(barrier).counter) & 1U) == parity) {
    watch.look(watchdog::Awaited::barrier, barrier, parity, 0);
    hip::pause();
  }
  hip::acquire_from_block();
}

/// Counters of the named barriers, which begin_block() sets to zero.
inline constexpr int kNamedBarriers = 16;
__device__ inline std::uint32_t* named_barriers() {
  __shared__ std::uint32_t counter[kNamedBarriers];
  return counter;
}

#ifdef KAURI_WARPS_WAIT
/// Every kernel whose warps wait for one another calls this first, and ends if it returns false: in
/// the upper half of a wavefront of 64 lanes. The others meet in __syncthreads() before the first
/// named barrier.
__device__ inline bool begin_block() {
  if (hip::hardware_thread() % hip::kWavefront >= 32) return false;
  if (threadIdx.x < kNamedBarriers) named_barriers()[threadIdx.x] = 0;
  return true;
}
#endif

/// Barrier `id` among `threads` threads of the block, in whole warps, each of which arrives once:
/// named_sync() waits there, named_arrive() only arrives.
__device__ inline void named_arrive(int id, int threads) {
  __syncwarp();
  if (threadIdx.x % 32 == 0)
    arrive(named_barriers() + id, static_cast<std::uint32_t>(threads) / 32);
}
__device__ inline void named_sync(int id, int threads) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    std::uint32_t* counter = named_barriers() + id;
    const std::uint32_t phase = arrive(counter, static_cast<std::uint32_t>(threads) / 32);
    while (phase_of(counter) == phase) hip::pause();
    hip::acquire_from_block();
  }
  __syncwarp();
}

// ---- Copies to shared memory. A plain copy has arrived once the thread goes on.

__device__ inline void copy_8_async(void* to_shared, const void* from_global) {
  hip::copy_to_shared<8>(to_shared, from_global);
}
__device__ inline void copy_16_async(void* to_shared, const void* from_global) {
  hip::copy_to_shared<16>(to_shared, from_global);
}
__device__ inline void arrive_after_copies(std::uint64_t* barrier) { barrier_arrive(barrier); }
__device__ inline void commit_copies() {}
template <int kLeft>
__device__ inline void wait_for_copies() {}
__device__ inline void finish_async_copies() {}
__device__ inline void shared_proxy_fence() {}
__device__ inline void prefetch_line(const void* /*from_global*/) {}

// ---- Counters in global memory (numbers: numbers_amd.cuh)

__device__ inline void release_fence() { hip::release_to_device(); }
__device__ inline void acquire_fence() { hip::acquire_from_device(); }
__device__ inline int load_relaxed(const int* p) { return hip::load_device(p); }
__device__ inline void store_relaxed(int* p, int value) { hip::store_device(p, value); }
__device__ inline int load_acquire(const int* p) {
  const int value = hip::load_device(p);
  acquire_fence();
  return value;
}
__device__ inline void store_release(int* p, int value) {
  release_fence();
  hip::store_device(p, value);
}
__device__ inline void add_relaxed(int* p, int value) { hip::add_device(p, value); }
__device__ inline void max_relaxed(int* p, int value) { hip::max_device(p, value); }

// ---- Arithmetic

__device__ inline int anew(int x) { return x; }
__device__ inline unsigned anew(unsigned x) { return x; }
__device__ inline SharedAddress anew(SharedAddress x) { return x; }
__device__ inline double flipped(double x) { return -x; }

/// Contracts: kernel/ptx.cuh.
__device__ inline void reciprocal_parts(double x, double& y, double& e) {
  y = hip::estimate_reciprocal(x);
  const double r = fma(-x, y, 1.0);
  e = fma(r, r, r);
}
__device__ inline double reciprocal_root(double x) {
  const double y = hip::estimate_reciprocal_root(x);
  const double r = fma(-x * y, y, 1.0);
  return fma(y * r, fma(0.375, r, 0.5), y);
}
__device__ inline float rough_reciprocal(float x) { return hip::estimate_reciprocal(x); }
__device__ inline float reciprocal_root(float x) {
  const float y = hip::estimate_reciprocal_root(x);
  const float r = fmaf(-(x * y), y, 1.0F);
  return fmaf(0.5F * y, r, y);
}

}  // namespace kauri::numeric::cuda::kernels::ptx
