// The packed storage of a small front: the lower triangle by columns, nothing else.
//
// A front has m rows and p pivots, 1 <= p <= m <= 128; q = m - p. In shared memory it is one packed triangle of order m: entry (r,c) at
//   column(c, m) + r,   column(c, m) = c (2m - c - 1) / 2,   0 <= c <= r < m.
// In global memory its first p columns are the panel (L) and the rest, a packed triangle of order q, the contribution block:
//   panel[column(c, m) + r]                               c < p
//   contribution[padding + column(c - p, q) + (r - p)]    c >= p,   padding = (entries of the panel) mod 2
// so the place is a part of the row plus a part of the column. Both arrays begin on 16 bytes and are copied in units of 16 bytes: `padding`
// keeps the entries where they are within a unit; an entry before the block and one after it may be written with it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "src/base/host_device.hpp"

namespace kauri::numeric::cuda::kernels {

inline constexpr int kMaxSmallRows = 128;

/// Place of row 0 of column c in a packed lower triangle of order m; entry (r,c), r >= c, is r places further.
KAURI_HOST_DEVICE constexpr int packed_column(int c, int m) { return c * (2 * m - c - 1) / 2; }

/// Entries of a packed lower triangle of order n.
KAURI_HOST_DEVICE constexpr int packed_entries(int n) { return n * (n + 1) / 2; }

/// Rounded up to whole units of 16 bytes.
KAURI_HOST_DEVICE constexpr int whole_units(int entries) { return (entries + 1) & ~1; }

struct PackedFront {
  int rows = 0;
  int pivots = 0;

  KAURI_HOST_DEVICE constexpr int order() const { return rows - pivots; }
  KAURI_HOST_DEVICE constexpr int entries() const { return packed_entries(rows); }
  KAURI_HOST_DEVICE constexpr int panel_entries() const { return packed_entries(rows) - packed_entries(order()); }
  /// Entries before the contribution block's first.
  KAURI_HOST_DEVICE constexpr int padding() const { return panel_entries() & 1; }
  /// Entries that the two arrays need.
  KAURI_HOST_DEVICE constexpr int panel_storage() const { return whole_units(panel_entries()); }
  KAURI_HOST_DEVICE constexpr int contribution_storage() const {
    return order() == 0 ? 0 : whole_units(padding() + packed_entries(order()));
  }
};

}  // namespace kauri::numeric::cuda::kernels
