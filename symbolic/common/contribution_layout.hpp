// Layouts on the CPU of a contribution block and of the scratch of a front.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/types.hpp"

namespace kauri::symbolic {

/// Layout of a contribution block of order q in the CPU's memory: the lower triangle in block
/// columns of kTile columns. Block column J starts at row J*kTile; its columns are contiguous with
/// leading dimension ld. Entry (i,j), i >= j, is at column(q,j) + (i - j/kTile*kTile).
struct ContributionLayout {
  static constexpr Index kTile = 240;  ///< columns of a block column
  /// Returns the first row of column j's block column.
  static constexpr Index first_row(Index j) { return j / kTile * kTile; }
  /// Returns the leading dimension of column j's block column.
  static constexpr Offset ld(Index q, Index j) { return q - first_row(j); }
  /// Returns the position, in entries from the block's beginning, of row first_row(j) of column j.
  static constexpr Offset column(Index q, Index j) {
    const Offset block = j / kTile;
    return block * kTile * q - kTile * kTile * (block * (block - 1) / 2) +
           ld(q, j) * (j - first_row(j));
  }
  /// Returns the stored entries of a block of order q: the lower triangle, and the unused upper
  /// triangles of its diagonal kTile x kTile blocks.
  static constexpr Offset entries(Index q) { return q == 0 ? 0 : column(q, q - 1) + ld(q, q - 1); }
};

/// Scratch on the CPU of a front of order m with p pivots, beside its panel: a packed copy of part
/// of the panel. Smaller fronts are factorised in place and need none.
struct FrontScratch {
  static constexpr Index kColumns = 256;  ///< columns packed at a time
  static constexpr Index kPadding = 48;   ///< rows by which the packed copy is longer than the
                                          ///< front, since kernels take whole slabs of rows; the
                                          ///< most that any target and scalar needs
  /// Returns true if the front is large enough for a packed copy.
  static constexpr bool packed(Index m, Index p) { return m > 400 && p > 32; }
  /// Returns the entries of the scratch: 0 if the front needs no packed copy.
  static constexpr Offset entries(Index m, Index p) {
    return packed(m, p) ? (static_cast<Offset>(m) + kPadding) * (p < kColumns ? p : kColumns) : 0;
  }
};

}  // namespace kauri::symbolic
