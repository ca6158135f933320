// The launch that inverts the diagonal tiles of L, for sweeps and the selected inverse, at the end
// of a factorisation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/memory.hpp"

namespace kauri::numeric::cuda {

/// Loads the kernels. Throws Error(device).
void load_tile_inverses();

/// Enqueues the kernel that computes the inverses of whole diagonal tiles
/// (FrontCells::inverse_place) of all tiled fronts whose state is `done`; L and the inverses of its
/// 16 x 16 blocks must be complete. Marks the inverses whose products need a correction
/// (kInverseFlag). If `products`, also stores, for sweeps, the products of each inverse with the
/// tile of L left of the diagonal tile (forward_product) and with the one below it
/// (backward_product). `tiles`: DeviceSchedule::pivot_tiles. Throws Error(device).
template <class T>
void enqueue_tile_inverses(const PlanView& plan, const TileList& tiles,
                           const FactorMemory<T>& memory, bool products, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
