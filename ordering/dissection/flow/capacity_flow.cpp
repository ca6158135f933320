// Maximum flow by augmenting paths in phases (Dinic 1970). Each vertex v is split into an arc of
// its weight from v_in to v_out; an edge {u, v} is the arcs u_out -> v_in and v_out -> u_in without
// limit. Flow along an arc passes both of its vertices, so it fits in an Index, as weights do. A
// path begins at a v_in, whose arcs all have a limit.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/flow/capacity_flow.hpp"
#include "base/threads/stopping.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kauri::ordering::dissection {
namespace {

constexpr Index kNoLevel = std::numeric_limits<Index>::max();  // level of a state that does not
                                                               // reach the sink, or no longer
constexpr Index kNoLimit = std::numeric_limits<Index>::max();

constexpr Index in(Index v) { return 2 * v; }
constexpr Index out(Index v) { return 2 * v + 1; }
constexpr bool is_out(Index state) { return (state & 1) != 0; }

}  // namespace

void CapacityFlow::run(const Band& band, Offset bound) {
  const auto n = static_cast<std::size_t>(band.size());
  flow_.assign(static_cast<std::size_t>(band.edges()), 0);
  through_.assign(n, 0);
  for (auto* room : {&level_, &at_, &stack_, &queue_}) room->resize(2 * n + 1);
  pair_edges(band);
  value_ = 0;
  phases_ = 0;
  labelled_ = false;
  const StopCheck check_stop;
  while (value_ < bound) {
    check_stop();
    labelled_ = !label(band);  // states that reach the sink stay labelled for the cut
    if (labelled_) return;
    std::fill(at_.begin(), at_.end(), 0);
    for (const Index v : root_) check_stop(), search(band, v);
  }
}

// Sets reverse_[e], for each directed edge e from v to u, to the position of v in the list of u.
// Lists ascend by the graph's numbers: if vertices v are visited in that order, they are found in
// the list of u one after the other.
void CapacityFlow::pair_edges(const Band& band) {
  reverse_.resize(static_cast<std::size_t>(band.edges()));
  root_.assign(static_cast<std::size_t>(band.size()), 0);  // by vertex: list entries paired
  const auto vertices = std::span(queue_).first(static_cast<std::size_t>(band.size()));
  std::iota(vertices.begin(), vertices.end(), 0);
  std::sort(vertices.begin(), vertices.end(),
            [&band](Index u, Index v) { return band.vertex(u) < band.vertex(v); });
  for (const Index v : vertices)
    for (Offset e = band.first(v); e < band.first(v + 1); ++e)
      reverse_[e] = root_[band.neighbour(e)]++;
}

// Labels all states that reach the sink with their levels, from the sink, and sets root_ to the
// vertices where paths of this phase may begin. Returns false if there are none: the source does
// not reach the sink. As in DisjointPaths, a phase takes all paths that descend level by level, not
// only the shortest ones.
bool CapacityFlow::label(const Band& band) {
  ++phases_;
  std::fill(level_.begin(), level_.end(), kNoLevel);
  root_.clear();
  Index* const level_of = level_.data();
  Index* const queue = queue_.data();
  Index tail = 0;
  const auto reach = [&](Index state, Index level,
                         bool if_so) {  // branch-free: a branch would be unpredictable
    const Index old = level_of[state];
    queue[tail] = state;
    tail += static_cast<Index>(if_so && old == kNoLevel);
    level_of[state] = std::min(old, if_so ? level : kNoLevel);
  };
  for (Index v = 0; v < band.size(); ++v)
    if (band.at_sink(v)) reach(out(v), 1, true);
  for (Index head = 0; head < tail;
       ++head) {  // reaches all states with an arc into this state that has residual capacity
    const Index state = queue[head], v = state / 2, level = level_of[state] + 1;
    const auto neighbours = band.neighbours(v);
    if (is_out(state)) {
      reach(in(v), level, through_[v] < band.weight(v));
      const Index* const flow = flow_.data() + band.first(v);
      for (std::size_t k = 0, arcs = through_[v] > 0 ? neighbours.size() : 0; k < arcs; ++k)
        reach(in(neighbours[k]), level, flow[k] > 0);
    } else {
      if (band.at_source(v)) root_.push_back(v);
      reach(out(v), level, through_[v] > 0);
      for (const Index u : neighbours) reach(out(u), level, true);
    }
  }
  return !root_.empty();
}

Index CapacityFlow::next_state(const Band& band, Index state) const {
  const Index arc = at_[state];
  if (arc == 0) return state ^ 1;
  const Index u = band.neighbour(band.first(state / 2) + arc - 1);
  return is_out(state) ? in(u) : out(u);
}

