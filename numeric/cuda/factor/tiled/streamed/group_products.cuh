// Products of floats by all four warps of a group at once (Hopper's wgmma), whose right operand the
// tensor cores read from shared memory directly: one product in TF32 or three, as in
// portable/tf32.cuh, from the same registers and in the same order, or three products of halves.
// Other warps split the right operand into its parts beforehand, once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/portable/tf32.cuh"

namespace kauri::numeric::cuda::kernels::streamed {

using portable::Tf32Loop;
using portable::Tf32Parts;

inline constexpr int kSplitterWarps = 2;
// In each pass the splitters take whole columns of cells, one row of a cell per lane.
static_assert(portable::kTileCells % (kSplitterWarps * 32 / symbolic::kCell) == 0);

/// Splits the right operand, (64,16) in `high`, or (64,8) with one column of cells, into its parts
/// in TF32. In the result a cell is two groups of 4 columns, laid out as in ptx::GroupOperand: its
/// even columns, then its odd ones. The high parts replace the operand, the low parts go to `low`.
/// Splits `cells` cells, whole columns of them; cells that the operand lacks hold anything, and
/// their results are not used. Called by all threads of the kSplitterWarps splitter warps.
template <int kProducts>
__device__ __forceinline__ void split_right(float* high, float* low, int cells, int thread) {
  constexpr int kHalf = symbolic::kCell / 2;
  const int row = thread % symbolic::kCell;
  const bool turned =
      row >= kHalf;  // the other half of the row first: neighbours' loads lie in other banks
  constexpr int kAtOnce = 32 * kSplitterWarps / symbolic::kCell * kCellEntries;
#pragma unroll 1
  for (int cell = thread / symbolic::kCell * kCellEntries; cell < cells * kCellEntries;
       cell += kAtOnce) {
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

/// Makes the compiler hold rows 2 j and 2 j + 1 of cells of a sum in registers at this place,
/// before or after a group's products change them.
template <int kRows>
__device__ __forceinline__ void renew(float (&sum)[kRows][portable::kTileCells][2], int j) {
#pragma unroll
  for (int i = 2 * j; i < 2 * j + 2; ++i) {
#pragma unroll
    for (int n = 0; n < portable::kTileCells; ++n)
      ptx::renew(sum[i][n][0]), ptx::renew(sum[i][n][1]);
  }
}

/// Operands in a stage of one or two cell columns: x: X, the warp's 32 rows; `high` and `low`: the
/// parts of Y, 64 rows (`low` only for three products in TF32).
struct StageOperands {
  const float* x;
  float* high;
  float* low;
  int lane;

  /// Returns the address of this lane's pair of numbers in cell (2 j, column) of X, a stage of
  /// kColumns cell columns.
  template <int kColumns>
  __device__ __forceinline__ const float* left(int j, int column) const {
    return x + 2 * j * kColumns * kCellEntries + column * kCellEntries + 2 * lane;
  }
};

/// Static functions for the products of one kind, specialised for each Loop (Tf32Loop, HalfLoop):
/// they split floats into operands, issue the products of a group of four warps, and add results.
template <class Loop>
struct Group;

template <int kProducts>
struct Group<Tf32Loop<kProducts>> {
  using Loop = Tf32Loop<kProducts>;
  /// A lane's share of the left operand, for each column of cells and each 16 of the warp's 32
  /// rows.
  template <int kColumns>
  using Left = Tf32Parts<4>[kColumns][2];

  __device__ static __forceinline__ void split_right(const StageOperands& y, int cells,
                                                     int thread) {
    streamed::split_right<kProducts>(y.high, y.low, cells, thread);
  }
  template <int kColumns>
  __device__ static __forceinline__ void load(Left<kColumns>& a, const StageOperands& from, int j) {
#pragma unroll
    for (int h = 0; h < kColumns; ++h)
      Loop::load_a(a[h][j], from.left<kColumns>(j, h), kColumns * kCellEntries);
  }
  template <int kColumns>
  __device__ static __forceinline__ void renew(Left<kColumns>& a, int j) {
#pragma unroll
    for (int h = 0; h < kColumns; ++h) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        ptx::renew(a[h][j].high[i]);
        if constexpr (kProducts != 1) ptx::renew(a[h][j].low[i]);
      }
    }
  }
  /// Returns the wgmma descriptor of column `column` of cells of the right operand, which lies in
  /// shared memory. `part`: StageOperands::high or StageOperands::low.
  template <int kColumns>
  __device__ static __forceinline__ ptx::GroupOperand right(const float* part, int column) {
    return ptx::group_operand(part + column * kCellEntries, kColumns * kCellEntries,
                              kCellEntries / 2);
  }
  /// Issues sum = the products of rows 2 j and 2 j + 1 of cells of the left operand `a` with y:
  /// three for each entry, small ones first. The caller waits by finish_group().
  template <int kColumns, int kRows>
  __device__ static __forceinline__ void multiply(float (&sum)[kRows][portable::kTileCells][2],
                                                  const Left<kColumns>& a, int j,
                                                  const StageOperands& y) {
    float(&upper)[portable::kTileCells][2] = sum[2 * j];
    float(&lower)[portable::kTileCells][2] = sum[2 * j + 1];
    ptx::begin_group();
    ptx::multiply_group_from_zero(upper, lower, a[0][j].low, right<kColumns>(y.high, 0));
    ptx::multiply_group(upper, lower, a[0][j].high, right<kColumns>(y.low, 0));
    if constexpr (kColumns == 2) {
      ptx::multiply_group(upper, lower, a[1][j].low, right<kColumns>(y.high, 1));
      ptx::multiply_group(upper, lower, a[1][j].high, right<kColumns>(y.low, 1));
    }
#pragma unroll
    for (int h = 0; h < kColumns; ++h)
      ptx::multiply_group(upper, lower, a[h][j].high, right<kColumns>(y.high, h));
    ptx::commit_group();
  }
  __device__ static __forceinline__ void add(float& acc, float sum) { acc += sum; }
};

/// Adds rows 2 j and 2 j + 1 of cells of `sum`, scaled back if the loop scales operands, to acc.
template <class Loop, int kRows>
__device__ __forceinline__ void add_half(float (&acc)[kRows][portable::kTileCells][2],
                                         const float (&sum)[kRows][portable::kTileCells][2],
                                         int j) {
#pragma unroll
  for (int i = 2 * j; i < 2 * j + 2; ++i) {
#pragma unroll
    for (int n = 0; n < portable::kTileCells; ++n)
      Group<Loop>::add(acc[i][n][0], sum[i][n][0]), Group<Loop>::add(acc[i][n][1], sum[i][n][1]);
  }
}

/// Adds X Y^T of one stage of kColumns cell columns to acc and waits for the result. X is in shared
/// memory; Y must have been split into parts when wait_for_parts() returns. Called by all four
/// warps of the group.
template <class Loop, int kColumns, class Wait>
__device__ __forceinline__ void multiply_stage(typename Loop::Accumulators& acc,
                                               const StageOperands& from,
                                               const Wait& wait_for_parts) {
  using Of = Group<Loop>;
  typename Of::template Left<kColumns> a;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Of::template load<kColumns>(a, from, j);
    Of::template renew<kColumns>(a, j);  // X is loaded by now, while other warps split Y
  }
  wait_for_parts();
  if constexpr (Loop::kParts == 1) {
    renew(acc, 0), renew(acc, 1);
    ptx::begin_group();
#pragma unroll
    for (int h = 0; h < kColumns; ++h) {
#pragma unroll
      for (int j = 0; j < 2; ++j)
        ptx::multiply_group(acc[2 * j], acc[2 * j + 1], a[h][j].high,
                            Of::template right<kColumns>(from.high, h));
    }
    ptx::commit_group();
    ptx::finish_group<0>();
    renew(acc, 0), renew(acc, 1);
  } else {
    float sum[Loop::kRows][portable::kTileCells][2];
    Of::template multiply<kColumns>(sum, a, 0, from);
    Of::template multiply<kColumns>(sum, a, 1, from);
    ptx::finish_group<0>();
    renew(sum, 0), renew(sum, 1);
    add_half<Loop>(acc, sum, 0), add_half<Loop>(acc, sum, 1);
  }
}

