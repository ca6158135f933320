// Partial Cholesky of one front of a batch's item, by a warp or by a block of threads.
//
// A front is a packed lower triangle of order m (symbolic/small_layout.hpp), in shared memory, or in its places in global memory. Strips of
// kBatchStrip pivots: the first warp factorises the diagonal block, a row a lane; each thread solves for rows below it; then all that lies
// right of the strip is updated, in tiles of 32 x 16 a warp, 4 x 4 entries a lane.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "numeric/cuda/batch_kernels.hpp"
#include "numeric/cuda/kernels/launch.hpp"
#include "symbolic/small_layout.hpp"

namespace kauri::numeric::cuda {

using symbolic::packed_column;
using symbolic::packed_entries;

inline constexpr unsigned kAllLanes = 0xffffffffu;
inline constexpr Index kNoPivot = std::numeric_limits<Index>::max();

/// Threads that do a front together.
struct WarpTeam {
  static constexpr Index kThreads = 32;
  __device__ static Index rank() { return static_cast<Index>(threadIdx.x) % 32; }
  __device__ static void meet() { __syncwarp(); }
};
struct BlockTeam {
  static constexpr Index kThreads = kBatchThreads;
  __device__ static Index rank() { return static_cast<Index>(threadIdx.x); }
  __device__ static void meet() { __syncthreads(); }
};

/// A pivot, or its square root's square, and its column of B; of equal ones the first column's is the least.
struct BatchPivot {
  double value;
  Index column;

  __device__ void take(double pivot, Index of) {
    if (pivot < value || (pivot == value && of < column)) value = pivot, column = of;
  }
};

/// Where a front's triangle lies: m rows, p pivots.
template <class T>
struct BatchTriangle {
  T* panel;
  T* block;
  Index m, p;

  /// Row 0 of column c, of which rows c and below are there.
  __device__ T* column(Index c) const { return c < p ? panel + packed_column(c, m) : block + packed_column(c - p, m - p) - p; }
};

/// Goes from a row of a column to the same row of the next one: in a packed triangle columns get shorter, in a copy they do not.
template <class T>
struct ColumnWalk {
  T* at;
  Index step, shrink;

  __device__ void next() { at += step, step -= shrink; }
};

/// The pivot columns of a strip, where all threads of the team read them: in the triangle itself, if that lies in shared memory, or copied
/// to room[0 .. kBatchStrip * m).
template <class T>
struct BatchStrip {
  BatchTriangle<T> a;
  T* room;
  Index begin, width;  ///< pivots [begin, begin + width)

