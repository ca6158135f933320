// The check of a pattern, shared among threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/matrix.hpp"

namespace kauri {

/// check() by the threads of the calling arena of oneTBB: what orderings and analyses call, in an arena of the threads asked for.
void check_by_all(const Pattern& pattern);

}  // namespace kauri
