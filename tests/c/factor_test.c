// Factors: refactorisation, verdicts, solves of each system and refinement, against a naive dense
// factorisation.
// SPDX-License-Identifier: BSD-3-Clause
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

// A factor with the objects that it is made from.
typedef struct {
  kauri_matrix* matrix;
  kauri_backend* backend;
  kauri_plan* plan;
  kauri_factor* factor;
  kauri_workspace* workspace;
} Setup;

static Setup set_up(const System* s, int32_t base, int32_t scalar) {
  Setup u = {matrix_in(s, base, scalar), NULL, NULL, NULL, NULL};
  kauri_options* options = NULL;
  OK(kauri_options_create(&options));
  OK(kauri_options_set(options, "ordering.method", "amd"));
  OK(kauri_options_set_int(options, "threads", 2));
  OK(kauri_backend_create(options, &u.backend));
  OK(kauri_plan_analyze(u.matrix, options, u.backend, &u.plan));
  OK(kauri_factor_create(u.plan, u.backend, scalar, &u.factor));
  OK(kauri_workspace_create(u.factor, 4, &u.workspace));
  kauri_options_destroy(options);
  return u;
}

static void tear_down(Setup* u) {
  // Destroys in the order of creation: each object keeps what it was made from alive.
  kauri_matrix_destroy(u->matrix);
  kauri_backend_destroy(u->backend);
  kauri_plan_destroy(u->plan);
  kauri_factor_destroy(u->factor);
  kauri_workspace_destroy(u->workspace);
}

// Solves in double for five columns, in which column j holds j + 1 times b, with gaps and in both
// layouts.
static void blocks(const Setup* u, const System* s) {
  const int n = s->n, cols = 5;
  double *b = malloc((size_t)n * sizeof *b), *in = calloc((size_t)(n + 3) * 5, sizeof *in),
         *out = calloc((size_t)n * 9, sizeof *out);
  struct kauri_dense rhs = column_of(in, n), x = column_of(out, n);
  double most = 0;
  right_hand_side(s, b);
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < n; ++i) in[i + (n + 3) * j] = (j + 1) * b[i];
  rhs.cols = x.cols = cols, rhs.ld = n + 3, x.ld = 9, x.layout = KAURI_ROW_MAJOR;
  OK(kauri_factor_solve(u->factor, KAURI_SYSTEM_A, &rhs, &x, u->workspace));
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(out[i * 9 + j] - (j + 1) * (1 + i % 3)));
  CHECK(most <= 1e-10);
  CHECK(in[n + 3] == 2 * b[0]);  // b is unchanged
  free(b);
  free(in);
  free(out);
}

static void solves(int32_t base, int32_t scalar) {
  System s = random_system(40, 11);
  Setup u = set_up(&s, base, scalar);
  int32_t valid = -1, told = -1;
  double b[40], x[40];
  float narrow[40];
  struct kauri_dense dense = column_of(scalar == KAURI_FLOAT ? (void*)narrow : (void*)x, 40);
  OK(kauri_factor_scalar(u.factor, &told));
  CHECK(told == scalar);
  OK(kauri_factor_valid(u.factor, &valid));
  CHECK(valid == 0);
  MISUSE("not valid", kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, u.workspace));
  OK(kauri_factor_refactorize_matrix(u.factor, u.matrix, 0));
  OK(kauri_factor_valid(u.factor, &valid));
  CHECK(valid == 1);
  right_hand_side(&s, b);
  for (int i = 0; i < 40; ++i) x[i] = b[i], narrow[i] = (float)b[i];
  OK(kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, u.workspace));
  if (scalar == KAURI_FLOAT)
    for (int i = 0; i < 40; ++i) x[i] = narrow[i];
  CHECK(distance_from_solution(40, x) <= (scalar == KAURI_FLOAT ? 1e-4 : 1e-12));
  if (scalar == KAURI_DOUBLE) blocks(&u, &s);
  tear_down(&u);
  free_system(&s);
}

