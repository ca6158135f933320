// The elimination game by its definition, on a dense adjacency matrix: the oracle of orderings,
// counts and structures.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "kauri/core/graph.hpp"
#include "kauri/core/permutation.hpp"

namespace kauri::test {

/// A graph that shrinks: eliminating a vertex joins its neighbours pairwise and removes it. O(n^2)
/// storage and work per step.
class EliminationGame {
 public:
  explicit EliminationGame(const Graph& graph)
      : adjacent_(static_cast<std::size_t>(graph.size()),
                  std::vector<char>(static_cast<std::size_t>(graph.size()), 0)),
        alive_(static_cast<std::size_t>(graph.size()), 1) {
    for (Index v = 0; v < graph.size(); ++v)
      for (const Index u : graph.neighbours(v)) adjacent_[v][u] = 1;
  }

  [[nodiscard]] Index size() const { return static_cast<Index>(alive_.size()); }
  [[nodiscard]] bool alive(Index v) const { return alive_[v] != 0; }
  [[nodiscard]] bool adjacent(Index u, Index v) const {
    return alive(u) && alive(v) && adjacent_[u][v] != 0;
  }
  /// Returns the neighbours of v, ascending.
  [[nodiscard]] std::vector<Index> neighbours(Index v) const {
    std::vector<Index> result;
    for (Index u = 0; u < size(); ++u)
      if (adjacent(v, u)) result.push_back(u);
    return result;
  }
  [[nodiscard]] bool indistinguishable(Index u, Index v) const {
    if (!adjacent(u, v)) return false;
    for (Index w = 0; w < size(); ++w)
      if (w != u && w != v && adjacent(u, w) != adjacent(v, w)) return false;
    return true;
  }
  void remove(Index v) { alive_[v] = 0; }
  /// Eliminates v. Returns the neighbours that it had, ascending.
  std::vector<Index> eliminate(Index v) {
    std::vector<Index> clique = neighbours(v);
    for (const Index a : clique)
      for (const Index b : clique)
        if (a != b) adjacent_[a][b] = 1;
    remove(v);
    return clique;
  }

 private:
  std::vector<std::vector<char>> adjacent_;
  std::vector<char> alive_;
};

/// Returns the structure of L by the game: element k holds the rows of column k, ascending,
/// diagonal first, all in new numbers.
inline std::vector<std::vector<Index>> naive_structures(const Graph& graph,
                                                        const Permutation& permutation) {
  EliminationGame game(graph);
  std::vector<std::vector<Index>> columns;
  for (Index k = 0; k < graph.size(); ++k) {
    std::vector<Index> rows{k};
    for (const Index u : game.eliminate(permutation.old_of(k)))
      rows.push_back(permutation.new_of(u));
    std::sort(rows.begin(), rows.end());
    columns.push_back(std::move(rows));
  }
  return columns;
}

}  // namespace kauri::test
