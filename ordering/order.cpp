// Names of the ordering methods, and order(): one reduction of the graph, then a method for each component.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/ordering.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "kauri/error.hpp"
#include "ordering/orderer.hpp"

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

void order_component(const GraphView& graph, const OrderingOptions& options, OrdererWorkspace& workspace, std::span<Index> order) {
  switch (options.method) {
    case OrderingMethod::rcm:
      return reverse_cuthill_mckee(graph, workspace.rcm, order);
    case OrderingMethod::amd:
      return approximate_minimum_degree(graph, {.aggressive = options.aggressive}, workspace.amd, order);
    case OrderingMethod::metis:
      return metis_nested_dissection(graph, options.seed, workspace.metis, order);
    case OrderingMethod::minimum_degree: {
      OrderingOptions exact = options;
      exact.dense = 0;  // dense rows are set aside already
      const auto old_of = minimum_degree(graph, exact, workspace.minimum_degree);
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

Orderer::Orderer(const Graph& graph, const OrderingOptions& options)
    : size_(graph.size()), options_(options), reduction_(graph, options.compress, options.dense) {}

Permutation Orderer::run(OrderingMethod method) {
  OrderingOptions options = options_;
  options.method = method;
  check(options);
  if (method == OrderingMethod::natural) return Permutation::identity(size_);
  std::vector<Index> old_of, order;
  old_of.reserve(static_cast<std::size_t>(size_));
  for (Index c = 0; c < reduction_.components(); ++c) {
    order.resize(static_cast<std::size_t>(reduction_.size(c)));
    if (order.size() <= 2)  // nothing to gain, and there may be millions of them
      std::iota(order.begin(), order.end(), 0);
    else
      order_component(reduction_.component(c), options, workspace_, order);
    reduction_.expand(c, order, old_of);
  }
  reduction_.append_dense(old_of);
  return Permutation::from_old_of(std::move(old_of));
}

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
  return ordering::Orderer(graph, options).run(options.method);
}

}  // namespace kauri
