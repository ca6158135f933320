// One pass over the graph that sends each neighbour to both lists and keeps it in one: who comes first is no branch, since in a good
// ordering it is as good as random.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/pairs.hpp"

#include <utility>

#include "src/base/memory.hpp"

namespace kauri::symbolic {
namespace {

constexpr Index kAhead = 8;  // lists that are fetched early

}  // namespace

Pairs::Pairs(const ordering::CompressedGraph& graph, std::vector<Index> order) : order_(std::move(order)) {
  const ordering::GraphView& view = graph.view();
  const auto pairs = static_cast<std::size_t>(view.edges() / 2);
  lower_ = std::make_unique_for_overwrite<Index[]>(pairs + 1);  // one more, as the last is written to both lists
  higher_ = std::make_unique_for_overwrite<Index[]>(pairs + 1);
  for (const auto* list : {&lower_, &higher_}) prefer_huge_pages(list->get(), pairs * sizeof(Index));
  lower_ptr_.reserve(order_.size() + 1);
  higher_ptr_.reserve(order_.size() + 1);
  std::vector<Index> place(order_.size());
  for (Index k = 0; k < size(); ++k) place[order_[k]] = k;
  if (graph.merged()) {
    weight_.reserve(order_.size());
    for (const Index v : order_) weight_.push_back(graph.weight(v));
  }
  Offset low = 0, high = 0;
  for (Index k = 0; k < size(); ++k) {
    if (k + kAhead < size()) {  // lists are met in no order that the machine could foresee
      const std::span<const Index> list = view.neighbours(order_[k + kAhead]);
      __builtin_prefetch(list.data());
      __builtin_prefetch(list.data() + list.size());
    }
    for (const Index u : view.neighbours(order_[k])) {
      const Index other = place[u];
      lower_[low] = higher_[high] = other;
      const bool is_lower = other < k;
      low += is_lower ? 1 : 0;
      high += is_lower ? 0 : 1;
    }
    lower_ptr_.push_back(low);
    higher_ptr_.push_back(high);
  }
}

}  // namespace kauri::symbolic
