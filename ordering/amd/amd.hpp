// Approximate minimum degree ordering: P. R. Amestoy, T. A. Davis, I. S. Duff, "An approximate minimum degree ordering algorithm",
// SIAM J. Matrix Anal. Appl. 17 (1996) 886-905.
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
  Index vertex;       ///< the one chosen
  Index weight;       ///< of the vertices merged into it by then
  Index approximate;  ///< the bound on its external degree for which it was chosen
  Index external;     ///< its external degree itself, known once it is eliminated
  Index eliminated;   ///< weight of all that leaves the graph in this step: the pivot and what needs no fill beyond it
};

struct AmdOptions {
  bool aggressive = true;  ///< elements that become subsets of the newest one are absorbed
  double elbow =
      0.5;  ///< room beyond the least needed, as a share of nnz; more means fewer garbage collections. The order never depends on it.
  bool wide = false;  ///< 64-bit positions even where 32 bits suffice (for tests). The order never depends on it.
  Index largest_tag = std::numeric_limits<Index>::max();  ///< marks are cleared above it (for tests). The order never depends on it.
  std::vector<AmdPivot>* trace = nullptr;                 ///< receives the steps, in their order, if not null
  Index long_list = 128;                                  ///< entries of a list beyond which some pivots pass its variable over (hubs)
  Offset most_work = std::numeric_limits<Offset>::max();  ///< entries of lists that are visited before the elimination is given up
  Offset* work = nullptr;                                 ///< receives the number of visited entries, if not null
};

/// Memory for approximate_minimum_degree; one per thread, reused for any number of graphs. Grows to what the largest needs.
class AmdWorkspace {
 public:
  AmdWorkspace();
  ~AmdWorkspace();
  AmdWorkspace(const AmdWorkspace&) = delete;
  AmdWorkspace& operator=(const AmdWorkspace&) = delete;

  struct Storage;
  [[nodiscard]] Storage& storage() { return *storage_; }

 private:
  std::unique_ptr<Storage> storage_;
};

/// Writes to order (length graph.size()) the vertices in the order of elimination: the assembly tree in postorder, children in the order of
/// their elimination, the vertices of a front ascending. Degrees are external and weighted. Dense rows are the caller's business. Time: the
/// lists touched by each pivot, O(n nnz) at worst, near linear in practice; a long list is worked through only when the pivots that passed
/// it over have paid for that. Workspace: (1 + elbow) nnz + 11 n + total weight numbers, nnz counting both directions, and 2 n where a list
/// is long. Returns false, and leaves order unspecified, if more than most_work entries had to be visited: a function of the graph alone.
bool approximate_minimum_degree(const GraphView& graph, const AmdOptions& options, AmdWorkspace& workspace, std::span<Index> order);

/// The same with a halo, for the leaves of a dissection (F. Pellegrini, J. Roman, P. R. Amestoy, "Hybridizing nested dissection and halo
/// approximate minimum degree for efficient sparse matrix ordering", Concurrency: Pract. Exper. 12 (2000) 69-84): the vertices v >=
/// interior belong to separators, which come later. They count in all degrees and are never eliminated. Writes the order of the others
/// (length interior), in postorder of their assembly forest: it may have several roots. Edges between interior and halo are given in both
/// directions, those from halo to halo need not be: they are ignored. Time and workspace are those of the graph given, not of the largest
/// so far; memory grows by doubling, for many small graphs.
void halo_minimum_degree(const GraphView& graph, Index interior, const AmdOptions& options, AmdWorkspace& workspace,
                         std::span<Index> order);

}  // namespace kauri::ordering
