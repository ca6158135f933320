// Data that the warps of a sweep share: in global memory numbers that are their own flags, in
// shared memory rings for tiled fronts (single/tiles.cuh) and panels for other fronts.
//
// A number that is not computed yet has all bits set (a NaN that no arithmetic makes); a thread
// that needs it loads it until it differs. Numbers are stored and loaded whole, by relaxed accesses
// of device scope; no other access is ordered by them, since all that follows from a number is in
// the number. So a number is visible one trip to the L2 cache after its store: it needs no flag
// behind it and no fence before. The order of tickets defines which task waits for which
// (symbolic/device/sweep_lists.hpp).
//
// S, here and in files that include this: the scalar of L, of the inverses and products beside it,
// and of the caller's vectors. N: the scalar of numbers, sums and products, double or S. L in float
// becomes N when it is read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "numeric/cuda/plan/tile.cuh"
#include "numeric/cuda/runtime/kernel/dot2.cuh"
#include "numeric/cuda/runtime/kernel/numbers.cuh"
#include "numeric/cuda/runtime/kernel/tight.cuh"
#include "numeric/cuda/runtime/kernel/watchdog.cuh"
#include "numeric/cuda/solve/single/loads.cuh"
#include "numeric/cuda/solve/single/memory.hpp"

namespace kauri::numeric::cuda {

using kernels::ptx::load_relaxed;
using kernels::ptx::store_relaxed;
using watchdog::Awaited;
using watchdog::Watch;

/// Returns the row in the caller's numbering of row k of L: old_of[k], or k itself if old_of is
/// null.
__device__ inline Index row_of(const Index* old_of, Index k) {
  return old_of != nullptr ? old_of[k] : k;
}

/// Pauses between loads of a number that is awaited, in ns: of a number that the next step waits
/// for, and of a later one.
constexpr unsigned kSoon = 20, kLater = 60;

/// Returns true if a number is set, that is, computed. Tests the upper half of a double alone: any
/// other number with that upper half is a NaN of the caller's, which publish() replaces.
__device__ inline bool is_set(double x) { return __double2hiint(x) != -1; }
__device__ inline bool is_set(float x) { return __float_as_uint(x) != ~0U; }

template <class N>
__device__ inline N await_number(const N* p) {
  N x = load_relaxed(p);
  Watch watch;
  while (!is_set(x)) watch.look(Awaited::number, p, 0, 0), x = load_relaxed(p);
  return x;
}

/// Waits until the number at p is set, with pauses of `pause` ns between loads.
template <class N>
__device__ inline void await_there(const N* p, unsigned pause) {
  Watch watch;
  while (!is_set(load_relaxed(p))) watch.look(Awaited::number, p, 0, 0), __nanosleep(pause);
}

/// Reports to the watchdog the first of the numbers k in [0, kCount), at addresses at(k), for which
/// is_there(k) is false. A loop calls this after loading the numbers in vain.
template <int kCount, class There, class At>
__device__ __forceinline__ void look_at(Watch& watch, const There& is_there, const At& at) {
  if constexpr (watchdog::kOn) {
#pragma unroll
    for (int k = 0; k < kCount; ++k)
      if (!is_there(k)) return watch.look(Awaited::number, at(k), 0, 0);
  }
}

/// Waits until x[k], the number already loaded from p[k], is set for all k. Each round loads all
/// missing ones together, since a load takes a trip to the L2 cache and back. The pauses between
/// rounds, in ns, leave the cache to other threads.
template <int kCount, class N>
__device__ void await_numbers(const N* const (&p)[kCount], N (&x)[kCount], unsigned pause) {
  Watch watch;
  for (;;) {
    bool all = true;
#pragma unroll
    for (int k = 0; k < kCount; ++k) all = all && is_set(x[k]);
    if (all) return;
    look_at<kCount>(
        watch, [&](int k) { return is_set(x[k]); }, [&](int k) { return p[k]; });
    __nanosleep(pause);
#pragma unroll
    for (int k = 0; k < kCount; ++k)
      if (!is_set(x[k])) x[k] = load_relaxed(p[k]);
  }
}

/// Waits for the numbers at p + k step, k in [0, count), four at a time, and calls f(number) for
/// each in turn. `pause`: as in await_numbers().
template <class N, class F>
__device__ void for_numbers(const N* p, Offset step, Index count, unsigned pause, const F& f) {
  for (Index k = 0; k < count; k += 4, p += 4 * step) {
    const N* const place[4] = {p, p + step, p + 2 * step, p + 3 * step};
    N x[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) x[u] = k + u < count ? load_relaxed(place[u]) : N(0);
    await_numbers(place, x, pause);
#pragma unroll
    for (int u = 0; u < 4; ++u)
      if (k + u < count) f(x[u]);
  }
}

/// Waits for two series of numbers together, `firsts` of them at first + k step and `seconds` of
/// them at second + k step, two of each at a time, and calls f(series, number) for each, in turn
/// within a series. `pause`: as in await_numbers().
template <class N, class F>
__device__ void for_two(const N* first, const N* second, Offset step, Index firsts, Index seconds,
                        unsigned pause, const F& f) {
  for (; max(firsts, seconds) > 0;
       firsts -= 2, seconds -= 2, first += 2 * step, second += 2 * step) {
    const N* const place[4] = {first, first + step, second, second + step};
    N x[4] = {0, 0, 0, 0};
#pragma unroll
    for (int u = 0; u < 4; ++u)
      if (u % 2 < (u < 2 ? firsts : seconds)) x[u] = load_relaxed(place[u]);
    await_numbers(place, x, pause);
#pragma unroll
    for (int u = 0; u < 4; ++u)
      if (u % 2 < (u < 2 ? firsts : seconds)) f(u / 2, x[u]);
  }
}

/// Returns x, or the canonical NaN if x is a NaN of the caller's with the bits of an unset number.
__device__ inline double as_number(double x) {
  return is_set(x) ? x : __longlong_as_double(0x7ff8000000000000);
}
__device__ inline float as_number(float x) { return is_set(x) ? x : __uint_as_float(0x7fc00000U); }
template <class N>
__device__ inline void publish(N* p, std::type_identity_t<N> x) {
  if (!watchdog::loses()) store_relaxed(p, as_number(x));
}

/// Returns a + b with the rounding error of their sum; add(b, a) has the same bits.
template <class N>
__device__ inline Dot2Of<N> add(const Dot2Of<N>& a, const Dot2Of<N>& b) {
  const N sum = add_rn(a.sum, b.sum), shadow = sub_rn(sum, a.sum);
  const N error = add_rn(sub_rn(a.sum, sub_rn(sum, shadow)), sub_rn(b.sum, shadow));
  return {sum, add_rn(add_rn(a.error, b.error), error)};
}

template <class N>
__device__ inline N exchange(N x, int lanes) {
  return __shfl_xor_sync(0xffffffffu, x, lanes);
}
template <class N>
__device__ inline Dot2Of<N> exchange(const Dot2Of<N>& x, int lanes) {
  return {exchange(x.sum, lanes), exchange(x.error, lanes)};
}

}  // namespace kauri::numeric::cuda

