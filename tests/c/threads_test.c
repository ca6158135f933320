// Several threads: each thread's own errors, concurrent solves, calls that another thread cancels;
// and callbacks that throw.
// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper.h"
#include "support.h"

// Each thread makes its own errors and sees no other thread's.
static void* own_errors(void* arg) {
  const int me = *(const int*)arg;
  kauri_options* options = NULL;
  char name[32], expected[128];
  long wrong = 0;
  snprintf(name, sizeof name, "zzzzzzzz.%d", me);
  snprintf(expected, sizeof expected, "option '%s' is unknown; kauri options lists the names",
           name);
  wrong += strcmp(kauri_error_message(), "") != 0;
  wrong += kauri_options_create(&options) != KAURI_OK;
  for (int k = 0; k < 2000; ++k) {
    wrong += kauri_options_set(options, name, "1") != KAURI_ERROR_USAGE;
    wrong += strcmp(kauri_error_message(), expected) != 0;
  }
  kauri_options_destroy(options);
  return (void*)wrong;
}

static void errors(void) {
  pthread_t thread[4];
  int name[4] = {0, 1, 2, 3};
  for (int k = 0; k < 4; ++k) CHECK(pthread_create(&thread[k], NULL, own_errors, &name[k]) == 0);
  for (int k = 0; k < 4; ++k) {
    void* wrong = NULL;
    pthread_join(thread[k], &wrong);
    CHECK(wrong == NULL);
  }
}

typedef struct {
  const kauri_factor* factor;
  const double* b;
  int n;
  long wrong;
} Job;

// Solves repeatedly with the thread's own workspace.
static void* solve_often(void* arg) {
  Job* job = arg;
  kauri_workspace* workspace = NULL;
  double* x = malloc((size_t)job->n * sizeof *x);
  struct kauri_dense to = column_of(x, job->n);
  job->wrong += kauri_workspace_create(job->factor, 1, &workspace) != KAURI_OK;
  for (int k = 0; k < 50; ++k) {
    memcpy(x, job->b, (size_t)job->n * sizeof *x);
    job->wrong += kauri_factor_solve(job->factor, KAURI_SYSTEM_A, NULL, &to, workspace) != KAURI_OK;
    job->wrong += !(distance_from_solution(job->n, x) <= 1e-11);
  }
  free(x);
  kauri_workspace_destroy(workspace);
  return NULL;
}

static void solves(void) {
  System s = grid_system(15);
  kauri_matrix* matrix = matrix_of(&s, 0);
  kauri_backend* backend = NULL;
  kauri_plan* plan = NULL;
  kauri_factor* factor = NULL;
  double* b = malloc((size_t)s.n * sizeof *b);
  pthread_t thread[4];
  Job job[4];
  OK(kauri_backend_create(NULL, &backend));
  OK(kauri_plan_analyze(matrix, NULL, backend, &plan));
  OK(kauri_factor_create(plan, backend, KAURI_DOUBLE, &factor));
  OK(kauri_factor_refactorize_matrix(factor, matrix, 0));
  right_hand_side(&s, b);
  for (int k = 0; k < 4; ++k) {
    job[k] = (Job){factor, b, s.n, 0};
    CHECK(pthread_create(&thread[k], NULL, solve_often, &job[k]) == 0);
  }
  for (int k = 0; k < 4; ++k) {
    pthread_join(thread[k], NULL);
    CHECK(job[k].wrong == 0);
  }
  free(b);
  kauri_factor_destroy(factor);
  kauri_plan_destroy(plan);
  kauri_backend_destroy(backend);
  kauri_matrix_destroy(matrix);
  free_system(&s);
}

static void* request(void* cancel) {
  OK(kauri_cancel_request(cancel));
  return NULL;
}

typedef struct {
  kauri_cancel* cancel;
  int32_t phase;  // the phase in whose first message another thread requests the cancellation
} Stopper;

