// Density of sparse patterns: entries counted by cells of a square grid.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/raster.hpp"

#include <algorithm>

namespace kauri::picture {
namespace {

/// Adds a dense block of `rows` rows and columns [first, last) to the cells of row cell_row, in
/// which all its rows lie.
void add_rows(Raster& raster, int cell_row, Offset rows, Index first, Index last) {
  for (int cell = raster.cell_of(first); first < last; ++cell) {
    const Index end = std::min(last, raster.first_of(cell + 1));
    raster.at(cell_row, cell) += rows * (end - first);
    first = end;
  }
}

/// Adds the part of a front below its pivots: rows `row`, columns [first, last). The rows ascend,
/// so rows that fall into one row of cells are added together.
void add_below(Raster& raster, std::span<const Index> row, Index first, Index last) {
  for (std::size_t k = 0; k < row.size();) {
    const int cell = raster.cell_of(row[k]);
    const std::size_t begin = k;
    while (k < row.size() && raster.cell_of(row[k]) == cell) ++k;
    add_rows(raster, cell, static_cast<Offset>(k - begin), first, last);
  }
}

}  // namespace

Raster::Raster(Index rows, int most)
    : n(rows),
      size(std::max(1, std::min<int>(rows, most))),
      count(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0) {}

Raster raster_of(const Pattern& lower, const Permutation* permutation, int most) {
  Raster raster(lower.n, most);
  const auto cell = [&](Index i) {
    return raster.cell_of(permutation != nullptr ? permutation->new_of(i) : i);
  };
  for (Index j = 0; j < lower.n; ++j) {
    const int column = cell(j);
    for (Offset k = lower.col_ptr[j]; k < lower.col_ptr[j + 1]; ++k) {
      const int row = cell(lower.row[k]);
      ++raster.at(row, column);
      if (lower.row[k] != j) ++raster.at(column, row);
    }
  }
  return raster;
}

Raster raster_of(const Supernodes& supernodes, int most) {
  Raster raster(supernodes.first.empty() ? 0 : supernodes.first.back(), most);
  for (Index s = 0; s < supernodes.count(); ++s) {
    const Index first = supernodes.first[s], last = supernodes.first[s + 1];
    for (Index i = first; i < last; ++i) add_rows(raster, raster.cell_of(i), 1, first, i + 1);
    add_below(raster, supernodes.rows(s).subspan(static_cast<std::size_t>(last - first)), first,
              last);
  }
  return raster;
}

}  // namespace kauri::picture
