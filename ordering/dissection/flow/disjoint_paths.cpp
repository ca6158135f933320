// Augmenting paths in phases (Dinic 1970; Even & Tarjan 1975 for unit vertex capacities). Each
// vertex v is split into an arc from v_in to v_out, without storing the split graph. One state per
// vertex suffices:
// - v on no path: the new path is at v, and may go to any neighbour.
// - v on a path: the new path is at v_out, and v's path has been diverted. The new path may go to
//   any neighbour, or back through v (which is then on no path) to the state of v's predecessor.
// A new path that arrives at a neighbour w on a path continues w's path, and thereby leads to the
// state of w's predecessor. So arriving at w always leads to state before(w), with before(w) = w if
// w is on no path, and nowhere if w is the first vertex of its path.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/flow/disjoint_paths.hpp"
#include "base/threads/stopping.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kauri::ordering::dissection {
namespace {

/// Level of a state that does not reach the sink, or that a search of this phase has entered; in
/// cut_near_source(), level of a state that the source does not reach.
constexpr Index kClosed = std::numeric_limits<Index>::max();

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
    labelled_ = !label(band);  // states that reach the sink stay labelled for the cut
    if (labelled_) return;
    for (std::size_t k = 0; k < root_.size() && count_ < bound; ++k) {
      check_stop();
      if (const Index length = search(band, root_[k]); length > 0) add_path(length);
    }
  }
}

// Labels all states that reach the sink with their levels, from the sink, and sets root_ to the
// vertices where paths of this phase may begin. Returns false if there are none: the source does
// not reach the sink. A phase takes all paths that descend level by level, not only the shortest
// ones: levels still never decrease between phases, so the bound of Dinic's phases holds, and there
// are two to three times fewer phases.
bool DisjointPaths::label(const BandGraph& band) {
  ++phases_;
  std::fill(level_.begin(), level_.end(), kClosed);
  root_.clear();
  Index* const level_of = level_.data();
  Index* const queue = queue_.data();
  Index tail = 0;
  const auto reach = [&](Index state,
                         Index level) {  // branch-free: a branch would be unpredictable
    const Index old = level_of[state];
    queue[tail] = state;
    tail += static_cast<Index>(old == kClosed);
    level_of[state] = std::min(old, level);
  };
  for (Index v = 0; v < band.size(); ++v)
    if (band.at_sink(v)) reach(v, 1);
  for (Index head = 0; head < tail; ++head) {
    const Index state = queue[head];
    const Index by =
        behind_[state];  // vertex by which this state is entered, from any neighbour of that vertex
    if (by == terminal_) continue;
    if (band.at_source(by)) root_.push_back(by);
    const Index level = level_of[state] + 1;
    reach(by, level);  // back through `by`, if that is another vertex
    for (const Index u : band.neighbours(by)) reach(u, level);
  }
  return !root_.empty();
}

// Searches a path depth first along descending levels from the source via `root`. Closes every
// visited state for this phase: it leads nowhere or is on the new path. Returns the number of
// states of the new path, which are in stack_ and via_, or 0 if there is no path.
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

// Extends the path by a state of level `wanted` that the path's last state leads to; returns false
// if the last state leads to none.
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
    if (const Index via = via_[k]; via == terminal_) {  // goes back through `from`
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
  for (Index v = 0; v < band.size();
       ++v)  // level_[v] is the level of v_out, or of v_in and v_out if v is on no path
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
  for (Index v = 0; v < band.size();
       ++v)  // v_out not reached: v_in is reached if state before_[v] is
    part[v] = level_[v] != kClosed ? kLeft : level_[before_[v]] != kClosed ? kSeparator : kRight;
}

}  // namespace kauri::ordering::dissection