/// Three products for each stage of two cell columns, stage after stage, and half of the warp's
/// rows after the other half: while the products of one half are under way, a warp adds up the
/// result of the other, loads and splits. For each stage: load_first(), ask(), add_first(), then
/// load_first() of the next stage, add_second(). Results under way may neither be read nor be
/// carried into the next iteration of a loop: ptxas would wait then for product after product.
template <class Loop>
class PipelinedProducts {
 public:
  static_assert(Loop::kParts == 3);
  using Of = Group<Loop>;

  __device__ __forceinline__ void load_first(const StageOperands& from) { load(from, 0); }
  /// Issues the products of both halves of the warp's rows; Y must have been split. Calls between()
  /// after the first half's products: from then on nothing reads the previous stage.
  template <class Between>
  __device__ __forceinline__ void ask(const StageOperands& from, const Between& between) {
    Of::template multiply<2>(sum_, a_, 0, from);
    between();
    load(from, 1);
    Of::template multiply<2>(sum_, a_, 1, from);
  }
  __device__ __forceinline__ void add_first(typename Loop::Accumulators& acc) { add<1>(acc, 0); }
  __device__ __forceinline__ void add_second(typename Loop::Accumulators& acc) { add<0>(acc, 1); }

 private:
  __device__ __forceinline__ void load(const StageOperands& from, int j) {
    Of::template load<2>(a_, from, j);
    Of::template renew<2>(a_, j);
  }
  /// Adds the result of half j of the rows to acc, once all but the last kLeft issued halves are
  /// complete.
  template <int kLeft>
  __device__ __forceinline__ void add(typename Loop::Accumulators& acc, int j) {
    ptx::finish_group<kLeft>();
    renew(sum_, j), Of::template renew<2>(a_, j);
    add_half<Loop>(acc, sum_, j);
  }

  float sum_[Loop::kRows][portable::kTileCells][2];
  typename Of::template Left<2> a_;
};

}  // namespace kauri::numeric::cuda::kernels::streamed
