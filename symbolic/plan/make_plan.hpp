// Makes a plan from one ordering.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "kauri/core/analysis.hpp"
#include "kauri/core/plan.hpp"
#include "symbolic/plan/plan_draft.hpp"

namespace kauri::symbolic {

/// Returns the number of the CPU's tasks that a plan's memory lets run at once: options.workers; if
/// that is 0, default_threads(), at most 16. Throws Error(usage) if options.workers is negative.
int planned_workers(const AnalyzeOptions& options);
/// Returns the cost table of options.target, or of this machine's CPU if that is empty. Throws
/// Error(usage) for an unknown target.
const CostTable& planned_table(const AnalyzeOptions& options);

/// Returns the plan of a draft, with row structures and work lists added. The caller must set the
/// plan's members `ordering` and `given`. lower, table: the pattern and the table that the draft
/// was made from. Throws Error(overflow) if a count of the lists or of bytes exceeds its type.
std::shared_ptr<Plan> complete_plan(const Pattern& lower, PlanDraft draft, const CostTable& table);

/// Makes the plan of lower in the order of perm, by way of the supervariables in graph, which is
/// the graph of lower. Requires a valid lower and a perm that ends with options.ordering.last.
/// Other options read: workers, target and amalgamate; `ordering` and `given` of the plan stay
/// unset. Throws Error: input (perm and lower differ in size), usage (a negative number of workers,
/// an unknown target), overflow (a count or an offset exceeds its type).
std::shared_ptr<Plan> make_plan(const Pattern& lower, const ordering::CompressedGraph& graph,
                                const Permutation& perm, const AnalyzeOptions& options = {});
/// Makes the plan of lower in the order of perm, with each row as a supervariable. Requires and
/// throws what the function above does.
std::shared_ptr<Plan> make_plan(const Pattern& lower, const Permutation& perm,
                                const AnalyzeOptions& options = {});

}  // namespace kauri::symbolic
