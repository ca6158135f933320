// C: the factor L, solves with it, its determinant, entries, inverse diagonal and condition.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_FACTOR_H
#define KAURI_C_FACTOR_H

/// @file
/// C: the factor L, solves with it, its determinant, entries, inverse diagonal and condition.
/// Include kauri/kauri.h, which has the rules for every call.

#include "kauri/c/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A factor L of P A P^T = L L^T in double or float. Calls that take it as const may be made by
/// several threads at a time, with a workspace each; a call that takes it as non-const only while
/// no other call uses the factor.
typedef struct kauri_factor kauri_factor;
/// Scratch memory of solves, used by one call at a time; each thread or stream that solves needs
/// one. KAURI_ERROR_USAGE while another thread's call is using it. It must outlive all work that
/// was enqueued with it.
typedef struct kauri_workspace kauri_workspace;

/// Creates a factor in that kauri_scalar and allocates its memory, kauri_plan_peak_bytes(). The
/// factor is not valid until kauri_factor_refactorize*(). KAURI_ERROR_USAGE if the backend cannot
/// run the target of the plan; KAURI_ERROR_MEMORY, whose message names the bytes asked for.
kauri_status kauri_factor_create(const kauri_plan* plan, const kauri_backend* backend,
                                 int32_t scalar, kauri_factor** factor);
/// Destroys the factor.
void kauri_factor_destroy(kauri_factor* factor);
/// Creates a workspace on the factor's backend and in its scalar, for up to nrhs >= 1 right-hand
/// sides at once; a solve with more is done in blocks. It takes kauri_plan_workspace_bytes().
kauri_status kauri_workspace_create(const kauri_factor* factor, int32_t nrhs,
                                    kauri_workspace** workspace);
/// Destroys the workspace.
void kauri_workspace_destroy(kauri_workspace* workspace);
/// Sets the kauri_cancel of all later calls on the factor; null for none. Once it is requested,
/// these calls end with KAURI_ERROR_CANCELLED, except calls that enqueue and solves and products
/// with b and x in a device's memory, which ignore it. After a factorisation that was cancelled
/// when it had begun, the factor is not valid; the output of a cancelled solve is unspecified.
kauri_status kauri_factor_set_cancel(kauri_factor* factor, const kauri_cancel* cancel);
/// Returns the kauri_scalar of the factor, of its values, right-hand sides and solutions.
kauri_status kauri_factor_scalar(const kauri_factor* factor, int32_t* scalar);

/// Factorises A + shift I; allocates nothing. value: `entries` = nnz numbers of the factor's
/// scalar, in the order of kauri_matrix_lower(), in that kauri_memory (KAURI_DEVICE: the memory of
/// the factor's device). After KAURI_NOT_POSITIVE_DEFINITE the factor is not valid: try a larger
/// shift. KAURI_ERROR_INPUT names a value that is not finite; KAURI_ERROR_USAGE for another length.
kauri_status kauri_factor_refactorize(kauri_factor* factor, const void* value, int64_t entries,
                                      int32_t memory, double shift);
/// Factorises A + shift I as kauri_factor_refactorize() with the values of a matrix of the factor's
/// scalar. Another pattern than the plan's is KAURI_ERROR_USAGE.
kauri_status kauri_factor_refactorize_matrix(kauri_factor* factor, const kauri_matrix* matrix,
                                             double shift);
/// Repeats the last factorisation with another shift, which replaces the last one, after a
/// breakdown or not. value: the `entries` numbers of that factorisation, in the host's memory. A
/// factor on a device uses the copy of these numbers that it has kept. Errors are those of
/// kauri_factor_refactorize().
kauri_status kauri_factor_refactorize_shifted(kauri_factor* factor, const void* value,
                                              int64_t entries, double shift);
/// Sets *valid to 1 if the last factorisation succeeded, else to 0.
kauri_status kauri_factor_valid(const kauri_factor* factor, int32_t* valid);

