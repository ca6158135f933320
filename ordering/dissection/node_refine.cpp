// Fiduccia-Mattheyses passes on a vertex separator.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/node_refine.hpp"

#include <algorithm>
#include <utility>

namespace kauri::ordering::dissection {
namespace {

// States of a vertex within a pass.
constexpr char kListed = 1, kMoved = 2;

}  // namespace

NodeRefiner::NodeRefiner(const GraphView& graph, Separation& separation, RefineWorkspace& workspace)
    : graph_(graph), s_(separation), w_(workspace) {
  const Index n = graph.size();
  for (GainHeap& heap : w_.heap) heap.reserve(n);
  if (w_.state.size() < static_cast<std::size_t>(n)) {
    w_.state.resize(static_cast<std::size_t>(n), 0);
    w_.beside.resize(static_cast<std::size_t>(n));
  }
}

void NodeRefiner::refine(const RefineLimits& limits) {
  w_.member.clear();
  for (Index v = 0; v < graph_.size(); ++v)
    if (s_.side[v] == kSeparator) w_.member.push_back(v);
  if (tune[8] == 0) {
    for (int k = 0; k < limits.passes && pass(limits, 3); ++k) {
    }
    return;
  }
  Side to = s_.weight[kLeft] < s_.weight[kRight] ? kLeft : kRight;
  int idle = 0;
  for (int k = 0; k < limits.passes && idle < 2; ++k, to = 1 - to) idle = pass(limits, 1 << to) ? 0 : idle + 1;
  if (tune[12] > 0) pass(limits, 3);
}

// Into the separator, whose neighbours on either side are weighed.
void NodeRefiner::enter(Index v) {
  std::array<Index, 2> beside{};
  for (const Index u : graph_.neighbours(v))
    if (const Side side = s_.side[u]; side != kSeparator) beside[side] += graph_.weight_of(u);
  w_.beside[v] = beside;
}

bool NodeRefiner::pass(const RefineLimits& limits, int sides) {
  w_.move.clear(), w_.pulled.clear();
  for (const Index v : w_.member) {
    enter(v);
    if (sides & 1) w_.heap[kLeft].push(v, gain(v, kLeft));
    if (sides & 2) w_.heap[kRight].push(v, gain(v, kRight));
  }
  const auto reference = static_cast<double>(std::max<Offset>(1, s_.weight[kSeparator]));
  double least = predicted_work(s_.weight, reference);
  Offset best = s_.weight[kSeparator];
  std::size_t best_moves = 0;
  const auto patience = std::min(static_cast<std::size_t>(limits.patience), static_cast<std::size_t>(tune[13] * w_.member.size() + 5));
  while (true) {
    const std::size_t vain = w_.move.size() - best_moves;
    if (sides == 3 ? vain >= patience : vain >= 3 * patience || (vain >= patience && s_.weight[kSeparator] > best + best / 10)) break;
    const int to = choose(limits.most);
    if (to < 0) break;
    move(w_.heap[to].top(), static_cast<Side>(to));
    const double work = predicted_work(s_.weight, reference);
    if (work >= least) continue;
    least = work, best = s_.weight[kSeparator], best_moves = w_.move.size();
  }
  for (GainHeap& heap : w_.heap) heap.clear();
  for (const RefineWorkspace::Move& m : w_.move) w_.state[m.vertex] = 0;
  undo(best_moves);
  // The separator's vertices: old ones and those pulled in, each once.
  w_.member.insert(w_.member.end(), w_.pulled.begin(), w_.pulled.end());
  std::size_t kept = 0;
  for (const Index v : w_.member)
    if (s_.side[v] == kSeparator && w_.state[v] != kListed) w_.state[v] = kListed, w_.member[kept++] = v;
  w_.member.resize(kept);
  for (const Index v : w_.member) w_.state[v] = 0;
  return best_moves > 0;
}

// The side that a vertex moves to next: the greater gain, or the lighter side; -1: no move keeps the balance.
int NodeRefiner::choose(Index most) {
  for (int to = 0; to < 2; ++to) {
    GainHeap& heap = w_.heap[to];
    while (!heap.empty() && s_.weight[to] + graph_.weight_of(heap.top()) > most) heap.pop();
  }
  if (w_.heap[kLeft].empty()) return w_.heap[kRight].empty() ? -1 : kRight;
  if (w_.heap[kRight].empty()) return kLeft;
  const Index left = w_.heap[kLeft].top_gain(), right = w_.heap[kRight].top_gain();
  if (left != right) return left > right ? kLeft : kRight;
  return s_.weight[kLeft] <= s_.weight[kRight] ? kLeft : kRight;
}

// Out of the separator; its neighbours on the other side come in.
void NodeRefiner::move(Index v, Side to) {
  const Side other = 1 - to;
  const Index weight = graph_.weight_of(v);
  for (GainHeap& heap : w_.heap)
    if (heap.has(v)) heap.erase(v);
  s_.side[v] = to;
  s_.weight[kSeparator] -= weight;
  s_.weight[to] += weight;
  w_.state[v] = kMoved;
  for (const Index u : graph_.neighbours(v)) {
    if (s_.side[u] == kSeparator) {
      w_.beside[u][to] += weight;
      if (w_.heap[other].has(u)) w_.heap[other].add(u, -weight);
    } else if (s_.side[u] == other) {
      pull(u, to);
    }
  }
  w_.move.push_back({v, w_.pulled.size(), to});
}

// From the side that `to` is not into the separator.
void NodeRefiner::pull(Index u, Side to) {
  const Side other = 1 - to;
  const Index weight = graph_.weight_of(u);
  s_.side[u] = kSeparator;
  s_.weight[other] -= weight;
  s_.weight[kSeparator] += weight;
  w_.pulled.push_back(u);
  std::array<Index, 2> beside{};
  for (const Index x : graph_.neighbours(u)) {
    const Side side = s_.side[x];
    if (side != kSeparator) {
      beside[side] += graph_.weight_of(x);
    } else {
      w_.beside[x][other] -= weight;
      if (w_.heap[to].has(x)) w_.heap[to].add(x, weight);
    }
  }
  w_.beside[u] = beside;
  if (w_.state[u] != kMoved) w_.heap[to].push(u, gain(u, to));
}

void NodeRefiner::undo(std::size_t moves) {
  while (w_.move.size() > moves) {
    const auto m = w_.move.back();
    w_.move.pop_back();
    const std::size_t begin = w_.move.empty() ? 0 : w_.move.back().pulled_end;
    const Side other = 1 - m.to;
    for (std::size_t k = begin; k < m.pulled_end; ++k) {
      const Index weight = graph_.weight_of(w_.pulled[k]);
      s_.side[w_.pulled[k]] = other;
      s_.weight[other] += weight;
      s_.weight[kSeparator] -= weight;
    }
    const Index weight = graph_.weight_of(m.vertex);
    s_.side[m.vertex] = kSeparator;
    s_.weight[m.to] -= weight;
    s_.weight[kSeparator] += weight;
    w_.pulled.resize(begin);
  }
}

void NodeRefiner::grow(Index start) {
  const Index n = graph_.size();
  const Offset total = graph_.total_weight();
  s_.side.assign(static_cast<std::size_t>(n), kRight);
  s_.weight = {0, total, 0};
  w_.move.clear(), w_.pulled.clear();
  GainHeap& heap = w_.heap[kLeft];
  while (2 * s_.weight[kLeft] + s_.weight[kSeparator] < total) {
    if (heap.empty()) {  // the next component, or the first
      while (s_.side[start] != kRight) start = start + 1 < n ? start + 1 : 0;
      pull(start, kLeft);
    }
    move(heap.top(), kLeft);
  }
  heap.clear();
  for (const RefineWorkspace::Move& m : w_.move) w_.state[m.vertex] = 0;
}

}  // namespace kauri::ordering::dissection
