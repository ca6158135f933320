// The parts of find_flaw(): each returns the first thing wrong, or nothing. Later parts rely on earlier ones having found nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/plan.hpp"

namespace kauri::symbolic {

std::string flaw_in_tree(const Plan& plan);        ///< sizes, permutation, elimination tree
std::string flaw_in_supernodes(const Plan& plan);  ///< partition, postorder, rows, panels
std::string flaw_in_assembly(const Plan& plan);    ///< entries of A, children, runs
std::string flaw_in_tasks(const Plan& plan);       ///< cut and edges
std::string flaw_in_memory(const Plan& plan);      ///< places of contribution blocks and update rows
std::string flaw_in_cost(const Plan& plan);        ///< counts, recomputed

}  // namespace kauri::symbolic
