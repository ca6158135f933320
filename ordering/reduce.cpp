// Dense rows, indistinguishable vertices (Ashcraft 1995) and connected components.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/reduce.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace kauri::ordering {
namespace {

// Sums of plain vertex numbers collide on regular meshes; a multiplication folded onto itself is not linear and does not.
std::uint64_t scramble(Index v) {
  const std::uint64_t x = (static_cast<std::uint64_t>(v) + 1) * 0x9E3779B97F4A7C15u;
  return x ^ (x >> 29);
}

class TwinFinder {
 public:
  TwinFinder(const GraphView& graph, std::span<const char> kept, std::uint64_t hash_mask)
      : graph_(graph), kept_(kept), hash_mask_(hash_mask) {}

  std::vector<Index> run() {
    const Index n = graph_.size();
    std::vector<Index> representative(static_cast<std::size_t>(n));
    const std::size_t buckets = std::bit_ceil(static_cast<std::size_t>(n) + 1);
    std::vector<Index> head(buckets, kNone), next(static_cast<std::size_t>(n));
    hash_.resize(static_cast<std::size_t>(n));
    for (Index v = 0; v < n; ++v) {
      representative[v] = v;
      if (!is_kept(v)) continue;
      hash_[v] = hash(v);
      Index& bucket = head[hash_[v] & (buckets - 1)];
      Index u = bucket;
      while (u != kNone && !(hash_[u] == hash_[v] && equal(u, v))) u = next[u];
      if (u != kNone) {
        representative[v] = u;
      } else {
        next[v] = bucket;
        bucket = v;
      }
    }
    return representative;
  }

 private:
  bool is_kept(Index v) const { return kept_.empty() || kept_[v]; }

  std::uint64_t hash(Index v) const {
    std::uint64_t sum = scramble(v);
    if (kept_.empty())
      for (const Index u : graph_.neighbours(v)) sum += scramble(u);
    else
      for (const Index u : graph_.neighbours(v)) sum += kept_[u] ? scramble(u) : 0;
    return (sum ^ (sum >> 32)) & hash_mask_;
  }

  // Both lists ascend; u is left out of v's and v out of u's, and each must have been there.
  bool equal(Index u, Index v) const {
    const auto a = graph_.neighbours(u), b = graph_.neighbours(v);
    std::size_t i = 0, j = 0;
    bool adjacent = false;
    for (;;) {
      while (i < a.size() && (a[i] == v || !is_kept(a[i]))) adjacent |= a[i++] == v;
      while (j < b.size() && (b[j] == u || !is_kept(b[j]))) ++j;
      if (i == a.size() || j == b.size()) break;
      if (a[i++] != b[j++]) return false;
    }
    return adjacent && i == a.size() && j == b.size();
  }

  GraphView graph_;
  std::span<const char> kept_;
  std::uint64_t hash_mask_;
  std::vector<std::uint64_t> hash_;
};

}  // namespace

Index dense_degree(Index n, double dense) {
  if (!(dense > 0)) return n;
  return static_cast<Index>(std::min<double>(n, std::max(16.0, dense * std::sqrt(static_cast<double>(n)))));
}

std::vector<Index> indistinguishable(const GraphView& graph, std::span<const char> kept, std::uint64_t hash_mask) {
  return TwinFinder(graph, kept, hash_mask).run();
}

Reduction::Reduction(const Graph& graph, bool compress, double dense) : whole_(view_of(graph)) {
  const Index n = graph.size();
  const Index limit = dense_degree(n, dense);
  for (Index v = 0; v < n; ++v)
    if (graph.degree(v) > limit) dense_.push_back(v);
  if (!dense_.empty()) kept_.assign(static_cast<std::size_t>(n), 1);
  for (const Index v : dense_) kept_[v] = 0;
  if (compress) {
    representative_ = indistinguishable(whole_, kept_);
    bool merged = false;
    for (Index v = 0; v < n && !merged; ++v) merged = representative_[v] != v;
    if (!merged) representative_.clear();
  }
  if (!representative_.empty()) {
    if (kept_.empty()) kept_.assign(static_cast<std::size_t>(n), 1);
    next_member_.assign(static_cast<std::size_t>(n), kNone);
    for (Index v = n - 1; v >= 0; --v)  // downwards: each member is put right behind its representative
      if (const Index r = representative_[v]; r != v) {
        kept_[v] = 0;
        next_member_[v] = next_member_[r];
        next_member_[r] = v;
      }
  }
  find_components(whole_);
  if (components() != 1 || !kept_.empty()) extract(whole_);
  component_of_ = {};
}

// Breadth first from each vertex not yet met, ascending; then a counting sort by component keeps the vertices of each ascending.
void Reduction::find_components(const GraphView& graph) {
  const Index n = graph.size();
  component_of_.assign(static_cast<std::size_t>(n), kNone);
  std::vector<Index> queue(static_cast<std::size_t>(n));
  first_.assign(1, 0);
  Index tail = 0;
  for (Index start = 0; start < n; ++start) {
    if (component_of_[start] != kNone || (!kept_.empty() && !kept_[start])) continue;
    const Index c = components();
    Index head = tail;
    component_of_[start] = c;
    queue[tail++] = start;
    while (head < tail)
      for (const Index u : graph.neighbours(queue[head++]))
        if (component_of_[u] == kNone && (kept_.empty() || kept_[u])) {
          component_of_[u] = c;
          queue[tail++] = u;
        }
    first_.push_back(tail);
  }
}

void Reduction::extract(const GraphView& graph) {
  const Index n = graph.size();
  const Index reduced = first_.back();
  std::vector<Index> local(static_cast<std::size_t>(n), kNone), next(first_.begin(), first_.end() - 1);
  vertex_.resize(static_cast<std::size_t>(reduced));
  for (Index v = 0; v < n; ++v)
    if (const Index c = component_of_[v]; c != kNone) {
      local[v] = next[c] - first_[c];
      vertex_[next[c]++] = v;
    }
  ptr_.reserve(static_cast<std::size_t>(reduced) + 1);
  ptr_.push_back(0);
  adjacency_.reserve(static_cast<std::size_t>(dense_.empty() && representative_.empty() ? graph.edges() : 0));
  for (const Index v : vertex_) {
    for (const Index u : graph.neighbours(v))
      if (local[u] != kNone) adjacency_.push_back(local[u]);
    ptr_.push_back(static_cast<Offset>(adjacency_.size()));
  }
  if (!representative_.empty()) {
    weight_.assign(static_cast<std::size_t>(reduced), 0);
    for (Index k = 0; k < reduced; ++k)
      for (Index v = vertex_[k]; v != kNone; v = next_member_[v]) ++weight_[k];
  }
  whole_ = {ptr_, adjacency_, weight_};
}

GraphView Reduction::component(Index c) const {
  const auto first = static_cast<std::size_t>(first_[c]), count = static_cast<std::size_t>(size(c));
  return {whole_.ptr.subspan(first, count + 1), whole_.adjacency,
          weight_.empty() ? std::span<const Index>{} : whole_.weight.subspan(first, count)};
}

void Reduction::expand(Index c, std::span<const Index> order, std::vector<Index>& old_of) const {
  for (const Index local : order) {
    const Index v = vertex_.empty() ? local : vertex_[first_[c] + local];
    old_of.push_back(v);
    if (next_member_.empty()) continue;
    for (Index member = next_member_[v]; member != kNone; member = next_member_[member]) old_of.push_back(member);
  }
}

void Reduction::append_dense(std::vector<Index>& old_of) const { old_of.insert(old_of.end(), dense_.begin(), dense_.end()); }

}  // namespace kauri::ordering
