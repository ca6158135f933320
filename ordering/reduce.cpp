// Dense rows and connected components.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/reduce.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/blocks.hpp"
#include "src/base/disjoint_sets.hpp"

namespace kauri::ordering {
namespace {

constexpr Index kBlock = 65536;  // vertices that are worth a task

}  // namespace

Index dense_degree(Index n, double dense) {
  if (!(dense > 0)) return n;
  return static_cast<Index>(std::min<double>(n, std::max(16.0, dense * std::sqrt(static_cast<double>(n)))));
}

Reduction::Reduction(const Graph& graph, bool compress, double dense) : compressed_(graph, compress), whole_(compressed_.view()) {
  const Index limit = dense_degree(graph.size(), dense);
  for (Index v = 0; v < compressed_.size(); ++v)
    if (graph.degree(compressed_.member(v, 0)) > limit) dense_.push_back(v);
  if (!dense_.empty()) {
    kept_.assign(static_cast<std::size_t>(compressed_.size()), 1);
    for (const Index v : dense_) kept_[v] = 0;
    if (compress) merge_but_for_dense();
  }
  find_components();
  if (components() != 1 || !kept_.empty()) extract();
  component_of_ = {};
}

// Without the dense rows some supervariables may have become alike.
void Reduction::merge_but_for_dense() {
  const std::vector<Index> representative = indistinguishable(whole_, kept_);
  const Index count = compressed_.size();
  bool merged = false;
  for (Index v = 0; v < count && !merged; ++v) merged = representative[v] != v;
  if (!merged) return;
  next_.assign(representative.size(), kNone);
  for (Index v = count - 1; v >= 0; --v)  // downwards: each one is put right behind its representative
    if (const Index r = representative[v]; r != v) {
      kept_[v] = 0;
      next_[v] = next_[r];
      next_[r] = v;
    }
}

// By the least vertex of each: of blocks by themselves, whatever they are, then of all that crosses them. Then a counting sort by component
// keeps the vertices of each ascending.
void Reduction::find_components() {
  const Index n = compressed_.size();
  DisjointSets sets(n);
  const auto is_kept = [this](Index v) { return kept_.empty() || kept_[v]; };
  const auto unite = [&](Index v, Index from, Index to) {
    if (!is_kept(v)) return;
    for (const Index u : whole_.neighbours(v)) {
      if (u >= to) break;
      if (u >= from && is_kept(u)) sets.unite(u, v);
    }
  };
  const Blocks blocks(n, kBlock);
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Index v = begin; v < end; ++v) unite(v, begin, v);
  });
  for (Index b = 1; b < blocks.count(); ++b)
    for (Index v = blocks.begin(b); v < blocks.end(b); ++v) unite(v, 0, blocks.begin(b));
  component_of_.assign(static_cast<std::size_t>(n), kNone);
  std::vector<Index> size;
  for (Index v = 0; v < n; ++v) {
    if (!is_kept(v)) continue;
    const Index least = sets.representative(v);
    if (least == v) {
      component_of_[v] = static_cast<Index>(size.size());
      size.push_back(0);
    } else {
      component_of_[v] = component_of_[least];
    }
    ++size[component_of_[v]];
  }
  first_.assign(1, 0);
  for (const Index s : size) first_.push_back(first_.back() + s);
}

void Reduction::extract() {
  const Index n = compressed_.size();
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
  adjacency_.reserve(static_cast<std::size_t>(dense_.empty() ? whole_.edges() : 0));
  for (const Index v : vertex_) {
    for (const Index u : whole_.neighbours(v))
      if (local[u] != kNone) adjacency_.push_back(local[u]);
    ptr_.push_back(static_cast<Offset>(adjacency_.size()));
  }
  if (compressed_.merged() || !next_.empty()) {
    weight_.reserve(static_cast<std::size_t>(reduced));
    for (const Index v : vertex_) {
      weight_.push_back(0);
      for (Index u = v; u != kNone; u = next_.empty() ? kNone : next_[u]) weight_.back() += compressed_.weight(u);
    }
  }
  whole_ = {ptr_, adjacency_, weight_};
}

GraphView Reduction::component(Index c) const {
  const auto first = static_cast<std::size_t>(first_[c]), count = static_cast<std::size_t>(size(c));
  return {whole_.ptr.subspan(first, count + 1), whole_.adjacency,
          whole_.weight.empty() ? std::span<const Index>{} : whole_.weight.subspan(first, count)};
}

void Reduction::append_members(Index v, std::vector<Index>& old_of) const {
  for (Index t = 0; t < compressed_.weight(v); ++t) old_of.push_back(compressed_.member(v, t));
}

void Reduction::expand(Index c, std::span<const Index> order, std::vector<Index>& old_of) const {
  for (const Index local : order)
    for (Index v = vertex_.empty() ? local : vertex_[first_[c] + local]; v != kNone; v = next_.empty() ? kNone : next_[v])
      append_members(v, old_of);
}

void Reduction::append_dense(std::vector<Index>& old_of) const {
  for (const Index v : dense_) append_members(v, old_of);
}

}  // namespace kauri::ordering
