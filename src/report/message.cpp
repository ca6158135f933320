// Names of phases and levels.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/message.hpp"

#include <string>

#include "kauri/core/error.hpp"

namespace kauri {

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::ordering:
      return "ordering";
    case Phase::symbolic:
      return "symbolic";
    case Phase::prepare:
      return "prepare";
    case Phase::factor:
      return "factor";
    case Phase::solve:
      return "solve";
    case Phase::refine:
      return "refine";
  }
  throw Error(ErrorKind::usage,
              "name_of: unknown Phase " + std::to_string(static_cast<int>(phase)) +
                  "; expected ordering, symbolic, prepare, factor, solve or refine (0 to 5)");
}

std::string_view name_of(MessageLevel level) {
  switch (level) {
    case MessageLevel::info:
      return "info";
    case MessageLevel::warning:
      return "warning";
  }
  throw Error(ErrorKind::usage, "name_of: unknown MessageLevel " +
                                    std::to_string(static_cast<int>(level)) +
                                    "; expected info or warning (0 or 1)");
}

}  // namespace kauri
