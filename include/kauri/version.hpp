// Version of the library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace kauri {

/// "major.minor.patch".
std::string_view version();
/// The commit the library was built from, or "unknown".
std::string_view commit();

}  // namespace kauri
