// Partial Cholesky factorisation of one front of a batch's item, by a warp or by a block of
// threads.
//
// A front is a packed lower triangle of order m (packed_column()), in shared memory or in its place
// in global memory. A warp has one row a lane, and four pivots at a time in registers. A block
// takes strips of Shape::kStrip pivots: the first warp factorises the strip's diagonal block, one
// row a lane; then each thread solves for rows below that block; then all columns right of the
// strip are updated, in tiles of Shape::kTileRows x Shape::kTileColumns a warp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "numeric/cuda/batch/kernels.hpp"
#include "numeric/cuda/runtime/launch.hpp"
#include "symbolic/device/small_layout.hpp"

namespace kauri::numeric::cuda {

using symbolic::packed_column;
using symbolic::packed_entries;

inline constexpr unsigned kAllLanes = 0xffffffffu;
inline constexpr Index kNoPivot = std::numeric_limits<Index>::max();

/// Threads that do a front together, a warp or a block: their number, the calling thread's rank
/// among them, and their barrier.
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

/// A pivot and its column of B, or kNoPivot. A pivot that did not fail is the square of its rounded
/// root. take() keeps the lesser pivot; of equal ones that with the lower column is the lesser.
struct BatchPivot {
  double value;
  Index column;

  __device__ void take(double pivot, Index of) {
    if (pivot < value || (pivot == value && of < column)) value = pivot, column = of;
  }
};

/// A front's triangle of m rows and p pivots: its panel and its contribution block. kOnChip: it
/// lies in shared memory, with the block right after the panel; else in global memory.
template <class T, bool kOnChip>
struct BatchTriangle {
  T* panel;
  T* block;
  Index m, p;

  /// Returns the address that row 0 of column c would have; only rows c and below exist.
  __device__ T* column(Index c) const {
    return kOnChip || c < p ? panel + packed_column(c, m) : block + packed_column(c - p, m - p) - p;
  }
};

/// A walk along a row, from a column to the next: `step` entries, of which there are `shrink` fewer
/// at each next() (1 in a packed triangle, whose columns get shorter, 0 in a copy).
template <class T>
struct ColumnWalk {
  T* at;
  Index step, shrink;

  __device__ void next() { at += step, step -= shrink; }
};

/// The pivot columns of a strip. All threads of the block read them in shared memory: in the
/// triangle itself if it lies there, else in a copy in room[0 .. Shape::kStrip * m).
template <class T, bool kOnChip>
struct BatchStrip {
  const BatchTriangle<T, kOnChip>& a;
  T* room;
  Index begin, width;  ///< pivots [begin, begin + width)

  /// Returns a walk along row r through the strip's columns in the triangle, to read or write
  /// there.
  __device__ ColumnWalk<T> in_place(Index r) const {
    return {a.column(begin) + r, a.m - begin - 1, 1};
  }
  /// Returns a walk along row r through the strip's columns in shared memory: in the triangle or in
  /// the copy.
  __device__ ColumnWalk<T> to_read(Index r) const {
    return kOnChip ? in_place(r) : ColumnWalk<T>{room + (r - begin), a.m, 0};
  }
};

/// Arrays in shared memory for the results of a team's pivots.
template <class T>
struct BatchPivots {
  T* scratch;  ///< scratch[c]: 1 / L(c,c) for column c of the strip; scratch[kBatchStrip]: 0 if a
               ///< pivot of it failed, else 1. Null for a warp.
  BatchPivot* failed;  ///< the failed pivot with the lowest column so far
  BatchPivot* least;   ///< 32, one for each lane of the warp that takes the pivots: the least pivot
                       ///< of the lane's rows so far

