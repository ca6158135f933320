// PreparedPlan: what the factors of one plan share on a backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "kauri/backend.hpp"
#include "kauri/plan.hpp"

namespace kauri {

class MixedFactor;

namespace numeric {
class PreparedPlanImpl;
}  // namespace numeric

template <Scalar T>
class Factor;
template <Scalar T>
class BatchFactor;

/// A plan brought to a backend, once for all factors made of it there, in float and in double, one after another or at a time. On a device
/// this uploads the plan's arrays, Plan::prepared_bytes() (fewer where the device can run none of the loops), so that Factor::create has
/// its own memory to take and next to nothing to copy: make it when the analysis is done, and the first factorisation does not wait for it.
/// On the CPU it holds the plan and no memory of its own. Copies share what they hold, and so do factors, which keep it alive; the backend
/// outlives them all.
class PreparedPlan {
 public:
  /// Throws Error: memory (with the bytes asked for), usage (a device's backend, and a plan for a CPU), device, overflow.
  static PreparedPlan create(std::shared_ptr<const Plan> plan, Backend& backend);

  /// What was prepared; lives as long as this or a factor of it.
  [[nodiscard]] const Plan& plan() const;
  /// The same, shared.
  [[nodiscard]] const std::shared_ptr<const Plan>& shared_plan() const;

 private:
  template <Scalar T>
  friend class Factor;
  template <Scalar T>
  friend class BatchFactor;
  friend class MixedFactor;
  PreparedPlan(std::shared_ptr<const numeric::PreparedPlanImpl> store, numeric::Executor& executor);
  std::shared_ptr<const numeric::PreparedPlanImpl> store_;
  numeric::Executor* executor_;  // stays where it is when a Backend moves
};

}  // namespace kauri
