// Products of floats by all four warps of a group at once, whose right operand the tensor cores read from shared memory themselves
// (Hopper's wgmma): in TF32, in one part or three as tf32_loop.cuh has it, from the same registers and in the same order. The right
// operand's parts are made once, beforehand, by other warps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/tf32_loop.cuh"

namespace kauri::numeric::cuda::kernels::streamed {

using portable::Tf32Loop;
using portable::Tf32Parts;

inline constexpr int kSplitterWarps = 2;
// A lane has a row of a cell.
static_assert(portable::kTileCells % (kSplitterWarps * 32 / symbolic::kCell) == 0);

/// The right operand's (64,16) in `high`, or (64,8) with one column of cells, to its parts in TF32, each 4 columns of a cell as
/// ptx::GroupOperand has them, columns 2 t and then columns 2 t + 1: the first parts in its place, the rest to `low`. So many cells, whole
/// columns of them, whatever lies in those that the operand lacks: nobody looks at what becomes of these. All threads of kSplitterWarps.
template <int kProducts>
__device__ __forceinline__ void split_right(float* high, float* low, int cells, int thread) {
  constexpr int kHalf = symbolic::kCell / 2;
  const int row = thread % symbolic::kCell;
  const bool turned = row >= kHalf;  // the other half of the row first: neighbours' loads lie in other banks
  constexpr int kAtOnce = 32 * kSplitterWarps / symbolic::kCell * kCellEntries;
#pragma unroll 1
  for (int cell = thread / symbolic::kCell * kCellEntries; cell < cells * kCellEntries; cell += kAtOnce) {
    float x[2][kHalf];
    const float* from = high + cell + row * symbolic::kCell;
    portable::load_unit(x[0], from + (turned ? kHalf : 0));
    portable::load_unit(x[1], from + (turned ? 0 : kHalf));
    __syncwarp();  // all of the warp's cells have been read
    const int at = cell + row * kHalf;
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      float part[kHalf], rest[kHalf];
#pragma unroll
      for (int e = 0; e < kHalf; ++e) {
        const int h = 2 * e / kHalf, in_half = (2 * e + odd) % kHalf;
        const float entry = turned ? x[1 - h][in_half] : x[h][in_half];
        if constexpr (kProducts == 1)
          part[e] = ptx::to_tf32(entry);
        else
          portable::split(entry, part[e], rest[e]);
      }
      portable::store_unit(high + at + odd * kCellEntries / 2, part);
      if constexpr (kProducts != 1) portable::store_unit(low + at + odd * kCellEntries / 2, rest);
    }
  }
}

/// What a group's products are about to change, or have changed, is in registers, here: rows 2 j and 2 j + 1 of cells.
template <int kRows>
__device__ __forceinline__ void renew(float (&sum)[kRows][portable::kTileCells][2], int j) {
#pragma unroll
  for (int i = 2 * j; i < 2 * j + 2; ++i) {
#pragma unroll
    for (int n = 0; n < portable::kTileCells; ++n) ptx::renew(sum[i][n][0]), ptx::renew(sum[i][n][1]);
  }
}
template <int kProducts, int kColumns>
__device__ __forceinline__ void renew(Tf32Parts<4> (&a)[kColumns][2], int j) {
#pragma unroll
  for (int h = 0; h < kColumns; ++h) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      ptx::renew(a[h][j].high[i]);
      if constexpr (kProducts != 1) ptx::renew(a[h][j].low[i]);
    }
  }
}

/// A stage's right operand, for one column of its cells: high parts, or low ones.
template <int kColumns>
__device__ __forceinline__ ptx::GroupOperand right_operand(const float* part, int column) {
  return ptx::group_operand(part + column * kCellEntries, kColumns * kCellEntries);
}

/// Asks for sum = the products of rows 2 j and 2 j + 1 of the left operand's cells: three for each of its entries, small ones first.
template <int kColumns, int kRows>
__device__ __forceinline__ void multiply_in_parts(float (&sum)[kRows][portable::kTileCells][2], const Tf32Parts<4> (&a)[kColumns][2], int j,
                                                  const float* high, const float* low) {
  float(&upper)[portable::kTileCells][2] = sum[2 * j];
  float(&lower)[portable::kTileCells][2] = sum[2 * j + 1];
  ptx::begin_group();
  ptx::multiply_group_from_zero(upper, lower, a[0][j].low, right_operand<kColumns>(high, 0));
  ptx::multiply_group(upper, lower, a[0][j].high, right_operand<kColumns>(low, 0));
  if constexpr (kColumns == 2) {
    ptx::multiply_group(upper, lower, a[1][j].low, right_operand<kColumns>(high, 1));
    ptx::multiply_group(upper, lower, a[1][j].high, right_operand<kColumns>(low, 1));
  }
#pragma unroll
  for (int h = 0; h < kColumns; ++h) ptx::multiply_group(upper, lower, a[h][j].high, right_operand<kColumns>(high, h));
  ptx::commit_group();
}

