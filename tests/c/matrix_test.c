// Matrices from every kind of array, from triplets and from files; new values in the caller's
// order; rejected input.
// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

// The lower triangle in the handle equals the system's, with each diagonal entry first.
static void check_lower(const kauri_matrix* matrix, const System* s, double factor) {
  const int64_t* col_ptr = NULL;
  const int32_t* row = NULL;
  const void* value = NULL;
  int64_t n = -1, nnz = -1, entries = 0, wrong = 0;
  int32_t scalar = -1;
  OK(kauri_matrix_n(matrix, &n));
  OK(kauri_matrix_nnz(matrix, &nnz));
  OK(kauri_matrix_scalar(matrix, &scalar));
  OK(kauri_matrix_lower(matrix, &col_ptr, &row, &value));
  CHECK(n == s->n);
  for (int j = 0; j < s->n; ++j) {
    CHECK(row[col_ptr[j]] == j);
    for (int64_t k = col_ptr[j]; k < col_ptr[j + 1]; ++k) {
      const double got =
          scalar == KAURI_FLOAT ? ((const float*)value)[k] : ((const double*)value)[k];
      wrong += got != factor * s->a[row[k] + s->n * j];
    }
    for (int i = j; i < s->n; ++i) entries += i == j || s->a[i + s->n * j] != 0;
  }
  CHECK(wrong == 0);
  CHECK(nnz == entries && col_ptr[s->n] == entries);
}

static void one_kind(const System* s, int32_t storage, int32_t compression, int kind) {
  const int32_t base = kind & 1, ptr_type = kind >> 1 & 1, index_type = kind >> 2 & 1,
                scalar = kind >> 3 & 1;
  Arrays arrays = arrays_of(s, storage, compression, base, ptr_type, index_type, scalar);
  kauri_matrix* matrix = NULL;
  int32_t told = -1;
  OK(kauri_matrix_from_compressed(&arrays.view, &matrix));
  OK(kauri_matrix_base(matrix, &told));
  CHECK(told == base);
  check_lower(matrix, s, 1);
  // Sets twice the values, in the caller's order.
  for (int64_t k = 0; k < arrays.view.entries; ++k) {
    if (scalar == KAURI_FLOAT)
      ((float*)arrays.value)[k] *= 2;
    else
      ((double*)arrays.value)[k] *= 2;
  }
  OK(kauri_matrix_set_values(matrix, arrays.value, arrays.view.entries));
  check_lower(matrix, s, 2);
  MISUSE("entries is 1, expected", kauri_matrix_set_values(matrix, arrays.value, 1));
  MISUSE("value is null", kauri_matrix_set_values(matrix, NULL, arrays.view.entries));
  free_arrays(&arrays);
  kauri_matrix_destroy(matrix);
}

static void every_kind(void) {
  System s = random_system(23, 7);
  for (int32_t storage = KAURI_LOWER; storage <= KAURI_UPPER_OF_FULL; ++storage)
    for (int32_t compression = KAURI_COLUMNS; compression <= KAURI_ROWS; ++compression)
      for (int kind = 0; kind < 16; ++kind) one_kind(&s, storage, compression, kind);
  free_system(&s);
}

// Finds place[k] of each entry by its value, since all values differ.
static void places(void) {
  System s = random_system(15, 3);
  for (int j = 0, next = 1; j < s.n; ++j)
    for (int i = j; i < s.n; ++i)
      if (s.a[i + s.n * j] != 0) s.a[i + s.n * j] = s.a[j + s.n * i] = next++;
  for (int32_t storage = KAURI_LOWER; storage <= KAURI_UPPER_OF_FULL; ++storage) {
    Arrays arrays =
        arrays_of(&s, storage, KAURI_COLUMNS, 1, KAURI_INT32, KAURI_INT32, KAURI_DOUBLE);
    int64_t* place = malloc((size_t)arrays.view.entries * sizeof *place);
    const void* lower = NULL;
    kauri_matrix* matrix = NULL;
    int64_t left_out = 0, nnz = 0;
    OK(kauri_matrix_from_compressed(&arrays.view, &matrix));
    OK(kauri_matrix_places(matrix, place, arrays.view.entries));
    OK(kauri_matrix_lower(matrix, NULL, NULL, &lower));
    OK(kauri_matrix_nnz(matrix, &nnz));
    for (int64_t k = 0; k < arrays.view.entries; ++k) {
      left_out += place[k] < 0;
      if (place[k] >= 0) CHECK(((const double*)lower)[place[k]] == ((double*)arrays.value)[k]);
    }
    CHECK(left_out == arrays.view.entries - nnz);
    MISUSE("entries is 3, expected", kauri_matrix_places(matrix, place, 3));
    kauri_matrix_destroy(matrix);
    free(place);
    free_arrays(&arrays);
  }
  free_system(&s);
}

