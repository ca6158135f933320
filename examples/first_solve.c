// The first program with kauri from C: A x = b with A = tridiag(-1, 2, -1), of order 5, by its
// lower triangle.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.h>
#include <stdio.h>

int main(void) {
  const int32_t ptr[] = {0, 2, 4, 6, 8, 9},
                row[] = {0, 1, 1, 2, 2, 3, 3, 4, 4};  // compressed columns
  const double value[] = {2, -1, 2, -1, 2, -1, 2, -1, 2};
  double x[] = {1, 0, 0, 0, 1};  // b on entry
  struct kauri_compressed a = KAURI_COMPRESSED_INIT;
  struct kauri_dense dense = KAURI_DENSE_INIT;
  kauri_matrix* matrix = NULL;
  kauri_solver* solver = NULL;
  kauri_status status;

  a.n = 5, a.entries = 9, a.ptr = ptr, a.index = row, a.value = value;
  dense.data = x, dense.rows = dense.ld = 5, dense.cols = 1;
  status = kauri_matrix_from_compressed(&a, &matrix);
  if (!status) status = kauri_solver_create(NULL, KAURI_DOUBLE, &solver);
  if (!status) status = kauri_solver_compute(solver, matrix);
  if (!status) status = kauri_solver_solve(solver, NULL, &dense);
  if (status) fprintf(stderr, "%s: %s\n", kauri_status_name(status), kauri_error_message());
  for (int i = 0; !status && i < 5; ++i) printf("%g\n", x[i]);  // 1 five times
  kauri_solver_destroy(solver);
  kauri_matrix_destroy(matrix);
  return status ? 1 : 0;
}
