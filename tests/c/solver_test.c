// kauri_solver, the high-level interface: reports, messages, shifts, other patterns and mixed
// precision.
// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static kauri_solver* solver_of(kauri_options* options, int32_t scalar) {
  kauri_solver* solver = NULL;
  OK(kauri_solver_create(options, scalar, &solver));
  return solver;
}

// Returns the report as JSON, in memory that the caller frees.
static char* json_of(const kauri_solver* solver) {
  size_t needed = 0;
  OK(kauri_solver_report_json(solver, NULL, 0, &needed));
  char* text = malloc(needed);
  OK(kauri_solver_report_json(solver, text, needed, NULL));
  CHECK(strlen(text) + 1 == needed);
  return text;
}

static void reports(const kauri_solver* solver) {
  char *json = json_of(solver), text[4096] = "";
  kauri_plan* plan = NULL;
  int32_t kind = -1;
  struct kauri_plan_info info = KAURI_PLAN_INFO_INIT;
  CHECK(json[0] == '{' && strstr(json, "\"nnz_l\":") != NULL);
  OK(kauri_solver_report_text(solver, text, sizeof text, NULL));
  CHECK(strlen(text) > 0);
  OK(kauri_solver_plan(solver, &plan));
  OK(kauri_plan_get_info(plan, &info));
  CHECK(info.n == 30);
  OK(kauri_solver_backend_kind(solver, &kind));
  CHECK(kind == KAURI_BACKEND_CPU);
  kauri_plan_destroy(plan);
  free(json);
}

static void copy_numbers(int n, int32_t scalar, const double* from, void* to) {
  for (int i = 0; i < n; ++i) {
    if (scalar == KAURI_FLOAT)
      ((float*)to)[i] = (float)from[i];
    else
      ((double*)to)[i] = from[i];
  }
}

static double far_from_solution(int n, int32_t scalar, const void* x) {
  double wide[64];
  for (int i = 0; i < n; ++i)
    wide[i] = scalar == KAURI_FLOAT ? ((const float*)x)[i] : ((const double*)x)[i];
  return distance_from_solution(n, wide);
}

static void whole_job(int32_t base, int32_t scalar) {
  System s = random_system(30, 21);
  kauri_options* options = NULL;
  OK(kauri_options_create(&options));
  OK(kauri_options_set(options, "backend", "cpu"));
  kauri_matrix* matrix = matrix_in(&s, base, scalar);
  kauri_solver* solver = solver_of(options, scalar);
  double b[30], in[30], out[30];
  struct kauri_dense rhs = column_of(in, 30), x = column_of(out, 30);
  struct kauri_refinement refinement = KAURI_REFINEMENT_INIT;
  struct kauri_verdict verdict = KAURI_VERDICT_INIT;
  kauri_plan* plan = NULL;
  kauri_options_destroy(options);
  MISUSE("call compute() first", kauri_solver_solve(solver, &rhs, &x));
  MISUSE("call compute() first", kauri_solver_refactorize(solver, in, 30, 0));
  MISUSE("call compute() first", kauri_solver_refactorize_matrix(solver, matrix, 0));
  MISUSE("no values were factorised", kauri_solver_refactorize_shifted(solver, 1));
  MISUSE("call compute() first", kauri_solver_plan(solver, &plan));
  OK(kauri_solver_verdict(solver, &verdict));
  CHECK(verdict.status == KAURI_VERDICT_NONE && plan == NULL);
  OK(kauri_solver_compute(solver, matrix));
  kauri_matrix_destroy(matrix);
  right_hand_side(&s, b);
  copy_numbers(30, scalar, b, in);
  OK(kauri_solver_solve(solver, &rhs, &x));
  CHECK(far_from_solution(30, scalar, out) <= (scalar == KAURI_FLOAT ? 1e-4 : 1e-12));
  OK(kauri_solver_refinement(solver, &refinement));
  CHECK(refinement.componentwise <= (scalar == KAURI_FLOAT ? 5e-7 : 1e-15) &&
        refinement.unconverged == 0);
  OK(kauri_solver_solve(solver, NULL, &rhs));  // in place
  CHECK(memcmp(in, out, 30 * (scalar == KAURI_FLOAT ? sizeof(float) : sizeof(double))) == 0);
  OK(kauri_solver_verdict(solver, &verdict));
  CHECK(verdict.status == KAURI_VERDICT_POSITIVE_DEFINITE && verdict.smallest_pivot > 0);
  CHECK(verdict.smallest_column >= base && verdict.smallest_column < 30 + base);
  reports(solver);
  kauri_solver_destroy(solver);
  free_system(&s);
}

