// Maxima over the rows of a residual, from which backward errors follow. Uses nothing of the
// standard library, since it is compiled for several machines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/common/host_device.hpp"
#include "kauri/core/types.hpp"

namespace kauri::numeric {

/// Lengths, in entries, that give the order of a row's sum: one running sum, columns ascending, for
/// up to kResidualSegment entries. A longer row is cut into segments with a sum each; segments are
/// added in order within a stretch of kResidualStretch entries, and stretches in order. One thread
/// and many threads so add in the same order.
inline constexpr Offset kResidualSegment = 128;
inline constexpr Offset kResidualStretch = 32 * kResidualSegment;

/// Returns the maximum, or NaN if an argument is NaN. Always inline: sources compiled for several
/// machines use it, and the linker must not mix their versions.
KAURI_HOST_DEVICE inline __attribute__((always_inline)) double max_or_nan(double a, double b) {
  return a >= b || a != a ? a : b;
}

/// Returns true if `product`, a multiple of x_norm plus other terms, is not finite although x_norm
/// is. An error divided by an infinite product would be reported as zero.
KAURI_HOST_DEVICE inline __attribute__((always_inline)) bool is_too_large(double product,
                                                                          double x_norm) {
  return product - product != 0 && x_norm - x_norm == 0;
}

/// Maxima over rows i: of |r_i|, of the row sums of |A|, and of the componentwise error |r_i| /
/// (|A| |x| + |b|)_i, whose denominator is enlarged if it consists of rounding errors (Arioli,
/// Demmel & Duff 1989). A NaN exceeds any number.
struct ResidualWorst {
  double residual, row_norm, componentwise;

  KAURI_HOST_DEVICE inline __attribute__((always_inline)) void take(const ResidualWorst& other) {
    residual = max_or_nan(other.residual, residual);
    row_norm = max_or_nan(other.row_norm, row_norm);
    componentwise = max_or_nan(other.componentwise, componentwise);
  }
};

}  // namespace kauri::numeric
