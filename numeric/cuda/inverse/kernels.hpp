// Launches of the selected inverse, and of what is read of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "numeric/cuda/plan/kernels.hpp"

namespace kauri::numeric::cuda {

/// Numbers of a tile in scratch.
inline constexpr Offset kScratchTile = Offset{symbolic::kTile} * symbolic::kTile;

/// Tile (i, j), i >= j, of a front: the work of a block of threads.
struct InverseTile {
  Index front;
  std::uint16_t i, j;
};

/// Where a tiled front has its scratch, in entries. Tiles are whole, with zeros in the place of rows that there are not, and lie as
/// operands do in shared memory (FrontCells::forward_product_place).
struct InversePlace {
  Offset z;       ///< Z of the front, while its level is done: its lower tiles by columns
  Offset halves;  ///< products L21 G11 of a step, while G = L11^-1 is made: blocks of h x h tiles
};

/// Device memory of a selected inverse. All arrays are borrowed.
template <class T>
struct InverseMemory {
  const T* l;  ///< FactorMemory::entries
  T* z;        ///< panels where those of L are: DeviceSchedule::factor_entries. G = L11^-1 and Y = L21 G of tiled fronts, then Z
  T* scratch;  ///< of the tiled fronts of a run, or of a group
  const InversePlace* place;  ///< per tiled front
  const Index* front_of;      ///< per column: its front
  const InverseTile* tile;    ///< InverseLayout::tile
};

/// Some of InverseMemory::tile.
struct InverseTiles {
  Offset first = 0;
  Index count = 0;
};

/// Of fronts whose scratch there is room for together: blocks of h tiles of pivots, two and two, become blocks of 2h, of which the lower
/// left quarter is -G22 (L21 G11).
struct InverseStep {
  Index h;
  InverseTiles products, quarters;  ///< the same tiles: L21 G11 to scratch; -G22 times that
};

/// Tiled fronts of a level, whose scratch there is room for together.
struct InverseRun {
  InverseTiles below;   ///< tiles of Z22
  InverseTiles beside;  ///< of Z21
  InverseTiles pivots;  ///< of Z11, which follow these
};

/// G and Y of all tiled fronts, into their places in Z. `pivot_tiles`: DeviceSchedule's. `quotients`: tiles of Y.
template <class T>
void enqueue_quotients(const PlanView& plan, const TileList& pivot_tiles, std::span<const InverseStep> steps, const InverseTiles& quotients,
                       const InverseMemory<T>& memory, cudaStream_t stream);
/// Some tiled fronts of a level, whose ancestors are done.
template <class T>
void enqueue_tiled_inverses(const PlanView& plan, const InverseRun& run, const InverseMemory<T>& memory, cudaStream_t stream);
/// The small fronts of a level, whose ancestors are done.
template <class T>
void enqueue_small_inverses(const PlanView& plan, const Level& level, const InverseMemory<T>& memory, cudaStream_t stream);
/// out[old_of(j)] = entry (j, j) of panels at the places of L; without plan.old_of rows keep their places. Where there is a verdict, and
/// it is not good, NaN; so it is below.
template <class T>
void enqueue_diagonal(const PlanView& plan, Index fronts, const T* entries, T* out, const DeviceVerdict* verdict, cudaStream_t stream);
/// out: entries of panels at the places of A's, in the order of these.
template <class T>
void enqueue_entries(const PlanView& plan, Index fronts, const T* entries, T* out, const DeviceVerdict* verdict, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
