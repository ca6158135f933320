// Elimination of up to 16 columns by one warp, one or two rows per lane: L D L^T without square
// roots on the way, scaled at the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

#include "numeric/cuda/runtime/kernel/ptx.cuh"

namespace kauri::numeric::cuda::kernels {

inline constexpr int kExchangeEntries = 128;  // numbers of scratch in shared memory: two buffers of
                                              // four columns of 16 rows

/// Returns true if x is positive, and neither so small nor so large that its reciprocal or root is
/// not a normal number.
__device__ inline bool is_ordinary(double x) { return x > 1e-290 && x < 1e290; }
__device__ inline bool is_ordinary(float x) { return x > 1e-35F && x < 1e35F; }

/// Divides several numbers by x, which must be ordinary, by multiplications: of doubles the last
/// bit may be wrong unless the quotient has few bits; of floats it is right or next to right, and
/// right if the quotient is a float. Without `live` all quotients are zero.
template <class S>
struct Divisor;
template <>
struct Divisor<double> {
  double y, e;

  __device__ Divisor(double x, bool live) {
    ptx::reciprocal_parts(x, y, e);
    y = live ? y : 0.0, e = live ? e : 0.0;
  }
  __device__ double quotient(double a) const {
    const double scaled = a * y;
    return fma(scaled, e, scaled);
  }
};
template <>
struct Divisor<float> {
  float x, y;

  __device__ Divisor(float divisor, bool live)
      : x(live ? divisor : 0.0F), y(live ? ptx::rough_reciprocal(divisor) : 0.0F) {}
  __device__ float quotient(float a) const {
    const float rough = a * y;
    return fma(fma(-x, rough, a), y, rough);
  }
};

/// Load and store four adjacent numbers, aligned to 16 bytes.
__device__ inline void load_four(double (&x)[4], const double* from) {
  const double2 left = reinterpret_cast<const double2*>(from)[0],
                right = reinterpret_cast<const double2*>(from)[1];
  x[0] = left.x, x[1] = left.y, x[2] = right.x, x[3] = right.y;
}
__device__ inline void load_four(float (&x)[4], const float* from) {
  const int4 bits = *reinterpret_cast<const int4*>(from);
  memcpy(x, &bits, sizeof bits);
}
__device__ inline void store_four(double* to, const double* x) {
  reinterpret_cast<double2*>(to)[0] = make_double2(x[0], x[1]),
  reinterpret_cast<double2*>(to)[1] = make_double2(x[2], x[3]);
}
__device__ inline void store_four(float* to, const float* x) {
  int4 bits;
  memcpy(&bits, x, sizeof bits);
  *reinterpret_cast<int4*>(to) = bits;
}

/// Eliminates four columns from `first` on in the lane's kHeld rows `a`, updating only these four;
/// columns from `width` on are not eliminated (kFull: width is 16). `fours`: these four columns of
/// rows 0-15, in shared memory; every lane factorises their 4 x 4 diagonal block for itself. Sets
/// factor[h][j] to the entry of row a[h] in column first + j of the unit lower factor.
template <bool kFull, int kHeld, class S>
__device__ inline void eliminate_four(S (*a)[16], const S* fours, int first, int width,
                                      S (&factor)[kHeld][4]) {
  S block[4][4];
#pragma unroll
  for (int r = 0; r < 4; ++r) load_four(block[r], fours + 4 * (first + r));
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const Divisor<S> pivot(block[j][j], kFull || first + j < width);
#pragma unroll
    for (int r = j + 1; r < 4; ++r) {
      const S multiplier = pivot.quotient(block[r][j]);
#pragma unroll
      for (int c = j + 1; c <= r; ++c) block[r][c] = fma(-multiplier, block[c][j], block[r][c]);
    }
#pragma unroll
    for (int h = 0; h < kHeld; ++h) {
      factor[h][j] = pivot.quotient(a[h][first + j]);
#pragma unroll
      for (int c = j + 1; c < 4; ++c)
        a[h][first + c] = fma(-factor[h][j], block[c][j], a[h][first + c]);
    }
  }
}

