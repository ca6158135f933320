// The portable kernel of small fronts, a front a warp: no bulk copies, no proxy fences, ordinary
// stores. The assembly of a front (front_kernels.cuh) and the loop that factorises it are template
// parameters. Less than 48 KB of shared memory a block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

#include "numeric/cuda/factor/small/blocks.cuh"
#include "numeric/cuda/factor/small/front.hpp"
#include "numeric/cuda/factor/small/multiply_adds.cuh"
#include "numeric/cuda/runtime/kernel/watchdog.cuh"
#include "numeric/cuda/runtime/launch.hpp"

namespace kauri::numeric::cuda::kernels::portable {

/// Numbers of shared memory that factor() needs beside the front.
template <class Loop>
inline constexpr int kScratchEntries = kExchangeEntries;
template <>
inline constexpr int kScratchEntries<PortableCore> = kOperationsEntries;

/// Factorises a front of up to 16 kBlocks rows. Returns the first column without an ordinary pivot,
/// or -1. Called by one warp.
template <int kBlocks, class S>
__device__ int factor(const LaneFrontOf<MultiplyAdds<S>>& front, int pivots, S* scratch) {
  return factor_by_columns<kBlocks>(front, pivots, scratch);
}
template <int kBlocks>
__device__ int factor(const LaneFrontOf<PortableCore>& front, int pivots, double* scratch) {
  if constexpr (kBlocks == 2)
    return factor_by_rows(front, pivots, scratch);
  else
    return factor_by_warp(front, pivots, scratch, scratch);
}

__device__ inline void load_pair(double& x, double& y, const double* from) {
  const double2 pair = *reinterpret_cast<const double2*>(from);
  x = pair.x, y = pair.y;
}
__device__ inline void load_pair(float& x, float& y, const float* from) {
  const float2 pair = *reinterpret_cast<const float2*>(from);
  x = pair.x, y = pair.y;
}
__device__ inline void store_pair(double* to, double x, double y) {
  *reinterpret_cast<double2*>(to) = make_double2(x, y);
}
__device__ inline void store_pair(float* to, float x, float y) {
  *reinterpret_cast<float2*>(to) = make_float2(x, y);
}

/// Stores `count` numbers of shared memory, an even count, both sides aligned to two entries.
/// Called by a warp.
template <class T, class S>
__device__ void store_entries(T* to, const S* from, int count, int lane) {
#pragma unroll 4
  for (int e = 2 * lane; e < count; e += 64) {
    S x, y;
    load_pair(x, y, from + e);
    store_pair(to + e, static_cast<T>(x), static_cast<T>(y));
  }
}

/// Stores a factorised front from its packed triangle to global memory, in whole units, so that no
/// place of its arrays stays without a number. Called by a warp.
template <class T, class S>
__device__ void store_front(const SmallFrontOf<T>& front, const S* packed, int lane) {
  const SmallLayout shape{front.rows, front.pivots};
  store_entries(front.panel, packed, shape.panel_storage(), lane);
  store_entries(front.contribution, packed + shape.panel_entries() - shape.padding(),
                shape.block_storage(), lane);
}

/// Shared memory of a warp: the descriptions of its front and of its next front, scratch and the
/// front's packed triangle.
template <class FrontRecord, class S, int kScratch>
class WarpRoom {
 public:
  __device__ explicit WarpRoom(unsigned char* begin) : begin_(begin) {}
  [[nodiscard]] __device__ const FrontRecord& front() const { return records()[0]; }
  [[nodiscard]] __device__ S* scratch() const { return reinterpret_cast<S*>(begin_ + kRecords); }
  [[nodiscard]] __device__ S* packed() const { return scratch() + kScratch; }
  /// Returns the bytes for fronts of up to max_rows rows, and for places behind a front's triangle
  /// that loads of whole blocks read.
  KAURI_HOST_DEVICE static constexpr int bytes(int max_rows) {
    const int rows = (max_rows + kBlock - 1) / kBlock * kBlock;
    return kRecords +
           (kScratch + packed_entries(rows)) * static_cast<int>(sizeof(S));  // 16 divides both
  }

  /// Begins to copy the description of front f, if f < count; take() waits for it and makes it
  /// front(). Called by all lanes of the warp.
  __device__ void fetch(const FrontRecord* fronts, int f, int count, int lane) const {
    if (f >= count || lane >= kWords) return;
    ptx::copy_8_async(reinterpret_cast<long long*>(records() + 1) + lane,
                      reinterpret_cast<const long long*>(fronts + f) + lane);
  }
  __device__ void take(int lane) const {
    ptx::finish_async_copies();
    if (lane < kWords)
      reinterpret_cast<long long*>(records())[lane] =
          reinterpret_cast<const long long*>(records() + 1)[lane];
    __syncwarp();
  }

