// Fills the rows of all fronts, then, front by front, the positions of A's entries and of the
// children's rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/plan/structure.hpp"

#include <utility>

#include "base/host/memory.hpp"
#include "base/threads/blocks.hpp"
#include "base/threads/per_thread.hpp"
#include "symbolic/common/children.hpp"
#include "symbolic/common/supervariables.hpp"
#include "symbolic/plan/entry_lists.hpp"
#include "symbolic/plan/front_rows.hpp"

namespace kauri::symbolic {
namespace {

constexpr Index kFrontBlock = 64;  // fronts in a block of a parallel loop
constexpr Index kPlaces = 65536;   // supervariables in a block of a parallel loop

/// Returns, for the first member i (a row of B) of each supervariable, its place in the ordering's
/// own sequence. Length n; other elements have no meaning.
std::vector<Index> places_by_row(const PlanDraft& draft) {
  std::vector<Index> place(draft.tree.parent.size());
  Blocks(draft.adjacency.size(), kPlaces).for_each([&](Index, Index begin, Index end) {
    for (Index k = begin; k < end; ++k) place[draft.row_of[k]] = k;
  });
  return place;
}

void fill_runs(const Supernodes& nodes, std::span<const Index> children, const LocalRows& local,
               Assembly& assembly) {
  for (const Index c : children) {
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

/// Fills the lists of A's entries and the children's runs, front by front.
template <class Lists>
void fill_maps(const Supernodes& nodes, const Lists& lists, Assembly& assembly) {
  Children children = children_of(nodes.parent);
  resize_large(assembly.run, assembly.run_ptr.back());
  PerThread<LocalRows> local_rows(static_cast<std::size_t>(nodes.first.back()));
  Blocks(nodes.count(), kFrontBlock).for_each([&](Index, Index begin, Index end) {
    const auto mine = local_rows.use();
    LocalRows& local = *mine;
    for (Index s = begin; s < end; ++s) {
      const auto rows = nodes.rows(s);
      for (Index k = 0; k < nodes.order(s); ++k) local[rows[k]] = k;
      lists.fill(nodes.first[s], nodes.first[s + 1], local);
      fill_runs(nodes, children.of(s), local, assembly);
    }
  });
  children.ptr.pop_back();
  children.child.resize(static_cast<std::size_t>(children.ptr.back()));
  assembly.child_ptr = std::move(children.ptr);
  assembly.child = std::move(children.child);
}

}  // namespace

Assembly fill_structure(const Pattern& lower, PlanDraft& draft) {
  Assembly assembly;
  const std::vector<Index> place = places_by_row(draft);
  fill_front_rows(place, draft, assembly);
  if (draft.listed)
    fill_maps(draft.supernodes, EntriesAsListed(lower, draft, assembly), assembly);
  else if (!draft.graph->merged())
    fill_maps(draft.supernodes, EntriesByAdjacency(lower, draft, place, assembly), assembly);
  else if (in_blocks(*draft.graph, draft.perm))
    fill_maps(draft.supernodes, EntriesByBlocks(lower, draft, place, assembly), assembly);
  else
    fill_maps(draft.supernodes, EntriesByRows(lower, draft, assembly), assembly);
  return assembly;
}

}  // namespace kauri::symbolic
