// Multithreaded check of a pattern.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/matrix.hpp"

namespace kauri {

/// Checks a pattern by all threads of the calling oneTBB arena. Throws Error(input), with the text
/// of check(), if columns or rows do not have the order and bounds that Pattern requires.
void check_by_all(const Pattern& pattern);

}  // namespace kauri
