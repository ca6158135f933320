// Launches of the selected inverse, and of readings of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "numeric/cuda/plan/device_plan.hpp"

namespace kauri::numeric::cuda {

/// Entries of a tile in scratch.
inline constexpr Offset kScratchTile = Offset{symbolic::kTile} * symbolic::kTile;

/// Tile (i, j), i >= j, of a front: the work of one block of threads.
struct InverseTile {
  Index front;
  std::uint16_t i, j;
};

/// Offsets of a tiled front's tiles in InverseMemory::scratch, in entries. Tiles are whole, with
/// zeros in the place of missing rows, and lie as operands do in shared memory
/// (FrontCells::forward_product_place).
struct InversePlace {
  Offset z;       ///< Z of the front, while its level is done: its lower tiles by columns
  Offset halves;  ///< products L21 G11 of a step, while G = L11^-1 is made: blocks of h x h tiles
};

/// Device memory of a selected inverse. All arrays are borrowed.
template <class T>
struct InverseMemory {
  const T* l;  ///< FactorMemory::entries
  T* z;  ///< panels in the places of those of L (DeviceSchedule::factor_entries): G = L11^-1 and Y
         ///< = L21 G of tiled fronts, then Z
  T* scratch;                 ///< scratch of the tiled fronts of a run, or of a group
  const InversePlace* place;  ///< per tiled front
  const Index* front_of;      ///< per column: its front
  const InverseTile* tile;    ///< InverseLayout::tile
};

/// A range of InverseMemory::tile.
struct InverseTiles {
  Offset first = 0;
  Index count = 0;
};

/// A step in making G = L11^-1, for fronts whose scratch fits into the room together: each two
/// inverted diagonal blocks of h tiles become one of 2h tiles, whose lower left quarter is -G22
/// (L21 G11).
struct InverseStep {
  Index h;
  InverseTiles products,
      quarters;  ///< tiles, alike in both: L21 G11 into scratch; -G22 times that
};

/// Tiles of Z of tiled fronts of a level whose scratch fits into the room together.
struct InverseRun {
  InverseTiles below;   ///< tiles of Z22
  InverseTiles beside;  ///< tiles of Z21
  InverseTiles pivots;  ///< tiles of Z11, which follow those of Z21
};

/// Loads the kernels. Throws Error(device).
void load_inverse_kernels();

/// Enqueues G = L11^-1 and Y = L21 G of all tiled fronts, stored in memory.z. `pivot_tiles`:
/// DeviceSchedule::pivot_tiles. `quotients`: tiles of Y.
template <class T>
void enqueue_quotients(const PlanView& plan, const TileList& pivot_tiles,
                       std::span<const InverseStep> steps, const InverseTiles& quotients,
                       const InverseMemory<T>& memory, cudaStream_t stream);
/// Enqueues Z of some tiled fronts of a level, whose ancestors are done.
template <class T>
void enqueue_tiled_inverses(const PlanView& plan, const InverseRun& run,
                            const InverseMemory<T>& memory, cudaStream_t stream);
/// Enqueues Z of the small fronts of a level, whose ancestors are done.
template <class T>
void enqueue_small_inverses(const PlanView& plan, const Level& level,
                            const InverseMemory<T>& memory, cudaStream_t stream);
/// Enqueues out[old_of(j)] = entry (j, j) of panels that lie as those of L do; old_of(j) = j if
/// plan.old_of is null. If there is a verdict and it is not good, this and enqueue_entries() write
/// NaN.
template <class T>
void enqueue_diagonal(const PlanView& plan, Index fronts, const T* entries, T* out,
                      const DeviceVerdict* verdict, cudaStream_t stream);
/// Enqueues out[k] = the panels' entry in the row and column of A's k-th entry, for k < nnz.
template <class T>
void enqueue_entries(const PlanView& plan, Index fronts, const T* entries, T* out,
                     const DeviceVerdict* verdict, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
