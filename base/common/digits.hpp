// Numbers in messages as they are: rounded ones may look like others, or like none at all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <string>

namespace kauri {

/// x with the fewest digits that tell it from every other T, float or double.
template <class T>
std::string digits(T x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

}  // namespace kauri
