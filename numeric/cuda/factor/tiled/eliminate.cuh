// Elimination of up to 16 columns by one warp, one row per lane: L D L^T without square roots on
// the way, scaled at the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/kernel/ptx.cuh"

namespace kauri::numeric::cuda::kernels {

inline constexpr int kExchangeEntries = 128;  // doubles of scratch in shared memory: two buffers of
                                              // four columns of 16 rows

/// Returns true if x is positive, and neither so small nor so large that its reciprocal or root is
/// not a normal number.
__device__ inline bool is_ordinary(double x) { return x > 1e-290 && x < 1e290; }

/// Eliminates four columns from `first` on in the lane's row `a`, updating only these four; columns
/// from `width` on are not eliminated (kFull: width is 16). `pairs`: these four columns of rows
/// 0-15, in shared memory; every lane factorises their 4 x 4 diagonal block for itself. Sets
/// factor[j] to the row's entry in column first + j of the unit lower factor.
template <bool kFull>
__device__ inline void eliminate_four(double (&a)[16], const double2* pairs, int first, int width,
                                      double (&factor)[4]) {
  double block[4][4];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const double2 left = pairs[2 * (first + r)];
    block[r][0] = left.x, block[r][1] = left.y;
    if (r < 2) continue;
    const double2 right = pairs[2 * (first + r) + 1];
    block[r][2] = right.x, block[r][3] = right.y;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const bool live = kFull || first + j < width;
    double y, e;
    ptx::reciprocal_parts(block[j][j], y, e);
    if constexpr (!kFull) y = live ? y : 0.0, e = live ? e : 0.0;
#pragma unroll
    for (int r = j + 1; r < 4; ++r) {
      const double scaled = block[r][j] * y;
      const double multiplier = fma(scaled, e, scaled);
#pragma unroll
      for (int c = j + 1; c <= r; ++c) block[r][c] = fma(-multiplier, block[c][j], block[r][c]);
    }
    const double scaled = a[first + j] * y;
    factor[j] = fma(scaled, e, scaled);
#pragma unroll
    for (int c = j + 1; c < 4; ++c) a[first + c] = fma(-factor[j], block[c][j], a[first + c]);
  }
}

template <int kFrom, int kTo>
__device__ inline void update_columns(double (&a)[16], const double2* pairs,
                                      const double (&factor)[4]) {
#pragma unroll
  for (int c = kFrom; c < kTo; ++c) {
    const double2 left = pairs[2 * c], right = pairs[2 * c + 1];
    a[c] = fma(-factor[0], left.x, a[c]);
    a[c] = fma(-factor[1], left.y, a[c]);
    a[c] = fma(-factor[2], right.x, a[c]);
    a[c] = fma(-factor[3], right.y, a[c]);
  }
}

/// Eliminates columns kFirst .. width - 1 of the rows `a`, four at a time; `diagonal` holds the
/// first four of these columns of rows 0-15. Entries of other rows come through shared memory, two
/// to all lanes by one load; the next four columns are stored to `diagonal` before the columns
/// right of them are updated. At the end `below` holds, for each of rows 0-15, the four columns
/// that hold its pivot.
template <bool kFull, int kFirst>
__device__ inline void eliminate_from(double (&a)[16], double2* diagonal, double2* below, int width,
                                      int lane) {
  if (!kFull && kFirst >= width) return;
  double factor[4];
  eliminate_four<kFull>(a, diagonal, kFirst, width, factor);
  const int own = 2 * (lane & 15);
  if (lane >= kFirst && lane < 16) {
    below[own] = make_double2(a[kFirst], a[kFirst + 1]),
    below[own + 1] = make_double2(a[kFirst + 2], a[kFirst + 3]);
  }
  __syncwarp();
  if constexpr (kFirst < 12) {
    update_columns<kFirst + 4, kFirst + 8>(a, below, factor);
    if (lane < 16) {
      diagonal[own] = make_double2(a[kFirst + 4], a[kFirst + 5]),
      diagonal[own + 1] = make_double2(a[kFirst + 6], a[kFirst + 7]);
    }
    update_columns<kFirst + 8, 16>(a, below, factor);
    __syncwarp();
    eliminate_from<kFull, kFirst + 4>(a, diagonal, below, width, lane);
  }
}

/// Eliminates the first `width` of 16 columns. Lanes 0-15 hold the diagonal block by rows in `a`,
/// the other lanes any rows of the same columns: rows of the front below it, or rows of the
/// identity, which become those of the inverse transposed. Every lane's row becomes that of L;
/// columns from `width` on are updated. `exchange`: kExchangeEntries of shared memory. Returns the
/// first column without an ordinary pivot (is_ordinary()), or -1: also very small or large positive
/// pivots count as failures. After a failure the columns that follow it are unspecified. Called by
/// all lanes of a warp.
__device__ inline int eliminate(double (&a)[16], double* exchange, int width, int lane) {
  double2* diagonal = reinterpret_cast<double2*>(exchange);
  double2* below = reinterpret_cast<double2*>(exchange) + kExchangeEntries / 4;
  if (lane < 16)
    diagonal[2 * lane] = make_double2(a[0], a[1]),
                 diagonal[2 * lane + 1] = make_double2(a[2], a[3]);
  __syncwarp();
  if (width == 16) {
    eliminate_from<true, 0>(a, diagonal, below, width, lane);
  } else {
    eliminate_from<false, 0>(a, diagonal, below, width, lane);
  }
  const int row = lane & 15;
  const double pivot = row < width ? exchange[kExchangeEntries / 2 + 4 * row + (row & 3)] : 1.0;
  const unsigned failed = __ballot_sync(0xffffffffu, !is_ordinary(pivot));
  if (lane < 16) exchange[lane] = row < width ? ptx::reciprocal_root(pivot) : 1.0;
  __syncwarp();
#pragma unroll
  for (int c = 0; c < 16; c += 2) {
    const double2 roots = diagonal[c / 2];
    a[c] *= roots.x, a[c + 1] *= roots.y;
  }
  __syncwarp();
  return __ffs(static_cast<int>(failed)) - 1;
}

}  // namespace kauri::numeric::cuda::kernels
