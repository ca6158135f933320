// Collects the band breadth first from the separator to both sides, and writes its adjacency in the
// same pass.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/flow/band.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace kauri::ordering::dissection {
namespace {

constexpr double kMostParts = 1 << 30;  // most vertices of a divided band: numbers fit in an Index

}  // namespace

// Empties the band. Resets only the entries of local_ that the previous band set, so that a band
// costs nothing beyond its size.
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
  local_[v] = met() - 1;
  weight_.push_back(weight);
  taken_[part] += weight;
  uniform_ = uniform_ && weight == weight_.front();
}

void Band::take_separator(const GraphView& graph, std::span<const std::uint8_t> side) {
  const std::uint8_t* const end = side.data() + side.size();
  for (const std::uint8_t* at = side.data(); at < end; ++at) {
    at = static_cast<const std::uint8_t*>(
        std::memchr(at, kSeparator, static_cast<std::size_t>(end - at)));
    if (at == nullptr) return;
    take(graph, static_cast<Index>(at - side.data()), kSeparator);
  }
}

// Prefetches the lists of band vertices a few places after vertex i, which collect() reads soon,
// since lists lie anywhere in memory.
void Band::ask_ahead(const GraphView& graph, Index i) const {
  constexpr Index list = 8, place = 16;
  if (i + place < met()) __builtin_prefetch(graph.ptr.data() + vertex_[i + place]);
  if (i + list < met()) {
    const auto neighbours = graph.neighbours(vertex_[i + list]);
    __builtin_prefetch(neighbours.data());
    __builtin_prefetch(neighbours.data() + neighbours.size());
  }
}

void Band::collect(const GraphView& graph, std::span<const std::uint8_t> side,
                   const PartWeights& weight, Index width, const std::array<Offset, 2>& room) {
  forget();
  if (local_.size() < side.size()) local_.resize(side.size(), kNone);
  take_separator(graph, side);
  std::array<bool, 2> open{width > 0, width > 0};
  Index layer = 0, layer_end = met();
  Offset used = 0;
  for (Index i = 0; i < met(); ++i) {
    if (i == layer_end) {
      layer_end = met();
      if (++layer == width) open = {false, false};
    }
    ask_ahead(graph, i);
    const auto neighbours = graph.neighbours(vertex_[i]);
    if (adjacency_.size() < static_cast<std::size_t>(used) + neighbours.size())
      adjacency_.resize(
          std::max(2 * adjacency_.size(), static_cast<std::size_t>(used) + neighbours.size()));
    std::uint8_t terminal = 0;
    for (const Index u : neighbours) {
      if (local_[u] == kNone) {
        const std::uint8_t part = side[u];
        // A side without room for a vertex is closed, so that a vertex left out stays beyond the
        // band for all others.
        if (open[part])
          open[part] = taken_[part] + graph.weight_of(u) <= std::min(room[part], weight[part] - 1);
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

bool UnitBand::divide(const Band& band, double most) {
  unit_ = 0;
  for (Index i = 0; i < band.size(); ++i) unit_ = std::gcd(unit_, band.weight(i));
  const PartWeights& weight = band.weights();
  const double vertices =
      static_cast<double>(weight[kLeft] + weight[kRight] + weight[kSeparator]) / unit_;
  if (vertices > std::min<double>(most * band.size(), kMostParts)) return false;
  const auto parts = [&](Index i) { return band.weight(i) / unit_; };
  double edges = 0;
  for (Index i = 0; i < band.size(); ++i) {
    double near = 0;
    for (const Index j : band.neighbours(i)) near += band.weight(j);
    edges += near / unit_ * parts(i);
  }
  if (edges > most * static_cast<double>(band.edges())) return false;
  first_.assign(1, 0);
  terminal_.clear();
  for (Index i = 0; i < band.size(); ++i) {
    first_.push_back(first_.back() + parts(i));
    terminal_.resize(
        static_cast<std::size_t>(first_.back()),
        static_cast<std::uint8_t>((band.at_source(i) ? 1 : 0) | (band.at_sink(i) ? 2 : 0)));
  }
  ptr_.assign(1, 0);
  adjacency_.resize(std::max(adjacency_.size(), static_cast<std::size_t>(edges)));
  for (Index i = 0; i < band.size(); ++i)
    for (Index copy = first_[i]; copy < first_[i + 1]; ++copy) {
      Offset end = ptr_.back();
      for (const Index j : band.neighbours(i))
        for (Index k = first_[j]; k < first_[j + 1]; ++k) adjacency_[end++] = k;
      ptr_.push_back(end);
    }
  return true;
}

}  // namespace kauri::ordering::dissection
