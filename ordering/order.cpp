// Names of the ordering methods, and order(): one reduction of the graph, then a method for each component.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/ordering.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "kauri/error.hpp"
#include "ordering/dissection/dissect.hpp"
#include "ordering/orderer.hpp"
#include "src/base/allowed_threads.hpp"
#include "src/base/stopping.hpp"

namespace kauri {
namespace ordering {
namespace {

constexpr std::array<std::pair<OrderingMethod, std::string_view>, 7> kNames{{
    {OrderingMethod::natural, "natural"},
    {OrderingMethod::rcm, "rcm"},
    {OrderingMethod::minimum_degree, "md"},
    {OrderingMethod::amd, "amd"},
    {OrderingMethod::nested_dissection, "nd"},
    {OrderingMethod::metis, "metis"},
    {OrderingMethod::automatic, "auto"},
}};

constexpr std::array<std::pair<Effort, std::string_view>, 3> kEffortNames{{
    {Effort::fast, "fast"},
    {Effort::standard, "default"},
    {Effort::best, "best"},
}};

/// The name of a value in such a list, or nothing.
template <class Names, class Value>
std::optional<std::string_view> find_name(const Names& names, Value wanted) {
  for (const auto& [value, name] : names)
    if (value == wanted) return name;
  return std::nullopt;
}

/// The inverse of find_name.
template <class Value, std::size_t N>
std::optional<Value> find_value(const std::array<std::pair<Value, std::string_view>, N>& names, std::string_view wanted) {
  for (const auto& [value, name] : names)
    if (name == wanted) return value;
  return std::nullopt;
}

void order_component(const GraphView& graph, const OrderingOptions& options, OrdererWorkspace& workspace, std::span<Index> order) {
  switch (options.method) {
    case OrderingMethod::rcm:
      return reverse_cuthill_mckee(graph, workspace.rcm, order);
    case OrderingMethod::amd:
      return approximate_minimum_degree(graph, {.aggressive = options.aggressive}, workspace.amd, order);
    case OrderingMethod::nested_dissection:
      return nested_dissection(graph, {.seed = options.seed, .effort = options.effort}, order);
    case OrderingMethod::metis:
      return metis_nested_dissection(graph, options.seed, workspace.metis, order);
    case OrderingMethod::minimum_degree: {
      OrderingOptions exact;
      exact.tie_break = options.tie_break;
      exact.delta = options.delta;
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
  if (options.threads < 0) throw Error(ErrorKind::usage, "order: threads must be >= 0");
}

}  // namespace

Orderer::Orderer(const GraphSource& source, const OrderingOptions& options)
    : size_(source.size()), options_(options), reduction_(source, options.compress, options.dense, options_.last) {}

GraphView Orderer::largest_component() const {
  static constexpr Offset kNoEdges[] = {0};
  if (reduction_.components() == 0) return {kNoEdges, {}, {}};  // all is set aside
  Index largest = 0;
  for (Index c = 1; c < reduction_.components(); ++c)
    if (reduction_.size(c) > reduction_.size(largest)) largest = c;
  return reduction_.component(largest);
}

Permutation Orderer::run(OrderingMethod method) {
  OrderingOptions options = options_;
  options.method = method;
  check(options);
  if (method == OrderingMethod::natural) return natural_order(size_, options_.last);
  std::vector<Index> old_of, order;
  old_of.reserve(static_cast<std::size_t>(size_));
  const StopCheck check_stop;
  for (Index c = 0; c < reduction_.components(); ++c) {
    check_stop();
    order.resize(static_cast<std::size_t>(reduction_.size(c)));
    if (order.size() <= 2)  // nothing to gain, and there may be millions of them
      std::iota(order.begin(), order.end(), 0);
    else
      order_component(reduction_.component(c), options, workspace_, order);
    reduction_.expand(c, order, old_of);
  }
  reduction_.append_rest(old_of);
  return Permutation::from_old_of(std::move(old_of));
}

}  // namespace ordering

std::string_view name_of(OrderingMethod method) {
  if (const auto name = ordering::find_name(ordering::kNames, method)) return *name;
  throw Error(ErrorKind::usage, "name_of: no such ordering method");
}

std::optional<OrderingMethod> ordering_from_name(std::string_view name) { return ordering::find_value(ordering::kNames, name); }

std::string_view name_of(Effort effort) {
  if (const auto name = ordering::find_name(ordering::kEffortNames, effort)) return *name;
  throw Error(ErrorKind::usage, "name_of: no such effort");
}

std::optional<Effort> effort_from_name(std::string_view name) { return ordering::find_value(ordering::kEffortNames, name); }

bool ordering_available(OrderingMethod method) { return method != OrderingMethod::metis || ordering::metis_available(); }

Permutation order(const Graph& graph, const OrderingOptions& options) {
  const StopScope scope(options.stop);
  ordering::check(options);
  std::optional<Permutation> found;
  with_threads(options.threads, [&] {
    if (options.method == OrderingMethod::natural)
      found = ordering::natural_order(graph.size(), options.last);
    else
      found = ordering::Orderer(graph, options).run(options.method);
  });
  return *std::move(found);
}

}  // namespace kauri
