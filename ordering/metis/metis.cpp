// Makes the arguments of METIS_NodeND (Karypis & Kumar 1998), and throws errors for its results.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/metis/metis.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/threads/stopping.hpp"
#include "kauri/core/error.hpp"
#include "ordering/metis/call.hpp"

namespace kauri::ordering {
namespace {

std::int32_t metis_seed(std::uint64_t seed) {
  if (seed == 1) return -1;
  std::uint64_t x = (seed + 1) * 0x9E3779B97F4A7C15u;
  x ^= x >> 32;
  return static_cast<std::int32_t>(x & 0x7FFFFFFFu);
}

void require(MetisEnd end) {
  switch (end) {
    case MetisEnd::done:
      return;
    case MetisEnd::memory:
      throw Error(ErrorKind::memory, "METIS_NodeND ran out of memory");
    case MetisEnd::interrupted:
      throw Error(ErrorKind::cancelled,
                  "METIS_NodeND ended by SIGTERM, expected it to run to its end");
    case MetisEnd::failed:
      throw std::logic_error("METIS_NodeND failed without a reason");
  }
}

}  // namespace

bool metis_available() { return true; }

void require_metis_size(Offset n, Offset edges) {
  constexpr Offset limit = std::numeric_limits<std::int32_t>::max();
  if (n > limit || edges > limit)
    throw Error(ErrorKind::overflow, "graph of " + std::to_string(n) + " vertices and " +
                                         std::to_string(edges) +
                                         " directed edges is too large for METIS's 32-bit indices");
}

void metis_nested_dissection(const GraphView& graph, std::uint64_t seed, MetisWorkspace& workspace,
                             std::span<Index> order) {
  require_metis_size(graph.size(), graph.edges());
  if (graph.size() <= 2 || graph.edges() == 0) {
    std::iota(order.begin(), order.end(), 0);
    return;
  }
  auto& w = workspace;
  std::int32_t n = graph.size();
  const Offset base = graph.ptr.front();
  w.ptr.resize(graph.ptr.size());
  std::transform(graph.ptr.begin(), graph.ptr.end(), w.ptr.begin(),
                 [base](Offset p) { return static_cast<std::int32_t>(p - base); });
  const auto adjacency = graph.adjacency.subspan(static_cast<std::size_t>(base),
                                                 static_cast<std::size_t>(graph.edges()));
  w.adjacency.assign(adjacency.begin(), adjacency.end());  // METIS takes no const array
  w.weight.assign(graph.weight.begin(), graph.weight.end());
  w.new_of.resize(static_cast<std::size_t>(n));
  stop_here();
  require(call_metis(n, w.ptr.data(), w.adjacency.data(),
                     w.weight.empty() ? nullptr : w.weight.data(), metis_seed(seed), order.data(),
                     w.new_of.data()));
}

}  // namespace kauri::ordering
