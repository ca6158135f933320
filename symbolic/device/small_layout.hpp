// Packed storage of a small front: the lower triangle by columns. Also compiled for the device:
// constexpr throughout.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/types.hpp"

namespace kauri::symbolic {

/// Returns the place of row 0 of column c in a packed lower triangle of order m; entry (r,c), r >=
/// c, is r places further.
constexpr Index packed_column(Index c, Index m) { return c * (2 * m - c - 1) / 2; }

/// Returns the entries of a packed lower triangle of order n.
constexpr Index packed_entries(Index n) { return n * (n + 1) / 2; }

/// Returns `entries` (doubles), rounded up to whole units of 16 bytes.
constexpr Index whole_units(Index entries) { return (entries + 1) / 2 * 2; }

/// A front of m rows, few enough that 32 bits count its entries, and p pivots; q = m - p. On chip
/// it is one packed triangle of order m. In global memory its first p columns are the panel, and
/// the rest, a packed triangle of order q, the contribution block:
///   panel[packed_column(c, m) + r]                          c < p
///   block[padding() + packed_column(c - p, q) + (r - p)]    c >= p,   padding() = panel_entries()
///   mod 2
/// so a place is a part of the row plus a part of the column. Both arrays begin on 16 bytes and are
/// copied in units of 16 bytes: padding() keeps each entry at the same position within its unit; an
/// entry before the block and one after it may be written with it.
struct SmallLayout {
  Index m = 0;
  Index p = 0;

  [[nodiscard]] constexpr Index order() const { return m - p; }
  [[nodiscard]] constexpr Index entries() const { return packed_entries(m); }
  [[nodiscard]] constexpr Index panel_entries() const {
    return packed_entries(m) - packed_entries(order());
  }
  /// Returns the number of unused entries before the first one in the contribution block's array.
  [[nodiscard]] constexpr Index padding() const { return panel_entries() % 2; }
  /// Return the entries, whole units, that the arrays of the panel and the block take.
  [[nodiscard]] constexpr Index panel_storage() const { return whole_units(panel_entries()); }
  [[nodiscard]] constexpr Index block_storage() const {
    return order() == 0 ? 0 : whole_units(padding() + packed_entries(order()));
  }
  /// Returns the place of entry (r, c), r >= c: in the panel if c < p, else in the block.
  [[nodiscard]] constexpr Index place(Index r, Index c) const {
    return c < p ? packed_column(c, m) + r : padding() + packed_column(c - p, order()) + (r - p);
  }
};

}  // namespace kauri::symbolic
