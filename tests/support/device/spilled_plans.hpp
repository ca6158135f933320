// Plans whose panels leave the device, for tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "kauri/core/plan.hpp"
#include "symbolic/plan/spill.hpp"

namespace kauri::test {

/// Returns the plan within so many device bytes.
inline std::shared_ptr<const Plan> within(const Plan& plan, Offset device_bytes, int scalar_bytes) {
  auto other = std::make_shared<Plan>(plan);
  symbolic::spill(*other, device_bytes, scalar_bytes);
  return other;
}

/// Returns the plan within all its bytes but one, within less and less, and within the least that
/// will do.
inline std::vector<std::shared_ptr<const Plan>> spilled_plans(const Plan& plan, int scalar_bytes) {
  const Offset all = plan.peak_bytes(scalar_bytes),
               least = symbolic::least_device_bytes(plan, scalar_bytes);
  std::vector<std::shared_ptr<const Plan>> out;
  for (const Offset bytes : {all - 1, (all + least) / 2, least + (all - least) / 8, least})
    out.push_back(within(plan, bytes, scalar_bytes));
  return out;
}

}  // namespace kauri::test
