// Lower triangles under construction, column by column, and the Laplacian of a weighted graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/core/matrix.hpp"
#include "kauri/core/types.hpp"

namespace kauri::gen {

/// A lower triangle by columns. Columns are finished in order; inside each, the diagonal comes
/// first and rows ascend.
struct Columns {
  std::vector<Offset> ptr{0};
  std::vector<Index> row;
  std::vector<double> value;

  [[nodiscard]] Index n() const { return static_cast<Index>(ptr.size()) - 1; }
  void reserve(Offset columns, Offset entries);
  void add(Offset i, double v) {
    row.push_back(static_cast<Index>(i));
    value.push_back(v);
  }
  void finish_column() { ptr.push_back(static_cast<Offset>(row.size())); }
};

SymmetricMatrix<double> to_matrix(Columns a);

/// An entry at (row, col) of the lower triangle.
struct Triplet {
  Index row;
  Index col;
  double value;
};

/// Returns the entries as columns, sorted by column and, within a column, by row; entries with
/// equal row and column keep their order and are not summed. O(n + entries), stable.
Columns sort_entries(Index n, const std::vector<Triplet>& entries);

struct Edge {
  Index u;
  Index v;
  double weight;
};

/// Returns the graph Laplacian plus shift*I. Each edge has u != v. If an edge is given twice, in
/// either direction, the first weight counts. Each diagonal entry is the shift plus the weights of
/// the neighbours in ascending order: the order of summation is part of the definition.
Columns laplacian(Index n, const std::vector<Edge>& edges, double shift);

}  // namespace kauri::gen
