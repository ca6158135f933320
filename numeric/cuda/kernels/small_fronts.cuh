// The kernels of small fronts, with the assembly of a front as a parameter.
//
// An Assembly is a functor passed by value:
//   using Front = ...                       derived from SmallFront, trivially copyable, a multiple of 8 and at most 128 bytes; with what the
//                                           front is made of
//   begin(front, packed, barrier, group)    may start asynchronous copies to `packed` that complete on `barrier` (one arrival per use)
//   finish(front, packed, barrier, parity, group)
//                                           fills the rest of `packed` (shared memory; the lower triangle, packed_front.hpp; whole_units() of
//                                           its entries) and waits for the barrier's phase if it was used; ends with group.sync() unless
//                                           that wait is all it does
// Both are called by all threads of the group.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

#include "numeric/cuda/kernels/small_front_chain.cuh"
#include "numeric/cuda/kernels/small_fronts.hpp"

namespace kauri::cuda {

/// The threads that share a front: a warp, or a block.
struct WarpGroup {
  int thread;
  static constexpr int kThreads = 32;
  __device__ static void sync() { __syncwarp(); }
};
template <int kWarps>
struct BlockGroup {
  int thread;
  static constexpr int kThreads = 32 * kWarps;
  __device__ static void sync() { __syncthreads(); }
};

/// Panel columns [first, last) to global memory; last is p or a multiple of 16. One thread, after a proxy_fence() of those that wrote.
__device__ inline void store_panel(const SmallFront& front, const double* packed, int first, int last) {
  const PackedFront shape{front.rows, front.pivots};
  const int begin = packed_column(first, shape.rows) + first;
  const int end = last < shape.pivots ? packed_column(last, shape.rows) + last : shape.panel_entries();
  const int whole = (end - begin) & ~1;  // what follows an odd last entry may not be final
  if (whole > 0) ptx::bulk_store(front.panel + begin, packed + begin, whole * 8);
  if (begin + whole < end) front.panel[end - 1] = packed[end - 1];
}

__device__ inline void store_contribution(const SmallFront& front, const double* packed) {
  const PackedFront shape{front.rows, front.pivots};
  if (shape.order() == 0) return;
  ptx::bulk_store(front.contribution, packed + shape.panel_entries() - shape.padding(), shape.contribution_storage() * 8);
}

/// Shared memory of a front that one warp factors, in doubles; copies as many as there are buffers.
template <class Front, int kBuffers>
struct WarpSlot {
  static constexpr int kFront = static_cast<int>(sizeof(Front) / 8);
  static constexpr int kPackedBegin = (kOperationsEntries + kBuffers * (kFront + 1) + 1) & ~1;
  double* base;
  int capacity;  // entries of one buffer

