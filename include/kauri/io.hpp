// Files: Matrix Market and Rutherford-Boeing (plain, gzipped, in tar archives), SciPy .npz and .npy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kauri/matrix.hpp"

namespace kauri {

/// How files are read.
struct ReadOptions {
  int threads = 0;     ///< that parse large Matrix Market files; 0: as many as cpu_backend(0) has. Reaches no bit
  Index rows = kNone;  ///< how many right-hand sides must have; kNone: any number
  /// Bytes that reading may take: of the file, of what it holds unpacked, and of all arrays of its numbers, counted one on top of the other
  /// before memory is taken for them; 0: what there is. A file that needs more is an Error(memory) that names file, bytes and bound.
  /// Without a bound matrices have 2^24 rows at most, or a quarter as many entries. Gzipped tar archives of much beside matrices are an
  /// Error(input).
  std::size_t max_bytes = 0;
  /// Of matrices in files that hold both halves: full, lower_of_full or upper_of_full. Other files hold one half, which is taken.
  Storage both_halves = Storage::full;
  /// The threshold CompressedView::symmetry where both_halves is full. 0: kSymmetryEps eps of double; for a .npz file, eps of its own type.
  double symmetry = 0;
};

/// Reads a symmetric matrix; the format is told from the content:
/// - Matrix Market: coordinate or array; real, integer, unsigned-integer or pattern; symmetric (one half, lower or upper), or general with
///   two halves that agree;
/// - Rutherford-Boeing and Harwell-Boeing: assembled, real, integer or pattern, symmetric (rsa, isa, psa), or not said to be so, with two
///   halves that agree (rua, iua, pua);
/// - either of these gzipped, or in a (gzipped) tar archive as the SuiteSparse Matrix Collection ships them: of name/name.mtx beside others
///   the former is read, FILE:MEMBER names one;
/// - SciPy's sparse .npz: CSC, CSR, COO, BSR or DIA, stored or deflated; lower, upper or both halves.
///
/// Of files with both halves these must agree as Storage::full has it, and the lower one is taken; in a general Matrix Market file both are
/// there. Of .npz with stored zeros alone on one side of the diagonal the other half is all: 0 and nothing are the same entry.
///
/// Pattern matrices get the value -1 off the diagonal and 1 + (entries off the diagonal of the row) on it: symmetric, strictly dominant.
/// Repeated entries are summed; a missing diagonal entry is a stored zero.
/// Large Matrix Market files are parsed by `threads` threads (0: as cpu_backend(0)); the matrix is the same by any number.
/// The first 64 KB tell the format: what is in none of them, and the rest of it, is neither read nor unpacked.
/// Throws Error(input) naming file, line (or array and entry) and what was expected, and Error(memory).
SymmetricMatrix<double> read_matrix(const std::string& path, int threads = 0);
/// The same with options. Throws Error(usage) for a Storage of one half and a symmetry out of range.
SymmetricMatrix<double> read_matrix(const std::string& path, const ReadOptions& options);

/// A dense matrix that owns its values, column-major, ld = rows.
struct DenseMatrix {
  Index rows = 0;             ///< of the matrix
  Index cols = 0;             ///< of the matrix
  std::vector<double> value;  ///< length rows*cols: entry (i,j) is value[i + j*rows]

  /// Into this object, as long as value is not resized. Empty (0 x 0) where value has fewer numbers, as after a move.
  [[nodiscard]] MatrixView<double> view() { return whole() ? MatrixView<double>{value.data(), rows, cols, rows} : MatrixView<double>{}; }
  /// The same, to be read only.
  [[nodiscard]] MatrixView<const double> view() const {
    return whole() ? MatrixView<const double>{value.data(), rows, cols, rows} : MatrixView<const double>{};
  }

 private:
  [[nodiscard]] bool whole() const { return static_cast<Offset>(value.size()) >= Offset{rows} * cols; }
};

/// Right-hand sides: Matrix Market array (or coordinate) format, general, symmetric or skew-symmetric (one half, of which the other is
/// made), plain, gzipped or in a tar archive (name_b.mtx, or FILE:MEMBER), or .npy (float or double, C or Fortran order). `rows`: how many
/// there must be; kNone: any number. Coordinate format must fill a place in 16, but for a matrix of 2^20 places or one column of `rows`.
/// Throws Error(input) as read_matrix() does. Right-hand sides without rows have 2^20 columns at most.
DenseMatrix read_dense(const std::string& path, int threads = 0, Index rows = kNone);
/// The same.
DenseMatrix read_dense(const std::string& path, const ReadOptions& options);

/// Writes by the ending of the name: .mtx (Matrix Market array, 17 digits) or .npy. Throws Error(usage) for another ending and for an x
/// without data, or whose ld has no room for its rows, Error(input) if it fails.
void write_dense(const std::string& path, MatrixView<const double> x);

/// Writes by the ending of the name: .npz both halves as SciPy's save_npz does (CSC, deflated), all others the lower triangle as Matrix
/// Market coordinate real symmetric, 17 digits, gzipped for .gz. Reading it gives the same bits. Throws Error(input) as check() does,
/// naming row and column of a value that is not finite, and if it fails; Error(usage) for another number of values than of entries.
void write_matrix(const std::string& path, const SymmetricView<double>& a);

/// A permutation as text: one zero-based row number a line, old_of(0) first: line k + 1, comments aside, is the row that is eliminated
/// k-th. Lines that start with % or # are comments.
std::vector<Index> read_permutation(const std::string& path, const ReadOptions& options = {});

}  // namespace kauri