// Refactorises with values in the caller's order: both halves, by rows, counted from 1.
static void new_values(void) {
  System s = random_system(30, 22);
  Arrays arrays = arrays_of(&s, KAURI_FULL, KAURI_ROWS, 1, KAURI_INT64, KAURI_INT32, KAURI_DOUBLE);
  kauri_matrix* matrix = NULL;
  kauri_solver* solver = solver_of(NULL, KAURI_DOUBLE);
  double b[30], x[30];
  struct kauri_dense to = column_of(x, 30);
  OK(kauri_matrix_from_compressed(&arrays.view, &matrix));
  OK(kauri_solver_compute(solver, matrix));
  for (int k = 0; k < 900; ++k) s.a[k] *= 4;
  for (int64_t k = 0; k < arrays.view.entries; ++k) ((double*)arrays.value)[k] *= 4;
  OK(kauri_solver_refactorize(solver, arrays.value, arrays.view.entries, 0));
  right_hand_side(&s, b);
  memcpy(x, b, sizeof b);
  OK(kauri_solver_solve(solver, NULL, &to));
  CHECK(distance_from_solution(30, x) <= 1e-12);
  // Factorises A + 2 I, by a shift and by a matrix.
  for (int i = 0; i < 30; ++i) s.a[31 * i] += 2;
  right_hand_side(&s, b);
  OK(kauri_solver_refactorize_shifted(solver, 2));
  memcpy(x, b, sizeof b);
  OK(kauri_solver_solve(solver, NULL, &to));
  CHECK(distance_from_solution(30, x) <= 1e-12);
  kauri_matrix* shifted = matrix_of(&s, 0);
  OK(kauri_solver_refactorize_matrix(solver, shifted, 0));
  memcpy(x, b, sizeof b);
  OK(kauri_solver_solve(solver, NULL, &to));
  CHECK(distance_from_solution(30, x) <= 1e-12);
  MISUSE("entries is 1, expected", kauri_solver_refactorize(solver, arrays.value, 1, 0));
  MISUSE("shift is", kauri_solver_refactorize_shifted(solver, INFINITY));
  OK(kauri_solver_solve(solver, NULL, &to));  // the rejected calls changed nothing
  kauri_matrix_destroy(shifted);
  kauri_matrix_destroy(matrix);
  kauri_solver_destroy(solver);
  free_arrays(&arrays);
  free_system(&s);
}

static void indefinite(int32_t base) {
  System s = random_system(30, 23);
  for (int i = 0; i < 30; ++i) s.a[17 + 30 * i] = s.a[i + 30 * 17] = i == 17 ? -2 : 0;
  kauri_matrix* matrix = matrix_of(&s, base);
  kauri_solver* solver = solver_of(NULL, KAURI_DOUBLE);
  struct kauri_verdict verdict = KAURI_VERDICT_INIT;
  double x[30] = {0};
  struct kauri_dense to = column_of(x, 30);
  FAILS(KAURI_NOT_POSITIVE_DEFINITE,
        base == 1 ? "column 18 met the pivot -2" : "column 17 met the pivot -2",
        kauri_solver_compute(solver, matrix));
  OK(kauri_solver_verdict(solver, &verdict));
  CHECK(verdict.status == KAURI_VERDICT_NOT_POSITIVE_DEFINITE && verdict.column == 17 + base &&
        verdict.pivot == -2);
  MISUSE("not valid", kauri_solver_solve(solver, NULL, &to));
  OK(kauri_solver_refactorize_shifted(solver, 3));
  OK(kauri_solver_verdict(solver, &verdict));
  CHECK(verdict.status == KAURI_VERDICT_POSITIVE_DEFINITE && verdict.column == -1);
  // Another pattern is rejected and leaves the solver unchanged; a NaN is named, and leaves the
  // solver without a factor.
  s.a[3 + 30 * 17] = s.a[17 + 30 * 3] = 0.5;
  kauri_matrix *other = matrix_of(&s, base), *broken = NULL;
  MISUSE(
      base == 1 ? "entry (17, 3) is new (rows and columns counted from 0)" : "entry (17, 3) is new",
      kauri_solver_refactorize_matrix(solver, other, 3));
  OK(kauri_solver_verdict(solver, &verdict));
  CHECK(verdict.status == KAURI_VERDICT_POSITIVE_DEFINITE);
  OK(kauri_solver_solve(solver, NULL, &to));
  s.a[3 + 30 * 17] = s.a[17 + 30 * 3] = 0;
  s.a[4 + 30 * 4] = NAN;
  broken = matrix_of(&s, base);
  FAILS(KAURI_ERROR_INPUT, "(4, 4) of A (row, column, from 0) is nan",
        kauri_solver_refactorize_matrix(solver, broken, 3));
  OK(kauri_solver_verdict(solver, &verdict));
  CHECK(verdict.status == KAURI_VERDICT_NONE);
  kauri_matrix_destroy(other);
  kauri_matrix_destroy(broken);
  kauri_matrix_destroy(matrix);
  kauri_solver_destroy(solver);
  free_system(&s);
}

