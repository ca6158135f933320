// 16 x 16 blocks of a packed front in shared memory as fragments of mma.m16n8k16.
//
// Rows and columns of a block are taken in bit-reversed order: index g + 8h of the fragment is row
// 8 (g & 1) + 4 (g >> 1 & 1) + 2 (g >> 2) + h of the block. Columns of a packed triangle begin
// anywhere; but two columns apart by two begin at places that differ by an odd number, and the next
// two by an odd number 4 less, so four of these columns with rows 4 apart lie in 16 different pairs
// of banks, for any m. Since rows, columns and the order of k are permuted alike, accumulators
// serve as operands without a permutation, and a block is read in the same way as A and as B.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/small/front.hpp"
#include "numeric/cuda/factor/tiled/tile_registers.cuh"
#include "numeric/cuda/runtime/kernel/any_mma.cuh"

namespace kauri::numeric::cuda::kernels {

inline constexpr int kBlock = 16;

/// The threads of a warp, which share a front. `thread`: index of the calling thread.
struct WarpGroup {
  int thread;
  static constexpr int kThreads = 32;
  __device__ static void sync() { __syncwarp(); }
};

template <class S>
using BlockSums = S[2][4];  // entry [i >> 1][2h + (i & 1)]: this lane's row h, column i
using BlockAccumulator = BlockSums<double>;

/// Products of 16 x 16 blocks on Hopper: one instruction for c (16x8) += a (16x16) b (16x8).
struct HopperCore {
  using LoopScalar = double;
  __device__ static void multiply(double (&c)[4], const double (&a)[8], const double (&b)[4]) {
    ptx::mma(c, a, b);
  }
};
/// Takes the same operands and makes the same sums on any device from sm_80 on.
struct PortableCore {
  using LoopScalar = double;
  __device__ static void multiply(double (&c)[4], const double (&a)[8], const double (&b)[4]) {
    ptx::any_mma(c, a, b);
  }
};
/// Products by fused multiply-adds (multiply_adds.cuh).
template <class Scalar>
struct MultiplyAdds {
  using LoopScalar = Scalar;
};

/// A packed triangle of order m in shared memory, and the rows and columns of each of its blocks of
/// which a lane holds the entries. Loop: one of the structures above.
template <class Loop>
struct LaneFrontOf {
  using LoopScalar = typename Loop::LoopScalar;
  LoopScalar* packed;
  int rows;
  int lane;
  int lane_row;     // rows of a block: lane_row and lane_row + 1
  int lane_column;  // columns of a block: column i is lane_column + 8 (i & 1) + (i >> 1)

  __device__ LaneFrontOf(LoopScalar* entries, int m, int lane_of_warp)
      : packed(entries),
        rows(m),
        lane(lane_of_warp),
        lane_row(8 * (lane >> 2 & 1) + 4 * (lane >> 3 & 1) + 2 * (lane >> 4)),
        lane_column(4 * (lane & 1) + (lane & 2)) {}
  __device__ int blocks() const { return (rows + kBlock - 1) / kBlock; }
};
using LaneFront = LaneFrontOf<HopperCore>;

/// Indices in LaneFrontOf::packed of row 0 of a lane's four columns of block column k.
struct LaneColumns {
  int first;
  int place[4];

  template <class Loop>
  __device__ LaneColumns(const LaneFrontOf<Loop>& front, int k)
      : first(kBlock * k + front.lane_column) {
    const int step = front.rows - 1 - first;
    place[0] = packed_column(first, front.rows);
    place[1] = place[0] + 8 * step - 28;
    place[2] = place[0] + step;
    place[3] = place[0] + 9 * step - 36;
  }
  __device__ int column(int i) const { return first + 8 * (i & 1) + (i >> 1); }
};

/// Loads block row i of the block column `columns` of L as an operand: `a` is operand A; a[n], a[n
/// + 2], a[n + 4], a[n + 6] are operand B of half n of the columns. Rows beyond the front's last
/// row are copies of that row.
template <class Loop>
__device__ inline void load_block(double (&a)[8], const LaneFrontOf<Loop>& front, int i,
                                  const LaneColumns& columns) {
  const int row = kBlock * i + front.lane_row;
  if (kBlock * (i + 1) <= front.rows) {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const double* at = front.packed + columns.place[c] + row;
      a[2 * c] = at[0], a[2 * c + 1] = at[1];
    }
  } else {
    const int upper = min(row, front.rows - 1), lower = min(row + 1, front.rows - 1);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      a[2 * c] = front.packed[columns.place[c] + upper],
            a[2 * c + 1] = front.packed[columns.place[c] + lower];
    }
  }
}

/// Sets the columns of a loaded block that are not pivots to zero.
__device__ inline void mask_pivots(double (&a)[8], const LaneColumns& columns, int pivots) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (columns.column(i) >= pivots) a[2 * i] = 0.0, a[2 * i + 1] = 0.0;
  }
}

