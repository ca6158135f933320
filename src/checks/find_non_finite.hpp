// Finds the first entry of a matrix that is NaN or infinite, by row and column.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "kauri/core/matrix.hpp"

namespace kauri {

/// An entry of the lower triangle in the caller's numbering: row >= column.
template <Scalar T>
struct Entry {
  Index row, column;
  T value;
};

/// Returns the first entry by columns that is not finite, or nothing. O(nnz), and O(log n) more to
/// find its column.
template <Scalar T>
std::optional<Entry<T>> find_non_finite(const SymmetricView<T>& a) {
  const auto found =
      std::find_if(a.value.begin(), a.value.end(), [](T v) { return !std::isfinite(v); });
  if (found == a.value.end()) return {};
  const Offset place = found - a.value.begin();
  const auto& ptr = a.pattern.col_ptr;
  const auto column =
      static_cast<Index>(std::upper_bound(ptr.begin(), ptr.end(), place) - ptr.begin() - 1);
  return Entry<T>{a.pattern.row[place], column, *found};
}

/// Throws Error(input) if an entry is not finite: "vem2: entry (3, 1) of A (row, column, from 0) is
/// inf in float".
template <Scalar T>
void require_finite(const SymmetricView<T>& a, const std::string& name) {
  if (const auto entry = find_non_finite(a))
    throw Error(ErrorKind::input,
                name + ": entry (" + std::to_string(entry->row) + ", " +
                    std::to_string(entry->column) + ") of A (row, column, from 0) is " +
                    std::to_string(entry->value) + (sizeof(T) == sizeof(float) ? " in float" : "") +
                    ", expected a finite number");
}

}  // namespace kauri
