// Approximate minimum degree ordering: P. R. Amestoy, T. A. Davis, I. S. Duff, "An approximate
// minimum degree ordering algorithm", SIAM J. Matrix Anal. Appl. 17 (1996) 886-905.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// A step of the elimination; vertices are counted by weight.
struct AmdPivot {
  Index vertex;       ///< the pivot chosen
  Index weight;       ///< weight of the pivot, with the vertices merged into it by then
  Index approximate;  ///< bound on its external degree by which it was chosen
  Index external;     ///< its exact external degree, known after its elimination
  Index eliminated;   ///< weight eliminated in this step: the pivot, and vertices that have no
                      ///< neighbour outside the pivot's front
};

/// Options of approximate_minimum_degree() and halo_minimum_degree(), and optional outputs.
struct AmdOptions {
  bool aggressive = true;  ///< absorb elements that become subsets of the newest one
  double elbow = 0.5;      ///< additional memory for lists, as a share of the directed edges; more
                           ///< means fewer garbage collections. The order never depends on it.
  bool wide = false;  ///< 64-bit positions of lists even if 32 bits suffice (for tests). The order
                      ///< never depends on it.
  Index largest_tag =
      std::numeric_limits<Index>::max();   ///< all marks are cleared before the stamp that they are
                                           ///< compared with exceeds it (for tests). The order
                                           ///< never depends on it.
  std::vector<AmdPivot>* trace = nullptr;  ///< null, or the steps are appended to it in order
  Index long_list = 128;  ///< a variable with more entries in its list (a hub) is not updated by
                          ///< every adjacent pivot: see long_lists.hpp
  Offset most_work = std::numeric_limits<Offset>::max();  ///< the elimination is given up once it
                                                          ///< has visited more entries of lists
  Offset* work = nullptr;  ///< receives the number of visited entries, if not null
};

/// Memory for approximate_minimum_degree(); one per thread, reused for any number of graphs. Grows
/// with the largest graph.
class AmdWorkspace {
 public:
  AmdWorkspace();
  ~AmdWorkspace();
  AmdWorkspace(const AmdWorkspace&) = delete;
  AmdWorkspace& operator=(const AmdWorkspace&) = delete;

  struct AmdArrays;
  [[nodiscard]] AmdArrays& storage() { return *storage_; }

 private:
  std::unique_ptr<AmdArrays> storage_;
};

/// Writes to order (length graph.size()) the vertices in elimination order: a postorder of the
/// assembly tree, children in their order of elimination, the vertices of a front ascending.
/// Degrees are external and weighted. Dense rows are ordered like all others. Time: the lists
/// touched by each pivot, O(n nnz) in the worst case, nearly linear in practice; a long list is
/// read only when the pivots that passed it over have paid for that. Workspace: (1 + elbow) nnz +
/// 10 n + total weight numbers of 4 bytes, where nnz counts both directions; 2 n more if a list is
/// long, and 2 n more with 64-bit positions. Returns false, and leaves order unspecified, if
/// vertices remain once more than most_work entries were visited: a function of graph and options
/// alone.
bool approximate_minimum_degree(const GraphView& graph, const AmdOptions& options,
                                AmdWorkspace& workspace, std::span<Index> order);

/// Orders a graph with a halo, for the leaves of a dissection (F. Pellegrini, J. Roman, P. R.
/// Amestoy, "Hybridizing nested dissection and halo approximate minimum degree for efficient sparse
/// matrix ordering", Concurrency: Pract. Exper. 12 (2000) 69-84). The vertices v >= interior are
/// the halo: they belong to separators, which come later. They count in all degrees and are never
/// eliminated. Writes the order of the others (length interior), a postorder of their assembly
/// forest, which may have several roots. Edges between interior and halo must be given in both
/// directions; edges within the halo are ignored and may be missing. The time depends on this graph
/// alone, not on larger ones that used the workspace before; the workspace grows by doubling, so
/// many small graphs rarely allocate. Returns false, and leaves order unspecified, if interior
/// vertices remain once more than options.most_work entries of lists were visited.
bool halo_minimum_degree(const GraphView& graph, Index interior, const AmdOptions& options,
                         AmdWorkspace& workspace, std::span<Index> order);

}  // namespace kauri::ordering
