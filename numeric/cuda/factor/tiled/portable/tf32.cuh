// Products of tiles of floats by tensor cores in TF32, from sm_80 on: a loop of products.cuh. TF32
// keeps 11 of an operand's 24 bits. With three products the other bits are not lost: x is high +
// low, each of 11 bits, and high high + (high low + low high) misses only what is below 2^-22
// (Markidis et al. 2018; Ootomo & Yokota 2022). With one product they are lost: errors of 2^-11,
// good enough for preconditioners.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/portable/products.cuh"

namespace kauri::numeric::cuda::kernels::portable {

/// kCount numbers of a lane's operand, split for TF32. Low parts that are unused take no register.
template <int kCount>
struct Tf32Parts {
  float high[kCount];
  float low[kCount];
};

/// Splits x into `high`, x rounded to TF32, and `low`, the rest. The rounding is by integers, to
/// nearest, ties away from zero: NaN may become a number, but then `low` is NaN. For infinities,
/// and numbers above the greatest of TF32, `low` is NaN or infinite. The tensor core takes 11 bits
/// of `low`; `low` has at most 12, since it is no more than half a unit of `high`, so the part cut
/// off is one unit of x's last place, as often up as down.
__device__ __forceinline__ void split(float x, float& high, float& low) {
  high = __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
  low = x - high;
}

/// TF32 tensor cores. A lane holds 8 bytes of each of the warp's 4 x 8 cells: row lane / 4, columns
/// 2 (lane % 4) and the next one. That is its share of the accumulator of m16n8k8, whose 16 rows
/// are two cells, and of two operands, if columns 2 t and 2 t + 1 of a cell are the products'
/// columns t and t + 4. A warp's loads are 256 contiguous bytes.
template <int kProducts>
struct Tf32Loop {
  static_assert(kProducts == 1 || kProducts == 3);
  using T = float;
  using InTile = Tf32Loop<3>;  // inside a tile that is being solved with, three products, however
                               // many kProducts is
  static constexpr int kParts = kProducts;
  static constexpr int kRows = 4;
  static constexpr int kBeside = 2;
  static constexpr int kBlocks = 2;
  using Accumulators = T[kRows][kTileCells][kBeside];

  __device__ static constexpr int row_cell(int i) { return i; }
  __device__ static int row(int /*i*/, int lane) { return lane >> 2; }
  __device__ static int column(int lane) { return 2 * (lane & 3); }

  /// Adds X Y^T to acc in columns of cells [first, end), both even; x and y as for
  /// TensorLoop::multiply().
  __device__ static __forceinline__ void multiply(Accumulators& acc, const T* x, const T* y,
                                                  int first, int end, int lane) {
    Tf32Parts<4> a[2][2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
#pragma unroll
      for (int j = 0; j < 2; ++j)
        load_a(a[h][j], x + 2 * j * kPairEntries + h * kCellEntries + 2 * lane, kPairEntries);
    }
#pragma unroll
    for (int n = 0; n < kTileCells; n += 2) {
      if (n < first || n >= end) continue;
      Tf32Parts<2> b[2][2];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
#pragma unroll
        for (int c = 0; c < 2; ++c)
          load_b(b[h][c], y + (n + c) * kPairEntries + h * kCellEntries + 2 * lane);
      }
      if constexpr (kProducts == 1)
        add(acc, n, a, b);
      else
        add_sums(acc, n, a, b);
    }
  }

  /// Loads a left operand, two cells one below the other, `stride` entries apart, rounded or split.
  __device__ static __forceinline__ void load_a(Tf32Parts<4>& a, const T* from, int stride) {
    load(a, 0, 2, from), load(a, 1, 2, from + stride);
  }

 private:
  /// Loads two adjacent numbers to parts i and i + step of an operand: rounded if kProducts is 1,
  /// else split.
  template <int kCount>
  __device__ static __forceinline__ void load(Tf32Parts<kCount>& parts, int i, int step,
                                              const T* from) {
    const float2 pair = *reinterpret_cast<const float2*>(from);
    if constexpr (kProducts == 1) {
      parts.high[i] = ptx::to_tf32(pair.x), parts.high[i + step] = ptx::to_tf32(pair.y);
    } else {
      split(pair.x, parts.high[i], parts.low[i]),
          split(pair.y, parts.high[i + step], parts.low[i + step]);
    }
  }
  __device__ static __forceinline__ void load_b(Tf32Parts<2>& b, const T* from) {
    load(b, 0, 1, from);
  }

  /// Adds one product to columns n and n + 1 of cells of acc directly: the error of the tensor
  /// core's truncated sums is small beside that of the rounded operands.
  __device__ static __forceinline__ void add(Accumulators& acc, int n,
                                             const Tf32Parts<4> (&a)[2][2],
                                             const Tf32Parts<2> (&b)[2][2]) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
#pragma unroll
        for (int j = 0; j < 2; ++j)
          ptx::mma_tf32(acc[2 * j][n + c], acc[2 * j + 1][n + c], a[h][j].high, b[h][c].high);
      }
    }
  }

  /// Adds three products to columns n and n + 1 of cells of acc: adds them up, small ones first, in
  /// sums from zero, whose four chains hide one another's latency; then adds these sums to acc,
  /// each addition rounded to nearest. A tensor core truncates instead, which would accumulate in
  /// long sums.
  __device__ static __forceinline__ void add_sums(Accumulators& acc, int n,
                                                  const Tf32Parts<4> (&a)[2][2],
                                                  const Tf32Parts<2> (&b)[2][2]) {
    T sum[2][4][2] = {};
    const auto multiply_all = [&](const auto& left, const auto& right) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
#pragma unroll
        for (int j = 0; j < 2; ++j)
          ptx::mma_tf32(sum[c][2 * j], sum[c][2 * j + 1], left(j), right(c));
      }
    };
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      multiply_all([&](int j) -> const float(&)[4] { return a[h][j].low; },
                   [&](int c) -> const float(&)[2] { return b[h][c].high; });
      multiply_all([&](int j) -> const float(&)[4] { return a[h][j].high; },
                   [&](int c) -> const float(&)[2] { return b[h][c].low; });
    }
#pragma unroll
    for (int h = 0; h < 2; ++h)
      multiply_all([&](int j) -> const float(&)[4] { return a[h][j].high; },
                   [&](int c) -> const float(&)[2] { return b[h][c].high; });
#pragma unroll
    for (int c = 0; c < 2; ++c) {
#pragma unroll
      for (int i = 0; i < kRows; ++i)
        acc[i][n + c][0] += sum[c][i][0], acc[i][n + c][1] += sum[c][i][1];
    }
  }
};

}  // namespace kauri::numeric::cuda::kernels::portable
