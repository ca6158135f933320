// Backends and plans: figures, permutations and trees against a naive factorisation.
// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static void backends(void) {
  kauri_options* options = NULL;
  kauri_backend* backend = NULL;
  int32_t kind = -1, threads = 0, available = -1;
  int64_t in_use = -1, peak = -1;
  char text[256] = "";
  OK(kauri_options_create(&options));
  OK(kauri_options_set_int(options, "threads", 2));
  OK(kauri_backend_create(options, &backend));
  OK(kauri_backend_get_kind(backend, &kind));
  OK(kauri_backend_threads(backend, &threads));
  OK(kauri_backend_target(backend, text, sizeof text, NULL));
  CHECK(kind == KAURI_BACKEND_CPU && threads >= 1 && threads <= 2);
  CHECK(strncmp(text, "cpu-", 4) == 0);
  OK(kauri_backend_device(backend, text, sizeof text, NULL));
  CHECK(strlen(text) > 0);
  OK(kauri_backend_reset_peak(backend));
  OK(kauri_backend_bytes(backend, &in_use, &peak));
  CHECK(in_use == 0 && peak == 0);
  kauri_backend_destroy(backend);
  OK(kauri_cuda_available(&available));
  OK(kauri_options_set(options, "backend", "cuda"));
  if (!available) FAILS(KAURI_ERROR_DEVICE, "", kauri_backend_create(options, &backend));
  OK(kauri_options_set_int(options, "cuda.device", 1000));
  FAILS(KAURI_ERROR_DEVICE, "", kauri_backend_create(options, &backend));
  CHECK(backend == NULL);
  kauri_options_destroy(options);
}

// Computes the rows of each column of L by eliminating the pattern of P A P^T in a dense array.
static void naive_pattern(const System* s, const int32_t* old_of, int base, char* l) {
  const int n = s->n;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      l[i + n * j] = i >= j && (i == j || s->a[(old_of[i] - base) + n * (old_of[j] - base)] != 0);
  for (int k = 0; k < n; ++k)
    for (int j = k + 1; j < n; ++j)
      for (int i = j; i < n; ++i)
        if (l[i + n * k] && l[j + n * k]) l[i + n * j] = 1;
}

static void check_tree(const kauri_plan* plan, const System* s, const int32_t* old_of, int base) {
  const int n = s->n;
  struct kauri_plan_info info = KAURI_PLAN_INFO_INIT;
  char* l = malloc((size_t)n * (size_t)n);
  int32_t *parent = malloc((size_t)n * sizeof *parent), *count = malloc((size_t)n * sizeof *count);
  int64_t nnz_l = 0;
  double flops = 0;
  naive_pattern(s, old_of, base, l);
  OK(kauri_plan_tree(plan, parent, count, n));
  for (int j = 0; j < n; ++j) {
    int entries = 0, first = -1;
    for (int i = j; i < n; ++i) {
      entries += l[i + n * j];
      if (first < 0 && i > j && l[i + n * j]) first = i;
    }
    CHECK(count[j] == entries);
    CHECK(parent[j] == first);
    nnz_l += entries;
    flops += (double)entries * entries;
  }
  OK(kauri_plan_get_info(plan, &info));
  CHECK(info.n == n && info.nnz_l == nnz_l && info.flops == flops);
  CHECK(info.stored_entries >= nnz_l && info.executed_flops >= flops && info.tree_height >= 1 &&
        info.supernodes >= 1);
  MISUSE("length is 1, expected", kauri_plan_tree(plan, parent, NULL, 1));
  OK(kauri_plan_tree(plan, NULL, NULL, n));
  free(l);
  free(parent);
  free(count);
}

static void plans(const char* method, int32_t base) {
  System s = grid_system(7);
  kauri_matrix* matrix = matrix_of(&s, base);
  kauri_options* options = NULL;
  kauri_plan* plan = NULL;
  int32_t old_of[49];
  int seen[49] = {0};
  char text[256] = "";
  OK(kauri_options_create(&options));
  OK(kauri_options_set(options, "ordering.method", method));
  OK(kauri_plan_analyze(matrix, options, NULL, &plan));
  OK(kauri_plan_ordering(plan, text, sizeof text, NULL));
  CHECK(strcmp(text, method) == 0);
  OK(kauri_plan_reason(plan, text, sizeof text, NULL));
  OK(kauri_plan_target(plan, text, sizeof text, NULL));
  CHECK(strncmp(text, "cpu-", 4) == 0);
  OK(kauri_plan_permutation(plan, old_of, 49));
  for (int k = 0; k < 49; ++k)
    CHECK(old_of[k] >= base && old_of[k] < 49 + base && !seen[old_of[k] - base]++);
  check_tree(plan, &s, old_of, base);
  MISUSE("length is 48, expected 49", kauri_plan_permutation(plan, old_of, 48));
  MISUSE("old_of is null", kauri_plan_permutation(plan, NULL, 49));
  kauri_plan_destroy(plan);
  kauri_options_destroy(options);
  kauri_matrix_destroy(matrix);
  free_system(&s);
}

