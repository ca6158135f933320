// Row subtrees climbed on the assembly tree: the rows of all fronts, sorted, and how many runs they make towards their parents.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/plan.hpp"

namespace kauri::symbolic {

/// The rows of all fronts; one object per plan.
class RowWalk {
 public:
  RowWalk(Supernodes& nodes, Assembly& assembly) : nodes_(nodes), assembly_(assembly), front_(nodes.parent.size()) {
    nodes_.row.resize(static_cast<std::size_t>(nodes_.row_ptr.back()));
    for (Index s = 0; s < nodes_.count(); ++s) {
      front_[s].parent = nodes_.parent[s];
      front_[s].next = nodes_.pivots(s);
      front_[s].row = nodes_.row_ptr[s];
      for (Index j = nodes_.first[s]; j < nodes_.first[s + 1]; ++j) nodes_.row[nodes_.row_ptr[s] + (j - nodes_.first[s])] = j;
    }
  }

  /// Rows i .. i+count-1, pivots of front top from place own on, enter front s for an entry there; returns the local row of i in s.
  Index enter(Index i, Index count, Index top, Index own, Index s) {
    if (s == top) return own;
    if (front_[s].last == i) return front_[s].next - count;
    const Index local = front_[s].next;
    while (true) {
      Front& front = front_[s];
      front.last = i;
      Index* row = nodes_.row.data() + front.row + front.next;
      for (Index t = 0; t < count; ++t) row[t] = i + t;
      front.next += count;
      const Index up = front.parent;
      const bool end = up == top || front_[up].last == i;
      const Index above = up == top ? own : front_[up].next - (end ? count : 0);
      if (above != front.expected) ++assembly_.run_ptr[s + 1];
      front.expected = above + count;
      if (end) return local;
      s = up;
    }
  }

 private:
  struct Front {
    Offset row = 0;  // where its rows begin
    Index parent = kNone;
    Index next = 0;          // local row to fill next
    Index last = kNone;      // row that came last
    Index expected = kNone;  // local row of the parent that would continue the current run
  };

  Supernodes& nodes_;
  Assembly& assembly_;
  std::vector<Front> front_;
};

}  // namespace kauri::symbolic
