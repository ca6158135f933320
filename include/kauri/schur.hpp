// SchurComplement: what is left of A on its last rows once all others are eliminated, and the solves with those others.
//
// With the rows of OrderingOptions::last as block 2 and all others as block 1:  S = A22 - A21 A11^-1 A12 = L22 L22^T.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "kauri/factor.hpp"

namespace kauri {

/// L22 of one factorisation, copied from the factor to the host's memory, dense: count^2 numbers. For A + shift I where that was
/// factorised. Copies are as good as the original; the factor may go or be filled again, but condense() and expand() take one of
/// the plan and the values that it was read from (they throw Error(usage) for another plan).
template <Scalar T>
class SchurComplement {
 public:
  /// On the `count` rows that the plan has last: those of OrderingOptions::last, in its sequence, where count is their number; of other
  /// counts the last ones of its permutation. O(count^2) and a copy of the fronts that hold them. Throws Error(usage) for a factor that is
  /// not valid and a count that is negative or beyond n.
  SchurComplement(const Factor<T>& factor, Index count);

  /// Rows and columns of S.
  [[nodiscard]] Index order() const { return order_; }
  /// S to its lower triangle; the upper one is left alone. s: order() x order(). Row i is that of the i-th row of `last`. Computed as L22
  /// L22^T, by count^3 / 3 operations of one thread. Throws Error(usage) for other sizes; stop: as for Factor::solve().
  void write(MatrixView<T> s, const std::stop_token& stop = {}) const;

  /// y = L^-1 P b, which expand() takes, and g = b2 - A21 A11^-1 b1: then x2 with S x2 = g is A^-1 b on `last`. b and y: n rows; g: order()
  /// rows; as many columns each. y is b itself or does not overlap it. Throws what Factor::solve() throws; stop: the same.
  void condense(const Factor<T>& factor, MatrixView<const T> b, MatrixView<T> y, MatrixView<T> g, Workspace<T>& workspace,
                const std::stop_token& stop = {}) const;
  /// Given any x2 (order() rows), all of x: x1 = A11^-1 (b1 - A12 x2), and x2, in the caller's numbering. y: as condense() left it; it is
  /// changed. x: n rows, does not overlap the others, or is y itself.
  void expand(const Factor<T>& factor, MatrixView<T> y, MatrixView<const T> x2, MatrixView<T> x, Workspace<T>& workspace,
              const std::stop_token& stop = {}) const;

 private:
  void require_shape(const char* name, const MatrixView<const T>& a, Index rows, Index cols) const;
  void require_plan(const Factor<T>& factor) const;
  std::shared_ptr<const Plan> plan_;
  Index order_ = 0;
  std::vector<T> l_;  // L22, column-major, order_ x order_; zeros above the diagonal
};

}  // namespace kauri
