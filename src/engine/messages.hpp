// Messages that an engine sends while it works.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/progress/meter.hpp"
#include "base/threads/stopping.hpp"
#include "kauri/core/message.hpp"
#include "kauri/solve/report.hpp"

namespace kauri {

/// Calls the caller's handler with a message, if there is one; text() is called only then. Stop
/// requests do not reach the handler, and its operations do not count in the meter.
template <class Text>
void tell(const MessageHandler& handler, Phase phase, double fraction, const Text& text,
          MessageLevel level = MessageLevel::info) {
  if (!handler) return;
  const StopScope unstoppable(nullptr);
  const MeterScope uncounted(nullptr);
  handler({level, phase, text(), fraction});
}

/// Sends a message that a factorisation has ended; a warning if A is not positive definite, and a
/// further one if it is nearly singular.
void tell_outcome(const MessageHandler& handler, const Result<void, Breakdown>& result,
                  const SolverReport& report);
/// Sends a warning if the report says that A is nearly singular.
void tell_loss(const MessageHandler& handler, const SolverReport& report);
/// Sends a message that a refinement has ended; a warning if x is no solution.
void tell_refinement(const MessageHandler& handler, const SolverReport& report);

}  // namespace kauri
