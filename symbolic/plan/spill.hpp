// Fits a device's plan to a limit of memory: panels leave the device for host memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/plan.hpp"

namespace kauri::symbolic {

/// Places the fronts of a device's plan anew, so that PreparedPlan::create and Factor::create take
/// at most `device_bytes` bytes of device memory for scalars of `scalar_bytes` bytes
/// (Plan::peak_bytes()). Panels of L leave the device for host memory (Plan::host_bytes()) after
/// segments of the factorisation, as few as suffice, those of the lowest levels first. Tasks and
/// the bits of L stay the same. Does nothing if the plan is for a CPU or takes no more anyway.
/// Throws Error(memory), with the least bytes that would do, if they are more than device_bytes or
/// if tiled fronts run without tasks.
void spill(Plan& plan, Offset device_bytes, int scalar_bytes);

/// Returns the least device_bytes that spill() can keep for a device's plan. Throws Error(memory)
/// if tiled fronts run without tasks.
Offset least_device_bytes(const Plan& plan, int scalar_bytes);

}  // namespace kauri::symbolic
