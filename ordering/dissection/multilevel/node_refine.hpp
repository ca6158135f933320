// Vertex separators made smaller by moving single vertices, after C. M. Fiduccia & R. M. Mattheyses, "A linear-time heuristic for improving
// network partitions", DAC 1982, on separators as in B. Hendrickson & E. Rothberg, "Improving the run time and quality of nested dissection
// ordering", SIAM J. Sci. Comput. 20 (1998).
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
  std::vector<Index> across;  // of a separator vertex: weight of its neighbours on the side that vertices leave
  std::vector<char> state;    // all 0 between passes
  std::vector<Index> member, pulled;
  struct Move {
    Index vertex;
    std::size_t pulled_end;
  };
  std::vector<Move> move;
};

inline constexpr int kMostPatience = 200;

struct RefineLimits {
  Offset most;     ///< weight that either side may reach
  int passes = 6;  ///< at most
  /// Moves without a better separation after which a pass ends, three times as many while it is not much worse: as many as the separator
  /// has vertices, but no fewer than this and no more than kMostPatience.
  int patience = 60;
};

/// Moves of separator vertices of one graph, in passes to one side each: a pass may carry the whole separator on over a ridge, which passes
/// to both sides do not (27-point grids, irregular meshes: 5 to 15 % more operations). Borrows all that it is given.
class NodeRefiner {
 public:
  /// The separation is of the graph, or about to be grown.
  NodeRefiner(const GraphView& graph, Separation& separation, RefineWorkspace& workspace);

  /// Passes to either side in turn until none brings a separation of less predicted_work().
  void refine(const RefineLimits& limits);
  /// From all on the right: grows the left side from `start` by the vertices that cost the separator least, until it has half the weight.
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
  Side to_ = kLeft, from_ = kRight;  // of the pass
};

}  // namespace kauri::ordering::dissection
