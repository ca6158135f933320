// What the rows of a residual say about the backward error. Nothing of the standard library: it is compiled for several machines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/common/host_device.hpp"
#include "kauri/types.hpp"

namespace kauri::numeric {

/// A row is one running sum, columns ascending, up to a segment. A longer one is cut into segments of its own sums, added up in order
/// within a stretch, as stretches are: in the same order by one thread and by many.
inline constexpr Offset kResidualSegment = 128;
inline constexpr Offset kResidualStretch = 32 * kResidualSegment;

/// max that lets a NaN through. Always inline: sources compiled for several machines use it, and the linker must not mix them.
KAURI_HOST_DEVICE inline __attribute__((always_inline)) double max_or_nan(double a, double b) { return a >= b || a != a ? a : b; }

/// A product with the norm of x, and more, overflowed, x did not: an error must not be divided by that, it would be told as zero.
KAURI_HOST_DEVICE inline __attribute__((always_inline)) bool is_too_large(double product, double x_norm) {
  return product - product != 0 && x_norm - x_norm == 0;
}

/// Worst over rows: |r|, the row sums of |A|, |r_i| over its denominator. A NaN wins over any number.
struct ResidualWorst {
  double residual, row_norm, componentwise;

  KAURI_HOST_DEVICE inline __attribute__((always_inline)) void take(const ResidualWorst& other) {
    residual = max_or_nan(other.residual, residual);
    row_norm = max_or_nan(other.row_norm, row_norm);
    componentwise = max_or_nan(other.componentwise, componentwise);
  }
};

}  // namespace kauri::numeric
