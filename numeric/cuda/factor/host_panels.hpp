// Panels of L in page-locked memory of the host: their places, and the copies that bring them there
// while the device computes later ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "numeric/cuda/plan/memory.hpp"
#include "numeric/cuda/runtime/resource_pool.hpp"

namespace kauri::numeric::cuda {

/// The panels of one factor that leave the device, of a plan with DeviceSchedule::segment. Kernels
/// read them where they are: in the address space of the device, page-locked memory has addresses
/// too, so that a panel's index into FactorMemory::entries may lie outside of the device's array.
template <class T>
class HostPanels {
 public:
  /// Allocates the host memory, takes the records of fronts from `block`, and enqueues on `stream`
  /// the kernel that makes them. `entries`: FactorMemory::entries. `plan` must outlive this object.
  /// Throws Error: memory, device.
  HostPanels(const DevicePlan& plan, const DeviceContext& context, const T* entries,
             DeviceBlock& block, cudaStream_t stream);
  /// Returns the records of all fronts, with the places where panels are when the factorisation has
  /// ended.
  [[nodiscard]] const Front* fronts() const { return front_.data(); }
  /// Returns the panel of front s in host memory; null if it is on the device.
  [[nodiscard]] T* panel(Index s) const;
  /// Makes the work that is enqueued on `stream` from now on, which is that of segment k, wait for
  /// the copies of the panels whose places it uses.
  void begin_segment(std::size_t k, cudaStream_t stream) const;
  /// Enqueues the copies of the panels of segment k, after the work that is on `stream`.
  void end_segment(std::size_t k, cudaStream_t stream) const;
  /// Makes the work that is enqueued on `stream` from now on wait for all copies.
  void end(cudaStream_t stream) const;

 private:
  const symbolic::DeviceSchedule& device_;
  const T* entries_;
  PinnedBytes memory_;
  DeviceArray<Front> front_;
  PooledStream copies_;
  std::vector<Event> computed_, copied_;  // one for each segment
};

}  // namespace kauri::numeric::cuda
