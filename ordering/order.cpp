// Names of the ordering methods, and order(): reduces the graph once, then orders each component.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/ordering.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "base/threads/allowed_threads.hpp"
#include "base/threads/blocks.hpp"
#include "base/threads/stopping.hpp"
#include "kauri/core/error.hpp"
#include "ordering/dissection/dissect.hpp"
#include "ordering/orderer.hpp"
#include "ordering/parallel_amd/parallel_amd.hpp"

namespace kauri {
namespace ordering {
namespace {

constexpr std::array<std::pair<OrderingMethod, std::string_view>, 8> kNames{{
    {OrderingMethod::natural, "natural"},
    {OrderingMethod::rcm, "rcm"},
    {OrderingMethod::minimum_degree, "md"},
    {OrderingMethod::amd, "amd"},
    {OrderingMethod::parallel_amd, "pamd"},
    {OrderingMethod::nested_dissection, "nd"},
    {OrderingMethod::metis, "metis"},
    {OrderingMethod::automatic, "auto"},
}};

constexpr std::array<std::pair<Effort, std::string_view>, 3> kEffortNames{{
    {Effort::fast, "fast"},
    {Effort::standard, "standard"},
    {Effort::best, "best"},
}};

/// Returns the name of a value in a list, or nothing.
template <class Names, class Value>
std::optional<std::string_view> find_name(const Names& names, Value wanted) {
  for (const auto& [value, name] : names)
    if (value == wanted) return name;
  return std::nullopt;
}

/// Returns the value of a name in a list, or nothing.
template <class Value, std::size_t N>
std::optional<Value> find_value(const std::array<std::pair<Value, std::string_view>, N>& names,
                                std::string_view wanted) {
  for (const auto& [value, name] : names)
    if (name == wanted) return value;
  return std::nullopt;
}

// kBatch: least number of vertices of components that form one task. kAlone: least number of
// vertices of a component that all threads order together, if the method is parallel.
constexpr Index kBatch = 4000, kAlone = 20000;

bool shares_work(OrderingMethod method) {
  return method == OrderingMethod::nested_dissection || method == OrderingMethod::parallel_amd;
}

/// Writes the order of a component to `order` (length graph.size(), numbers local to the
/// component), unless a method with a limit would make more than `most` steps, as
/// Orderer::run_within() counts them; then leaves `order` unspecified. Returns the number of steps,
/// more than `most` if the component was given up, 0 for methods without the limit. Throws
/// Error(usage) for a method that orders no component: natural, automatic or unknown.
Offset order_component(const GraphView& graph, const OrderingOptions& options,
                       OrdererWorkspace& workspace, Offset most, std::span<Index> order) {
  Offset work = 0;
  switch (options.method) {
    case OrderingMethod::rcm:
      (void)reverse_cuthill_mckee(graph, workspace.rcm, order, {.most_work = most, .work = &work});
      return work;
    case OrderingMethod::amd:
      (void)approximate_minimum_degree(
          graph, {.aggressive = options.aggressive, .most_work = most, .work = &work},
          workspace.amd, order);
      return work;
    case OrderingMethod::parallel_amd:
      parallel_minimum_degree(graph,
                              {.aggressive = options.aggressive, .most_work = most, .work = &work},
                              workspace.amd, order);
      return work;
    case OrderingMethod::nested_dissection:
      (void)nested_dissection(
          graph, {.seed = options.seed, .effort = options.effort, .most_work = most, .work = &work},
          order);
      return work;
    case OrderingMethod::metis:
      metis_nested_dissection(graph, options.seed, workspace.metis, order);
      return work;
    case OrderingMethod::minimum_degree: {
      OrderingOptions exact;
      exact.tie_break = options.tie_break;
      exact.delta = options.delta;
      exact.dense = 0;  // dense rows were set aside by the reduction
      const auto old_of = minimum_degree(graph, exact, workspace.minimum_degree);
      std::copy(old_of.begin(), old_of.end(), order.begin());
      return work;
    }
    case OrderingMethod::natural:
    case OrderingMethod::automatic:
      break;
  }
  throw Error(ErrorKind::usage, "order: the method is unknown; expected one of OrderingMethod");
}

void check(const OrderingOptions& options) {
  if (options.method == OrderingMethod::automatic)
    throw Error(ErrorKind::usage, "order: method 'auto' needs the symbolic phase, call analyze()");
  if (options.method == OrderingMethod::metis && !metis_available())
    throw Error(ErrorKind::usage,
                "order: "
                "method 'metis': kauri was built without METIS; build it with KAURI_METIS=ON, or "
                "order by 'nd'");
  require_sound(options, "order");
}

}  // namespace

void require_sound(const OrderingOptions& options, const char* call) {
  const auto refuse = [call](const std::string& what) {
    throw Error(ErrorKind::usage, std::string(call) + ": " + what);
  };
  if (options.delta < 0)
    refuse("delta is " + std::to_string(options.delta) + ", expected 0 or more");
  if (options.threads < 0)
    refuse("threads is " + std::to_string(options.threads) + ", expected 0 or more");
  if (!find_name(kEffortNames, options.effort))
    refuse("unknown Effort " + std::to_string(static_cast<int>(options.effort)) +
           "; expected fast, standard or best (0 to 2)");
  if (options.tie_break < TieBreak::first || options.tie_break > TieBreak::pseudo_peripheral)
    refuse("unknown TieBreak " + std::to_string(static_cast<int>(options.tie_break)) +
           "; expected first, last or pseudo_peripheral (0 to 2)");
}

Orderer::Orderer(const GraphSource& source, const OrderingOptions& options)
    : size_(source.size()),
      options_(options),
      reduction_(source, options.compress, options.dense, options_.last) {}

GraphView Orderer::largest_component() const {
  static constexpr Offset kNoEdges[] = {0};
  if (reduction_.components() == 0) return {kNoEdges, {}, {}};  // all vertices are set aside
  Index largest = 0;
  for (Index c = 1; c < reduction_.components(); ++c)
    if (reduction_.size(c) > reduction_.size(largest)) largest = c;
  return reduction_.component(largest);
}

/// Groups consecutive connected components into batches, each a task. Returns the first component
/// of each batch, then the number of components.
std::vector<Index> Orderer::batches() const {
  std::vector<Index> first{0};
  for (Index c = 0; c < reduction_.components(); ++c)
    if (reduction_.first(c) + reduction_.size(c) - reduction_.first(first.back()) >= kBatch)
      first.push_back(c + 1);
  if (first.back() != reduction_.components()) first.push_back(reduction_.components());
  return first;
}

Permutation Orderer::run(OrderingMethod method) {
  Offset work = 0;
  return *run_within(method, std::numeric_limits<Offset>::max(), work);
}

std::optional<Permutation> Orderer::run_within(OrderingMethod method, Offset most_work,
                                               Offset& work) {
  OrderingOptions options = options_;
  options.method = method;
  check(options);
  work = 0;
  if (method == OrderingMethod::natural) return natural_order(size_, options_.last);
  std::vector<Index> order(
      static_cast<std::size_t>(reduction_.size()));  // local orders, component after component
  const auto own = [&](Index c) {
    return std::span(order).subspan(static_cast<std::size_t>(reduction_.first(c)),
                                    static_cast<std::size_t>(reduction_.size(c)));
  };
  std::atomic<Offset> visited = 0;
  const auto order_one = [&](Index c) {
    if (const Offset left = most_work - visited; left >= 0)
      visited += order_component(reduction_.component(c), options, *workspace_.use(), left, own(c));
  };
  const auto is_alone = [&](Index c) {
    return shares_work(method) && reduction_.size(c) >= kAlone;
  };
  for (Index c = 0; c < reduction_.components(); ++c)
    if (is_alone(c)) order_one(c);
  const std::vector<Index> batch = batches();
  const auto order_batch = [&](Index b) {
    const StopCheck check_stop;
    for (Index c = batch[b]; c < batch[b + 1] && visited <= most_work; ++c) {
      check_stop();
      if (reduction_.size(c) <= 2)  // nothing to gain, and there may be millions of them
        std::iota(own(c).begin(), own(c).end(), 0);
      else if (!is_alone(c))
        order_one(c);
    }
  };
  // Isolated, so that a thread that waits within a batch does not start another batch meanwhile.
  Blocks(static_cast<Index>(batch.size()) - 1, 1).for_each([&](Index b, Index, Index) {
    isolated([&] { order_batch(b); });
  });
  work = visited;
  if (work > most_work) return {};
  return numbered(order);
}

/// Returns the permutation of all rows of the graph, with the rows that the reduction eliminated or
/// set aside. order: local orders of all components, one after the other.
Permutation Orderer::numbered(std::span<const Index> order) const {
  std::vector<Index> old_of;
  old_of.reserve(static_cast<std::size_t>(size_));
  for (Index c = 0; c < reduction_.components(); ++c)
    reduction_.expand(c,
                      order.subspan(static_cast<std::size_t>(reduction_.first(c)),
                                    static_cast<std::size_t>(reduction_.size(c))),
                      old_of);
  reduction_.append_rest(old_of);
  return Permutation::from_old_of(reduction_.with_small_rows(std::move(old_of)));
}

}  // namespace ordering

std::string_view name_of(OrderingMethod method) {
  if (const auto name = ordering::find_name(ordering::kNames, method)) return *name;
  throw Error(ErrorKind::usage,
              "name_of: unknown OrderingMethod " + std::to_string(static_cast<int>(method)) +
                  "; expected natural, rcm, minimum_degree, amd, parallel_amd, nested_dissection, "
                  "metis or automatic (0 to 7)");
}

std::optional<OrderingMethod> ordering_from_name(std::string_view name) {
  return ordering::find_value(ordering::kNames, name);
}

std::string_view name_of(Effort effort) {
  if (const auto name = ordering::find_name(ordering::kEffortNames, effort)) return *name;
  throw Error(ErrorKind::usage, "name_of: unknown Effort " +
                                    std::to_string(static_cast<int>(effort)) +
                                    "; expected fast, standard or best (0 to 2)");
}

bool ordering_available(OrderingMethod method) {
  return method != OrderingMethod::metis || ordering::metis_available();
}

bool ordering_compared(OrderingMethod method) {
  return method != OrderingMethod::metis || ordering::metis_is_own();
}

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
