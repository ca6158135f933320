// The rule by which two halves belong to one symmetric matrix, for arrays and for files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "base/common/digits.hpp"
#include "kauri/core/matrix.hpp"

namespace kauri {

/// Rule by which entries x at (i, j) and y at (j, i) agree: |x - y| is at most a threshold times
/// the largest of sqrt(|a_ii a_jj|), |x| and |y|. A missing entry counts as 0. sqrt(a_ii a_jj)
/// bounds the terms that the entry of an SPD matrix was summed from (Cauchy and Schwarz), and the
/// rounding errors of a factorisation (Demmel 1989). |x| and |y| matter only if the diagonal is so
/// small that A is not positive definite.
template <Scalar T>
class SymmetryRule {
 public:
  /// symmetry: the threshold; 0 means kSymmetryEps times eps of T. Throws Error(usage) unless 0 <=
  /// symmetry <= 1.
  explicit SymmetryRule(double symmetry) {
    if (!(symmetry >= 0 && symmetry <= 1))
      throw Error(ErrorKind::usage, "symmetry is " + digits(symmetry) + ", expected 0 to 1");
    threshold_ = symmetry == 0 ? T(kSymmetryEps) * std::numeric_limits<T>::epsilon()
                               : static_cast<T>(symmetry);
  }

  /// Returns sqrt(|a_jj|) for the diagonal entry a_jj, or 0 if a_jj is not finite: the factor of
  /// row j in the bound sqrt(|a_ii a_jj|).
  static T root(T diagonal) {
    return std::isfinite(diagonal) ? std::sqrt(std::abs(diagonal)) : T(0);
  }

  /// Returns true if |x - y| is at most the threshold times the larger of |x| and |y|: then the
  /// entries agree for any diagonal. Equal infinities agree, and so do two NaN.
  [[nodiscard]] bool same(T x, T y) const {
    if (x == y) return true;
    if (!std::isfinite(x) || !std::isfinite(y)) return std::isnan(x) && std::isnan(y);
    return within(x, y, threshold_ * std::max(std::abs(x), std::abs(y)));
  }

  /// Returns true if x at (i, j) and y at (j, i) agree by the class's rule. root_i: root(a_ii).
  /// root_j: root(a_jj).
  [[nodiscard]] bool agree(T x, T y, T root_i, T root_j) const {
    return same(x, y) ||
           (std::isfinite(x) && std::isfinite(y) && within(x, y, threshold_ * (root_i * root_j)));
  }

  /// Returns the end of messages about entries that disagree.
  [[nodiscard]] std::string words() const {
    char text[32];
    const auto [end, code] =
        std::to_chars(text, text + sizeof text, threshold_, std::chars_format::general, 3);
    return ": the matrix is not symmetric, expected halves that differ by at most " +
           std::string(text, end) + " sqrt(|a_ii a_jj|)";
  }

 private:
  /// Returns true if |x - y| <= most. x - y cannot overflow: that would end programs that trap
  /// floating-point exceptions by SIGFPE.
  static bool within(T x, T y, T most) {
    constexpr T kLarge = std::numeric_limits<T>::max() / 2;
    if (std::abs(x) > kLarge || std::abs(y) > kLarge) return std::abs(x / 2 - y / 2) <= most / 2;
    return std::abs(x - y) <= most;
  }

  T threshold_ = 0;
};

}  // namespace kauri
