// Multithreaded check of a pattern.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/matrix.hpp"

namespace kauri {

/// Checks a pattern as check() does, by the threads of the calling oneTBB arena. Orderings and
/// analyses call it in an arena of the number of threads that the caller requested. Throws
/// Error(input) for the same patterns as check().
void check_by_all(const Pattern& pattern);

}  // namespace kauri