  KAURI_HOST_DEVICE static constexpr int entries(int max_rows) { return kPackedBegin + kBuffers * whole_units(packed_entries(max_rows)); }
  __device__ double* operations() const { return base; }  // and, before they are known, what lanes exchange
  __device__ Front& front(int b) const { return *reinterpret_cast<Front*>(base + kOperationsEntries + b * kFront); }
  __device__ std::uint64_t* barrier(int b) const {
    return reinterpret_cast<std::uint64_t*>(base + kOperationsEntries + kBuffers * kFront + b);
  }
  __device__ double* packed(int b) const { return base + kPackedBegin + b * capacity; }
};

/// One word of a front's description per lane: held in one register until its turn.
template <class Front>
__device__ inline int load_word(const Front* fronts, int f, int count, int lane) {
  constexpr int kWords = static_cast<int>(sizeof(Front) / 4);
  static_assert(sizeof(Front) % 8 == 0 && kWords <= 32);
  return f < count && lane < kWords ? reinterpret_cast<const int*>(fronts + f)[lane] : 0;
}

/// Makes a buffer's front the one described by the lanes' words and begins its assembly, once the stores from that buffer have read it.
template <class Assembly, int kBuffers>
__device__ inline void begin_front(const WarpSlot<typename Assembly::Front, kBuffers>& slot, int b, int word, const Assembly& assembly,
                                   int lane) {
  using Front = typename Assembly::Front;
  if (lane < static_cast<int>(sizeof(Front) / 4)) reinterpret_cast<int*>(&slot.front(b))[lane] = word;
  if (lane == 0) ptx::finish_store_reads();
  __syncwarp();
  assembly.begin(slot.front(b), slot.packed(b), slot.barrier(b), WarpGroup{lane});
}

/// A warp per front, one front after another: up to 32 rows (kRows), or up to 64. With two buffers the next front comes while one is
/// factored.
template <bool kRows, int kWarps, int kBuffers, int kResident, class Assembly>
__global__ void __launch_bounds__(32 * kWarps, kResident)
    factor_fronts_by_warps(const typename Assembly::Front* fronts, int count, int max_rows, int* failed, Assembly assembly) {
  extern __shared__ __align__(16) double shared[];
  using Slot = WarpSlot<typename Assembly::Front, kBuffers>;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int stride = static_cast<int>(gridDim.x) * kWarps;
  int f = static_cast<int>(blockIdx.x) * kWarps + warp;
  if (f >= count) return;
  const Slot slot{shared + warp * Slot::entries(max_rows), whole_units(packed_entries(max_rows))};
  if (lane == 0) {
    for (int b = 0; b < kBuffers; ++b) ptx::barrier_init(slot.barrier(b), 1);
    ptx::barrier_init_fence();
  }
  begin_front(slot, 0, load_word(fronts, f, count, lane), assembly, lane);
  int word = load_word(fronts, f + stride, count, lane);
  for (int n = 0; f < count; ++n, f += stride) {
    const int b = n % kBuffers;
    if (kBuffers > 1 && f + stride < count) {
      begin_front(slot, b ^ 1, word, assembly, lane);
      word = load_word(fronts, f + 2 * stride, count, lane);
    }
    const auto& front = slot.front(b);
    assembly.finish(front, slot.packed(b), slot.barrier(b), n / kBuffers & 1, WarpGroup{lane});
    const LaneFront view(slot.packed(b), front.rows, lane);
    const int column = kRows ? factor_by_rows(view, front.pivots, slot.operations())
                             : factor_by_warp(view, front.pivots, slot.operations(), slot.operations());
    ptx::proxy_fence();
    __syncwarp();
    if (lane == 0) {
      failed[f] = column;
      store_panel(front, slot.packed(b), 0, front.pivots);
      store_contribution(front, slot.packed(b));
    }
    __syncwarp();
    if (kBuffers == 1 && f + stride < count) {
      begin_front(slot, 0, word, assembly, lane);
      word = load_word(fronts, f + 2 * stride, count, lane);
    }
  }
  if (lane == 0) ptx::finish_store_reads();
}

inline constexpr int kChainEntries = 2 * kOperationsEntries + kExchangeEntries + 2;  // of shared memory, beside the front's

/// A block per front of any size.
template <int kWarps, int kResident, class Assembly>
__global__ void __launch_bounds__(32 * kWarps, kResident)
    factor_fronts_by_blocks(const typename Assembly::Front* fronts, int* failed, Assembly assembly) {
  extern __shared__ __align__(16) double shared[];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int f = static_cast<int>(blockIdx.x);
  double* packed = shared + kChainEntries;
  std::uint64_t* barrier = reinterpret_cast<std::uint64_t*>(packed - 2);
  const ChainScratch scratch{shared, shared + 2 * kOperationsEntries, reinterpret_cast<int*>(packed - 1)};
  const auto& front = fronts[f];
  const int pivots = front.pivots;
  const BlockGroup<kWarps> group{static_cast<int>(threadIdx.x)};
  if (threadIdx.x == 0) {
    ptx::barrier_init(barrier, 1);
    ptx::barrier_init_fence();
  }
  __syncthreads();
  assembly.begin(front, packed, barrier, group);
  assembly.finish(front, packed, barrier, 0, group);
  const LaneFront view(packed, front.rows, lane);
  const int column = factor_by_chain<kWarps>(view, pivots, scratch, warp, [&](int j) {
    store_panel(front, packed, kBlock * j, min(kBlock * (j + 1), pivots));
  });
  ptx::proxy_fence();
  __syncthreads();
  if (lane != 0) return;
  if (warp == 0) failed[f] = column;
  if (warp == 0) store_contribution(front, packed);
  ptx::finish_store_reads();
}

#ifndef SF_V
#define SF_V 0
#endif
#if SF_V == 0
#define SF_ROWS 4, 2, 5
#define SF_WARP 1, 1, 11
#define SF_CHAIN 4, 3
#elif SF_V == 1
#define SF_ROWS 4, 2, 4
#define SF_WARP 1, 1, 10
#define SF_CHAIN 3, 3
#elif SF_V == 2
#define SF_ROWS 4, 1, 5
#define SF_WARP 2, 1, 5
#define SF_CHAIN 5, 3
#elif SF_V == 3
#define SF_ROWS 2, 2, 9
#define SF_WARP 1, 2, 5
#define SF_CHAIN 2, 3
#elif SF_V == 4
#define SF_ROWS 4, 1, 6
#define SF_WARP 1, 1, 9
#define SF_CHAIN 6, 3
#endif
template <int W, int B, int R> struct Three { static constexpr int w = W, b = B, r = R; };
template <int W, int R> struct Two { static constexpr int w = W, r = R; };

/// The kernels by size: at most 32, 64, 128 rows.
template <class Assembly>
class SmallFrontKernels {
 public:
  using Front = typename Assembly::Front;