static void blocks_and_misuse(void) {
  System s = random_system(10, 24);
  kauri_matrix *matrix = matrix_of(&s, 0), *narrow = matrix_in(&s, 0, KAURI_FLOAT);
  kauri_solver *solver = solver_of(NULL, KAURI_DOUBLE), *none = NULL;
  double b[10], in[3 * 10], out[3 * 12];
  struct kauri_dense rhs = column_of(in, 10), x = column_of(out, 10);
  OK(kauri_solver_compute(solver, matrix));
  right_hand_side(&s, b);
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 3; ++j) in[3 * i + j] = (j + 1) * b[i];
  rhs.cols = x.cols = 3, rhs.ld = 3, rhs.layout = KAURI_ROW_MAJOR, x.ld = 12;
  OK(kauri_solver_solve(solver, &rhs, &x));
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 3; ++j) CHECK(fabs(out[i + 12 * j] - (j + 1) * (1 + i % 3)) <= 1e-12);
  MISUSE("the matrix has another scalar type", kauri_solver_compute(solver, narrow));
  MISUSE("matrix is null", kauri_solver_compute(solver, NULL));
  x.cols = 2;
  MISUSE("b has 3 columns, x has 2", kauri_solver_solve(solver, &rhs, &x));
  x.cols = 3, x.data = in, x.ld = 10;
  MISUSE("overlaps", kauri_solver_solve(solver, &rhs, &x));
  x.data = out, x.memory = KAURI_DEVICE;
  MISUSE("not in the same memory", kauri_solver_solve(solver, &rhs, &x));
  MISUSE("are on a device", kauri_solver_solve(solver, NULL, &x));
  MISUSE("scalar is 5", kauri_solver_create(NULL, 5, &none));
  kauri_options* options = NULL;
  OK(kauri_options_create(&options));
  OK(kauri_options_set(options, "precision", "auto"));
  kauri_solver* automatic = solver_of(options, KAURI_FLOAT);
  kauri_solver_destroy(automatic);
  automatic = solver_of(options, KAURI_DOUBLE);
  OK(kauri_solver_compute(automatic, matrix));
  char* json = json_of(automatic);
  CHECK(strstr(json, "\"precision_reason\": \"") != NULL);
  free(json);
  kauri_solver_destroy(automatic);
  OK(kauri_options_set(options, "precision", "mixed"));
  MISUSE("mixed precision is for systems in double",
         kauri_solver_create(options, KAURI_FLOAT, &none));
  CHECK(none == NULL);
  kauri_solver* mixed = solver_of(options, KAURI_DOUBLE);
  OK(kauri_solver_compute(mixed, matrix));
  rhs = column_of(b, 10);
  OK(kauri_solver_solve(mixed, NULL, &rhs));
  CHECK(distance_from_solution(10, b) <= 1e-12);
  kauri_solver_destroy(mixed);
  kauri_options_destroy(options);
  kauri_matrix_destroy(matrix);
  kauri_matrix_destroy(narrow);
  kauri_solver_destroy(solver);
  free_system(&s);
}

