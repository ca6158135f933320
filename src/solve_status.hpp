// Why an x is not to be taken for a solution, in words.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>

#include "kauri/matrix.hpp"
#include "kauri/refinement.hpp"
#include "src/base/digits.hpp"

namespace kauri {

/// "entry (3, 0) of b (row, column, from 0) is nan": the first one, column by column, that is not finite; empty if there is none.
template <Scalar T>
std::string non_finite_entry(const MatrixView<const T>& b) {
  const bool by_rows = b.layout == Layout::row_major;
  for (Index j = 0; j < b.cols; ++j)
    for (Index i = 0; i < b.rows; ++i) {
      const T x = b.data[by_rows ? j + i * b.ld : i + j * b.ld];
      if (!std::isfinite(x))
        return "entry (" + std::to_string(i) + ", " + std::to_string(j) + ") of b (row, column, from 0) is " + digits(x);
    }
  return {};
}

/// The reason of a status_of() these errors; empty for SolveStatus::ok and none.
template <Scalar T>
std::string why_not(SolveStatus status, const BackwardError& error, const MatrixView<const T>& b) {
  if (status == SolveStatus::not_finite) {
    const std::string entry = non_finite_entry<T>(b);
    return entry.empty() ? std::string("the solution is not finite: x or its residual overflows ") + (sizeof(T) == 4 ? "float" : "double")
                         : "the solution is not finite: " + entry;
  }
  if (status != SolveStatus::not_converged) return {};
  if (status_of<T>(error) == SolveStatus::ok)
    return "not converged: the backward error is " + digits(error.normwise) + ", componentwise " + digits(error.componentwise) +
           ", more than was asked for";
  return "not converged: the backward error is " + digits(error.normwise) + ", componentwise " + digits(error.componentwise) +
         ", expected at most " + digits(solved_error<T>()) + ": x is not to be taken for a solution";
}

}  // namespace kauri
