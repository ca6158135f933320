// Z22 of a front: entries of the inverse in the rows and columns below its pivots, read in place
// from the panels of its ancestors.
//
// The front's rows form a clique in the pattern of L, so the entry of a pair of these rows lies in
// the panel that eliminates the earlier row. No front passes its block down, and nothing beside the
// panels is stored; in return, rows must be searched for in the ancestors' lists.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kauri/core/plan.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cpu {

template <class T>
class AncestorEntries {
 public:
  /// z: panels of the inverse, at PlanInternals::panel_ptr. The panels of all ancestors of front s
  /// must be complete when visit() reads them.
  AncestorEntries(const Plan& plan, const T* z, Index s)
      : plan_(plan),
        z_(z),
        row_(plan.supernodes.rows(s).data() + plan.supernodes.pivots(s)),
        parent_(plan.supernodes.parent[s]) {}

  /// A range of rows or columns of Z22, both counted from the front's first row below its pivots.
  struct Range {
    Index begin, end;
  };

  /// Calls f(j, i, column, place) for each column j of `columns`, ascending: entry (h, j) of Z22 is
  /// column[place[h - rows.begin]] for i <= h < rows.end, with i = max(j, rows.begin). place:
  /// scratch, one entry for each row of `rows`.
  template <class F>
  void visit(Range rows, Range columns, Index* place, const F& f) const {
    const Supernodes& sn = plan_.supernodes;
    const std::vector<Offset>& panel_ptr = plan_.internals->panel_ptr;
    Index t = parent_;
    for (Index a = columns.begin; a < columns.end;) {
      t = owner(t, row_[a]);
      const Index b = static_cast<Index>(
          std::lower_bound(row_ + a, row_ + columns.end, sn.first[t + 1]) - row_);
      locate(t, {std::max(a, rows.begin), rows.end}, place - rows.begin);
      for (Index j = a; j < b; ++j)
        f(j, std::max(j, rows.begin),
          z_ + panel_ptr[t] + Offset{row_[j] - sn.first[t]} * sn.order(t), place);
      a = b;
    }
  }

 private:
  /// Returns the supernode that has `column` as a pivot; t is that supernode or an earlier one.
  [[nodiscard]] Index owner(Index t, Index column) const {
    const auto& first = plan_.supernodes.first;
    if (column < first[t + 1]) return t;
    return static_cast<Index>(std::upper_bound(first.begin() + t + 1, first.end(), column) -
                              first.begin() - 1);
  }

  /// Sets place[i] to the position of row_[i] in the front of t, for all i of `rows`. These rows
  /// ascend and are rows of that front.
  void locate(Index t, Range rows, Index* place) const {
    const Supernodes& sn = plan_.supernodes;
    const Index* in = sn.rows(t).data();
    const Index m = sn.order(t);
    Index i = rows.begin;
    for (; i < rows.end && row_[i] < sn.first[t + 1]; ++i) place[i] = row_[i] - sn.first[t];
    for (Index at = sn.pivots(t); i < rows.end; ++i, ++at) place[i] = at = seek(in, at, m, row_[i]);
  }

  /// Returns the position of `row` in in[at], ..., in[m - 1], which contains it. Gallops by steps
  /// that double, since consecutive rows mostly have consecutive positions.
  static Index seek(const Index* in, Index at, Index m, Index row) {
    for (Index step = 1; in[at] != row; step *= 2) {
      const Index next = std::min(at + step, m - 1);
      if (in[next] >= row)
        return static_cast<Index>(std::lower_bound(in + at + 1, in + next, row) - in);
      at = next;
    }
    return at;
  }

  const Plan& plan_;
  const T* z_;
  const Index* row_;
  Index parent_;
};

}  // namespace kauri::numeric::cpu
