// Symmetric diagonal scaling by powers of two: S A S, whose diagonal is between 1/2 and 2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/matrix.hpp"

namespace kauri {

/// S = diag(2^-exponent(i)), with 2^-exponent(i) the power of two next to 1/sqrt(A(i,i)): of a positive definite A all entries of S A S are
/// less than 2, those of its diagonal at least 1/2, whatever the units of A's rows are; its condition is within a factor n of the least
/// that any S leaves, but for that rounding (van der Sluis 1969). Since all S(i,i) are powers of two, nothing is rounded: the factor of S A
/// S is S L, bit for bit, and S x and its residuals are those of x, but where numbers underflow or overflow that would not have otherwise.
///
/// Exponents are of the matrix it was made of. A diagonal entry that is zero, negative, infinite or NaN has 2^0: such an A is not positive
/// definite, and S A S is not either. Between the least and the greatest double exponents are -537 to 512.
class SymmetricScaling {
 public:
  /// All powers 2^0.
  SymmetricScaling() = default;
  /// O(n). Throws Error: input (a bad pattern), usage (another number of values).
  template <Scalar T>
  explicit SymmetricScaling(const SymmetricView<T>& a);

  /// Length n.
  [[nodiscard]] std::span<const int> exponent() const { return exponent_; }
  /// True if all of A's diagonal is positive and finite.
  [[nodiscard]] bool positive_diagonal() const { return positive_; }

  /// S A S in the order of the pattern, which is that of the matrix this was made of; `to`: length nnz, may be a's values themselves. In
  /// double exact but below 2^-1022. In float rounded once; what is beyond the largest float, as no entry of a positive definite matrix is,
  /// becomes that; infinite and NaN stay as they are. Throws Error(usage) for other lengths.
  template <Scalar T>
  void apply(const SymmetricView<double>& a, std::span<T> to) const;
  /// x = S x, of n numbers, exact but for underflow and overflow.
  void apply(std::span<double> x) const;

 private:
  std::vector<int> exponent_;
  bool positive_ = true;
};

}  // namespace kauri
