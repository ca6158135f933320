// Roofline model of a phase: the least time for its operations and bytes at the rates of a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kauri {

/// Two rates of the roofline model (Williams, Waterman & Patterson 2009). A rate of 0 is unknown.
struct Roofline {
  double flops_per_s = 0;  ///< floating-point operations per second, a multiply-add being two, with
                           ///< the instructions that the backend uses in large fronts
  double bytes_per_s = 0;  ///< bytes read from memory per second

  /// Returns the seconds of this work if only the two rates limit it and arithmetic and memory
  /// traffic overlap fully: the greater of flops / flops_per_s and bytes / bytes_per_s. A quotient
  /// whose rate is unknown counts as 0.
  [[nodiscard]] double least_seconds(double flops, double bytes) const {
    const double by_flops = flops_per_s > 0 ? flops / flops_per_s : 0,
                 by_bytes = bytes_per_s > 0 ? bytes / bytes_per_s : 0;
    return by_flops > by_bytes ? by_flops : by_bytes;
  }
};

}  // namespace kauri
