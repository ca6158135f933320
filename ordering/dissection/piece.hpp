// Subgraphs of a dissection.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "ordering/separation/level_graph.hpp"
#include "ordering/separation/separation.hpp"

namespace kauri::ordering::dissection {

/// A subgraph, and what its vertices are called in the whole.
struct Piece {
  LevelGraph graph;
  std::vector<Index> vertex;  ///< ascending
};

/// What is divided: a piece, or the whole where `vertex` is empty. Borrowed.
struct PieceView {
  GraphView graph;
  std::span<const Index> vertex;

  [[nodiscard]] Index vertex_of(Index v) const { return vertex.empty() ? v : vertex[v]; }
};

inline PieceView view_of(const Piece& piece) { return {piece.graph.view(), piece.vertex}; }

/// One of the two sides of a separation, between which there is no edge.
Piece extract_side(const PieceView& from, const Separation& separation, Side side);

/// Connected components in the order of their least vertex; those in a row that have no more than `batch` vertices together are one piece.
std::vector<Piece> extract_components(const PieceView& from, Index batch);

}  // namespace kauri::ordering::dissection