// 1-based triplets in random order, with duplicates at (2,1).
static void triplets(void) {
  const int32_t row[] = {3, 2, 1, 2, 2, 3}, column[] = {3, 1, 1, 2, 1, 2};
  const int64_t long_row[] = {3, 2, 1, 2, 2, 3}, long_column[] = {3, 1, 1, 2, 1, 2};
  double value[] = {7, -1, 5, 6, -2, -3};
  const float narrow[] = {7, -1, 5, 6, -2, -3};
  double full[] = {5, -3, 0, -3, 6, -3, 0, -3, 7};
  System s = {3, full};
  int64_t place[6] = {0};
  kauri_matrix* matrix = NULL;
  struct kauri_triplets t = KAURI_TRIPLETS_INIT;
  t.n = 3, t.entries = 6, t.row = row, t.column = column, t.value = value, t.base = 1;
  OK(kauri_matrix_from_triplets(&t, &matrix));
  check_lower(matrix, &s, 1);
  OK(kauri_matrix_places(matrix, place, 6));
  CHECK(place[0] == 4 && place[1] == 1 && place[2] == 0 && place[3] == 2 && place[4] == 1 &&
        place[5] == 3);
  for (int k = 0; k < 6; ++k) value[k] *= 2;
  OK(kauri_matrix_set_values(matrix, value, 6));
  check_lower(matrix, &s, 2);
  kauri_matrix_destroy(matrix);
  t.row = long_row, t.column = long_column, t.value = narrow, t.index_type = KAURI_INT64,
  t.scalar = KAURI_FLOAT;
  OK(kauri_matrix_from_triplets(&t, &matrix));
  check_lower(matrix, &s, 1);
  kauri_matrix_destroy(matrix);
  t.duplicates = KAURI_REFUSE;
  FAILS(KAURI_ERROR_INPUT, "entry (2, 1) occurs twice, expected once",
        kauri_matrix_from_triplets(&t, &matrix));
  CHECK(matrix == NULL);
  t.base = 0;
  FAILS(KAURI_ERROR_INPUT, "triplet 0: column 3, expected 0 to 2",
        kauri_matrix_from_triplets(&t, &matrix));
  const int64_t far[] = {INT64_MIN};
  t.base = 1, t.entries = 1, t.column = far;
  FAILS(KAURI_ERROR_INPUT, "triplet 0: column -9223372036854775808, expected 1 to 3",
        kauri_matrix_from_triplets(&t, &matrix));
  t.entries = 6, t.column = long_column;
  t.n = (int64_t)1 << 31;
  FAILS(KAURI_ERROR_OVERFLOW, "at most 2^31 - 1", kauri_matrix_from_triplets(&t, &matrix));
  t.n = 3, t.base = 1, t.duplicates = KAURI_SUM, t.reserved = -1;
  MISUSE("triplets: reserved is -1, expected 0", kauri_matrix_from_triplets(&t, &matrix));
  MISUSE("triplets is null", kauri_matrix_from_triplets(NULL, &matrix));
}

