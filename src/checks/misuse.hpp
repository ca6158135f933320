// Reports misuse of a public call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/core/error.hpp"

namespace kauri {

/// Throws Error(usage) with the text `what`.
[[noreturn]] inline void misuse(const std::string& what) { throw Error(ErrorKind::usage, what); }

}  // namespace kauri
