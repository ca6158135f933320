// The front and tile of a thread block, and places of entries in a factor, for kernels of
// factorisations, solves and inverses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/device_plan.hpp"
#include "numeric/cuda/runtime/launch.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/small_layout.hpp"

namespace kauri::numeric::cuda {

using symbolic::FrontCells;
using symbolic::kTile;
using symbolic::SmallLayout;

__device__ inline FrontCells cells_of(const Front& f) { return {f.m, f.p}; }
__device__ inline SmallLayout small_of(const Front& f) { return {f.m, f.p}; }

/// Returns the index in FactorMemory::entries of entry (r, c), r >= c, of L in front f.
__device__ inline Offset factor_place(const Front& f, Index r, Index c) {
  return f.panel + (f.tiled == kNone ? small_of(f).place(r, c) : cells_of(f).place(r, c));
}

/// Return indices in FactorMemory::entries: diagonals_of() that of the first of the inverses of the
/// 16 x 16 diagonal blocks of L of a tiled front, diagonal_place() that of entry (r, c), r >= c, of
/// the front's matrix of these inverses.
__device__ inline Offset diagonals_of(const Front& f) {
  return f.panel + cells_of(f).panel().entries();
}
__device__ inline Offset diagonal_place(const Front& f, Index r, Index c) {
  return diagonals_of(f) + FrontCells::diagonal_place(r, c);
}

/// Returns the index in FactorMemory::entries of entry (r, c), r >= c, of a front's contribution
/// block; r and c count from the front's first row below its pivots.
__device__ inline Offset block_place(const Front& f, Index r, Index c) {
  return f.block +
         (f.tiled == kNone ? small_of(f).place(f.p + r, f.p + c) : cells_of(f).block().place(r, c));
}

/// A front and the number of one of its tiles. find_tile() returns those of thread block `block` of
/// a launch over `list`, which has one block per tile.
struct TileAt {
  Index front, tile;
};
__device__ inline TileAt find_tile(const PlanView& plan, const TileList& list, Index block) {
  const Index* ptr = plan.tile_ptr + list.at;
  Index low = 0, high = list.count;  // ptr[low] <= block < ptr[high]
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    if (ptr[middle] <= block)
      low = middle;
    else
      high = middle;
  }
  return {plan.order[list.first + low], block - ptr[low]};
}

/// Row i and column j of a tile. pair_of() returns those of tile t of a lower triangle of `order`
/// tile rows, whose tiles are numbered column by column.
struct TilePair {
  Index i, j;
};
__device__ inline TilePair pair_of(Index t, Index order) {
  Index j = 0;
  for (; t >= order - j; ++j) t -= order - j;
  return {j + t, j};
}

/// Returns the first k in [0, count) with list[k] >= row, or count if there is none; `list`
/// ascends.
__device__ inline Index lower_bound(const Index* list, Index count, Index row) {
  Index low = 0;
  while (count > 0) {
    const Index half = count / 2;
    if (list[low + half] < row) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return low;
}

}  // namespace kauri::numeric::cuda