static void refused_arrays(void) {
  int32_t ptr[] = {1, 3, 4, 5}, index[] = {1, 2, 2, 3};
  double value[] = {2, -1, 2, 2};
  kauri_matrix* matrix = NULL;
  struct kauri_compressed a = KAURI_COMPRESSED_INIT;
  a.n = 3, a.entries = 4, a.ptr = ptr, a.index = index, a.value = value, a.base = 1;
  OK(kauri_matrix_from_compressed(&a, &matrix));
  kauri_matrix_destroy(matrix);
  a.storage = KAURI_UPPER;
  FAILS(KAURI_ERROR_INPUT, "entry (2, 1) lies in the wrong half",
        kauri_matrix_from_compressed(&a, &matrix));
  a.storage = KAURI_FULL;
  FAILS(KAURI_ERROR_INPUT, "entry (2, 1) has no partner (1, 2)",
        kauri_matrix_from_compressed(&a, &matrix));
  a.storage = 7;
  MISUSE("storage is 7, expected one of the constants of kauri.h",
         kauri_matrix_from_compressed(&a, &matrix));
  a.storage = KAURI_LOWER, a.base = 0;
  FAILS(KAURI_ERROR_INPUT, "starts at 1, expected 0", kauri_matrix_from_compressed(&a, &matrix));
  a.base = 1, index[3] = 4;
  FAILS(KAURI_ERROR_INPUT, "row 4, expected 1 to 3", kauri_matrix_from_compressed(&a, &matrix));
  index[3] = 3, a.entries = 3;
  FAILS(KAURI_ERROR_INPUT, "ends at 5 but there are 3", kauri_matrix_from_compressed(&a, &matrix));
  a.entries = -1;
  MISUSE("index: a length of -1", kauri_matrix_from_compressed(&a, &matrix));
  a.entries = 4, a.index = NULL;
  MISUSE("index is null", kauri_matrix_from_compressed(&a, &matrix));
  a.index = index, a.scalar = 2;
  MISUSE("scalar is 2", kauri_matrix_from_compressed(&a, &matrix));
  a.scalar = KAURI_DOUBLE, a.ptr_type = -1;
  MISUSE("integer type is -1", kauri_matrix_from_compressed(&a, &matrix));
  a.ptr_type = KAURI_INT32, a.n = -1;
  FAILS(KAURI_ERROR_INPUT, "n is -1", kauri_matrix_from_compressed(&a, &matrix));
  a.n = 3, a.reserved = 1;
  MISUSE("compressed: reserved is 1, expected 0", kauri_matrix_from_compressed(&a, &matrix));
  a.struct_size = 0;
  MISUSE("compressed: struct_size is 0, expected", kauri_matrix_from_compressed(&a, &matrix));
  CHECK(matrix == NULL);
}

// Two entries at one position.
static void duplicates(void) {
  const int32_t ptr[] = {0, 3, 4}, index[] = {0, 1, 1, 1};
  const double value[] = {4, -1, -2, 5};
  double full[] = {4, -3, -3, 5};
  System s = {2, full};
  kauri_matrix* matrix = NULL;
  struct kauri_compressed a = KAURI_COMPRESSED_INIT;
  a.n = 2, a.entries = 4, a.ptr = ptr, a.index = index, a.value = value;
  OK(kauri_matrix_from_compressed(&a, &matrix));
  check_lower(matrix, &s, 1);
  kauri_matrix_destroy(matrix);
  a.duplicates = KAURI_REFUSE;
  FAILS(KAURI_ERROR_INPUT, "entry (1, 0) occurs twice, expected once",
        kauri_matrix_from_compressed(&a, &matrix));
  a.duplicates = 2;
  MISUSE("duplicates is 2", kauri_matrix_from_compressed(&a, &matrix));
  a.duplicates = KAURI_SUM, a.compression = 2;
  MISUSE("compression is 2", kauri_matrix_from_compressed(&a, &matrix));
}

