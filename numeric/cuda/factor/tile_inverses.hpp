// Launch that inverts the diagonal tiles of L.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/memory.hpp"

namespace kauri::numeric::cuda {

/// Loads the kernels. Throws Error(device).
void load_tile_inverses();

/// Enqueues the inverses of the diagonal tiles of L, as the last step of a factorisation; marks
/// those that are not accurate enough alone; and, if `products` is set, makes the products of
/// sweeps (FrontCells::inverse_place, kInverseFlag, forward_product). `tiles`:
/// DeviceSchedule::pivot_tiles.
template <class T>
void enqueue_tile_inverses(const PlanView& plan, const TileList& tiles,
                           const FactorMemory<T>& memory, bool products, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
