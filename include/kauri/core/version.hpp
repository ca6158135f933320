// Version of the library, and the commit that it was built from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace kauri {

/// Returns the version: "major.minor.patch" of a release, or "major.minor.patch.devN+gCOMMIT" for N
/// commits after a release on the way to that version.
std::string_view version();
/// Returns the commit that the library was built from, or "unknown".
std::string_view commit();

}  // namespace kauri