// Solves with P, L, L^T and P^T in turn have the bits of a solve with A; products with L^T and L
// undo a part of it.
static void systems(void) {
  static const int32_t steps[] = {KAURI_SYSTEM_P, KAURI_SYSTEM_L, KAURI_SYSTEM_LT, KAURI_SYSTEM_PT};
  System s = random_system(33, 2);
  Setup u = set_up(&s, 0, KAURI_DOUBLE);
  double b[33], whole[33], x[33], y[33], z[33];
  struct kauri_dense rhs = column_of(b, 33), to_whole = column_of(whole, 33),
                     to_x = column_of(x, 33), to_y = column_of(y, 33), to_z = column_of(z, 33);
  OK(kauri_factor_refactorize_matrix(u.factor, u.matrix, 0));
  right_hand_side(&s, b);
  memcpy(x, b, sizeof b);
  OK(kauri_factor_solve(u.factor, KAURI_SYSTEM_A, &rhs, &to_whole, u.workspace));
  for (int k = 0; k < 4; ++k) OK(kauri_factor_solve(u.factor, steps[k], NULL, &to_x, u.workspace));
  CHECK(memcmp(x, whole, sizeof x) == 0);
  OK(kauri_factor_multiply(u.factor, KAURI_SYSTEM_LT, &to_whole, &to_y, u.workspace));
  OK(kauri_factor_multiply(u.factor, KAURI_SYSTEM_L, &to_y, &to_z, u.workspace));
  OK(kauri_factor_solve(u.factor, KAURI_SYSTEM_B, NULL, &to_z, u.workspace));
  for (int i = 0; i < 33; ++i) CHECK(fabs(z[i] - whole[i]) <= 1e-12);
  MISUSE("multiply", kauri_factor_multiply(u.factor, KAURI_SYSTEM_A, &rhs, &to_x, u.workspace));
  MISUSE("system is 6, expected one of the constants of kauri.h",
         kauri_factor_solve(u.factor, 6, NULL, &to_x, u.workspace));
  tear_down(&u);
  free_system(&s);
}

// A NaN or an infinity in b reaches x, and the status reports it; on the host, in both layouts and
// scalars.
static void not_finite(void) {
  System s = random_system(33, 2);
  Setup u = set_up(&s, 0, KAURI_DOUBLE), v = set_up(&s, 0, KAURI_FLOAT);
  double b[66], x[2 * 35];
  float y[33];
  struct kauri_dense rhs = column_of(b, 33), to_x = column_of(x, 33), to_y;
  OK(kauri_factor_refactorize_matrix(u.factor, u.matrix, 0));
  OK(kauri_factor_refactorize_matrix(v.factor, v.matrix, 0));
  for (int i = 0; i < 66; ++i) b[i] = 1;
  rhs.cols = to_x.cols = 2;
  for (int by_rows = 0; by_rows < 2; ++by_rows) {
    to_x.layout = by_rows ? KAURI_ROW_MAJOR : KAURI_COLUMN_MAJOR, to_x.ld = by_rows ? 2 : 35;
    x[33] = NAN;  // between columns
    OK(kauri_factor_solve(u.factor, KAURI_SYSTEM_A, &rhs, &to_x, u.workspace));
    b[33 + 32] = INFINITY;
    x[0] = 7;
    FAILS(KAURI_NOT_CONVERGED, "of x (row, column, from 0) is",
          kauri_factor_solve(u.factor, KAURI_SYSTEM_A, &rhs, &to_x, u.workspace));
    CHECK(x[0] != 7 && isfinite(x[0]) && !isfinite(by_rows ? x[2 * 32 + 1] : x[35 + 32]));
    FAILS(KAURI_NOT_CONVERGED, "entry (32, 1) of x (row, column, from 0) is",
          kauri_factor_solve(u.factor, KAURI_SYSTEM_L, &rhs, &to_x, u.workspace));
    b[33 + 32] = 1;
  }
  for (int i = 0; i < 33; ++i) y[i] = i == 5 ? NAN : 1;
  to_y = column_of(x, 33), to_y.data = y;
  FAILS(KAURI_NOT_CONVERGED, "is nan",
        kauri_factor_solve(v.factor, KAURI_SYSTEM_A, NULL, &to_y, v.workspace));
  tear_down(&u);
  tear_down(&v);
  free_system(&s);
}

