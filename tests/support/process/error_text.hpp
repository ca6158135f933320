// The text of a call's error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/core/error.hpp"

namespace kauri::test {

/// Returns the text of the Error of this kind that f throws; "no Error" or "another kind: ..."
/// otherwise.
template <class F>
std::string error_text(ErrorKind kind, F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.kind() == kind ? e.what() : std::string("another kind: ") + e.what();
  }
  return "no Error";
}

}  // namespace kauri::test