  /// Row r of the columns, to be read or written as part of the triangle.
  __device__ ColumnWalk<T> in_place(Index r) const { return {a.column(begin) + r, a.m - begin - 1, 1}; }
  /// The same as all threads read it.
  __device__ ColumnWalk<T> to_read(Index r) const { return room == nullptr ? in_place(r) : ColumnWalk<T>{room + (r - begin), a.m, 0}; }
  /// Row r takes values[0 .. width).
  __device__ void put(Index r, Index count, const T (&values)[kBatchStrip]) const {
    ColumnWalk<T> to = in_place(r);
#pragma unroll
    for (Index k = 0; k < kBatchStrip; ++k, to.next())
      if (k < count) *to.at = values[k];
    if (room == nullptr) return;
    ColumnWalk<T> copy = to_read(r);
#pragma unroll
    for (Index k = 0; k < kBatchStrip; ++k, copy.next())
      if (k < count) *copy.at = values[k];
  }
  __device__ void get(Index r, Index count, T (&values)[kBatchStrip]) const {
    ColumnWalk<T> from = in_place(r);
#pragma unroll
    for (Index k = 0; k < kBatchStrip; ++k, from.next()) values[k] = k < count ? *from.at : T(0);
  }
};

/// What a team keeps of its pivots, in shared memory.
template <class T>
struct BatchPivots {
  T* scratch;          ///< scratch[c]: 1 / L(c,c) of the strip; scratch[kBatchStrip]: whether all went well
  BatchPivot* failed;  ///< the first so far that failed
  BatchPivot* least;   ///< the least so far, one a lane
};

/// The diagonal block of a strip, by the first warp, a row a lane. `first`: of the front's columns.
template <class T>
__device__ __noinline__ void factor_diagonal(BatchStrip<T> strip, Index first, BatchPivots<T> pivots) {
  const Index lane = static_cast<Index>(threadIdx.x) % 32, width = strip.width, mine = lane < width ? lane + 1 : 0;
  T row[kBatchStrip];
  strip.get(strip.begin + (mine > 0 ? lane : 0), mine, row);
  bool good = true;
#pragma unroll
  for (Index c = 0; c < kBatchStrip; ++c) {
    if (c >= width || !good) continue;
    const T pivot = __shfl_sync(kAllLanes, row[c], c);
    const Index column = first + strip.begin + c;
    good = pivot > T(0) && !isinf(pivot);
    if (!good) {
      if (lane == 0 && column < pivots.failed->column) *pivots.failed = {static_cast<double>(pivot), column};
      continue;
    }
    const T root = sqrt(pivot), inverse = T(1) / root;
    row[c] = lane == c ? root : row[c] * inverse;
    if (lane == c) {
      pivots.scratch[c] = inverse;
      pivots.least[lane].take(static_cast<double>(root) * static_cast<double>(root), column);
    }
#pragma unroll
    for (Index j = c + 1; j < kBatchStrip; ++j) row[j] -= row[c] * __shfl_sync(kAllLanes, row[c], j);
  }
  if (lane == 0) pivots.scratch[kBatchStrip] = good ? T(1) : T(0);
  if (mine > 0) strip.put(strip.begin + lane, mine, row);
}

/// Rows below the diagonal block, a thread each: L(r,:) = F(r,:) L(k,k)^-T.
template <class Team, class T>
__device__ __noinline__ void solve_rows(BatchStrip<T> strip, const T* scratch) {
  for (Index r = strip.begin + strip.width + Team::rank(); r < strip.a.m; r += Team::kThreads) {
    T row[kBatchStrip];
    strip.get(r, strip.width, row);
    ColumnWalk<T> below = strip.to_read(strip.begin);
#pragma unroll
    for (Index c = 0; c < kBatchStrip; ++c, below.next()) {
      if (c >= strip.width) continue;
      row[c] *= scratch[c];
#pragma unroll
      for (Index j = c + 1; j < kBatchStrip; ++j)
        if (j < strip.width) row[j] -= row[c] * below.at[j];
    }
    strip.put(r, strip.width, row);
  }
}

/// Entries (i0 + lane % 8 + 8 x, j0 + lane / 8 + 4 y), x, y < 4, less the products of the strip.
template <class T>
__device__ void update_tile(const BatchStrip<T>& strip, Index i0, Index j0) {
  const Index lane = static_cast<Index>(threadIdx.x) % 32, i = i0 + lane % 8, j = j0 + lane / 8, m = strip.a.m;
  T sum[4][4] = {};
  ColumnWalk<T> walk = strip.to_read(0);
  for (Index k = 0; k < strip.width; ++k, walk.next()) {
    T left[4], right[4];
#pragma unroll
    for (Index x = 0; x < 4; ++x) left[x] = walk.at[min(i + 8 * x, m - 1)], right[x] = walk.at[min(j + 4 * x, m - 1)];
#pragma unroll
    for (Index y = 0; y < 4; ++y)
#pragma unroll
      for (Index x = 0; x < 4; ++x) sum[y][x] += left[x] * right[y];
  }
#pragma unroll
  for (Index y = 0; y < 4; ++y) {
    if (j + 4 * y >= m) continue;
    T* column = strip.a.column(j + 4 * y);
#pragma unroll
    for (Index x = 0; x < 4; ++x)
      if (i + 8 * x < m && i + 8 * x >= j + 4 * y) column[i + 8 * x] -= sum[y][x];
  }
}

/// All columns right of the strip. Tiles are dealt to the team's warps in turn.
template <class Team, class T>
__device__ __noinline__ void update_right(BatchStrip<T> strip) {
  constexpr Index kWarps = Team::kThreads / 32;
  const Index warp = Team::rank() / 32;
  Index tile = 0;
  for (Index j = strip.begin + strip.width; j < strip.a.m; j += 16)
    for (Index i = j; i < strip.a.m; i += 32, ++tile)
      if (kWarps == 1 || tile % kWarps == warp) update_tile(strip, i, j);
}

/// L in the panel, F22 - L21 L21^T in the block. False, for all threads of the team, if a pivot failed. room: kBatchStrip * m numbers in
/// shared memory for a triangle in global memory, else null. All threads have met, and meet at the end.
template <class Team, class T>
__device__ bool eliminate(const BatchTriangle<T>& a, Index first, T* room, const BatchPivots<T>& pivots) {
  for (Index begin = 0; begin < a.p; begin += kBatchStrip) {
    const BatchStrip<T> strip{a, room, begin, min(kBatchStrip, a.p - begin)};
    if (Team::rank() < 32) factor_diagonal(strip, first, pivots);
    Team::meet();
    if (pivots.scratch[kBatchStrip] == T(0)) return false;
    solve_rows<Team>(strip, pivots.scratch);
    Team::meet();
    update_right<Team>(strip);
    Team::meet();
  }
  return true;
}

}  // namespace kauri::numeric::cuda
