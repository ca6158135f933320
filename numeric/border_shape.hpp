// The layout of a bordered matrix and of its vectors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/common/checked.hpp"
#include "kauri/core/matrix.hpp"

namespace kauri::numeric {

/// Sizes of a bordered matrix: A has n rows and nnz entries; rows 0 to nrhs - 1 are those of the
/// right-hand sides, A's rows follow.
struct BorderShape {
  Index n;
  Offset nnz;
  Index nrhs;

  [[nodiscard]] Index rows() const { return n + nrhs; }
  /// Returns the number of values of the border, which come first: a diagonal entry and n others
  /// for each right-hand side.
  [[nodiscard]] Offset border() const {
    return checked_mul(Offset{n} + 1, nrhs, "entries of a border");
  }
  [[nodiscard]] Offset values() const {
    return checked_add(border(), nnz, "entries of a bordered matrix");
  }
  /// Returns the number of entries of a block of nrhs vectors.
  [[nodiscard]] Offset vectors() const {
    return checked_mul(rows(), nrhs, "numbers of vectors with a border");
  }

  /// Returns a view of the right-hand sides within the values: n x nrhs.
  template <class T>
  [[nodiscard]] MatrixView<T> b_in(T* values) const {
    return {values + 1, n, nrhs, Offset{n} + 1};
  }
  template <class T>
  [[nodiscard]] MatrixView<T> block(T* vectors) const {
    return {vectors, rows(), nrhs, rows()};
  }
  /// Returns a view of A's rows of a block of vectors in the caller's numbering: n x nrhs.
  template <class T>
  [[nodiscard]] MatrixView<T> x_in(T* vectors) const {
    return {vectors + nrhs, n, nrhs, rows()};
  }
};

}  // namespace kauri::numeric
