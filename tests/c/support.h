// What the tests of the C interface share: checks, systems with naive answers, and arrays of every
// kind.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_TESTS_C_SUPPORT_H
#define KAURI_TESTS_C_SUPPORT_H

#include <kauri/kauri.h>

// Checks that failed so far; each prints where.
extern int failed_checks;
void check_true(int ok, const char* file, int line, const char* what);
void check_status(kauri_status got, kauri_status expected, const char* part, const char* file,
                  int line, const char* what);
#define CHECK(x) check_true((x) ? 1 : 0, __FILE__, __LINE__, #x)
#define OK(call) check_status((call), KAURI_OK, "", __FILE__, __LINE__, #call)
// The call returns that status, and the message has that part.
#define FAILS(status, part, call) check_status((call), (status), (part), __FILE__, __LINE__, #call)
#define MISUSE(part, call) FAILS(KAURI_ERROR_USAGE, part, call)

// A symmetric matrix, both halves of it.
typedef struct {
  int n;
  double* a;  // n*n, zeros where there is no entry
} System;
System grid_system(int side);                // 5-point Laplacian, n = side*side
System random_system(int n, unsigned seed);  // sparse, strictly dominant, all numbers of few bits
void free_system(System* system);
unsigned next_random(unsigned* state);

// Of P A P^T, row old_of[k] - base of A the k-th: the lower triangle of L in l (n*n, column by
// column). The first column that fails, or -1.
int naive_cholesky(const System* system, const int32_t* old_of, int base, double* l);
// b = A x for x(i) = 1 + i % 3, and how far an x is from that, at most.
void right_hand_side(const System* system, double* b);
double distance_from_solution(int n, const double* x);

// Arrays as a caller keeps them, one kind of 96.
typedef struct {
  struct kauri_compressed view;  // of the arrays below
  void *ptr, *index, *value;
} Arrays;
// Entries of each column (or row) stand in descending order. value(i,j) is the system's.
Arrays arrays_of(const System* system, int32_t storage, int32_t compression, int32_t base,
                 int32_t ptr_type, int32_t index_type, int32_t scalar);
void free_arrays(Arrays* arrays);
// The lower triangle by columns: int32_t, from base, double.
kauri_matrix* matrix_of(const System* system, int32_t base);
kauri_matrix* matrix_in(const System* system, int32_t base, int32_t scalar);

// One column, in the host's memory.
struct kauri_dense column_of(void* data, int64_t n);

// Tests, by the files they are in.
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
