// Launches of the kernels that compute a selected inverse, and of kernels that read entries of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "numeric/cuda/plan/device_plan.hpp"

namespace kauri::numeric::cuda {

/// Number of entries of a tile in InverseMemory::scratch.
inline constexpr Offset kScratchTile = Offset{symbolic::kTile} * symbolic::kTile;

/// Tile (i, j), i >= j, of a tiled front, given by its supernode: the work of one block of threads.
struct InverseTile {
  Index front;
  std::uint16_t i, j;
};

/// Offsets of a tiled front's tiles in InverseMemory::scratch, in entries. Tiles are whole, with
/// zeros in the place of missing rows, and lie as operands do in shared memory
/// (FrontCells::forward_product_place).
struct InversePlace {
  Offset z;       ///< Z of the front, while Z of its level is computed: lower tiles by columns
  Offset halves;  ///< products L21 G11 of a step, while G = L11^-1 is computed: blocks of h x h
                  ///< tiles, see InverseStep
};

/// Device memory of a selected inverse. All arrays are borrowed.
template <class T>
struct InverseMemory {
  const T* l;  ///< FactorMemory::entries of the factor: L
  T* z;  ///< panels in the places of those of L (DeviceSchedule::factor_entries): G = L11^-1 and Y
         ///< = L21 G of tiled fronts, then Z
  T* scratch;                 ///< InverseLayout::scratch entries, which runs and steps reuse
  const InversePlace* place;  ///< per tiled front, in the order of Front::tiled
  const Index* front_of;      ///< per column of L: the front that has it as a pivot
  const InverseTile* tile;    ///< InverseLayout::tile
};

/// A range of InverseMemory::tile.
struct InverseTiles {
  Offset first = 0;
  Index count = 0;
};

/// A step in making G = L11^-1, for tiled fronts whose products L21 G11 fit into
/// InverseMemory::scratch together: two neighbouring inverted diagonal blocks of h tiles, G11 and
/// G22, become one of 2h tiles, whose lower left quarter is -G22 (L21 G11). L21 is the block of L
/// below G11 and beside G22.
struct InverseStep {
  Index h;
  InverseTiles products,
      quarters;  ///< lists of the same tiles: `products` of L21 G11, which goes to scratch;
                 ///< `quarters` of -G22 times that product, which goes to InverseMemory::z
};

/// Tiles of Z of some tiled fronts of one level, whose tiles of Z fit into InverseMemory::scratch
/// together.
struct InverseRun {
  InverseTiles below;   ///< tiles of Z22: rows and columns below the pivots
  InverseTiles beside;  ///< tiles of Z21: rows below the pivots, columns of pivots
  InverseTiles pivots;  ///< tiles of Z11; in InverseMemory::tile they follow those of `beside`
};

/// Loads the kernels. Throws Error(device).
void load_inverse_kernels();

/// Enqueues G = L11^-1 and Y = L21 G of all tiled fronts, stored in memory.z. `pivot_tiles`:
/// DeviceSchedule::pivot_tiles. `quotients`: tiles of Y.
template <class T>
void enqueue_quotients(const PlanView& plan, const TileList& pivot_tiles,
                       std::span<const InverseStep> steps, const InverseTiles& quotients,
                       const InverseMemory<T>& memory, cudaStream_t stream);
/// Enqueues Z of the tiled fronts of a run. Earlier work of the stream must have written to
/// memory.z their G and Y (enqueue_quotients()), which Z replaces, and Z of all their ancestors.
template <class T>
void enqueue_tiled_inverses(const PlanView& plan, const InverseRun& run,
                            const InverseMemory<T>& memory, cudaStream_t stream);
/// Enqueues Z of the narrow and small fronts of a level. Earlier work of the stream must have
/// written Z of all their ancestors to memory.z.
template <class T>
void enqueue_small_inverses(const PlanView& plan, const Level& level,
                            const InverseMemory<T>& memory, cudaStream_t stream);
/// Enqueues out[old_of(j)] = entry (j, j) for all n columns j; old_of(j) = j if plan.old_of is
/// null. `entries`: L, or panels that lie as those of L do; `fronts`: number of all fronts. If
/// `verdict` is not null and not good, this and enqueue_entries() write NaN.
template <class T>
void enqueue_diagonal(const PlanView& plan, Index fronts, const T* entries, T* out,
                      const DeviceVerdict* verdict, cudaStream_t stream);
/// Enqueues out[k] = the entry of the panels `entries` in the row and column of the k-th entry of
/// A's pattern, for k < nnz.
template <class T>
void enqueue_entries(const PlanView& plan, Index fronts, const T* entries, T* out,
                     const DeviceVerdict* verdict, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
