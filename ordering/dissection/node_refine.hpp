// Vertex separators made smaller by moving single vertices, after C. M. Fiduccia & R. M. Mattheyses, "A linear-time heuristic for improving
// network partitions", DAC 1982, on separators as in B. Hendrickson & E. Rothberg, "Improving the run time and quality of nested dissection
// ordering", SIAM J. Sci. Comput. 20 (1998).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "ordering/dissection/gain_heap.hpp"
#include "ordering/dissection/separation.hpp"
#include "ordering/graph_view.hpp"

namespace kauri::ordering::dissection {

/// Memory of a NodeRefiner; one per thread, for any number of graphs.
struct RefineWorkspace {
  GainHeap heap[2];
  std::vector<std::array<Index, 2>> beside;  // of a separator vertex: weight of its neighbours on either side
  std::vector<char> state;                   // all 0 between calls
  std::vector<Index> member, pulled;
  struct Move {
    Index vertex;
    std::size_t pulled_end;
    Side to;
  };
  std::vector<Move> move;
};

struct RefineLimits {
  Index most;       ///< weight that either side may reach
  int passes = 8;   ///< at most
  Index patience;   ///< moves without a better separator after which a pass ends
};

/// Moves of separator vertices of one graph. Borrows all that it is given.
class NodeRefiner {
 public:
  NodeRefiner(const GraphView& graph, Separation& separation, RefineWorkspace& workspace);

  /// Passes over the separator until one brings nothing. The separator never gets heavier.
  void refine(const RefineLimits& limits);
  /// From all on the right: grows the left side from `start` by the vertices that cost the separator least, until it has half the weight.
  void grow(Index start);

 private:
  bool pass(const RefineLimits& limits, int sides);
  void enter(Index v);
  void move(Index v, Side to);
  void pull(Index u, Side to);
  void undo(std::size_t moves);
  [[nodiscard]] int choose(Index most);
  Index gain(Index v, Side to) const { return graph_.weight_of(v) - w_.beside[v][1 - to]; }

  const GraphView graph_;
  Separation& s_;
  RefineWorkspace& w_;
};

}  // namespace kauri::ordering::dissection
