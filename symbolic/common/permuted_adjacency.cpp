// Splits the neighbours of each vertex into lower and higher places in one pass. Each neighbour is
// written to both ends of the list and kept at one of them: the comparison of places is no branch,
// since in a good ordering its outcome is as good as random.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/common/permuted_adjacency.hpp"

#include <algorithm>
#include <utility>

#include "base/host/memory.hpp"
#include "base/threads/blocks.hpp"

namespace kauri::symbolic {
namespace {

constexpr Index kListsAhead = 8;     // lists between a prefetch and its use
constexpr Index kPairBlock = 16384;  // supervariables in a block of a parallel loop

}  // namespace

PermutedAdjacency::PermutedAdjacency(const ordering::CompressedGraph& graph,
                                     std::vector<Index> order)
    : order_(std::move(order)) {
  const ordering::GraphView& view = graph.view();
  const Blocks blocks(size(), kPairBlock);
  std::vector<Index> place(order_.size());
  ptr_.resize(order_.size() + 1);
  middle_.resize(order_.size());
  if (graph.merged()) weight_.resize(order_.size());
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      place[order_[k]] = k;
      ptr_[k + 1] = view.degree(order_[k]);
      if (merged()) weight_[k] = graph.weight(order_[k]);
    }
  });
  for (Index k = 0; k < size(); ++k) ptr_[k + 1] += ptr_[k];
  neighbour_ = std::make_unique_for_overwrite<Index[]>(static_cast<std::size_t>(ptr_.back()));
  prefer_huge_pages(neighbour_.get(), static_cast<std::size_t>(ptr_.back()) * sizeof(Index));
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      if (k + kListsAhead < end) {  // hardware cannot predict the order in which lists are read
        const std::span<const Index> list = view.neighbours(order_[k + kListsAhead]);
        __builtin_prefetch(list.data());
        __builtin_prefetch(list.data() + list.size());
      }
      Index* const last = neighbour_.get() + ptr_[k + 1];
      Index *low = neighbour_.get() + ptr_[k], *high = last;
      for (const Index u : view.neighbours(order_[k])) {
        const Index other = place[u];
        *low = high[-1] = other;
        const bool is_lower = other < k;
        low += is_lower ? 1 : 0;
        high -= is_lower ? 0 : 1;
      }
      std::reverse(high, last);
      middle_[k] = low - neighbour_.get();
    }
  });
}

}  // namespace kauri::symbolic
