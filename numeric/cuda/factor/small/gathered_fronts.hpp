// Launches of small fronts that are gathered from A's entries and their children's contribution
// blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/small/front.hpp"
#include "numeric/cuda/plan/memory.hpp"

namespace kauri::numeric::cuda {

/// A small front that its kernel assembles from A's entries and its children's contribution blocks.
struct GatheredFront : kernels::SmallFront {
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

static_assert(sizeof(GatheredFront) == symbolic::kDeviceSmallBytes);

/// Data from which a launch assembles its fronts, and memory for their results. A front waits for
/// its children of the same launch, which have lower tickets.
struct GatherSource {
  using FrontRecord = GatheredFront;
  static constexpr bool kExact = true;

  PlanView plan;
  FactorMemory<double> memory;
  int* done;    ///< counters, one for each narrow or small front: how many of its children of the
                ///< same launch are done
  int* ticket;  ///< number of fronts that the warps of the launch have drawn so far
};

/// Lets the kernels have the shared memory that they need on the current device. Call it once for
/// each device. Returns false if the device cannot run the kernels.
bool prepare_gathered_fronts();
/// Enqueues the factorisation of `count` fronts of at most max_rows <= 64 rows, listed children
/// before parents; children that are not in the list must be done by earlier work of the stream.
/// The counters source.done of these fronts and *source.ticket must be zero before the launch.
/// Records failures in source.memory. Returns the launch's error.
cudaError_t enqueue_gathered_fronts(const GatheredFront* fronts, Index count, Index max_rows,
                                    const GatherSource& source, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
