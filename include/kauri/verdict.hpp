// What a factorisation came to: the few numbers that it leaves where it ran.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "kauri/types.hpp"

namespace kauri {

/// How a factorisation ended.
enum class VerdictStatus : std::int32_t {
  none = 0,                  ///< no factorisation has ended yet
  positive_definite = 1,     ///< A + shift I = P^T L L^T P
  not_positive_definite = 2  ///< column and pivot say where; also where a value was NaN or infinite
};

/// Lies in the memory of the factor's device, where a stream's later work may read it. Of fixed layout and trivially copyable.
///
/// A device does not stop where a pivot fails: what lies above it in the elimination tree goes on with numbers of no meaning, infinities
/// and NaN among them, or is left out, and more columns may fail there; all else is as without it. Column and pivot told are exact all the
/// same: numbers go up the tree alone, and of the columns that fail the one of least index has none that fails below it, since those would
/// come before it.
struct DeviceVerdict {
  VerdictStatus status = VerdictStatus::none;  ///< what the other fields are to be read by
  Index column = kNone;  ///< the failing column in the caller's numbering; of several, that of least index in Plan::perm
  double pivot = 0;      ///< met there before the square root: zero, negative, or not finite
  /// The least L(j,j)^2, the pivots before the square root but for its rounding: near zero against A's diagonal where A is nearly
  /// singular. After a breakdown `pivot`; of a matrix without columns infinity.
  double smallest_pivot = std::numeric_limits<double>::infinity();
  /// Its column, in the caller's numbering; of several that of least index in Plan::perm. After a breakdown `column`; kNone without
  /// columns.
  Index smallest_column = kNone;

  friend bool operator==(const DeviceVerdict&, const DeviceVerdict&) = default;
};

}  // namespace kauri
