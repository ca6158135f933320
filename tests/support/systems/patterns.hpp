// Patterns for tests, as lower triangles: random ones, families with a known shape, grids with a
// geometric dissection.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "kauri/core/matrix.hpp"
#include "kauri/core/permutation.hpp"

namespace kauri::test {

/// A lower triangle with its diagonal; owns the arrays that a Pattern borrows.
struct OwnedPattern {
  std::vector<Offset> col_ptr{0};
  std::vector<Index> row;

  [[nodiscard]] Index n() const { return static_cast<Index>(col_ptr.size()) - 1; }
  [[nodiscard]] Pattern view() const { return {n(), col_ptr, row}; }
};

/// Returns random values on the pattern in (-1, 1), with diagonal entries that exceed the sum of
/// the magnitudes in their rows by 1.
template <class T>
std::vector<T> random_dominant(const Pattern& a, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> value(a.row.size()), sum(static_cast<std::size_t>(a.n), T(1));
  for (Index j = 0; j < a.n; ++j)
    for (Offset k = a.col_ptr[j] + 1; k < a.col_ptr[j + 1]; ++k) {
      value[k] = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
      sum[j] += std::abs(value[k]), sum[a.row[k]] += std::abs(value[k]);
    }
  for (Index j = 0; j < a.n; ++j) value[a.col_ptr[j]] = sum[j];
  return value;
}

using EdgeList = std::vector<std::pair<Index, Index>>;

/// Returns the pattern of edges in any order and direction, without loops and repeats.
inline OwnedPattern pattern_of(Index n, EdgeList edges) {
  for (auto& [u, v] : edges)
    if (u > v) std::swap(u, v);
  for (Index v = 0; v < n; ++v) edges.emplace_back(v, v);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  OwnedPattern p;
  p.col_ptr.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const auto& [col, row] : edges) {
    ++p.col_ptr[col + 1];
    p.row.push_back(row);
  }
  std::partial_sum(p.col_ptr.begin(), p.col_ptr.end(), p.col_ptr.begin());
  return p;
}

/// Returns a pattern whose front 0, in natural order, has a contribution block of 92,697 rows, too
/// large for a device's tasks. Two hubs come before a set of leaves; one hub has one more row, so
/// that the block does not belong to the last front.
inline OwnedPattern too_large_pattern() {
  constexpr Index kRows = 92700;
  OwnedPattern a;
  a.row = {0};
  for (Index i = 2; i < kRows - 1; ++i) a.row.push_back(i);
  a.col_ptr.push_back(static_cast<Offset>(a.row.size()));
  for (Index i = 1; i < kRows; ++i) a.row.push_back(i);
  a.col_ptr.push_back(static_cast<Offset>(a.row.size()));
  for (Index j = 2; j < kRows; ++j) {
    a.row.push_back(j);
    a.col_ptr.push_back(static_cast<Offset>(a.row.size()));
  }
  return a;
}

inline Permutation random_order(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (Index k = n - 1; k > 0; --k)
    std::swap(order[k], order[random() % static_cast<std::uint64_t>(k + 1)]);
  return Permutation::from_old_of(std::move(order));
}

/// Returns random edges, some local (which makes deep trees) and some anywhere; sparse enough to be
/// disconnected for some seeds.
inline OwnedPattern random_pattern(Index n, double degree, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  EdgeList edges;
  const auto count = static_cast<std::size_t>(n * degree / 2);
  for (std::size_t k = 0; k < count && n > 1; ++k) {
    const auto u = static_cast<Index>(random() % static_cast<std::uint64_t>(n));
    const auto reach = random() % 2 == 0 ? std::uint64_t{5} : static_cast<std::uint64_t>(n);
    edges.emplace_back(u,
                       static_cast<Index>((static_cast<std::uint64_t>(u) + 1 + random() % reach) %
                                          static_cast<std::uint64_t>(n)));
  }
  return pattern_of(n, std::move(edges));
}

inline OwnedPattern diagonal_pattern(Index n) { return pattern_of(n, {}); }

inline OwnedPattern chain_pattern(Index n) {
  EdgeList edges;
  for (Index v = 1; v < n; ++v) edges.emplace_back(v - 1, v);
  return pattern_of(n, std::move(edges));
}

/// Returns a star: every vertex is joined to `hub`.
inline OwnedPattern star_pattern(Index n, Index hub) {
  EdgeList edges;
  for (Index v = 0; v < n; ++v) edges.emplace_back(hub, v);
  return pattern_of(n, std::move(edges));
}

inline OwnedPattern dense_pattern(Index n) {
  EdgeList edges;
  for (Index u = 0; u < n; ++u)
    for (Index v = 0; v < u; ++v) edges.emplace_back(u, v);
  return pattern_of(n, std::move(edges));
}

/// Returns a spine of n/2 vertices, each with a leaf numbered before it.
inline OwnedPattern caterpillar_pattern(Index n) {
  EdgeList edges;
  for (Index v = 1; v < n; v += 2) {
    edges.emplace_back(v - 1, v);
    if (v + 2 < n) edges.emplace_back(v, v + 2);
  }
  return pattern_of(n, std::move(edges));
}

