// Bounds for factors and solutions in T, checked with naive sums of dense arrays in long double;
// each bound comes with its argument.
//
// gamma = (n + 4) eps, which is twice the unit roundoffs of an entry's n + 4 operations (Higham
// 2002, lemma 3.1) in any order. It holds if nothing overflows or underflows: see are_ordinary().
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "kauri/kauri.hpp"

namespace kauri::fuzz {

using Real = long double;

/// n x n, by rows.
struct Dense {
  Index n = 0;
  std::vector<Real> entry;
  explicit Dense(Index order)
      : n(order),
        entry(static_cast<std::size_t>(order) * static_cast<std::size_t>(order), Real(0)) {}
  Real& operator()(Index i, Index j) { return entry[static_cast<std::size_t>(i) * n + j]; }
  Real operator()(Index i, Index j) const { return entry[static_cast<std::size_t>(i) * n + j]; }
  [[nodiscard]] const Real* row(Index i) const {
    return entry.data() + static_cast<std::size_t>(i) * n;
  }
};

/// Returns B = P (A + shift I) P^T, both halves.
template <class T>
Dense permuted(const SymmetricView<T>& a, const Permutation& perm, T shift) {
  Dense b(a.pattern.n);
  for (Index j = 0; j < b.n; ++j)
    for (Offset k = a.pattern.col_ptr[j]; k < a.pattern.col_ptr[j + 1]; ++k) {
      const Index r = perm.new_of(a.pattern.row[k]), c = perm.new_of(j);
      b(r, c) = b(c, r) = a.value[k];
    }
  for (Index k = 0; k < b.n; ++k) b(k, k) += shift;
  return b;
}

template <class T>
Real gamma_of(Index n) {
  return (n + 4) * static_cast<Real>(std::numeric_limits<T>::epsilon());
}

/// Returns whether all diagonal entries are zero, negative, or far enough from both ends of T's
/// range. Then an underflow is below eps^2 of a row's diagonal, and an overflow occurs only in rows
/// whose own pivots fail later, since |L(i,j)|^2 <= B(i,i) if no pivot fails up to i.
template <class T>
bool are_ordinary(const Dense& b) {
  for (Index k = 0; k < b.n; ++k)
    if (b(k, k) > 0 &&
        !(b(k, k) >= std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon() /
                         std::numeric_limits<T>::epsilon() &&
          b(k, k) <= std::numeric_limits<T>::max() / 8))
      return false;
  return true;
}

/// Returns the first column without a positive finite pivot of B + relative |diag B|, or n.
inline Index first_failure(Dense b, Real relative) {
  for (Index j = 0; j < b.n; ++j) {
    Real* const row = &b.entry[static_cast<std::size_t>(j) * b.n];
    for (Index k = 0; k < j; ++k) {  // L(j,k) of row j, from the rows above
      const Real* const above = &b.entry[static_cast<std::size_t>(k) * b.n];
      Real sum = row[k];
      for (Index i = 0; i < k; ++i) sum -= row[i] * above[i];
      row[k] = sum / above[k];
    }
    Real pivot = row[j] + relative * std::abs(row[j]);
    for (Index k = 0; k < j; ++k) pivot -= row[k] * row[k];
    if (!(pivot > 0) || !std::isfinite(pivot)) return j;
    row[j] = std::sqrt(pivot);
  }
  return b.n;
}

/// Columns at which a factorisation of B in T may break down: [least, most]; n stands for success.
///
/// Let D = diag B. If the pivots of all columns up to k are positive, then L L^T = B + E for those
/// rows with |E| <= gamma |L| |L^T| and |L| |L^T| <= 2 D(i)^1/2 D(j)^1/2, so B + 2 n gamma D is
/// positive definite there. If the pivot s of column k is not positive, the same E leaves a vector
/// v with v(k) = 1 and v^T (B + E) v = s <= 0; row k of L may be longer than B(k,k)^1/2, but at
/// most by -s, so B - 3 n gamma D is not positive definite. The reported column therefore lies
/// between those at which Cholesky ends for B - 3 n gamma D and for B + 3 n gamma D. The factor of
/// two in gamma covers the rounding errors of long double.
struct Ends {
  Index least = 0, most = 0;
};
template <class T>
Ends ends_of(const Dense& b) {
  const Real shift = 3 * b.n * gamma_of<T>(b.n);
  return {first_failure(b, -shift), first_failure(b, shift)};
}

/// Returns L of a factor as a dense matrix.
template <class T>
Dense lower_of(const Factor<T>& factor) {
  const LowerFactor<T> from = lower_factor(factor);
  Dense l(factor.plan().n);
  for (Index j = 0; j < l.n; ++j)
    for (Offset k = from.col_ptr[j]; k < from.col_ptr[j + 1]; ++k)
      l(from.row[k], j) = from.value[k];
  return l;
}

/// Returns a bound of the error of a sum of n products if they, or the sum's quotient by `divisor`,
/// underflow: entries of L can become ever smaller along a chain.
template <class T>
Real lost_below(Index n, Real divisor) {
  return 2 * (n + divisor) * std::numeric_limits<T>::denorm_min();
}

/// Returns whether |L L^T - B| <= gamma |L| |L^T| (Higham 2002, theorem 10.3).
template <class T>
bool is_factor_of(const Dense& l, const Dense& b) {
  const Real gamma = gamma_of<T>(b.n);
  for (Index i = 0; i < b.n; ++i)
    for (Index j = 0; j <= i; ++j) {
      const Real *const left = l.row(i), *const right = l.row(j);
      Real sum = b(i, j), size = 0;
      for (Index k = 0; k <= j; ++k) {
        const Real product = left[k] * right[k];
        sum -= product, size += std::abs(product);
      }
      if (!(std::abs(sum) <= gamma * size + lost_below<T>(b.n, l(j, j)))) return false;
    }
  return true;
}

/// Returns whether |b - B x| <= 3 gamma |L| |L^T| |x| (theorem 10.4), with x and rhs in the
/// numbering of A.
template <class T>
bool solves(const Dense& l, const Dense& b, const Permutation& perm, const T* rhs, const T* x) {
  const Index n = b.n;
  std::vector<Real> size(static_cast<std::size_t>(n), Real(0)), bound(size);
  for (Index k = 0; k < n; ++k) {
    for (Index i = k; i < n; ++i)
      size[k] += std::abs(l(i, k) * static_cast<Real>(x[perm.old_of(i)]));
    size[k] = 3 * gamma_of<T>(n) * size[k] + lost_below<T>(n, l(k, k));
  }
  for (Index i = 0; i < n; ++i) {
    Real sum = rhs[perm.old_of(i)];
    const Real *const of_l = l.row(i), *const of_b = b.row(i);
    bound[i] = lost_below<T>(n, l(i, i));
    for (Index k = 0; k <= i; ++k) bound[i] += std::abs(of_l[k]) * size[k];
    for (Index j = 0; j < n; ++j) sum -= of_b[j] * x[perm.old_of(j)];
    if (!(std::abs(sum) <= bound[i])) return false;
  }
  return true;
}

/// Returns the largest ||b - A x|| / (||A|| ||x|| + ||b||) of all columns.
template <class T>
Real normwise_error(const Dense& a, const Permutation& perm, MatrixView<const T> b,
                    MatrixView<const T> x) {
  Real norm = 0, worst = 0;
  for (Index i = 0; i < a.n; ++i) {
    Real sum = 0;
    for (Index j = 0; j < a.n; ++j) sum += std::abs(a.row(i)[j]);
    norm = std::max(norm, sum);
  }
  for (Index c = 0; c < b.cols; ++c) {
    Real largest = 0, x_norm = 0, b_norm = 0;
    for (Index i = 0; i < a.n; ++i) {
      const Index row = perm.old_of(i);
      Real sum = b.data[row + c * b.ld];
      b_norm = std::max(b_norm, std::abs(sum));
      x_norm = std::max(x_norm, std::abs(static_cast<Real>(x.data[row + c * x.ld])));
      const Real* const of_a = a.row(i);
      for (Index j = 0; j < a.n; ++j) sum -= of_a[j] * x.data[perm.old_of(j) + c * x.ld];
      largest = std::max(largest, std::abs(sum));
    }
    if (largest > 0) worst = std::max(worst, largest / (norm * x_norm + b_norm));
  }
  return worst;
}

}  // namespace kauri::fuzz
