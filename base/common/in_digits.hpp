// Formats numbers for sentences.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>

namespace kauri {

/// Returns the number in three significant digits.
inline std::string in_digits(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

/// Returns three significant digits and the unit: "1.25 s".
inline std::string in_seconds(double seconds) { return in_digits(seconds) + " s"; }

}  // namespace kauri