// A solution that is not finite is reported by the status, and x is still written.
static void no_solutions(const char* precision, int32_t scalar) {
  System s = random_system(12, 26);
  kauri_matrix* matrix = matrix_in(&s, 1, scalar);
  kauri_options* options = NULL;
  OK(kauri_options_create(&options));
  OK(kauri_options_set(options, "precision", precision));
  kauri_solver* solver = solver_of(options, scalar);
  OK(kauri_solver_compute(solver, matrix));
  const double wrong[] = {NAN, INFINITY, -INFINITY};
  double b[12], in[24], out[24], first[12];
  struct kauri_dense rhs = column_of(in, 12), x = column_of(out, 12);
  struct kauri_refinement refinement = KAURI_REFINEMENT_INIT;
  const size_t size = scalar == KAURI_FLOAT ? sizeof(float) : sizeof(double);
  right_hand_side(&s, b);
  copy_numbers(12, scalar, b, in);
  OK(kauri_solver_solve(solver, &rhs, &x));
  memcpy(first, out, 12 * size);
  for (int k = 0; k < 3; ++k) {
    copy_numbers(12, scalar, b, (char*)in + 12 * size);
    copy_numbers(1, scalar, wrong + k, (char*)in + (12 + 7) * size);
    rhs.cols = x.cols = 2;
    FAILS(KAURI_NOT_CONVERGED,
          "the solution is not finite: entry (7, 1) of b (row, column, from 0) is",
          kauri_solver_solve(solver, &rhs, &x));
    CHECK(far_from_solution(12, scalar, out) <=
          (scalar == KAURI_FLOAT ? 1e-4 : 1e-12));  // the other column is solved
    OK(kauri_solver_refinement(solver, &refinement));
    CHECK(!isfinite(refinement.normwise));
    char* json = json_of(solver);
    CHECK(strstr(json, "\"status\": \"not_finite\"") != NULL &&
          strstr(json, "entry (7, 1) of b") != NULL);
    free(json);
    rhs.cols = x.cols = 1;
    OK(kauri_solver_solve(solver, &rhs, &x));
    CHECK(memcmp(first, out, 12 * size) == 0);
  }
  kauri_options_destroy(options);
  kauri_solver_destroy(solver);
  kauri_matrix_destroy(matrix);
  free_system(&s);
}

// Refines with a factor of other values.
static void factor_of_another(int32_t scalar) {
  System s = random_system(12, 27);
  kauri_matrix* matrix = matrix_in(&s, 0, scalar);
  kauri_backend* backend = NULL;
  kauri_plan* plan = NULL;
  kauri_factor* factor = NULL;
  kauri_workspace* workspace = NULL;
  double b[12], in[12], out[12];
  struct kauri_dense rhs = column_of(in, 12), x = column_of(out, 12);
  struct kauri_refinement refinement = KAURI_REFINEMENT_INIT;
  right_hand_side(&s, b);
  copy_numbers(12, scalar, b, in);
  OK(kauri_backend_create(NULL, &backend));
  OK(kauri_plan_analyze(matrix, NULL, backend, &plan));
  OK(kauri_factor_create(plan, backend, scalar, &factor));
  OK(kauri_workspace_create(factor, 1, &workspace));
  const double shifts[] = {0, 1e-7, 50};
  for (int k = 0; k < 3; ++k) {
    OK(kauri_factor_refactorize_matrix(factor, matrix, shifts[k]));
    OK(kauri_factor_solve(factor, KAURI_SYSTEM_A, &rhs, &x, workspace));
    if (shifts[k] < 1)
      OK(kauri_factor_refine(factor, matrix, NULL, &rhs, &x, workspace, &refinement));
    else
      FAILS(KAURI_NOT_CONVERGED, "not converged: the backward error is",
            kauri_factor_refine(factor, matrix, NULL, &rhs, &x, workspace, &refinement));
    CHECK((refinement.normwise <= (scalar == KAURI_FLOAT ? 4e-4 : 1.5e-8)) == (shifts[k] < 1));
  }
  in[5] = NAN;
  if (scalar == KAURI_DOUBLE)
    FAILS(KAURI_NOT_CONVERGED, "entry (5, 0) of b",
          kauri_factor_refine(factor, matrix, NULL, &rhs, &x, workspace, NULL));
  kauri_workspace_destroy(workspace);
  kauri_factor_destroy(factor);
  kauri_plan_destroy(plan);
  kauri_backend_destroy(backend);
  kauri_matrix_destroy(matrix);
  free_system(&s);
}

static void smallest(void) {
  double one = 4, x = 12;
  System none = {0, NULL}, single = {1, &one};
  for (int32_t base = 0; base <= 1; ++base) {
    kauri_matrix *empty = matrix_of(&none, base), *alone = matrix_of(&single, base);
    kauri_solver* solver = solver_of(NULL, KAURI_DOUBLE);
    struct kauri_dense nothing = column_of(NULL, 0), dense = column_of(&x, 1);
    OK(kauri_solver_compute(solver, empty));
    OK(kauri_solver_solve(solver, NULL, &nothing));
    OK(kauri_solver_compute(solver, alone));
    x = 12;
    OK(kauri_solver_solve(solver, NULL, &dense));
    CHECK(x == 3);
    kauri_matrix_destroy(empty);
    kauri_matrix_destroy(alone);
    kauri_solver_destroy(solver);
  }
}

