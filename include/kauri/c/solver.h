// C: the solver, one object from matrix to refined solution.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_SOLVER_H
#define KAURI_C_SOLVER_H

/// @file
/// C: the solver, one object from matrix to refined solution. Include kauri/kauri.h, which has the
/// rules for every call.

#include "kauri/c/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A solver, which analyses, factorises, solves and refines; it keeps a copy of A. While a call
/// that takes the solver as non-const is under way, a second such call is KAURI_ERROR_USAGE and
/// changes nothing. Threads that solve at the same time share a kauri_factor, with a workspace
/// each.
typedef struct kauri_solver kauri_solver;

/// Creates a solver for matrices of that kauri_scalar; computes nothing yet. options: copied; null
/// for the defaults. KAURI_ERROR_USAGE for options out of range, and for "precision" mixed with
/// KAURI_FLOAT; KAURI_ERROR_DEVICE if the device asked for does not exist.
kauri_status kauri_solver_create(const kauri_options* options, int32_t scalar,
                                 kauri_solver** solver);
/// Destroys the solver.
void kauri_solver_destroy(kauri_solver* solver);

/// Orders, analyses and factorises A, whose arrays are copied. A matrix of another scalar than the
/// solver's is KAURI_ERROR_USAGE and leaves the solver as before. After KAURI_NOT_POSITIVE_DEFINITE
/// the plan is kept, and kauri_solver_refactorize*() may follow. After any other failure the solver
/// has no factor, and no plan of an earlier matrix.
kauri_status kauri_solver_compute(kauri_solver* solver, const kauri_matrix* matrix);
/// Sets new values of A and factorises A + shift I. value: `entries` numbers, one for each entry of
/// the arrays from which the matrix of the last compute() was made, in their order, as for
/// kauri_matrix_set_values(). Plan and memory are reused.
kauri_status kauri_solver_refactorize(kauri_solver* solver, const void* value, int64_t entries,
                                      double shift);
/// Factorises A + shift I for a matrix of the pattern last computed. Another pattern is
/// KAURI_ERROR_USAGE, whose message names the first row or entry that differs; the solver is then
/// as before.
kauri_status kauri_solver_refactorize_matrix(kauri_solver* solver, const kauri_matrix* matrix,
                                             double shift);
/// Factorises A + shift I with the values last factorised; shift replaces the previous one.
/// KAURI_ERROR_USAGE if there are none, as before kauri_solver_compute() or after a factorisation
/// that failed with an error.
kauri_status kauri_solver_refactorize_shifted(kauri_solver* solver, double shift);
/// Solves A x = b for all columns of b and refines x. b is not changed; with b null, x holds b on
/// entry. Both have n rows and the same number of columns, in the host's memory; x must not overlap
/// b unless it is b itself. KAURI_ERROR_USAGE without a valid factor. Returns KAURI_NOT_CONVERGED,
/// with x written, if a backward error of kauri_solver_refinement() is above
/// sqrt(eps) of the scalar or is not finite, or, with mixed precision, if a column did not
/// converge. An error is not finite if b is not (the message names the entry of b), or if x or its
/// residual overflows. The status covers all columns together; kauri_backward_error() judges a
/// single one.
kauri_status kauri_solver_solve(kauri_solver* solver, const struct kauri_dense* b,
                                const struct kauri_dense* x);
/// Sets the kauri_cancel of all later calls, in place of that of the options; null for none. Once
/// it is requested, these calls end with KAURI_ERROR_CANCELLED; a cancelled kauri_solver_solve()
/// leaves b in x.
kauri_status kauri_solver_set_cancel(kauri_solver* solver, const kauri_cancel* cancel);

/// Returns the verdict of the last factorisation; KAURI_VERDICT_NONE if there was none or it ended
/// with an error. A refactorisation that is refused by KAURI_ERROR_USAGE leaves the verdict of the
/// one before.
kauri_status kauri_solver_verdict(const kauri_solver* solver, struct kauri_verdict* verdict);
/// Returns the refinement of the last solve: steps and backward errors.
kauri_status kauri_solver_refinement(const kauri_solver* solver,
                                     struct kauri_refinement* refinement);
/// Returns a new handle for the plan of the last compute(); the caller destroys it.
/// KAURI_ERROR_USAGE before the first compute().
kauri_status kauri_solver_plan(const kauri_solver* solver, kauri_plan** plan);
/// Returns the kauri_backend_kind of the last compute(). Before the first one: that of the device
/// if the options ask for it, else of the CPU.
kauri_status kauri_solver_backend_kind(const kauri_solver* solver, int32_t* kind);
/// Returns the report of the last calls, times of the phases and choices made, as one JSON object
/// on one line with a key for each member of kauri::SolverReport. Its columns are counted from 0.
kauri_status kauri_solver_report_json(const kauri_solver* solver, char* text, size_t capacity,
                                      size_t* needed);
/// Returns the report of the last calls as a few lines of plain text. Its columns are counted from
/// 0.
kauri_status kauri_solver_report_text(const kauri_solver* solver, char* text, size_t capacity,
                                      size_t* needed);

#ifdef __cplusplus
}
#endif
#endif
