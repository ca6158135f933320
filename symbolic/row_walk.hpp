// Row subtrees climbed on the assembly tree (after Liu 1986). Private to structure.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/plan.hpp"
#include "src/base/memory.hpp"

namespace kauri::symbolic {

/// The rows of all fronts; one object per plan.
class RowWalk {
 public:
  RowWalk(Supernodes& nodes, Assembly& assembly) : nodes_(nodes), assembly_(assembly), front_(nodes.parent.size()) {
    resize_large(nodes_.row, nodes_.row_ptr.back());
    for (Index s = 0; s < nodes_.count(); ++s) {
      front_[s].parent = nodes_.parent[s];
      front_[s].next = nodes_.pivots(s);
      front_[s].row = nodes_.row_ptr[s];
      for (Index j = nodes_.first[s]; j < nodes_.first[s + 1]; ++j) nodes_.row[nodes_.row_ptr[s] + (j - nodes_.first[s])] = j;
    }
  }

  /// Rows i .. i+count-1, pivots of front top from place own on, enter front s for an entry there, and its ancestors below top.
  void enter(Index i, Index count, Index top, Index own, Index s) {
    while (s != top && front_[s].last != i) {
      Front& front = front_[s];
      front.last = i;
      Index* row = nodes_.row.data() + front.row + front.next;
      for (Index t = 0; t < count; ++t) row[t] = i + t;
      front.next += count;
      s = front.parent;
      const Index above = s == top ? own : front_[s].next - (front_[s].last == i ? count : 0);
      if (above != front.expected) ++front.runs;
      front.expected = above + count;
    }
  }

  void set_run_ptr() {
    assembly_.run_ptr.reserve(front_.size() + 1);
    assembly_.run_ptr.push_back(0);
    for (const Front& front : front_) assembly_.run_ptr.push_back(assembly_.run_ptr.back() + front.runs);
  }

 private:
  struct Front {
    Offset row = 0;  // where its rows begin
    Index parent = kNone;
    Index next = 0;          // local row to fill next
    Index last = kNone;      // row that came last
    Index expected = kNone;  // local row of the parent that would continue the current run
    Index runs = 0;
  };

  Supernodes& nodes_;
  Assembly& assembly_;
  std::vector<Front> front_;
};

}  // namespace kauri::symbolic
