// Results of a factor beside solutions: L, its diagonal, the determinant, the diagonal of the
// inverse.
// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "support.h"

enum { kN = 31 };

typedef struct {
  System system;
  kauri_plan* plan;
  kauri_factor* factor;
  int32_t old_of[kN];
  double l[kN * kN];  // the naive factor
} Case;

static Case make(int32_t base, int32_t scalar, int amalgamate) {
  Case c = {random_system(kN, 8), NULL, NULL, {0}, {0}};
  kauri_matrix* matrix = matrix_in(&c.system, base, scalar);
  kauri_options* options = NULL;
  kauri_backend* backend = NULL;
  OK(kauri_options_create(&options));
  OK(kauri_options_set_int(options, "analyze.amalgamate", amalgamate));
  OK(kauri_backend_create(options, &backend));
  OK(kauri_plan_analyze(matrix, options, backend, &c.plan));
  OK(kauri_plan_permutation(c.plan, c.old_of, kN));
  OK(kauri_factor_create(c.plan, backend, scalar, &c.factor));
  OK(kauri_factor_refactorize_matrix(c.factor, matrix, 0));
  CHECK(naive_cholesky(&c.system, c.old_of, base, c.l) == -1);
  kauri_backend_destroy(backend);
  kauri_options_destroy(options);
  kauri_matrix_destroy(matrix);
  return c;
}

static void drop(Case* c) {
  kauri_factor_destroy(c->factor);
  kauri_plan_destroy(c->plan);
  free_system(&c->system);
}

static double number(const void* array, int64_t at, int32_t scalar) {
  return scalar == KAURI_FLOAT ? ((const float*)array)[at] : ((const double*)array)[at];
}

static void extraction(const Case* c, int32_t scalar, int amalgamate, double tolerance) {
  int64_t entries = -1, col_ptr[kN + 1], found = 0, naive = 0;
  int32_t row[kN * kN];
  double value[kN * kN], dense[kN * kN] = {0};
  OK(kauri_factor_extract(c->factor, NULL, NULL, NULL, 0, &entries));
  MISUSE("capacity is 3, expected",
         kauri_factor_extract(c->factor, col_ptr, row, value, 3, &entries));
  MISUSE("row is null", kauri_factor_extract(c->factor, col_ptr, NULL, value, kN * kN, &entries));
  MISUSE("entries is null", kauri_factor_extract(c->factor, col_ptr, row, value, kN * kN, NULL));
  OK(kauri_factor_extract(c->factor, col_ptr, row, value, entries, &found));
  CHECK(found == entries && col_ptr[0] == 0 && col_ptr[kN] == entries);
  for (int j = 0; j < kN; ++j) {
    CHECK(row[col_ptr[j]] == j);
    for (int64_t k = col_ptr[j]; k < col_ptr[j + 1]; ++k) {
      CHECK(k == col_ptr[j] || row[k] > row[k - 1]);
      dense[row[k] + kN * j] = number(value, k, scalar);
    }
  }
  for (int k = 0; k < kN * kN; ++k) {
    naive += c->l[k] != 0;
    CHECK(fabs(dense[k] - c->l[k]) <= tolerance);
  }
  CHECK(entries >= naive);
  if (!amalgamate) {
    struct kauri_plan_info info = KAURI_PLAN_INFO_INIT;
    OK(kauri_plan_get_info(c->plan, &info));
    CHECK(entries == info.nnz_l);
  }
}

// Compares the diagonals of L and of A^-1 = P^T L^-T L^-1 P: the entry of A^-1 at old_of(k) is the
// sum of squares of column k of L^-1.
static void diagonals(const Case* c, int32_t base, int32_t scalar, double tolerance) {
  double diagonal[kN], inverse[kN], determinant = 0, log_determinant = 0, expected = 0;
  OK(kauri_factor_diagonal(c->factor, diagonal, kN));
  OK(kauri_factor_inverse_diagonal(c->factor, inverse, kN));
  OK(kauri_factor_determinant(c->factor, &determinant));
  OK(kauri_factor_log_determinant(c->factor, &log_determinant));
  for (int k = 0; k < kN; ++k) {
    double x[kN] = {0}, sum = 0;
    CHECK(fabs(number(diagonal, k, scalar) - c->l[k + kN * k]) <= tolerance);
    expected += 2 * log(c->l[k + kN * k]);
    x[k] = 1;
    for (int j = k; j < kN; ++j) {
      x[j] /= c->l[j + kN * j];
      for (int i = j + 1; i < kN; ++i) x[i] -= c->l[i + kN * j] * x[j];
      sum += x[j] * x[j];
    }
    CHECK(fabs(number(inverse, c->old_of[k] - base, scalar) - sum) <= tolerance);
  }
  CHECK(fabs(log_determinant - expected) <= kN * tolerance);
  CHECK(fabs(log(determinant) - expected) <= kN * tolerance);
  MISUSE("length is 30, expected 31", kauri_factor_diagonal(c->factor, diagonal, kN - 1));
  MISUSE("length is 32, expected 31", kauri_factor_inverse_diagonal(c->factor, inverse, kN + 1));
  MISUSE("diagonal is null", kauri_factor_diagonal(c->factor, NULL, kN));
  MISUSE("determinant is null", kauri_factor_determinant(c->factor, NULL));
  MISUSE("log_determinant is null", kauri_factor_log_determinant(c->factor, NULL));
}

void test_lower(void) {
  for (int32_t scalar = KAURI_DOUBLE; scalar <= KAURI_FLOAT; ++scalar)
    for (int k = 0; k < 4; ++k) {
      Case c = make(k & 1, scalar, k >> 1);
      const double tolerance = scalar == KAURI_FLOAT ? 1e-4 : 1e-12;
      extraction(&c, scalar, k >> 1, tolerance);
      diagonals(&c, k & 1, scalar, tolerance);
      drop(&c);
    }
}
