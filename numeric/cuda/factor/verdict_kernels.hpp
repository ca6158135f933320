// Launches of the first and of the last kernels of a factorisation, and the memory in which they
// make the verdict.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/verdict.hpp"
#include "numeric/cuda/plan/front_view.hpp"
#include "numeric/cuda/plan/memory.hpp"
#include "numeric/cuda/runtime/owned.hpp"

namespace kauri::numeric::cuda {

/// Device memory of the verdict, and of the findings of the thread blocks that search for it. The
/// findings are minima, so the order of the blocks does not matter.
struct VerdictMemory {
  static constexpr unsigned kMostBlocks = 1024;
  struct Pivot {
    double value;
    Index column;
  };
  DeviceVerdict verdict;
  Index front;               ///< the lowest supernode that failed; the greatest Index if none did
  unsigned blocks;           ///< number of thread blocks that have stored their findings
  Pivot least[kMostBlocks];  ///< for each thread block, the least pivot that it found (infinity if
                             ///< none) and its column of L
};

static_assert(sizeof(VerdictMemory) == symbolic::kDeviceVerdictBytes);

/// Loads the kernels. Throws Error(device).
void load_verdict_kernels();

/// Place where a factorisation finds the values of A: FactorMemory::value, or an array elsewhere on
/// the device, which its first kernel copies to FactorMemory::value.
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

/// Enqueues the first kernel of a factorisation: stores `shift` to *shift_memory, copies `count`
/// values from the source's array, if any, to `value`, and resets the verdict in *verdict and in
/// `host`, where it also sets the owner's number. Throws Error(device).
template <class T>
void enqueue_beginning(ValueSource<T> source, Offset count, T* value, T shift, T* shift_memory,
                       VerdictMemory* verdict, const OwnedPlace<DeviceVerdict>& host,
                       cudaStream_t stream);
/// Enqueues a kernel that copies the failures of `count` tiled fronts, plan.order[first] and those
/// after it, from the counters that `fronts` point to, to memory.state and memory.failed_column;
/// the tasks have written memory.failed_pivot themselves. Throws Error(device).
template <class T>
void enqueue_states(const PlanView& plan, Index first, Index count,
                    const kernels::FrontViewOf<T>* fronts, const FactorMemory<T>& memory,
                    cudaStream_t stream);
/// Enqueues the last kernel of a factorisation: finds the verdict over all `fronts` fronts of the
/// plan, and writes it to verdict->verdict on the device and to `host` in page-locked memory. The
/// states of tiled fronts must be read before (enqueue_states()). Throws Error(device).
template <class T>
void enqueue_verdict(const PlanView& plan, Index fronts, const FactorMemory<T>& memory,
                     VerdictMemory* verdict, const OwnedPlace<DeviceVerdict>& host,
                     cudaStream_t stream);

}  // namespace kauri::numeric::cuda
