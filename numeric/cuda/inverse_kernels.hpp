// Launches of the selected inverse, and of what is read of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels.hpp"

namespace kauri::numeric::cuda {

/// Numbers of a tile in scratch.
inline constexpr Offset kScratchTile = Offset{symbolic::kTile} * symbolic::kTile;

/// Where a tiled front has its scratch, in entries. Tiles are whole, with zeros in the place of rows that there are not, and lie as
/// operands do in shared memory (FrontCells::forward_product_place).
struct InversePlace {
  Offset block;  ///< Z22, once it is gathered: its lower tiles by columns, diagonal ones with both halves
  Offset y;      ///< a tile for each tile row of the front: Y(i)^T of a step; as many of the products Y(i)^T Z(i); then those of parts
};

/// Device memory of a selected inverse. All arrays are borrowed.
template <class T>
struct InverseMemory {
  const T* l;                 ///< FactorMemory::entries
  T* z;                       ///< panels where those of L are: DeviceSchedule::factor_entries
  T* scratch;                 ///< of the tiled fronts of a run
  const InversePlace* place;  ///< per tiled front
  const Index* front_of;      ///< per column: its front
};

/// Tiled fronts [begin, end) of a level, whose scratch there is room for. Sums are added up in so many parts, by a block each: few large
/// fronts have too few tiles to keep a device busy.
struct InverseRun {
  Index begin, end, parts;
};
/// Parts of sums at most.
inline constexpr Index kInverseParts = 4;

/// The small fronts of a level, whose ancestors are done.
template <class T>
void enqueue_small_inverses(const PlanView& plan, const Level& level, const InverseMemory<T>& memory, cudaStream_t stream);
/// Some tiled fronts of a level, whose ancestors are done. tile_ptr: DeviceSchedule's, the host's.
template <class T>
void enqueue_tiled_inverses(const PlanView& plan, const Level& level, const InverseRun& run, const Index* tile_ptr,
                            const InverseMemory<T>& memory, cudaStream_t stream);
/// out[j] = entry (j, j) of panels at the places of L.
template <class T>
void enqueue_diagonal(const PlanView& plan, Index fronts, const T* entries, T* out, cudaStream_t stream);
/// out: entries of panels at the places of A's, in the order of these.
template <class T>
void enqueue_entries(const PlanView& plan, Index fronts, const T* entries, T* out, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