// Halves that differ by rounding, by more, and within the caller's tolerance; a zero against a
// missing entry; the ignored half.
static void two_halves(int32_t compression, int32_t of_triplets) {
  const struct {
    double lower, upper, symmetry;
    int taken;
  } cases[] = {{-1, -1, 0, 1},
               {-1, -1 - 1e-13, 0, 1},
               {-1, -1.00000001, 0, 0},
               {-1, -1.00000001, 1e-8, 1},
               {-1, -1.00000001, 1e-9, 0},
               {3e-17, 0, 0, 1},
               {0, 3e-17, 0, 1},
               {-1, 0, 0, 0},
               {0, -1, 0, 0},
               {-1, -1 - 1e-13, 1e-16, 0},
               {0.0, -0.0, 1e-300, 1}};
  const int32_t ptr[] = {0, 2, 4}, index[] = {0, 1, 0, 1}, row[] = {0, 1, 0, 1},
                column[] = {0, 0, 1, 1};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    for (int32_t storage = KAURI_FULL; storage <= KAURI_UPPER_OF_FULL; ++storage) {
      const int rows = !of_triplets && compression == KAURI_ROWS;
      const double value[] = {4, rows ? cases[k].upper : cases[k].lower,
                              rows ? cases[k].lower : cases[k].upper, 4};
      kauri_matrix* matrix = NULL;
      const void* lower = NULL;
      struct kauri_compressed a = KAURI_COMPRESSED_INIT;
      struct kauri_triplets t = KAURI_TRIPLETS_INIT;
      a.n = 2, a.entries = 4, a.ptr = ptr, a.index = index, a.value = value, a.storage = storage,
      a.compression = compression;
      a.symmetry = cases[k].symmetry;
      t.n = 2, t.entries = 4, t.row = row, t.column = column, t.value = value, t.storage = storage,
      t.symmetry = cases[k].symmetry;
      const kauri_status got = of_triplets ? kauri_matrix_from_triplets(&t, &matrix)
                                           : kauri_matrix_from_compressed(&a, &matrix);
      if (storage == KAURI_FULL && !cases[k].taken) {
        CHECK(got == KAURI_ERROR_INPUT && strstr(kauri_error_message(), "(1, 0)") &&
              strstr(kauri_error_message(), "(0, 1)"));
        CHECK(strstr(kauri_error_message(), "sqrt(|a_ii a_jj|)") != NULL);
        continue;
      }
      OK(got);
      OK(kauri_matrix_lower(matrix, NULL, NULL, &lower));
      CHECK(((const double*)lower)[1] ==
            (storage == KAURI_UPPER_OF_FULL ? cases[k].upper : cases[k].lower));
      kauri_matrix_destroy(matrix);
    }
  struct kauri_compressed wrong = KAURI_COMPRESSED_INIT;
  kauri_matrix* none = NULL;
  const int32_t zero = 0;
  wrong.ptr = &zero, wrong.symmetry = -1;
  MISUSE("symmetry is -1, expected 0 to 1", kauri_matrix_from_compressed(&wrong, &none));
}

static void without_rows(void) {
  const int32_t ptr = 0;
  int64_t n = -1, nnz = -1;
  kauri_matrix* matrix = NULL;
  struct kauri_compressed a = KAURI_COMPRESSED_INIT;
  a.ptr = &ptr;
  OK(kauri_matrix_from_compressed(&a, &matrix));
  OK(kauri_matrix_n(matrix, &n));
  OK(kauri_matrix_nnz(matrix, &nnz));
  CHECK(n == 0 && nnz == 0);
  OK(kauri_matrix_set_values(matrix, NULL, 0));
  kauri_matrix_destroy(matrix);
  a.ptr = NULL;
  MISUSE("ptr is null", kauri_matrix_from_compressed(&a, &matrix));
}

// Finds the least max_bytes with which the file is read; one byte less is an error. The program
// writes the files itself, in its working folder.
static void bounded(const char* name, struct kauri_read how) {
  kauri_matrix* matrix = NULL;
  size_t least = 1, most = 1 << 20;
  while (least < most) {
    how.max_bytes = (least + most) / 2;
    const kauri_status status = kauri_matrix_read_with(name, &how, &matrix);
    CHECK(status == KAURI_OK || status == KAURI_ERROR_MEMORY);
    if (status == KAURI_OK) most = how.max_bytes;
    if (status != KAURI_OK) least = how.max_bytes + 1;
    kauri_matrix_destroy(matrix);
  }
  CHECK(least > 100 && least < 10000);  // for a file of 70 bytes
  how.max_bytes = least - 1;
  FAILS(KAURI_ERROR_MEMORY, name, kauri_matrix_read_with(name, &how, &matrix));
  CHECK(matrix == NULL && strstr(kauri_error_message(), "bytes") != NULL);
}