static void stop_by_another_thread(void* user, int32_t level, int32_t phase, double fraction,
                                   const char* text) {
  const Stopper* stopper = user;
  pthread_t thread;
  (void)level;
  (void)text;
  if (phase != stopper->phase || fraction > 0) return;
  CHECK(pthread_create(&thread, NULL, request, stopper->cancel) == 0);
  pthread_join(thread, NULL);
}

// Cancels in each phase in turn; after a reset the whole computation runs.
static void cancelled_solver(void) {
  System s = grid_system(20);
  kauri_matrix* matrix = matrix_of(&s, 0);
  double *x = malloc((size_t)s.n * sizeof *x), *b = malloc((size_t)s.n * sizeof *b);
  struct kauri_dense to = column_of(x, s.n);
  right_hand_side(&s, b);
  for (int32_t phase = KAURI_PHASE_ORDERING; phase <= KAURI_PHASE_SOLVE; ++phase) {
    if (phase == KAURI_PHASE_SYMBOLIC || phase == KAURI_PHASE_PREPARE)
      continue;  // the solver sends no message before these begin, or they cannot be cancelled
    Stopper stopper = {NULL, phase};
    kauri_options* options = NULL;
    kauri_solver* solver = NULL;
    OK(kauri_cancel_create(&stopper.cancel));
    OK(kauri_options_create(&options));
    OK(kauri_options_set(options, "backend", "cpu"));
    OK(kauri_options_set_cancel(options, stopper.cancel));
    OK(kauri_options_set_message(options, stop_by_another_thread, &stopper));
    OK(kauri_solver_create(options, KAURI_DOUBLE, &solver));
    memcpy(x, b, (size_t)s.n * sizeof *x);
    if (phase < KAURI_PHASE_SOLVE) {
      FAILS(KAURI_ERROR_CANCELLED, "cancelled", kauri_solver_compute(solver, matrix));
    } else {
      OK(kauri_solver_compute(solver, matrix));
      FAILS(KAURI_ERROR_CANCELLED, "cancelled", kauri_solver_solve(solver, NULL, &to));
      CHECK(memcmp(x, b, (size_t)s.n * sizeof *x) == 0);  // b again
    }
    FAILS(KAURI_ERROR_CANCELLED, "cancelled", kauri_solver_compute(solver, matrix));  // the request
                                                                                      // stays set
    OK(kauri_cancel_reset(stopper.cancel));
    stopper.phase = -1;
    OK(kauri_solver_compute(solver, matrix));
    OK(kauri_solver_solve(solver, NULL, &to));
    CHECK(distance_from_solution(s.n, x) <= 1e-11);
    OK(kauri_cancel_request(stopper.cancel));
    OK(kauri_solver_set_cancel(solver, NULL));
    OK(kauri_solver_compute(solver, matrix));
    kauri_cancel_destroy(stopper.cancel);
    kauri_options_destroy(options);
    kauri_solver_destroy(solver);
  }
  free(x);
  free(b);
  kauri_matrix_destroy(matrix);
  free_system(&s);
}

// Cancels the computation of a matrix that is larger, and numbered from another base, than the one
// before: the solver keeps nothing of the earlier one.
static void cancelled_second_matrix(void) {
  System first = grid_system(3), second = grid_system(4);
  kauri_matrix *a = matrix_of(&first, 0), *b = matrix_of(&second, 1);
  kauri_cancel* cancel = NULL;
  kauri_solver* solver = NULL;
  kauri_plan* plan = NULL;
  double value[64] = {0};
  int64_t nnz = 0;
  OK(kauri_cancel_create(&cancel));
  OK(kauri_solver_create(NULL, KAURI_DOUBLE, &solver));
  OK(kauri_solver_set_cancel(solver, cancel));
  OK(kauri_solver_compute(solver, a));
  OK(kauri_cancel_request(cancel));
  FAILS(KAURI_ERROR_CANCELLED, "cancelled", kauri_solver_compute(solver, b));
  OK(kauri_matrix_nnz(b, &nnz));
  MISUSE("call compute() first", kauri_solver_plan(solver, &plan));
  MISUSE("call compute() first", kauri_solver_refactorize(solver, value, nnz, 0));
  CHECK(plan == NULL);
  kauri_solver_destroy(solver);
  kauri_cancel_destroy(cancel);
  kauri_matrix_destroy(a);
  kauri_matrix_destroy(b);
  free_system(&first);
  free_system(&second);
}

