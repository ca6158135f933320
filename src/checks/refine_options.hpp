// Checks RefineOptions in public calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/common/digits.hpp"
#include "kauri/solve/refine.hpp"
#include "src/checks/misuse.hpp"

namespace kauri {

/// Throws Error(usage), with the option and its value, unless each is a number >= 0. name: that of
/// the call or the object, as "refine".
inline void require_refine_options(const RefineOptions& options, const char* name) {
  const auto refuse = [name](const char* option, const std::string& value) {
    misuse(std::string(name) + ": " + option + " is " + value + ", expected 0 or more");
  };
  if (options.max_steps < 0) refuse("max_steps", std::to_string(options.max_steps));
  if (!(options.target >= 0)) refuse("target", digits(options.target));
  if (!(options.stagnation >= 0)) refuse("stagnation", digits(options.stagnation));
}

}  // namespace kauri