// A given order becomes the plan's after postordering; the order here, n down to 1, is a postorder
// already.
static void given(void) {
  System s = grid_system(3);
  kauri_matrix* matrix = matrix_of(&s, 1);
  kauri_options* options = NULL;
  kauri_plan* plan = NULL;
  int32_t order[9], old_of[9];
  char text[64] = "";
  for (int k = 0; k < 9; ++k) order[k] = 9 - k;
  OK(kauri_options_create(&options));
  OK(kauri_options_set_permutation(options, 9, order, 1));
  OK(kauri_plan_analyze(matrix, options, NULL, &plan));
  OK(kauri_plan_ordering(plan, text, sizeof text, NULL));
  CHECK(strcmp(text, "given") == 0);
  OK(kauri_plan_permutation(plan, old_of, 9));
  check_tree(plan, &s, old_of, 1);
  CHECK(memcmp(old_of, order, sizeof order) == 0);
  kauri_plan_destroy(plan);
  OK(kauri_options_set_permutation(options, 3, (const int32_t[]){1, 2, 3}, 1));
  FAILS(KAURI_ERROR_INPUT, "", kauri_plan_analyze(matrix, options, NULL, &plan));
  CHECK(plan == NULL);
  OK(kauri_options_set_permutation(options, 0, NULL, 1));
  OK(kauri_options_set_last(options, 2, order, 1));
  OK(kauri_plan_analyze(matrix, options, NULL, &plan));
  OK(kauri_plan_permutation(plan, old_of, 9));
  CHECK(old_of[7] == 9 && old_of[8] == 8);
  kauri_plan_destroy(plan);
  OK(kauri_options_set_last(options, 1, (const int32_t[]){10}, 1));
  FAILS(KAURI_ERROR_INPUT, "counted from 0", kauri_plan_analyze(matrix, options, NULL, &plan));
  kauri_options_destroy(options);
  kauri_matrix_destroy(matrix);
  free_system(&s);
}

// The memory of a factor and a workspace equals the plan's figures.
static void bytes(int32_t scalar) {
  System s = grid_system(12);
  kauri_matrix* matrix = matrix_in(&s, 0, scalar);
  kauri_backend* backend = NULL;
  kauri_plan* plan = NULL;
  kauri_factor* factor = NULL;
  kauri_workspace* workspace = NULL;
  int64_t l = 0, peak = 0, scratch = 0, in_use = 0;
  OK(kauri_backend_create(NULL, &backend));
  OK(kauri_plan_analyze(matrix, NULL, backend, &plan));
  OK(kauri_plan_factor_bytes(plan, scalar, &l));
  OK(kauri_plan_peak_bytes(plan, scalar, &peak));
  OK(kauri_plan_workspace_bytes(plan, NULL, scalar, 3, &scratch));
  CHECK(l > 0 && peak >= l && scratch > 0);
  OK(kauri_factor_create(plan, backend, scalar, &factor));
  OK(kauri_backend_bytes(backend, &in_use, NULL));
  CHECK(in_use == peak);
  OK(kauri_workspace_create(factor, 3, &workspace));
  OK(kauri_backend_bytes(backend, &in_use, NULL));
  CHECK(in_use == peak + scratch);
  MISUSE("scalar is 2", kauri_plan_factor_bytes(plan, 2, &l));
  MISUSE("nrhs is 0", kauri_plan_workspace_bytes(plan, NULL, scalar, 0, &l));
  kauri_workspace_destroy(workspace);
  kauri_factor_destroy(factor);
  OK(kauri_backend_bytes(backend, &in_use, NULL));
  CHECK(in_use == 0);
  kauri_plan_destroy(plan);
  kauri_options* options = NULL;
  int64_t one_by_one = 0;
  OK(kauri_options_create(&options));
  OK(kauri_options_set(options, "analyze.target", "sm_90"));
  OK(kauri_options_set_int(options, "cuda.solves_together", 1));
  OK(kauri_plan_analyze(matrix, options, NULL, &plan));
  OK(kauri_plan_workspace_bytes(plan, NULL, scalar, 32, &scratch));
  OK(kauri_plan_workspace_bytes(plan, options, scalar, 32, &one_by_one));
  CHECK(one_by_one < scratch);
  CHECK(one_by_one > 0);
  kauri_options_destroy(options);
  kauri_plan_destroy(plan);
  kauri_backend_destroy(backend);
  kauri_matrix_destroy(matrix);
  free_system(&s);
}

void test_plan(void) {
  backends();
  plans("amd", 0);
  plans("nd", 1);
  plans("natural", 1);
  given();
  bytes(KAURI_DOUBLE);
  bytes(KAURI_FLOAT);
}
