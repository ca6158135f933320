// The kernels of small fronts; the assembly of a front is a template parameter.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

#include "numeric/cuda/factor/small/chain.cuh"
#include "numeric/cuda/factor/small/front.hpp"
#include "numeric/cuda/runtime/kernel/watchdog.cuh"
#include "numeric/cuda/runtime/launch.hpp"

namespace kauri::numeric::cuda::kernels {

// An Assembly is a functor passed by value. All threads of the group that shares a front call
// draw(), begin() and finish(). The kernel in which a block shares a front (up to 128 rows) uses
// neither kExact nor draw() nor stored(). Its members:
//
//   FrontRecord
//     Derived from SmallFrontOf, trivially copyable, a multiple of 8 and at most 128 bytes; holds
//     what the front is made of.
//
//   kExact
//     True: a front that fails is assembled again and factorised by plain divisions and roots.
//
//   draw(otherwise, lane)
//     Returns the index of a warp's next front, the same in all lanes: `otherwise`, or one drawn by
//     a ticket.
//
//   begin(front, packed, barrier, group)
//     May start asynchronous copies to `packed` that complete on `barrier` (one arrival per use).
//
//   finish(front, packed, barrier, parity, group)
//     Fills the rest of `packed` (shared memory; the lower triangle,
//     symbolic/device/small_layout.hpp; whole_units() of its entries) and waits for the barrier's
//     phase if it was used; ends with group.sync() unless that wait is all it does.
//
//   record(front, f, packed, column)
//     Records the result of front f: its first failed column, or -1. Called by one thread.
//
//   stored(front)
//     Called by the thread that has begun the front's bulk stores, after these.

/// The threads of a block of kWarps warps, which share a front, as WarpGroup. `thread`: index of
/// the calling thread.
template <int kWarps>
struct BlockGroup {
  int thread;
  static constexpr int kThreads = 32 * kWarps;
  __device__ static void sync() { __syncthreads(); }
};

/// Begins the store of panel columns [first, last) of a front from its packed triangle to global
/// memory; last is p or a multiple of 16. Called by one thread, after a barrier that the threads
/// which wrote the columns reach after shared_proxy_fence().
__device__ inline void store_panel(const SmallFrontOf<double>& front, const double* packed,
                                   int first, int last) {
  const SmallLayout shape{front.rows, front.pivots};
  const int begin = packed_column(first, shape.m) + first;
  const int end = last < shape.p ? packed_column(last, shape.m) + last : shape.panel_entries();
  const int whole = (end - begin) & ~1;  // of an odd number of entries the last is stored alone:
                                         // the one after it may not be final
  if (whole > 0) ptx::bulk_store(front.panel + begin, packed + begin, whole * 8);
  if (begin + whole < end) front.panel[end - 1] = packed[end - 1];
}

__device__ inline void store_contribution(const SmallFrontOf<double>& front, const double* packed) {
  const SmallLayout shape{front.rows, front.pivots};
  if (shape.order() == 0) return;
  ptx::bulk_store(front.contribution, packed + shape.panel_entries() - shape.padding(),
                  shape.block_storage() * 8);
}

/// Shared memory of the front that one warp factorises, and the description of the warp's next
/// front.
template <class FrontRecord>
struct WarpSlot {
  static constexpr int kFront = static_cast<int>(sizeof(FrontRecord) / 8);
  static constexpr int kPackedBegin = (kOperationsEntries + 2 * kFront + 2) & ~1;
  static_assert(kExchangeEntries <= kOperationsEntries);

  double* operations;  // kOperationsEntries: column operations; until these are known, scratch of
                       // the elimination
  FrontRecord* front;
  FrontRecord* next;
  std::uint64_t* barrier;
  double* packed;

  __device__ explicit WarpSlot(double* base)
      : operations(base),
        front(reinterpret_cast<FrontRecord*>(base + kOperationsEntries)),
        next(front + 1),
        barrier(reinterpret_cast<std::uint64_t*>(front + 2)),
        packed(base + kPackedBegin) {}
  KAURI_HOST_DEVICE static constexpr int entries(int max_rows) {
    return kPackedBegin + whole_units(packed_entries(max_rows));
  }

