// Approximate minimum degree of a whole graph, without a halo; AmdWorkspace.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/amd/amd.hpp"

#include <limits>

#include "ordering/amd/long_lists.hpp"
#include "ordering/amd/upkeep.hpp"

namespace kauri::ordering {

AmdWorkspace::AmdWorkspace() : storage_(std::make_unique<AmdArrays>()) {}
AmdWorkspace::~AmdWorkspace() = default;

namespace {

// The unnamed namespace gives the elimination internal linkage, so that all of it is inlined into
// one function.
struct NoHalo {
  static constexpr bool kPresent = false;
  static constexpr bool contains(Index) { return false; }
  static constexpr Index weight() { return 0; }
  static constexpr Index interior(Index n) { return n; }
};

template <class Position>
bool order_with(const GraphView& graph, const AmdOptions& options, amd::Arrays<Position>& arrays,
                std::size_t pool, std::span<Index> order) {
  amd::Elimination<Position, NoHalo> elimination(graph, NoHalo{}, options, arrays, pool);
  const bool done = elimination.run();
  if (options.work != nullptr) *options.work = elimination.work();
  if (done) elimination.number(order);
  return done;
}

}  // namespace

bool approximate_minimum_degree(const GraphView& graph, const AmdOptions& options,
                                AmdWorkspace& workspace, std::span<Index> order) {
  const Offset pool = graph.edges() + graph.size() +
                      static_cast<Offset>(options.elbow * static_cast<double>(graph.edges()));
  auto& storage = workspace.storage();
  if (pool <= std::numeric_limits<Index>::max() && !options.wide)
    return order_with(graph, options, storage.narrow, static_cast<std::size_t>(pool), order);
  return order_with(graph, options, storage.wide, static_cast<std::size_t>(pool), order);
}

}  // namespace kauri::ordering
