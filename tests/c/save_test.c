// Plans and factors saved to files and bytes give the same answers; errors name what is wrong.
// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static kauri_backend* backend_here(void) {
  kauri_options* options = NULL;
  kauri_backend* backend = NULL;
  OK(kauri_options_create(&options));
  OK(kauri_options_set_int(options, "threads", 2));
  OK(kauri_backend_create(options, &backend));
  kauri_options_destroy(options);
  return backend;
}

// Writes x = A^-1 b from the factor, in its scalar, as bytes that can be compared.
static void solution(const kauri_factor* factor, const System* s, int32_t scalar, void* x) {
  kauri_workspace* workspace = NULL;
  double* b = malloc((size_t)s->n * sizeof *b);
  right_hand_side(s, b);
  for (int i = 0; i < s->n; ++i)
    if (scalar == KAURI_DOUBLE)
      ((double*)x)[i] = b[i];
    else
      ((float*)x)[i] = (float)b[i];
  struct kauri_dense dense = column_of(x, s->n);
  OK(kauri_workspace_create(factor, 1, &workspace));
  OK(kauri_factor_solve(factor, KAURI_SYSTEM_A, NULL, &dense, workspace));
  kauri_workspace_destroy(workspace);
  free(b);
}

static void damaged(const void* bytes, size_t count, const kauri_backend* backend,
                    const char* path) {
  kauri_plan* plan = NULL;
  kauri_factor* factor = NULL;
  unsigned char* copy = malloc(count);
  for (size_t at = 0; at < count; at += count / 23 + 1) {
    memcpy(copy, bytes, count);
    copy[at] ^= 0x40;
    FAILS(KAURI_ERROR_INPUT, "saved bytes",
          kauri_factor_load_bytes(copy, count, backend, NULL, 0, &factor));
    CHECK(factor == NULL);
    FAILS(KAURI_ERROR_INPUT, "saved bytes",
          kauri_factor_load_bytes(bytes, at, backend, NULL, 0, &factor));
  }
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL && fwrite(bytes, 1, count / 2, file) == count / 2 && fclose(file) == 0);
  FAILS(KAURI_ERROR_INPUT, path, kauri_plan_load(path, NULL, 0, &plan));
  CHECK(plan == NULL);
  free(copy);
}

// A system, and expected answers: x from a factor that was never saved.
typedef struct {
  System system;
  kauri_matrix* matrix;
  kauri_backend* backend;
  int32_t base, scalar;
  int64_t failing;  // the column, counted from 0, at which the factorisation of A - 1e6 I fails
  void *x, *y;      // room for one solution each; floats leave zeros behind them
} Job;

// Returns the column at which A - 1e6 I fails, as the factor reports it.
static int64_t failing_column(kauri_factor* factor, const kauri_matrix* matrix) {
  struct kauri_verdict verdict = KAURI_VERDICT_INIT;
  FAILS(KAURI_NOT_POSITIVE_DEFINITE, "", kauri_factor_refactorize_matrix(factor, matrix, -1e6));
  OK(kauri_factor_verdict(factor, &verdict));
  return verdict.column;
}

static void same_solution(const Job* job, const kauri_factor* factor) {
  const size_t size = (size_t)job->system.n * sizeof(double);
  memset(job->y, 0, size);
  solution(factor, &job->system, job->scalar, job->y);
  CHECK(memcmp(job->x, job->y, size) == 0);
}