// Returns the entry of flow_ that arc `arc` > 0 from v_in cancels: the flow from v's neighbour to
// v.
Index& CapacityFlow::flow_into(const Band& band, Index v, Index arc) {
  const Offset e = band.first(v) + arc - 1;
  return flow_[band.first(band.neighbour(e)) + reverse_[e]];
}

// Returns the residual capacity of the current arc of a state.
Index CapacityFlow::room(const Band& band, Index state) {
  const Index v = state / 2;
  if (at_[state] == 0) return is_out(state) ? through_[v] : band.weight(v) - through_[v];
  return is_out(state) ? kNoLimit : flow_into(band, v, at_[state]);
}

// Advances at_[state] from the current arc to the first one, the current included, that has
// residual capacity and leads to a state of the level below; returns false if there is none.
bool CapacityFlow::find_arc(const Band& band, Index state) {
  const Index v = state / 2, wanted = level_[state] - 1;
  const Index degree = static_cast<Index>(band.first(v + 1) - band.first(v));
  Index& arc = at_[state];
  if (arc == 0) {
    if (level_[state ^ 1] == wanted && room(band, state) > 0) return true;
    arc = 1;
  }
  const auto neighbours = band.neighbours(v);
  if (is_out(state)) {
    while (arc <= degree && level_[in(neighbours[arc - 1])] != wanted) ++arc;
  } else if (through_[v] == 0) {
    return false;
  } else {
    while (arc <= degree &&
           (level_[out(neighbours[arc - 1])] != wanted || flow_into(band, v, arc) == 0))
      ++arc;
  }
  return arc <= degree;
}

void CapacityFlow::push(const Band& band, Index state, Index amount) {
  const Index v = state / 2, arc = at_[state];
  if (arc == 0) {
    through_[v] += is_out(state) ? -amount : amount;
  } else if (is_out(state)) {
    flow_[band.first(v) + arc - 1] += amount;
  } else {
    flow_into(band, v, arc) -= amount;
  }
}

// Pushes all flow along descending levels from the source via `root`, depth first. Closes a state
// without an arc left.
void CapacityFlow::search(const Band& band, Index root) {
  if (level_[in(root)] == kNoLevel) return;
  Index top = 0;
  stack_[top++] = in(root);
  while (top > 0) {
    const Index state = stack_[top - 1];
    if (level_[state] == 1) {
      top = augment(band, top);
    } else if (find_arc(band, state)) {
      stack_[top++] = next_state(band, state);
    } else {
      level_[state] = kNoLevel;
      --top;
    }
  }
}

// Pushes as much flow along the path on the stack as the path admits. Returns the length of the
// stack up to and including the state before the first arc that is then full.
Index CapacityFlow::augment(const Band& band, Index top) {
  Index amount = kNoLimit;
  for (Index k = 0; k + 1 < top; ++k) amount = std::min(amount, room(band, stack_[k]));
  value_ += amount;
  Index left = top;
  for (Index k = top - 2; k >= 0; --k) {
    push(band, stack_[k], amount);
    if (room(band, stack_[k]) == 0) left = k + 1;
  }
  return left;
}

void CapacityFlow::cut_near_sink(const Band& band, std::span<std::uint8_t> part) {
  if (!labelled_) label(band);
  labelled_ = true;
  for (Index v = 0; v < band.size(); ++v)
    part[v] = level_[in(v)] != kNoLevel ? kRight : level_[out(v)] != kNoLevel ? kSeparator : kLeft;
}

void CapacityFlow::cut_near_source(const Band& band, std::span<std::uint8_t> part) {
  labelled_ = false;
  std::fill(level_.begin(), level_.end(), kNoLevel);
  Index tail = 0;
  const auto reach = [&](Index state) {
    if (level_[state] != kNoLevel) return;
    level_[state] = 1;
    queue_[tail++] = state;
  };
  for (Index v = 0; v < band.size(); ++v)
    if (band.at_source(v)) reach(in(v));
  for (Index head = 0; head < tail; ++head) {
    const Index state = queue_[head], v = state / 2;
    if (is_out(state)) {
      if (through_[v] > 0) reach(in(v));
      for (const Index u : band.neighbours(v)) reach(in(u));
    } else {
      if (through_[v] < band.weight(v)) reach(out(v));
      const Index arcs = through_[v] > 0 ? static_cast<Index>(band.neighbours(v).size()) : 0;
      for (Index arc = 1; arc <= arcs; ++arc)
        if (flow_into(band, v, arc) > 0) reach(out(band.neighbours(v)[arc - 1]));
    }
  }
  for (Index v = 0; v < band.size(); ++v)
    part[v] = level_[out(v)] != kNoLevel ? kLeft : level_[in(v)] != kNoLevel ? kSeparator : kRight;
}

}  // namespace kauri::ordering::dissection
