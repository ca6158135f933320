// Launches of small fronts that are gathered from A's entries and their children's contribution
// blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/small/front.hpp"
#include "numeric/cuda/plan/memory.hpp"

namespace kauri::numeric::cuda {

/// A small front that is gathered from A's entries and its children's contribution blocks.
struct GatheredFront : kernels::SmallFront {
  Index front;
  Index first;  ///< column of L of its first pivot
  Index child_begin, child_end;
  Index place;    ///< position among the small fronts
  Index awaited;  ///< number of children of the same launch
  Index parent;   ///< position of its parent if the parent belongs to the same launch, else kNone
  Index unused;   ///< padding: descriptions are copied in whole words of 8 bytes
};

static_assert(sizeof(GatheredFront) == symbolic::kDeviceSmallBytes);

/// Data that the fronts of a launch are gathered from, and the memory that they report to. A front
/// waits for its children of the same launch, which have lower tickets.
struct GatherSource {
  using FrontRecord = GatheredFront;
  static constexpr bool kExact = true;

  PlanView plan;
  FactorMemory<double> memory;
  int* done;    ///< counters, one for each small front: how many of its children of the same launch
                ///< are done
  int* ticket;  ///< counter of the launch
};

/// Prepares the kernels; called once for each device. Returns false if the device cannot run them.
bool prepare_gathered_fronts();
/// Enqueues the factorisation of fronts of at most max_rows rows, children before parents. `done`
/// and `ticket` must be zero before the launch. Returns the launch's error.
cudaError_t enqueue_gathered_fronts(const GatheredFront* fronts, Index count, Index max_rows,
                                    const GatherSource& source, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
