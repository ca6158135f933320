// Compares the pattern of a matrix with that of a plan, entry by entry.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/core/plan.hpp"

namespace kauri {

/// Returns true if both patterns consist of equal arrays. Neither needs to be valid: indices are
/// compared, not used. Takes the time to read the arrays. Throws Error(cancelled).
bool same_pattern(const Pattern& a, const Pattern& b);

/// Returns an empty string if the patterns are equal, else the first difference, with row and
/// column counted from 0: "entry (2, 1) is new". `then` must be valid. If `now` differs, it is
/// checked first: Error(input) names its flaw. O(n + nnz); only reads the arrays if the patterns
/// are equal. Throws Error(cancelled).
std::string pattern_difference(const Pattern& now, const Pattern& then);

/// Throws Error(usage), with `what` and the difference, unless `a` is the pattern that the plan was
/// made for. Also throws what pattern_difference() throws.
void require_pattern(const Pattern& a, const Plan& plan, const std::string& what);

}  // namespace kauri
