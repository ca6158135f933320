// Decides if an x is a solution, and words the reason if it is not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "base/common/digits.hpp"
#include "kauri/core/breakdown.hpp"
#include "kauri/core/matrix.hpp"
#include "kauri/solve/refinement.hpp"
#include "kauri/solve/report.hpp"

namespace kauri {

/// Returns a text on the first entry, column by column, that is not finite: "entry (3, 0) of b
/// (row, column, from 0) is nan"; an empty string if all are finite. before: added to column
/// numbers, the number of columns of the caller's b before this part. name: that of the matrix.
template <Scalar T>
std::string non_finite_entry(const MatrixView<const T>& b, Index before = 0,
                             const std::string& name = "b") {
  const bool by_rows = b.layout == Layout::row_major;
  for (Index j = 0; j < b.cols; ++j)
    for (Index i = 0; i < b.rows; ++i) {
      const T x = b.data[by_rows ? j + i * b.ld : i + j * b.ld];
      if (!std::isfinite(x))
        return "entry (" + std::to_string(i) + ", " + std::to_string(before + j) + ") of " + name +
               " (row, column, from 0) is " + digits(x);
    }
  return {};
}

/// Returns a sentence on why x with this status and these errors is no solution; an empty string
/// for SolveStatus::ok and none. b, on the host, is searched for entries that are not finite,
/// unless its data are null. before: as in non_finite_entry().
template <Scalar T>
std::string why_not(SolveStatus status, const BackwardError& error, const MatrixView<const T>& b,
                    Index before = 0) {
  if (status == SolveStatus::not_finite) {
    const std::string head = "the solution is not finite: ",
                      type = sizeof(T) == 4 ? "float" : "double";
    if (b.data == nullptr) return head + "b is not, or x or its residual overflows " + type;
    const std::string entry = non_finite_entry<T>(b, before);
    return head + (entry.empty() ? "x or its residual overflows " + type : entry);
  }
  if (status != SolveStatus::not_converged) return {};
  if (status_of<T>(error) == SolveStatus::ok)
    return "not converged: the backward error is " + digits(error.normwise) + ", componentwise " +
           digits(error.componentwise) + ", more than was asked for";
  return "not converged: " + in_words(error, solved_error<T>()) +
         ": x does not count as a solution";
}

/// Sets the report's status and the reason for it. The status follows from the errors in
/// report.refinement; if that gives ok, the status is `known`.
template <Scalar T>
void judge(SolverReport& report, SolveStatus known, const MatrixView<const T>& b) {
  const BackwardError& error = report.refinement.final_error;
  const SolveStatus measured = status_of<T>(error);
  report.status = measured == SolveStatus::ok ? known : measured;
  report.status_reason = why_not<T>(report.status, error, b);
}

/// Sets the report's refinement, status and reason of a mixed solve, from report.mixed. `found` is
/// the breakdown of the factor in double, if there was one; b as in why_not().
inline void judge_mixed(SolverReport& report, const std::optional<Breakdown>& found,
                        const MatrixView<const double>& b) {
  report.refinement = {report.mixed.steps, report.mixed.steps, report.mixed.unrefined,
                       report.mixed.error};
  judge<double>(report, report.mixed.converged() ? SolveStatus::ok : SolveStatus::not_converged, b);
  if (found) report.status_reason = describe(*found);
}

/// Returns the report of a mixed solve of `cols` columns that met a breakdown: all errors NaN, no
/// column converged.
inline MixedReport report_of_breakdown(Index cols) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  return {.unrefined = {kNaN, kNaN}, .unconverged = cols, .error = {kNaN, kNaN}};
}

}  // namespace kauri
