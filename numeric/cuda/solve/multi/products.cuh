// Products of tiles of L and of inverses of diagonal tiles with 64 rows of numbers, by FP64 tensor
// cores. Forward a warp has 16 rows of the tile, backward 16 of its columns, and all columns of
// numbers. It computes the transposed product: numbers are the left operand, L the right one. So
// the 16 bytes of a row of numbers or of a cell of L that a lane reads at once are adjacent in its
// registers, too (with L on the left each product took as many moves as reads), and nothing is
// transposed in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/multi/shared.cuh"

namespace kauri::numeric::cuda::sweep::multi {

/// Positions of a multiplying warp in the rings of stages, inputs and starts.
template <int kWidth>
struct Rings {
  Turn<RingLengths<kWidth>::kStages> stage;
  Turn<RingLengths<kWidth>::kInputs> input;
  Turn<RingLengths<kWidth>::kStarts> start;
};

/// Number of groups of columns of numbers in a product: each of 16 columns, or one of 8 columns
/// taken twice.
template <int kWidth>
constexpr int kGroups = kWidth == 8 ? 1 : kWidth / 16;

/// Sums of a warp's 16 rows, that is of two cells: of[cell][group of columns]. A lane has rows 2 t
/// and 2 t + 1 of a cell, in columns 2 g (the first two numbers) and 2 g + 1 (the last two) of a
/// group. With 8 columns lanes g and g + 4 hold the same numbers.
template <int kWidth>
struct TileSums {
  double of[2][kGroups<kWidth>][4] = {};
};

/// Number of a lane's slots: rows of a tile, own_row(at, slot), whose pairs of columns for_pairs()
/// visits. With 8 columns two lanes share two rows, one each.
template <int kWidth>
constexpr int kSlots = kWidth == 8 ? 2 : 4;
template <int kWidth>
__device__ int own_row(const Lane& at, int slot) {
  return kWidth == 8 ? 16 * at.warp + 8 * slot + 2 * at.t + (at.g >> 2)
                     : 16 * at.warp + 8 * (slot >> 1) + 2 * at.t + (slot & 1);
}
/// Returns the lane's first column: it has columns first_column() + step and the next of each row,
/// for the steps that for_pairs() visits.
template <int kWidth>
__device__ int first_column(const Lane& at) {
  return kWidth == 8 ? 2 * (at.g & 3) : 2 * at.g;
}
/// Calls f(slot, step, x, y) for the lane's pairs of sums: x and y are those of row own_row(at,
/// slot) of the tile in columns first_column() + step and the next, and f may change them.
template <int kWidth, class F>
__device__ void for_pairs(TileSums<kWidth>& sum, const Lane& at, const F& f) {
#pragma unroll
  for (int cell = 0; cell < 2; ++cell) {
    if constexpr (kWidth == 8) {
      double(&c)[4] = sum.of[cell][0];
      const bool second = at.g >= 4;
      double x = second ? c[1] : c[0], y = second ? c[3] : c[2];
      f(cell, 0, x, y);
      c[0] = c[1] = x, c[2] = c[3] = y;
    } else {
#pragma unroll
      for (int r = 0; r < 2; ++r)
#pragma unroll
        for (int h = 0; h < kGroups<kWidth>; ++h)
          f(2 * cell + r, 16 * h, sum.of[cell][h][r], sum.of[cell][h][2 + r]);
    }
  }
}

/// Returns the calling lane's position, computed anew at each use: values that depend on it would
/// be kept in registers through all loops.
__device__ inline Lane here() {
  const auto thread = static_cast<unsigned>(ptx::thread_index());
  return {static_cast<int>(thread / 32), static_cast<int>(thread % 32),
          static_cast<int>(thread % 32 / 4), static_cast<int>(thread % 4)};
}

/// Addresses of a lane's numbers of a tile in shared memory, as for_pairs() visits them.
template <int kWidth>
struct OwnRows {
  double* of[kSlots<kWidth>];
  __device__ OwnRows(double* tile, const Lane& at) {
#pragma unroll
    for (int slot = 0; slot < kSlots<kWidth>; ++slot)
      of[slot] = tile + place_of<kWidth>(own_row<kWidth>(at, slot), first_column<kWidth>(at));
  }
  [[nodiscard]] __device__ double2& pair(int slot, int step) const {
    return *reinterpret_cast<double2*>(of[slot] + step);
  }
};

/// A lane's share of a tile of numbers in shared memory, as left operand of the transposed product:
/// rows of numbers are its k, columns of numbers its rows. The two adjacent numbers of a row that
/// a lane reads at once have the same k. With t = lane % 4, the lane has rows 2 t + e (e = 0, 1) of
/// each eight rows of numbers forward, and t + 4 e backward.
template <bool kForward, int kWidth>
struct Operand {
  const double* of[2];
  __device__ Operand(const double* tile, const Lane& at) {
#pragma unroll
    for (int e = 0; e < 2; ++e)
      of[e] =
          tile + place_of<kWidth>(kForward ? 2 * at.t + e : at.t + 4 * e, first_column<kWidth>(at));
  }
  /// Adds to sum the products of b, from take_right(), with rows 8 cell to 8 (cell + kCells) - 1 of
  /// the tile of numbers.
  template <int kCells>
  __device__ void multiply(const double (&b)[2][2 * kCells], Index cell,
                           TileSums<kWidth>& sum) const {
    const Index first = cell * (symbolic::kCell * kWidth);
#pragma unroll
    for (int h = 0; h < kGroups<kWidth>; ++h) {
      double a[4 * kCells];
#pragma unroll
      for (int j = 0; j < 2 * kCells; ++j) {
        const double2 v = *reinterpret_cast<const double2*>(
            of[j % 2] + first + j / 2 * symbolic::kCell * kWidth + 16 * h);
        a[2 * j] = v.x, a[2 * j + 1] = v.y;
      }
      ptx::mma(sum.of[0][h], a, b[0]);
      ptx::mma(sum.of[1][h], a, b[1]);
    }
  }
};

/// Loads a lane's right operands, L or its transpose, from `cells` on in shared memory: forward two
/// cells of 8 rows and kCells eights of columns, backward two cells of 8 columns and kCells eights
/// of rows. `width`: adjacent columns of cells. If only one of the two cells of rows, or columns,
/// exists, the other operand is unspecified.
template <bool kForward, int kCells>
__device__ void take_right(const double* cells, Index width, const Lane& at,
                           double (&b)[2][2 * kCells]) {
#pragma unroll
  for (int e = 0; e < 2; ++e)
#pragma unroll
    for (int k = 0; k < kCells; ++k) {
      if constexpr (kForward) {
        const double2 v =
            *reinterpret_cast<const double2*>(cells + (e * width + k) * kCellEntries + 2 * at.lane);
        b[e][2 * k] = v.x, b[e][2 * k + 1] = v.y;
      } else {
#pragma unroll
        for (int j = 0; j < 2; ++j)
          b[e][2 * k + j] =
              cells[(k * width + e) * kCellEntries + (4 * j + at.t) * symbolic::kCell + at.g];
      }
    }
}

/// Adds to sum the products of kCells cells of L along the sum (forward side by side, backward,
/// transposed, one below the other) with rows 8 cell, 8 cell + 1, ... of x. cells, width: as for
/// take_right().
template <bool kForward, int kCells, int kWidth>
__device__ void multiply_cells(const double* cells, Index width, const Lane& at,
                               const Operand<kForward, kWidth>& x, Index cell,
                               TileSums<kWidth>& sum) {
  double b[2][2 * kCells];
  take_right<kForward, kCells>(cells, width, at, b);
  x.template multiply<kCells>(b, cell, sum);
}

template <int kWidth>
__device__ const double* await_stage(const Tiles<kWidth>& shared, const Rings<kWidth>& rings) {
  ptx::barrier_wait(&shared.barrier.full[rings.stage.at], rings.stage.phase);
  return shared.data.stage[rings.stage.at];
}
/// Hands the current stage back to the loader, after a fence that completes all loads from it.
template <int kWidth>
__device__ void leave_stage(const Tiles<kWidth>& shared, Rings<kWidth>& rings, int lane) {
  ptx::shared_proxy_fence();
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.empty[rings.stage.at]);
  rings.stage.next();
}

