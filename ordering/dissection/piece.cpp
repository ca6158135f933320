// Extraction of subgraphs.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/piece.hpp"

#include <algorithm>

#include "base/host/memory.hpp"
#include "base/threads/blocks.hpp"
#include "base/threads/stopping.hpp"

namespace kauri::ordering::dissection {
namespace {

constexpr Index kPieceBlock = 16384;

/// Numbers of vertices and of directed edges that a side has in a block of vertices; after
/// summation, in all blocks before it.
struct Block {
  Index members = 0;
  Offset edges = 0;
};

/// Extracts the vertices of `member`, ascending, with all their edges. All neighbours of a member
/// must be members. local[u]: number of vertex u of `from` in the piece.
Piece extract(const PieceView& from, std::span<const Index> member,
              const std::vector<Index>& local) {
  const GraphView& graph = from.graph;
  Offset edges = 0;
  for (const Index v : member) edges += graph.degree(v);
  Piece piece;
  piece.vertex.reserve(member.size());
  piece.graph.ptr.reserve(member.size() + 1);
  piece.graph.adjacency.reserve(static_cast<std::size_t>(edges));
  if (!graph.weight.empty()) piece.graph.weight.reserve(member.size());
  const StopCheck check_stop;
  for (const Index v : member) {
    check_stop.at(static_cast<Index>(piece.vertex.size()));
    for (const Index u : graph.neighbours(v)) piece.graph.adjacency.push_back(local[u]);
    piece.graph.ptr.push_back(static_cast<Offset>(piece.graph.adjacency.size()));
    piece.vertex.push_back(from.vertex_of(v));
    if (!graph.weight.empty()) piece.graph.weight.push_back(graph.weight[v]);
  }
  return piece;
}

}  // namespace

// Counts the side's vertices and edges in each block of vertices first, so that the parts of the
// subgraph that come from different blocks can be written in parallel.
Piece extract_side(const PieceView& from, const Separation& separation, Side side) {
  const GraphView& graph = from.graph;
  const Blocks blocks(graph.size(), kPieceBlock);
  std::vector<Block> block(static_cast<std::size_t>(blocks.count()) + 1);
  blocks.for_each([&](Index b, Index begin, Index end) {
    for (Index v = begin; v < end; ++v)
      if (separation.side[v] == side) ++block[b + 1].members, block[b + 1].edges += graph.degree(v);
  });
  for (Index v = 0; v < graph.size(); ++v)
    if (separation.side[v] == kSeparator)
      for (const Index u : graph.neighbours(v))
        if (separation.side[u] == side) --block[u / kPieceBlock + 1].edges;
  for (std::size_t b = 1; b < block.size(); ++b)
    block[b].members += block[b - 1].members, block[b].edges += block[b - 1].edges;

  const auto size = static_cast<std::size_t>(block.back().members);
  Piece piece;
  piece.vertex.resize(size);
  piece.graph.ptr.resize(size + 1);
  resize_large(piece.graph.adjacency, block.back().edges);
  if (!graph.weight.empty()) piece.graph.weight.resize(size);
  std::vector<Index> local(separation.side.size());
  blocks.for_each([&](Index b, Index begin, Index end) {
    Index next = block[b].members;
    for (Index v = begin; v < end; ++v) {
      if (separation.side[v] != side) continue;
      piece.vertex[next] = from.vertex_of(v);
      if (!graph.weight.empty()) piece.graph.weight[next] = graph.weight[v];
      local[v] = next++;
    }
  });
  blocks.for_each([&](Index b, Index begin, Index end) {
    Offset to = block[b].edges;
    for (Index v = begin; v < end; ++v) {
      if (separation.side[v] != side) continue;
      for (const Index u : graph.neighbours(v))
        if (separation.side[u] == side) piece.graph.adjacency[to++] = local[u];
      piece.graph.ptr[local[v] + 1] = to;
    }
  });
  return piece;
}

std::vector<Piece> extract_components(const PieceView& from, Index batch) {
  const Index n = from.graph.size();
  std::vector<Index> component(static_cast<std::size_t>(n), kNone),
      queue(static_cast<std::size_t>(n)), first{0};
  Index tail = 0;
  const StopCheck check_stop;
  for (Index start = 0; start < n; ++start) {
    if (component[start] != kNone) continue;
    const auto c = static_cast<Index>(first.size()) - 1;
    Index head = tail;
    component[start] = c, queue[tail++] = start;
    while (head < tail) {
      check_stop.at(head);
      for (const Index u : from.graph.neighbours(queue[head++]))
        if (component[u] == kNone) component[u] = c, queue[tail++] = u;
    }
    first.push_back(tail);
  }
  std::vector<Index>& member = queue;  // vertices, component after component, ascending in each
  std::vector<Index> next(first.begin(), first.end() - 1), local(static_cast<std::size_t>(n));
  for (Index v = 0; v < n; ++v) member[next[component[v]]++] = v;
  std::vector<Piece> pieces;
  for (std::size_t begin = 0, end = 0; begin + 1 < first.size(); begin = end) {
    for (end = begin + 1; end + 1 < first.size() && first[end + 1] - first[begin] <= batch;) ++end;
    const std::span<Index> mine(member.data() + first[begin],
                                static_cast<std::size_t>(first[end] - first[begin]));
    if (end > begin + 1) std::sort(mine.begin(), mine.end());
    for (std::size_t k = 0; k < mine.size(); ++k) local[mine[k]] = static_cast<Index>(k);
    pieces.push_back(extract(from, mine, local));
  }
  return pieces;
}

}  // namespace kauri::ordering::dissection
