// Files: Matrix Market (plain or gzipped), SciPy .npz and .npy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "kauri/matrix.hpp"

namespace kauri {

/// Reads a symmetric matrix; the format is told from the content, not the name: Matrix Market (coordinate, real or integer or pattern;
/// symmetric, or general that is symmetric), the same gzipped, SciPy sparse .npz (CSR or CSC, stored or deflated; lower, upper or full).
/// Pattern matrices get the value -1 off the diagonal and 1 + (entries off the diagonal of the row) on it: symmetric, strictly dominant.
/// Throws Error(input) naming file, line (or array) and what was expected.
SymmetricMatrix<double> read_matrix(const std::string& path);

/// A dense matrix that owns its values, column-major, ld = rows.
struct DenseMatrix {
  Index rows = 0;
  Index cols = 0;
  std::vector<double> value;

  [[nodiscard]] MatrixView<double> view() { return {value.data(), rows, cols, rows}; }
  [[nodiscard]] MatrixView<const double> view() const { return {value.data(), rows, cols, rows}; }
};

/// Right-hand sides: Matrix Market array (or coordinate) format, or .npy (float or double, C or Fortran order).
DenseMatrix read_dense(const std::string& path);

/// Writes by the ending of the name: .mtx (Matrix Market array, 17 digits) or .npy. Throws Error(usage) for another ending, Error(input) if
/// it fails.
void write_dense(const std::string& path, MatrixView<const double> x);

/// Writes by the ending of the name: .npz both halves as SciPy's save_npz does (CSC, deflated), all others the lower triangle as Matrix
/// Market coordinate real symmetric, 17 digits, gzipped for .gz. Reading it gives the same bits. Throws Error(input) if it fails.
void write_matrix(const std::string& path, const SymmetricView<double>& a);

/// A permutation as text: one zero-based row number a line, old_of(0) first. Lines that start with % or # are comments.
std::vector<Index> read_permutation(const std::string& path);

}  // namespace kauri
