// Messages that kauri::Solver and analyses send while they work; kauri itself never prints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kauri {

/// Phases of a solution, in their order.
enum class Phase {
  ordering,  ///< building the graph and running all orderings
  symbolic,  ///< all symbolic phases
  prepare,   ///< allocation for the factor; on a device also the upload of the plan
  factor,    ///< computation of L
  solve,     ///< both triangular solves
  refine,    ///< residuals and corrections
};

/// Returns "ordering", "symbolic", "prepare", "factor", "solve" or "refine".
std::string_view name_of(Phase phase);

/// Importance of a message.
enum class MessageLevel {
  info,     ///< progress: an activity that begins or has ended
  warning,  ///< the call goes on, but its result may be of no use or late: for example, A is not
            ///< positive definite or nearly singular, or x is not finite
};

/// Returns "info" or "warning".
std::string_view name_of(MessageLevel level);

/// A message.
struct Message {
  MessageLevel level = MessageLevel::info;  ///< its importance
  Phase phase = Phase::ordering;            ///< the phase that it is about
  std::string text;                         ///< one sentence, without a full stop or a line break
  std::optional<double>
      fraction;  ///< part of the phase that is done, if known: 0 when it begins, 1 at its end
};

/// Receives messages. The thread that called kauri calls the handler, in the order of the work, one
/// message at a time: the handler needs no lock, and its duration delays the call. The call's other
/// threads are idle meanwhile, with one exception: a factorisation on the CPU of 1e9 operations or
/// more reports its progress at most 31 times, 1/32 apart, each time the calling thread has done a
/// piece of the work; with many threads it reports less often. A handler may ask a token to stop,
/// and call kauri for other objects. An exception that it throws propagates out of the call, and
/// leaves the objects as an exception of the call itself does. With an empty handler no message is
/// made.
using MessageHandler = std::function<void(const Message&)>;

}  // namespace kauri
