// Report of a solution: what each phase took and what was chosen, as a struct, as JSON and as text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "kauri/core/analysis.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/core/roofline.hpp"
#include "kauri/solve/condition.hpp"
#include "kauri/solve/mixed.hpp"
#include "kauri/solve/refine.hpp"

namespace kauri {

/// Report of the last calls of a Solver; a caller that runs the phases itself may fill one in, too.
/// Figures of phases not run since compute() are zeros.
struct SolverReport {
  /// Figures of one phase. A figure is 0 if the phase was not run or the figure is not counted.
  struct PhaseReport {
    double seconds = 0;  ///< wall time; no result depends on it
    double flops = 0;    ///< floating-point operations; a multiply-add is two
    Offset bytes = 0;    ///< bytes of memory; the comment of each phase in SolverReport says of
                         ///< which arrays
    /// Least bytes that any algorithm moves to or from memory: the inputs and the results, once
    /// each. 0 for `prepare`.
    Offset moved = 0;

    /// Returns the phase's least seconds by the roofline model over its seconds. 1 is the best
    /// possible if the data come from memory; data that are still in caches, as a small L may be,
    /// can give more. 0 if the phase was not run or its counts are 0.
    [[nodiscard]] double share_of(const Roofline& bounds) const {
      return seconds > 0 ? bounds.least_seconds(flops, static_cast<double>(moved)) / seconds : 0;
    }
  };

  /// All orderings that were run. bytes: of the permutation and its inverse. moved: these, and A's
  /// pattern.
  PhaseReport ordering;
  /// All symbolic phases that were run. bytes: of the plan, Plan::plan_bytes(). moved: these, and
  /// A's pattern.
  PhaseReport symbolic;
  /// The making of the factor. bytes: Plan::peak_bytes(), of L, contribution blocks and counters,
  /// on a device also of the plan.
  PhaseReport prepare;
  /// The factorisation. flops: Cost::flops, exact for the entries of L without padding. bytes: of
  /// L, Plan::factor_bytes(). moved: A's values and the nnz_l values of L.
  PhaseReport factor;
  /// The solve. flops: 4 for each entry of L and right-hand side. bytes: Plan::workspace_bytes().
  /// moved: nnz_l values twice, and each column of right-hand sides four times. With mixed
  /// precision see `mixed`.
  PhaseReport solve;
  /// The refinement. flops, for each right-hand side: 4 for each entry of L and correction, kept or
  /// not, and 2 for each entry of A, both halves, and residual; there is one residual more than
  /// corrections. bytes: of b, the correction and the better x. moved: that of a solve for each
  /// correction; for each residual A's lower triangle, with indices of 4 bytes, and three columns
  /// of vectors for each right-hand side.
  PhaseReport refine;

  Index n = 0;       ///< rows and columns of A
  Offset nnz = 0;    ///< entries of A's lower triangle
  Offset nnz_l = 0;  ///< entries of L, without padding
  double fill = 0;   ///< nnz_l / nnz; 0 for a matrix without rows

  std::string ordering_method;  ///< name_of() the chosen ordering, "given" for the caller's
                                ///< permutation; empty before an analysis
  std::string ordering_reason;  ///< Analysis::reason
  BackendKind backend = BackendKind::cpu;  ///< kind of backend that computes
  std::string target;                      ///< Plan::target, "cpu-avx512", "sm_90" ...
  std::string target_reason;               ///< Analysis::target_reason
  std::string too_large_block;             ///< why a device runs slower kernels: too large a
                                           ///< contribution block (docs/limits.md); else empty
  std::string slower_kernels;              ///< why a device runs slower kernels: too few
                                           ///< multiprocessors (docs/cards.md); else empty
  std::string device;                      ///< Backend::device()
  std::string kernels;                     ///< Backend::kernels() of this scalar; with mixed
                                           ///< precision Backend::mixed_kernels()
  int threads = 0;                         ///< Backend::threads()
  int scalar_bytes = 0;                    ///< bytes of a number of L: 4 or 8
  Precision precision =
      Precision::full;  ///< mixed: systems are in double and L is in float, unless float fails
  std::string precision_reason;  ///< why: as asked for, or the choice of Precision::automatic with
                                 ///< its figures; empty for systems in float
  /// Analysis::precisions: what the job is predicted to take on its device in both precisions,
  /// which is what the other one would cost; empty on the CPU, and for systems in float.
  std::optional<Analysis::Precisions> precisions;

  /// Highest rates of the backend: Backend::roofline(), or with mixed precision
  /// Backend::mixed_roofline(); empty unless SolverOptions::roofline is set.
  std::optional<Roofline> roofline;

  double smallest_pivot = 0;      ///< smallest pivot of the last factorisation,
                                  ///< DeviceVerdict::smallest_pivot, in units of A
  Index smallest_column = kNone;  ///< column of smallest_pivot in the caller's numbering, or kNone
  /// Worst pivot of the last factorisation, if it is so small relative to A's diagonal entry that A
  /// is nearly singular (PivotLoss::limit); else empty, as also if the values of A, with the shift,
  /// are not in the host's memory. With mixed precision it is set for a factor in double alone,
  /// since pivots in float say nothing about a system in double that refinement or conjugate
  /// gradients solve.
  std::optional<PivotLoss> nearly_singular;
  Index right_hand_sides = 0;  ///< columns of the last solve
  Refinement refinement;       ///< refinement of the last solve
  /// Says whether the x of the last solve counts as a solution, by the errors in `refinement` (with
  /// mixed precision in `mixed`).
  SolveStatus status = SolveStatus::none;
  std::string status_reason;  ///< why x is no solution, with the entry of b that is not finite, or
                              ///< the errors; empty if it is one
  /// Report of the last solve with mixed precision. `solve` then covers the whole solve: its flops
  /// and moved bytes count mixed.steps + mixed.cg_steps solves of all columns with a factor in
  /// float, a residual in double for each, and the first residual; its bytes are
  /// MixedFactor::bytes(). `refine` is zeros, and `refinement` has mixed.steps as its steps, and
  /// the errors of `mixed`.
  MixedReport mixed;
};

/// Returns a report with what the analysis alone determines, for factors in a scalar of 4 or 8
/// bytes on this backend: sizes, choices, the figures of `ordering` and `symbolic`, and the bytes
/// of `prepare` and `factor`. Throws Error: usage (an analysis without a plan), overflow.
SolverReport report_of(const Analysis& analysis, const Backend& backend, int scalar_bytes);

/// Returns the report as one JSON object on one line, with a key of the same name for each member;
/// members that are structs are objects. Numbers are written so that they read back unchanged.
/// Numbers that are not finite are null, as are a column of kNone and an absent roofline or
/// nearly_singular. Strings are escaped, and taken for UTF-8. With a roofline each phase has a
/// `share`, PhaseReport::share_of().
std::string to_json(const SolverReport& report);

/// Returns the report as text for people: a few lines, each ended by a line feed, with a table of
/// the phases. The text may change from version to version; it does not depend on the locale.
std::string to_text(const SolverReport& report);

}  // namespace kauri
