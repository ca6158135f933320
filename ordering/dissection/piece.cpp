// Extraction of subgraphs.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/piece.hpp"

#include <algorithm>

namespace kauri::ordering::dissection {
namespace {

/// The vertices listed, ascending, with the edges to those for which inside(u) holds; local[u]: number of u in the piece.
template <class Inside>
Piece extract(const PieceView& from, std::span<const Index> member, const std::vector<Index>& local, Inside inside) {
  const GraphView& graph = from.graph;
  Offset edges = 0;
  for (const Index v : member) edges += graph.degree(v);
  Piece piece;
  piece.vertex.reserve(member.size());
  piece.graph.ptr.reserve(member.size() + 1);
  piece.graph.adjacency.resize(static_cast<std::size_t>(edges));
  if (!graph.weight.empty()) piece.graph.weight.reserve(member.size());
  Index* const begin = piece.graph.adjacency.data();
  Index* to = begin;
  for (const Index v : member) {
    for (const Index u : graph.neighbours(v))
      if (inside(u)) *to++ = local[u];
    piece.graph.ptr.push_back(to - begin);
    piece.vertex.push_back(from.vertex_of(v));
    if (!graph.weight.empty()) piece.graph.weight.push_back(graph.weight[v]);
  }
  piece.graph.adjacency.resize(static_cast<std::size_t>(to - begin));
  return piece;
}

}  // namespace

Piece extract_side(const PieceView& from, const Separation& separation, Side side) {
  std::vector<Index> local(separation.side.size()), member;
  for (Index v = 0; v < from.graph.size(); ++v)
    if (separation.side[v] == side) {
      local[v] = static_cast<Index>(member.size());
      member.push_back(v);
    }
  return extract(from, member, local, [&](Index u) { return separation.side[u] == side; });
}

std::vector<Piece> extract_components(const PieceView& from, Index batch) {
  const Index n = from.graph.size();
  std::vector<Index> component(static_cast<std::size_t>(n), kNone), queue(static_cast<std::size_t>(n)), first{0};
  Index tail = 0;
  for (Index start = 0; start < n; ++start) {
    if (component[start] != kNone) continue;
    const auto c = static_cast<Index>(first.size()) - 1;
    Index head = tail;
    component[start] = c, queue[tail++] = start;
    while (head < tail)
      for (const Index u : from.graph.neighbours(queue[head++]))
        if (component[u] == kNone) component[u] = c, queue[tail++] = u;
    first.push_back(tail);
  }
  std::vector<Index>& member = queue;  // by component, ascending in each
  std::vector<Index> next(first.begin(), first.end() - 1), local(static_cast<std::size_t>(n));
  for (Index v = 0; v < n; ++v) member[next[component[v]]++] = v;
  std::vector<Piece> pieces;
  for (std::size_t begin = 0, end = 0; begin + 1 < first.size(); begin = end) {
    for (end = begin + 1; end + 1 < first.size() && first[end + 1] - first[begin] <= batch;) ++end;
    const std::span<Index> mine(member.data() + first[begin], static_cast<std::size_t>(first[end] - first[begin]));
    if (end > begin + 1) std::sort(mine.begin(), mine.end());
    for (std::size_t k = 0; k < mine.size(); ++k) local[mine[k]] = static_cast<Index>(k);
    pieces.push_back(extract(from, mine, local, [](Index) { return true; }));
  }
  return pieces;
}

}  // namespace kauri::ordering::dissection
