// A user's program in C: A x = b with A = tridiag(-1, 2, -1), of order 5, by its lower triangle.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.h>
#include <stdio.h>

int main(void) {
  const int32_t row[] = {0, 1, 1, 2, 2, 3, 3, 4, 4}, column[] = {0, 0, 1, 1, 2, 2, 3, 3, 4};
  const double value[] = {2, -1, 2, -1, 2, -1, 2, -1, 2};
  double x[] = {1, 0, 0, 0, 1};
  struct kauri_triplets a = KAURI_TRIPLETS_INIT;
  struct kauri_dense dense = KAURI_DENSE_INIT;
  kauri_matrix* matrix = NULL;
  kauri_solver* solver = NULL;
  a.n = 5, a.entries = 9, a.row = row, a.column = column, a.value = value;
  dense.data = x, dense.rows = dense.ld = 5, dense.cols = 1;
  kauri_status status = kauri_matrix_from_triplets(&a, &matrix);
  if (!status) status = kauri_solver_create(NULL, KAURI_DOUBLE, &solver);
  if (!status) status = kauri_solver_compute(solver, matrix);
  if (!status) status = kauri_solver_solve(solver, NULL, &dense);
  if (!status) printf("kauri %s: %g %g %g %g %g\n", kauri_version(), x[0], x[1], x[2], x[3], x[4]);
  if (status) printf("%s\n", kauri_error_message());
  kauri_solver_destroy(solver);
  kauri_matrix_destroy(matrix);
  return status;
}
