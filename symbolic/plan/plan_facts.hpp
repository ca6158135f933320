// Facts of a plan that reports, the program, saved plans and Python read from here, not from
// Plan::internals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kauri/core/plan.hpp"
#include "kauri/core/types.hpp"
#include "symbolic/common/device_work.hpp"

namespace kauri::symbolic {

/// Returns the number of the CPU's tasks in the plan.
std::size_t task_count(const Plan& plan);

/// Returns the counts of work from which the seconds of a device's plan were predicted; all are 0
/// for a CPU's plan. Valid as long as the plan.
const DeviceWork& device_work(const Plan& plan);

/// Returns a text that says which front of a device's plan has a block of more than
/// most_block_entries(), its rows and entries, and the consequences: the warning that analyses,
/// loaded plans, reports and the program give. Empty if there is no such front, and for a CPU's
/// plan. O(fronts).
std::string too_large_block(const Plan& plan);

/// Stored entries of the lower triangle of B = P A P^T by columns, the diagonal first, in local
/// rows of fronts: those of column j, which is a pivot of supernode s, are in rows
/// supernodes.rows(s)[front_row[k]] for k in [ptr[j], ptr[j+1]). Valid as long as the plan.
struct PermutedLower {
  std::span<const Offset> ptr;
  std::span<const Index> front_row;
};
PermutedLower permuted_lower(const Plan& plan);

/// Calls f(i, j) for each stored entry (i, j), i > j, of B, column after column.
template <class F>
void for_each_below_diagonal(const Plan& plan, const F& f) {
  const PermutedLower b = permuted_lower(plan);
  for (Index s = 0; s < plan.supernodes.count(); ++s) {
    const std::span<const Index> rows = plan.supernodes.rows(s);
    for (Index j = plan.supernodes.first[s]; j < plan.supernodes.first[s + 1]; ++j)
      for (Offset k = b.ptr[j]; k < b.ptr[j + 1]; ++k)
        if (rows[b.front_row[k]] != j) f(rows[b.front_row[k]], j);
  }
}

}  // namespace kauri::symbolic
