// PreparedPlan: a plan whose arrays are on a backend, shared by the factors made from it on that
// backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "kauri/core/backend.hpp"
#include "kauri/core/plan.hpp"

namespace kauri {

class MixedFactor;

namespace numeric {
class PreparedPlanImpl;
}  // namespace numeric

template <Scalar T>
class Factor;
template <Scalar T>
class BatchFactor;

/// A plan whose arrays are on a backend, for all factors made from it there: in float and in
/// double, one after another or at the same time.
///
/// On a device create() uploads the plan's arrays, Plan::prepared_bytes() (fewer if the device runs
/// none of the tiled kernels). Factor::create then allocates the memory of the factor and copies
/// next to nothing. Prepare the plan as soon as the analysis is done, and the first factorisation
/// does not wait for the upload. On the CPU a PreparedPlan refers to the plan and allocates
/// nothing.
///
/// Copies of a PreparedPlan share the plan and its arrays, and factors share them too and keep them
/// alive; the backend must outlive them all. One that was moved from may only be assigned to or
/// destroyed.
class PreparedPlan {
 public:
  /// Prepares the plan on the backend. Throws Error: memory (with the bytes asked for), usage (a
  /// null plan, or a plan for a CPU on a device's backend), device, overflow.
  static PreparedPlan create(std::shared_ptr<const Plan> plan, Backend& backend);

  /// Returns the plan that was prepared; it lives as long as this object or a factor made of it.
  [[nodiscard]] const Plan& plan() const;
  /// Returns the plan that was prepared, shared.
  [[nodiscard]] const std::shared_ptr<const Plan>& shared_plan() const;

 private:
  template <Scalar T>
  friend class Factor;
  template <Scalar T>
  friend class BatchFactor;
  friend class MixedFactor;
  PreparedPlan(std::shared_ptr<const numeric::PreparedPlanImpl> store, numeric::Executor& executor);
  std::shared_ptr<const numeric::PreparedPlanImpl> store_;
  numeric::Executor* executor_;  // keeps its address when the Backend moves
};

}  // namespace kauri
