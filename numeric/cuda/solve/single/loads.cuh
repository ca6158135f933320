// The two ways in which sweeps bring L to shared memory. Loads, here and in files that include
// this, is one of these types, so each kernel is compiled for one way alone: BulkLoads on Hopper,
// AsyncLoads on every device. Which numbers lie where, and what is computed from them, does not
// depend on it.
//
// A warp fills a stage: the lanes for which takes_part() is true call begin(), copy() once or more,
// and end(), and so they call prefetch(). The stage's barrier has kArrivals arrivals; its phase
// completes when all bytes have come. Addresses and counts of bytes are multiples of 16.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "numeric/cuda/runtime/kernel/ptx.cuh"

namespace kauri::numeric::cuda {

#ifdef KAURI_HIP
struct BulkLoads;  // runs on no device of AMD
#else
/// One lane asks for bulk copies, and the barrier counts their bytes. Kernels move registers from
/// the loading warps to the multiplying ones.
struct BulkLoads {
  static constexpr bool kMovesRegisters = true;
  static constexpr int kArrivals = 1;
  __device__ static bool takes_part(int lane) { return lane == 0; }
  /// Announces all bytes of a stage.
  __device__ static void begin(int bytes, std::uint64_t* full) {
    kernels::ptx::barrier_arrive_expecting(full, bytes);
  }
  __device__ static void copy(void* to, const void* from, int bytes, std::uint64_t* full) {
    kernels::ptx::bulk_copy(to, from, bytes, full);
  }
  __device__ static void end(std::uint64_t* /*full*/) {}
  /// Starts to bring bytes of global memory to the L2 cache.
  __device__ static void prefetch(const void* from, int bytes) {
    kernels::ptx::prefetch(from, bytes);
  }
  /// Orders a thread's accesses to shared memory before the copies of a later begin(). Past it all
  /// loads of the thread are complete: a copy may overtake loads that are only under way, and did
  /// (in one of some 10^6 tiles).
  __device__ static void fence() { kernels::ptx::shared_proxy_fence(); }
  /// Shows initialised barriers to copies.
  __device__ static void barrier_fence() { kernels::ptx::barrier_init_fence(); }
};
#endif

/// All lanes of a warp ask for 16 bytes at a time, and each arrives at the barrier when its own
/// bytes have come. These copies are ordered like other accesses of their thread, so they need no
/// fence.
struct AsyncLoads {
  static constexpr bool kMovesRegisters = false;
  static constexpr int kArrivals = 32;
  __device__ static bool takes_part(int /*lane*/) { return true; }
  __device__ static void begin(int /*bytes*/, std::uint64_t* /*full*/) {}
  __device__ static void copy(void* to, const void* from, int bytes, std::uint64_t* /*full*/) {
    const int lane = kernels::ptx::thread_index() % 32;
    auto* target = static_cast<unsigned char*>(to);
    const auto* source = static_cast<const unsigned char*>(from);
#pragma unroll 8
    for (int at = 16 * lane; at < bytes; at += 16 * 32)
      kernels::ptx::copy_16_async(target + at, source + at);
  }
  __device__ static void end(std::uint64_t* full) { kernels::ptx::arrive_after_copies(full); }
  /// Starts to bring bytes of global memory to the L2 cache, one line a lane at a time.
  __device__ static void prefetch(const void* from, int bytes) {
    constexpr unsigned kLine = 128;
    const auto first = reinterpret_cast<std::uintptr_t>(from), begin = first / kLine * kLine;
    const auto lane = static_cast<unsigned>(kernels::ptx::thread_index()) % 32;
    for (auto at = begin + kLine * lane; at < first + static_cast<unsigned>(bytes);
         at += kLine * 32)
      kernels::ptx::prefetch_line(reinterpret_cast<const void*>(at));
  }
  __device__ static void fence() {}
  __device__ static void barrier_fence() {}
};

}  // namespace kauri::numeric::cuda
