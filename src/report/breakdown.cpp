// Words a failed factorisation; every interface shows this sentence.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/breakdown.hpp"

#include <charconv>

namespace kauri {

std::string describe(const Breakdown& breakdown, std::optional<Index> base) {
  std::string text = "not positive definite: ";
  if (breakdown.column == kNone)
    text += "a column";
  else
    text += "column " + std::to_string(Offset{breakdown.column} + base.value_or(0)) +
            (base ? "" : " (counted from 0)");
  constexpr int kSignificant = 6;
  char pivot[32];
  char* const end = std::to_chars(pivot, pivot + sizeof pivot, breakdown.pivot,
                                  std::chars_format::general, kSignificant)
                        .ptr;
  return text.append(" met the pivot ").append(pivot, end);
}

}  // namespace kauri
