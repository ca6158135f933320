// Products of tiles of L and of inverses of diagonal tiles with 64 rows of numbers. Forward a warp
// has 16 rows of the tile, backward 16 of its columns, and all columns of numbers. arithmetic.cuh
// has the products of cells, by tensor cores or by fused multiply-adds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/multi/arithmetic.cuh"

namespace kauri::numeric::cuda::sweep::multi {

/// Positions of a multiplying warp in the rings of stages, inputs and starts.
template <class K>
struct Rings {
  Turn<RingLengths<K>::kStages> stage;
  Turn<RingLengths<K>::kInputs> input;
  Turn<RingLengths<K>::kStarts> start;
};

template <class K>
__device__ const typename K::S* await_stage(const Tiles<K>& shared, const Rings<K>& rings) {
  ptx::barrier_wait(&shared.barrier.full[rings.stage.at], rings.stage.phase);
  return shared.data.stage[rings.stage.at];
}
/// Hands the current stage back to the loader, after a fence that completes all loads from it.
template <class K>
__device__ void leave_stage(const Tiles<K>& shared, Rings<K>& rings, int lane) {
  K::Loads::fence();
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.empty[rings.stage.at]);
  rings.stage.next();
}

/// Waits for the stages of a tile of `rows` x `columns` cells, two or one, adds the warp's part of
/// the tile (backward of its transpose) times x to sum, and leaves the stages. x: numbers in shared
/// memory.
template <bool kForward, class K>
__device__ void multiply_tile(const Tiles<K>& shared, Rings<K>& rings, Index rows, Index columns,
                              const typename K::N* x, TileSums<K>& sum) {
  const Lane at = here<K>();
  const Numbers<kForward, K> numbers(x, at);
  const Index along = kForward ? columns : rows, across = (kForward ? rows : columns) - 2 * at.warp;
  for (Index c = 0; c < along; c += 4) {
    const typename K::S* stage = await_stage(shared, rings);
#pragma unroll 1
    for (int pair = 0; pair < 2; ++pair) {
      const Index left = along - c - 2 * pair;
      if (across <= 0 || left <= 0) continue;
      const Index width = kForward ? min(left, 2) : min(across, 2);
      const Cells<kForward, typename K::S, typename K::N> cells{
          kForward ? stage + pair * kForwardPair + 2 * at.warp * width * kCellEntries
                   : stage + at.warp * kBackwardPair + 2 * pair * width * kCellEntries,
          width};
      if (left > 1)
        numbers.template multiply<2>(cells, at, c + 2 * pair, sum);
      else
        numbers.template multiply<1>(cells, at, c + 2 * pair, sum);
    }
    leave_stage(shared, rings, at.lane);
  }
}

/// The one or two stages that hold the inverse of a diagonal tile of `block_rows` block rows of 16
/// (two stages if four), kept until leave(). The constructor waits for them.
template <class K>
struct InverseStages {
  static constexpr int kUnroll =
      K::kWidth == 32 ? 1 : 4;  // how far products unroll their loop over
                                // blocks: registers are few with 32 columns
  const typename K::S* first;
  const typename K::S* second;
  int blocks;
  __device__ InverseStages(const Tiles<K>& shared, const Rings<K>& rings, int block_rows)
      : first(await_stage(shared, rings)), second(first), blocks(block_rows) {
    if (blocks < 4) return;
    Rings<K> next = rings;
    next.stage.next();
    second = await_stage(shared, next);
  }
  __device__ void leave(const Tiles<K>& shared, Rings<K>& rings, int lane) const {
    leave_stage(shared, rings, lane);
    if (blocks == 4) leave_stage(shared, rings, lane);
  }
  [[nodiscard]] __device__ const typename K::S* block(int i, int j) const {
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
template <class S>
struct InverseOfL {
  static constexpr int kUnroll = 1;
  const S* first;
  int blocks;
  [[nodiscard]] __device__ const S* block(int i, int j) const {
    return first + FrontCells::inverse_block(i, j);
  }
};

/// Adds the warp's rows of V x, or of V^T x if not kForward, to sum; v: InverseStages or
/// InverseOfL. The mark in V, entry (0,1), counts as zero. x: numbers in shared memory, zeros
/// behind the rows of the tile.
template <bool kForward, class K, class Inverse>
__device__ void multiply_inverse(const Inverse& v, const Lane& at, const typename K::N* x,
                                 TileSums<K>& sum) {
  const Numbers<kForward, K> numbers(x, at);
  if (at.warp >= v.blocks) return;
#pragma unroll Inverse::kUnroll
  for (int k = kForward ? 0 : at.warp; k < (kForward ? at.warp + 1 : v.blocks); ++k) {
    const auto* block = kForward ? v.block(at.warp, k) : v.block(k, at.warp);
    const MarkedCells<kForward, typename K::S, typename K::N> cells{{block, 2},
                                                                    at.warp == 0 && k == 0};
    numbers.template multiply<2>(cells, at, 2 * k, sum);
  }
}

/// Adds the warp's rows of T x, or of T^T x if not kForward, to sum, with T the diagonal tile
/// number `tile` of L in global memory (`panel`). Entries above its diagonal and behind its rows
/// may be anything. Few tiles are multiplied this way, so the code is short.
template <bool kForward, class K>
__device__ void multiply_diagonal(const typename K::S* panel, const FrontCells& cells, Index tile,
                                  const Lane& at, const typename K::N* x, TileSums<K>& sum) {
  const int all = cells.cells_of(tile);
  const Numbers<kForward, K> numbers(x, at);
#pragma unroll 1
  for (int along = kForward ? 0 : 2 * at.warp; along < (kForward ? min(2 * at.warp + 2, all) : all);
       ++along) {
    const DiagonalCells<kForward, typename K::S, typename K::N> diagonal{
        panel,   cells.panel(), symbolic::kCell * cells.first_cell(tile), cells.rows_of(tile),
        at.warp, along};
    numbers.template multiply<1>(diagonal, at, along, sum);
  }
}

}  // namespace kauri::numeric::cuda::sweep::multi