namespace kauri::numeric::cuda::sweep {

using symbolic::kCellEntries;
using symbolic::SweepTask;
namespace ptx = kernels::ptx;

constexpr int kMultipliers = 4, kLoader = 4, kInput = 5,
              kStart = 6;  // number of multiplying warps, which come first; then warps: the loader,
                           // the input warp, the first of two start warps
constexpr int kThreads = 32 * 8;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
constexpr bool kHasRoomForThree = false;  // 100 KB of shared memory hold two blocks
#else
constexpr bool kHasRoomForThree = true;  // but on 8.6 and 8.9, which run the code for 8.0
#endif
/// Blocks per multiprocessor, by registers. Where all is in float a tile takes half of these, so
/// three blocks have enough without registers that change hands.
template <class N, class Loads>
constexpr int kResident = Loads::kMovesRegisters || (sizeof(N) == sizeof(float) && kHasRoomForThree)
                              ? 3
                              : 2;
constexpr int kRegisters = 80,
              kMultiplierRegisters = 112;  // registers per thread: of the kernel, and of the
                                           // multiplying warps while there are tiles
/// Stages of the ring: enough for a tile and the inverse after it, except if kTight.
constexpr int kStages = kTight ? 3 : 4;
constexpr int kStageEntries = 2048;
constexpr int kInputs = 4;               // length of the ring of inputs, tiles of numbers to
                                         // multiply by
constexpr int kPair = 2 * kCellEntries;  // entries of one cell row of a pair of columns
constexpr int kForwardPair = symbolic::kTileCells * kPair;  // entries of a pair of columns of a
                                                            // tile: a stage of the forward sweep
                                                            // has two
constexpr int kBackwardPair =
    symbolic::kTileCells / 2 * kPair;  // entries of a pair of half a tile: a stage of the backward
                                       // sweep has four
constexpr int kFirstBlocks =
    6;  // 16 x 16 blocks of an inverse in its first stage: those of its first three block rows
constexpr int kBarrier = 1,
              kLeftBarrier = 2;  // named barriers: of the multiplying warps, and of all warps

template <class S, class N>
struct TileShared {
  S stage[kStages][kStageEntries];
  N input[kInputs][kTile];
  N start[2][2 * kTile];  // numbers that sums start from; backward followed by their rounding
                          // errors
  N sum[2][kTile];        // sums of the rows of a diagonal tile, to be multiplied by its inverse
  N own[kTile];           // the product, which is the numbers of that tile (y or x)
  N rest[kTile];          // the residual in a correction of these numbers
  std::uint32_t place[2][kTile];  // forward: places of update rows; backward: rows of x in the
                                  // caller's numbering
  SweepTask task[2];
  Front front[2];
};
struct TileBarriers {
  std::uint64_t full[kStages], empty[kStages], input_full[kInputs], input_empty[kInputs],
      start_full[2], start_empty[2], task_full[2], task_empty[2];
};

/// Shared memory of a warp that takes narrow or small fronts, of up to kRows rows: panels of two
/// fronts, one from the beginning and one to the end, if both fit; numbers of a front's rows;
/// descriptions of four fronts and their supernodes. kHalves: rows of a front a lane.
template <class S, class Number, int kRows, class How>
struct WarpShared {
  using N = Number;
  using Loads = How;
  static constexpr int kHalves = kRows / 32;
  static constexpr int kPanel = kRows * (kRows + 1) / 2;
  static constexpr int kRoom = kRows <= 32 ? 2 * kPanel : kPanel + kPanel / 4;
  alignas(16) S panel[kRoom];
  N x[kRows];
  Front front[4];
  Index id[4];
};
struct WarpBarriers {
  std::uint64_t full[2];
};

constexpr int kNarrowWarps = 8, kSmallWarps = 3;  // warps of a block that take narrow fronts, and
                                                  // small ones

/// Barriers of one direction of a solve: narrow fronts, small fronts and tiles have their own,
/// since fronts of one kind follow those of another.
struct Barriers {
  TileBarriers tiles;
  WarpBarriers narrow[kNarrowWarps], small[kSmallWarps];
};

/// Warps of a block that take narrow fronts, and small ones, in a sweep of one column: fewer where
/// there is no shared memory for more.
template <class S>
constexpr int kNarrows = kTight && sizeof(S) == 8 ? kNarrowWarps - 1 : kNarrowWarps;
template <class S>
constexpr int kSmalls = kTight && sizeof(S) == 8 ? kSmallWarps - 1 : kSmallWarps;

template <class S, class N, class Loads>
struct SweepShared {
  Barriers direction[2];
  union {
    TileShared<S, N> tiles;
    WarpShared<S, N, 32, Loads> narrow[kNarrows<S>];
    WarpShared<S, N, 64, Loads> small[kSmalls<S>];
  };
};

/// Shared memory and barriers of a sweep through tiles.
template <class S, class N, class Loads>
struct Tiles {
  TileShared<S, N>& data;
  TileBarriers& barrier;
};

/// Position in a ring of kSize barriers, and the parity of the phase to wait for there.
template <int kSize>
struct Turn {
  int at = 0;
  unsigned phase = 0;
  __device__ void next() {
    if (++at == kSize) at = 0, phase ^= 1;
  }
};

/// A multiplying lane's position: warp w has rows, or columns, 16 w to 16 w + 15 of a tile, lane 4
/// g + t has row g of a cell and columns 2 t, 2 t + 1.
struct Lane {
  int warp, lane, g, t;
};

/// Synchronises all threads of the multiplying warps.
__device__ inline void together() { ptx::named_sync(kBarrier, 32 * kMultipliers); }

/// Calls multiply() in the multiplying warps and load_numbers(warp) in the four loading warps. If
/// Loads says so, multiplying warps get kMultiplying registers per thread instead of kAll, which
/// the loading warps give them. All threads of a block call it. The four warps of either group meet
/// before they change their registers again, as PTX requires. The loading warps take their
/// registers back after all multiplying warps have given them up: in a block without tasks the
/// loading warps finish while a multiplying warp may still wait for its registers, and would take
/// the registers that it waits for; then both groups would wait forever.
template <class Loads, int kAll, int kMultiplying, class Multiply, class Load>
__device__ void multiply_and_load(const Multiply& multiply, const Load& load_numbers) {
  constexpr int kLoading = 2 * kAll - kMultiplying;
  const int warp = ptx::thread_index() / 32;
  if constexpr (!Loads::kMovesRegisters) {
    if (warp < kMultipliers)
      multiply();
    else
      load_numbers(warp);
  } else if (warp < kMultipliers) {
    ptx::take_registers<kAll, kMultiplying>();
    multiply();
    together();
    ptx::leave_registers<kMultiplying, kAll>();
    ptx::named_sync(kLeftBarrier, kThreads);
  } else {
    ptx::leave_registers<kAll, kLoading>();
    load_numbers(warp);
    ptx::named_sync(kLeftBarrier, kThreads);
    ptx::take_registers<kLoading, kAll>();
  }
}

__device__ inline Index last_column(const SweepTask& task, Index row, Index pivots) {
  return min(task.column + task.columns, min(row, pivots));
}

/// Returns true if the tiles of tile row `row` of a forward task are multiplied by numbers that the
/// task itself has just made.
__device__ inline bool reads_own(const SweepTask& task, Index row) {
  return row > 0 && task.row == 0;
}

/// Returns true if tile row `row` of a forward task, or the tile column of a backward one, ends
/// with a product by U = V C instead of one by C: V is the inverse of the diagonal tile, C the tile
/// beside it in L. That one product leads from the numbers of the tile before to those of this one
/// (FrontCells::forward_product, backward_product). `pivots`: pivot tiles of the front.
__device__ inline bool ends_with_product(const SweepTask& task, Index row, Index pivots) {
  return task.kind != SweepTask::Kind::part && row > 0 && row < pivots;
}
__device__ inline bool ends_with_product_back(const SweepTask& task, Index pivots) {
  return task.kind != SweepTask::Kind::part && task.column + 1 < pivots;
}

/// Bytes of an entry of L in S.
template <class S>
constexpr int kBytes = static_cast<int>(sizeof(S));

/// Rounds y to S, as a forward sweep alone hands it to the caller: so a forward and a backward
/// sweep apart give the same bits as both in one call.
template <class S, class N>
__device__ inline N handed_on(N y) {
  return static_cast<N>(static_cast<S>(y));
}

/// Two adjacent numbers.
template <class N>
using PairOf = std::conditional_t<std::is_same_v<N, double>, double2, float2>;
/// Loads two adjacent entries of L by one instruction, as numbers. p must be aligned to the pair.
template <class N, class S>
__device__ inline PairOf<N> pair_at(const S* p) {
  const PairOf<S> pair = *reinterpret_cast<const PairOf<S>*>(p);
  return {static_cast<N>(pair.x), static_cast<N>(pair.y)};
}
/// Returns the pair of numbers at p, aligned to the pair.
template <class N>
__device__ inline const PairOf<N>& pair_of(const N* p) {
  return *reinterpret_cast<const PairOf<N>*>(p);
}

/// Returns the number of 16 x 16 blocks along the side of a tile of `cells` cells.
__device__ inline int blocks_of(Index cells) { return (cells + 1) / 2; }

template <class Loads>
__device__ inline void set_up(Barriers& barriers) {
  TileBarriers& tiles = barriers.tiles;
  for (int k = 0; k < kStages; ++k)
    ptx::barrier_init(&tiles.full[k], Loads::kArrivals),
        ptx::barrier_init(&tiles.empty[k], kMultipliers);
  for (int k = 0; k < kInputs; ++k)
    ptx::barrier_init(&tiles.input_full[k], 1),
        ptx::barrier_init(&tiles.input_empty[k], kMultipliers);
  for (int k = 0; k < 2; ++k) {
    ptx::barrier_init(&tiles.start_full[k], 1),
        ptx::barrier_init(&tiles.start_empty[k], kMultipliers);
    ptx::barrier_init(&tiles.task_full[k], 1),
        ptx::barrier_init(&tiles.task_empty[k], kMultipliers + 3);
    for (WarpBarriers& warp : barriers.narrow) ptx::barrier_init(&warp.full[k], Loads::kArrivals);
    for (WarpBarriers& warp : barriers.small) ptx::barrier_init(&warp.full[k], Loads::kArrivals);
  }
}

}  // namespace kauri::numeric::cuda::sweep