template <int kFrom, int kTo, int kHeld, class S>
__device__ inline void update_columns(S (*a)[16], const S* fours, const S (&factor)[kHeld][4]) {
#pragma unroll
  for (int c = kFrom; c < kTo; ++c) {
    S four[4];
    load_four(four, fours + 4 * c);
#pragma unroll
    for (int h = 0; h < kHeld; ++h) {
#pragma unroll
      for (int i = 0; i < 4; ++i) a[h][c] = fma(-factor[h][i], four[i], a[h][c]);
    }
  }
}

/// Eliminates columns kFirst .. width - 1 of the rows `a`, four at a time; `diagonal` holds the
/// first four of these columns of rows 0-15. Entries of other rows come through shared memory, 16
/// bytes to all lanes by one load; the next four columns are stored to `diagonal` before the
/// columns right of them are updated. At the end `below` holds, for each of rows 0-15, the four
/// columns that hold its pivot.
template <bool kFull, int kFirst, int kHeld, class S>
__device__ inline void eliminate_from(S (*a)[16], S* diagonal, S* below, int width, int lane) {
  if (!kFull && kFirst >= width) return;
  S factor[kHeld][4];
  eliminate_four<kFull, kHeld>(a, diagonal, kFirst, width, factor);
  const int own = 4 * (lane & 15);
  if (lane >= kFirst && lane < 16) store_four(below + own, a[0] + kFirst);
  __syncwarp();
  if constexpr (kFirst < 12) {
    update_columns<kFirst + 4, kFirst + 8, kHeld>(a, below, factor);
    if (lane < 16) store_four(diagonal + own, a[0] + kFirst + 4);
    update_columns<kFirst + 8, 16, kHeld>(a, below, factor);
    __syncwarp();
    eliminate_from<kFull, kFirst + 4, kHeld>(a, diagonal, below, width, lane);
  }
}

/// Eliminates the first `width` of 16 columns of kHeld rows a lane. Lanes 0-15 hold the diagonal
/// block by rows in a[0], all else in `a` are any rows of the same columns: rows of the front below
/// it, or rows of the identity, which become those of the inverse transposed. Every row becomes
/// that of L; columns from `width` on are updated. `exchange`: kExchangeEntries of shared memory.
/// kFast: code of its own for a width of 16. Returns the first column without an ordinary pivot
/// (is_ordinary()), or -1: also very small or large positive pivots count as failures. After a
/// failure the columns that follow it are unspecified. Without one, `exchange` begins with the
/// reciprocals of L's diagonal. Called by all lanes of a warp.
template <int kHeld, bool kFast, class S>
__device__ inline int eliminate_rows(S (*a)[16], S* exchange, int width, int lane) {
  S* diagonal = exchange;
  S* below = exchange + kExchangeEntries / 2;
  if (lane < 16) store_four(diagonal + 4 * lane, a[0]);
  __syncwarp();
  if (kFast && width == 16) {
    eliminate_from<true, 0, kHeld>(a, diagonal, below, width, lane);
  } else {
    eliminate_from<false, 0, kHeld>(a, diagonal, below, width, lane);
  }
  const int row = lane & 15;
  const S pivot = row < width ? below[4 * row + (row & 3)] : S(1);
  const unsigned failed = __ballot_sync(0xffffffffu, !is_ordinary(pivot));
  if (lane < 16) exchange[lane] = row < width ? ptx::reciprocal_root(pivot) : S(1);
  __syncwarp();
#pragma unroll
  for (int c = 0; c < 16; c += 4) {
    S roots[4];
    load_four(roots, exchange + c);
#pragma unroll
    for (int h = 0; h < kHeld; ++h) {
#pragma unroll
      for (int i = 0; i < 4; ++i) a[h][c + i] *= roots[i];
    }
  }
  __syncwarp();
  return __ffs(static_cast<int>(failed)) - 1;
}

/// Eliminates the first `width` of 16 columns of one row a lane, as eliminate_rows().
__device__ inline int eliminate(double (&a)[16], double* exchange, int width, int lane) {
  return eliminate_rows<1, true>(&a, exchange, width, lane);
}

}  // namespace kauri::numeric::cuda::kernels
