// PieceOrderer: builds the graph of a set of rows and their neighbours, and dissects it.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/piece_order.hpp"

#include <algorithm>
#include <utility>

#include "ordering/dissection/dissect.hpp"
#include "ordering/graph/compress.hpp"
#include "ordering/graph/reduce.hpp"
#include "ordering/leaf/halo_lists.hpp"

namespace kauri::ordering {
namespace {

/// The graph of a set of rows. Vertices: the interior (the rows, ascending), then the halo (their
/// neighbours outside the set, in the order in which the lists of the rows meet them), without
/// edges within the halo.
class Surroundings {
 public:
  /// interior: the rows, ascending. Leaves out neighbours of degree above `most`. number: scratch,
  /// by row of the graph, kNone for all on entry, and again once build() returned.
  Surroundings(const Graph& graph, std::span<const Index> interior, Index most,
               std::vector<Index>& number)
      : graph_(graph), interior_(interior), most_(most), number_(number) {}

  Graph build() {
    for (std::size_t k = 0; k < interior_.size(); ++k)
      number_[interior_[k]] = static_cast<Index>(k);
    std::vector<Offset> ptr{0};
    std::vector<Index> adjacency;
    for (const Index v : interior_) {
      for (const Index u : graph_.neighbours(v))
        if (graph_.degree(u) <= most_) adjacency.push_back(number_of(u));
      std::sort(adjacency.begin() + ptr.back(), adjacency.end());
      ptr.push_back(static_cast<Offset>(adjacency.size()));
    }
    std::vector<Offset> next(halo_.size());
    add_halo_lists(static_cast<Index>(interior_.size()), next, ptr, adjacency);
    for (const Index v : interior_) number_[v] = kNone;
    for (const Index u : halo_) number_[u] = kNone;
    return {std::move(ptr), std::move(adjacency)};
  }

 private:
  Index number_of(Index u) {
    if (number_[u] == kNone) {
      number_[u] = static_cast<Index>(interior_.size() + halo_.size());
      halo_.push_back(u);
    }
    return number_[u];
  }

  const Graph& graph_;
  const std::span<const Index> interior_;
  const Index most_;
  std::vector<Index>& number_;
  std::vector<Index> halo_;
};

}  // namespace

void PieceOrderer::run(std::span<Index> rows) {
  std::sort(rows.begin(), rows.end());
  const Index limit = dense_degree(graph_.size(), options_.dense);
  const auto dense = std::stable_partition(rows.begin(), rows.end(),
                                           [&](Index v) { return graph_.degree(v) <= limit; });
  const std::vector<Index> interior(rows.begin(), dense);
  const Graph piece = Surroundings(graph_, interior, limit, *number_.use()).build();
  std::vector<Index> halo;
  for (auto u = static_cast<Index>(interior.size()); u < piece.size(); ++u) halo.push_back(u);
  const CompressedGraph compressed(piece, options_.compress, halo);
  std::vector<Index> order(static_cast<std::size_t>(compressed.size()) - halo.size());
  if (order.empty()) return;
  (void)nested_dissection(compressed.view(), static_cast<Index>(order.size()),
                          {.seed = options_.seed, .effort = options_.effort}, order);
  auto out = rows.begin();
  for (const Index v : order)
    for (Index t = 0; t < compressed.weight(v); ++t) *out++ = interior[compressed.member(v, t)];
}

}  // namespace kauri::ordering