/// Adds a b^T to acc; a and b: blocks from load_block().
template <class Core>
__device__ inline void multiply_block(BlockAccumulator& acc, const double (&a)[8],
                                      const double (&b)[8]) {
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    const double half[4] = {b[n], b[n + 2], b[n + 4], b[n + 6]};
    Core::multiply(acc[n], a, half);
  }
}

/// Returns true if the front has all entries of block (i,j): it is not on the diagonal, and no row
/// is beyond the front.
template <class Loop>
__device__ inline bool is_whole(const LaneFrontOf<Loop>& front, int i, int j) {
  return i > j && kBlock * (i + 1) <= front.rows;
}

/// Sets acc to minus block (i,j) if kFlip, else to the block. Elements without an entry in the
/// triangle hold unspecified values.
template <bool kFlip, class Loop>
__device__ inline void load_sums(BlockSums<typename Loop::LoopScalar>& acc,
                                 const LaneFrontOf<Loop>& front, int i, int j,
                                 const LaneColumns& columns) {
  const int row = kBlock * i + front.lane_row;
  typename Loop::LoopScalar entry[8];
  if (is_whole(front, i, j)) {
#pragma unroll
    for (int c = 0; c < 4; ++c)
      entry[2 * c] = front.packed[columns.place[c] + row],
                entry[2 * c + 1] = front.packed[columns.place[c] + row + 1];
  } else {
#pragma unroll
    for (int c = 0; c < 4;
         ++c) {  // each lane loads some entry, without a branch, which would wait for each load
      const int column = columns.column(c), place = columns.place[c] + row;
      entry[2 * c] = front.packed[column <= row && row < front.rows ? place : 0];
      entry[2 * c + 1] = front.packed[column <= row + 1 && row + 1 < front.rows ? place + 1 : 0];
    }
  }
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    if constexpr (kFlip) {
      acc[c >> 1][c & 1] = ptx::flipped(entry[2 * c]),
                      acc[c >> 1][2 + (c & 1)] = ptx::flipped(entry[2 * c + 1]);
    } else {
      acc[c >> 1][c & 1] = entry[2 * c], acc[c >> 1][2 + (c & 1)] = entry[2 * c + 1];
    }
  }
}

/// Sets acc to minus block (i,j), as load_sums().
template <class Core>
__device__ inline void load_minus(BlockAccumulator& acc, const LaneFrontOf<Core>& front, int i,
                                  int j, const LaneColumns& columns) {
  load_sums<true>(acc, front, i, j, columns);
}

/// Stores -acc if kFlip, else acc, to the entries of block (i,j) that the triangle has.
template <bool kFlip, class Loop>
__device__ inline void store_block(const BlockSums<typename Loop::LoopScalar>& acc,
                                   const LaneFrontOf<Loop>& front, int i, int j,
                                   const LaneColumns& columns) {
  const int row = kBlock * i + front.lane_row;
  typename Loop::LoopScalar entry[8];
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    entry[2 * c] = acc[c >> 1][c & 1], entry[2 * c + 1] = acc[c >> 1][2 + (c & 1)];
    if constexpr (kFlip)
      entry[2 * c] = ptx::flipped(entry[2 * c]), entry[2 * c + 1] = ptx::flipped(entry[2 * c + 1]);
  }
  if (is_whole(front, i, j)) {
#pragma unroll
    for (int c = 0; c < 4; ++c)
      front.packed[columns.place[c] + row] = entry[2 * c],
                                      front.packed[columns.place[c] + row + 1] = entry[2 * c + 1];
  } else {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const int column = columns.column(c), place = columns.place[c] + row;
      if (column <= row && row < front.rows) front.packed[place] = entry[2 * c];
      if (column <= row + 1 && row + 1 < front.rows) front.packed[place + 1] = entry[2 * c + 1];
    }
  }
}

/// Loads the entries of columns first .. first + 15 of row `row` of the triangle. Elements without
/// an entry in the triangle hold unspecified values.
template <class Loop>
__device__ inline void load_row(typename Loop::LoopScalar (&a)[16], const LaneFrontOf<Loop>& front,
                                int first, int row) {
  const int at = packed_column(first, front.rows) + row;
  const int step = front.rows - 1 - first, last = row < front.rows ? row - first : -1;
#pragma unroll
  for (int c = 0; c < 16; ++c) a[c] = front.packed[c <= last ? at + c * step - c * (c - 1) / 2 : 0];
}

template <class Loop>
__device__ inline void store_row(const typename Loop::LoopScalar (&a)[16],
                                 const LaneFrontOf<Loop>& front, int first, int row) {
  typename Loop::LoopScalar* at = front.packed + packed_column(first, front.rows) + row;
  const int step = front.rows - 1 - first, last = row < front.rows ? row - first : -1;
#pragma unroll
  for (int c = 0; c < 16; ++c) {
    if (c <= last) at[c * step - c * (c - 1) / 2] = a[c];
  }
}

}  // namespace kauri::numeric::cuda::kernels
