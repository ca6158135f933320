// Tools of the tests of the C interface: checks, systems with naive answers, and arrays of every
// kind.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_TESTS_C_SUPPORT_H
#define KAURI_TESTS_C_SUPPORT_H

#include <kauri/kauri.h>

// Number of checks that failed so far; each prints its place.
extern int failed_checks;
void check_true(int ok, const char* file, int line, const char* what);
void check_status(kauri_status got, kauri_status expected, const char* part, const char* file,
                  int line, const char* what);
#define CHECK(x) check_true((x) ? 1 : 0, __FILE__, __LINE__, #x)
#define OK(call) check_status((call), KAURI_OK, "", __FILE__, __LINE__, #call)
// Checks that the call returns this status and that the message contains this part.
#define FAILS(status, part, call) check_status((call), (status), (part), __FILE__, __LINE__, #call)
#define MISUSE(part, call) FAILS(KAURI_ERROR_USAGE, part, call)

// A symmetric matrix with both halves.
typedef struct {
  int n;
  double* a;  // n*n, zeros where there is no entry
} System;
System grid_system(int side);                // 5-point Laplacian, n = side*side
System random_system(int n, unsigned seed);  // sparse, strictly dominant, all numbers have few bits
void free_system(System* system);
unsigned next_random(unsigned* state);

// Computes the lower triangle of L of P A P^T in l (n*n, column by column); row old_of[k] - base of
// A comes k-th. Returns the first column that fails, or -1.
int naive_cholesky(const System* system, const int32_t* old_of, int base, double* l);
// right_hand_side(): b = A x for x(i) = 1 + i % 3. distance_from_solution(): the largest |x(i) - (1
// + i % 3)|.
void right_hand_side(const System* system, double* b);
double distance_from_solution(int n, const double* x);

// A caller's arrays, in one of 96 kinds.
typedef struct {
  struct kauri_compressed view;  // of the arrays below
  void *ptr, *index, *value;
} Arrays;
// Makes the arrays; the entries of each column (or row) descend. value(i,j) is the system's.
Arrays arrays_of(const System* system, int32_t storage, int32_t compression, int32_t base,
                 int32_t ptr_type, int32_t index_type, int32_t scalar);
void free_arrays(Arrays* arrays);
// Makes a matrix from the lower triangle by columns: int32_t, counted from base, double.
kauri_matrix* matrix_of(const System* system, int32_t base);
kauri_matrix* matrix_in(const System* system, int32_t base, int32_t scalar);

// Describes one column in host memory.
struct kauri_dense column_of(void* data, int64_t n);

// Tests, by the files that define them.
void test_status(void);
void test_options(void);
void test_matrix(void);
void test_plan(void);
void test_factor(void);
void test_lower(void);
void test_save(void);
void test_solver(void);
void test_threads(void);

#endif
