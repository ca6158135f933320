// Subgraphs of a dissection.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "ordering/separation/level_graph.hpp"
#include "ordering/separation/separation.hpp"

namespace kauri::ordering::dissection {

/// A subgraph, and the numbers of its vertices in the whole graph.
struct Piece {
  LevelGraph graph;
  std::vector<Index> vertex;  ///< number of each vertex in the whole graph; ascending
};

/// The graph that is divided: a piece, or the whole if `vertex` is empty. Non-owning.
struct PieceView {
  GraphView graph;
  std::span<const Index> vertex;

  [[nodiscard]] Index vertex_of(Index v) const { return vertex.empty() ? v : vertex[v]; }
};

inline PieceView view_of(const Piece& piece) { return {piece.graph.view(), piece.vertex}; }

/// Returns the subgraph of one side, kLeft or kRight, of a separation of `from`.
Piece extract_side(const PieceView& from, const Separation& separation, Side side);

/// Returns the connected components of `from` in the order of their least vertex. Consecutive
/// components of at most `batch` vertices together form one piece.
std::vector<Piece> extract_components(const PieceView& from, Index batch);

}  // namespace kauri::ordering::dissection
