// How a small front lies on a device. Also compiled for the device: constexpr throughout.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/types.hpp"

namespace kauri::symbolic {

/// A panel of m rows and p columns: the pivot rows, then the rows below, then the inverse of the pivot block, each by columns. Leading
/// dimensions are multiples of kAlign; entries between are never read. A contribution block of order q lies by columns too.
struct SmallLayout {
  static constexpr Index kAlign = 4;

  Index m, p;

  static constexpr Index padded(Index rows) { return (rows + kAlign - 1) / kAlign * kAlign; }

  [[nodiscard]] constexpr Index pivot_ld() const { return padded(p); }
  [[nodiscard]] constexpr Index below_ld() const { return padded(m - p); }
  [[nodiscard]] constexpr Offset below() const { return Offset{pivot_ld()} * p; }
  [[nodiscard]] constexpr Offset inverse() const { return below() + Offset{below_ld()} * p; }
  [[nodiscard]] constexpr Offset entries() const { return inverse() + Offset{pivot_ld()} * p; }
  [[nodiscard]] constexpr Offset block_entries() const { return Offset{below_ld()} * (m - p); }
  /// Place of L(r, c).
  [[nodiscard]] constexpr Offset place(Index r, Index c) const {
    return r < p ? r + Offset{c} * pivot_ld() : below() + (r - p) + Offset{c} * below_ld();
  }
};

}  // namespace kauri::symbolic
