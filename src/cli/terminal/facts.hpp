// Facts of a symmetric matrix that cost one pass: degrees, diagonal, components, bandwidth,
// Gershgorin's bounds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/core/matrix.hpp"

namespace kauri::cli {

struct MatrixFacts {
  Offset entries_full = 0;  ///< entries of both halves; stored zeros count
  Index least_in_row = 0, most_in_row = 0;
  double mean_in_row = 0;
  Index positive_diagonal = 0, zero_diagonal = 0,
        negative_diagonal = 0;  ///< numbers of diagonal entries; NaN counts as negative
  Index components = 0;
  Index bandwidth = 0;  ///< greatest |i - j| of an entry (i, j)
  double gershgorin_least = 0,
         gershgorin_greatest = 0;  ///< bounds of all eigenvalues, up to rounding
};

/// Returns the facts of A in O(nnz) time, with three arrays of length n.
MatrixFacts facts_of(const SymmetricView<double>& a);

/// Returns whether A is positive definite: "yes" (by Gershgorin's discs), "no" (a diagonal entry is
/// not positive) or "undecided".
std::string verdict_name(const MatrixFacts& facts);
/// Returns the reason for verdict_name() in words.
std::string verdict_reason(const MatrixFacts& facts);

}  // namespace kauri::cli
