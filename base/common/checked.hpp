// Counts that cannot wrap: a sum or product beyond 2^63 - 1 is an Error of kind overflow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/core/error.hpp"
#include "kauri/core/types.hpp"

namespace kauri {

/// Returns a + b. Throws Error(overflow) beyond 2^63 - 1; `what` names the count in the error's
/// text.
inline Offset checked_add(Offset a, Offset b, const char* what) {
  Offset sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    throw Error(ErrorKind::overflow, std::string("symbolic: more than 2^63 ") + what);
  return sum;
}

/// Returns a * b. Throws Error(overflow) beyond 2^63 - 1; `what` names the count in the error's
/// text.
inline Offset checked_mul(Offset a, Offset b, const char* what) {
  Offset product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    throw Error(ErrorKind::overflow, std::string("symbolic: more than 2^63 ") + what);
  return product;
}

}  // namespace kauri