static void misuse(void) {
  System s = random_system(12, 9);
  Setup u = set_up(&s, 0, KAURI_DOUBLE), other = set_up(&s, 0, KAURI_FLOAT);
  double x[13] = {0};
  kauri_workspace* none = NULL;
  struct kauri_dense dense = column_of(x, 12);
  OK(kauri_factor_refactorize_matrix(u.factor, u.matrix, 0));
  MISUSE("x is null", kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, NULL, u.workspace));
  MISUSE("workspace is null", kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, NULL));
  MISUSE("the workspace has another scalar type",
         kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, other.workspace));
  MISUSE("the matrix has another scalar type",
         kauri_factor_refactorize_matrix(u.factor, other.matrix, 0));
  MISUSE("11 values, the pattern has", kauri_factor_refactorize(u.factor, x, 11, KAURI_HOST, 0));
  MISUSE("values are marked as device memory",
         kauri_factor_refactorize(u.factor, x, 12, KAURI_DEVICE, 0));
  MISUSE("memory is 2", kauri_factor_refactorize(u.factor, x, 12, 2, 0));
  MISUSE("the shift is", kauri_factor_refactorize_matrix(u.factor, u.matrix, INFINITY));
  MISUSE("shift is 1e+300, too large for float",
         kauri_factor_refactorize_matrix(other.factor, other.matrix, 1e300));
  MISUSE("nrhs is 0", kauri_workspace_create(u.factor, 0, &none));
  CHECK(none == NULL);
  dense.rows = 11;
  MISUSE("x has 11 rows, A has 12",
         kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, u.workspace));
  dense.rows = 12, dense.cols = 3,
  dense.ld = (int64_t)1 << 60;  // exceeds any possible leading dimension
  MISUSE("x: leading dimension 1152921504606846976",
         kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, u.workspace));
  dense.cols = 1;
  OK(kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense,
                        u.workspace));  // a single column does not use ld
  dense.ld = 11;
  MISUSE("leading dimension 11",
         kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, u.workspace));
  dense.ld = 12, dense.data = NULL;
  MISUSE("x is null", kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, u.workspace));
  dense.data = x, dense.memory = KAURI_DEVICE;
  MISUSE("the factor is on the CPU",
         kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, u.workspace));
  dense.memory = 9;
  MISUSE("memory is 9", kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, u.workspace));
  dense.memory = KAURI_HOST, dense.layout = 2;
  MISUSE("layout is 2", kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, u.workspace));
  dense.layout = KAURI_COLUMN_MAJOR, dense.rows = (int64_t)1 << 31;
  MISUSE("rows", kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, u.workspace));
  dense.struct_size = 1;
  MISUSE("x: struct_size is 1",
         kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, u.workspace));
  dense = column_of(x, 12);
  MISUSE("in the host's memory, expected on a device",
         kauri_factor_enqueue_solve(u.factor, KAURI_SYSTEM_A, NULL, &dense, u.workspace, NULL));
  tear_down(&u);
  tear_down(&other);
  free_system(&s);
}

