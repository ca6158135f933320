// Checks, systems with naive answers, and arrays of every kind.
// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int failed_checks = 0;

void check_true(int ok, const char* file, int line, const char* what) {
  if (ok) return;
  ++failed_checks;
  printf("%s:%d: %s is not so\n", file, line, what);
}

void check_status(kauri_status got, kauri_status expected, const char* part, const char* file,
                  int line, const char* what) {
  const char* message = got == KAURI_OK ? "" : kauri_error_message();
  if (got == expected && strstr(message, part) != NULL) return;
  ++failed_checks;
  printf("%s:%d: %s\n  returned %s, said '%s'; expected %s and '%s'\n", file, line, what,
         kauri_status_name(got), message, kauri_status_name(expected), part);
}

static System empty_system(int n) {
  System s;
  s.n = n;
  s.a = calloc((size_t)n * (size_t)n + 1, sizeof(double));
  return s;
}

static void put_entry(System* s, int i, int j, double value) {
  s->a[i + s->n * j] = s->a[j + s->n * i] = value;
}

System grid_system(int side) {
  System s = empty_system(side * side);
  for (int i = 0; i < s.n; ++i) {
    put_entry(&s, i, i, 4);
    if (i % side + 1 < side) put_entry(&s, i, i + 1, -1);
    if (i + side < s.n) put_entry(&s, i, i + side, -1);
  }
  return s;
}

unsigned next_random(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

System random_system(int n, unsigned seed) {
  System s = empty_system(n);
  unsigned state = seed;
  for (int k = 0; k < 2 * n; ++k) {
    const int i = (int)(next_random(&state) % (unsigned)n),
              j = (int)(next_random(&state) % (unsigned)n);
    if (i != j) put_entry(&s, i, j, (double)(int)(next_random(&state) % 9u) - 4.5);
  }
  for (int i = 0; i < n; ++i) {
    double sum = 1;
    for (int j = 0; j < n; ++j) sum += fabs(s.a[i + n * j]);
    put_entry(&s, i, i, sum);
  }
  return s;
}

void free_system(System* s) {
  free(s->a);
  s->a = NULL;
}

int naive_cholesky(const System* s, const int32_t* old_of, int base, double* l) {
  const int n = s->n;
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double sum = s->a[(old_of[i] - base) + n * (old_of[j] - base)];
      for (int k = 0; k < j; ++k) sum -= l[i + n * k] * l[j + n * k];
      if (i == j && !(sum > 0)) return old_of[j];
      l[i + n * j] = i == j ? sqrt(sum) : sum / l[j + n * j];
    }
  }
  return -1;
}

void right_hand_side(const System* s, double* b) {
  for (int i = 0; i < s->n; ++i) {
    b[i] = 0;
    for (int j = 0; j < s->n; ++j) b[i] += s->a[i + s->n * j] * (1 + j % 3);
  }
}

double distance_from_solution(int n, const double* x) {
  double most = 0;
  for (int i = 0; i < n; ++i) {
    const double d = fabs(x[i] - (1 + i % 3));
    if (!(d <= most)) most = d;
  }
  return most;
}

static void put_integer(void* array, int64_t at, int32_t type, int64_t value) {
  if (type == KAURI_INT32)
    ((int32_t*)array)[at] = (int32_t)value;
  else
    ((int64_t*)array)[at] = value;
}

static void put_number(void* array, int64_t at, int32_t scalar, double value) {
  if (scalar == KAURI_FLOAT)
    ((float*)array)[at] = (float)value;
  else
    ((double*)array)[at] = value;
}

static int holds(const struct kauri_compressed* view, int row, int col, double value) {
  if (value == 0) return 0;
  if (view->storage == KAURI_LOWER) return row >= col;
  return view->storage != KAURI_UPPER || row <= col;
}

// Returns whether the call ignores the entry: it lies in the unused half of a full matrix.
static int ignored(const struct kauri_compressed* view, int row, int col) {
  return view->storage == KAURI_LOWER_OF_FULL ? row < col
                                              : view->storage == KAURI_UPPER_OF_FULL && row > col;
}

Arrays arrays_of(const System* s, int32_t storage, int32_t compression, int32_t base,
                 int32_t ptr_type, int32_t index_type, int32_t scalar) {
  const struct kauri_compressed begin = KAURI_COMPRESSED_INIT;
  const size_t most = (size_t)s->n * (size_t)s->n + 1;
  Arrays out;
  int64_t at = 0;
  out.view = begin;
  out.view.n = s->n;
  out.view.storage = storage;
  out.view.compression = compression;
  out.view.base = base;
  out.view.ptr_type = ptr_type;
  out.view.index_type = index_type;
  out.view.scalar = scalar;
  out.view.ptr = out.ptr = malloc(((size_t)s->n + 1) * sizeof(int64_t));
  out.view.index = out.index = malloc(most * sizeof(int64_t));
  out.view.value = out.value = malloc(most * sizeof(double));
  for (int major = 0; major < s->n; ++major) {
    put_integer(out.ptr, major, ptr_type, at + base);
    for (int minor = s->n - 1; minor >= 0; --minor) {
      const int row = compression == KAURI_COLUMNS ? minor : major,
                col = compression == KAURI_COLUMNS ? major : minor;
      if (!holds(&out.view, row, col, s->a[row + s->n * col])) continue;
      put_integer(out.index, at, index_type, minor + base);
      put_number(out.value, at, scalar,
                 ignored(&out.view, row, col) ? NAN : s->a[row + s->n * col]);
      ++at;
    }
  }
  put_integer(out.ptr, s->n, ptr_type, at + base);
  out.view.entries = at;
  return out;
}

void free_arrays(Arrays* arrays) {
  free(arrays->ptr);
  free(arrays->index);
  free(arrays->value);
}

kauri_matrix* matrix_in(const System* s, int32_t base, int32_t scalar) {
  kauri_matrix* matrix = NULL;
  Arrays arrays = arrays_of(s, KAURI_LOWER, KAURI_COLUMNS, base, KAURI_INT32, KAURI_INT32, scalar);
  OK(kauri_matrix_from_compressed(&arrays.view, &matrix));
  free_arrays(&arrays);
  return matrix;
}

kauri_matrix* matrix_of(const System* s, int32_t base) { return matrix_in(s, base, KAURI_DOUBLE); }

struct kauri_dense column_of(void* data, int64_t n) {
  struct kauri_dense dense = KAURI_DENSE_INIT;
  dense.data = data;
  dense.rows = n;
  dense.cols = 1;
  dense.ld = n;
  return dense;
}
