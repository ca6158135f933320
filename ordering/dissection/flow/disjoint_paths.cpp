// Augmenting paths in phases (Dinic 1970; Even & Tarjan 1975 for unit vertex capacities) on the graph in which each vertex v is split into
// an arc from v_in to v_out, without that graph. One state for each vertex is enough:
//   v on no path: the new path is at v, and may go to any neighbour;
//   v on a path: the new path is at v_out, from where v's own path has been led away; the new path may go to any neighbour, or back through
//   v (which is on no path then) to the state of the vertex before v.
// To arrive at a neighbour w on a path is to lead w's path on from here: that leaves the state of the vertex before w. So from w one is in
// state before(w) in any case, with before(w) = w where w is on no path, and nothing to be had where w is the first of its path.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/flow/disjoint_paths.hpp"
#include "base/threads/stopping.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kauri::ordering::dissection {
namespace {

constexpr Index kClosed = std::numeric_limits<Index>::max();  // level of a state from which the sink is not reached, or used by the phase

}  // namespace

void DisjointPaths::run(const BandGraph& band, Index bound) {
  const auto n = static_cast<std::size_t>(band.size());
  terminal_ = band.size();
  for (auto* own : {&before_, &behind_}) {
    own->resize(n + 1);
    std::iota(own->begin(), own->end(), 0);
  }
  for (auto* room : {&level_, &queue_, &stack_, &via_}) room->resize(n + 1);
  at_.resize(n);
  count_ = phases_ = 0;
  labelled_ = false;
  const StopCheck check_stop;
  while (count_ < bound) {
    check_stop();
    labelled_ = !label(band);  // what the sink is reached from stays marked for the cut
    if (labelled_) return;
    for (std::size_t k = 0; k < root_.size() && count_ < bound; ++k) {
      check_stop();
      if (const Index length = search(band, root_[k]); length > 0) add_path(length);
    }
  }
}

// Levels from the sink up of all that reaches it; false if the source does not. Not only the shortest paths but all that fall from level to
// level from the source are taken in a phase: levels never fall when they are, so that the bound of Dinic's phases holds, and there are two
// to three times fewer.
bool DisjointPaths::label(const BandGraph& band) {
  ++phases_;
  std::fill(level_.begin(), level_.end(), kClosed);
  root_.clear();
  Index* const level_of = level_.data();
  Index* const queue = queue_.data();
  Index tail = 0;
  const auto reach = [&](Index state, Index level) {  // without a branch, which could not be foreseen
    const Index old = level_of[state];
    queue[tail] = state;
    tail += static_cast<Index>(old == kClosed);
    level_of[state] = std::min(old, level);
  };
  for (Index v = 0; v < band.size(); ++v)
    if (band.at_sink(v)) reach(v, 1);
  for (Index head = 0; head < tail; ++head) {
    const Index state = queue[head];
    const Index by = behind_[state];  // all that see the vertex by which this state is entered may come into it
    if (by == terminal_) continue;
    if (band.at_source(by)) root_.push_back(by);
    const Index level = level_of[state] + 1;
    reach(by, level);  // back through `by`, if that is another
    for (const Index u : band.neighbours(by)) reach(u, level);
  }
  return !root_.empty();
}

// Depth first along falling levels from the source by way of `root`. Every state met is closed for the phase: it leads nowhere or is on the
// new path. Returns the number of states of that path, in stack_ and via_, or 0.
Index DisjointPaths::search(const BandGraph& band, Index root) {
  const Index start = before_[root];
  if (level_[start] == kClosed) return 0;
  const Index length = level_[start];
  Index top = 0;
  enter(band, top, start, root);
  while (top > 0 && top < length)
    if (!advance(band, top, length - top)) --top;
  return top;
}

// Enters a state of level `wanted` from the last one of the path, or returns false.
bool DisjointPaths::advance(const BandGraph& band, Index& top, Index wanted) {
  const Index state = stack_[top - 1];
  Offset& at = at_[top - 1];
  if (const Index back = before_[state]; at == band.first(state) && level_[back] == wanted) {
    enter(band, top, back, terminal_);
    return true;
  }
  for (const Offset end = band.first(state + 1); at < end;) {
    const Index w = band.neighbour(at++);
    const Index next = before_[w];
    if (level_[next] != wanted) continue;
    enter(band, top, next, w);
    return true;
  }
  return false;
}

void DisjointPaths::enter(const BandGraph& band, Index& top, Index state, Index via) {
  level_[state] = kClosed;
  stack_[top] = state;
  via_[top] = via;
  at_[top++] = band.first(state);
}

void DisjointPaths::add_path(Index length) {
  ++count_;
  Index from = terminal_;
  for (Index k = 0; k < length; ++k) {
    if (const Index via = via_[k]; via == terminal_) {  // back through `from`
      before_[from] = behind_[from] = from;
    } else {
      before_[via] = from;
      behind_[from] = via;
    }
    from = stack_[k];
  }
  behind_[from] = terminal_;
}

void DisjointPaths::cut_near_sink(const BandGraph& band, std::span<std::uint8_t> part) {
  if (!labelled_) label(band);
  labelled_ = true;
  for (Index v = 0; v < band.size(); ++v)  // level_[v] tells of v_out, or of all of v where it is on no path
    part[v] = level_[before_[v]] != kClosed ? kRight : level_[v] != kClosed ? kSeparator : kLeft;
}

void DisjointPaths::cut_near_source(const BandGraph& band, std::span<std::uint8_t> part) {
  labelled_ = false;
  std::fill(level_.begin(), level_.end(), kClosed);
  level_[terminal_] = 1;
  Index tail = 0;
  Index* const level_of = level_.data();
  Index* const queue = queue_.data();
  const auto reach = [&](Index state) {
    queue[tail] = state;
    tail += static_cast<Index>(level_of[state] == kClosed);
    level_of[state] = 1;
  };
  for (Index v = 0; v < band.size(); ++v)
    if (band.at_source(v)) reach(before_[v]);
  for (Index head = 0; head < tail; ++head) {
    const Index state = queue[head];
    reach(before_[state]);
    for (const Index w : band.neighbours(state)) reach(before_[w]);
  }
  for (Index v = 0; v < band.size(); ++v)  // where v_out is not reached, v_in is if v is on a path, and the one before it has been reached
    part[v] = level_[v] != kClosed ? kLeft : level_[before_[v]] != kClosed ? kSeparator : kRight;
}

}  // namespace kauri::ordering::dissection