  /// Begins to copy the description of front f, if f < count, to `next`, for the next begin().
  /// Called by all lanes of the warp.
  __device__ void fetch(const FrontRecord* fronts, int f, int count, int lane) const {
    static_assert(sizeof(FrontRecord) % 8 == 0 && kFront <= 32);
    if (f >= count || lane >= kFront) return;
    ptx::copy_8_async(reinterpret_cast<double*>(next) + lane,
                      reinterpret_cast<const double*>(fronts + f) + lane);
  }
  /// Waits for the description that fetch() copies, and until the stores of the previous front have
  /// read `packed`; then moves the description to `front` and calls assembly.begin(). Called by all
  /// lanes of the warp.
  template <class Assembly>
  __device__ void begin(const Assembly& assembly, int lane) const {
    ptx::finish_async_copies();
    if (lane < kFront)
      reinterpret_cast<double*>(front)[lane] = reinterpret_cast<const double*>(next)[lane];
    if (lane == 0) ptx::finish_store_reads();
    __syncwarp();
    assembly.begin(*front, packed, barrier, WarpGroup{lane});
  }
};

/// Factorises `count` fronts, each by one warp: of up to 32 rows if kRows, else of up to 64. A warp
/// does one front after another. `max_rows`: most rows of a front, for which shared memory is laid
/// out.
template <bool kRows, int kWarps, int kResident, class Assembly>
__global__ void __launch_bounds__(32 * kWarps, kResident)
    factor_fronts_by_warps(const typename Assembly::FrontRecord* fronts, int count, int max_rows,
                           Assembly assembly) {
  extern __shared__ __align__(16) double shared[];
  using Slot = WarpSlot<typename Assembly::FrontRecord>;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int stride = static_cast<int>(gridDim.x) * kWarps;
  const int block = static_cast<int>(blockIdx.x);
  watchdog::begin(watchdog::Kernel::factor_fronts_by_warps);
  // Warps of a block take adjacent fronts; if there are fewer fronts than warps, these spread over
  // all multiprocessors.
  int f = assembly.draw(
      count > stride ? block * kWarps + warp : block + static_cast<int>(gridDim.x) * warp, lane);
  if (f >= count) return;
  const Slot slot(shared + warp * Slot::entries(max_rows));
  if (lane == 0) {
    ptx::barrier_init(slot.barrier, 1);
    ptx::barrier_init_fence();
  }
  slot.fetch(fronts, f, count, lane);
  for (int parity = 0, next = 0; f < count; f = next, parity ^= 1) {
    watchdog::take(f);
    slot.begin(assembly, lane);
    next = assembly.draw(f + stride, lane);
    slot.fetch(fronts, next, count, lane);
    assembly.finish(*slot.front, slot.packed, slot.barrier, parity, WarpGroup{lane});
    const int pivots = slot.front->pivots;
    const LaneFront view(slot.packed, slot.front->rows, lane);
    int column = kRows ? factor_by_rows(view, pivots, slot.operations)
                       : factor_by_warp(view, pivots, slot.operations, slot.operations);
    if constexpr (Assembly::kExact) {
      if (column >= 0) {
        __syncwarp();
        assembly.finish(*slot.front, slot.packed, slot.barrier, parity, WarpGroup{lane});
        column = factor_exactly(view, pivots);
      }
    }
    ptx::shared_proxy_fence();
    __syncwarp();
    if (lane == 0) {
      assembly.record(*slot.front, f, slot.packed, column);
      store_panel(*slot.front, slot.packed, 0, pivots);
      store_contribution(*slot.front, slot.packed);
      assembly.stored(*slot.front);
    }
    __syncwarp();
  }
  if (lane == 0) ptx::finish_store_reads();
}

inline constexpr int kChainEntries =
    2 * kOperationsEntries + kExchangeEntries + 4;  // doubles of shared memory beside the front's
                                                    // entries

/// Factorises one front of up to kMaxSmallRows rows in each block of threads.
template <int kWarps, int kResident, class Assembly>
__global__ void __launch_bounds__(32 * kWarps, kResident)
    factor_fronts_by_blocks(const typename Assembly::FrontRecord* fronts, Assembly assembly) {
  extern __shared__ __align__(16) double shared[];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int f = static_cast<int>(blockIdx.x);
  double* packed = shared + kChainEntries;
  std::uint64_t* barrier = reinterpret_cast<std::uint64_t*>(packed - 4);
  int* flags = reinterpret_cast<int*>(packed - 2);
  const ChainScratch scratch{shared, shared + 2 * kOperationsEntries, flags, flags + 2};
  const auto& front = fronts[f];
  const int pivots = front.pivots;
  const BlockGroup<kWarps> group{static_cast<int>(threadIdx.x)};
  watchdog::begin(watchdog::Kernel::factor_fronts_by_blocks), watchdog::take(f);
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
  ptx::shared_proxy_fence();
  __syncthreads();
  if (lane != 0) return;
  if (warp == 0) assembly.record(front, f, packed, column);
  if (warp == 0) store_contribution(front, packed);
  ptx::finish_store_reads();
}

/// Warps of a block, and blocks that a multiprocessor must hold at once (for __launch_bounds__).
struct BlockSize {
  int warps;
  int resident;
};
inline constexpr BlockSize kBlocks32{4, 6};   // 80 registers per thread
inline constexpr BlockSize kBlocks64{2, 5};   // 168 registers per thread; 19 KB of shared memory
                                              // per front
inline constexpr BlockSize kBlocks128{6, 3};  // 96 registers per thread; 72 KB of shared memory per
                                              // front

/// Kernels for fronts of at most 32, of at most 64, and, with kLarge, of at most 128 rows.
template <class Assembly, bool kLarge = true>
class SmallFrontKernels {
 public:
  using FrontRecord = typename Assembly::FrontRecord;

