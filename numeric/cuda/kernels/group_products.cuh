// Products of floats by all four warps of a group at once, whose right operand the tensor cores read from shared memory themselves
// (Hopper's wgmma): in TF32, in one part or three as tf32_loop.cuh has it, from the same registers and in the same order. The right
// operand's parts are made once, beforehand, by other warps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/tf32_loop.cuh"

namespace kauri::numeric::cuda::kernels::streamed {

using portable::Tf32Loop;
using portable::Tf32Parts;

/// A unit: half a row of a cell, 16 bytes. Columns 2 t of a cell, then columns 2 t + 1, are the products' columns t and t + 4.
inline constexpr int kUnits = 2 * symbolic::kCell;  // of a cell
inline constexpr int kCellsAtOnce = 32 / kUnits;    // a warp's

/// The right operand's (64,16) in `high`, or (64,8) with one column of cells, to its parts in TF32, each 4 columns of a cell as
/// ptx::GroupOperand has them: the first in its place, the rest to `low`. So many cells; whole warps.
template <int kProducts>
__device__ __forceinline__ void split_right(float* high, float* low, int cells, int thread, int threads) {
  const int lane = thread % 32, cell_of_warp = lane / kUnits, unit = lane % kUnits;
  for (int first = thread / 32 * kCellsAtOnce; first < cells; first += threads / 32 * kCellsAtOnce) {
    const bool there = first + cell_of_warp < cells;
    const int cell = (first + cell_of_warp) * kCellEntries;
    float x[4], part[4], rest[4];
    if (there) portable::load_unit(x, high + cell + 4 * unit);
    __syncwarp();  // all of the warp's cells have been read
    if (!there) continue;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if constexpr (kProducts == 1)
        part[e] = ptx::to_tf32(x[e]);
      else
        portable::split(x[e], part[e], rest[e]);
    }
    const int at = cell + unit / 2 * 4 + unit % 2 * 2;
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      *reinterpret_cast<float2*>(high + at + odd * kCellEntries / 2) = make_float2(part[odd], part[2 + odd]);
      if constexpr (kProducts != 1) *reinterpret_cast<float2*>(low + at + odd * kCellEntries / 2) = make_float2(rest[odd], rest[2 + odd]);
    }
  }
}

/// What a group's products are about to change, or have changed, is in registers, here.
template <int kRows>
__device__ __forceinline__ void renew(float (&sum)[kRows][portable::kTileCells][2]) {
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int n = 0; n < portable::kTileCells; ++n) ptx::renew(sum[i][n][0]), ptx::renew(sum[i][n][1]);
  }
}
template <int kProducts, int kColumns>
__device__ __forceinline__ void renew(Tf32Parts<4> (&a)[kColumns][2]) {
#pragma unroll
  for (int h = 0; h < kColumns; ++h) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        ptx::renew(a[h][j].high[i]);
        if constexpr (kProducts != 1) ptx::renew(a[h][j].low[i]);
      }
    }
  }
}

/// acc += X Y^T: X the warp's rows of a stage, (32, 8 kColumns); Y in parts. All four warps of the group.
template <int kProducts, int kColumns>
__device__ __forceinline__ void multiply_stage(typename Tf32Loop<kProducts>::Accumulators& acc, const float* x, const float* high,
                                               const float* low, int lane) {
  using Loop = Tf32Loop<kProducts>;
  constexpr int kStride = kColumns * kCellEntries;
  Tf32Parts<4> a[kColumns][2];
#pragma unroll
  for (int h = 0; h < kColumns; ++h) {
#pragma unroll
    for (int j = 0; j < 2; ++j) Loop::load_a(a[h][j], x + 2 * j * kStride + h * kCellEntries + 2 * lane, kStride);
  }
  const auto right = [](const float* part, int h) { return ptx::group_operand(part + h * kCellEntries, kStride); };
  renew<kProducts>(a);
  if constexpr (kProducts == 1) {
    renew(acc);
    ptx::begin_group();
#pragma unroll
    for (int h = 0; h < kColumns; ++h) {
#pragma unroll
      for (int j = 0; j < 2; ++j) ptx::multiply_group(acc[2 * j], acc[2 * j + 1], a[h][j].high, right(high, h));
    }
    ptx::commit_group();
    ptx::finish_group();
    renew(acc);
  } else {
    float sum[Loop::kRows][portable::kTileCells][2];
    ptx::begin_group();
#pragma unroll
    for (int h = 0; h < kColumns; ++h) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        if (h == 0)
          ptx::multiply_group_from_zero(sum[2 * j], sum[2 * j + 1], a[h][j].low, right(high, h));
        else
          ptx::multiply_group(sum[2 * j], sum[2 * j + 1], a[h][j].low, right(high, h));
      }
#pragma unroll
      for (int j = 0; j < 2; ++j) ptx::multiply_group(sum[2 * j], sum[2 * j + 1], a[h][j].high, right(low, h));
    }
#pragma unroll
    for (int h = 0; h < kColumns; ++h) {
#pragma unroll
      for (int j = 0; j < 2; ++j) ptx::multiply_group(sum[2 * j], sum[2 * j + 1], a[h][j].high, right(high, h));
    }
    ptx::commit_group();
    ptx::finish_group();
    renew(sum);
#pragma unroll
    for (int i = 0; i < Loop::kRows; ++i) {
#pragma unroll
      for (int n = 0; n < portable::kTileCells; ++n) acc[i][n][0] += sum[i][n][0], acc[i][n][1] += sum[i][n][1];
    }
  }
}

}  // namespace kauri::numeric::cuda::kernels::streamed
