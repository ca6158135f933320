// Products of tiles of L and of inverses of diagonal tiles with 64 rows of numbers, by FP64 tensor cores: forward a warp has 16 rows of the
// tile, backward 16 of its columns, and all columns of numbers. L is the left operand in both directions, read in the order in which cells
// lie, so nothing is transposed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/wide_shared.cuh"

namespace kauri::numeric::cuda::sweep::wide {

/// The rings as those that multiply go through them.
template <int kWidth>
struct Rings {
  Turn<Shape<kWidth>::kStages> stage;
  Turn<Shape<kWidth>::kInputs> input;
  Turn<Shape<kWidth>::kStarts> start;
};

/// Sums of 16 rows: accumulators of 8 columns each. Of 32 columns two accumulators have each other's neighbours.
template <int kWidth>
struct Sums {
  double of[kWidth / 8][4] = {};
};

/// A lane has columns first_column() + step and the next of each row, for the steps that for_pairs() goes through.
template <int kWidth>
__device__ int first_column(const Lane& at) {
  return (kWidth == 8 ? 2 : 4) * at.t;
}
/// f(half, step, x, y): x and y are sums of row own_row<kForward>(at, half) of the tile.
template <int kWidth, class F>
__device__ void for_pairs(Sums<kWidth>& sum, const F& f) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if constexpr (kWidth == 8) {
      f(half, 0, sum.of[0][2 * half], sum.of[0][2 * half + 1]);
    } else {
#pragma unroll
      for (int h = 0; h < kWidth / 16; ++h)
#pragma unroll
        for (int e = 0; e < 2; ++e) f(half, 16 * h + 2 * e, sum.of[2 * h][2 * half + e], sum.of[2 * h + 1][2 * half + e]);
    }
  }
}
template <bool kForward>
__device__ int own_row(const Lane& at, int half) {
  return 16 * at.warp + (kForward ? at.g + 8 * half : 2 * at.g + half);
}

/// Where a lane is, found anew where it is used: what depends on it would be kept in registers through all loops.
__device__ inline Lane here() {
  const auto thread = static_cast<unsigned>(ptx::thread_index());
  return {static_cast<int>(thread / 32), static_cast<int>(thread % 32), static_cast<int>(thread % 32 / 4), static_cast<int>(thread % 4)};
}

/// A lane's numbers of a tile in shared memory, as for_pairs() goes through them.
template <bool kForward, int kWidth>
struct OwnRows {
  double* of[2];
  __device__ OwnRows(double* tile, const Lane& at) {
#pragma unroll
    for (int half = 0; half < 2; ++half) of[half] = tile + place_of<kWidth>(own_row<kForward>(at, half), first_column<kWidth>(at));
  }
  [[nodiscard]] __device__ double2& pair(int half, int step) const { return *reinterpret_cast<double2*>(of[half] + step); }
};

/// Where a lane's numbers of a tile are, as right operands: rows 2 t + e of each eight forward, t + 4 e backward.
template <bool kForward, int kWidth>
struct Operand {
  const double* of[2];
  __device__ Operand(const double* tile, const Lane& at) {
#pragma unroll
    for (int e = 0; e < 2; ++e) of[e] = tile + place_of<kWidth>(kForward ? 2 * at.t + e : at.t + 4 * e, kWidth == 8 ? at.g : 2 * at.g);
  }
  /// sum += a times rows 8 cell and so on, kCells eights of them.
  template <int kCells>
  __device__ void multiply(const double (&a)[4 * kCells], Index cell, Sums<kWidth>& sum) const {
    const Index first = cell * (symbolic::kCell * kWidth);
    if constexpr (kWidth == 8) {
      double b[2 * kCells];
#pragma unroll
      for (int j = 0; j < 2 * kCells; ++j) b[j] = of[j % 2][first + j / 2 * symbolic::kCell * kWidth];
      ptx::mma(sum.of[0], a, b);
    } else {
#pragma unroll
      for (int h = 0; h < kWidth / 16; ++h) {
        double b[2][2 * kCells];
#pragma unroll
        for (int j = 0; j < 2 * kCells; ++j) {
          const double2 v = *reinterpret_cast<const double2*>(of[j % 2] + first + j / 2 * symbolic::kCell * kWidth + 16 * h);
          b[0][j] = v.x, b[1][j] = v.y;
        }
        ptx::mma(sum.of[2 * h], a, b[0]);
        ptx::mma(sum.of[2 * h + 1], a, b[1]);
      }
    }
  }
};

