// Readers and writers of files: Matrix Market and Rutherford-Boeing (plain, gzipped, in tar
// archives), SciPy .npz and .npy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kauri/core/matrix.hpp"

namespace kauri {

/// Options of the readers.
struct ReadOptions {
  int threads = 0;     ///< most threads that parse a large Matrix Market file; 0: as many as
                       ///< cpu_backend(0) has; no result depends on their number
  Index rows = kNone;  ///< rows that right-hand sides must have; kNone: any number
  /// Most bytes that reading may take: the sum of the sizes of the file, its unpacked content and
  /// all arrays made from it, each counted before it is allocated; 0: no bound. A file that needs
  /// more is an Error(memory) that names file, bytes and bound. Without a bound, a matrix of
  /// more than 2^24 rows must have at least a quarter as many entries. A gzipped tar archive may
  /// unpack to at most 64 MB beside the matrices, or 16 times its size if that is more; otherwise
  /// it is an Error(input).
  std::size_t max_bytes = 0;
  /// Treatment of files that hold both halves. full: they must agree, and the lower one is read;
  /// lower_of_full, upper_of_full: that half is read. A file of one half is read as it is.
  Storage both_halves = Storage::full;
  /// Threshold CompressedView::symmetry if both_halves is full, 0 to 1. 0: kSymmetryEps times eps
  /// of double, or, for a .npz file, times eps of its data type.
  double symmetry = 0;
};

/// Reads a symmetric matrix; the content determines the format:
///
/// - Matrix Market: coordinate or array; real, integer, unsigned-integer or pattern; symmetric (one
///   half, lower or upper), or general with two halves that agree;
/// - Rutherford-Boeing and Harwell-Boeing: assembled; real, integer or pattern; symmetric (rsa,
///   isa, psa), or declared unsymmetric with two halves that agree (rua, iua, pua);
/// - either of these gzipped, or in a (gzipped) tar archive as the SuiteSparse Matrix Collection
///   distributes them: if the archive holds several matrices, name/name.mtx is read; a path
///   FILE:MEMBER selects another one;
/// - SciPy's sparse .npz: CSC, CSR, COO, BSR or DIA, stored or deflated; lower, upper or both
///   halves.
///
/// The halves of a file that holds both must agree as Storage::full requires, and the lower one is
/// read. A general Matrix Market file holds both. A .npz with nothing but stored zeros on one side
/// of the diagonal holds the other half alone, since a stored zero equals an absent entry.
///
/// A pattern matrix gets the value -1 off the diagonal and, on it, 1 + the number of entries off
/// the diagonal in the row: symmetric, strictly diagonally dominant. Repeated entries are summed; a
/// missing diagonal entry becomes a stored zero.
///
/// At most `threads` threads parse a large Matrix Market file (0: as many as cpu_backend(0) has);
/// the matrix does not depend on their number. The first 64 KB determine the format: the rest of a
/// file of an unknown format is neither read nor unpacked. Throws Error: input (the text names the
/// file with the line, or the array and entry, and what was expected), memory.
SymmetricMatrix<double> read_matrix(const std::string& path, int threads = 0);
/// Reads a symmetric matrix with options. Throws Error(usage) also for a Storage of one half and a
/// symmetry out of range.
SymmetricMatrix<double> read_matrix(const std::string& path, const ReadOptions& options);

/// A dense matrix that owns its values: column-major, leading dimension = rows.
struct DenseMatrix {
  Index rows = 0;             ///< number of rows
  Index cols = 0;             ///< number of columns
  std::vector<double> value;  ///< length rows*cols: entry (i,j) is value[i + j*rows]

  /// Returns a view into this object, valid until value is resized. The view is empty (0 x 0) if
  /// value has fewer than rows*cols numbers, as after a move.
  [[nodiscard]] MatrixView<double> view() {
    return whole() ? MatrixView<double>{value.data(), rows, cols, rows} : MatrixView<double>{};
  }
  /// Returns a read-only view into this object, valid until value is resized; 0 x 0 if value has
  /// fewer than rows*cols numbers.
  [[nodiscard]] MatrixView<const double> view() const {
    return whole() ? MatrixView<const double>{value.data(), rows, cols, rows}
                   : MatrixView<const double>{};
  }

 private:
  [[nodiscard]] bool whole() const {
    return static_cast<Offset>(value.size()) >= Offset{rows} * cols;
  }
};

/// Reads right-hand sides from a Matrix Market file (array or coordinate; general, or one half of a
/// symmetric or skew-symmetric matrix, which is completed; plain, gzipped or in a tar archive,
/// name_b.mtx or FILE:MEMBER), or from an .npy file (1 or 2 dimensions; floats of 16, 32 or 64
/// bits, integers or bool; C or Fortran order). `rows`: number of rows that the file must have;
/// kNone: any. A coordinate file must have at least rows*cols/16 entries (rows*cols/32 for half a
/// matrix), unless rows*cols is at most 2^20, or at most `rows` if that is given. One without rows
/// may have at most 2^20 columns. Throws as read_matrix().
DenseMatrix read_dense(const std::string& path, int threads = 0, Index rows = kNone);
/// Reads right-hand sides with options, of which both_halves and symmetry are ignored.
DenseMatrix read_dense(const std::string& path, const ReadOptions& options);

/// Writes x to a file; the ending of its name selects the format: .mtx (Matrix Market array, 17
/// digits) or .npy. Throws Error: usage (another ending, x without data, or with an ld below its
/// rows, or if row-major below its columns), input (writing fails).
void write_dense(const std::string& path, MatrixView<const double> x);

/// Writes a symmetric matrix; the ending of the name selects the format: .npz has both halves as
/// SciPy's save_npz writes them (CSC, deflated); any other has the lower triangle as Matrix Market
/// coordinate real symmetric, 17 digits, gzipped for .gz. read_matrix() returns the same bits.
/// Throws Error: input (as check(); a value that is not finite, with its row and column; writing
/// fails), usage (the number of values differs from that of entries).
void write_matrix(const std::string& path, const SymmetricView<double>& a);

/// Reads a permutation from a text file with one zero-based row number a line, old_of(0) first:
/// line k + 1, not counting comments, is the row that is eliminated k-th. Lines that start with %
/// or # are comments. Uses only max_bytes of the options. Throws Error: input (naming the line of a
/// number that is out of range or repeated), memory.
std::vector<Index> read_permutation(const std::string& path, const ReadOptions& options = {});

}  // namespace kauri
