// Assembly of a front: entries of A, then the children's contribution blocks in their fixed order
// (extend-add, Duff & Reid 1983).
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/factor/assemble.hpp"

#include <algorithm>

#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cpu {
namespace {

/// Returns the first run that ends beyond parent row `row`.
const symbolic::RowRun* first_run_beyond(std::span<const symbolic::RowRun> runs, Index row) {
  return &*std::lower_bound(runs.begin(), runs.end(), row, [](const symbolic::RowRun& r, Index i) {
    return r.parent + r.length <= i;
  });
}

/// Adds the columns of c's contribution block that meet parent columns [range). column(jp) returns
/// the address that parent row 0 of column jp would have.
template <class T, class Column>
void add_child(const FactorArrays<T>& arrays, Index c, ColumnRange range, const Column& column) {
  const Plan& plan = *arrays.plan;
  const symbolic::Assembly& assembly = plan.internals->assembly;
  const symbolic::Schedule& schedule = plan.internals->schedule;
  const std::span<const symbolic::RowRun> runs(assembly.run.data() + assembly.run_ptr[c],
                                               assembly.run.data() + assembly.run_ptr[c + 1]);
  if (runs.empty() || runs.back().parent + runs.back().length <= range.begin) return;
  const Index q = plan.supernodes.contribution(c);
  const symbolic::RowRun* const end = runs.data() + runs.size();
  for (const symbolic::RowRun* run = first_run_beyond(runs, range.begin);
       run != end && run->parent < range.end; ++run) {
    const Index first = std::max(range.begin, run->parent),
                last = std::min(range.end, run->parent + run->length);
    for (Index jp = first; jp < last; ++jp) {
      const Index j = run->child + (jp - run->parent);
      arrays.kernels->add_rows(
          run, end, j,
          arrays.l + schedule.block_column(c, q, j) - symbolic::ContributionLayout::first_row(j),
          column(jp));
    }
  }
}

template <class T, class Column>
void add_children(const FactorArrays<T>& arrays, Index s, ColumnRange range, const Column& column) {
  const symbolic::Assembly& assembly = arrays.plan->internals->assembly;
  for (Index k = assembly.child_ptr[s]; k < assembly.child_ptr[s + 1]; ++k)
    add_child(arrays, assembly.child[k], range, column);
}

/// Returns the first row of column j of a panel that a tile on the diagonal computes with. Entries
/// above the diagonal are not results, but uninitialised memory might hold values that trap. Tiles
/// of fronts in place have at most 8 columns, from a multiple of 8 on; slabs of packed ones begin
/// up to 47 rows above such a tile.
constexpr Index first_row_computed(Index m, Index p, Index j) {
  return symbolic::FrontScratch::packed(m, p) ? std::max(0, j - 64) : j / 8 * 8;
}

}  // namespace

template <class T>
void assemble_panel(const FactorArrays<T>& arrays, Index s, ColumnRange range) {
  const Plan& plan = *arrays.plan;
  const symbolic::Assembly& assembly = plan.internals->assembly;
  const Index m = plan.supernodes.order(s), first = plan.supernodes.first[s];
  T* panel = arrays.l + plan.internals->panel_ptr[s];
  for (Index j = range.begin; j < range.end; ++j) {
    T* column = panel + Offset{j} * m;
    std::fill(column + first_row_computed(m, plan.supernodes.pivots(s), j), column + m, T(0));
    for (Offset k = assembly.entry_ptr[first + j]; k < assembly.entry_ptr[first + j + 1]; ++k)
      column[assembly.entry_row[k]] += arrays.value[assembly.entry_source[k]];
    column[j] += arrays.shift;
  }
  add_children(arrays, s, range, [&](Index j) { return panel + Offset{j} * m; });
}

template <class T>
void assemble_contribution(const FactorArrays<T>& arrays, Index s, ColumnRange range) {
  const Plan& plan = *arrays.plan;
  const Index q = plan.supernodes.contribution(s), p = plan.supernodes.pivots(s);
  const symbolic::Schedule& schedule = plan.internals->schedule;
  add_children(arrays, s, range, [&](Index j) {
    return arrays.l + schedule.block_column(s, q, j - p) -
           symbolic::ContributionLayout::first_row(j - p) - p;
  });
}

template void assemble_panel(const FactorArrays<float>&, Index, ColumnRange);
template void assemble_panel(const FactorArrays<double>&, Index, ColumnRange);
template void assemble_contribution(const FactorArrays<float>&, Index, ColumnRange);
template void assemble_contribution(const FactorArrays<double>&, Index, ColumnRange);

}  // namespace kauri::numeric::cpu