// A plan loaded from a file or from bytes makes the same factor.
static void plans(const Job* job, const kauri_plan* plan, const char* path) {
  struct kauri_saved_info info = KAURI_SAVED_INFO_INIT;
  struct kauri_plan_info planned = KAURI_PLAN_INFO_INIT;
  kauri_plan* again = NULL;
  kauri_factor* factor = NULL;
  kauri_saved* saved = NULL;
  const void* bytes = NULL;
  size_t count = 0;
  OK(kauri_plan_get_info(plan, &planned));
  OK(kauri_plan_save(plan, path));
  OK(kauri_saved_get_info(path, &info));
  CHECK(info.kind == KAURI_SAVED_PLAN && info.scalar == -1 && info.format == 1 &&
        info.n == job->system.n && info.nnz == planned.nnz);
  CHECK(info.supernodes == planned.supernodes);
  FAILS(KAURI_ERROR_INPUT, path,
        kauri_factor_load(path, job->backend, NULL, job->base, &factor));  // the file holds a plan
                                                                           // without a factor
  OK(kauri_plan_load(path, NULL, job->base, &again));
  OK(kauri_plan_save_bytes(again, &saved));
  kauri_plan_destroy(again);
  OK(kauri_saved_bytes(saved, &bytes, &count));
  OK(kauri_plan_load_bytes(bytes, count, NULL, job->base, &again));
  kauri_saved_destroy(saved);
  OK(kauri_factor_create(again, job->backend, job->scalar, &factor));
  kauri_plan_destroy(again);
  OK(kauri_factor_refactorize_matrix(factor, job->matrix, 0));
  same_solution(job, factor);
  kauri_factor_destroy(factor);
}

// Checks a loaded factor. base: from which the call that loaded it makes it count.
static void loaded(const Job* job, kauri_factor* factor, int32_t base) {
  int32_t found = -1;
  OK(kauri_factor_scalar(factor, &found));
  CHECK(found == job->scalar);
  same_solution(job, factor);
  CHECK(failing_column(factor, job->matrix) == job->failing + base);
  kauri_factor_destroy(factor);
}

static void factors(const Job* job, const kauri_factor* factor, const char* path) {
  struct kauri_saved_info info = KAURI_SAVED_INFO_INIT;
  kauri_factor* again = NULL;
  kauri_saved* saved = NULL;
  const void* bytes = NULL;
  size_t count = 0;
  OK(kauri_factor_save(factor, path));
  OK(kauri_saved_get_info(path, &info));
  CHECK(info.kind == KAURI_SAVED_FACTOR && info.scalar == job->scalar);
  OK(kauri_factor_load(path, job->backend, NULL, job->base, &again));
  loaded(job, again, job->base);
  OK(kauri_factor_load(path, job->backend, NULL, 1 - job->base, &again));
  loaded(job, again, 1 - job->base);
  OK(kauri_factor_save_bytes(factor, &saved));
  OK(kauri_saved_bytes(saved, &bytes, &count));
  OK(kauri_factor_load_bytes(bytes, count, job->backend, NULL, job->base, &again));
  loaded(job, again, job->base);
  damaged(bytes, count, job->backend, path);
  kauri_saved_destroy(saved);
}

static void round_trips(int32_t base, int32_t scalar, const char* path) {
  Job job = {grid_system(9), NULL, backend_here(), base, scalar, 0, NULL, NULL};
  kauri_plan* plan = NULL;
  kauri_factor* factor = NULL;
  kauri_saved* saved = NULL;
  job.matrix = matrix_in(&job.system, base, scalar);
  job.x = calloc((size_t)job.system.n, sizeof(double));
  job.y = calloc((size_t)job.system.n, sizeof(double));
  OK(kauri_plan_analyze(job.matrix, NULL, job.backend, &plan));
  OK(kauri_factor_create(plan, job.backend, scalar, &factor));
  MISUSE("not valid", kauri_factor_save(factor, path));
  MISUSE("not valid", kauri_factor_save_bytes(factor, &saved));
  CHECK(saved == NULL);
  job.failing = failing_column(factor, job.matrix) - base;
  OK(kauri_factor_refactorize_matrix(factor, job.matrix, 0));
  solution(factor, &job.system, scalar, job.x);
  plans(&job, plan, path);
  factors(&job, factor, path);
  kauri_factor_destroy(factor);
  kauri_plan_destroy(plan);
  kauri_backend_destroy(job.backend);
  kauri_matrix_destroy(job.matrix);
  free(job.x);
  free(job.y);
  free_system(&job.system);
}

