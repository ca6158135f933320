// What kauri::Solver and analyses tell while they work: kauri itself never prints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kauri {

/// The phases of a solution, in their order.
enum class Phase {
  ordering,  ///< the graph, and all orderings run
  symbolic,  ///< all symbolic phases run
  prepare,   ///< memory for the factor; on a device also uploads
  factor,    ///< numbers of L
  solve,     ///< both triangular solves
  refine,    ///< residuals and corrections
};

/// "ordering", "symbolic", "prepare", "factor", "solve", "refine".
std::string_view name_of(Phase phase);

/// How much a message matters.
enum class MessageLevel {
  info,     ///< what is being done, or was
  warning,  ///< the call goes on, but not as was hoped: A is not positive definite or nearly singular, x is not finite
};

/// "info", "warning".
std::string_view name_of(MessageLevel level);

/// One thing told.
struct Message {
  MessageLevel level = MessageLevel::info;  ///< how much it matters
  Phase phase = Phase::ordering;            ///< what it is about
  std::string text;                         ///< one sentence, without a full stop or a line's end
  std::optional<double> fraction;           ///< of the phase that is done, where that is known: 0 when it begins, 1 at its end
};

/// Takes messages. Called by the thread that made the call of kauri's, in the order of the work, one at a time; so it needs no lock, and
/// what takes time there delays the call. No task runs beside it, but in factorisations on the CPU of 1e9 operations or more: these tell up
/// to 31 times how far they have come, as that thread's own share of the work comes to it, so on many threads seldom. It may ask a token to
/// stop, and call kauri for other objects. What it throws comes out of the call, which leaves what it leaves when it throws by itself.
/// Empty: nothing is made or called.
using MessageHandler = std::function<void(const Message&)>;

}  // namespace kauri
