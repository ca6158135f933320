// Fiduccia-Mattheyses passes on a vertex separator.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/multilevel/node_refine.hpp"
#include "base/threads/stopping.hpp"

#include <algorithm>

namespace kauri::ordering::dissection {
namespace {

// States of a vertex: moved in this pass; listed while the separator is rebuilt.
constexpr char kMoved = 1, kListed = 2;

}  // namespace

NodeRefiner::NodeRefiner(const GraphView& graph, Separation& separation, RefineWorkspace& workspace)
    : graph_(graph), s_(separation), w_(workspace) {
  const Index n = graph.size();
  w_.heap.reserve(n);
  if (w_.state.size() < static_cast<std::size_t>(n)) {
    w_.state.resize(static_cast<std::size_t>(n), 0);
    w_.across.resize(static_cast<std::size_t>(n));
  }
}

void NodeRefiner::refine(const RefineLimits& limits) {
  w_.member.clear();
  for (Index v = 0; v < graph_.size(); ++v)
    if (s_.side[v] == kSeparator) w_.member.push_back(v);
  to_ = s_.weight[kLeft] < s_.weight[kRight] ? kLeft : kRight;  // the lighter side first
  int idle = 0;
  for (int k = 0; k < limits.passes && idle < 2; ++k) {
    from_ = 1 - to_;
    idle = pass(limits) ? 0 : idle + 1;
    to_ = from_;
  }
}

// Makes one pass: moves vertices to to_ while that may lead to an improvement, then undoes moves
// back to the best separation by predicted_work(). Returns true if that is not the one before the
// pass.
bool NodeRefiner::pass(const RefineLimits& limits) {
  begin_pass(to_);
  const double reference = reference_of(s_.weight);
  double least = predicted_work(s_.weight, reference, kSidesWhileMoving);
  Offset best = s_.weight[kSeparator];
  std::size_t best_moves = 0;
  const std::size_t patience = std::clamp<std::size_t>(
      w_.member.size(), static_cast<std::size_t>(limits.patience), kMostPatience);
  const StopCheck check_stop;
  for (;;) {
    check_stop();
    const std::size_t vain = w_.move.size() - best_moves;
    if (vain >= 3 * patience || (vain >= patience && s_.weight[kSeparator] > best + best / 10))
      break;
    while (!w_.heap.empty() && s_.weight[to_] + graph_.weight_of(w_.heap.top()) > limits.most)
      w_.heap.pop();
    if (w_.heap.empty()) break;
    move(w_.heap.top());
    const double work = predicted_work(s_.weight, reference, kSidesWhileMoving);
    if (work >= least) continue;
    least = work, best = s_.weight[kSeparator], best_moves = w_.move.size();
  }
  end_pass(best_moves);
  return best_moves > 0;
}

void NodeRefiner::begin_pass(Side to) {
  to_ = to, from_ = 1 - to;
  w_.move.clear(), w_.pulled.clear();
  for (const Index v : w_.member) {
    Index across = 0;
    for (const Index u : graph_.neighbours(v))
      if (s_.side[u] == from_) across += graph_.weight_of(u);
    w_.across[v] = across;
    w_.heap.push(v, gain(v));
  }
}

// Keeps the first `moves` moves, and lists the separator: its old vertices and those pulled in,
// each once.
void NodeRefiner::end_pass(std::size_t moves) {
  w_.heap.clear();
  for (const RefineWorkspace::Move& m : w_.move) w_.state[m.vertex] = 0;
  undo(moves);
  w_.member.insert(w_.member.end(), w_.pulled.begin(), w_.pulled.end());
  std::size_t kept = 0;
  for (const Index v : w_.member)
    if (s_.side[v] == kSeparator && w_.state[v] != kListed)
      w_.state[v] = kListed, w_.member[kept++] = v;
  w_.member.resize(kept);
  for (const Index v : w_.member) w_.state[v] = 0;
}

// Moves v from the separator to to_; neighbours of v on side from_ enter the separator.
void NodeRefiner::move(Index v) {
  const Index weight = graph_.weight_of(v);
  w_.heap.erase(v);
  s_.side[v] = to_;
  s_.weight[kSeparator] -= weight;
  s_.weight[to_] += weight;
  w_.state[v] = kMoved;
  for (const Index u : graph_.neighbours(v))
    if (s_.side[u] == from_) pull(u);
  w_.move.push_back({v, w_.pulled.size()});
}

// Moves u from side from_ into the separator and into the heap, and updates the gains of its
// neighbours in the separator.
void NodeRefiner::pull(Index u) {
  const Index weight = graph_.weight_of(u);
  s_.side[u] = kSeparator;
  s_.weight[from_] -= weight;
  s_.weight[kSeparator] += weight;
  w_.pulled.push_back(u);
  Index across = 0;
  for (const Index x : graph_.neighbours(u)) {
    if (s_.side[x] == from_) {
      across += graph_.weight_of(x);
    } else if (s_.side[x] == kSeparator) {
      w_.across[x] -= weight;
      if (w_.heap.has(x)) w_.heap.add(x, weight);
    }
  }
  w_.across[u] = across;
  w_.heap.push(u, gain(u));
}

void NodeRefiner::undo(std::size_t moves) {
  while (w_.move.size() > moves) {
    const RefineWorkspace::Move last = w_.move.back();
    w_.move.pop_back();
    const std::size_t begin = w_.move.empty() ? 0 : w_.move.back().pulled_end;
    for (std::size_t k = begin; k < last.pulled_end; ++k) {
      const Index weight = graph_.weight_of(w_.pulled[k]);
      s_.side[w_.pulled[k]] = from_;
      s_.weight[from_] += weight;
      s_.weight[kSeparator] -= weight;
    }
    const Index weight = graph_.weight_of(last.vertex);
    s_.side[last.vertex] = kSeparator;
    s_.weight[to_] -= weight;
    s_.weight[kSeparator] += weight;
    w_.pulled.resize(begin);
  }
}

void NodeRefiner::grow(Index start) {
  const Index n = graph_.size();
  const Offset total = graph_.total_weight();
  s_.side.assign(static_cast<std::size_t>(n), kRight);
  s_.weight = {0, total, 0};
  w_.member.clear();
  begin_pass(kLeft);
  const StopCheck check_stop;
  while (2 * s_.weight[kLeft] + s_.weight[kSeparator] < total) {
    check_stop();
    if (w_.heap.empty()) {  // starts the first connected component, or the next one
      while (s_.side[start] != kRight) start = start + 1 < n ? start + 1 : 0;
      pull(start);
    }
    move(w_.heap.top());
  }
  end_pass(w_.move.size());
}

}  // namespace kauri::ordering::dissection
