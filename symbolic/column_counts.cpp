// Column counts by leaves of row subtrees and their least common ancestors (Gilbert, Ng & Peyton 1994).
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/column_counts.hpp"

namespace kauri::symbolic {
namespace {

/// Columns of the postordered matrix: rows below the diagonal, ascending.
struct ColumnLists {
  std::vector<Offset> ptr;
  std::vector<Index> row;
};

ColumnLists postordered_columns(const RowLists& rows, std::span<const Index> position) {
  const Index n = rows.size();
  ColumnLists columns{std::vector<Offset>(static_cast<std::size_t>(n) + 1, 0), std::vector<Index>(rows.column.size())};
  std::vector<Index> at(static_cast<std::size_t>(n));  // the inverse of position
  for (Index j = 0; j < n; ++j) at[position[j]] = j;
  for (Index j = 0; j < n; ++j) columns.ptr[j + 1] = columns.ptr[j] + rows.column_entries[at[j]];
  std::vector<Offset> next(columns.ptr.begin(), columns.ptr.end() - 1);
  for (Index i = 0; i < n; ++i)
    for (Offset k = rows.ptr[at[i]]; k < rows.ptr[at[i] + 1]; ++k) columns.row[next[position[rows.column[k]]]++] = i;
  return columns;
}

/// The root of x's set; halves the path on its way.
Index find_root(std::vector<Index>& up, Index x) {
  while (up[x] != x) {
    up[x] = up[up[x]];
    x = up[x];
  }
  return x;
}

/// What row i has met so far: its last neighbour and the last leaf of its row subtree.
struct RowState {
  Index neighbour = kNone;
  Index leaf = kNone;
};

}  // namespace

std::vector<Index> column_counts(const RowLists& rows, std::span<const Index> position, std::span<const Index> parent) {
  const Index n = rows.size();
  const ColumnLists columns = postordered_columns(rows, position);
  std::vector<Index> count(static_cast<std::size_t>(n), 1), first(static_cast<std::size_t>(n)), up(static_cast<std::size_t>(n));
  std::vector<RowState> state(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j) first[j] = up[j] = j;
  for (Index j = 0; j < n; ++j)
    if (parent[j] != kNone) {
      if (first[j] < first[parent[j]]) first[parent[j]] = first[j];
      count[parent[j]] = 0;  // the diagonal starts at leaves and is carried up
    }
  // count[j] becomes the weight whose sum over the subtree of j is the count of column j: +1 where a row subtree has a leaf,
  // -1 where two of its branches meet, -1 at the parent of its root.
  for (Index j = 0; j < n; ++j) {
    if (parent[j] != kNone) --count[parent[j]];
    for (Offset k = columns.ptr[j]; k < columns.ptr[j + 1]; ++k) {
      RowState& row = state[columns.row[k]];
      if (first[j] > row.neighbour) {
        ++count[j];
        if (row.leaf != kNone) --count[find_root(up, row.leaf)];
        row.leaf = j;
      }
      row.neighbour = j;
    }
    if (parent[j] != kNone) up[j] = parent[j];
  }
  for (Index j = 0; j < n; ++j)
    if (parent[j] != kNone) count[parent[j]] += count[j];
  return count;
}

}  // namespace kauri::symbolic