typedef struct {
  int count, phases;
} Heard;

static void listen_to(void* user, int32_t level, int32_t phase, double fraction, const char* text) {
  Heard* heard = user;
  ++heard->count;
  if (phase >= 0) heard->phases |= 1 << phase;
  CHECK(level == KAURI_MESSAGE_INFO && fraction <= 1 && strlen(text) > 0);
}

static void messages(void) {
  System s = random_system(30, 25);
  kauri_matrix* matrix = matrix_of(&s, 0);
  kauri_options* options = NULL;
  Heard heard = {0, 0};
  double x[30] = {0};
  struct kauri_dense dense = column_of(x, 30);
  OK(kauri_options_create(&options));
  OK(kauri_options_set_message(options, listen_to, &heard));
  kauri_solver* solver = solver_of(options, KAURI_DOUBLE);
  OK(kauri_solver_compute(solver, matrix));
  OK(kauri_solver_solve(solver, NULL, &dense));
  CHECK(heard.count > 5 && heard.phases == 63);  // all six
  heard.count = 0;
  kauri_plan* plan = NULL;
  OK(kauri_plan_analyze(matrix, options, NULL, &plan));
  CHECK(heard.count > 0);
  kauri_plan_destroy(plan);
  kauri_solver_destroy(solver);
  kauri_options_destroy(options);
  kauri_matrix_destroy(matrix);
  free_system(&s);
}

typedef struct {
  kauri_solver* solver;
  const kauri_matrix* matrix;
  kauri_cancel* cancel;
  struct kauri_dense* x;
  int count;
} Asking;

// A callback of a call on the solver may not call a function that fills the solver or works in it.
static void ask(void* user, int32_t level, int32_t phase, double fraction, const char* text) {
  Asking* asking = user;
  const char* told = "another call on this solver";
  (void)level, (void)phase, (void)fraction, (void)text;
  ++asking->count;
  MISUSE(told, kauri_solver_compute(asking->solver, asking->matrix));
  MISUSE(told, kauri_solver_refactorize_matrix(asking->solver, asking->matrix, 0));
  MISUSE(told, kauri_solver_refactorize_shifted(asking->solver, 1));
  MISUSE(told, kauri_solver_solve(asking->solver, NULL, asking->x));
  MISUSE(told, kauri_solver_set_cancel(asking->solver, asking->cancel));
}

static void one_call(void) {
  System s = random_system(30, 26);
  double x[30] = {0};
  struct kauri_dense dense = column_of(x, 30);
  kauri_options* options = NULL;
  Asking asking = {NULL, matrix_of(&s, 0), NULL, &dense, 0};
  OK(kauri_options_create(&options));
  OK(kauri_cancel_create(&asking.cancel));
  OK(kauri_options_set_message(options, ask, &asking));
  asking.solver = solver_of(options, KAURI_DOUBLE);
  OK(kauri_solver_compute(asking.solver, asking.matrix));
  OK(kauri_solver_solve(asking.solver, NULL, &dense));
  OK(kauri_solver_set_cancel(asking.solver, asking.cancel));
  OK(kauri_solver_refactorize_matrix(asking.solver, asking.matrix, 0));
  CHECK(asking.count > 5);
  kauri_solver_destroy(asking.solver);
  kauri_cancel_destroy(asking.cancel);
  kauri_options_destroy(options);
  kauri_matrix_destroy((kauri_matrix*)asking.matrix);
  free_system(&s);
}

void test_solver(void) {
  one_call();
  for (int32_t base = 0; base <= 1; ++base) {
    whole_job(base, KAURI_DOUBLE);
    whole_job(base, KAURI_FLOAT);
    indefinite(base);
  }
  new_values();
  no_solutions("full", KAURI_DOUBLE);
  no_solutions("full", KAURI_FLOAT);
  no_solutions("mixed", KAURI_DOUBLE);
  factor_of_another(KAURI_DOUBLE);
  factor_of_another(KAURI_FLOAT);
  blocks_and_misuse();
  smallest();
  messages();
}
