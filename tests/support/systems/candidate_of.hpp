// The candidate of a method in an analysis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "kauri/core/analysis.hpp"

namespace kauri::test {

/// Returns the candidate of this method, or null; a permutation of the caller's is no method.
/// Expects a method to be listed once.
inline const Analysis::Candidate* candidate_of(const Analysis& analysis, OrderingMethod method) {
  const Analysis::Candidate* found = nullptr;
  for (const Analysis::Candidate& candidate : analysis.candidates) {
    if (candidate.method != method || candidate.given) continue;
    EXPECT_EQ(found, nullptr) << name_of(method) << " is listed twice";
    found = &candidate;
  }
  return found;
}

}  // namespace kauri::test