  /// Lets the kernels have the shared memory that they need. Call it once on a device before the
  /// first launch there. Returns false if the device cannot run them.
  static bool prepare() {
    if constexpr (kLarge) {
      if (!allow(kernel128<Assembly>, 32 * kBlocks128.warps, chain_bytes(kMaxSmallRows)))
        return false;
    }
    return allow(kernel32, 32 * kBlocks32.warps, warp_bytes(kBlocks32, 32)) &&
           allow(kernel64, 32 * kBlocks64.warps, warp_bytes(kBlocks64, 64));
  }

  /// Enqueues the factorisation of count > 0 fronts of at most max_rows <= kMaxSmallRows rows each
  /// (64 without kLarge). Returns the launch's error.
  static cudaError_t enqueue(const FrontRecord* fronts, int count, int max_rows,
                             const Assembly& assembly, cudaStream_t stream) {
    int device = 0, processors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    const auto grid = [&](BlockSize size) {
      return static_cast<unsigned>(std::min(count, size.resident * processors));
    };
    if (max_rows <= 32)
      return launch(kernel32, grid(kBlocks32), 32 * kBlocks32.warps,
                    warp_bytes(kBlocks32, max_rows), stream, fronts, count, max_rows, assembly);
    if (max_rows <= 64)
      return launch(kernel64, grid(kBlocks64), 32 * kBlocks64.warps,
                    warp_bytes(kBlocks64, max_rows), stream, fronts, count, max_rows, assembly);
    if constexpr (kLarge) {
      return launch(kernel128<Assembly>, static_cast<unsigned>(count), 32 * kBlocks128.warps,
                    chain_bytes(max_rows), stream, fronts, assembly);
    } else {
      return cudaErrorInvalidValue;
    }
  }

 private:
  static constexpr auto kernel32 =
      factor_fronts_by_warps<true, kBlocks32.warps, kBlocks32.resident, Assembly>;
  static constexpr auto kernel64 =
      factor_fronts_by_warps<false, kBlocks64.warps, kBlocks64.resident, Assembly>;
  template <class A>
  static constexpr auto kernel128 =
      factor_fronts_by_blocks<kBlocks128.warps, kBlocks128.resident, A>;
  static std::size_t warp_bytes(BlockSize size, int max_rows) {
    return std::size_t{8} *
           static_cast<std::size_t>(size.warps * WarpSlot<FrontRecord>::entries(max_rows));
  }
  static std::size_t chain_bytes(int max_rows) {
    return std::size_t{8} *
           (kChainEntries + static_cast<std::size_t>(whole_units(packed_entries(max_rows))));
  }
  template <class Kernel>
  static bool allow(Kernel* kernel, int threads, std::size_t bytes) {
    int blocks = 0;
    const bool able = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(bytes)) == cudaSuccess &&
                      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                                    bytes) == cudaSuccess &&
                      blocks > 0;
    if (!able)
      static_cast<void>(cudaGetLastError());  // clears the error: it is the answer here,
                                              // and the next launch must not return it
    return able;
  }
};

}  // namespace kauri::numeric::cuda::kernels
