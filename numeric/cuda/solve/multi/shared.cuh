// Shared memory of a block in sweeps of several right-hand sides. Numbers of a tile of rows are
// placed so that neither the accesses of a warp that loads them nor those to the fragments of a
// product meet in a bank.
//
// K, here and in files that include this: the kernel, a MultiKernel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <type_traits>

#include "numeric/cuda/solve/multi/memory.hpp"
#include "numeric/cuda/solve/single/fronts.cuh"
#include "numeric/cuda/solve/single/shared.cuh"

namespace kauri::numeric::cuda::sweep::multi {

constexpr int kNumberLoaders = 3;  // warps after the one that loads L; they load the numbers that
                                   // tiles of L are multiplied by, and the initial numbers of sums
constexpr int kResident = 2;       // blocks per multiprocessor that has the shared memory for them
constexpr int kRegisters = 128,
              kMultiplierRegisters = 144;  // registers per thread: of the kernel, and of the
                                           // multiplying warps while there are tiles
static_assert(kThreads == 32 * (kMultipliers + 1 + kNumberLoaders));

/// A kernel of sweeps of kColumns right-hand sides, 8, 16 or 32. S: the scalar of L and of the
/// caller's vectors. N: that of numbers. Loads: see single/loads.cuh.
template <class Scalar, int kColumns, SweepProducts kKind>
struct MultiKernel {
  using S = Scalar;
  using N = NumberOf<Scalar, kKind>;
  using Pair = PairOf<N>;
  using Memory = MultiMemory<S, N>;
  using Numbers = SweepMemory<S, N>;
  using Loads = std::conditional_t<kKind == SweepProducts::hopper, BulkLoads, AsyncLoads>;
  static constexpr int kWidth = kColumns;
  static constexpr SweepProducts kProducts = kKind;
};

/// Lengths of the rings: stages of half a tile of L (kStages), tiles of numbers to multiply by
/// (kInputs), and tiles of numbers that sums start from (kStarts). On Hopper two blocks fill a
/// multiprocessor; portable kernels take at most 99 KB, and with up to 16 columns at most 81 KB, of
/// which compute capability 8.0 has room for two; with numbers in float at most 49 KB, so that two
/// fill any multiprocessor. kTight rings let a block have 64 KB, which hold all kernels but that of
/// 32 columns in double: groups of 16 replace its groups there.
template <class S, int kWidth, class Loads, class N>
struct RingsOf;
template <class S>
struct RingsOf<S, 8, BulkLoads, double> {
  static constexpr int kStages = 5, kInputs = 4, kStarts = 2;
};
template <class S>
struct RingsOf<S, 16, BulkLoads, double> {
  static constexpr int kStages = 4, kInputs = 3, kStarts = 2;
};
template <class S>
struct RingsOf<S, 32, BulkLoads, double> {
  static constexpr int kStages = 3, kInputs = 2, kStarts = 2;
};
template <>
struct RingsOf<float, 8, AsyncLoads, float> {
  static constexpr int kStages = 4, kInputs = 4, kStarts = 2;
};
template <>
struct RingsOf<float, 16, AsyncLoads, float> {
  static constexpr int kStages = 4, kInputs = 2, kStarts = 2;
};
template <>
struct RingsOf<float, 32, AsyncLoads, float> {
  static constexpr int kStages = 3, kInputs = 2, kStarts = 1;
};
template <class S>
struct RingsOf<S, 8, AsyncLoads, double> {
  static constexpr int kStages = sizeof(S) == 4 ? (kTight ? 4 : 5) : 3,
                       kInputs = kTight && sizeof(S) == 8 ? 2 : 4,
                       kStarts = kTight && sizeof(S) == 8 ? 1 : 2;
};
template <class S>
struct RingsOf<S, 16, AsyncLoads, double> {
  static constexpr int kStages = (sizeof(S) == 4 ? 4 : 3) - (kTight ? 1 : 0),
                       kInputs = sizeof(S) == 4 && !kTight ? 3 : 2,
                       kStarts = kTight && sizeof(S) == 8 ? 1 : 2;
};
template <class S>
struct RingsOf<S, 32, AsyncLoads, double> {
  static constexpr int kStages = sizeof(S) == 4 ? 4 : 3, kInputs = 2,
                       kStarts = sizeof(S) == 4 ? 2 : 1;
};
template <class K>
using RingLengths = RingsOf<typename K::S, K::kWidth, typename K::Loads, typename K::N>;

/// place_of() returns the place of a number in a tile of 64 rows in shared memory. Units of four
/// columns are permuted within 128 bytes, depending on the row, by turn_of(). A fragment of doubles
/// has rows t and t + 4, or 2t and 2t + 1, and in either case four of them then lie in different
/// banks. Multiply-adds of floats read rows 2t, which lie in different banks by their own
/// turn_of().
template <class N, int kWidth>
__device__ constexpr int turn_of(int row) {
  if constexpr (sizeof(N) == sizeof(double))
    return (row >> 1 & 1) << 1 | ((row ^ row >> 2) & 1);
  else
    return kWidth == 8 ? (row >> 2 & 1) << 1 : (row >> 1 & 1) << 1 | (row >> 2 & 1) << 2;
}
template <class N, int kWidth>
__device__ constexpr int place_of(int row, int column) {
  return ((row * (kWidth / 4) + column / 4) ^ turn_of<N, kWidth>(row)) * 4 + column % 4;
}

template <class K>
struct TileShared {
  using RingLengths = multi::RingLengths<K>;
  static constexpr int kNumbers = kTile * K::kWidth;
  typename K::S stage[RingLengths::kStages][kStageEntries];
  typename K::N input[RingLengths::kInputs][kNumbers];
  typename K::N start[RingLengths::kStarts][kNumbers];  // numbers that sums start from; then those
                                                        // still to be multiplied by an inverse
  SweepTask task[2];
  Front front[2];
};
template <class K>
struct TileBarriers {
  using RingLengths = multi::RingLengths<K>;
  std::uint64_t full[RingLengths::kStages], empty[RingLengths::kStages],
      input_full[RingLengths::kInputs], input_empty[RingLengths::kInputs],
      start_full[RingLengths::kStarts], start_empty[RingLengths::kStarts], task_full[2],
      task_empty[2];
};

/// Shared memory of a warp that takes narrow or small fronts, of up to kRows rows: panels as in
/// WarpShared, kWidth numbers and the RowPlaces for each row of a front, and descriptions of four
/// fronts.
template <class K, int kMost>
struct alignas(16) FrontShared {
  using N = typename K::N;
  using Loads = typename K::Loads;
  static constexpr int kRows = kMost;
  static constexpr int kPanel = kRows * (kRows + 1) / 2;
  static constexpr int kRoom = kRows <= 32 ? kPanel : kPanel + kPanel / 8;
  alignas(16) typename K::S panel[kRoom];
  alignas(16) N number[kRows * K::kWidth];
  N reciprocal[kRows];
  Front front[4];
  Index id[4];
  std::uint32_t place[kRows], begin[kRows], end[kRows];  // as in RowPlaces
};

/// True if numbers are in float: then two blocks fill a multiprocessor of 100 KB.
template <class K>
constexpr bool kInFloat = sizeof(typename K::N) == sizeof(float);

/// Warps of a block that take narrow fronts, and small ones: fewer than in sweeps of one right-hand
/// side where there is no shared memory for more.
template <class K>
constexpr bool kLarge =
    sizeof(typename K::S) == sizeof(double) && std::is_same_v<typename K::Loads, AsyncLoads>;
template <class K>
constexpr int kNarrows = K::kWidth < 32
                             ? kNarrowWarps - (kTight && kLarge<K> && K::kWidth > 8 ? 2 : 0)
                         : kInFloat<K> ? kNarrowWarps - 2
                         : kLarge<K>   ? kNarrowWarps - 1
                                       : kNarrowWarps;
template <class K>
constexpr int kSmalls = (kLarge<K> && K::kWidth > (kTight ? 4 : 8)) ||
                                (kInFloat<K> && K::kWidth == 32)
                            ? kSmallWarps - 1
                            : kSmallWarps;

template <class K>
struct Barriers {
  TileBarriers<K> tiles;
  WarpBarriers narrow[kNarrows<K>], small[kSmalls<K>];
};

template <class K>
struct MultiShared {
  union {
    TileShared<K> tiles;
    FrontShared<K, 32> narrow[kNarrows<K>];
    FrontShared<K, 64> small[kSmalls<K>];
  };
  Barriers<K> direction[2];
};
/// True if a block of K fits in shared memory, of which a block loses 1 KB: on Hopper twice; with
/// numbers in float twice in 100 KB; else once in 100 KB or, with up to 16 columns, twice in 164
/// KB. kTight kernels fit once in 64 KB, of which a block loses nothing; that of 32 columns in
/// double does not, and runs nowhere.
template <class K>
constexpr bool kFits = sizeof(MultiShared<K>) + 1024 <=
                           1024 * (K::kProducts == SweepProducts::hopper ? 228 / kResident
                                   : kInFloat<K>                         ? 100 / kResident
                                   : K::kWidth < 32                      ? 164 / kResident
                                                                         : 100) &&
                       (!kTight || sizeof(MultiShared<K>) <= 1024 * ptx::kBlockKilobytes ||
                        (kLarge<K> && K::kWidth == 32));

template <class K>
struct Tiles {
  TileShared<K>& data;
  TileBarriers<K>& barrier;
};

/// Returns true if all tile rows of a forward task are multiplied by the same tile of numbers:
/// those of the front's one pivot tile, which the task itself makes if task.row is 0, and which are
/// loaded once otherwise.
__device__ inline bool has_one_input(const SweepTask& task) { return task.rows > 1; }

template <class K>
__device__ void set_up(Barriers<K>& barriers) {
  constexpr int kArrivals = K::Loads::kArrivals;
  TileBarriers<K>& tiles = barriers.tiles;
  const auto ring = [](auto& full, int fillers, auto& empty, int readers) {
    for (std::uint64_t& barrier : full) ptx::barrier_init(&barrier, fillers);
    for (std::uint64_t& barrier : empty) ptx::barrier_init(&barrier, readers);
  };
  ring(tiles.full, kArrivals, tiles.empty, kMultipliers);
  ring(tiles.input_full, kNumberLoaders, tiles.input_empty, kMultipliers);
  ring(tiles.start_full, kNumberLoaders, tiles.start_empty, kMultipliers);
  ring(tiles.task_full, 1, tiles.task_empty, kMultipliers + kNumberLoaders);
  for (WarpBarriers& warp : barriers.narrow)
    for (std::uint64_t& barrier : warp.full) ptx::barrier_init(&barrier, kArrivals);
  for (WarpBarriers& warp : barriers.small)
    for (std::uint64_t& barrier : warp.full) ptx::barrier_init(&barrier, kArrivals);
}

/// Publishes two adjacent numbers of a row, at p aligned to both, for which other threads wait.
template <class N>
__device__ inline void publish(N* p, std::type_identity_t<N> x, std::type_identity_t<N> y) {
  if (!watchdog::loses())
    ptx::store_relaxed(reinterpret_cast<PairOf<N>*>(p), PairOf<N>{as_number(x), as_number(y)});
}
using cuda::publish;
/// Returns the value of an unset number, all bits 1. unset() and unset_pair() store it: the reader
/// of a number that is read once unsets that number (see MultiMemory).
template <class N>
__device__ inline N unset_number() {
  if constexpr (std::is_same_v<N, double>)
    return __longlong_as_double(-1);
  else
    return __uint_as_float(~0U);
}
template <class N>
__device__ inline void unset(N* p) {
  store_relaxed(p, unset_number<N>());
}
template <class N>
__device__ inline void unset_pair(N* p) {
  ptx::store_relaxed(reinterpret_cast<PairOf<N>*>(p),
                     PairOf<N>{unset_number<N>(), unset_number<N>()});
}
/// Rows of kWidth numbers in global memory: row r, r < count, is row row[r] of `array`, or row r if
/// `row` is null. `last`: the r that is likely to be set last. `once`: the rows are read once, and
/// the reader unsets them. `handed_on`: a backward sweep reads them, rounded as by handed_on().
template <class N>
struct Rows {
  N* array;
  const Index* row;
  Index count, last;
  bool once;
  bool handed_on = false;
};

template <class Pair>
__device__ inline Pair sum_of(const Pair& a, const Pair& b) {
  return {a.x + b.x, a.y + b.y};
}
template <class N>
__device__ inline PairOf<N> look(const N* p) {
  return ptx::load_relaxed(reinterpret_cast<const PairOf<N>*>(p));
}
__device__ inline bool is_set(const double2& x) { return cuda::is_set(x.x) && cuda::is_set(x.y); }
__device__ inline bool is_set(const float2& x) { return cuda::is_set(x.x) && cuda::is_set(x.y); }
using cuda::is_set;

}  // namespace kauri::numeric::cuda::sweep::multi
