// Visits the pivots of many fronts by warps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/tile.cuh"

namespace kauri::numeric::cuda {

/// Data of a front by which its diagonal of L is found in memory; by default a front without
/// pivots.
struct Diagonal {
  Offset panel = 0;
  Index m = 0, p = 0, tiled = kNone, first = 0;

  Diagonal() = default;
  __device__ explicit Diagonal(const Front& f)
      : panel(f.panel), m(f.m), p(f.p), tiled(f.tiled), first(f.first) {}
  /// Makes a copy of lane `lane`'s `mine`. All lanes of the warp call it with the same `lane`.
  __device__ Diagonal(const Diagonal& mine, int lane)
      : panel(__shfl_sync(~0U, mine.panel, lane)),
        m(__shfl_sync(~0U, mine.m, lane)),
        p(__shfl_sync(~0U, mine.p, lane)),
        tiled(__shfl_sync(~0U, mine.tiled, lane)),
        first(__shfl_sync(~0U, mine.first, lane)) {}

  /// Returns the diagonal entry of L of pivot c of the front. `entries`: FactorMemory::entries.
  template <class T>
  __device__ double root(const T* entries, Index c) const {
    return static_cast<double>(entries[panel + (tiled == kNone ? SmallLayout{m, p}.place(c, c)
                                                               : FrontCells{m, p}.place(c, c))]);
  }
};

/// Calls meet(front, c) once for each pivot c < p of 32 fronts; `mine` is the calling lane's front.
/// A lane visits the first kOwn pivots of its front; later pivots of a front are shared out among
/// all lanes. The lane that visits a pivot, and the order, depend on the fronts alone. All lanes of
/// the warp call it.
template <class Meet>
__device__ void for_pivots(const Diagonal& mine, Index lane, const Meet& meet) {
  constexpr Index kOwn = 4;  // first pivots of a front, all visited by its lane
  for (Index c = 0; c < min(mine.p, kOwn); ++c) meet(mine, c);
  for (unsigned many = __ballot_sync(~0U, mine.p > kOwn); many != 0; many &= many - 1) {
    const Diagonal shared(mine, __ffs(static_cast<int>(many)) - 1);
#pragma unroll 4
    for (Index c = kOwn + lane; c < shared.p; c += 32) meet(shared, c);
  }
}

}  // namespace kauri::numeric::cuda