  /// Returns true if the pivot is positive and finite; else records it as failed, unless a lower
  /// column has failed. All lanes of a warp call it with the same pivot. column: a column of B.
  __device__ bool accept(T pivot, Index column) const {
    const bool good = pivot > T(0) && !isinf(pivot);
    if (!good && threadIdx.x % 32 == 0 && column < failed->column)
      *failed = {static_cast<double>(pivot), column};
    return good;
  }
};

/// Factorises columns [begin, begin + width) of the packed triangle `a` of order m <= 32 in shared
/// memory by a warp, row r by lane r; the products of earlier columns must be subtracted. row:
/// output, the lane's entries of L in these columns. first: column of B of the front's first pivot.
/// Returns false, in all lanes, if a pivot failed; `a` is then unchanged.
template <Index kWidth, class T>
__device__ bool factor_columns(T* a, Index m, Index begin, Index width, T (&row)[kWidth],
                               Index first, const BatchPivots<T>& pivots) {
  const Index lane = static_cast<Index>(threadIdx.x) % 32;
  ColumnWalk<T> walk{a + packed_column(begin, m) + lane, m - begin - 1, 1};
#pragma unroll
  for (Index k = 0; k < kWidth; ++k, walk.next())
    row[k] = k < width && lane >= begin + k && lane < m ? *walk.at : T(0);
  T own = T(0);
#pragma unroll
  for (Index c = 0; c < kWidth; ++c) {
    if (c >= width) continue;
    const T pivot = __shfl_sync(kAllLanes, row[c], begin + c);
    if (!pivots.accept(pivot, first + begin + c)) return false;
    const T root = sqrt(pivot), inverse = T(1) / root;
    row[c] = lane == begin + c ? root : row[c] * inverse;
    if (lane == begin + c) own = root;
#pragma unroll
    for (Index j = c + 1; j < kWidth; ++j)
      row[j] -= row[c] * __shfl_sync(kAllLanes, row[c], begin + j);
  }
  if (lane >= begin && lane < begin + width)
    pivots.least[lane].take(static_cast<double>(own) * static_cast<double>(own), first + lane);
  walk = {a + packed_column(begin, m) + lane, m - begin - 1, 1};
#pragma unroll
  for (Index k = 0; k < kWidth; ++k, walk.next())
    if (k < width && lane >= begin + k && lane < m) *walk.at = row[k];
  __syncwarp();
  return true;
}

/// Eliminates the first p columns of a packed triangle of order m <= 32 in shared memory, by a
/// warp. first: column of B of the first of them. Returns false, in all lanes, if a pivot failed.
/// Only its lane reads and writes a row right of the pivots, so lanes wait for each other once for
/// each four pivots.
template <class T>
__device__ bool eliminate_narrow(T* a, Index m, Index p, Index first,
                                 const BatchPivots<T>& pivots) {
  constexpr Index kWidth = 4, kAtOnce = 4;
  const Index lane = static_cast<Index>(threadIdx.x) % 32;
  for (Index begin = 0; begin < p; begin += kWidth) {
    const Index width = min(kWidth, p - begin);
    T row[kWidth];
    if (!factor_columns(a, m, begin, width, row, first, pivots)) return false;
    ColumnWalk<T> to{a + packed_column(begin + width, m) + lane, m - begin - width - 1, 1};
    for (Index j = begin + width; j < m; j += kAtOnce) {
      T entry[kAtOnce];
      ColumnWalk<T> from = to;
#pragma unroll
      for (Index u = 0; u < kAtOnce; ++u, from.next())
        entry[u] = lane >= j + u && lane < m ? *from.at : T(0);
      ColumnWalk<T> right{a + packed_column(begin, m), m - begin - 1, 1};
#pragma unroll
      for (Index k = 0; k < kWidth; ++k, right.next()) {
        if (k >= width) continue;
#pragma unroll
        for (Index u = 0; u < kAtOnce; ++u) entry[u] -= row[k] * right.at[min(j + u, m - 1)];
      }
#pragma unroll
      for (Index u = 0; u < kAtOnce; ++u, to.next())
        if (lane >= j + u && lane < m) *to.at = entry[u];
    }
    __syncwarp();
  }
  return true;
}

/// Factorises the diagonal block of a strip, by the first warp, one row a lane, and sets
/// pivots.scratch. The next column is always row[0], so that the loop is short in the instruction
/// cache. first: column of B of the front's first pivot.
template <class Shape, class T, bool kOnChip>
__device__ void factor_diagonal(const BatchStrip<T, kOnChip>& strip, Index first,
                                const BatchPivots<T>& pivots) {
  constexpr Index kStrip = Shape::kStrip;
  const Index lane = static_cast<Index>(threadIdx.x) % 32, width = strip.width,
              mine = lane < width ? lane + 1 : 0;
  T row[kStrip];
  ColumnWalk<T> to = strip.in_place(strip.begin + (mine > 0 ? lane : 0));
  ColumnWalk<T> walk = to, copy = strip.to_read(strip.begin + lane);
#pragma unroll
  for (Index k = 0; k < kStrip; ++k, walk.next()) row[k] = k < mine ? *walk.at : T(0);
  bool good = true;
  T own = T(0);
#pragma unroll 1
  for (Index c = 0; c < width; ++c, to.next(), copy.next()) {
    const T pivot = __shfl_sync(kAllLanes, row[0], c);
    good = pivots.accept(pivot, first + strip.begin + c);
    if (!good) break;
    const T root = sqrt(pivot), inverse = T(1) / root, l = lane == c ? root : row[0] * inverse;
    if (lane == c) own = root, pivots.scratch[c] = inverse;
    if (c < mine) {
      *to.at = l;
      if constexpr (!kOnChip) *copy.at = l;
    }
#pragma unroll
    for (Index j = 1; j < kStrip; ++j) row[j - 1] = row[j] - l * __shfl_sync(kAllLanes, l, c + j);
  }
  if (lane == 0) pivots.scratch[kBatchStrip] = good ? T(1) : T(0);
  if (good && mine > 0)
    pivots.least[lane].take(static_cast<double>(own) * static_cast<double>(own),
                            first + strip.begin + lane);
}

/// Solves for the rows below the diagonal block of the strip, one a thread, by the thread block:
/// L(r,:) = F(r,:) L(k,k)^-T. scratch: BatchPivots::scratch.
template <class Shape, class T, bool kOnChip>
__device__ void solve_rows(const BatchStrip<T, kOnChip>& strip, const T* scratch) {
  constexpr Index kStrip = Shape::kStrip;
  for (Index r = strip.begin + strip.width + BlockTeam::rank(); r < strip.a.m;
       r += BlockTeam::kThreads) {
    T row[kStrip];
    ColumnWalk<T> from = strip.in_place(r);
#pragma unroll
    for (Index k = 0; k < kStrip; ++k, from.next()) row[k] = k < strip.width ? *from.at : T(0);
    ColumnWalk<T> below = strip.to_read(strip.begin);
#pragma unroll
    for (Index c = 0; c < kStrip; ++c, below.next()) {
      if (c >= strip.width) continue;
      row[c] *= scratch[c];
#pragma unroll
      for (Index j = c + 1; j < kStrip; ++j)
        if (j < strip.width) row[j] -= row[c] * below.at[j];
    }
    ColumnWalk<T> to = strip.in_place(r), copy = strip.to_read(r);
#pragma unroll
    for (Index k = 0; k < kStrip; ++k, to.next(), copy.next()) {
      if (k >= strip.width) continue;
      *to.at = row[k];
      if constexpr (!kOnChip) *copy.at = row[k];
    }
  }
}

/// Subtracts the products of the strip's columns from the tile that begins at entry (i0, j0), by a
/// warp. A lane has the entries (i0 + lane % 8 + 8 x, j0 + lane / 8 + 4 y).
template <class Shape, class T, bool kOnChip>
__device__ void update_tile(const BatchStrip<T, kOnChip>& strip, Index i0, Index j0) {
  constexpr Index kX = Shape::kTileRows / 8, kY = Shape::kTileColumns / 4;
  const Index lane = static_cast<Index>(threadIdx.x) % 32, i = i0 + lane % 8, j = j0 + lane / 8,
              m = strip.a.m;
  T entry[kY][kX];
#pragma unroll
  for (Index y = 0; y < kY; ++y) {
    const T* column = strip.a.column(min(j + 4 * y, m - 1));
#pragma unroll
    for (Index x = 0; x < kX; ++x)
      entry[y][x] = i + 8 * x < m && i + 8 * x >= j + 4 * y ? column[i + 8 * x] : T(0);
  }
  ColumnWalk<T> walk = strip.to_read(0);
  for (Index k = 0; k < strip.width; ++k, walk.next()) {
    T left[kX], right[kY];
#pragma unroll
    for (Index x = 0; x < kX; ++x) left[x] = walk.at[min(i + 8 * x, m - 1)];
#pragma unroll
    for (Index y = 0; y < kY; ++y) right[y] = walk.at[min(j + 4 * y, m - 1)];
#pragma unroll
    for (Index y = 0; y < kY; ++y)
#pragma unroll
      for (Index x = 0; x < kX; ++x) entry[y][x] -= left[x] * right[y];
  }
#pragma unroll
  for (Index y = 0; y < kY; ++y) {
    T* column = strip.a.column(min(j + 4 * y, m - 1));
#pragma unroll
    for (Index x = 0; x < kX; ++x)
      if (i + 8 * x < m && i + 8 * x >= j + 4 * y) column[i + 8 * x] = entry[y][x];
  }
}

/// Updates all columns right of the strip, by the thread block: warps take tiles in turn.
template <class Shape, class T, bool kOnChip>
__device__ void update_right(const BatchStrip<T, kOnChip>& strip) {
  const Index warp = BlockTeam::rank() / 32;
  Index tile = 0;
  for (Index j = strip.begin + strip.width; j < strip.a.m; j += Shape::kTileColumns)
    for (Index i = j; i < strip.a.m; i += Shape::kTileRows, ++tile)
      if (tile % kBatchWarps == warp) update_tile<Shape>(strip, i, j);
}

/// Eliminates a front's pivots by a block of threads: L in the panel, F22 - L21 L21^T in the
/// contribution block. first: column of B of the first pivot. room: Shape::kStrip * m numbers in
/// shared memory for a triangle in global memory, else null. Returns false, in all threads, if a
/// pivot failed. All threads must have met before the call; they meet at its end.
template <class Shape, class T, bool kOnChip>
__device__ bool eliminate(const BatchTriangle<T, kOnChip>& a, Index first, T* room,
                          const BatchPivots<T>& pivots) {
  for (Index begin = 0; begin < a.p; begin += Shape::kStrip) {
    const BatchStrip<T, kOnChip> strip{a, room, begin, min(Shape::kStrip, a.p - begin)};
    if (BlockTeam::rank() < 32) factor_diagonal<Shape>(strip, first, pivots);
    BlockTeam::meet();
    if (pivots.scratch[kBatchStrip] == T(0)) return false;
    solve_rows<Shape>(strip, pivots.scratch);
    BlockTeam::meet();
    update_right<Shape>(strip);
    BlockTeam::meet();
  }
  return true;
}

}  // namespace kauri::numeric::cuda
