// Verdict of a factorisation: whether A is positive definite, its failing and its smallest pivot.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "kauri/core/types.hpp"

namespace kauri {

/// Outcome of a factorisation.
enum class VerdictStatus : std::int32_t {
  none = 0,                  ///< no factorisation has ended, or its verdict was not fetched yet
  positive_definite = 1,     ///< A + shift I = P^T L L^T P
  not_positive_definite = 2  ///< a pivot failed, also for a value that is NaN or infinite; `column`
                             ///< and `pivot` say where
};

/// Verdict of a factorisation. A factor on a device keeps one in the device's memory, where later
/// work of a stream may read it. Its layout is fixed, and it is trivially copyable.
///
/// A device does not stop at a pivot that fails. The fronts above it in the elimination tree are
/// either computed from meaningless values, infinities and NaN among them, or skipped, and more
/// columns may fail there; all other fronts are computed as if nothing had failed. `column` and
/// `pivot` are right all the same: a column depends on its descendants in the tree alone, which
/// have lesser indices, so none of those of the failing column of least index has failed.
struct DeviceVerdict {
  VerdictStatus status =
      VerdictStatus::none;  ///< outcome; with `none` no other field is set, and without a pivot
                            ///< that failed `column` and `pivot` are not
  Index column = kNone;     ///< failing column in the caller's numbering; of several, that of least
                            ///< index in Plan::perm
  double pivot = 0;  ///< pivot of `column` before its square root: zero, negative, or not finite
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
