// Version of the library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace kauri {

/// "major.minor.patch" of a release; "major.minor.patch.devN+gCOMMIT" N commits after one, on the way to the next.
std::string_view version();
/// The commit the library was built from, or "unknown".
std::string_view commit();

}  // namespace kauri
