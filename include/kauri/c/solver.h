// C: the everyday door, one object from matrix to refined solution.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_SOLVER_H
#define KAURI_C_SOLVER_H

/// @file
/// C: the everyday door, one object from matrix to refined solution. Include kauri/kauri.h, which has the rules for every call.

#include "kauri/c/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Analyses, factorises, solves and refines; keeps a copy of A. One call at a time: while one that takes it without const is under way,
/// another such call is KAURI_ERROR_USAGE and changes nothing. Threads that solve at a time take a kauri_factor, with a workspace each.
typedef struct kauri_solver kauri_solver;

/// For matrices of that kauri_scalar; computes nothing yet. KAURI_ERROR_DEVICE where the device asked for is not there.
kauri_status kauri_solver_create(const kauri_options* options, int32_t scalar, kauri_solver** solver);
/// Gives it back.
void kauri_solver_destroy(kauri_solver* solver);

/// Orders, analyses and factorises A. After KAURI_NOT_POSITIVE_DEFINITE the other fillings go on from there; after a failure there is no
/// factor and no plan of an earlier matrix either.
kauri_status kauri_solver_compute(kauri_solver* solver, const kauri_matrix* matrix);
/// New values of the entries that the matrix last computed was made of, in their order (kauri_matrix_set_values()), and the factor of
/// A + shift I; `entries`: how many they are. Plan and memory are reused.
kauri_status kauri_solver_refactorize(kauri_solver* solver, const void* value, int64_t entries, double shift);
/// The same with a matrix; another pattern than that last computed is KAURI_ERROR_USAGE that names the first entry that differs.
kauri_status kauri_solver_refactorize_matrix(kauri_solver* solver, const kauri_matrix* matrix, double shift);
/// The values last factorised once more with another shift in place of theirs.
kauri_status kauri_solver_refactorize_shifted(kauri_solver* solver, double shift);
/// A x = b for all columns of b, which is kept, refined; b null: x holds b on entry. Both have n rows and as many columns, in the host's
/// memory. KAURI_NOT_CONVERGED, with x written, where an error of kauri_solver_refinement() is above sqrt(eps) of the scalar (with mixed
/// precision: where a column did not converge), or not finite, since b is not, or x or its residual overflows: the message names the entry
/// of b. Columns are judged together, and may be told apart by kauri_backward_error().
kauri_status kauri_solver_solve(kauri_solver* solver, const struct kauri_dense* b, const struct kauri_dense* x);
/// What ends the calls from here on with KAURI_ERROR_CANCELLED, once requested, in place of that of the options; null: nothing. solve()
/// then leaves b in x.
kauri_status kauri_solver_set_cancel(kauri_solver* solver, const kauri_cancel* cancel);

/// Of the last filling.
kauri_status kauri_solver_verdict(const kauri_solver* solver, struct kauri_verdict* verdict);
/// Of the last solve.
kauri_status kauri_solver_refinement(const kauri_solver* solver, struct kauri_refinement* refinement);
/// The plan of the last compute(): a handle of the caller's, to be destroyed.
kauri_status kauri_solver_plan(const kauri_solver* solver, kauri_plan** plan);
/// Where the last compute() was done, or would be: a kauri_backend_kind.
kauri_status kauri_solver_backend_kind(const kauri_solver* solver, int32_t* kind);
/// What each phase of the last calls took, and what was chosen, as one JSON object on one line: a key for each member of
/// kauri::SolverReport. Columns in it are counted from 0.
kauri_status kauri_solver_report_json(const kauri_solver* solver, char* text, size_t capacity, size_t* needed);
/// The same in a few lines for people. Columns in it are counted from 0.
kauri_status kauri_solver_report_text(const kauri_solver* solver, char* text, size_t capacity, size_t* needed);

#ifdef __cplusplus
}
#endif
#endif
