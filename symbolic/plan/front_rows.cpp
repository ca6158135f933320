// Finds the rows of fronts: row subtrees are climbed on the assembly tree, one subtree of fronts
// after another.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/plan/front_rows.hpp"

#include <algorithm>
#include <vector>

#include "base/host/memory.hpp"
#include "base/threads/stopping.hpp"
#include "symbolic/common/independent_ranges.hpp"

namespace kauri::symbolic {
namespace {

/// Note that the rows of the supervariable at `place`, which belong to a front above the parts
/// (whole subtrees), are also rows of front `root`, the root of a subtree.
struct Arrival {
  Index place;
  Index root;
};

/// Note that row `row` of B, a pivot of a front above a part, has an entry in the columns of
/// `front`, which is in the part.
struct RowOfFront {
  Index row, front;
};

class FrontRows {
 public:
  FrontRows(std::span<const Index> place, PlanDraft& draft)
      : adjacency_(draft.adjacency),
        row_of_(draft.row_of),
        place_(place),
        nodes_(draft.supernodes),
        front_(nodes_.parent.size()),
        front_of_(static_cast<std::size_t>(adjacency_.size())) {
    resize_large(nodes_.row, nodes_.row_ptr.back());
  }

  void fill(Index size) {
    const std::vector<TreePart> parts = cut_into_subtrees(nodes_.parent, size);
    const Blocks blocks = batches(parts.size());
    std::vector<std::vector<Arrival>> arrivals(at(blocks.count()));
    blocks.for_each([&](Index b, Index first, Index last) {
      for (Index k = first; k < last; ++k) {
        stop_here();
        for (Index s = parts[k].begin; s < parts[k].end; ++s) begin(s, !parts[k].whole);
        if (parts[k].whole) fill_part(parts[k], arrivals[at(b)]);
      }
    });
    const std::vector<Offset> first = sort_arrivals(arrivals);
    for (const TreePart& part : parts)
      for (Index s = part.begin; s < part.end && !part.whole; ++s) fill_above(s, first);
  }

  void set_run_ptr(Assembly& assembly) const {
    assembly.run_ptr.reserve(front_.size() + 1);
    assembly.run_ptr.push_back(0);
    for (const FrontCursor& front : front_)
      assembly.run_ptr.push_back(assembly.run_ptr.back() + front.runs);
  }

 private:
  struct FrontCursor {
    Offset row = 0;  // beginning of its rows in nodes_.row
    Index parent = kNone;
    Index next = 0;          // local row to fill next
    Index last = kNone;      // row that was added last
    Index expected = kNone;  // local row of the parent that would continue the current run
    Index runs = 0;
    bool above = false;  // true for fronts above the parts
  };
  static std::size_t at(Offset k) { return static_cast<std::size_t>(k); }

  /// Calls f(first row, place) for each supervariable of front s.
  template <class F>
  void for_each_place(Index s, const F& f) const {
    for (Index i = nodes_.first[s]; i < nodes_.first[s + 1];) {
      const Index k = place_[i];
      f(i, k);
      i += adjacency_.weight(k);
    }
  }

  void begin(Index s, bool above) {
    FrontCursor& front = front_[s];
    front.row = nodes_.row_ptr[s];
    front.parent = nodes_.parent[s];
    front.next = nodes_.pivots(s);
    front.above = above;
    for (Index j = 0; j < front.next; ++j) nodes_.row[at(front.row + j)] = nodes_.first[s] + j;
    for_each_place(s, [&](Index, Index k) { front_of_[k] = s; });
  }

  /// Appends rows i .. i+count-1 to a front. Returns false, and does nothing, if they were added
  /// before.
  bool take(Index i, Index count, FrontCursor& front) {
    if (front.last == i) return false;
    front.last = i;
    Index* row = nodes_.row.data() + front.row + front.next;
    for (Index t = 0; t < count; ++t) row[t] = i + t;
    front.next += count;
    return true;
  }
  /// Says that the next `count` rows of the front, in the order in which they were added, are rows
  /// to .. to+count-1 of the parent, and counts a new run if these do not follow the rows before.
  static void hand_up(FrontCursor& front, Index to, Index count) {
    if (to != front.expected) ++front.runs;
    front.expected = to + count;
  }
  /// Returns the first local row in `front` of rows i .. i+count-1: their present one if they were
  /// added last, else the next free one.
  static Index local_row(const FrontCursor& front, Index i, Index count) {
    return front.next - (front.last == i ? count : 0);
  }

