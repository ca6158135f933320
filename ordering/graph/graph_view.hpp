// A borrowed graph as the ordering methods read it: vertices numbered from 0, with weights.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <span>

#include "kauri/core/graph.hpp"

namespace kauri::ordering {

/// Undirected graph: neighbours ascend, both directions are stored, no loops, no repeats.
/// Non-owning.
/// A vertex of weight w represents w indistinguishable vertices of the caller's graph.
struct GraphView {
  std::span<const Offset> ptr;       ///< length n+1, ascending; the neighbours of v are
                                     ///< adjacency[ptr[v]] ... adjacency[ptr[v+1]-1]
  std::span<const Index> adjacency;  ///< entries before ptr[0] and from ptr[n] on are not used
  std::span<const Index> weight;     ///< length n, all >= 1; or empty: all are 1

  [[nodiscard]] Index size() const { return static_cast<Index>(ptr.size()) - 1; }
  [[nodiscard]] Offset edges() const { return ptr.back() - ptr.front(); }  ///< directed edges
  [[nodiscard]] Index degree(Index v) const { return static_cast<Index>(ptr[v + 1] - ptr[v]); }
  [[nodiscard]] Index weight_of(Index v) const { return weight.empty() ? 1 : weight[v]; }
  [[nodiscard]] Index total_weight() const {
    return weight.empty() ? size() : std::accumulate(weight.begin(), weight.end(), Index{0});
  }
  [[nodiscard]] std::span<const Index> neighbours(Index v) const {
    return adjacency.subspan(static_cast<std::size_t>(ptr[v]),
                             static_cast<std::size_t>(ptr[v + 1] - ptr[v]));
  }
};

inline GraphView view_of(const Graph& graph) { return {graph.ptr(), graph.adjacency(), {}}; }

}  // namespace kauri::ordering
