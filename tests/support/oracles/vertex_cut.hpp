// Naive minimum vertex cuts as oracles: all subsets, and Edmonds-Karp on the split graph as a
// matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::test {

/// Vertices between a source and a sink, which are not vertices themselves. A cut is a set of
/// vertices that every path from source to sink meets.
struct CutProblem {
  std::vector<std::vector<Index>> neighbours;
  std::vector<Index> weight;
  std::vector<char> at_source, at_sink;

  [[nodiscard]] Index size() const { return static_cast<Index>(weight.size()); }
};

/// Both extreme minimum cuts: the parts are 0 (source), 1 (sink), 2 (cut).
struct ExtremeCuts {
  Offset weight = 0;
  std::vector<std::uint8_t> near_source;  ///< 0: reached from the source, the least such part of
                                          ///< all minimum cuts; 1: the rest
  std::vector<std::uint8_t> near_sink;    ///< 1: reached from the sink, the least such part; 0: the
                                          ///< rest
};

/// Returns the vertices that are reachable from those marked in `from` without passing those marked
/// in `cut`.
inline std::vector<char> reached(const CutProblem& problem, const std::vector<char>& from,
                                 const std::vector<char>& cut) {
  std::vector<char> met(from.size(), 0);
  std::vector<Index> stack;
  const auto meet = [&](Index v) {
    if (met[v] || cut[v]) return;
    met[v] = 1;
    stack.push_back(v);
  };
  for (Index v = 0; v < problem.size(); ++v)
    if (from[v]) meet(v);
  while (!stack.empty()) {
    const Index v = stack.back();
    stack.pop_back();
    for (const Index u : problem.neighbours[v]) meet(u);
  }
  return met;
}

/// Tries all 2^n subsets: returns the least weight and, over all cuts of that weight, the
/// intersections of the parts that the terminals reach.
inline ExtremeCuts cuts_by_subsets(const CutProblem& problem) {
  const Index n = problem.size();
  ExtremeCuts best;
  best.weight = std::numeric_limits<Offset>::max();
  for (std::uint32_t set = 0; set < (1u << n); ++set) {
    std::vector<char> cut(static_cast<std::size_t>(n), 0);
    Offset weight = 0;
    for (Index v = 0; v < n; ++v)
      if (set >> v & 1u) cut[v] = 1, weight += problem.weight[v];
    if (weight > best.weight) continue;
    const auto left = reached(problem, problem.at_source, cut),
               right = reached(problem, problem.at_sink, cut);
    bool apart = true;
    for (Index v = 0; v < n && apart; ++v)
      apart = !(left[v] && (right[v] || problem.at_sink[v])) && !(right[v] && problem.at_source[v]);
    if (!apart) continue;
    const auto count = [](const std::vector<char>& part) {
      return std::count(part.begin(), part.end(), 1);
    };
    const auto own = [](const std::vector<std::uint8_t>& part, std::uint8_t p) {
      return std::count(part.begin(), part.end(), p);
    };
    const bool lighter = weight < best.weight;
    best.weight = weight;
    const auto take = [&](std::vector<std::uint8_t>& into, const std::vector<char>& met,
                          std::uint8_t mine, std::uint8_t other) {
      into.assign(static_cast<std::size_t>(n), other);
      for (Index v = 0; v < n; ++v)
        if (cut[v] || met[v]) into[v] = cut[v] ? 2 : mine;
    };
    if (lighter || count(left) < own(best.near_source, 0)) take(best.near_source, left, 0, 1);
    if (lighter || count(right) < own(best.near_sink, 1)) take(best.near_sink, right, 1, 0);
  }
  return best;
}

/// The split graph: node 2v is v_in, 2v+1 is v_out, then source and sink; capacities in a matrix.
/// O(n^2) per path.
class SplitNetwork {
 public:
  explicit SplitNetwork(const CutProblem& problem)
      : n_(problem.size()), capacity_(static_cast<std::size_t>(nodes()), row()) {
    constexpr Offset unlimited = std::numeric_limits<Offset>::max() / 4;
    for (Index v = 0; v < n_; ++v) {
      capacity_[2 * v][2 * v + 1] = problem.weight[v];
      for (const Index u : problem.neighbours[v]) capacity_[2 * v + 1][2 * u] = unlimited;
      if (problem.at_source[v]) capacity_[source()][2 * v] = unlimited;
      if (problem.at_sink[v]) capacity_[2 * v + 1][sink()] = unlimited;
    }
  }

  ExtremeCuts cuts() {
    ExtremeCuts result;
    while (const Offset more = augment()) result.weight += more;
    const auto forward = residual(source(), false), backward = residual(sink(), true);
    for (Index v = 0; v < n_; ++v) {
      result.near_source.push_back(forward[2 * v + 1] ? 0 : forward[2 * v] ? 2 : 1);
      result.near_sink.push_back(backward[2 * v] ? 1 : backward[2 * v + 1] ? 2 : 0);
    }
    return result;
  }

 private:
  [[nodiscard]] Index nodes() const { return 2 * n_ + 2; }
  [[nodiscard]] Index source() const { return 2 * n_; }
  [[nodiscard]] Index sink() const { return 2 * n_ + 1; }
  [[nodiscard]] std::vector<Offset> row() const {
    return std::vector<Offset>(static_cast<std::size_t>(nodes()), 0);
  }

  // Searches breadth first; parents[x] >= 0 if x has been met.
  std::vector<Index> parents(Index from, bool backward) const {
    std::vector<Index> parent(static_cast<std::size_t>(nodes()), kNone);
    std::queue<Index> queue({from});
    parent[from] = from;
    while (!queue.empty()) {
      const Index x = queue.front();
      queue.pop();
      for (Index y = 0; y < nodes(); ++y)
        if (parent[y] == kNone && (backward ? capacity_[y][x] : capacity_[x][y]) > 0) {
          parent[y] = x;
          queue.push(y);
        }
    }
    return parent;
  }
  std::vector<char> residual(Index from, bool backward) const {
    std::vector<char> met;
    for (const Index p : parents(from, backward)) met.push_back(p != kNone);
    return met;
  }
  Offset augment() {
    const auto parent = parents(source(), false);
    if (parent[sink()] == kNone) return 0;
    Offset amount = std::numeric_limits<Offset>::max();
    for (Index x = sink(); x != source(); x = parent[x])
      amount = std::min(amount, capacity_[parent[x]][x]);
    for (Index x = sink(); x != source(); x = parent[x]) {
      capacity_[parent[x]][x] -= amount;
      capacity_[x][parent[x]] += amount;
    }
    return amount;
  }

  Index n_;
  std::vector<std::vector<Offset>> capacity_;
};

}  // namespace kauri::test