  /// Adds rows i .. i+count-1, which are the pivots own .. own+count-1 of front top, to front s, in
  /// which they have an entry, and to its ancestors below top. Stops at the first front that has
  /// them.
  void climb(Index i, Index count, Index top, Index own, Index s) {
    while (s != top && take(i, count, front_[s])) {
      const Index up = front_[s].parent;
      hand_up(front_[s], up == top ? own : local_row(front_[up], i, count), count);
      s = up;
    }
  }

  /// Adds the pivots of a part's fronts to their descendants, then the pivots of fronts above the
  /// part, which climb to roots of the part and are noted there as arrivals.
  void fill_part(const TreePart& part, std::vector<Arrival>& arrivals) {
    const StopCheck check_stop;
    for (Index s = part.begin; s < part.end; ++s)
      for_each_place(s, [&](Index i, Index k) {
        check_stop.at(i);
        for (const Index d : adjacency_.lower(k))
          climb(i, adjacency_.weight(k), s, i - nodes_.first[s], front_of_[d]);
      });
    if (part.end < nodes_.count()) climb_beyond(part, arrivals);
  }

  void climb_beyond(const TreePart& part, std::vector<Arrival>& arrivals) {
    std::vector<RowOfFront> entries;
    const Index end = nodes_.first[part.end];
    for (Index s = part.begin; s < part.end; ++s)
      for_each_place(s, [&](Index, Index k) {
        for (const Index other : adjacency_.higher(k))
          if (row_of_[other] >= end) entries.push_back({row_of_[other], s});
      });
    std::sort(entries.begin(), entries.end(),
              [](const RowOfFront& a, const RowOfFront& b) { return a.row < b.row; });
    for (const RowOfFront& entry : entries) {
      const Index count = adjacency_.weight(place_[entry.row]);
      for (Index s = entry.front; take(entry.row, count, front_[s]);) {
        const Index up = front_[s].parent;
        if (up >= part.end) {
          arrivals.push_back({place_[entry.row], s});
          break;
        }
        hand_up(front_[s], local_row(front_[up], entry.row, count), count);
        s = up;
      }
    }
  }

  /// Sorts the roots of all arrivals by place into root_, and returns the beginning of the list of
  /// each place.
  std::vector<Offset> sort_arrivals(const std::vector<std::vector<Arrival>>& arrivals) {
    std::vector<Offset> first(at(adjacency_.size()) + 1, 0);
    for (const auto& list : arrivals)
      for (const Arrival& a : list) ++first[a.place + 1];
    for (Index k = 0; k < adjacency_.size(); ++k) first[k + 1] += first[k];
    root_.resize(at(first.back()));
    std::vector<Offset> next(first.begin(), first.end() - 1);
    for (const auto& list : arrivals)
      for (const Arrival& a : list) root_[at(next[a.place]++)] = a.root;
    return first;
  }

  void fill_above(Index s, const std::vector<Offset>& first) {
    stop_here();
    for_each_place(s, [&](Index i, Index k) {
      const Index count = adjacency_.weight(k), own = i - nodes_.first[s];
      for (Offset e = first[k]; e < first[k + 1]; ++e) {
        FrontCursor& root = front_[root_[at(e)]];
        hand_up(root, root.parent == s ? own : local_row(front_[root.parent], i, count), count);
        climb(i, count, s, own, root.parent);
      }
      for (const Index d : adjacency_.lower(k))
        if (front_[front_of_[d]].above) climb(i, count, s, own, front_of_[d]);
    });
  }

  const PermutedAdjacency& adjacency_;
  const std::span<const Index> row_of_, place_;
  Supernodes& nodes_;
  std::vector<FrontCursor> front_;
  std::vector<Index> front_of_;  // by place: the front that eliminates the supervariable
  std::vector<Index>
      root_;  // roots of subtrees, sorted by the place of the supervariable that arrives there
};

}  // namespace

void fill_front_rows(std::span<const Index> place, PlanDraft& draft, Assembly& assembly,
                     Index part) {
  FrontRows rows(place, draft);
  rows.fill(part_size(draft.supernodes.count(), part));
  rows.set_run_ptr(assembly);
}

}  // namespace kauri::symbolic