// Column 5 alone fails, and is reported in the caller's numbering; a shift makes the matrix
// positive definite; a NaN is an input error instead.
static void indefinite(int32_t base, int32_t scalar) {
  System s = random_system(12, 4);
  const int64_t* col_ptr = NULL;
  const void* value = NULL;
  int64_t nnz = 0;
  struct kauri_verdict verdict = KAURI_VERDICT_INIT;
  for (int i = 0; i < 12; ++i) s.a[5 + 12 * i] = s.a[i + 12 * 5] = i == 5 ? -3 : 0;
  Setup u = set_up(&s, base, scalar);
  OK(kauri_factor_verdict(u.factor, &verdict));
  CHECK(verdict.status == KAURI_VERDICT_NONE && verdict.column == -1);
  FAILS(KAURI_NOT_POSITIVE_DEFINITE,
        base == 1 ? "column 6 met the pivot -3" : "column 5 met the pivot -3",
        kauri_factor_refactorize_matrix(u.factor, u.matrix, 0));
  OK(kauri_factor_verdict(u.factor, &verdict));
  CHECK(verdict.status == KAURI_VERDICT_NOT_POSITIVE_DEFINITE && verdict.column == 5 + base &&
        verdict.pivot == -3);
  OK(kauri_matrix_lower(u.matrix, &col_ptr, NULL, &value));
  OK(kauri_matrix_nnz(u.matrix, &nnz));
  OK(kauri_factor_refactorize_shifted(u.factor, value, nnz, 3.5));
  OK(kauri_factor_verdict(u.factor, &verdict));
  CHECK(verdict.status == KAURI_VERDICT_POSITIVE_DEFINITE && verdict.column == -1);
  CHECK(fabs(verdict.smallest_pivot - 0.5) < 1e-6 && verdict.smallest_column == 5 + base);
  OK(kauri_factor_refactorize(u.factor, value, nnz, KAURI_HOST, 4));
  double* broken = malloc((size_t)nnz * sizeof *broken);
  memcpy(broken, value, (size_t)nnz * (scalar == KAURI_FLOAT ? sizeof(float) : sizeof(double)));
  if (scalar == KAURI_FLOAT)
    ((float*)broken)[col_ptr[2]] = (float)NAN;
  else
    broken[col_ptr[2]] = NAN;
  FAILS(KAURI_ERROR_INPUT,
        base == 1 ? "(2, 2), is nan, expected a finite number (rows and columns counted from 0)"
                  : "(2, 2), is nan",
        kauri_factor_refactorize(u.factor, broken, nnz, KAURI_HOST, 4));
  free(broken);
  tear_down(&u);
  free_system(&s);
}

static void refinement(int32_t scalar) {
  System s = grid_system(9);
  Setup u = set_up(&s, 0, scalar);
  double b[81], x[81];
  float narrow_b[81], narrow_x[81];
  const double eps = scalar == KAURI_FLOAT ? FLT_EPSILON : DBL_EPSILON;
  struct kauri_dense rhs = column_of(scalar == KAURI_FLOAT ? (void*)narrow_b : (void*)b, 81);
  struct kauri_dense to = column_of(scalar == KAURI_FLOAT ? (void*)narrow_x : (void*)x, 81);
  struct kauri_refinement done = KAURI_REFINEMENT_INIT;
  struct kauri_errors errors = KAURI_ERRORS_INIT;
  struct kauri_condition condition = KAURI_CONDITION_INIT;
  OK(kauri_factor_refactorize_matrix(u.factor, u.matrix, 0));
  for (int i = 0; i < 81; ++i)
    b[i] = 1.0 / (i + 3), x[i] = 0, narrow_b[i] = (float)b[i], narrow_x[i] = 0;
  OK(kauri_factor_refine(u.factor, u.matrix, NULL, &rhs, &to, u.workspace, &done));  // starts from
                                                                                     // x = 0
  CHECK(done.steps >= 1 && done.tried >= done.steps && done.unrefined_componentwise == 1);
  CHECK(done.componentwise <= 4 * eps && done.normwise <= done.componentwise &&
        done.unconverged == 0);
  OK(kauri_backward_error(u.matrix, &to, &rhs, u.backend, &errors));
  CHECK(errors.componentwise == done.componentwise && errors.normwise == done.normwise);
  OK(kauri_factor_refine(u.factor, u.matrix, NULL, &rhs, &to, u.workspace, NULL));
  MISUSE("x overlaps b",
         kauri_factor_refine(u.factor, u.matrix, NULL, &rhs, &rhs, u.workspace, &done));
  MISUSE("b is null", kauri_factor_refine(u.factor, u.matrix, NULL, NULL, &to, u.workspace, &done));
  MISUSE("error is null", kauri_backward_error(u.matrix, &to, &rhs, u.backend, NULL));
  OK(kauri_factor_condition(u.factor, u.matrix, u.workspace, &condition));
  CHECK(condition.norm == 8 && condition.inverse_norm > 1 &&
        condition.condition == condition.norm * condition.inverse_norm);
  tear_down(&u);
  free_system(&s);
}

