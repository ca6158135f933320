// A group's products (group_products.cuh) of floats, each in two parts of 16 bits, at twice the
// rate of TF32 and with half of its bytes. x 2^11 is the sum of a high and a low half, and high
// high + (high low + low high) misses only what is below 2^-22, as with parts in TF32. Halves have
// 5 bits of exponent: for |x| < 2^5 the products also miss terms below 2^-36; larger numbers become
// infinite, and their products NaN. So these products are for factors of scaled matrices: no entry
// of their L is 2 or more.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/streamed/group_products.cuh"

namespace kauri::numeric::cuda::kernels::streamed {

/// A lane's left operand of a group's products, split: two numbers in each word.
struct HalfParts {
  std::uint32_t high[4];
  std::uint32_t low[4];
};

inline constexpr float kHalfScale = 0x1p11F;     // factor by which operands are scaled
inline constexpr float kHalfUnscale = 0x1p-22F;  // factor by which sums of products are scaled back

/// Splits x and y, times kHalfScale, into high and low halves, x in the lower half of each word. If
/// a number is not finite as a half, its `low` is infinite or NaN, and its products are NaN.
__device__ __forceinline__ void split(float x, float y, std::uint32_t& high, std::uint32_t& low) {
  x *= kHalfScale, y *= kHalfScale;
  high = ptx::to_halves(x, y);
  float high_x, high_y;
  ptx::from_halves(high_x, high_y, high);
  low = ptx::to_halves(x - high_x, y - high_y);
}

/// Loop with products between tiles by halves; those inside a tile are by TF32, three for each
/// product.
struct HalfLoop : Tf32Loop<3> {};

template <>
struct Group<HalfLoop> {
  /// A lane's share of the left operand, for each 16 of the warp's 32 rows.
  template <int>
  using Left = HalfParts[2];

  /// Replaces each cell of the right operand y, (64,16) or (64,8), by its high parts followed by
  /// its low ones. Splits `cells` cells, whole columns of them; cells that the operand lacks hold
  /// anything. Called by all threads of the kSplitterWarps splitter warps.
  __device__ static __forceinline__ void split_right(const StageOperands& y, int cells,
                                                     int thread) {
    const int row = thread % symbolic::kCell;
    const bool turned =
        row >= symbolic::kCell /
                   2;  // the other half of the row first: neighbours' loads lie in other banks
    constexpr int kAtOnce = 32 * kSplitterWarps / symbolic::kCell * kCellEntries;
#pragma unroll 1
    for (int cell = thread / symbolic::kCell * kCellEntries; cell < cells * kCellEntries;
         cell += kAtOnce) {
      constexpr int kUnit = portable::kUnit<float>;
      float x[2][kUnit];
      const float* from = y.high + cell + row * symbolic::kCell;
      portable::load_unit(x[0], from + (turned ? kUnit : 0));
      portable::load_unit(x[1], from + (turned ? 0 : kUnit));
      __syncwarp();  // all of the warp's cells have been read
      std::uint32_t high[4], low[4];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
#pragma unroll
        for (int e = 0; e < kUnit; e += 2)
          split(turned ? x[1 - h][e] : x[h][e], turned ? x[1 - h][e + 1] : x[h][e + 1],
                high[h * 2 + e / 2], low[h * 2 + e / 2]);
      }
      float* to = y.high + cell + row * symbolic::kCell / 2;
      store(to, high), store(to + kCellEntries / 2, low);
    }
  }
  template <int kColumns>
  __device__ static __forceinline__ void load(Left<kColumns>& a, const StageOperands& from, int j) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        if (h < kColumns) {
          const float2 pair = *reinterpret_cast<const float2*>(from.left<kColumns>(j, h) +
                                                               i * kColumns * kCellEntries);
          split(pair.x, pair.y, a[j].high[2 * h + i], a[j].low[2 * h + i]);
        } else {
          a[j].high[2 * h + i] = a[j].low[2 * h + i] = 0;
        }
      }
    }
  }
  template <int>
  __device__ static __forceinline__ void renew(HalfParts (&a)[2], int j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) ptx::renew(a[j].high[i]), ptx::renew(a[j].low[i]);
  }
  /// Issues sum = the products of rows 2 j and 2 j + 1 of cells of the left operand `a` with y,
  /// small ones first; the caller waits by finish_group(). If the operands have a single column of
  /// cells, the zeros that load() sets stand for the second column of the left one.
  template <int kColumns, int kRows>
  __device__ static __forceinline__ void multiply(float (&sum)[kRows][portable::kTileCells][2],
                                                  const HalfParts (&a)[2], int j,
                                                  const StageOperands& y) {
    float(&upper)[portable::kTileCells][2] = sum[2 * j];
    float(&lower)[portable::kTileCells][2] = sum[2 * j + 1];
    const ptx::GroupOperand high = right<kColumns>(y.high),
                            low = right<kColumns>(y.high + kCellEntries / 2);
    ptx::begin_group();
    ptx::multiply_group_from_zero(upper, lower, a[j].low, high);
    ptx::multiply_group(upper, lower, a[j].high, low);
    ptx::multiply_group(upper, lower, a[j].high, high);
    ptx::commit_group();
  }
  __device__ static __forceinline__ void add(float& acc, float sum) {
    acc = fmaf(sum, kHalfUnscale, acc);
  }

 private:
  template <int kColumns>
  __device__ static __forceinline__ ptx::GroupOperand right(const float* part) {
    return ptx::group_operand(part, kColumns * kCellEntries, kColumns == 2 ? kCellEntries : 0);
  }
  __device__ static __forceinline__ void store(float* to, const std::uint32_t (&halves)[4]) {
    int4 unit;
    memcpy(&unit, halves, sizeof unit);
    *reinterpret_cast<int4*>(to) = unit;
  }
};

}  // namespace kauri::numeric::cuda::kernels::streamed
