// What each phase of a solution took, and what was chosen: a struct, and the same as JSON or as text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "kauri/backend.hpp"
#include "kauri/condition.hpp"
#include "kauri/mixed.hpp"
#include "kauri/plan.hpp"
#include "kauri/refine.hpp"
#include "kauri/roofline.hpp"

namespace kauri {

/// One phase. What it did not do, or nobody counted, is 0.
struct PhaseReport {
  double seconds = 0;  ///< by the clock, for the caller
  double flops = 0;    ///< operations on numbers; a multiply-add is two
  Offset bytes = 0;    ///< of memory that its result takes; see SolverReport
  /// Bytes that go to or from memory at least, whatever the way: what it reads and what it writes, once each. 0 for `prepare`.
  Offset moved = 0;

  /// Of the time that the roofline model gives it, per second that it took: 1 is as fast as can be where what it moves comes from memory;
  /// what is in caches still, as a small L, may come faster. 0 where it was not run, or nothing is known of it.
  [[nodiscard]] double share_of(const Roofline& roofline) const {
    return seconds > 0 ? roofline.least_seconds(flops, static_cast<double>(moved)) / seconds : 0;
  }
};

/// Of a Solver's last calls, or put together from single phases. Phases that were not run since compute() are zeros.
struct SolverReport {
  PhaseReport ordering;  ///< all orderings run; bytes of the permutation and its inverse; moved: these, and A's pattern
  PhaseReport symbolic;  ///< all symbolic phases run; bytes of the plan, Plan::plan_bytes(); moved: these, and A's pattern
  PhaseReport prepare;   ///< the making of the factor; Plan::peak_bytes(): L, contribution blocks, counters, on a device the plan
  /// Cost::flops, exact for the entries of L without padding; bytes of L, Plan::factor_bytes(); moved: A's values and nnz_l of L's.
  PhaseReport factor;
  /// 4 operations an entry of L for each right-hand side; Plan::workspace_bytes(); moved: nnz_l twice, and each column four times.
  PhaseReport solve;
  /// Of each right-hand side: 4 operations an entry of L for a correction, kept or not, and 2 an entry of A, both halves, for a residual.
  /// Bytes of vectors: b, the correction, and the better x. Moved: those of a solve for each correction; A's lower triangle, with indices
  /// of 4 bytes, and three columns for each residual.
  PhaseReport refine;

  Index n = 0;       ///< rows and columns of A
  Offset nnz = 0;    ///< entries of A's lower triangle
  Offset nnz_l = 0;  ///< entries of L, without padding
  double fill = 0;   ///< nnz_l / nnz; 0 for a matrix without rows

  std::string ordering_method;  ///< name_of() what was run and chosen, "given" for the caller's permutation; empty before an analysis
  std::string ordering_reason;  ///< Analysis::reason
  BackendKind backend = BackendKind::cpu;  ///< where numbers are computed
  std::string target;                      ///< Plan::target, "cpu-avx512", "sm_90" ...
  std::string target_reason;               ///< Analysis::target_reason
  std::string too_large_block;             ///< why a device does the plan by slower kernels (docs/limits.md); empty where it does not
  std::string device;                      ///< Backend::device()
  std::string kernels;                     ///< Backend::kernels(), or mixed_kernels()
  int threads = 0;                         ///< Backend::threads()
  int scalar_bytes = 0;                    ///< of L: 4 or 8
  Precision precision = Precision::full;   ///< mixed: L is in float, or was at first, and systems are in double

  /// Backend::roofline() where SolverOptions::roofline asks for it.
  std::optional<Roofline> roofline;

  double smallest_pivot = 0;      ///< of the last factorisation, see DeviceVerdict
  Index smallest_column = kNone;  ///< its column, in the caller's numbering; kNone if there is none
  /// Where the last factorisation met a pivot that is next to nothing beside A's diagonal: the worst one. With mixed precision of a factor
  /// in double alone: one in float says nothing of a system in double that refinement or conjugate gradients solve.
  std::optional<PivotLoss> nearly_singular;
  Index right_hand_sides = 0;  ///< of the last solve
  Refinement refinement;       ///< of the last solve
  /// Whether the last solve's x is to be taken for a solution, by the errors in `refinement` (with mixed precision: in `mixed`).
  SolveStatus status = SolveStatus::none;
  std::string status_reason;  ///< why not, with the entry of b that is not finite, or the errors; empty where it is
  /// The same, with mixed precision: `solve` then is all of it, its operations those of as many steps as the column that took most, and
  /// `refine` is zeros; `refinement` has the errors, and the steps by a factor.
  MixedReport mixed;
};

/// What an analysis alone tells, for factors in a scalar of 4 or 8 bytes on that backend: sizes, choices, ordering and symbolic, and bytes
/// of the phases that follow. Throws Error(usage) for an analysis without a plan.
SolverReport report_of(const Analysis& analysis, const Backend& backend, int scalar_bytes);

/// One JSON object on one line, with a key for each member, of the same name; phases and backward errors are objects. Numbers are read back
/// as they were; what is not finite is null, as is a column that is none and a roofline that there is not; strings are escaped, and taken
/// for UTF-8. With a roofline each phase has a `share`, PhaseReport::share_of().
std::string to_json(const SolverReport& report);

/// For people: a few lines, of which each ends with a line feed, with a table of the phases. The text may change from version to version;
/// no locale does.
std::string to_text(const SolverReport& report);

}  // namespace kauri
