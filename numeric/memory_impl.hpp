// Boundary to the backends: a plan's lists and plain bytes in a backend's memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "kauri/core/plan.hpp"

namespace kauri::numeric {

/// State shared by the factors of one plan on one device (see kauri::PreparedPlan): on the CPU the
/// plan alone, on a device also its lists in device memory.
class PreparedPlanImpl {
 public:
  explicit PreparedPlanImpl(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}
  PreparedPlanImpl(const PreparedPlanImpl&) = delete;
  PreparedPlanImpl& operator=(const PreparedPlanImpl&) = delete;
  virtual ~PreparedPlanImpl() = default;
  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const { return plan_; }

 private:
  std::shared_ptr<const Plan> plan_;
};

/// Bytes in a backend's memory, host or device (see kauri::DeviceValues).
class DeviceBytes {
 public:
  virtual ~DeviceBytes() = default;
  [[nodiscard]] virtual const void* data() const = 0;
  /// Overwrites all bytes with those of `host`, in host memory, which has the length of the bytes
  /// given at construction; waits.
  virtual void assign(std::span<const std::byte> host) = 0;
};

}  // namespace kauri::numeric