 private:
  static constexpr int kWords = sizeof(FrontRecord) / 8;
  static constexpr int kRecords = (2 * sizeof(FrontRecord) + 15) / 16 * 16;
  static_assert(sizeof(FrontRecord) % 8 == 0 && kWords <= 32 && kScratch * sizeof(S) % 16 == 0);
  [[nodiscard]] __device__ FrontRecord* records() const {
    return reinterpret_cast<FrontRecord*>(begin_);
  }
  unsigned char* begin_;
};

template <class Loop, class Assembly>
using RoomOf =
    WarpRoom<typename Assembly::FrontRecord, typename Loop::LoopScalar, kScratchEntries<Loop>>;

/// Factorises `count` fronts of up to 16 kBlocks rows, each by one warp. A warp does one front
/// after another. `max_rows`: most rows of a front, for which shared memory is laid out.
template <class Loop, int kBlocks, int kWarps, int kResident, class Assembly>
__global__ void __launch_bounds__(32 * kWarps, kResident)
    portable_fronts_by_warps(const typename Assembly::FrontRecord* fronts, int count, int max_rows,
                             Assembly assembly) {
  extern __shared__ __align__(16) unsigned char shared[];
  if (!ptx::begin_block()) return;
  using Room = RoomOf<Loop, Assembly>;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int stride = static_cast<int>(gridDim.x) * kWarps;
  watchdog::begin(watchdog::Kernel::portable_fronts_by_warps);
  int f = assembly.draw(static_cast<int>(blockIdx.x) * kWarps + warp, lane);
  if (f >= count) return;
  const Room room(shared + warp * Room::bytes(max_rows));
  room.fetch(fronts, f, count, lane);
  for (int next = 0; f < count; f = next) {
    watchdog::take(f);
    room.take(lane);
    next = assembly.draw(f + stride, lane);
    room.fetch(fronts, next, count, lane);
    assembly.finish(room.front(), room.packed(), nullptr, 0, WarpGroup{lane});
    const LaneFrontOf<Loop> view(room.packed(), room.front().rows, lane);
    int column = factor<kBlocks>(view, room.front().pivots, room.scratch());
    if constexpr (Assembly::kExact) {
      if (column >= 0) {
        __syncwarp();
        assembly.finish(room.front(), room.packed(), nullptr, 0, WarpGroup{lane});
        column = factor_exactly(view, room.front().pivots);
      }
    }
    __syncwarp();
    store_front(room.front(), room.packed(), lane);
    __syncwarp();
    if (lane == 0) {
      assembly.record(room.front(), f, room.packed(), column);
      assembly.stored(room.front());
    }
    __syncwarp();
  }
}

/// Warps of a block, and blocks that a multiprocessor should hold at once.
struct BlockSize {
  int warps;
  int resident;
};
/// Sizes for fronts of 16 kBlocks rows: as many warps as registers allow with at most 68 bytes
/// of spills, since most of a front's time is waiting for memory (comments: registers per thread,
/// then shared memory of a block).
template <class Loop, int kBlocks>
inline constexpr BlockSize kSize{2, 5};  // 168; 38 KB with column operations, 36 KB without
template <>
inline constexpr BlockSize kSize<PortableCore, 2>{4, 6};  // 80; 26 KB
template <>
inline constexpr BlockSize kSize<MultiplyAdds<double>, 2>{4, 6};  // 80; 21 KB
template <>
inline constexpr BlockSize kSize<MultiplyAdds<float>, 2>{4, 8};  // 64; 11 KB
template <>
inline constexpr BlockSize kSize<MultiplyAdds<float>, 4>{2, 10};  // 96; 18 KB

/// The kernels of one loop and assembly for fronts of at most 32 and of at most 64 rows.
template <class Loop, class Assembly>
class PortableFronts {
 public:
  using FrontRecord = typename Assembly::FrontRecord;

  /// Loads the kernels. Call it once on a device before the first launch there. Returns false if
  /// the device cannot run them.
  static bool prepare() { return is_loaded(kernel<2>) && is_loaded(kernel<4>); }

  /// Enqueues the factorisation of count > 0 fronts of at most max_rows <= 64 rows each. Returns
  /// the launch's error.
  static cudaError_t enqueue(const FrontRecord* fronts, int count, int max_rows,
                             const Assembly& assembly, cudaStream_t stream) {
    if (max_rows > 64) return cudaErrorInvalidValue;
    int device = 0, processors = 0;
    static_cast<void>(cudaGetDevice(&device));
    static_cast<void>(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    const auto run = [&](auto* chosen, BlockSize size) {
      return launch(chosen, static_cast<unsigned>(std::min(count, size.resident * processors)),
                    static_cast<unsigned>(32 * size.warps),
                    static_cast<std::size_t>(size.warps * RoomOf<Loop, Assembly>::bytes(max_rows)),
                    stream, fronts, count, max_rows, assembly);
    };
    return max_rows <= 32 ? run(kernel<2>, kSize<Loop, 2>) : run(kernel<4>, kSize<Loop, 4>);
  }

 private:
  template <int kBlocks>
  static constexpr auto kernel = portable_fronts_by_warps<Loop, kBlocks, kSize<Loop, kBlocks>.warps,
                                                          kSize<Loop, kBlocks>.resident, Assembly>;
  template <class Kernel>
  static bool is_loaded(Kernel* some) {
    cudaFuncAttributes attributes;
    const bool able =
        cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(some)) == cudaSuccess;
    if (!able) static_cast<void>(cudaGetLastError());  // clears the error: it is the answer here
    return able;
  }
};

}  // namespace kauri::numeric::cuda::kernels::portable
