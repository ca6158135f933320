// C: the symbolic phase, an ordering and a plan of all work and memory.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_PLAN_H
#define KAURI_C_PLAN_H

/// @file
/// C: the symbolic phase, an ordering and a plan of all work and memory. Include kauri/kauri.h,
/// which has the rules for every call.

#include "kauri/c/backend.h"
#include "kauri/c/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A plan: everything that factors of matrices with one pattern need except the values of A.
/// Read-only; factors share it.
typedef struct kauri_plan kauri_plan;

/// Orders and analyses the pattern of the matrix, for factors on `backend`; a null backend stands
/// for the CPU of this machine. Uses the options "ordering.*", "analyze.*" and "threads", and the
/// permutation, last rows, message callback and kauri_cancel of `options`. "analyze.target" auto
/// stands for the target of the backend, and "analyze.workers" 0 for its number of threads. Errors
/// are those of kauri::analyze() (kauri/core/analysis.hpp).
kauri_status kauri_plan_analyze(const kauri_matrix* matrix, const kauri_options* options,
                                const kauri_backend* backend, kauri_plan** plan);
/// Destroys the handle. Factors keep their plan alive.
void kauri_plan_destroy(kauri_plan* plan);

/// Sizes and costs of a plan. nnz_l and flops are exact for the entries of L, without padding; a
/// multiply-add is two operations.
struct kauri_plan_info {
  size_t struct_size;         ///< set by KAURI_PLAN_INFO_INIT
  int64_t n;                  ///< rows and columns of A
  int64_t nnz;                ///< entries of A's lower triangle
  int64_t nnz_l;              ///< entries of L, the diagonal included
  double flops;               ///< operations of a factorisation
  int64_t stored_entries;     ///< entries of L as stored, with padding and the upper halves of the
                              ///< pivot blocks
  double executed_flops;      ///< operations of a factorisation, padding included
  int64_t tree_height;        ///< columns on the longest path of the elimination tree
  int64_t largest_front;      ///< rows of the largest front
  int64_t supernodes;         ///< number of supernodes
  double predicted_factor_s;  ///< seconds of a factorisation in double on the plan's target
  double predicted_solve_s;   ///< seconds of a solve in double with one right-hand side
};
/// Initialises a kauri_plan_info.
#define KAURI_PLAN_INFO_INIT \
  { sizeof(struct kauri_plan_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/// Returns sizes and costs of the plan.
kauri_status kauri_plan_get_info(const kauri_plan* plan, struct kauri_plan_info* info);
/// Returns the bytes of L in that kauri_scalar.
kauri_status kauri_plan_factor_bytes(const kauri_plan* plan, int32_t scalar, int64_t* bytes);
/// Returns the bytes that kauri_factor_create() allocates: exact on the CPU; on a device with the
/// exceptions that kauri::Plan::peak_bytes() lists (kauri/core/plan.hpp).
kauri_status kauri_plan_peak_bytes(const kauri_plan* plan, int32_t scalar, int64_t* bytes);
/// Returns the bytes that kauri_workspace_create() allocates for nrhs >= 1 right-hand sides. On a
/// device this assumes a backend with "cuda.fast_solve" true and with the "cuda.solves_together" of
/// `options` (null: the default).
kauri_status kauri_plan_workspace_bytes(const kauri_plan* plan, const kauri_options* options,
                                        int32_t scalar, int32_t nrhs, int64_t* bytes);
/// Returns the ordering of the plan: "amd", "nd" ...; "given" for the caller's.
kauri_status kauri_plan_ordering(const kauri_plan* plan, char* text, size_t capacity,
                                 size_t* needed);
/// Returns the target that the plan was made for, see kauri_backend_target().
kauri_status kauri_plan_target(const kauri_plan* plan, char* text, size_t capacity, size_t* needed);
/// Returns one sentence that tells why this ordering was selected, with the figure that decided;
/// for a plan that was loaded, that nothing was ordered.
kauri_status kauri_plan_reason(const kauri_plan* plan, char* text, size_t capacity, size_t* needed);

/// Copies the permutation P to old_of, of `length` = n: row old_of[k] of A, counted from the
/// matrix's base, is eliminated k-th, so that B(k,l) = A(old_of[k], old_of[l]) with B = P A P^T.
kauri_status kauri_plan_permutation(const kauri_plan* plan, int32_t* old_of, int64_t length);
/// Copies the elimination tree of B to the caller's arrays of `length` = n, either of which may be
/// null: parent[j] > j, or -1 at a root; column_count[j], the entries of L(:,j), the diagonal
/// included and padding excluded.
kauri_status kauri_plan_tree(const kauri_plan* plan, int32_t* parent, int32_t* column_count,
                             int64_t length);

#ifdef __cplusplus
}
#endif
#endif
