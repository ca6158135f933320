// One pass over the permutation each.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/supervariables.hpp"

#include <algorithm>

namespace kauri::symbolic {
namespace {

/// The members of a supervariable that follow each other in perm are a class: the least row of each row's class.
std::vector<Index> runs_of_members(const ordering::CompressedGraph& graph, const Permutation& perm) {
  std::vector<Index> least(static_cast<std::size_t>(perm.size()));
  for (Index begin = 0, end = 0; begin < perm.size(); begin = end) {
    Index first = perm.old_of(begin);
    for (end = begin + 1; end < perm.size() && graph.vertex_of(perm.old_of(end)) == graph.vertex_of(first); ++end)
      first = std::min(first, perm.old_of(end));
    for (Index k = begin; k < end; ++k) least[perm.old_of(k)] = first;
  }
  return least;
}

}  // namespace

std::optional<std::vector<Index>> elimination_order(const ordering::CompressedGraph& graph, const Permutation& perm) {
  if (!graph.merged()) return std::vector<Index>(perm.old_of().begin(), perm.old_of().end());
  std::vector<Index> order;
  order.reserve(static_cast<std::size_t>(graph.size()));
  for (Index k = 0; k < perm.size();) {
    const Index v = graph.vertex_of(perm.old_of(k)), end = k + graph.weight(v);
    order.push_back(v);
    for (; k < end; ++k)
      if (k == perm.size() || graph.vertex_of(perm.old_of(k)) != v) return {};
  }
  return order;
}

std::unique_ptr<const ordering::CompressedGraph> other_supervariables(const ordering::CompressedGraph& graph, const Permutation& perm) {
  using ordering::CompressedGraph;
  if (!graph.merged()) return nullptr;
  if (worth_merging(graph.size(), perm.size())) {
    if (elimination_order(graph, perm)) return nullptr;
    auto divided = std::make_unique<const CompressedGraph>(graph.graph(), runs_of_members(graph, perm));
    if (worth_merging(divided->size(), perm.size())) return divided;
  }
  return std::make_unique<const CompressedGraph>(graph.graph(), false);
}

}  // namespace kauri::symbolic
