// find_flaw() checks a plan, part by part: each part returns the first flaw that it finds, or an
// empty string. A part relies on the parts before it having found none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/core/plan.hpp"
#include "symbolic/device/front_cells.hpp"

namespace kauri {

/// Checks a plan: sizes, orders, postorder and bounds; that live blocks do not overlap; of the
/// CPU's schedule that every edge leads to a higher ticket; of a device's that each tile is written
/// once, each listed child's entry is added once, and no task waits for ever. Returns the first
/// flaw, or an empty string. O(size of the plan, times its logarithm) plus O(the CPU's tasks
/// squared).
std::string find_flaw(const Plan& plan);

namespace symbolic {

std::string flaw_in_tree(const Plan& plan);        ///< sizes, permutation, elimination tree
std::string flaw_in_supernodes(const Plan& plan);  ///< partition, postorder, rows, panels
std::string flaw_in_assembly(const Plan& plan);    ///< entries of A, children, runs
std::string flaw_in_tasks(const Plan& plan);       ///< tasks of the CPU and their edges
std::string flaw_in_memory(const Plan& plan);      ///< places of the CPU's blocks and update rows
std::string flaw_in_cost(const Plan& plan);        ///< counts of Cost, recomputed

// Parts that check the DeviceSchedule. They find no flaw in a plan for a CPU, which has no
// DeviceSchedule.
std::string flaw_in_device_levels(const Plan& plan);  ///< kinds, levels, lists of tiles
std::string flaw_in_device_memory(
    const Plan& plan);  ///< places in a device's arrays, and the waits before one is used again
std::string flaw_in_device_tasks(
    const Plan& plan);  ///< every tile is written once, and no task waits forever, or
                        ///< for a task of a later launch
std::string flaw_in_device_sums(
    const Plan& plan);  ///< sums add every entry of a listed child once, at its place
std::string flaw_in_device_bytes(
    const Plan& plan);  ///< the bytes stated, sweeps, and the counts that predictions use

/// Returns the storage layout of front s of a device's plan, if s is tiled.
inline FrontCells cells_of(const Plan& plan, Index s) {
  return {plan.supernodes.order(s), plan.supernodes.pivots(s)};
}

/// Returns "what k: wrong".
inline std::string at(const char* what, Offset k, const char* wrong) {
  return std::string(what) + " " + std::to_string(k) + ": " + wrong;
}

}  // namespace symbolic
}  // namespace kauri
