// Version of the library.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/version.hpp"

#ifndef KAURI_COMMIT
#define KAURI_COMMIT "unknown"
#endif

namespace kauri {

std::string_view version() { return KAURI_VERSION; }
std::string_view commit() { return KAURI_COMMIT; }

}  // namespace kauri
