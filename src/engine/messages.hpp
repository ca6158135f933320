// Messages that an engine sends while it works.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/progress/meter.hpp"
#include "base/threads/stopping.hpp"
#include "kauri/core/message.hpp"
#include "kauri/solve/report.hpp"

namespace kauri {

/// Sends a message to the caller's handler, which runs without a stop token and uncounted by the
/// meter. text() is called only if there is a handler.
template <class Text>
void tell(const MessageHandler& handler, Phase phase, double fraction, const Text& text,
          MessageLevel level = MessageLevel::info) {
  if (!handler) return;
  const StopScope unstoppable(nullptr);
  const MeterScope uncounted(nullptr);
  handler({level, phase, text(), fraction});
}

/// Tells the end of a factorisation, and a warning if A is not positive definite or nearly
/// singular.
void tell_outcome(const MessageHandler& handler, const Result<void, Breakdown>& result,
                  const SolverReport& report);
/// Warns if the report says that A is nearly singular.
void tell_loss(const MessageHandler& handler, const SolverReport& report);
/// Tells the end of a refinement, and a warning if x is no solution.
void tell_refinement(const MessageHandler& handler, const SolverReport& report);

}  // namespace kauri
