// Products with the inverse of a nearly singular triangle, corrected by one step of refinement.
//
// X = C V^T, with V the computed inverse of T, leaves a residual C - X T^T as large as eps |X|
// |T|^T |V|^T |T|^T (J. J. Du Croz, N. J. Higham, Stability of methods for matrix inversion, IMA J.
// Numer. Anal. 12, 1992); substitution leaves eps |X| |T|^T. If |V| |T| is large, one step of
// refinement, X += (C - X T^T) V^T, reduces the residual to that of substitution, as long as eps
// times the size of |V| |T| is small (N. J. Higham, Accuracy and Stability of Numerical Algorithms,
// 2nd ed., 2002, chapter 12); in a Cholesky factor that size is below eps^-1/2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/tile_registers.cuh"

namespace kauri::numeric::cuda::kernels {

/// The largest condition (see is_nearly_singular()) of a block whose inverse is used without
/// correction: the residual is up to about 5 eps. Blocks of meshes have less than 10.
inline constexpr double kLargestCondition = 256.0;

/// Returns true in all lanes if max over k < width of |row k of T|_2 |column k of inv(T)|_1 exceeds
/// kLargestCondition, for a 16 x 16 triangle T of which the first `width` columns count. Up to a
/// factor of 256 this maximum is the largest entry of |inv(T)| |T|, and unlike the condition number
/// it does not grow if rows are scaled. Lane 16 + k holds column k of the inverse and in `diagonal`
/// entry (k,k) of T T^T; other lanes' values are not used. Called by all lanes of a warp.
__device__ inline bool is_nearly_singular(const double (&inverse)[16], double diagonal, int width,
                                          int lane) {
  double sum[4] = {};
#pragma unroll
  for (int c = 0; c < 16; ++c)
    if (c < width) sum[c % 4] += fabs(inverse[c]);
  const double norm = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  const bool large = norm * diagonal * norm > kLargestCondition * kLargestCondition;
  return __any_sync(0xffffffffu, large && lane >= 16 && (lane & 15) < width) != 0;
}

/// Loads a B operand from 2 x 2 cells by rows in shared memory: their rows 8n .. 8n + 7. The
/// operand is loaded for each product: kept, it would take registers that accumulators need.
__device__ inline void reload_b(double (&b)[4], const double* cells, int n, int lane) {
  const ptx::SharedAddress address = ptx::shared_address(cells + 2 * n * kCellEntries + 2 * lane);
#pragma unroll
  for (int i = 0; i < 2; ++i)
    ptx::load_shared(b[2 * i], b[2 * i + 1], address + i * kCellEntries * 8);
}

/// Computes X = C V^T, corrected, as two accumulators, of its left and its right 8 columns. c: C as
/// an A operand; `triangle` and `inverse`: T and V as 2 x 2 cells by rows in shared memory. The
/// signs of both C and X may be flipped. Called by one warp.
__device__ inline void multiply_corrected(double (&left)[4], double (&right)[4],
                                          const double (&c)[8], const double* triangle,
                                          const double* inverse, int lane) {
  double r[2][4] = {{c[0], c[2], c[1], c[3]}, {c[4], c[6], c[5], c[7]}}, a[8], b[4];
  set_zero(left), set_zero(right);
  reload_b(b, inverse, 0, lane);
  ptx::mma(left, c, b);
  reload_b(b, inverse, 1, lane);
  ptx::mma(right, c, b);
  flipped_operand(a, left, right);
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    reload_b(b, triangle, n, lane);
    ptx::mma(r[n], a, b);
  }
  as_operand(a, r[0], r[1]);
  reload_b(b, inverse, 0, lane);
  ptx::mma(left, a, b);
  reload_b(b, inverse, 1, lane);
  ptx::mma(right, a, b);
}

}  // namespace kauri::numeric::cuda::kernels
