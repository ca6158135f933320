// Builds a leaf's graph with its halo (the neighbours outside the leaf, all in separators), and
// orders the leaf.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/leaf.hpp"

#include <algorithm>
#include <bit>

#include "ordering/leaf/halo_lists.hpp"

namespace kauri::ordering::dissection {
namespace {

class HaloGraph {
 public:
  HaloGraph(const GraphView& whole, const PieceView& piece, std::span<const Index> place,
            Index first, LeafOrderWorkspace& workspace)
      : whole_(whole),
        piece_(piece),
        place_(place),
        first_(first),
        w_(workspace),
        interior_(piece.graph.size()) {}

  GraphView build() {
    w_.halo.clear();
    w_.graph.ptr.assign(1, 0);
    w_.graph.adjacency.clear();
    w_.graph.weight.clear();
    make_slots();
    for (Index v = 0; v < interior_; ++v) add_vertex(v);
    add_halo();
    return w_.graph.view();
  }

 private:
  // Empties the hash table of halo vertices (open addressing), with slots so that it gets at most
  // half full. The halo of a small leaf is small, while an array by vertex would not stay in cache.
  void make_slots() {
    Offset edges = 0;
    for (Index v = 0; v < interior_; ++v)
      edges += whole_.degree(piece_.vertex_of(v)) - piece_.graph.degree(v);
    w_.slot.assign(std::bit_ceil(static_cast<std::size_t>(2 * edges + 2)), kNone);
  }
  [[nodiscard]] Index number_of(Index u) {
    const std::size_t mask = w_.slot.size() - 1;
    // Hashes by the upper half of a product, since numbers that differ by a power of two have equal
    // low bits.
    for (std::size_t k = (static_cast<std::uint64_t>(u) * 0x9E3779B97F4A7C15u >> 32) & mask;;
         k = (k + 1) & mask) {
      if (w_.slot[k] == kNone) {
        w_.slot[k] = static_cast<Index>(w_.halo.size());
        w_.halo.push_back(u);
      }
      if (w_.halo[w_.slot[k]] == u) return interior_ + w_.slot[k];
    }
  }
  void add_vertex(Index v) {
    for (const Index u : whole_.neighbours(piece_.vertex_of(v))) {
      const Index local = place_[u] - first_;
      w_.graph.adjacency.push_back(local >= 0 && local < interior_ ? local : number_of(u));
    }
    w_.graph.ptr.push_back(static_cast<Offset>(w_.graph.adjacency.size()));
  }
  // Adds the lists of the halo vertices, whose neighbours are in the interior (edges within the
  // halo are not needed), and all weights.
  void add_halo() {
    w_.next.resize(w_.halo.size());
    add_halo_lists(interior_, w_.next, w_.graph.ptr, w_.graph.adjacency);
    if (whole_.weight.empty()) return;
    for (Index v = 0; v < interior_; ++v)
      w_.graph.weight.push_back(whole_.weight[piece_.vertex_of(v)]);
    for (const Index u : w_.halo) w_.graph.weight.push_back(whole_.weight[u]);
  }

  const GraphView& whole_;
  const PieceView& piece_;
  const std::span<const Index> place_;
  const Index first_;
  LeafOrderWorkspace& w_;
  const Index interior_;
};

}  // namespace

std::span<const Index> order_leaf(const GraphView& whole, const PieceView& piece,
                                  std::span<const Index> place, Index first,
                                  LeafOrderWorkspace& workspace, const LeafOptions& options) {
  const GraphView graph = HaloGraph(whole, piece, place, first, workspace).build();
  workspace.sequence.resize(static_cast<std::size_t>(piece.graph.size()));
  if (!leaf_minimum_degree(graph, piece.graph.size(), workspace.order, workspace.sequence, options))
    return {};
  return workspace.sequence;
}

}  // namespace kauri::ordering::dissection