/// A lane's left operand, of 16 rows and kCells eights of columns forward, of 16 columns and kCells eights of rows backward. `width`:
/// columns of cells that lie beside each other. Where there is but one of the two cells of rows, or columns, the other half is anything.
template <bool kForward, int kCells>
__device__ void take_left(const double* cells, Index width, const Lane& at, double (&a)[4 * kCells]) {
#pragma unroll
  for (int k = 0; k < kCells; ++k)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      if constexpr (kForward) {
        const double2 v = *reinterpret_cast<const double2*>(cells + (e * width + k) * kCellEntries + 2 * at.lane);
        a[4 * k + e] = v.x, a[4 * k + 2 + e] = v.y;
      } else {
        const double2 v = *reinterpret_cast<const double2*>(cells + (k * width + (at.g >> 2)) * kCellEntries +
                                                            (4 * e + at.t) * symbolic::kCell + 2 * (at.g & 3));
        a[4 * k + 2 * e] = v.x, a[4 * k + 2 * e + 1] = v.y;
      }
    }
}

/// sum += the cells times rows 8 cell and so on; kCells of them along the sum.
template <bool kForward, int kCells, int kWidth>
__device__ void multiply_cells(const double* cells, Index width, const Lane& at, const Operand<kForward, kWidth>& x, Index cell,
                               Sums<kWidth>& sum) {
  double a[4 * kCells];
  take_left<kForward, kCells>(cells, width, at, a);
  x.template multiply<kCells>(a, cell, sum);
}

template <int kWidth>
__device__ const double* await_stage(const Tiles<kWidth>& shared, const Rings<kWidth>& rings) {
  ptx::barrier_wait(&shared.barrier.full[rings.stage.at], rings.stage.phase);
  return shared.data.stage[rings.stage.at];
}
/// As sweep::leave_stage().
template <int kWidth>
__device__ void leave_stage(const Tiles<kWidth>& shared, Rings<kWidth>& rings, int lane) {
  ptx::shared_proxy_fence();
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.empty[rings.stage.at]);
  rings.stage.next();
}

/// sum += the tile, of so many cells, times x; in two stages, or one.
template <bool kForward, int kWidth>
__device__ void multiply_tile(const Tiles<kWidth>& shared, Rings<kWidth>& rings, Index rows, Index columns, const double* x,
                              Sums<kWidth>& sum) {
  const Lane at = here();
  const Operand<kForward, kWidth> operand(x, at);
  const Index along = kForward ? columns : rows, across = (kForward ? rows : columns) - 2 * at.warp;
  for (Index c = 0; c < along; c += 4) {
    const double* stage = await_stage(shared, rings);
#pragma unroll 1
    for (int pair = 0; pair < 2; ++pair) {
      const Index left = along - c - 2 * pair;
      if (across <= 0 || left <= 0) continue;
      const Index width = kForward ? min(left, 2) : min(across, 2);
      const double* cells = kForward ? stage + pair * kForwardPair + 2 * at.warp * width * kCellEntries
                                     : stage + at.warp * kBackwardPair + 2 * pair * width * kCellEntries;
      if (left > 1)
        multiply_cells<kForward, 2>(cells, width, at, operand, c + 2 * pair, sum);
      else
        multiply_cells<kForward, 1>(cells, width, at, operand, c + 2 * pair, sum);
    }
    leave_stage(shared, rings, at.lane);
  }
}

/// The stages of an inverse, both held until they are left.
template <int kWidth>
struct InverseStages {
  const double* first;
  const double* second;
  int blocks;
  __device__ InverseStages(const Tiles<kWidth>& shared, const Rings<kWidth>& rings, int block_rows)
      : first(await_stage(shared, rings)), second(first), blocks(block_rows) {
    if (blocks < 4) return;
    Rings<kWidth> next = rings;
    next.stage.next();
    second = await_stage(shared, next);
  }
  __device__ void leave(const Tiles<kWidth>& shared, Rings<kWidth>& rings, int lane) const {
    leave_stage(shared, rings, lane);
    if (blocks == 4) leave_stage(shared, rings, lane);
  }
  [[nodiscard]] __device__ const double* block(int i, int j) const {
    static_assert(kFirstBlocks == 6);  // rows 0 to 2 of blocks in the first stage, row 3 in the second
    return (i < 3 ? first + i * (i + 1) / 2 * symbolic::kInverseEntries : second) + j * symbolic::kInverseEntries;
  }
  [[nodiscard]] __device__ bool needs_correction() const { return first[FrontCells::kInverseFlag] != 0; }
};

/// sum += V x, or V^T x. The mark in V counts as zero: lane 0 of warp 0 has it.
template <bool kForward, int kWidth>
__device__ void multiply_inverse(const InverseStages<kWidth>& v, const Lane& at, const double* x, Sums<kWidth>& sum) {
  const Operand<kForward, kWidth> operand(x, at);
  if (at.warp >= v.blocks) return;
  for (int k = kForward ? 0 : at.warp; k < (kForward ? at.warp + 1 : v.blocks); ++k) {
    double a[8];
    take_left<kForward, 2>(kForward ? v.block(at.warp, k) : v.block(k, at.warp), 2, at, a);
    if (at.warp == 0 && k == 0 && at.lane == 0) a[kForward ? 2 : 1] = 0;
    operand.template multiply<2>(a, 2 * k, sum);
  }
}

}  // namespace kauri::numeric::cuda::sweep::wide