/// Returns the graph with randomly permuted vertices.
inline OwnedPattern shuffled(const OwnedPattern& a, std::uint64_t seed) {
  const Permutation name = random_order(a.n(), seed);
  EdgeList edges;
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = a.col_ptr[j]; k < a.col_ptr[j + 1]; ++k)
      edges.emplace_back(name.new_of(j), name.new_of(a.row[k]));
  return pattern_of(a.n(), std::move(edges));
}

/// Order of the rows of the nodes of a coarse graph.
enum class Numbering { together, shuffled, by_unknown };

/// Replaces node v of a coarse pattern by weight[v] rows, which are joined to each other and to all
/// rows of its neighbours.
inline OwnedPattern blown_up(const OwnedPattern& coarse, const std::vector<Index>& weight,
                             Numbering numbering, std::uint64_t seed) {
  std::vector<std::pair<Index, Index>> members;  // (unknown, node)
  for (Index v = 0; v < coarse.n(); ++v)
    for (Index t = 0; t < weight[v]; ++t)
      members.emplace_back(numbering == Numbering::by_unknown ? t : 0, v);
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto n = static_cast<Index>(members.size());
  const Permutation name =
      numbering == Numbering::shuffled ? random_order(n, seed) : Permutation::identity(n);
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(coarse.n()));
  for (Index k = 0; k < n; ++k) rows[members[k].second].push_back(name.new_of(k));
  EdgeList edges;
  for (Index v = 0; v < coarse.n(); ++v)
    for (Offset k = coarse.col_ptr[v]; k < coarse.col_ptr[v + 1]; ++k)
      for (const Index a : rows[v])
        for (const Index b : rows[coarse.row[k]]) edges.emplace_back(a, b);
  return pattern_of(n, std::move(edges));
}

/// Returns a box of x by y by z points; `corners` joins all 26 neighbours instead of 6.
inline OwnedPattern grid_pattern(Index x, Index y, Index z, bool corners = false) {
  OwnedPattern p;
  const auto at = [&](Index i, Index j, Index k) { return (k * y + j) * x + i; };
  for (Index k = 0; k < z; ++k)
    for (Index j = 0; j < y; ++j)
      for (Index i = 0; i < x; ++i) {
        for (Index dk = 0; dk <= 1; ++dk)
          for (Index dj = -dk; dj <= 1; ++dj)
            for (Index di = -std::max(dk, dj > 0 ? 1 : 0); di <= 1; ++di) {
              const Index steps = std::abs(di) + std::abs(dj) + dk;
              if (i + di < 0 || i + di >= x || j + dj < 0 || j + dj >= y || k + dk >= z ||
                  (!corners && steps > 1))
                continue;
              if (at(i + di, j + dj, k + dk) >= at(i, j, k))
                p.row.push_back(at(i + di, j + dj, k + dk));
            }
        p.col_ptr.push_back(static_cast<Offset>(p.row.size()));
      }
  return p;
}

/// Returns the nested dissection of that box by its longest side, down to boxes of at most `leaf`
/// points, with separators last.
inline Permutation grid_dissection(Index x, Index y, Index z, Index leaf = 4) {
  struct Box {
    std::array<Index, 3> low, high;  // [low, high)
    Index end;                       // one past the last place of its points
  };
  std::vector<Index> old_of(static_cast<std::size_t>(x) * y * z);
  std::vector<Box> open{{{0, 0, 0}, {x, y, z}, static_cast<Index>(old_of.size())}};
  const auto points = [](const Box& b) {
    return (b.high[0] - b.low[0]) * (b.high[1] - b.low[1]) * (b.high[2] - b.low[2]);
  };
  const auto number = [&](const Box& b) {
    Index at = b.end - points(b);
    for (Index k = b.low[2]; k < b.high[2]; ++k)
      for (Index j = b.low[1]; j < b.high[1]; ++j)
        for (Index i = b.low[0]; i < b.high[0]; ++i) old_of[at++] = (k * y + j) * x + i;
  };
  while (!open.empty()) {
    const Box box = open.back();
    open.pop_back();
    int side = 0;
    for (int d = 1; d < 3; ++d)
      if (box.high[d] - box.low[d] > box.high[side] - box.low[side]) side = d;
    if (points(box) <= leaf || box.high[side] - box.low[side] < 3) {
      number(box);
      continue;
    }
    const Index middle = (box.low[side] + box.high[side]) / 2;
    Box separator = box, left = box, right = box;
    separator.low[side] = left.high[side] = middle;
    separator.high[side] = right.low[side] = middle + 1;
    right.end = box.end - points(separator);
    left.end = right.end - points(right);
    number(separator);
    open.push_back(left);
    open.push_back(right);
  }
  return Permutation::from_old_of(std::move(old_of));
}

}  // namespace kauri::test
