// Several orderings of one graph that share its reduction: what an ordering selection runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "base/threads/per_thread.hpp"
#include "kauri/ordering.hpp"
#include "ordering/amd/amd.hpp"
#include "ordering/graph/reduce.hpp"
#include "ordering/metis/metis.hpp"
#include "ordering/minimum_degree/minimum_degree.hpp"
#include "ordering/rcm/rcm.hpp"

namespace kauri::ordering {

/// Buffers of every method; empty until a method is run.
struct OrdererWorkspace {
  AmdWorkspace amd;
  RcmWorkspace rcm;
  MetisWorkspace metis;
  MinimumDegreeWorkspace minimum_degree;
};

/// Throws Error(usage) for options that no method takes. call: as "order".
void require_sound(const OrderingOptions& options, const char* call);

/// One graph reduced once, ordered by any number of methods. run(m) equals order(graph, options) with options.method = m.
class Orderer {
 public:
  /// Borrows what the graph is made from, which outlives the orderer. options.method is not used. O(n + nnz).
  Orderer(const GraphSource& source, const OrderingOptions& options);

  /// Throws as order(). Components are ordered side by side, by the threads of the calling arena.
  Permutation run(OrderingMethod method);
  /// The same, given up where amd has to visit more than most_work entries of lists in all components together; then nothing is returned.
  /// pamd has the limit where it leaves a component to amd. work: receives the entries visited, 0 with other methods, which have no limit;
  /// unspecified if it was given up. Both are functions of the graph alone.
  std::optional<Permutation> run_within(OrderingMethod method, Offset most_work, Offset& work);
  /// The graph with its indistinguishable vertices merged (if options.compress): run() keeps the members of a supervariable together.
  [[nodiscard]] const CompressedGraph& compressed() const { return reduction_.compressed(); }
  /// Vertices and undirected edges of the reduced graph: what the time of an ordering depends on.
  [[nodiscard]] Offset vertices() const { return reduction_.size(); }
  [[nodiscard]] Offset edges() const { return reduction_.edges() / 2; }
  /// The connected component of the reduced graph that has the most vertices, the first of several; empty if all vertices are set aside.
  [[nodiscard]] GraphView largest_component() const;

 private:
  [[nodiscard]] std::vector<Index> batches() const;
  [[nodiscard]] Permutation numbered(std::span<const Index> order) const;

  Index size_;
  OrderingOptions options_;
  Reduction reduction_;
  PerThread<OrdererWorkspace> workspace_;
};

}  // namespace kauri::ordering
