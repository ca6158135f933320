// Symmetric diagonal scaling by powers of two: S A S has a diagonal between 1/2 and 2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/matrix.hpp"

namespace kauri {

/// Diagonal scaling S = diag(2^-e(i)) of a symmetric A, where 2^-e(i) is the power of two nearest
/// in ratio to 1/sqrt(A(i,i)); exponent() returns e.
///
/// If A is positive definite, all entries of S A S are less than 2 in magnitude and its diagonal
/// entries are at least 1/2, whatever the units of A's rows. The condition of S A S is within a
/// factor n of the least that any diagonal scaling reaches, up to the rounding to powers of two
/// (van der Sluis 1969). Powers of two round nothing: the factor and the residual of the scaled
/// system S A S y = S b are those of A x = b with rows scaled by S, and x = S y, all bit for bit,
/// unless a number underflows or overflows in only one of the two.
///
/// A diagonal entry that is zero, negative, infinite or NaN has exponent 0: neither A nor S A S is
/// positive definite then. Exponents of all positive doubles lie between -537 and 512.
class SymmetricScaling {
 public:
  /// Makes the scaling of a matrix without rows.
  SymmetricScaling() = default;
  /// Makes the scaling of `a` from its diagonal; nothing of `a` is kept. O(n + nnz), for the check
  /// of the pattern. Throws Error: input (a bad pattern), usage (a wrong number of values).
  template <Scalar T>
  explicit SymmetricScaling(const SymmetricView<T>& a);

  /// Returns the exponents e(i) of all rows: length n, a view into this object.
  [[nodiscard]] std::span<const int> exponent() const { return exponent_; }
  /// Returns true if all diagonal entries of A are positive and finite.
  [[nodiscard]] bool positive_diagonal() const { return positive_; }

  /// Writes the values of S A S to `to` (length nnz), in the order of the pattern. a: a matrix of n
  /// rows, as that of the constructor; `to` may be a's values themselves. In double the values are
  /// exact unless they are below 2^-1022 in magnitude; in float they are rounded once. A value
  /// beyond the largest finite T, which no positive definite matrix has, becomes that number;
  /// infinities and NaN stay. Throws Error(usage) for wrong lengths.
  template <Scalar T>
  void apply(const SymmetricView<double>& a, std::span<T> to) const;
  /// Replaces x by S x, exactly unless an entry underflows or overflows. Throws Error(usage) unless
  /// x has length n.
  void apply(std::span<double> x) const;

 private:
  std::vector<int> exponent_;
  bool positive_ = true;
};

}  // namespace kauri
