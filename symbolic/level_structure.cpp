// Two breadth-first searches per component: one to find an end, one to measure from there.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/level_structure.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace kauri::symbolic {
namespace {

/// Breadth-first levels; `mark` tells vertices of this search apart from all others.
class Search {
 public:
  explicit Search(const ordering::GraphView& graph) : graph_(graph), seen_(static_cast<std::size_t>(graph.size()), 0) {}

  /// Returns the sum of squared widths; last() is then a vertex of the last level.
  double run(Index start, unsigned char mark) {
    queue_.assign(1, start);
    seen_[start] = mark;
    double squares = 0;
    for (std::size_t begin = 0; begin < queue_.size();) {
      const std::size_t end = queue_.size();
      double width = 0;
      for (; begin < end; ++begin) {
        width += graph_.weight_of(queue_[begin]);
        for (const Index u : graph_.neighbours(queue_[begin]))
          if (seen_[u] != mark) {
            seen_[u] = mark;
            queue_.push_back(u);
          }
      }
      squares += width * width;
    }
    return squares;
  }
  [[nodiscard]] bool seen(Index v) const { return seen_[v] != 0; }
  [[nodiscard]] Index last() const { return queue_.back(); }

 private:
  ordering::GraphView graph_;
  std::vector<unsigned char> seen_;
  std::vector<Index> queue_;
};

double rows_from(const std::vector<Index>& first) {
  double entries = 0;
  for (Index i = 0; i < static_cast<Index>(first.size()); ++i) entries += i - first[i] + 1;
  return entries;
}

}  // namespace

double envelope_entries(const Pattern& lower) {
  std::vector<Index> first(static_cast<std::size_t>(lower.n));
  for (Index j = lower.n - 1; j >= 0; --j)  // the last to write is the least
    for (Offset k = lower.col_ptr[j]; k < lower.col_ptr[j + 1]; ++k) first[lower.row[k]] = j;
  return rows_from(first);
}

double envelope_entries(const Pattern& lower, const Permutation& perm) {
  const std::span<const Index> new_of = perm.new_of();
  std::vector<Index> first(static_cast<std::size_t>(lower.n));
  std::iota(first.begin(), first.end(), 0);
  for (Index j = 0; j < lower.n; ++j)
    for (Offset k = lower.col_ptr[j]; k < lower.col_ptr[j + 1]; ++k) {
      const auto [low, high] = std::minmax(new_of[j], new_of[lower.row[k]]);
      first[high] = std::min(first[high], low);
    }
  return rows_from(first);
}

double banded_entries(const ordering::GraphView& graph) {
  Search search(graph);
  double squares = 0;
  for (Index v = 0; v < graph.size(); ++v) {
    if (search.seen(v)) continue;
    search.run(v, 1);
    squares += search.run(search.last(), 2);
  }
  return squares / 2;
}

}  // namespace kauri::symbolic
