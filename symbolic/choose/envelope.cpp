// Measures levels by two breadth-first searches per component, the first to find an end and the
// second to measure from there, and envelopes by one pass.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/choose/envelope.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/threads/stopping.hpp"

namespace kauri::symbolic {
namespace {

/// Breadth-first search by levels. Searches of one component must have different marks, not 0.
class LevelSearch {
 public:
  explicit LevelSearch(const ordering::GraphView& graph)
      : graph_(graph), seen_(static_cast<std::size_t>(graph.size()), 0) {}

  /// Returns the sum of squared widths of the levels, the width being the weight of a level's
  /// vertices; last() is then a vertex of the last level. `mark` marks the vertices that are found.
  /// Stops reading neighbours once it has found `most` vertices, the number that the component has
  /// at most: in a graph of few levels most neighbours are then not read.
  double run(Index start, unsigned char mark, std::size_t most) {
    queue_.assign(1, start);
    seen_[start] = mark;
    double squares = 0;
    for (std::size_t begin = 0; begin < queue_.size();) {
      const std::size_t end = queue_.size();
      double width = 0;
      for (; begin < end; ++begin) {
        check_stop_.at(static_cast<std::int64_t>(begin));
        width += graph_.weight_of(queue_[begin]);
        if (queue_.size() == most) continue;
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
  /// Returns the number of vertices found.
  [[nodiscard]] std::size_t found() const { return queue_.size(); }

 private:
  StopCheck check_stop_;
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

double envelope_entries(const Pattern& lower, Index step) {
  std::vector<Index> first(static_cast<std::size_t>(lower.n));
  if (lower.n == 0) return 0;
  if (step > 1) std::iota(first.begin(), first.end(), 0);
  for (Index j = (lower.n - 1) / step * step; j >= 0;
       j -= step)  // columns descend, so the last write is the least column
    for (Offset k = lower.col_ptr[j]; k < lower.col_ptr[j + 1]; ++k) first[lower.row[k]] = j;
  return rows_from(first);
}

double envelope_entries(const ordering::CompressedGraph& graph, const Permutation& perm) {
  std::vector<Index> least(
      static_cast<std::size_t>(graph.size()));  // by supervariable: least new number of a member
  for (Index v = 0; v < graph.size(); ++v) {
    least[v] = perm.new_of(graph.member(v, 0));
    for (Index t = 1; t < graph.weight(v); ++t)
      least[v] = std::min(least[v], perm.new_of(graph.member(v, t)));
  }
  double entries = 0;
  for (Index v = 0; v < graph.size(); ++v) {
    Index first = least[v];
    for (const Index u : graph.view().neighbours(v)) first = std::min(first, least[u]);
    for (Index t = 0; t < graph.weight(v); ++t)
      entries += perm.new_of(graph.member(v, t)) - first + 1;
  }
  return entries;
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
  LevelSearch search(graph);
  double squares = 0;
  auto left = static_cast<std::size_t>(graph.size());
  for (Index v = 0; v < graph.size(); ++v) {
    if (search.seen(v)) continue;
    search.run(v, 1, left);
    squares += search.run(search.last(), 2, search.found());
    left -= search.found();
  }
  return squares / 2;
}

}  // namespace kauri::symbolic
