// Decodes arbitrary bytes as a graph, for the targets that order one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::fuzz {

/// Reads the input's bytes, then zeros.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  [[nodiscard]] bool empty() const { return at_ == end_; }
  /// Returns a hash of all remaining bytes (FNV-1a), which selects the few inputs that get
  /// expensive checks. A byte of the input in its place would let mutations preserve slow inputs,
  /// which would then dominate the run time of the fuzzer.
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::uint8_t* at = at_; at != end_; ++at) hash = (hash ^ *at) * 0x100000001b3;
    return hash ^ hash >> 32;
  }
  std::uint8_t next() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
  /// Returns a number from two bytes: 0 <= result < bound <= 65536.
  Index below(Index bound) {
    const Index high = next();
    return (high * 256 + next()) % bound;
  }
  /// Returns the next `size` bytes, or all that remain, as a separate stream.
  Bytes take(std::ptrdiff_t size) {
    const std::uint8_t* const begin = at_;
    at_ += std::min(size, end_ - at_);
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

 private:
  const std::uint8_t *at_, *end_;
};

/// Adjacency lists in the format of Graph.
struct Lists {
  std::vector<Offset> ptr{0};
  std::vector<Index> adjacency;
};

/// Returns the lists of a graph without loops and repeated edges. edges: both directions of each.
inline Lists lists_of(Index n, std::vector<std::pair<Index, Index>> edges) {
  std::erase_if(edges, [](const auto& edge) { return edge.first == edge.second; });
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Lists lists;
  lists.ptr.resize(static_cast<std::size_t>(n) + 1);
  for (const auto& [u, v] : edges) {
    ++lists.ptr[u + 1];
    lists.adjacency.push_back(v);
  }
  for (Index v = 0; v < n; ++v) lists.ptr[v + 1] += lists.ptr[v];
  return lists;
}

/// Decodes edges until the bytes end, or until there are about 8000 * length edges, or 16 per
/// vertex. Seven bytes make a run of edges from one vertex to others at equal distances; a few runs
/// make paths, grids, stars and chords. length: multiplies the length of each run, so that large
/// graphs take no more bytes than small ones.
inline std::vector<std::pair<Index, Index>> edges_of(Bytes& bytes, Index n, Index length) {
  std::vector<std::pair<Index, Index>> edges;
  const std::size_t most =
      2 * std::min(8000 * static_cast<std::size_t>(length), 16 * static_cast<std::size_t>(n));
  while (n > 0 && !bytes.empty() && edges.size() < most) {
    Index u = bytes.below(n), v = bytes.below(n);
    const Index first_step = bytes.next() % 3, second_step = bytes.next() % 64;
    for (Index count = (1 + bytes.next() * 4) * length; count > 0; --count) {
      edges.emplace_back(u, v), edges.emplace_back(v, u);
      u = (u + first_step) % n, v = (v + second_step) % n;
    }
  }
  return edges;
}

}  // namespace kauri::fuzz
