// Launches of the first and of the last kernels of a factorisation, and the memory in which they
// make the verdict.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/verdict.hpp"
#include "numeric/cuda/plan/front_view.hpp"
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

/// Where a factorisation finds the values of A: in FactorMemory::value, or in an array elsewhere on
/// the device, which its first kernel copies there.
template <class T>
class ValueSource {
 public:
  static ValueSource in_place() { return ValueSource(nullptr); }
  static ValueSource copied_from(const T* array) { return ValueSource(array); }
  /// Returns the array to copy, or null if the values are in place.
  [[nodiscard]] const T* array() const { return array_; }

 private:
  explicit ValueSource(const T* array) : array_(array) {}
  const T* array_;
};

/// Enqueues the beginning of a factorisation: the shift, the `count` values, which are in `value`
/// afterwards, and the verdict's initial state.
template <class T>
void enqueue_beginning(ValueSource<T> source, Offset count, T* value, T shift, T* shift_memory,
                       VerdictMemory* verdict, const OwnedPlace<DeviceVerdict>& host,
                       cudaStream_t stream);
/// Enqueues the states of `count` tiled fronts from `first` on in plan.order, which the tasks have
/// left in `fronts`.
template <class T>
void enqueue_states(const PlanView& plan, Index first, Index count,
                    const kernels::FrontViewOf<T>* fronts, const FactorMemory<T>& memory,
                    cudaStream_t stream);
/// Enqueues the verdict over `fronts` fronts, on the device and once more in page-locked memory of
/// the host.
template <class T>
void enqueue_verdict(const PlanView& plan, Index fronts, const FactorMemory<T>& memory,
                     VerdictMemory* verdict, const OwnedPlace<DeviceVerdict>& host,
                     cudaStream_t stream);

}  // namespace kauri::numeric::cuda
