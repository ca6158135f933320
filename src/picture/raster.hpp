// Density of sparse patterns: entries counted by cells of a square grid.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/core/matrix.hpp"
#include "kauri/core/plan.hpp"

namespace kauri::picture {

/// Counts of entries in size x size cells over n rows and columns; entry (i, j) is in cell
/// (cell_of(i), cell_of(j)).
struct Raster {
  /// Makes a raster of zeros with min(rows, most) cells a side, at least one. most: >= 1.
  Raster(Index rows, int most);

  [[nodiscard]] int cell_of(Index i) const {
    return static_cast<int>(static_cast<Offset>(i) * size / n);
  }
  /// Returns the first row of a cell; n for cell `size`.
  [[nodiscard]] Index first_of(int cell) const {
    return static_cast<Index>((static_cast<Offset>(cell) * n + size - 1) / size);
  }
  [[nodiscard]] Offset& at(int row, int column) {
    return count[static_cast<std::size_t>(row) * static_cast<std::size_t>(size) +
                 static_cast<std::size_t>(column)];
  }
  [[nodiscard]] Offset at(int row, int column) const {
    return count[static_cast<std::size_t>(row) * static_cast<std::size_t>(size) +
                 static_cast<std::size_t>(column)];
  }

  Index n;
  int size;
  std::vector<Offset> count;  ///< length size^2, row by row: entries in each cell
};

/// Returns the raster of P A P^T, or of A if the permutation is null, with the entries of both
/// halves. most: greatest number of cells a side. O(nnz + cells).
Raster raster_of(const Pattern& lower, const Permutation* permutation, int most);

/// Returns the raster of L as stored: zeros that amalgamation adds count, upper halves of pivot
/// blocks do not. O(rows of all fronts + cells that their columns meet): no column of L is formed.
Raster raster_of(const Supernodes& supernodes, int most);

}  // namespace kauri::picture
