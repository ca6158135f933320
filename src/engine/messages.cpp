// Messages that an engine sends while it works.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/engine/messages.hpp"

#include <string>

#include "base/common/in_digits.hpp"
#include "kauri/core/breakdown.hpp"

namespace kauri {

void tell_outcome(const MessageHandler& handler, const Result<void, Breakdown>& result,
                  const SolverReport& report) {
  if (result)
    tell(handler, Phase::factor, 1,
         [&] { return "factorised, smallest pivot " + in_digits(report.smallest_pivot); });
  else
    tell(
        handler, Phase::factor, 1, [&] { return describe(result.error()); }, MessageLevel::warning);
  tell_loss(handler, report);
}

void tell_loss(const MessageHandler& handler, const SolverReport& report) {
  if (!report.nearly_singular) return;
  const auto words = [&] {
    const PivotLoss& loss = *report.nearly_singular;
    return "A is nearly singular: elimination reduced the diagonal entry " +
           in_digits(loss.diagonal) + " of column " + std::to_string(loss.column) +
           " to the pivot " + in_digits(loss.pivot) + ", " + in_digits(loss.ratio()) + " of it";
  };
  tell(handler, Phase::factor, 1, words, MessageLevel::warning);
}

void tell_refinement(const MessageHandler& handler, const SolverReport& report) {
  const auto words = [&] {
    return "refined, corrections kept: " + std::to_string(report.refinement.steps) +
           ", componentwise backward error " +
           in_digits(report.refinement.final_error.componentwise) +
           (report.status_reason.empty() ? "" : "; " + report.status_reason);
  };
  tell(handler, Phase::refine, 1, words,
       report.status == SolveStatus::ok ? MessageLevel::info : MessageLevel::warning);
}

}  // namespace kauri
