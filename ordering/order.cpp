// Names of the ordering methods, and order(): reduction of the graph, then the method for each component.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/ordering.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "kauri/error.hpp"
#include "ordering/amd.hpp"
#include "ordering/metis.hpp"
#include "ordering/minimum_degree.hpp"
#include "ordering/rcm.hpp"
#include "ordering/reduce.hpp"

namespace kauri {
namespace ordering {
namespace {

constexpr std::array<std::pair<OrderingMethod, std::string_view>, 6> kNames{{
    {OrderingMethod::natural, "natural"},
    {OrderingMethod::rcm, "rcm"},
    {OrderingMethod::minimum_degree, "md"},
    {OrderingMethod::amd, "amd"},
    {OrderingMethod::metis, "metis"},
    {OrderingMethod::automatic, "auto"},
}};

// One per call of order(), used for all its components.
struct Workspace {
  AmdWorkspace amd;
  RcmWorkspace rcm;
  MetisWorkspace metis;
  MinimumDegreeWorkspace minimum_degree;
};

std::vector<Index> order_by_minimum_degree(const GraphView& view, OrderingOptions options, MinimumDegreeWorkspace& workspace) {
  std::vector<Offset> ptr(view.ptr.begin(), view.ptr.end());
  const auto edges = view.adjacency.subspan(static_cast<std::size_t>(ptr.front()), static_cast<std::size_t>(view.edges()));
  for (Offset& p : ptr) p -= view.ptr.front();
  options.dense = 0;  // dense rows are set aside already
  return minimum_degree(Graph(std::move(ptr), {edges.begin(), edges.end()}), view.weight, options, workspace);
}

void order_component(const GraphView& graph, const OrderingOptions& options, Workspace& workspace, std::span<Index> order) {
  switch (options.method) {
    case OrderingMethod::rcm:
      return reverse_cuthill_mckee(graph, workspace.rcm, order);
    case OrderingMethod::amd:
      return approximate_minimum_degree(graph, {.aggressive = options.aggressive}, workspace.amd, order);
    case OrderingMethod::metis:
      return metis_nested_dissection(graph, options.seed, workspace.metis, order);
    case OrderingMethod::minimum_degree: {
      const auto old_of = order_by_minimum_degree(graph, options, workspace.minimum_degree);
      std::copy(old_of.begin(), old_of.end(), order.begin());
      return;
    }
    case OrderingMethod::natural:
    case OrderingMethod::automatic:
      break;
  }
  throw Error(ErrorKind::usage, "order: the method has no algorithm of its own");
}

void check(const OrderingOptions& options) {
  if (options.method == OrderingMethod::automatic)
    throw Error(ErrorKind::usage, "order: method 'auto' needs the symbolic phase, call analyze()");
  if (options.method == OrderingMethod::metis && !metis_available()) throw Error(ErrorKind::usage, "kauri was built without METIS");
  if (options.delta < 0) throw Error(ErrorKind::usage, "order: delta must be >= 0");
}

}  // namespace
}  // namespace ordering

std::string_view name_of(OrderingMethod method) {
  for (const auto& [value, name] : ordering::kNames)
    if (value == method) return name;
  throw Error(ErrorKind::usage, "name_of: no such ordering method");
}

std::optional<OrderingMethod> ordering_from_name(std::string_view name) {
  for (const auto& [value, known] : ordering::kNames)
    if (known == name) return value;
  return std::nullopt;
}

bool ordering_available(OrderingMethod method) { return method != OrderingMethod::metis || ordering::metis_available(); }

Permutation order(const Graph& graph, const OrderingOptions& options) {
  ordering::check(options);
  if (options.method == OrderingMethod::natural) return Permutation::identity(graph.size());
  const ordering::Reduction reduction(graph, options.compress, options.dense);
  ordering::Workspace workspace;
  std::vector<Index> old_of, order;
  old_of.reserve(static_cast<std::size_t>(graph.size()));
  for (Index c = 0; c < reduction.components(); ++c) {
    order.resize(static_cast<std::size_t>(reduction.size(c)));
    if (order.size() <= 2)  // nothing to gain, and there may be millions of them
      std::iota(order.begin(), order.end(), 0);
    else
      ordering::order_component(reduction.component(c), options, workspace, order);
    reduction.expand(c, order, old_of);
  }
  reduction.append_dense(old_of);
  return Permutation::from_old_of(std::move(old_of));
}

}  // namespace kauri