static void made_for(const char* path) {
  System system = grid_system(5);
  kauri_matrix* matrix = matrix_of(&system, 0);
  kauri_options* options = NULL;
  kauri_plan *plan = NULL, *other = NULL;
  char text[64] = "";
  OK(kauri_options_create(&options));
  OK(kauri_plan_analyze(matrix, NULL, NULL, &plan));
  OK(kauri_plan_save(plan, path));
  OK(kauri_options_set(options, "analyze.target", "sm_90"));
  OK(kauri_plan_load(path, options, 0, &other));
  OK(kauri_plan_target(other, text, sizeof text, NULL));
  CHECK(strcmp(text, "sm_90") == 0);
  OK(kauri_plan_reason(other, text, sizeof text, NULL));
  CHECK(strcmp(text, "loaded: nothing was ordered") == 0);
  kauri_plan_destroy(other);
  kauri_plan_destroy(plan);
  kauri_options_destroy(options);
  kauri_matrix_destroy(matrix);
  free_system(&system);
}

// A bound on the memory of loading, from files and from bytes.
static void bounded(const char* path) {
  System system = grid_system(9);
  kauri_matrix* matrix = matrix_of(&system, 0);
  kauri_backend* backend = backend_here();
  kauri_options *options = NULL, *copy = NULL;
  kauri_plan* plan = NULL;
  kauri_factor* factor = NULL;
  kauri_saved* saved = NULL;
  const void* bytes = NULL;
  size_t count = 0;
  OK(kauri_options_create(&options));
  OK(kauri_plan_analyze(matrix, NULL, backend, &plan));
  OK(kauri_factor_create(plan, backend, KAURI_DOUBLE, &factor));
  OK(kauri_factor_refactorize_matrix(factor, matrix, 0));
  OK(kauri_factor_save(factor, path));
  OK(kauri_factor_save_bytes(factor, &saved));
  OK(kauri_saved_bytes(saved, &bytes, &count));
  kauri_plan_destroy(plan);
  kauri_factor_destroy(factor);
  OK(kauri_options_set_max_bytes(options, 1000));
  OK(kauri_options_copy(options, &copy));
  FAILS(KAURI_ERROR_MEMORY, path, kauri_plan_load(path, copy, 0, &plan));
  FAILS(KAURI_ERROR_MEMORY, path, kauri_factor_load(path, backend, copy, 0, &factor));
  FAILS(KAURI_ERROR_MEMORY, "1000", kauri_plan_load_bytes(bytes, count, options, 0, &plan));
  FAILS(KAURI_ERROR_MEMORY, "1000",
        kauri_factor_load_bytes(bytes, count, backend, options, 0, &factor));
  CHECK(plan == NULL && factor == NULL);
  for (size_t bound = 0; bound <= 10000000; bound += 10000000) {
    OK(kauri_options_set_max_bytes(options, bound));
    OK(kauri_plan_load(path, options, 0, &plan));
    OK(kauri_factor_load_bytes(bytes, count, backend, options, 0, &factor));
    kauri_plan_destroy(plan);
    kauri_factor_destroy(factor);
  }
  MISUSE("options is null", kauri_options_set_max_bytes(NULL, 1));
  kauri_saved_destroy(saved);
  kauri_options_destroy(copy);
  kauri_options_destroy(options);
  kauri_backend_destroy(backend);
  kauri_matrix_destroy(matrix);
  free_system(&system);
}

static void hear_warning(void* user, int32_t level, int32_t phase, double fraction,
                         const char* text) {
  (void)phase, (void)fraction;
  if (level == KAURI_MESSAGE_WARNING &&
      strstr(text, "the contribution block of front 0 has 92697 rows"))
    ++*(int*)user;
}

