// One ordering to its plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "kauri/plan.hpp"
#include "symbolic/plan/plan_draft.hpp"

namespace kauri::symbolic {

/// Tasks at once that memory is planned for: options.workers, or one per hardware thread up to 16. Throws Error(usage) if negative.
int planned_workers(const AnalyzeOptions& options);
/// The cost table of options.target, or of this machine.
const CostTable& planned_table(const AnalyzeOptions& options);

/// A plan from its draft; `ordering` and `given` are left to the caller. lower: the pattern the draft was made of.
std::shared_ptr<Plan> complete_plan(const Pattern& lower, PlanDraft draft, const CostTable& table);

/// The plan of lower in the order of perm, by way of its supervariables (graph is that of lower). lower is valid, and perm ends with
/// options.ordering.last. Throws Error(input) if the sizes differ, Error(overflow).
std::shared_ptr<Plan> make_plan(const Pattern& lower, const ordering::CompressedGraph& graph, const Permutation& perm,
                                const AnalyzeOptions& options = {});
/// The same without looking for supervariables.
std::shared_ptr<Plan> make_plan(const Pattern& lower, const Permutation& perm, const AnalyzeOptions& options = {});

}  // namespace kauri::symbolic