/// Outcomes of a factorisation.
enum kauri_verdict_status {
  KAURI_VERDICT_NONE = 0,                  ///< no factorisation has ended, or its verdict was not
                                           ///< fetched yet
  KAURI_VERDICT_POSITIVE_DEFINITE = 1,     ///< the factor is valid
  KAURI_VERDICT_NOT_POSITIVE_DEFINITE = 2  ///< a pivot failed; the members column and pivot of
                                           ///< kauri_verdict tell which
};
/// Verdict of a factorisation. Columns are those of A, counted from the base of its matrix; -1
/// stands for no column. With KAURI_VERDICT_NONE only status means something.
struct kauri_verdict {
  size_t struct_size;     ///< set by KAURI_VERDICT_INIT
  int32_t status;         ///< kauri_verdict_status
  int32_t reserved;       ///< 0
  int64_t column;         ///< the column that failed; of several, the one that is eliminated first
  double pivot;           ///< pivot of `column` before the square root: zero, negative, or not
                          ///< finite
  double smallest_pivot;  ///< the least L(j,j)^2, or `pivot` after a breakdown; near zero relative
                          ///< to A's diagonal if A is nearly singular; infinite for n = 0
  int64_t smallest_column;  ///< the column of smallest_pivot; -1 for n = 0
};
/// Initialises a kauri_verdict.
#define KAURI_VERDICT_INIT \
  { sizeof(struct kauri_verdict), 0, 0, 0, 0, 0, 0 }
/// Returns the verdict of the last factorisation. Of a factor on a device it is KAURI_VERDICT_NONE
/// from kauri_factor_enqueue_refactorize() until kauri_factor_fetch_verdict().
kauri_status kauri_factor_verdict(const kauri_factor* factor, struct kauri_verdict* verdict);

/// Systems that a call solves. KAURI_SYSTEM_A takes b and returns x in A's numbering,
/// KAURI_SYSTEM_P takes b and KAURI_SYSTEM_PT returns x in A's numbering; all other vectors are in
/// B's.
enum kauri_system {
  KAURI_SYSTEM_A = 0,   ///< A x = b
  KAURI_SYSTEM_B = 1,   ///< B x = b
  KAURI_SYSTEM_L = 2,   ///< L x = b
  KAURI_SYSTEM_LT = 3,  ///< L^T x = b
  KAURI_SYSTEM_P = 4,   ///< x = P b: x(k) = b(old_of(k))
  KAURI_SYSTEM_PT = 5   ///< x = P^T b: x(old_of(k)) = b(k)
};
/// Solves the kauri_system `system` for all columns of b. b is unchanged and must not overlap x; if
/// b is null, x holds b on entry. Both have n rows and the same number of columns, and lie in the
/// same memory; their layouts may differ. x is neither refined nor its error measured:
/// kauri_factor_refine() does both. Returns KAURI_NOT_CONVERGED, with all of x written, if x in the
/// host's memory has a NaN or an infinity, as after a NaN or infinity in b; x in a device's memory
/// is not checked. KAURI_ERROR_USAGE if the factor is not valid, shapes do not fit, or the
/// workspace is of another scalar or plan.
kauri_status kauri_factor_solve(const kauri_factor* factor, int32_t system,
                                const struct kauri_dense* b, const struct kauri_dense* x,
                                kauri_workspace* workspace);
/// Computes x = L b (KAURI_SYSTEM_L) or x = L^T b (KAURI_SYSTEM_LT), in B's numbering; other
/// systems are KAURI_ERROR_USAGE. b and x as for kauri_factor_solve(); x is not checked for NaN.
kauri_status kauri_factor_multiply(const kauri_factor* factor, int32_t system,
                                   const struct kauri_dense* b, const struct kauri_dense* x,
                                   kauri_workspace* workspace);

/// Returns det(A + shift I) of the matrix last factorised, as kauri::determinant(): infinite or 0
/// if it is beyond the range of double. KAURI_ERROR_USAGE if the factor is not valid.
kauri_status kauri_factor_determinant(const kauri_factor* factor, double* determinant);
/// Returns ln det(A + shift I) of the matrix last factorised. KAURI_ERROR_USAGE if the factor is
/// not valid.
kauri_status kauri_factor_log_determinant(const kauri_factor* factor, double* log_determinant);
/// Copies the diagonal of L to diagonal: `length` = n numbers of the factor's scalar, in the order
/// of B. KAURI_ERROR_USAGE if the factor is not valid.
kauri_status kauri_factor_diagonal(const kauri_factor* factor, void* diagonal, int64_t length);
/// Copies L to the caller's arrays as compressed columns: col_ptr of length n+1, row and value (of
/// the factor's scalar) of length *entries, in each column rows ascending, the diagonal first. With
/// col_ptr, row and value null only *entries is written. capacity: the length of row and value;
/// less than *entries is KAURI_ERROR_USAGE, and so is a factor that is not valid. If supernodes
/// were merged ("analyze.amalgamate"), the entries include zeros.
kauri_status kauri_factor_extract(const kauri_factor* factor, int64_t* col_ptr, int32_t* row,
                                  void* value, int64_t capacity, int64_t* entries);
