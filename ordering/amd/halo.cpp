// Approximate minimum degree of a graph whose last vertices are a halo (Pellegrini, Roman & Amestoy
// 2000).
// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <limits>

#include "ordering/amd/long_lists.hpp"
#include "ordering/amd/upkeep.hpp"

namespace kauri::ordering {
namespace {

// The unnamed namespace gives the elimination internal linkage, so that all of it is inlined into
// one function.
struct Halo {
  static constexpr bool kPresent = true;
  Index first, total_weight;
  [[nodiscard]] bool contains(Index v) const { return v >= first; }
  [[nodiscard]] Index weight() const { return total_weight; }
  [[nodiscard]] Index interior(Index /*n*/) const { return first; }
};

template <class Position>
bool order_with(const GraphView& graph, Halo halo, const AmdOptions& options,
                amd::Arrays<Position>& arrays, std::size_t pool, std::span<Index> order) {
  // Leaves have similar, different sizes: rounding up to powers of two makes growth rare.
  const std::size_t n = std::bit_ceil(static_cast<std::size_t>(graph.size()));
  arrays.node.require(n);
  arrays.sequence.require(n);
  arrays.pool.require(std::bit_ceil(pool));
  arrays.head.require(std::bit_ceil(static_cast<std::size_t>(graph.total_weight())));
  amd::Elimination<Position, Halo> elimination(graph, halo, options, arrays, pool);
  const bool done = elimination.run();
  if (options.work != nullptr) *options.work = elimination.work();
  if (done) elimination.number(order);
  return done;
}

}  // namespace

bool halo_minimum_degree(const GraphView& graph, Index interior, const AmdOptions& options,
                         AmdWorkspace& workspace, std::span<Index> order) {
  const Offset pool = graph.edges() + graph.size() +
                      static_cast<Offset>(options.elbow * static_cast<double>(graph.edges()));
  Index halo_weight = 0;
  for (Index v = interior; v < graph.size(); ++v) halo_weight += graph.weight_of(v);
  const Halo halo{interior, halo_weight};
  auto& storage = workspace.storage();
  if (pool <= std::numeric_limits<Index>::max() && !options.wide)
    return order_with(graph, halo, options, storage.narrow, static_cast<std::size_t>(pool), order);
  return order_with(graph, halo, options, storage.wide, static_cast<std::size_t>(pool), order);
}

}  // namespace kauri::ordering
