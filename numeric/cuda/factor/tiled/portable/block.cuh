// Factorisation of a 16 x 16 block of a slab and its inverse by one warp, on any device from sm_80
// on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/eliminate.cuh"
#include "numeric/cuda/factor/tiled/portable/update.cuh"

namespace kauri::numeric::cuda::kernels::portable {

/// Returns true if x is positive and finite.
template <class T>
__device__ __forceinline__ bool is_positive(T x) {
  return x > T(0) && !isinf(x);
}

/// Returns 1 / sqrt(x), x positive and finite.
__device__ __forceinline__ double reciprocal_root(double x) {
  if (x > 1e-290 && x < 1e290) return ptx::reciprocal_root(x);
  const bool small = x < 1.0;
  return ptx::reciprocal_root(x * (small ? 0x1p512 : 0x1p-512)) * (small ? 0x1p256 : 0x1p-256);
}
__device__ __forceinline__ float reciprocal_root(float x) {
  const float y = rsqrtf(x), r = fmaf(-(x * y), y, 1.0F);
  return fmaf(0.5F * y, r, y);
}

/// Subtracts row lane % 16 of X X^T from `a`; x: X, 16 rows of a slab. Called by all lanes of a
/// warp: each half of them computes half of the products.
template <class T>
__device__ __forceinline__ void subtract_square(T (&a)[kSlabColumns], const T* x, int lane) {
  const T* half = x + lane / 16 * kCellEntries;  // this half warp's half of the columns
  T own[kCell];
  const auto load_half = [&](T(&to)[kCell], int row) {
#pragma unroll
    for (int u = 0; u < kCell; u += kUnit<T>) {
      T unit[kUnit<T>];
      load_unit(unit, slab_row(half, row) + u);
#pragma unroll
      for (int e = 0; e < kUnit<T>; ++e) to[u + e] = unit[e];
    }
  };
  load_half(own, lane & 15);
#pragma unroll
  for (int c = 0; c < kSlabColumns; ++c) {
    T other[kCell], sum = 0;
    load_half(other, c);
#pragma unroll
    for (int k = 0; k < kCell; ++k) sum = fma(own[k], other[k], sum);
    a[c] -= sum + __shfl_xor_sync(0xffffffffu, sum, 16);
  }
}

/// If `padded`, sets rows 8-15 of a block, which has only 8 pivots, to an identity's, one per lane.
template <class T>
__device__ __forceinline__ void pad_rows(T (&a)[kSlabColumns], int row, bool padded) {
  if (!padded || row < kCell) return;
#pragma unroll
  for (int c = 0; c < kSlabColumns; ++c) a[c] = c == row ? 1 : 0;
}

/// Loads a row of a 16 x 16 block of a slab, minus X X^T, in lanes 0-15, a row of the identity in
/// the others. `before`: X, the same rows of the slab before, or null; `padded`: see pad_rows().
/// Called by one warp.
template <class T>
__device__ __forceinline__ void load_rows(T (&a)[kSlabColumns], T* block, const T* before,
                                          bool padded, int lane) {
  const int row = lane & 15;
  load_row(a, slab_row(block, row));
  if (before != nullptr) subtract_square(a, before, lane);
  pad_rows(a, row, padded);
#pragma unroll
  for (int c = 0; c < kSlabColumns; ++c) a[c] = lane < 16 ? a[c] : T(c == row ? 1 : 0);
}

/// Eliminates 16 columns, a row a lane and one column at a time, by roots: for pivots of any
/// magnitude. Pivots that are not positive and finite become 1, and the first of them is returned.
/// Sets `reciprocals` to those of the diagonal. `columns`: 32 numbers of scratch in shared memory.
/// Called by one warp.
template <class T>
__device__ __forceinline__ FailedPivot<T> eliminate_guarded(T (&a)[kSlabColumns], T* reciprocals,
                                                            T* columns, int lane) {
  FailedPivot<T> failed;
#pragma unroll 1
  for (int k = 0; k < kSlabColumns; ++k) {
    T* column = columns + k % 2 * kSlabColumns;  // two in turn: the next is written during reads
    if (lane < 16) column[lane] = a[0];
    __syncwarp();
    T pivot = column[k];
    if (!is_positive(pivot)) {
      if (failed.column == kSlabColumns) failed = {k, pivot};
      pivot = 1;
      if (lane == k) a[0] = 1;
    }
    const T over_root = reciprocal_root(pivot);
    if (lane == 0) reciprocals[k] = over_root;
    const T own = a[0] * over_root;
#pragma unroll
    for (int c = 1; c < kSlabColumns; ++c)
      a[c - 1] = k + c < kSlabColumns ? fma(-own, column[(k + c) & 15] * over_root, a[c]) : a[c];
    a[kSlabColumns - 1] = own;
  }
  return failed;
}

/// Factorises a 16 x 16 block of a slab, minus X X^T, in place; `before`: X, the same rows of the
/// slab before, or null. Stores the block's inverse to `inverse` in global memory, and reciprocals
/// of its diagonal; `exchange`: kExchangeEntries of scratch. Called by one warp: lanes 0-15 hold
/// the rows of the block, the others those of the identity, which become the columns of the
/// inverse. Pivots that are not positive and finite become 1, and the first of them is returned.
template <class T>
__device__ __forceinline__ FailedPivot<T> eliminate_block(T* block, const T* before, bool padded,
                                                          T* inverse, T* reciprocals, T* exchange,
                                                          int lane) {
  const int row = lane & 15;
  FailedPivot<T> failed;
  T a[kSlabColumns];
  load_rows(a, block, before, padded, lane);
  if (eliminate_rows<1, true>(&a, exchange, kSlabColumns, lane) >= 0) {
    load_rows(a, block, before, padded, lane);
    failed = eliminate_guarded(a, reciprocals, exchange, lane);
  } else if (lane < 16) {
    reciprocals[lane] = exchange[lane];
  }
  if (lane < 16) {
#pragma unroll
    for (int c = 0; c < kSlabColumns; ++c) a[c] = c <= row ? a[c] : T(0);
    store_row(slab_row(block, row), a);
  } else {
#pragma unroll
    for (int c = 0; c < kSlabColumns; ++c) inverse[symbolic::CellLayout{2, 2}.place(c, row)] = a[c];
  }
  __syncwarp();
  return failed;
}

}  // namespace kauri::numeric::cuda::kernels::portable
