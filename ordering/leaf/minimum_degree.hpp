// Orders one leaf of a dissection: minimum degree with a halo, on a bit matrix if the graph is
// small.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "ordering/amd/amd.hpp"
#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// Memory for leaf_minimum_degree(); one per thread, reused for any number of graphs. Grows with
/// the largest graph.
class LeafWorkspace {
 public:
  /// portable: use instructions that every processor has (for tests). The order never depends on
  /// it.
  explicit LeafWorkspace(bool portable = false);
  ~LeafWorkspace();
  LeafWorkspace(const LeafWorkspace&) = delete;
  LeafWorkspace& operator=(const LeafWorkspace&) = delete;

  struct LeafArrays;
  [[nodiscard]] LeafArrays& storage() { return *storage_; }

 private:
  std::unique_ptr<LeafArrays> storage_;
};

/// Largest graph that is ordered on a bit matrix.
struct BitMatrixLimits {
  static constexpr Index kVertices = 1024;  ///< most vertices in all, interior and halo
  static constexpr Index kInterior = 512;   ///< most vertices that are ordered
  static constexpr Index kWeight =
      8191;  ///< total weight, with the halo; if all weights are equal, in units of that weight
};

/// Outputs of leaf_minimum_degree(), and the limit of its work on graphs beyond BitMatrixLimits.
struct LeafOptions {
  std::vector<AmdPivot>* trace = nullptr;                 ///< AmdOptions::trace
  Offset most_work = std::numeric_limits<Offset>::max();  ///< AmdOptions::most_work
  Offset* work = nullptr;  ///< AmdOptions::work; receives 0 within BitMatrixLimits
};

/// Orders a graph with a halo; arguments and result as for halo_minimum_degree(). Within
/// BitMatrixLimits degrees are exact and most_work is ignored; larger graphs are passed to
/// halo_minimum_degree(). The order is a function of the graph alone. Time on the bit matrix: per
/// pivot, interior + |its neighbours in the interior| n / 64 operations. Workspace: interior (n / 8
/// + interior) bytes, rounded up.
bool leaf_minimum_degree(const GraphView& graph, Index interior, LeafWorkspace& workspace,
                         std::span<Index> order, const LeafOptions& options = {});

}  // namespace kauri::ordering