// A graph of two hubs, in which all leaves of the first are also leaves of the second: the
// contribution block of front 0 exceeds the rows that a device's tasks can address.
static void warned_of(const char* path) {
  enum { kRows = 92700, kEntries = 3 * kRows };
  struct kauri_triplets hubs = KAURI_TRIPLETS_INIT;
  int32_t *row = malloc(kEntries * sizeof *row), *column = malloc(kEntries * sizeof *column);
  double* value = malloc(kEntries * sizeof *value);
  int entries = 0, warnings = 0;
  for (int32_t k = 0; k < kRows; ++k) row[entries] = k, column[entries] = k, value[entries++] = 1;
  for (int32_t k = 2; k < kRows - 1; ++k)
    row[entries] = k, column[entries] = 0, value[entries++] = 1;
  for (int32_t k = 2; k < kRows; ++k) row[entries] = k, column[entries] = 1, value[entries++] = 1;
  hubs.n = kRows, hubs.entries = entries, hubs.row = row, hubs.column = column, hubs.value = value;
  kauri_matrix* matrix = NULL;
  kauri_options* options = NULL;
  kauri_plan *plan = NULL, *other = NULL;
  OK(kauri_matrix_from_triplets(&hubs, &matrix));
  OK(kauri_options_create(&options));
  OK(kauri_options_set(options, "ordering.method", "natural"));
  OK(kauri_options_set(options, "analyze.amalgamate", "false"));
  OK(kauri_options_set(options, "analyze.target", "cpu-generic"));
  OK(kauri_options_set_message(options, hear_warning, &warnings));
  OK(kauri_plan_analyze(matrix, options, NULL, &plan));
  OK(kauri_plan_save(plan, path));
  CHECK(warnings == 0);
  OK(kauri_options_set(options, "analyze.target", "sm_90"));
  OK(kauri_plan_load(path, options, 0, &other));
  CHECK(warnings == 1);
  kauri_plan_destroy(other);
  kauri_plan_destroy(plan);
  kauri_options_destroy(options);
  kauri_matrix_destroy(matrix);
  free(value), free(column), free(row);
}

static void misuse(const char* path) {
  System system = grid_system(3);
  kauri_matrix* matrix = matrix_of(&system, 0);
  kauri_backend* backend = backend_here();
  kauri_plan *plan = NULL, *none = NULL;
  kauri_factor* factor = NULL;
  kauri_saved* saved = NULL;
  struct kauri_saved_info info = KAURI_SAVED_INFO_INIT;
  const void* bytes = NULL;
  size_t count = 0;
  OK(kauri_plan_analyze(matrix, NULL, NULL, &plan));
  MISUSE("path is null", kauri_plan_save(plan, NULL));
  MISUSE("plan is null", kauri_plan_save(NULL, path));
  MISUSE("factor is null", kauri_factor_save(NULL, path));
  MISUSE("saved is null", kauri_plan_save_bytes(plan, NULL));
  MISUSE("saved is null", kauri_saved_bytes(NULL, &bytes, &count));
  MISUSE("path is null", kauri_plan_load(NULL, NULL, 0, &none));
  MISUSE("plan is null", kauri_plan_load(path, NULL, 0, NULL));
  MISUSE("base is 2", kauri_plan_load(path, NULL, 2, &none));
  MISUSE("bytes is null", kauri_plan_load_bytes(NULL, 5, NULL, 0, &none));
  FAILS(KAURI_ERROR_INPUT, "saved bytes", kauri_plan_load_bytes(NULL, 0, NULL, 0, &none));
  MISUSE("backend is null", kauri_factor_load(path, NULL, NULL, 0, &factor));
  FAILS(KAURI_ERROR_INPUT, "not/there", kauri_plan_load("not/there", NULL, 0, &none));
  FAILS(KAURI_ERROR_INPUT, "not/there", kauri_factor_load("not/there", backend, NULL, 0, &factor));
  FAILS(KAURI_ERROR_INPUT, "not/there", kauri_saved_get_info("not/there", &info));
  FAILS(KAURI_ERROR_INPUT, "not/there", kauri_plan_save(plan, "not/there/at/all"));
  info.struct_size = 1;
  MISUSE("struct_size is 1", kauri_saved_get_info(path, &info));
  kauri_saved_destroy(NULL);
  CHECK(none == NULL && factor == NULL && saved == NULL);
  kauri_plan_destroy(plan);
  kauri_backend_destroy(backend);
  kauri_matrix_destroy(matrix);
  free_system(&system);
}

void test_save(void) {
  static const char path[] = "c_interface_test.saved";  // in the working folder of the test
  for (int32_t base = 0; base < 2; ++base) {
    round_trips(base, KAURI_DOUBLE, path);
    round_trips(base, KAURI_FLOAT, path);
  }
  made_for(path);
  warned_of(path);
  bounded(path);
  misuse(path);
  CHECK(remove(path) == 0);
}
