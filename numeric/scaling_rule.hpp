// How A is scaled by powers of two: one rule for all backends, on the host and on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>

#include "base/common/host_device.hpp"

namespace kauri::numeric {

KAURI_HOST_DEVICE inline bool is_finite(double x) { return x - x == 0; }

/// Of a diagonal entry f 4^e or 2 f 4^e with 1/2 <= f < 1: e. Zero where there is none.
KAURI_HOST_DEVICE inline int scale_exponent(double diagonal) {
  return diagonal > 0 && is_finite(diagonal) ? (std::ilogb(diagonal) + 1) >> 1 : 0;
}

/// x in T; finite if x is.
template <class T>
KAURI_HOST_DEVICE T narrowed(double x) {
  constexpr double kMost = std::numeric_limits<T>::max();
  if (!is_finite(x) || !(std::fabs(x) > kMost)) return static_cast<T>(x);
  return static_cast<T>(x < 0 ? -kMost : kMost);
}

/// a 2^-exponent; finite if a is.
KAURI_HOST_DEVICE inline double scaled_entry(double a, int exponent) {
  const double scaled = std::scalbn(a, -exponent);
  constexpr double kMost = std::numeric_limits<double>::max();
  if (!is_finite(a) || is_finite(scaled)) return scaled;
  return a < 0 ? -kMost : kMost;
}

/// Of no number, and less than that of any.
inline constexpr int kNoExponent = std::numeric_limits<int>::min() / 4;
/// The power of two that is above |x| by less than a factor of two, for x that is not zero and finite; else kNoExponent.
KAURI_HOST_DEVICE inline int exponent_above(double x) { return x != 0 && is_finite(x) ? std::ilogb(x) + 1 : kNoExponent; }

/// t of c = S b 2^-t, from the greatest exponent_above() of the entries of S b.
KAURI_HOST_DEVICE inline int loading_exponent(int above) { return above > kNoExponent / 2 ? above : 0; }
/// The componentwise error of y = 0.
inline double error_of_zero(int above, bool finite) {
  if (!finite) return std::numeric_limits<double>::quiet_NaN();
  return above > kNoExponent / 2 ? 1 : 0;
}

/// What a residual whose largest entry is `most` is divided by, as an exponent, before it is rounded to float; both powers are doubles.
KAURI_HOST_DEVICE inline int shrinking_exponent(double most) {
  constexpr int kMost = 1000;
  if (!(most > 0) || !is_finite(most)) return 0;
  const int exponent = exponent_above(most);
  return exponent > kMost ? kMost : exponent < -kMost ? -kMost : exponent;
}

}  // namespace kauri::numeric
