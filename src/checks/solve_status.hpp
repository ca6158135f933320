// Whether an x is to be taken for a solution, and in words why not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "base/common/digits.hpp"
#include "kauri/matrix.hpp"
#include "kauri/refinement.hpp"
#include "kauri/report.hpp"

namespace kauri {

/// "entry (3, 0) of b (row, column, from 0) is nan": the first one, column by column, that is not finite; empty if there is none. before:
/// columns of the caller's b that come before these. name: of the matrix.
template <Scalar T>
std::string non_finite_entry(const MatrixView<const T>& b, Index before = 0, const std::string& name = "b") {
  const bool by_rows = b.layout == Layout::row_major;
  for (Index j = 0; j < b.cols; ++j)
    for (Index i = 0; i < b.rows; ++i) {
      const T x = b.data[by_rows ? j + i * b.ld : i + j * b.ld];
      if (!std::isfinite(x))
        return "entry (" + std::to_string(i) + ", " + std::to_string(before + j) + ") of " + name + " (row, column, from 0) is " +
               digits(x);
    }
  return {};
}

/// The reason of a status_of() these errors; empty for SolveStatus::ok and none. b with null for data: not to be looked at.
template <Scalar T>
std::string why_not(SolveStatus status, const BackwardError& error, const MatrixView<const T>& b, Index before = 0) {
  if (status == SolveStatus::not_finite) {
    const std::string head = "the solution is not finite: ", type = sizeof(T) == 4 ? "float" : "double";
    if (b.data == nullptr) return head + "b is not, or x or its residual overflows " + type;
    const std::string entry = non_finite_entry<T>(b, before);
    return head + (entry.empty() ? "x or its residual overflows " + type : entry);
  }
  if (status != SolveStatus::not_converged) return {};
  if (status_of<T>(error) == SolveStatus::ok)
    return "not converged: the backward error is " + digits(error.normwise) + ", componentwise " + digits(error.componentwise) +
           ", more than was asked for";
  return "not converged: " + in_words(error, solved_error<T>()) + ": x is not to be taken for a solution";
}

/// Whether x is a solution, in a report whose refinement has its errors: the worse of what is known and of these.
template <Scalar T>
void judge(SolverReport& report, SolveStatus known, const MatrixView<const T>& b) {
  const BackwardError& error = report.refinement.final_error;
  const SolveStatus measured = status_of<T>(error);
  report.status = measured == SolveStatus::ok ? known : measured;
  report.status_reason = why_not<T>(report.status, error, b);
}

/// The same of a solve in mixed precision: by report.mixed, and the breakdown of a factor in double, if there was one.
inline void judge_mixed(SolverReport& report, const std::optional<Breakdown>& found, const MatrixView<const double>& b) {
  report.refinement = {report.mixed.steps, report.mixed.steps, report.mixed.unrefined, report.mixed.error};
  judge<double>(report, report.mixed.converged() ? SolveStatus::ok : SolveStatus::not_converged, b);
  if (found)
    report.status_reason = "not positive definite: column " + std::to_string(found->column) + " met the pivot " + digits(found->pivot);
}

/// What is left in x, and reported, of a solve in mixed precision that met a breakdown.
inline MixedReport report_of_breakdown(Index cols) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  return {.unrefined = {kNaN, kNaN}, .unconverged = cols, .error = {kNaN, kNaN}};
}

}  // namespace kauri
