// Refines vertex separators by moving single vertices, after C. M. Fiduccia & R. M. Mattheyses, "A
// linear-time heuristic for improving network partitions", DAC 1982, applied to separators as in B.
// Hendrickson & E. Rothberg, "Improving the run time and quality of nested dissection ordering",
// SIAM J. Sci. Comput. 20 (1998).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "ordering/dissection/multilevel/gain_heap.hpp"
#include "ordering/graph/graph_view.hpp"
#include "ordering/separation/separation.hpp"

namespace kauri::ordering::dissection {

/// Memory of a NodeRefiner; one per thread, for any number of graphs.
struct RefineWorkspace {
  GainHeap heap;
  std::vector<Index>
      across;  // by separator vertex: weight of its neighbours on side from_ of the pass
  std::vector<char> state;  // by vertex: kMoved, kListed or 0; all 0 between passes
  std::vector<Index> member, pulled;
  struct Move {
    Index vertex;
    std::size_t pulled_end;
  };
  std::vector<Move> move;
};

inline constexpr int kMostPatience = 200;

struct RefineLimits {
  Offset most;     ///< largest weight of a side that a vertex is moved to, after the move
  int passes = 6;  ///< most passes of one refine()
  /// A pass ends after P moves without improvement if the separator is then more than a tenth
  /// heavier than the best, else after 3 P. P: number of separator vertices, clamped to [patience,
  /// kMostPatience].
  int patience = 60;
};

/// Moves separator vertices of one graph to the sides, in passes that each move to one side only.
/// So a pass can carry the whole separator across a region where it is heavier; passes that move to
/// both sides cannot, and leave 5 to 15 % more operations on 27-point grids and irregular meshes.
/// Borrows all arguments.
class NodeRefiner {
 public:
  /// separation: a separation of the graph; any content if grow() is called first.
  NodeRefiner(const GraphView& graph, Separation& separation, RefineWorkspace& workspace);

  /// Makes passes to the two sides in turn until two in a row do not lower predicted_work(), at
  /// most limits.passes.
  void refine(const RefineLimits& limits);
  /// Starts with all vertices on the right: grows the left side from `start`, by the vertices that
  /// add least to the separator, until it is as heavy as the right side.
  void grow(Index start);

 private:
  bool pass(const RefineLimits& limits);
  void begin_pass(Side to);
  void end_pass(std::size_t moves);
  void move(Index v);
  void pull(Index u);
  void undo(std::size_t moves);
  [[nodiscard]] Index gain(Index v) const { return graph_.weight_of(v) - w_.across[v]; }

  const GraphView graph_;
  Separation& s_;
  RefineWorkspace& w_;
  Side to_ = kLeft, from_ = kRight;  // sides that the current pass moves to, and that get lighter
};

}  // namespace kauri::ordering::dissection