  /// Once per device, before the first launch. False if it cannot run the kernels.
  static bool prepare() {
    return allow(kernel32, 32 * C32::w, bytes32(32)) && allow(kernel64, 32 * C64::w, bytes64(64)) &&
           allow(kernel128, 32 * C128::w, bytes128(kMaxSmallRows));
  }

  /// count > 0 fronts of at most max_rows <= kMaxSmallRows rows each.
  static cudaError_t enqueue(const Front* fronts, int count, int max_rows, int* failed, const Assembly& assembly, cudaStream_t stream) {
    int device = 0, processors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    const auto grid = [&](int warps, int resident) {
      return static_cast<unsigned>(std::min((count + warps - 1) / warps, resident * processors));
    };
    if (max_rows <= 32) {
      kernel32<<<grid(C32::w, C32::r), 32 * C32::w, bytes32(max_rows), stream>>>(fronts, count, max_rows, failed, assembly);
    } else if (max_rows <= 64) {
      kernel64<<<grid(C64::w, C64::r), 32 * C64::w, bytes64(max_rows), stream>>>(fronts, count, max_rows, failed, assembly);
    } else {
      kernel128<<<static_cast<unsigned>(count), 32 * C128::w, bytes128(max_rows), stream>>>(fronts, failed, assembly);
    }
    return cudaGetLastError();
  }

 private:
  using C32 = Three<SF_ROWS>;
  using C64 = Three<SF_WARP>;
  using C128 = Two<SF_CHAIN>;
  static constexpr auto kernel32 = factor_fronts_by_warps<true, C32::w, C32::b, C32::r, Assembly>;
  static constexpr auto kernel64 = factor_fronts_by_warps<false, C64::w, C64::b, C64::r, Assembly>;
  static constexpr auto kernel128 = factor_fronts_by_blocks<C128::w, C128::r, Assembly>;
  static std::size_t bytes32(int max_rows) { return std::size_t{8} * C32::w * WarpSlot<Front, C32::b>::entries(max_rows); }
  static std::size_t bytes64(int max_rows) { return std::size_t{8} * C64::w * WarpSlot<Front, C64::b>::entries(max_rows); }
  static std::size_t bytes128(int max_rows) { return std::size_t{8} * (kChainEntries + whole_units(packed_entries(max_rows))); }
  template <class Kernel>
  static bool allow(Kernel* kernel, int threads, std::size_t bytes) {
    int blocks = 0;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)) == cudaSuccess &&
           cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes) == cudaSuccess && blocks > 0;
  }
};

}  // namespace kauri::cuda