/// Waits for the stages of a tile of `rows` x `columns` cells, two or one, adds the warp's part of
/// the tile (backward of its transpose) times x to sum, and leaves the stages. x: numbers in shared
/// memory.
template <bool kForward, int kWidth>
__device__ void multiply_tile(const Tiles<kWidth>& shared, Rings<kWidth>& rings, Index rows,
                              Index columns, const double* x, TileSums<kWidth>& sum) {
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
      const double* cells = kForward
                                ? stage + pair * kForwardPair + 2 * at.warp * width * kCellEntries
                                : stage + at.warp * kBackwardPair + 2 * pair * width * kCellEntries;
      if (left > 1)
        multiply_cells<kForward, 2>(cells, width, at, operand, c + 2 * pair, sum);
      else
        multiply_cells<kForward, 1>(cells, width, at, operand, c + 2 * pair, sum);
    }
    leave_stage(shared, rings, at.lane);
  }
}

/// The one or two stages that hold the inverse of a diagonal tile of `block_rows` block rows of 16
/// (two stages if four), kept until leave(). The constructor waits for them.
template <int kWidth>
struct InverseStages {
  static constexpr int kUnroll = kWidth == 32 ? 1 : 4;  // how far products unroll their loop over
                                                        // blocks: registers are few with 32 columns
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
    static_assert(kFirstBlocks ==
                  6);  // rows 0 to 2 of blocks in the first stage, row 3 in the second
    return (i < 3 ? first + i * (i + 1) / 2 * symbolic::kInverseEntries : second) +
           j * symbolic::kInverseEntries;
  }
  [[nodiscard]] __device__ bool needs_correction() const {
    return first[FrontCells::kInverseFlag] != 0;
  }
};

