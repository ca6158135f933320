// The layout of a bordered matrix and of its vectors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/common/checked.hpp"
#include "kauri/core/matrix.hpp"

namespace kauri::numeric {

/// Sizes of the bordered matrix [c B^T; B A]: A has n rows and nnz entries in the lower triangle, B
/// nrhs columns. Rows 0 to nrhs - 1 belong to the right-hand sides, A's rows follow. Functions that
/// return an Offset throw Error(overflow).
struct BorderShape {
  Index n;
  Offset nnz;
  Index nrhs;

  [[nodiscard]] Index rows() const { return n + nrhs; }
  /// Returns the number of values of the border, (n + 1) nrhs, which precede A's: for each
  /// right-hand side a diagonal entry and the n entries of b.
  [[nodiscard]] Offset border() const {
    return checked_mul(Offset{n} + 1, nrhs, "entries of a border");
  }
  /// Returns the number of values of the bordered matrix: border(), then A's nnz.
  [[nodiscard]] Offset values() const {
    return checked_add(border(), nnz, "entries of a bordered matrix");
  }
  /// Returns the number of entries of nrhs vectors of rows() entries each.
  [[nodiscard]] Offset vectors() const {
    return checked_mul(rows(), nrhs, "numbers of vectors with a border");
  }

  /// Returns the right-hand sides, n x nrhs, in place in the array of the bordered matrix's values.
  template <class T>
  [[nodiscard]] MatrixView<T> b_in(T* values) const {
    return {values + 1, n, nrhs, Offset{n} + 1};
  }
  /// Returns nrhs vectors of rows() entries as a matrix.
  template <class T>
  [[nodiscard]] MatrixView<T> block(T* vectors) const {
    return {vectors, rows(), nrhs, rows()};
  }
  /// Returns A's rows, n x nrhs, of a block of vectors in the order of the bordered matrix's rows.
  template <class T>
  [[nodiscard]] MatrixView<T> x_in(T* vectors) const {
    return {vectors + nrhs, n, nrhs, rows()};
  }
};

}  // namespace kauri::numeric
