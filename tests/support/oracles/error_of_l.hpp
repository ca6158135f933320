// The backward error of a solution for the stored L: that of the sweeps alone, without that of the
// factorisation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "kauri/kauri.hpp"

namespace kauri::test {

/// Returns the largest |b - P^T L L^T P x| / (|L| |L^T| |x| + |b|) in units of the roundoff of T.
/// b, x: n numbers in the caller's numbering. O(entries of L).
template <class T>
double error_of_l(const Factor<T>& factor, const T* b, const T* x) {
  const LowerFactor<T> l = lower_factor(factor);
  const Permutation& perm = factor.plan().perm;
  const auto n = static_cast<std::size_t>(factor.plan().n);
  std::vector<long double> z(n, 0), sizes(n, 0), rest(n), most(n);
  for (std::size_t j = 0; j < n; ++j)
    for (Offset k = l.col_ptr[j]; k < l.col_ptr[j + 1]; ++k) {
      const long double term = static_cast<long double>(l.value[k]) * x[perm.old_of(l.row[k])];
      z[j] += term, sizes[j] += std::abs(term);
    }
  for (std::size_t i = 0; i < n; ++i)
    rest[i] = b[perm.old_of(static_cast<Index>(i))], most[i] = std::abs(rest[i]);
  for (std::size_t j = 0; j < n; ++j)
    for (Offset k = l.col_ptr[j]; k < l.col_ptr[j + 1]; ++k) {
      rest[l.row[k]] -= l.value[k] * z[j];
      most[l.row[k]] += std::abs(l.value[k]) * sizes[j];
    }
  long double largest = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (const long double error = std::abs(rest[i]) / most[i]; !(error <= largest)) largest = error;
  return static_cast<double>(largest / std::numeric_limits<T>::epsilon());
}

}  // namespace kauri::test
