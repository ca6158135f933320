// Launches of the first and of the last kernel of a factorisation, and the memory in which they
// make the verdict.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/verdict.hpp"
#include "numeric/cuda/plan/memory.hpp"
#include "numeric/cuda/runtime/owned.hpp"

namespace kauri::numeric::cuda {

/// The verdict, and what the blocks of threads that search for it have found so far. All of it are
/// minima, so the order of blocks does not matter.
struct VerdictMemory {
  static constexpr unsigned kMostBlocks = 1024;
  struct Pivot {
    double value;
    Index column;
  };
  DeviceVerdict verdict;
  Index front;               ///< the first front that failed
  unsigned blocks;           ///< number of blocks that are done
  Pivot least[kMostBlocks];  ///< the least pivot that each block found
};

static_assert(sizeof(VerdictMemory) == symbolic::kDeviceVerdictBytes);

/// Loads the kernels. Throws Error(device).
void load_verdict_kernels();

/// Enqueues the beginning of a factorisation: the shift, the values (unless `from` is null: then
/// `value` holds them already) and the verdict's initial state.
template <class T>
void enqueue_beginning(const T* from, Offset count, T* value, T shift, T* shift_memory,
                       VerdictMemory* verdict, const OwnedPlace<DeviceVerdict>& host,
                       cudaStream_t stream);
/// Enqueues the verdict over `fronts` fronts, on the device and once more in page-locked memory of
/// the host.
template <class T>
void enqueue_verdict(const PlanView& plan, Index fronts, const FactorMemory<T>& memory,
                     VerdictMemory* verdict, const OwnedPlace<DeviceVerdict>& host,
                     cudaStream_t stream);

}  // namespace kauri::numeric::cuda
