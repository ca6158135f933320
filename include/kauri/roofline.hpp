// What bounds a phase: operations and bytes that it cannot do without, and how many of each a device does in a second.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kauri {

/// The two rates of the roofline model (Williams, Waterman & Patterson 2009). A rate that is not known is 0.
struct Roofline {
  double flops_per_s = 0;  ///< of multiply-adds, two operations each, by the instructions that do the backend's large fronts
  double bytes_per_s = 0;  ///< read from memory

  /// The time of so much work where nothing but these two rates holds it up and both go on at once; without the part whose rate is not
  /// known.
  [[nodiscard]] double least_seconds(double flops, double bytes) const {
    const double by_flops = flops_per_s > 0 ? flops / flops_per_s : 0, by_bytes = bytes_per_s > 0 ? bytes / bytes_per_s : 0;
    return by_flops > by_bytes ? by_flops : by_bytes;
  }
};

}  // namespace kauri
