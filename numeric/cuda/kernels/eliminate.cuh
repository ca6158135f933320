// Elimination of up to 16 columns by one warp, one row per lane: L D L^T without square roots on the way, scaled at the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/ptx.cuh"

namespace kauri::numeric::cuda::kernels {

inline constexpr int kExchangeEntries = 128;  // twice four columns of 16 rows
inline constexpr unsigned kBias = 1023;       // of the exponent of a double

/// Positive, and neither so small nor so large that its reciprocal or root is not a normal number.
__device__ inline bool is_ordinary(double x) { return x > 1e-290 && x < 1e290; }

/// All that eliminate_four() multiplies stays far from the ends of the range: products of eight entries of [2^-120, 2^120] do.
__device__ inline bool is_moderate(double x) { return static_cast<unsigned>(__double2hiint(x)) - (kBias - 120u << 20) < 240u << 20; }

/// Four columns from `first` of the rows in `a`: factor them, then update what lies right of them in these four. pairs: the same columns
/// of rows 0-15; every lane factors the diagonal block for itself, without fractions: step j makes it pivot[j] times as large as the Schur
/// complement, so that no step waits for a reciprocal. factor[j]: the row's entry of the unit lower factor. False if the block's entries
/// are not moderate: nothing is worth anything then.
template <bool kFull>
__device__ inline bool eliminate_four(double (&a)[16], const double2* pairs, int first, int width, double (&factor)[4]) {
  double block[4][4];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const double2 left = pairs[2 * (first + r)];
    block[r][0] = left.x, block[r][1] = left.y;
    if (r < 2) continue;
    const double2 right = pairs[2 * (first + r) + 1];
    block[r][2] = right.x, block[r][3] = right.y;
  }
  bool moderate = true;
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const bool pivot = kFull || first + r < width;
    moderate = moderate && (pivot ? is_moderate(block[r][r]) : fabs(block[r][r]) < 0x1p120);
    if constexpr (!kFull) {
#pragma unroll
      for (int c = 0; c < r; ++c) moderate = moderate && fabs(block[r][c]) < 0x1p120;
    }
  }
  double scale = 1.0;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const bool live = kFull || first + j < width;
    const double pivot = live ? block[j][j] : 1.0;
    double y, e;
    ptx::reciprocal_parts(pivot, y, e);
    const auto over_pivot = [&](double x) {
      const double scaled = x * y;
      return live ? fma(scaled, e, scaled) : 0.0;
    };
    factor[j] = over_pivot(a[first + j] * scale);
#pragma unroll
    for (int r = j + 1; r < 4; ++r) a[first + r] = fma(-a[first + j], over_pivot(block[r][j]), a[first + r]);
#pragma unroll
    for (int c = j + 1; c < 4; ++c) {
#pragma unroll
      for (int r = c; r < 4; ++r) {
        const double product = block[r][j] * block[c][j];
        block[r][c] = live ? fma(pivot, block[r][c], -product) : block[r][c];
      }
    }
    scale *= pivot;
  }
  return moderate;
}

template <int kFrom, int kTo>
__device__ inline void update_columns(double (&a)[16], const double2* pairs, const double (&factor)[4]) {
#pragma unroll
  for (int c = kFrom; c < kTo; ++c) {
    const double2 left = pairs[2 * c], right = pairs[2 * c + 1];
    a[c] = fma(-factor[0], left.x, a[c]);
    a[c] = fma(-factor[1], left.y, a[c]);
    a[c] = fma(-factor[2], right.x, a[c]);
    a[c] = fma(-factor[3], right.y, a[c]);
  }
}

/// Columns from kFirst on; their first four are in `diagonal` by rows 0-15. Values of other rows come through shared memory, two to all
/// lanes by one load; the next four columns are published before the others are updated. In `below` every row leaves the four columns that
/// hold its pivot.
template <bool kFull, int kFirst>
__device__ inline bool eliminate_from(double (&a)[16], double2* diagonal, double2* below, int width, int lane) {
  if (!kFull && kFirst >= width) return true;
  double factor[4];
  const bool moderate = eliminate_four<kFull>(a, diagonal, kFirst, width, factor);
  const int own = 2 * (lane & 15);
  if (lane >= kFirst && lane < 16) {
    below[own] = make_double2(a[kFirst], a[kFirst + 1]), below[own + 1] = make_double2(a[kFirst + 2], a[kFirst + 3]);
  }
  __syncwarp();
  if constexpr (kFirst < 12) {
    update_columns<kFirst + 4, kFirst + 8>(a, below, factor);
    if (lane < 16) {
      diagonal[own] = make_double2(a[kFirst + 4], a[kFirst + 5]), diagonal[own + 1] = make_double2(a[kFirst + 6], a[kFirst + 7]);
    }
    update_columns<kFirst + 8, 16>(a, below, factor);
    __syncwarp();
    return eliminate_from<kFull, kFirst + 4>(a, diagonal, below, width, lane) && moderate;
  }
  return moderate;
}

/// Eliminates the first `width` of 16 columns. Lanes 0-15 hold the diagonal block by rows, the other lanes any rows of the same columns:
/// those of the front below it, or of the identity, which become those of the inverse transposed. Every lane's row becomes that of L,
/// columns from `width` on are updated. Returns -1; or, where a pivot is not positive and finite or numbers are so large or small that the
/// steps must be done with more care, the first column in question, and what follows it is unspecified.
__device__ inline int eliminate(double (&a)[16], double* exchange, int width, int lane) {
  double2* diagonal = reinterpret_cast<double2*>(exchange);
  double2* below = reinterpret_cast<double2*>(exchange) + kExchangeEntries / 4;
  if (lane < 16) diagonal[2 * lane] = make_double2(a[0], a[1]), diagonal[2 * lane + 1] = make_double2(a[2], a[3]);
  __syncwarp();
  const bool moderate =
      width == 16 ? eliminate_from<true, 0>(a, diagonal, below, width, lane) : eliminate_from<false, 0>(a, diagonal, below, width, lane);
  const int row = lane & 15;
  const double pivot = row < width ? exchange[kExchangeEntries / 2 + 4 * row + (row & 3)] : 1.0;
  const unsigned bad = __ballot_sync(0xffffffffu, !is_ordinary(pivot) || !moderate);
  if (lane < 16) exchange[lane] = row < width ? ptx::reciprocal_root(pivot) : 1.0;
  __syncwarp();
#pragma unroll
  for (int c = 0; c < 16; c += 2) {
    const double2 roots = diagonal[c / 2];
    a[c] *= roots.x, a[c + 1] *= roots.y;
  }
  __syncwarp();
  return __ffs(static_cast<int>(bad)) - 1;
}

}  // namespace kauri::numeric::cuda::kernels
