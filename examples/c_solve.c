// Poisson's equation on a square from C: factorises once, solves for many right-hand sides, and
// reads the text of an error.
//
// The problem is -u_xx - u_yy = f on the unit square, u = 0 on its border, by the five-point
// stencil on a grid of kSide x kSide. Each f is a product of sines, whose discrete solution is
// known: f divided by an eigenvalue of A.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSide = 100, kRows = kSide * kSide, kWaves = 8 };

static const double kPi = 3.14159265358979323846;

// Makes h^2 A from the compressed columns of its lower half: 4 on the diagonal, -1 to the right and
// below.
static kauri_status make_matrix(kauri_matrix** matrix) {
  int32_t* ptr = malloc((kRows + 1) * sizeof *ptr);
  int32_t* row = malloc(3 * kRows * sizeof *row);
  double* value = malloc(3 * kRows * sizeof *value);
  struct kauri_compressed a = KAURI_COMPRESSED_INIT;
  kauri_status status;
  int32_t k = 0;
  for (int32_t j = 0; j < kRows; ++j) {
    ptr[j] = k;
    row[k] = j, value[k++] = 4;
    if (j % kSide + 1 < kSide) row[k] = j + 1, value[k++] = -1;
    if (j + kSide < kRows) row[k] = j + kSide, value[k++] = -1;
  }
  ptr[kRows] = k;
  a.n = kRows, a.entries = k, a.ptr = ptr, a.index = row, a.value = value;
  status = kauri_matrix_from_compressed(&a, matrix);
  free(ptr);
  free(row);
  free(value);
  return status;
}

// Writes a product of sines with `wave` half waves in x and wave + 1 in y to a column of b.
static void make_wave(int wave, double* b) {
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x)
      b[x + kSide * y] =
          sin(wave * kPi * (x + 1) / (kSide + 1)) * sin((wave + 1) * kPi * (y + 1) / (kSide + 1));
}

// Returns the eigenvalue of h^2 A that belongs to make_wave().
static double eigenvalue(int wave) {
  const double s = sin(wave * kPi / (2 * (kSide + 1))),
               t = sin((wave + 1) * kPi / (2 * (kSide + 1)));
  return 4 * (s * s + t * t);
}

// Solves for all waves. *worst: the largest distance from the known solutions, relative to their
// size.
static kauri_status solve_waves(kauri_solver* solver, double* worst) {
  double* b = malloc(sizeof *b * kRows * kWaves);
  double* x = malloc(sizeof *x * kRows * kWaves);
  struct kauri_dense rhs = KAURI_DENSE_INIT, solution;
  kauri_status status;
  rhs.data = b, rhs.rows = rhs.ld = kRows, rhs.cols = kWaves;
  solution = rhs;
  solution.data = x;
  for (int w = 0; w < kWaves; ++w) make_wave(w + 1, b + (size_t)kRows * w);
  status = kauri_solver_solve(solver, &rhs, &solution);  // all of them with one factor
  *worst = 0;
  for (size_t k = 0; status == KAURI_OK && k < (size_t)kRows * kWaves; ++k)
    *worst = fmax(*worst, fabs(x[k] * eigenvalue((int)(k / kRows) + 1) - b[k]));
  free(b);
  free(x);
  return status;
}

int main(void) {
  kauri_options* options = NULL;
  kauri_matrix* matrix = NULL;
  kauri_solver* solver = NULL;
  struct kauri_refinement refinement = KAURI_REFINEMENT_INIT;
  double worst = 1;
  kauri_status status = kauri_options_create(&options);
  // The text of the error names the option, and the one that was probably meant.
  if (kauri_options_set(options, "ordering.methd", "nd") != KAURI_OK)
    printf("%s\n", kauri_error_message());
  if (!status) status = kauri_options_set(options, "ordering.method", "nd");
  if (!status) status = kauri_options_set_int(options, "analyze.solves", kWaves);
  if (!status) status = make_matrix(&matrix);
  if (!status) status = kauri_solver_create(options, KAURI_DOUBLE, &solver);
  if (!status) status = kauri_solver_compute(solver, matrix);
  if (!status) status = solve_waves(solver, &worst);
  if (!status) status = kauri_solver_refinement(solver, &refinement);
  if (status) {
    printf("%s: %s\n", kauri_status_name(status), kauri_error_message());
  } else {
    printf("%d rows, %d right-hand sides, kauri %s\n", kRows, kWaves, kauri_version());
    printf("backward error %.1e, distance from the solutions known %.1e\n",
           refinement.componentwise, worst);
  }
  // A - I is not positive definite, since the least eigenvalue of A is below 1: the status says so,
  // and the message names the column.
  if (!status && kauri_solver_refactorize_shifted(solver, -1) == KAURI_NOT_POSITIVE_DEFINITE)
    printf("A - I: %s\n", kauri_error_message());
  kauri_solver_destroy(solver);
  kauri_matrix_destroy(matrix);
  kauri_options_destroy(options);
  return status == KAURI_OK && worst < 1e-10 ? 0 : 1;
}
