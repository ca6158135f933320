// Formats numbers and times in three significant digits, for sentences of messages and reports.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>

namespace kauri {

/// Returns the number in at most three significant digits, without trailing zeros.
inline std::string in_digits(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

/// Returns at most three significant digits and the unit: "1.25 s".
inline std::string in_seconds(double seconds) { return in_digits(seconds) + " s"; }

}  // namespace kauri
