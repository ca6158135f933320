// Launches of small fronts that are gathered from A's entries and their children's contribution
// blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/small/front.hpp"
#include "numeric/cuda/plan/memory.hpp"

namespace kauri::numeric::cuda {

/// A small front that its kernel assembles from A's entries and its children's contribution blocks.
template <class T>
struct GatheredFront : kernels::SmallFrontOf<T> {
  Index front;
  Index first;  ///< column of L of its first pivot
  Index child_begin, child_end;
  Index place;    ///< position among the narrow and small fronts, of its counter in
                  ///< GatherSource::done
  Index awaited;  ///< number of the front's children that belong to the same launch
  Index parent;   ///< position of its parent among the small fronts if the parent belongs to the
                  ///< same launch, else kNone
  Index unused;   ///< padding: descriptions are copied in whole words of 8 bytes
};

static_assert(sizeof(GatheredFront<float>) == symbolic::kDeviceSmallBytes &&
              sizeof(GatheredFront<double>) == symbolic::kDeviceSmallBytes);

/// Data from which a launch assembles its fronts, and memory for their results. A front waits for
/// its children of the same launch, which have lower tickets.
template <class T>
struct GatherSource {
  PlanView plan;
  FactorMemory<T> memory;
  int* done;    ///< counters, one for each narrow or small front: how many of its children of the
                ///< same launch are done
  int* ticket;  ///< number of fronts that the warps of the launch have drawn so far
};

/// Lets Hopper's kernels have the shared memory that they need on the current device. Call it once
/// for each device. Returns false if the device cannot run the kernels.
bool prepare_gathered_fronts();
/// Enqueues the factorisation of `count` fronts of at most max_rows <= 64 rows, listed children
/// before parents, by Hopper's kernels; children that are not in the list must be done by earlier
/// work of the stream. The counters source.done of these fronts and *source.ticket must be zero
/// before the launch. Records failures in source.memory. Returns the launch's error.
cudaError_t enqueue_gathered_fronts(const GatheredFront<double>* fronts, Index count,
                                    Index max_rows, const GatherSource<double>& source,
                                    cudaStream_t stream);

/// Do the same for the portable kernels, which run on any device from 8.0 on. `loop` must be one
/// for T, but not SmallLoop::wide.
template <class T>
bool prepare_portable_gathered(kernels::SmallLoop loop);
template <class T>
cudaError_t enqueue_portable_gathered(kernels::SmallLoop loop, const GatheredFront<T>* fronts,
                                      Index count, Index max_rows, const GatherSource<T>& source,
                                      cudaStream_t stream);

}  // namespace kauri::numeric::cuda
