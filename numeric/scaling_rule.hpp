// The scaling of A by powers of two: one rule for all backends, on the host and on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>

#include "base/common/host_device.hpp"

namespace kauri::numeric {

KAURI_HOST_DEVICE inline bool is_finite(double x) { return x - x == 0; }

/// Returns e for a diagonal entry f 4^e or 2 f 4^e with 1/2 <= f < 1, so that S(i,i) = 2^-e scales
/// it to [1/2, 2) in S A S; zero if the entry is not positive and finite.
KAURI_HOST_DEVICE inline int scale_exponent(double diagonal) {
  return diagonal > 0 && is_finite(diagonal) ? (std::ilogb(diagonal) + 1) >> 1 : 0;
}

/// Returns x rounded to T, or the largest finite T with x's sign if x is finite and overflows.
template <class T>
KAURI_HOST_DEVICE T narrowed(double x) {
  constexpr double kMost = std::numeric_limits<T>::max();
  if (!is_finite(x) || !(std::fabs(x) > kMost)) return static_cast<T>(x);
  return static_cast<T>(x < 0 ? -kMost : kMost);
}

/// Returns a 2^-exponent, or the largest finite double with a's sign if a is finite and the result
/// overflows.
KAURI_HOST_DEVICE inline double scaled_entry(double a, int exponent) {
  const double scaled = std::scalbn(a, -exponent);
  constexpr double kMost = std::numeric_limits<double>::max();
  if (!is_finite(a) || is_finite(scaled)) return scaled;
  return a < 0 ? -kMost : kMost;
}

/// The exponent of zero and of numbers that are not finite; less than that of any number.
inline constexpr int kNoExponent = std::numeric_limits<int>::min() / 4;
/// Returns the least e with |x| < 2^e if x is finite and not zero, else kNoExponent.
KAURI_HOST_DEVICE inline int exponent_above(double x) {
  return x != 0 && is_finite(x) ? std::ilogb(x) + 1 : kNoExponent;
}

/// Returns the t of c = S b 2^-t for one column b. above: the largest exponent_above() of the
/// entries of S b. Returns 0 if `above` is kNoExponent: S b is zero or has no finite entry.
KAURI_HOST_DEVICE inline int loading_exponent(int above) {
  return above > kNoExponent / 2 ? above : 0;
}
/// Returns the componentwise error of y = 0 for one column b: NaN if b is not `finite`, 0 if b = 0,
/// else 1. above: as for loading_exponent().
inline double error_of_zero(int above, bool finite) {
  if (!finite) return std::numeric_limits<double>::quiet_NaN();
  return above > kNoExponent / 2 ? 1 : 0;
}

/// Returns the exponent of the power of two that divides a residual with largest magnitude `most`
/// before it is rounded to float; 0 if `most` is zero or not finite. The exponent is clamped so
/// that the power and its reciprocal are doubles.
KAURI_HOST_DEVICE inline int shrinking_exponent(double most) {
  constexpr int kMost = 1000;
  if (!(most > 0) || !is_finite(most)) return 0;
  const int exponent = exponent_above(most);
  return exponent > kMost ? kMost : exponent < -kMost ? -kMost : exponent;
}

}  // namespace kauri::numeric
