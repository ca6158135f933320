// Whether a matrix has the pattern of a plan, entry by entry.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/plan.hpp"

namespace kauri {

/// True if the patterns have the same rows in the same places; neither need be sound. At the speed of memory. Throws Error(cancelled).
bool same_pattern(const Pattern& a, const Pattern& b);

/// Empty if the patterns are the same; else the first difference, rows and columns counted from 0: "entry (2, 1) is new". then: sound.
/// Where `now` differs it is checked first: Error(input) names its flaw. O(n + nnz), at the speed of memory where the patterns are the
/// same. Throws Error(cancelled).
std::string pattern_difference(const Pattern& now, const Pattern& then);

/// Throws Error(usage), `what` and the difference, unless `a` is the pattern that the plan was made for; Error as pattern_difference().
void require_pattern(const Pattern& a, const Plan& plan, const std::string& what);

}  // namespace kauri
