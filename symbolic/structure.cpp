// Row subtrees climbed on the assembly tree.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/structure.hpp"

#include <utility>

#include "symbolic/children.hpp"

namespace kauri::symbolic {
namespace {

/// The walk; one object per plan.
class RowWalk {
 public:
  RowWalk(Supernodes& nodes, Assembly& assembly) : nodes_(nodes), assembly_(assembly), front_(nodes.parent.size()) {
    nodes_.row.resize(static_cast<std::size_t>(nodes_.row_ptr.back()));
    for (Index s = 0; s < nodes_.count(); ++s) {
      front_[s].parent = nodes_.parent[s];
      front_[s].next = nodes_.pivots(s);
      for (Index j = nodes_.first[s]; j < nodes_.first[s + 1]; ++j) nodes_.row[nodes_.row_ptr[s] + (j - nodes_.first[s])] = j;
    }
  }

  /// Row i, a pivot of front top at place own, enters front s for an entry there; returns its local row in s.
  Index enter(Index i, Index top, Index own, Index s) {
    if (s == top) return own;
    if (front_[s].last == i) return front_[s].next - 1;
    const Index local = front_[s].next;
    while (true) {
      Front& front = front_[s];
      front.last = i;
      nodes_.row[nodes_.row_ptr[s] + front.next++] = i;
      const Index up = front.parent;
      const bool end = up == top || front_[up].last == i;
      const Index above = up == top ? own : front_[up].next - (end ? 1 : 0);
      if (above != front.expected) ++assembly_.run_ptr[s + 1];
      front.expected = above + 1;
      if (end) return local;
      s = up;
    }
  }

 private:
  struct Front {
    Index parent = kNone;
    Index next = 0;          // local row to fill next
    Index last = kNone;      // row that came last
    Index expected = kNone;  // local row of the parent that would continue the current run
  };

  Supernodes& nodes_;
  Assembly& assembly_;
  std::vector<Front> front_;
};

/// A column by the ordering's number: where its next entry goes, and the front that owns it.
struct Column {
  Offset next;
  Index front;
};

}  // namespace

Assembly fill_structure(const Pattern& lower, Outline& outline) {
  const Index n = lower.n;
  const RowLists& rows = outline.rows;
  Supernodes& nodes = outline.supernodes;
  Assembly assembly;
  assembly.run_ptr.assign(nodes.parent.size() + 1, 0);
  assembly.entry_ptr.assign(static_cast<std::size_t>(n) + 1, 0);
  assembly.entry_source.resize(static_cast<std::size_t>(lower.nnz()));
  assembly.entry_row.resize(static_cast<std::size_t>(lower.nnz()));
  std::vector<Index> before(static_cast<std::size_t>(n));  // the inverse of final_of
  for (Index k = 0; k < n; ++k) before[outline.final_of[k]] = k;
  std::vector<Column> column(static_cast<std::size_t>(n));
  for (Index s = 0; s < nodes.count(); ++s)
    for (Index j = nodes.first[s]; j < nodes.first[s + 1]; ++j) {
      column[before[j]] = {assembly.entry_ptr[j], s};
      assembly.entry_ptr[j + 1] = assembly.entry_ptr[j] + 1 + rows.column_entries[before[j]];
    }

  RowWalk walk(nodes, assembly);
  for (Index i = 0; i < n; ++i) {
    const Index k = before[i], top = column[k].front, own = i - nodes.first[top];
    const auto put = [&](Column& at, Offset source) {
      assembly.entry_source[at.next] = source;
      assembly.entry_row[at.next++] = walk.enter(i, top, own, at.front);
    };
    put(column[k], lower.col_ptr[outline.perm.old_of(i)]);
    for (Offset e = rows.ptr[k]; e < rows.ptr[k + 1]; ++e) put(column[rows.column[e]], rows.source[e]);
  }
  for (Index s = 0; s < nodes.count(); ++s) assembly.run_ptr[s + 1] += assembly.run_ptr[s];
  return assembly;
}

void fill_runs(const Supernodes& nodes, Assembly& assembly) {
  Children children = children_of(nodes.parent);
  assembly.run.resize(static_cast<std::size_t>(assembly.run_ptr.back()));
  std::vector<Index> local(static_cast<std::size_t>(nodes.first.back()));  // row of B -> row of the front at hand
  for (Index s = 0; s < nodes.count(); ++s) {
    if (children.of(s).empty()) continue;
    const auto rows = nodes.rows(s);
    for (Index k = 0; k < nodes.order(s); ++k) local[rows[k]] = k;
    for (const Index c : children.of(s)) {
      RowRun* run = assembly.run.data() + assembly.run_ptr[c];
      const auto below = nodes.rows(c).subspan(static_cast<std::size_t>(nodes.pivots(c)));
      *run = {0, local[below[0]], 1};
      for (Index k = 1; k < static_cast<Index>(below.size()); ++k) {
        if (local[below[k]] == run->parent + run->length)
          ++run->length;
        else
          *++run = {k, local[below[k]], 1};
      }
    }
  }
  children.ptr.pop_back();
  children.child.resize(static_cast<std::size_t>(children.ptr.back()));
  assembly.child_ptr = std::move(children.ptr);
  assembly.child = std::move(children.child);
}

}  // namespace kauri::symbolic
