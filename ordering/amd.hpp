// Approximate minimum degree ordering: P. R. Amestoy, T. A. Davis, I. S. Duff, "An approximate minimum degree ordering algorithm",
// SIAM J. Matrix Anal. Appl. 17 (1996) 886-905.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ordering/graph_view.hpp"

namespace kauri::ordering {

/// What was known of each pivot when it was chosen, in the order of elimination; vertices counted by weight.
struct AmdTrace {
  std::vector<Index> pivot;        ///< the vertex chosen
  std::vector<Index> approximate;  ///< the bound on its external degree by which it was chosen
  std::vector<Index> external;     ///< its true external degree, known once it is eliminated
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

/// Writes to order (length graph.size()) the vertices in the order of elimination, the assembly tree in postorder, children in the order of
/// their elimination and the vertices of a front ascending. Degrees are external and weighted. aggressive: elements that become subsets of
/// the newest one are absorbed. Dense rows are the caller's business. trace may be null. Time O(sum over the pivots of the lists they
/// touch), O(n nnz) at worst, near linear in practice; workspace 1.5 nnz + 12 n numbers, nnz counting both directions.
void approximate_minimum_degree(const GraphView& graph, bool aggressive, AmdWorkspace& workspace, std::span<Index> order,
                                AmdTrace* trace = nullptr);

}  // namespace kauri::ordering
