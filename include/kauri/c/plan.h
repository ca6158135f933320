// C: the symbolic phase, an ordering and a plan of all work and memory.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_PLAN_H
#define KAURI_C_PLAN_H

/// @file
/// C: the symbolic phase, an ordering and a plan of all work and memory. Include kauri/kauri.h, which has the rules for every call.

#include "kauri/c/backend.h"
#include "kauri/c/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/// All that factors of one pattern need, and no number of A. Read-only; shared by its factors.
typedef struct kauri_plan kauri_plan;

/// Orders and analyses the pattern of the matrix, for factors on that backend; null: for this machine's CPU. By the options "ordering.",
/// "analyze." and "threads", the caller's permutation and last rows, messages and cancel. "analyze.target" and "analyze.workers" are the
/// backend's where they are "auto" and 0.
kauri_status kauri_plan_analyze(const kauri_matrix* matrix, const kauri_options* options, const kauri_backend* backend, kauri_plan** plan);
/// Gives it back.
void kauri_plan_destroy(kauri_plan* plan);

/// What a plan says of cost. Counts named nnz_l and flops are exact for the entries of L, without padding; a multiply-add is two
/// operations.
struct kauri_plan_info {
  size_t struct_size;         ///< set by KAURI_PLAN_INFO_INIT
  int64_t n;                  ///< rows and columns of A
  int64_t nnz;                ///< entries of A's lower triangle
  int64_t nnz_l;              ///< entries of L
  double flops;               ///< operations of a factorisation
  int64_t stored_entries;     ///< entries of L as stored, padding included
  double executed_flops;      ///< operations, padding included
  int64_t tree_height;        ///< columns on the longest path of the elimination tree
  int64_t largest_front;      ///< rows of the largest front
  int64_t supernodes;         ///< how many
  double predicted_factor_s;  ///< seconds of a factorisation in double on the plan's target
  double predicted_solve_s;   ///< seconds of a solve with one right-hand side
};
/// Begins a kauri_plan_info.
#define KAURI_PLAN_INFO_INIT \
  { sizeof(struct kauri_plan_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/// Sizes and costs.
kauri_status kauri_plan_get_info(const kauri_plan* plan, struct kauri_plan_info* info);
/// Bytes of L in that kauri_scalar.
kauri_status kauri_plan_factor_bytes(const kauri_plan* plan, int32_t scalar, int64_t* bytes);
/// Bytes that kauri_factor_create() takes: exactly those on the CPU, at most these on a device.
kauri_status kauri_plan_peak_bytes(const kauri_plan* plan, int32_t scalar, int64_t* bytes);
/// Bytes that kauri_workspace_create() takes for nrhs right-hand sides; on a device whose backend was made with the option
/// "cuda.solves_together" of these (null: as it is by default), and with "cuda.fast_solve".
kauri_status kauri_plan_workspace_bytes(const kauri_plan* plan, const kauri_options* options, int32_t scalar, int32_t nrhs, int64_t* bytes);
/// The ordering that was taken: "amd", "nd" ...; "given" for the caller's.
kauri_status kauri_plan_ordering(const kauri_plan* plan, char* text, size_t capacity, size_t* needed);
/// What it was made for: kauri_backend_target().
kauri_status kauri_plan_target(const kauri_plan* plan, char* text, size_t capacity, size_t* needed);
/// One sentence: why that ordering, with the figure.
kauri_status kauri_plan_reason(const kauri_plan* plan, char* text, size_t capacity, size_t* needed);

/// P: row old_of[k] of A, counted from the matrix's base, is eliminated k-th, B(k,l) = A(old_of(k), old_of(l)). Length n, which is told in
/// `length`.
kauri_status kauri_plan_permutation(const kauri_plan* plan, int32_t* old_of, int64_t length);
/// The elimination tree of B: parent[j] > j, or -1 at a root; column_count[j] entries of L(:,j), the diagonal included. Length n each,
/// which is told in `length`; either may be null.
kauri_status kauri_plan_tree(const kauri_plan* plan, int32_t* parent, int32_t* column_count, int64_t length);

#ifdef __cplusplus
}
#endif
#endif
