// Orders one graph by several methods that share its reduction, for an ordering selection.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "base/threads/per_thread.hpp"
#include "kauri/core/ordering.hpp"
#include "ordering/amd/amd.hpp"
#include "ordering/graph/reduce.hpp"
#include "ordering/metis/metis.hpp"
#include "ordering/minimum_degree/minimum_degree.hpp"
#include "ordering/rcm/rcm.hpp"

namespace kauri::ordering {

/// Buffers of one thread for every method; each is empty until its method is run.
struct OrdererWorkspace {
  AmdWorkspace amd;
  RcmWorkspace rcm;
  MetisWorkspace metis;
  MinimumDegreeWorkspace minimum_degree;
};

/// Throws Error(usage) if delta, threads, effort or tie_break has a value that no method accepts.
/// call: the public call that the message names, as "order".
void require_sound(const OrderingOptions& options, const char* call);

/// A graph that is reduced once and ordered by any number of methods. run(m) equals order(graph,
/// options) with options.method = m.
class Orderer {
 public:
  /// Reduces the graph. Borrows the graph or pattern behind source, which must outlive the orderer.
  /// Does not use options.method. Throws Error(input) if a row of options.last is out of range or
  /// occurs twice. O(n + nnz).
  Orderer(const GraphSource& source, const OrderingOptions& options);

  /// Returns the ordering of the whole graph by a method. Orders components in parallel, by the
  /// threads of the calling arena. Throws as order().
  Permutation run(OrderingMethod method);
  /// Returns the ordering as run(), but returns nothing if amd, nd or rcm would make more than
  /// most_work steps in all components together. A step is an entry of a list that amd visits, a
  /// step of nested_dissection(), or a visit of reverse_cuthill_mckee(). pamd has this limit in the
  /// components that it leaves to amd; components of one or two vertices take no steps. work:
  /// receives the number of steps, 0 for methods without the limit; unspecified if nothing is
  /// returned. The result and work are functions of the graph, the options and most_work alone, not
  /// of the number of threads.
  std::optional<Permutation> run_within(OrderingMethod method, Offset most_work, Offset& work);
  /// The graph with its indistinguishable vertices merged (if options.compress and if that pays),
  /// before rows are set aside. run() keeps the members of a supervariable together, unless the
  /// method is natural.
  [[nodiscard]] const CompressedGraph& compressed() const { return reduction_.compressed(); }
  /// Numbers of vertices and of undirected edges of the reduced graph, on which the time of an
  /// ordering depends.
  [[nodiscard]] Offset vertices() const { return reduction_.size(); }
  [[nodiscard]] Offset edges() const { return reduction_.edges() / 2; }
  /// Returns the connected component of the reduced graph with the most vertices, the first of
  /// several. Empty if all vertices are set aside.
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
