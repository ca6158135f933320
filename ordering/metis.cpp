// The call of METIS_NodeND (Karypis & Kumar 1998).
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/metis.hpp"

#include <metis.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>
#include <string>
#include <type_traits>

#include "kauri/error.hpp"
#include "src/base/stopping.hpp"

namespace kauri::ordering {
namespace {

static_assert(std::is_same_v<idx_t, std::int32_t>, "kauri expects a METIS of 32-bit indices (IDXTYPEWIDTH 32)");

// METIS takes its random numbers from rand() and keeps them and its memory pools in globals.
std::mutex& metis_mutex() {
  static std::mutex mutex;
  return mutex;
}

idx_t metis_seed(std::uint64_t seed) {
  if (seed == 1) return -1;
  std::uint64_t x = (seed + 1) * 0x9E3779B97F4A7C15u;
  x ^= x >> 32;
  return static_cast<idx_t>(x & 0x7FFFFFFFu);
}

void require(int status) {
  if (status == METIS_OK) return;
  if (status == METIS_ERROR_MEMORY) throw Error(ErrorKind::memory, "METIS_NodeND ran out of memory");
  throw Error(ErrorKind::usage, "METIS_NodeND failed with code " + std::to_string(status));
}

}  // namespace

bool metis_available() { return true; }

void require_metis_size(Offset n, Offset edges) {
  constexpr Offset limit = std::numeric_limits<idx_t>::max();
  if (n > limit || edges > limit)
    throw Error(ErrorKind::overflow, "graph of " + std::to_string(n) + " vertices and " + std::to_string(edges) +
                                         " directed edges is too large for METIS's 32-bit indices");
}

void metis_nested_dissection(const GraphView& graph, std::uint64_t seed, MetisWorkspace& workspace, std::span<Index> order) {
  require_metis_size(graph.size(), graph.edges());
  if (graph.size() <= 2 || graph.edges() == 0) {
    std::iota(order.begin(), order.end(), 0);
    return;
  }
  auto& w = workspace;
  idx_t n = graph.size();
  const Offset base = graph.ptr.front();
  w.ptr.resize(graph.ptr.size());
  std::transform(graph.ptr.begin(), graph.ptr.end(), w.ptr.begin(), [base](Offset p) { return static_cast<idx_t>(p - base); });
  const auto adjacency = graph.adjacency.subspan(static_cast<std::size_t>(base), static_cast<std::size_t>(graph.edges()));
  w.adjacency.assign(adjacency.begin(), adjacency.end());  // METIS takes no const
  w.weight.assign(graph.weight.begin(), graph.weight.end());
  w.new_of.resize(static_cast<std::size_t>(n));
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = metis_seed(seed);
  const std::scoped_lock lock(metis_mutex());
  stop_here();  // others may have been at it for long
  require(METIS_NodeND(&n, w.ptr.data(), w.adjacency.data(), w.weight.empty() ? nullptr : w.weight.data(), options, order.data(),
                       w.new_of.data()));
}

}  // namespace kauri::ordering
