// Roofline model of a phase: the least time for its operations and bytes at the rates of a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kauri {

/// Two rates of the roofline model (Williams, Waterman & Patterson 2009). A rate of 0 is unknown.
struct Roofline {
  double flops_per_s = 0;  ///< operations of multiply-adds, two each, by the instructions of the
                           ///< backend's large fronts
  double bytes_per_s = 0;  ///< bytes read from memory

  /// Returns the seconds of this work if only the two rates limit it and arithmetic and memory
  /// traffic overlap fully: the greater of flops / flops_per_s and bytes / bytes_per_s. A part
  /// whose rate is unknown is left out.
  [[nodiscard]] double least_seconds(double flops, double bytes) const {
    const double by_flops = flops_per_s > 0 ? flops / flops_per_s : 0,
                 by_bytes = bytes_per_s > 0 ? bytes / bytes_per_s : 0;
    return by_flops > by_bytes ? by_flops : by_bytes;
  }
};

}  // namespace kauri
