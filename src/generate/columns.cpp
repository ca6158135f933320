// Sorts entries into lower triangles.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/generate/columns.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kauri::gen {

void Columns::reserve(Offset columns, Offset entries) {
  ptr.reserve(static_cast<std::size_t>(columns) + 1);
  row.reserve(static_cast<std::size_t>(entries));
  value.reserve(static_cast<std::size_t>(entries));
}

SymmetricMatrix<double> to_matrix(Columns a) {
  return SymmetricMatrix<double>::from_csc(a.n(), a.ptr, a.row, a.value, Storage::lower);
}

Columns sort_entries(Index n, const std::vector<Triplet>& entries) {
  // Two stable counting sorts: by row into a list of positions, then by column.
  std::vector<Offset> next(static_cast<std::size_t>(n) + 1, 0);
  for (const Triplet& e : entries) ++next[e.row + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Offset> by_row(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k)
    by_row[next[entries[k].row]++] = static_cast<Offset>(k);

  Columns a;
  a.ptr.assign(static_cast<std::size_t>(n) + 1, 0);
  a.row.resize(entries.size());
  a.value.resize(entries.size());
  for (const Triplet& e : entries) ++a.ptr[e.col + 1];
  std::partial_sum(a.ptr.begin(), a.ptr.end(), a.ptr.begin());
  next.assign(a.ptr.begin(), a.ptr.end() - 1);
  for (const Offset k : by_row) {
    const Offset place = next[entries[k].col]++;
    a.row[place] = entries[k].row;
    a.value[place] = entries[k].value;
  }
  return a;
}

Columns laplacian(Index n, const std::vector<Edge>& edges, double shift) {
  std::vector<Triplet> entries;
  entries.reserve(edges.size());
  for (const Edge& e : edges) entries.push_back({std::max(e.u, e.v), std::min(e.u, e.v), e.weight});
  const Columns weights = sort_entries(n, entries);
  std::vector<Triplet>().swap(entries);

  Columns a;
  a.reserve(n, static_cast<Offset>(edges.size()) + n);
  std::vector<double> diagonal(static_cast<std::size_t>(n), shift);
  for (Index j = 0; j < n; ++j) {
    a.add(j, 0);
    for (Offset k = weights.ptr[j]; k < weights.ptr[j + 1]; ++k) {
      const Index i = weights.row[k];
      if (k > weights.ptr[j] && i == weights.row[k - 1]) continue;
      diagonal[j] += weights.value[k];  // smaller neighbours of j have already added their weights
      diagonal[i] += weights.value[k];
      a.add(i, -weights.value[k]);
    }
    a.finish_column();
  }
  for (Index j = 0; j < n; ++j) a.value[a.ptr[j]] = diagonal[j];
  return a;
}

}  // namespace kauri::gen