/// An inverse of a diagonal tile in its place beside L in global memory, with the members of
/// InverseStages that products use.
struct InverseOfL {
  static constexpr int kUnroll = 1;
  const double* first;
  int blocks;
  [[nodiscard]] __device__ const double* block(int i, int j) const {
    return first + FrontCells::inverse_block(i, j);
  }
};

/// Adds the warp's rows of V x, or of V^T x if not kForward, to sum; v: InverseStages or
/// InverseOfL. The mark in V, entry (0,1), counts as zero: one lane of warp 0 has it. x: numbers in
/// shared memory, zeros behind the rows of the tile.
template <bool kForward, int kWidth, class Inverse>
__device__ void multiply_inverse(const Inverse& v, const Lane& at, const double* x,
                                 TileSums<kWidth>& sum) {
  const Operand<kForward, kWidth> operand(x, at);
  if (at.warp >= v.blocks) return;
#pragma unroll Inverse::kUnroll
  for (int k = kForward ? 0 : at.warp; k < (kForward ? at.warp + 1 : v.blocks); ++k) {
    double b[2][4];
    take_right<kForward, 2>(kForward ? v.block(at.warp, k) : v.block(k, at.warp), 2, at, b);
    if (at.warp == 0 && k == 0 && at.g == (kForward ? 0 : 1) && at.t == 0)
      b[0][kForward ? 1 : 0] = 0;
    operand.template multiply<2>(b, 2 * k, sum);
  }
}

/// Adds the warp's rows of T x, or of T^T x if not kForward, to sum, with T the diagonal tile
/// number `tile` of L in global memory (`panel`). Entries above its diagonal and behind its rows
/// may be anything. Few tiles are multiplied this way, so the code is short.
template <bool kForward, int kWidth>
__device__ void multiply_diagonal(const double* panel, const FrontCells& cells, Index tile,
                                  const Lane& at, const double* x, TileSums<kWidth>& sum) {
  const symbolic::CellLayout layout = cells.panel();
  const int rows = cells.rows_of(tile), first = cells.first_cell(tile), all = cells.cells_of(tile);
  const Operand<kForward, kWidth> operand(x, at);
#pragma unroll 1
  for (int along = kForward ? 0 : 2 * at.warp; along < (kForward ? min(2 * at.warp + 2, all) : all);
       ++along) {
    double b[2][2];  // operands as take_right() loads them, for one cell along the sum
#pragma unroll
    for (int e = 0; e < 2; ++e)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int across = 16 * at.warp + 8 * e + at.g,
                  other = 8 * along + (kForward ? 2 * at.t + j : 4 * j + at.t);
        const int row = kForward ? across : other, column = kForward ? other : across;
        b[e][j] = row < rows && column <= row
                      ? __ldg(panel + layout.place(symbolic::kCell * first + row,
                                                   symbolic::kCell * first + column))
                      : 0.0;
      }
    operand.template multiply<1>(b, along, sum);
  }
}

}  // namespace kauri::numeric::cuda::sweep::multi