static void smallest(void) {
  double one = 5, x = 10;
  System none = {0, NULL}, single = {1, &one};
  struct kauri_dense nothing = column_of(NULL, 0), dense = column_of(&x, 1);
  Setup u = set_up(&none, 1, KAURI_DOUBLE), v = set_up(&single, 1, KAURI_DOUBLE);
  struct kauri_verdict verdict = KAURI_VERDICT_INIT;
  OK(kauri_factor_refactorize_matrix(u.factor, u.matrix, 0));
  OK(kauri_factor_verdict(u.factor, &verdict));
  CHECK(verdict.status == KAURI_VERDICT_POSITIVE_DEFINITE && verdict.smallest_column == -1);
  OK(kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &nothing, u.workspace));
  OK(kauri_factor_refactorize_matrix(v.factor, v.matrix, 0));
  OK(kauri_factor_solve(v.factor, KAURI_SYSTEM_A, NULL, &dense, v.workspace));
  CHECK(fabs(x - 2) <= 1e-15);
  FAILS(KAURI_NOT_POSITIVE_DEFINITE, "column 1 met the pivot -1",
        kauri_factor_refactorize_matrix(v.factor, v.matrix, -6));
  MISUSE("workspace was made for another plan",
         kauri_factor_solve(u.factor, KAURI_SYSTEM_A, NULL, &nothing, v.workspace));
  tear_down(&u);
  tear_down(&v);
}

// On the CPU, whose stream is null, enqueued work is done when the call returns.
static void enqueued(void) {
  System s = random_system(12, 6);
  Setup u = set_up(&s, 1, KAURI_DOUBLE);
  const void* value = NULL;
  int64_t nnz = 0;
  double there = 0;
  struct kauri_verdict verdict = KAURI_VERDICT_INIT;
  OK(kauri_matrix_lower(u.matrix, NULL, NULL, &value));
  OK(kauri_matrix_nnz(u.matrix, &nnz));
  OK(kauri_factor_enqueue_refactorize(u.factor, value, nnz, 0, NULL));
  OK(kauri_factor_fetch_verdict(u.factor, NULL, &verdict));
  CHECK(verdict.status == KAURI_VERDICT_POSITIVE_DEFINITE);
  OK(kauri_factor_enqueue_refactorize(u.factor, value, nnz, -1e3, NULL));
  FAILS(KAURI_NOT_POSITIVE_DEFINITE, "not positive definite: column ",
        kauri_factor_fetch_verdict(u.factor, NULL, NULL));
  MISUSE("", kauri_factor_enqueue_refactorize(u.factor, value, nnz, 0, &there));
  OK(kauri_factor_refactorize_after(u.factor, value, nnz, 0, NULL));
  FAILS(KAURI_NOT_POSITIVE_DEFINITE, "not positive definite: column ",
        kauri_factor_refactorize_after(u.factor, value, nnz, -1e3, NULL));
  MISUSE("a factor on the CPU has no streams",
         kauri_factor_refactorize_after(u.factor, value, nnz, 0, &there));
  MISUSE("values, the pattern has",
         kauri_factor_refactorize_after(u.factor, value, nnz - 1, 0, NULL));
  MISUSE("the factor is on the CPU",
         kauri_factor_enqueue_log_determinant(u.factor, &there, u.workspace, NULL));
  tear_down(&u);
  free_system(&s);
}

void test_factor(void) {
  for (int32_t base = 0; base <= 1; ++base)
    for (int32_t scalar = KAURI_DOUBLE; scalar <= KAURI_FLOAT; ++scalar) {
      solves(base, scalar);
      indefinite(base, scalar);
    }
  systems();
  not_finite();
  misuse();
  refinement(KAURI_DOUBLE);
  refinement(KAURI_FLOAT);
  smallest();
  enqueued();
}