static void cancelled_phases(void) {
  System s = grid_system(10);
  kauri_matrix* matrix = matrix_of(&s, 0);
  kauri_cancel* cancel = NULL;
  kauri_options* options = NULL;
  kauri_backend* backend = NULL;
  kauri_plan* plan = NULL;
  kauri_factor* factor = NULL;
  kauri_workspace* workspace = NULL;
  double x[100] = {0}, b[100] = {0};
  struct kauri_dense to = column_of(x, 100), rhs = column_of(b, 100);
  OK(kauri_cancel_create(&cancel));
  OK(kauri_options_create(&options));
  OK(kauri_options_set_cancel(options, cancel));
  OK(kauri_cancel_request(cancel));
  FAILS(KAURI_ERROR_CANCELLED, "cancelled", kauri_plan_analyze(matrix, options, NULL, &plan));
  OK(kauri_cancel_reset(cancel));
  OK(kauri_backend_create(options, &backend));
  OK(kauri_plan_analyze(matrix, options, backend, &plan));
  OK(kauri_factor_create(plan, backend, KAURI_DOUBLE, &factor));
  OK(kauri_workspace_create(factor, 1, &workspace));
  OK(kauri_factor_set_cancel(factor, cancel));
  OK(kauri_cancel_request(cancel));
  FAILS(KAURI_ERROR_CANCELLED, "cancelled", kauri_factor_refactorize_matrix(factor, matrix, 0));
  OK(kauri_factor_set_cancel(factor, NULL));
  OK(kauri_factor_refactorize_matrix(factor, matrix, 0));
  OK(kauri_factor_solve(factor, KAURI_SYSTEM_A, NULL, &to, workspace));
  FAILS(KAURI_ERROR_CANCELLED, "cancelled",
        kauri_factor_refine(factor, matrix, options, &rhs, &to, workspace, NULL));
  OK(kauri_factor_refine(factor, matrix, NULL, &rhs, &to, workspace, NULL));
  OK(kauri_factor_set_cancel(factor, cancel));
  kauri_cancel_destroy(cancel);  // the factor keeps it alive
  FAILS(KAURI_ERROR_CANCELLED, "cancelled",
        kauri_factor_solve(factor, KAURI_SYSTEM_A, NULL, &to, workspace));
  FAILS(KAURI_ERROR_CANCELLED, "cancelled", kauri_factor_inverse_diagonal(factor, x, 100));
  kauri_workspace_destroy(workspace);
  kauri_factor_destroy(factor);
  kauri_plan_destroy(plan);
  kauri_backend_destroy(backend);
  kauri_options_destroy(options);
  kauri_matrix_destroy(matrix);
  free_system(&s);
}

static void throwing(void) {
  System s = grid_system(4);
  kauri_matrix* matrix = matrix_of(&s, 0);
  int what = 0;
  kauri_options* options = NULL;
  kauri_solver* solver = NULL;
  OK(kauri_options_create(&options));
  OK(kauri_options_set_message(options, throwing_message, &what));
  OK(kauri_solver_create(options, KAURI_DOUBLE, &solver));
  FAILS(KAURI_ERROR_MEMORY, "not enough memory", kauri_solver_compute(solver, matrix));
  what = 1;
  FAILS(KAURI_ERROR_INTERNAL, "thrown by a callback", kauri_solver_compute(solver, matrix));
  what = 2;
  FAILS(KAURI_ERROR_INTERNAL, "unknown type", kauri_solver_compute(solver, matrix));
  kauri_solver_destroy(solver);
  kauri_options_destroy(options);
  kauri_matrix_destroy(matrix);
  free_system(&s);
}

void test_threads(void) {
  errors();
  solves();
  cancelled_solver();
  cancelled_second_matrix();
  cancelled_phases();
  throwing();
}