static void files(void) {
  static const char name[] = "c_interface_test.mtx", wrong[] = "c_interface_test_wrong.mtx";
  System s = random_system(19, 5);
  for (int32_t scalar = KAURI_DOUBLE; scalar <= KAURI_FLOAT; ++scalar) {
    kauri_matrix *matrix = matrix_in(&s, 1, scalar), *again = NULL;
    OK(kauri_matrix_write(matrix, name));
    OK(kauri_matrix_read(name, 1, &again));
    check_lower(again, &s, 1);
    kauri_matrix_destroy(again);
    kauri_matrix_destroy(matrix);
  }
  free_system(&s);
  FILE* file = fopen(wrong, "w");
  CHECK(file != NULL);
  if (file == NULL) return;
  fputs("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 x 4\n", file);
  fclose(file);
  kauri_matrix* matrix = NULL;
  const void* lower = NULL;
  file = fopen(name, "w");
  fputs("%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 4\n2 1 -1\n1 2 -1.5\n2 2 4\n",
        file);
  fclose(file);
  FAILS(KAURI_ERROR_INPUT, "(1, 2) in line 5 is -1.5", kauri_matrix_read(name, 0, &matrix));
  struct kauri_read how = KAURI_READ_INIT;
  FAILS(KAURI_ERROR_INPUT, "(1, 2) in line 5 is -1.5", kauri_matrix_read_with(name, &how, &matrix));
  how.symmetry = 1e-3;
  FAILS(KAURI_ERROR_INPUT, "at most 0.001", kauri_matrix_read_with(name, &how, &matrix));
  for (int k = 0; k < 3; ++k) {
    how.both_halves = k == 0 ? KAURI_FULL : k == 1 ? KAURI_LOWER_OF_FULL : KAURI_UPPER_OF_FULL;
    how.symmetry = k == 0 ? 0.2 : 0;
    OK(kauri_matrix_read_with(name, &how, &matrix));
    OK(kauri_matrix_lower(matrix, NULL, NULL, &lower));
    CHECK(((const double*)lower)[1] == (k == 2 ? -1.5 : -1));
    kauri_matrix_destroy(matrix);
  }
  bounded(name, how);
  how.both_halves = KAURI_LOWER;
  MISUSE("a storage of one half", kauri_matrix_read_with(name, &how, &matrix));
  how.both_halves = 5;
  MISUSE("storage is 5, expected one of the constants of kauri.h",
         kauri_matrix_read_with(name, &how, &matrix));
  how.both_halves = KAURI_FULL;
  how.symmetry = 2;
  MISUSE("symmetry is 2, expected 0 to 1", kauri_matrix_read_with(name, &how, &matrix));
  how.struct_size = 1;
  MISUSE("how: struct_size is 1", kauri_matrix_read_with(name, &how, &matrix));
  MISUSE("how is null", kauri_matrix_read_with(name, NULL, &matrix));
  FAILS(KAURI_ERROR_INPUT, "c_interface_test_wrong.mtx: line 4",
        kauri_matrix_read(wrong, 0, &matrix));
  FAILS(KAURI_ERROR_INPUT, "not_there.mtx", kauri_matrix_read("not_there.mtx", 0, &matrix));
  MISUSE("threads is -1", kauri_matrix_read(wrong, -1, &matrix));
  CHECK(matrix == NULL);
  remove(name);
  remove(wrong);
}

void test_matrix(void) {
  every_kind();
  places();
  triplets();
  refused_arrays();
  duplicates();
  for (int32_t compression = KAURI_COLUMNS; compression <= KAURI_ROWS; ++compression)
    two_halves(compression, 0);
  two_halves(KAURI_COLUMNS, 1);
  without_rows();
  files();
}
