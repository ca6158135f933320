// Compares supervariables with a permutation in one pass over it.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/common/supervariables.hpp"

#include <algorithm>

#include "base/threads/blocks.hpp"

namespace kauri::symbolic {
namespace {

constexpr Index kRowBlock = 65536;  // rows in a block of a parallel loop

/// A partition of the rows into classes.
struct Classes {
  std::vector<Index> least;  // length n: least row of each row's class
  Index count = 0;

  [[nodiscard]] bool worth_merging() const {
    return count < 0.9 * static_cast<double>(least.size());
  }
};

/// Divides the members of each supervariable into classes of rows that are consecutive in the
/// caller's numbering and, in the same order, in perm.
Classes blocks_of(const ordering::CompressedGraph& graph, const Permutation& perm) {
  Classes classes{std::vector<Index>(static_cast<std::size_t>(perm.size())), 0};
  Blocks(perm.size(), kRowBlock).for_each([&](Index, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const bool joins = i > 0 && graph.vertex_of(i) == graph.vertex_of(i - 1) &&
                         perm.new_of(i) == perm.new_of(i - 1) + 1;
      classes.least[i] = joins ? i - 1 : i;
    }
  });
  for (Index i = 0; i < perm.size(); ++i) {
    classes.count += classes.least[i] == i ? 1 : 0;
    classes.least[i] = classes.least[classes.least[i]];
  }
  return classes;
}

/// Divides the members of each supervariable into classes of rows that are consecutive in perm.
Classes runs_of(const ordering::CompressedGraph& graph, const Permutation& perm) {
  Classes classes{std::vector<Index>(static_cast<std::size_t>(perm.size())), 0};
  for (Index begin = 0, end = 0; begin < perm.size(); begin = end) {
    Index first = perm.old_of(begin);
    for (end = begin + 1;
         end < perm.size() && graph.vertex_of(perm.old_of(end)) == graph.vertex_of(first); ++end)
      first = std::min(first, perm.old_of(end));
    for (Index k = begin; k < end; ++k) classes.least[perm.old_of(k)] = first;
    ++classes.count;
  }
  return classes;
}

}  // namespace

std::optional<std::vector<Index>> elimination_order(const ordering::CompressedGraph& graph,
                                                    const Permutation& perm) {
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

bool in_blocks(const ordering::CompressedGraph& graph, const Permutation& perm) {
  return !graph.merged() || blocks_of(graph, perm).count == graph.size();
}

std::unique_ptr<const ordering::CompressedGraph> other_supervariables(
    const ordering::CompressedGraph& graph, const Permutation& perm) {
  if (!graph.merged()) return nullptr;
  const auto divided =
      [&](const Classes& classes) -> std::unique_ptr<const ordering::CompressedGraph> {
    if (classes.count == graph.size()) return nullptr;
    return std::make_unique<const ordering::CompressedGraph>(graph.source(), classes.least);
  };
  if (const Classes blocks = blocks_of(graph, perm); blocks.worth_merging()) return divided(blocks);
  if (const Classes runs = runs_of(graph, perm); runs.worth_merging()) return divided(runs);
  return std::make_unique<const ordering::CompressedGraph>(graph.source(), false);
}

}  // namespace kauri::symbolic
