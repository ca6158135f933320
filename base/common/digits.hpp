// Shortest exact decimal text of floating-point numbers, for messages: a rounded number could read
// as a different one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <string>

namespace kauri {

/// Returns x, a float or double, in the fewest digits that distinguish it from every other value of
/// T.
template <class T>
std::string digits(T x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

}  // namespace kauri
