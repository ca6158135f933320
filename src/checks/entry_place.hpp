// Finds the row and column of a value of A by a plan, and values that are not finite.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <tuple>

#include "kauri/core/error.hpp"
#include "kauri/core/plan.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri {

/// An entry of the lower triangle, in the caller's numbering.
struct EntryPlace {
  Index row, column;
};

/// Returns the row and column of value k of A, in the order of the pattern analysed; searches k in
/// the plan's map of entries. O(nnz).
inline EntryPlace place_of(const Plan& plan, Offset k) {
  const auto& [ptr, source, first] =
      std::tie(plan.internals->assembly.entry_ptr, plan.internals->assembly.entry_source,
               plan.supernodes.first);
  const auto at = static_cast<Offset>(std::find(source.begin(), source.end(), k) - source.begin());
  const auto col =
      static_cast<Index>(std::upper_bound(ptr.begin(), ptr.end(), at) - ptr.begin() - 1);
  const auto s =
      static_cast<Index>(std::upper_bound(first.begin(), first.end(), col) - first.begin() - 1);
  const Index i = plan.perm.old_of(plan.supernodes.rows(s)[plan.internals->assembly.entry_row[at]]),
              j = plan.perm.old_of(col);
  return {std::max(i, j), std::min(i, j)};
}

inline std::string in_words(const EntryPlace& place) {
  return "(" + std::to_string(place.row) + ", " + std::to_string(place.column) + ")";
}

/// Returns true if no value is NaN or infinite.
template <Scalar T>
bool all_finite(std::span<const T> value) {
  return std::all_of(value.begin(), value.end(), [](T v) { return std::isfinite(v); });
}

/// Returns true if no entry of a matrix in host memory is NaN or infinite. Reads column by column,
/// or row by row if row-major.
template <Scalar T>
bool all_finite(const MatrixView<const T>& x) {
  const bool by_rows = x.layout == Layout::row_major;
  const Index length = by_rows ? x.cols : x.rows, lines = length == 0 ? 0
                                                          : by_rows   ? x.rows
                                                                      : x.cols;
  for (Index k = 0; k < lines; ++k) {
    if (!all_finite(std::span<const T>(x.data + k * x.ld, static_cast<std::size_t>(length))))
      return false;
  }
  return true;
}

/// Throws Error(input) "NAME is nan" for the first value that is not finite; name(k) is NAME for
/// value k.
template <Scalar T, class Name>
void require_all_finite(std::span<const T> value, const Name& name) {
  const auto found =
      std::find_if(value.begin(), value.end(), [](T v) { return !std::isfinite(v); });
  if (found != value.end())
    throw Error(ErrorKind::input, name(static_cast<Offset>(found - value.begin())) + " is " +
                                      std::to_string(*found) + ", expected a finite number");
}

}  // namespace kauri
