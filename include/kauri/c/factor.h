// C: the factor L, solves with it, and what else can be had of it.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_FACTOR_H
#define KAURI_C_FACTOR_H

/// @file
/// C: the factor L, solves with it, and what else can be had of it. Include kauri/kauri.h, which has the rules for every call.

#include "kauri/c/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/// P A P^T = L L^T in double or float. Calls that take it as const may be made by several threads at a time, with a workspace each; the
/// others only while no call uses it.
typedef struct kauri_factor kauri_factor;
/// Scratch memory of solves on one factor at a time; one per thread or stream that solves: KAURI_ERROR_USAGE while another thread's call
/// is using it. Outlives what was enqueued with it.
typedef struct kauri_workspace kauri_workspace;

/// Takes the memory of a factor in that kauri_scalar, kauri_plan_peak_bytes() of it; not valid until it is filled. The plan was made for
/// that backend, else KAURI_ERROR_USAGE. KAURI_ERROR_MEMORY with the bytes asked for.
kauri_status kauri_factor_create(const kauri_plan* plan, const kauri_backend* backend, int32_t scalar, kauri_factor** factor);
/// Gives it back.
void kauri_factor_destroy(kauri_factor* factor);
/// Memory for up to nrhs >= 1 right-hand sides at once (more are done in blocks), where the factor is and in its scalar.
kauri_status kauri_workspace_create(const kauri_factor* factor, int32_t nrhs, kauri_workspace** workspace);
/// Gives it back.
void kauri_workspace_destroy(kauri_workspace* workspace);
/// What ends the factor's calls from here on with KAURI_ERROR_CANCELLED, once requested; null: nothing. A factor that was being filled is
/// not valid then, and what a solve was to write is anything.
kauri_status kauri_factor_set_cancel(kauri_factor* factor, const kauri_cancel* cancel);
/// Its kauri_scalar: of values, right-hand sides and solutions.
kauri_status kauri_factor_scalar(const kauri_factor* factor, int32_t* scalar);

/// Fills it with the factor of A + shift I. value: length nnz, told in `entries`, in the order of kauri_matrix_lower(), in that
/// kauri_memory (KAURI_DEVICE: of the factor's device). Allocates nothing. KAURI_NOT_POSITIVE_DEFINITE leaves it not valid: try a larger
/// shift. KAURI_ERROR_INPUT names a value that is not finite.
kauri_status kauri_factor_refactorize(kauri_factor* factor, const void* value, int64_t entries, int32_t memory, double shift);
/// The same with a matrix of the factor's scalar; another pattern than the plan's is KAURI_ERROR_USAGE.
kauri_status kauri_factor_refactorize_matrix(kauri_factor* factor, const kauri_matrix* matrix, double shift);
/// The last filling once more with another shift, after a breakdown or not: `value` in the host's memory, as in that call and unchanged
/// since. A device has these numbers already.
kauri_status kauri_factor_refactorize_shifted(kauri_factor* factor, const void* value, int64_t entries, double shift);
/// valid: 1 after a successful filling, else 0.
kauri_status kauri_factor_valid(const kauri_factor* factor, int32_t* valid);

/// How a factorisation ended.
enum kauri_verdict_status {
  KAURI_VERDICT_NONE = 0,                  ///< none has ended yet
  KAURI_VERDICT_POSITIVE_DEFINITE = 1,     ///< the factor is valid
  KAURI_VERDICT_NOT_POSITIVE_DEFINITE = 2  ///< column and pivot say where
};
/// What a factorisation came to. Columns are those of A, -1 where there is none.
struct kauri_verdict {
  size_t struct_size;       ///< set by KAURI_VERDICT_INIT
  int32_t status;           ///< kauri_verdict_status
  int32_t reserved;         ///< 0
  int64_t column;           ///< that failed; of several, the one that is eliminated first
  double pivot;             ///< met there before the square root: zero, negative, or not finite
  double smallest_pivot;    ///< the least L(j,j)^2; near zero beside A's diagonal where A is nearly singular
  int64_t smallest_column;  ///< its column
};
/// Begins a kauri_verdict.
#define KAURI_VERDICT_INIT \
  { sizeof(struct kauri_verdict), 0, 0, 0, 0, 0, 0 }
/// Of the last filling, as far as the host knows (see kauri_factor_fetch_verdict()).
kauri_status kauri_factor_verdict(const kauri_factor* factor, struct kauri_verdict* verdict);

/// What a call solves; x and b have A's numbering where A or P takes or gives it, else B's.
enum kauri_system {
  KAURI_SYSTEM_A = 0,   ///< A x = b
  KAURI_SYSTEM_B = 1,   ///< B x = b
  KAURI_SYSTEM_L = 2,   ///< L x = b
  KAURI_SYSTEM_LT = 3,  ///< L^T x = b
  KAURI_SYSTEM_P = 4,   ///< x = P b: x(k) = b(old_of(k))
  KAURI_SYSTEM_PT = 5   ///< x = P^T b: x(old_of(k)) = b(k)
};
/// Solves that kauri_system for all columns of b, which is kept and not overlapped by x; b null: x holds b on entry. Both have n rows and
/// as many columns, in the same memory; layouts may differ. Not refined, and its error not measured: kauri_factor_refine() does that.
/// KAURI_NOT_CONVERGED, with all of x written, where x in the host's memory has a NaN or an infinity, as b with one gives; of a device's x
/// nothing is told.
kauri_status kauri_factor_solve(const kauri_factor* factor, int32_t system, const struct kauri_dense* b, const struct kauri_dense* x,
                                kauri_workspace* workspace);
