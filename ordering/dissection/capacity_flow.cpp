// Augmenting paths in phases of equal length (Dinic 1970) on the graph in which each vertex v is split into an arc of its weight from v_in
// to v_out, and an edge {u, v} is the arcs u_out -> v_in and v_out -> u_in without limit.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/capacity_flow.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kauri::ordering::dissection {
namespace {

constexpr Index kClosed = -1;  // level of a state from which the sink was not reached
constexpr Offset kNoLimit = std::numeric_limits<Offset>::max();

constexpr Index in(Index v) { return 2 * v; }
constexpr Index out(Index v) { return 2 * v + 1; }
constexpr bool is_out(Index state) { return (state & 1) != 0; }

}  // namespace

void CapacityFlow::run(const Band& band, Offset bound) {
  const auto n = static_cast<std::size_t>(band.size());
  flow_.assign(static_cast<std::size_t>(band.edges()), 0);
  through_.assign(n, 0);
  level_.resize(2 * n);
  at_.resize(2 * n);
  stack_.resize(2 * n);
  pair_edges(band);
  value_ = 0;
  phases_ = 0;
  labelled_ = false;
  while (value_ < bound) {
    labelled_ = !label(band);  // what the sink is reached from stays marked for the cut
    if (labelled_) return;
    std::fill(at_.begin(), at_.end(), 0);
    for (const Index v : root_) search(band, v);
  }
}

// Lists are in the order of the graph's numbers: taken in that order, vertices meet their places in their neighbours' lists one by one.
void CapacityFlow::pair_edges(const Band& band) {
  reverse_.resize(static_cast<std::size_t>(band.edges()));
  root_.assign(static_cast<std::size_t>(band.size()), 0);  // by vertex: places met
  queue_.resize(static_cast<std::size_t>(band.size()));
  std::iota(queue_.begin(), queue_.end(), 0);
  std::sort(queue_.begin(), queue_.end(), [&band](Index u, Index v) { return band.vertex(u) < band.vertex(v); });
  for (const Index v : queue_)
    for (Offset e = band.first(v); e < band.first(v + 1); ++e) reverse_[e] = root_[band.neighbour(e)]++;
}

void CapacityFlow::reach(Index state, Index level) {
  if (level_[state] != kClosed) return;
  level_[state] = level;
  queue_.push_back(state);
}

// Levels from the sink up to the first that the source reaches, or of all that reaches the sink; false if the source does not.
bool CapacityFlow::label(const Band& band) {
  ++phases_;
  std::fill(level_.begin(), level_.end(), kClosed);
  queue_.clear();
  root_.clear();
  for (Index v = 0; v < band.size(); ++v)
    if (band.at_sink(v)) reach(out(v), 1);
  Index last = 2 * band.size() + 1;  // level at which the source was met
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const Index state = queue_[head];
    if (level_[state] > last) break;
    if (!is_out(state) && band.at_source(state / 2)) {
      root_.push_back(state / 2);
      last = level_[state];
    }
    if (level_[state] < last) label_into(band, state);
  }
  return !root_.empty();
}

// Labels the states with an arc into this one that has room.
void CapacityFlow::label_into(const Band& band, Index state) {
  const Index v = state / 2, level = level_[state] + 1;
  if (is_out(state)) {
    if (through_[v] < band.weight(v)) reach(in(v), level);
    for (Offset e = band.first(v); e < band.first(v + 1); ++e)
      if (flow_[e] > 0) reach(in(band.neighbour(e)), level);
  } else {
    if (through_[v] > 0) reach(out(v), level);
    for (const Index u : band.neighbours(v)) reach(out(u), level);
  }
}

Index CapacityFlow::next_state(const Band& band, Index state, Offset arc) const {
  if (arc == 0) return state ^ 1;
  const Index u = band.neighbour(band.first(state / 2) + arc - 1);
  return is_out(state) ? in(u) : out(u);
}

// How much more can go along an arc.
Offset CapacityFlow::room(const Band& band, Index state, Offset arc) const {
  const Index v = state / 2;
  if (arc == 0) return is_out(state) ? through_[v] : band.weight(v) - through_[v];
  if (is_out(state)) return kNoLimit;
  const Offset e = band.first(v) + arc - 1;
  return flow_[band.first(band.neighbour(e)) + reverse_[e]];
}

void CapacityFlow::push(const Band& band, Index state, Offset arc, Offset amount) {
  const Index v = state / 2;
  if (arc == 0) {
    through_[v] += is_out(state) ? -amount : amount;
    return;
  }
  const Offset e = band.first(v) + arc - 1;
  if (is_out(state)) {
    flow_[e] += amount;
  } else {
    flow_[band.first(band.neighbour(e)) + reverse_[e]] -= amount;
  }
}

// All flow along falling levels from the source by way of `root`, depth first; a state without an arc left is closed.
void CapacityFlow::search(const Band& band, Index root) {
  Index top = 0;
  stack_[top++] = in(root);
  while (top > 0) {
    const Index state = stack_[top - 1];
    if (level_[state] == 1) {
      top = augment(band, top);
      continue;
    }
    const Offset arcs = 1 + band.first(state / 2 + 1) - band.first(state / 2);
    Offset& arc = at_[state];
    while (arc < arcs && (level_[next_state(band, state, arc)] != level_[state] - 1 || room(band, state, arc) == 0)) ++arc;
    if (arc < arcs) {
      stack_[top++] = next_state(band, state, arc);
    } else {
      level_[state] = kClosed;
      if (--top > 0) ++at_[stack_[top - 1]];
    }
  }
}

// Sends what the path on the stack lets through to the sink; back to the state before the first arc that is then full.
Index CapacityFlow::augment(const Band& band, Index top) {
  Offset amount = kNoLimit;
  for (Index k = 0; k + 1 < top; ++k) amount = std::min(amount, room(band, stack_[k], at_[stack_[k]]));
  value_ += amount;
  Index left = top;
  for (Index k = top - 2; k >= 0; --k) {
    push(band, stack_[k], at_[stack_[k]], amount);
    if (room(band, stack_[k], at_[stack_[k]]) == 0) left = k + 1;
  }
  return left;
}

void CapacityFlow::cut_near_sink(const Band& band, std::span<std::uint8_t> part) {
  if (!labelled_) label(band);
  labelled_ = true;
  for (Index v = 0; v < band.size(); ++v) part[v] = level_[in(v)] != kClosed ? kRight : level_[out(v)] != kClosed ? kSeparator : kLeft;
}

void CapacityFlow::cut_near_source(const Band& band, std::span<std::uint8_t> part) {
  labelled_ = false;
  std::fill(level_.begin(), level_.end(), kClosed);
  queue_.clear();
  for (Index v = 0; v < band.size(); ++v)
    if (band.at_source(v)) reach(in(v), 1);
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const Index state = queue_[head];
    const Offset arcs = 1 + band.first(state / 2 + 1) - band.first(state / 2);
    for (Offset arc = 0; arc < arcs; ++arc)
      if (room(band, state, arc) > 0) reach(next_state(band, state, arc), 1);
  }
  for (Index v = 0; v < band.size(); ++v) part[v] = level_[out(v)] != kClosed ? kLeft : level_[in(v)] != kClosed ? kSeparator : kRight;
}

}  // namespace kauri::ordering::dissection
