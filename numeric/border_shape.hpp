// Where the numbers of a bordered matrix, and of vectors for it, lie.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/matrix.hpp"
#include "symbolic/common/checked.hpp"

namespace kauri::numeric {

/// Of an A with n rows and nnz entries, and nrhs right-hand sides: rows 0 to nrhs - 1 of the bordered matrix are theirs, A's follow.
struct BorderShape {
  Index n;
  Offset nnz;
  Index nrhs;

  [[nodiscard]] Index rows() const { return n + nrhs; }
  /// Values of the border, which come first: of each right-hand side a diagonal entry and n others.
  [[nodiscard]] Offset border() const { return symbolic::checked_mul(Offset{n} + 1, nrhs, "entries of a border"); }
  [[nodiscard]] Offset values() const { return symbolic::checked_add(border(), nnz, "entries of a bordered matrix"); }
  /// Numbers of a block of vectors.
  [[nodiscard]] Offset vectors() const { return symbolic::checked_mul(rows(), nrhs, "numbers of vectors with a border"); }

  /// The right-hand sides among the values.
  template <class T>
  [[nodiscard]] MatrixView<T> b_in(T* values) const {
    return {values + 1, n, nrhs, Offset{n} + 1};
  }
  template <class T>
  [[nodiscard]] MatrixView<T> block(T* vectors) const {
    return {vectors, rows(), nrhs, rows()};
  }
  /// A's rows of vectors in the caller's numbering.
  template <class T>
  [[nodiscard]] MatrixView<T> x_in(T* vectors) const {
    return {vectors + nrhs, n, nrhs, rows()};
  }
};

}  // namespace kauri::numeric
