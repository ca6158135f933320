// Launch that inverts the diagonal tiles of L.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/memory.hpp"

namespace kauri::numeric::cuda {

/// Loads the kernels. Throws Error(device).
void load_tile_inverses();

/// Enqueues the inverses of the diagonal tiles of L (FrontCells::inverse_place), which follow L in
/// a factorisation; marks those whose products need a correction (kInverseFlag); and, if
/// `products`, multiplies each by the tile of L left of it and by the one below it
/// (forward_product, backward_product), for sweeps. `tiles`: DeviceSchedule::pivot_tiles.
template <class T>
void enqueue_tile_inverses(const PlanView& plan, const TileList& tiles,
                           const FactorMemory<T>& memory, bool products, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
