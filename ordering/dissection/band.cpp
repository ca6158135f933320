// Breadth first from the separator to both sides at once; adjacency in the band's numbers is written in the same pass.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/band.hpp"

#include <algorithm>
#include <cstring>

namespace kauri::ordering::dissection {

// Marks are taken back by the list of those that were set, so that a band costs nothing beyond itself.
void Band::forget() {
  for (const Index v : vertex_) local_[v] = kNone;
  vertex_.clear();
  ptr_.assign(1, 0);
  terminal_.clear();
  weight_.clear();
  taken_ = {};
  uniform_ = true;
}

void Band::take(const GraphView& graph, Index v, std::uint8_t part) {
  const Index weight = graph.weight_of(v);
  vertex_.push_back(v);
  local_[v] = size() - 1;
  weight_.push_back(weight);
  taken_[part] += weight;
  uniform_ = uniform_ && weight == weight_.front();
}

void Band::take_separator(const GraphView& graph, std::span<const std::uint8_t> side) {
  const std::uint8_t* const end = side.data() + side.size();
  for (const std::uint8_t* at = side.data(); at < end; ++at) {
    at = static_cast<const std::uint8_t*>(std::memchr(at, kSeparator, static_cast<std::size_t>(end - at)));
    if (at == nullptr) return;
    take(graph, static_cast<Index>(at - side.data()), kSeparator);
  }
}

// Lists of neighbours lie anywhere in memory: those of the vertices next but some in the queue are asked for ahead.
void Band::ask_ahead(const GraphView& graph, Index i) const {
  constexpr Index list = 8, place = 16;
  if (i + place < size()) __builtin_prefetch(graph.ptr.data() + vertex_[i + place]);
  if (i + list < size()) {
    const auto neighbours = graph.neighbours(vertex_[i + list]);
    __builtin_prefetch(neighbours.data());
    __builtin_prefetch(neighbours.data() + neighbours.size());
  }
}

void Band::collect(const GraphView& graph, std::span<const std::uint8_t> side, const PartWeights& weight, Index width,
                   const std::array<Offset, 2>& room) {
  forget();
  if (local_.size() < side.size()) local_.resize(side.size(), kNone);
  take_separator(graph, side);
  std::array<bool, 2> open{width > 0, width > 0};
  Index layer = 0, layer_end = size();
  Offset used = 0;
  for (Index i = 0; i < size(); ++i) {
    if (i == layer_end) {
      layer_end = size();
      if (++layer == width) open = {false, false};
    }
    ask_ahead(graph, i);
    const auto neighbours = graph.neighbours(vertex_[i]);
    if (adjacency_.size() < static_cast<std::size_t>(used) + neighbours.size())
      adjacency_.resize(std::max(2 * adjacency_.size(), static_cast<std::size_t>(used) + neighbours.size()));
    std::uint8_t terminal = 0;
    for (const Index u : neighbours) {
      if (local_[u] == kNone) {
        const std::uint8_t part = side[u];
        // Once a side has no room for a vertex it is closed, so that a vertex left out stays beyond for all.
        if (open[part]) open[part] = taken_[part] + graph.weight_of(u) <= std::min(room[part], weight[part] - 1);
        if (!open[part]) {
          terminal |= static_cast<std::uint8_t>(1 << part);
          continue;
        }
        take(graph, u, part);
      }
      adjacency_[used++] = local_[u];
    }
    terminal_.push_back(terminal);
    ptr_.push_back(used);
  }
}

}  // namespace kauri::ordering::dissection