/// Adds rows 2 j and 2 j + 1 of cells.
template <int kRows>
__device__ __forceinline__ void add_half(float (&acc)[kRows][portable::kTileCells][2], const float (&sum)[kRows][portable::kTileCells][2],
                                         int j) {
#pragma unroll
  for (int i = 2 * j; i < 2 * j + 2; ++i) {
#pragma unroll
    for (int n = 0; n < portable::kTileCells; ++n) acc[i][n][0] += sum[i][n][0], acc[i][n][1] += sum[i][n][1];
  }
}

/// A stage's operands: X, the warp's rows of (8 kColumns) columns; Y in parts, (64, 8 kColumns).
struct StageOperands {
  const float* x;
  const float* high;
  const float* low;
  int lane;

  template <int kColumns, class Loop>
  __device__ __forceinline__ void load(Tf32Parts<4> (&a)[kColumns][2], int j) const {
    constexpr int kStride = kColumns * kCellEntries;
#pragma unroll
    for (int h = 0; h < kColumns; ++h) Loop::load_a(a[h][j], x + 2 * j * kStride + h * kCellEntries + 2 * lane, kStride);
  }
};

/// acc += X Y^T of one stage, alone. X is there; Y when wait_for_parts() returns. All four warps of the group.
template <int kProducts, int kColumns, class Wait>
__device__ __forceinline__ void multiply_stage(typename Tf32Loop<kProducts>::Accumulators& acc, const StageOperands& from,
                                               const Wait& wait_for_parts) {
  using Loop = Tf32Loop<kProducts>;
  Tf32Parts<4> a[kColumns][2];
  from.template load<kColumns, Loop>(a, 0), from.template load<kColumns, Loop>(a, 1);
  renew<kProducts>(a, 0), renew<kProducts>(a, 1);  // loaded by now, while others split Y
  wait_for_parts();
  if constexpr (kProducts == 1) {
    renew(acc, 0), renew(acc, 1);
    ptx::begin_group();
#pragma unroll
    for (int h = 0; h < kColumns; ++h) {
#pragma unroll
      for (int j = 0; j < 2; ++j) ptx::multiply_group(acc[2 * j], acc[2 * j + 1], a[h][j].high, right_operand<kColumns>(from.high, h));
    }
    ptx::commit_group();
    ptx::finish_group<0>();
    renew(acc, 0), renew(acc, 1);
  } else {
    float sum[Loop::kRows][portable::kTileCells][2];
    multiply_in_parts(sum, a, 0, from.high, from.low);
    multiply_in_parts(sum, a, 1, from.high, from.low);
    ptx::finish_group<0>();
    renew(sum, 0), renew(sum, 1);
    add_half(acc, sum, 0), add_half(acc, sum, 1);
  }
}

/// Three products of whole stages, one after the other, half of the warp's rows after the other half: a warp adds up what one half has
/// become, loads and splits, while the products of the other half are under way. For each stage load_first(), ask(), add_first(), then that
/// of the next stage, add_second(). What is under way may neither be read nor go on into the next turn of a loop: ptxas waits then, for
/// product after product.
class PipelinedProducts {
 public:
  using Loop = Tf32Loop<3>;

  __device__ __forceinline__ void load_first(const StageOperands& from) { load(from, 0); }
  /// When Y is there in parts. After between() nothing of the stage before is needed.
  template <class Between>
  __device__ __forceinline__ void ask(const StageOperands& from, const Between& between) {
    multiply_in_parts(sum_, a_, 0, from.high, from.low);
    between();
    load(from, 1);
    multiply_in_parts(sum_, a_, 1, from.high, from.low);
  }
  __device__ __forceinline__ void add_first(Loop::Accumulators& acc) { add<1>(acc, 0); }
  __device__ __forceinline__ void add_second(Loop::Accumulators& acc) { add<0>(acc, 1); }

 private:
  __device__ __forceinline__ void load(const StageOperands& from, int j) {
    from.load<2, Loop>(a_, j);
    renew<3>(a_, j);
  }
  /// What half j has become, when all is there but the last kLeft halves.
  template <int kLeft>
  __device__ __forceinline__ void add(Loop::Accumulators& acc, int j) {
    ptx::finish_group<kLeft>();
    renew(sum_, j), renew<3>(a_, j);
    add_half(acc, sum_, j);
  }

  float sum_[Loop::kRows][portable::kTileCells][2];
  Tf32Parts<4> a_[2][2];
};

}  // namespace kauri::numeric::cuda::kernels::streamed
