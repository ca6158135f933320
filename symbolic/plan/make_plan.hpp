// Makes a plan from one ordering.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "kauri/core/analysis.hpp"
#include "kauri/core/plan.hpp"
#include "symbolic/plan/plan_draft.hpp"

namespace kauri::symbolic {

/// Returns how many tasks memory is planned for to run at once: options.workers; if that is 0,
/// default_threads(), at most 16. Throws Error(usage) if options.workers is negative.
int planned_workers(const AnalyzeOptions& options);
/// Returns the cost table of options.target, or of this machine if that is empty. Throws
/// Error(usage) for an unknown target.
const CostTable& planned_table(const AnalyzeOptions& options);

/// Returns the plan of a draft, with row structures and work lists added. The caller must set its
/// members `ordering` and `given`. lower: the pattern that the draft was made from.
std::shared_ptr<Plan> complete_plan(const Pattern& lower, PlanDraft draft, const CostTable& table);

/// Makes the plan of lower in the order of perm, by way of the supervariables in graph, which is
/// the graph of lower. Requires a valid lower and a perm that ends with options.ordering.last.
/// Throws Error(input) if the sizes differ, Error(overflow).
std::shared_ptr<Plan> make_plan(const Pattern& lower, const ordering::CompressedGraph& graph,
                                const Permutation& perm, const AnalyzeOptions& options = {});
/// Makes the plan of lower in the order of perm as above, with each row as a supervariable.
std::shared_ptr<Plan> make_plan(const Pattern& lower, const Permutation& perm,
                                const AnalyzeOptions& options = {});

}  // namespace kauri::symbolic
