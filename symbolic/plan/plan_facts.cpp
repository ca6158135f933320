// Reads facts from a plan's internals.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/plan/plan_facts.hpp"

#include "symbolic/device/schedule.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {

std::size_t task_count(const Plan& plan) { return plan.internals->schedule.task.size(); }

const DeviceWork& device_work(const Plan& plan) { return plan.internals->device.work; }

std::string too_large_block(const Plan& plan) {
  return too_large_block(plan.supernodes, plan.internals->device);
}

PermutedLower permuted_lower(const Plan& plan) {
  const Assembly& assembly = plan.internals->assembly;
  return {assembly.entry_ptr, assembly.entry_row};
}

}  // namespace kauri::symbolic