/// Computes the diagonal of the inverse of the A + shift I last factorised. diagonal: `length` = n
/// numbers of the factor's scalar, in A's numbering. The call allocates about as much memory as the
/// factor has, until it returns, and takes about twice the operations of a factorisation.
/// KAURI_ERROR_USAGE if the factor is not valid.
kauri_status kauri_factor_inverse_diagonal(const kauri_factor* factor, void* diagonal,
                                           int64_t length);

/// Norms of A and its inverse.
struct kauri_condition {
  size_t struct_size;   ///< set by KAURI_CONDITION_INIT
  double norm;          ///< ||A||_1, exact up to rounding
  double inverse_norm;  ///< ||A^-1||_1 is at least this, and seldom more than three times as large
  double condition;     ///< norm * inverse_norm
};
/// Initialises a kauri_condition.
#define KAURI_CONDITION_INIT \
  { sizeof(struct kauri_condition), 0, 0, 0 }
/// Estimates the condition of A by at most 11 solves with its factor. The factor must be valid and
/// that of `matrix` without a shift; another pattern or scalar is KAURI_ERROR_USAGE.
kauri_status kauri_factor_condition(const kauri_factor* factor, const kauri_matrix* matrix,
                                    kauri_workspace* workspace, struct kauri_condition* condition);

/// Backward errors of x as a solution of A x = b: the worst over the columns, NaN or infinite if x
/// is not finite.
struct kauri_errors {
  size_t struct_size;    ///< set by KAURI_ERRORS_INIT
  double normwise;       ///< ||b - A x||_inf / (||A||_inf ||x||_inf + ||b||_inf)
  double componentwise;  ///< max_i |b - A x|_i / (|A||x| + |b|)_i; for rows with a tiny denominator
                         ///< see kauri::BackwardError in kauri/solve/refinement.hpp
};
/// Initialises a kauri_errors.
#define KAURI_ERRORS_INIT \
  { sizeof(struct kauri_errors), 0, 0 }
/// Steps and backward errors of a refinement.
struct kauri_refinement {
  size_t struct_size;              ///< set by KAURI_REFINEMENT_INIT
  int32_t steps;                   ///< corrections made and kept
  int32_t tried;                   ///< corrections made, kept or not
  double unrefined_normwise;       ///< kauri_errors::normwise of x on entry
  double unrefined_componentwise;  ///< kauri_errors::componentwise of x on entry
  double normwise;                 ///< kauri_errors::normwise of x on return
  double componentwise;            ///< kauri_errors::componentwise of x on return
  int64_t unconverged;  ///< number of columns that did not converge with "precision" mixed; else 0
};
/// Initialises a kauri_refinement.
#define KAURI_REFINEMENT_INIT \
  { sizeof(struct kauri_refinement), 0, 0, 0, 0, 0, 0, 0 }
/// Refines x, on entry the solution by kauri_factor_solve() of b, with the options "refine.*" and
/// the kauri_cancel of `options`, else that of the factor. b is not changed and must not overlap x;
/// both lie in the host's memory. The matrix has the factor's scalar and pattern, else
/// KAURI_ERROR_USAGE. refinement may be null. Returns KAURI_NOT_CONVERGED, with x and *refinement
/// written, if an error of x on return is above sqrt(eps) of the scalar or is not finite.
kauri_status kauri_factor_refine(const kauri_factor* factor, const kauri_matrix* matrix,
                                 const kauri_options* options, const struct kauri_dense* b,
                                 const struct kauri_dense* x, kauri_workspace* workspace,
                                 struct kauri_refinement* refinement);
/// Computes on that backend the backward errors of any x as a solution of A x = b, with A the
/// matrix. b and x are of the matrix's scalar, in the host's memory, and have the same shape.
kauri_status kauri_backward_error(const kauri_matrix* matrix, const struct kauri_dense* x,
                                  const struct kauri_dense* b, const kauri_backend* backend,
                                  struct kauri_errors* error);

#ifdef __cplusplus
}
#endif
#endif
