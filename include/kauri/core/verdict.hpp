// Verdict of a factorisation: whether A is positive definite, and the pivots that say so.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "kauri/core/types.hpp"

namespace kauri {

/// Outcome of a factorisation.
enum class VerdictStatus : std::int32_t {
  none = 0,                  ///< no factorisation has ended yet
  positive_definite = 1,     ///< A + shift I = P^T L L^T P
  not_positive_definite = 2  ///< a pivot failed, also for a value that is NaN or infinite; `column`
                             ///< and `pivot` say where
};

/// Verdict of a factorisation. The factor's device holds one in its memory, which later work of a
/// stream may read. Its layout is fixed, and it is trivially copyable.
///
/// A device does not stop at a pivot that fails. The fronts above it in the elimination tree either
/// go on with meaningless numbers, infinities and NaN among them, or are skipped, and more columns
/// may fail there; all other fronts are computed as if nothing had failed. `column` and `pivot` are
/// exact all the same: numbers only move up the tree, and no column below the failing column of
/// least index fails, since it would have a lesser index.
struct DeviceVerdict {
  VerdictStatus status =
      VerdictStatus::none;  ///< end of the factorisation; says how to read the other fields
  Index column = kNone;     ///< failing column in the caller's numbering; of several, that of least
                            ///< index in Plan::perm
  double pivot = 0;  ///< value met there before the square root: zero, negative, or not finite
  /// Least L(j,j)^2 of all columns, which is the least pivot before its square root, up to
  /// rounding. A value near zero relative to A's diagonal shows that A is nearly singular. Equals
  /// `pivot` after a breakdown; infinity if A has no columns.
  double smallest_pivot = std::numeric_limits<double>::infinity();
  /// Column of smallest_pivot in the caller's numbering; of several, that of least index in
  /// Plan::perm. Equals `column` after a breakdown; kNone if A has no columns.
  Index smallest_column = kNone;

  friend bool operator==(const DeviceVerdict&, const DeviceVerdict&) = default;
};

}  // namespace kauri