/// x = L b or x = L^T b, by KAURI_SYSTEM_L or KAURI_SYSTEM_LT, in B's numbering.
kauri_status kauri_factor_multiply(const kauri_factor* factor, int32_t system, const struct kauri_dense* b, const struct kauri_dense* x,
                                   kauri_workspace* workspace);

/// det(A), of the A + shift I last factorised, as kauri::determinant(): infinite or 0 where no double has it.
kauri_status kauri_factor_determinant(const kauri_factor* factor, double* determinant);
/// ln det(A), of the A + shift I last factorised.
kauri_status kauri_factor_log_determinant(const kauri_factor* factor, double* log_determinant);
/// The diagonal of L, in the factor's scalar, in the order of B. Length n, which is told in `length`.
kauri_status kauri_factor_diagonal(const kauri_factor* factor, void* diagonal, int64_t length);
/// L by compressed columns, copied: col_ptr of length n+1, row and value (in the factor's scalar) of length `*entries`, rows ascending, the
/// diagonal first. With col_ptr, row and value null only *entries is written. capacity: the length of row and value, at least *entries,
/// else KAURI_ERROR_USAGE. Zeros are among the entries where supernodes were merged ("analyze.amalgamate").
kauri_status kauri_factor_extract(const kauri_factor* factor, int64_t* col_ptr, int32_t* row, void* value, int64_t capacity,
                                  int64_t* entries);
/// The diagonal of the inverse of the A + shift I last factorised, in the factor's scalar and A's numbering. Length n, which is told in
/// `length`. For the time of the call it takes about as much memory as the factor, and twice its time.
kauri_status kauri_factor_inverse_diagonal(const kauri_factor* factor, void* diagonal, int64_t length);

/// Norms of A and its inverse.
struct kauri_condition {
  size_t struct_size;   ///< set by KAURI_CONDITION_INIT
  double norm;          ///< ||A||_1, exact
  double inverse_norm;  ///< ||A^-1||_1 is at least this, and seldom more than three times as large
  double condition;     ///< their product
};
/// Begins a kauri_condition.
#define KAURI_CONDITION_INIT \
  { sizeof(struct kauri_condition), 0, 0, 0 }
/// By a few solves with the factor of that matrix, which is not shifted.
kauri_status kauri_factor_condition(const kauri_factor* factor, const kauri_matrix* matrix, kauri_workspace* workspace,
                                    struct kauri_condition* condition);

/// How well x solves A x = b; the worst over the columns. NaN or infinite where x is not finite.
struct kauri_errors {
  size_t struct_size;    ///< set by KAURI_ERRORS_INIT
  double normwise;       ///< ||b - A x||_inf / (||A||_inf ||x||_inf + ||b||_inf)
  double componentwise;  ///< max_i |b - A x|_i / (|A||x| + |b|)_i
};
/// Begins a kauri_errors.
#define KAURI_ERRORS_INIT \
  { sizeof(struct kauri_errors), 0, 0 }
/// What refinement came to.
struct kauri_refinement {
  size_t struct_size;              ///< set by KAURI_REFINEMENT_INIT
  int32_t steps;                   ///< corrections made and kept
  int32_t tried;                   ///< corrections made
  double unrefined_normwise;       ///< kauri_errors of x as it came
  double unrefined_componentwise;  ///< the same
  double normwise;                 ///< kauri_errors of x as returned
  double componentwise;            ///< the same
  int64_t unconverged;             ///< with "precision" mixed: columns that are not to be taken for solutions; else 0
};
/// Begins a kauri_refinement.
#define KAURI_REFINEMENT_INIT \
  { sizeof(struct kauri_refinement), 0, 0, 0, 0, 0, 0, 0 }
/// Improves x, which came from kauri_factor_solve() of b, by the options "refine." and their cancel, or the factor's where
/// they have none. b is kept and not overlapped by x;
/// both in the host's memory. The matrix has the factor's scalar and pattern. refinement may be null. KAURI_NOT_CONVERGED, with all of it
/// written, where an error of x as returned is above sqrt(eps) of the scalar, or not finite.
kauri_status kauri_factor_refine(const kauri_factor* factor, const kauri_matrix* matrix, const kauri_options* options,
                                 const struct kauri_dense* b, const struct kauri_dense* x, kauri_workspace* workspace,
                                 struct kauri_refinement* refinement);
/// Of any x, computed by that backend; b and x in the matrix's scalar and the host's memory.
kauri_status kauri_backward_error(const kauri_matrix* matrix, const struct kauri_dense* x, const struct kauri_dense* b,
                                  const kauri_backend* backend, struct kauri_errors* error);

#ifdef __cplusplus
}
#endif
#endif
