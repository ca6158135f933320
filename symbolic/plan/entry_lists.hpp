// Four ways to make the map of A's entries (Assembly::entry_ptr, entry_source and entry_row): from
// pairs of neighbours, from rows of A's graph, from blocks of rows, and as a saved plan lists them.
// Private to structure.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/host/memory.hpp"
#include "base/threads/blocks.hpp"
#include "symbolic/common/assembly.hpp"
#include "symbolic/plan/plan_draft.hpp"

namespace kauri::symbolic {

inline constexpr Index kRows = 65536;  ///< rows of B, or supervariables, in a block of a parallel
                                       ///< loop
inline constexpr Offset kShort =
    8;  ///< columns of at most this length are searched one entry after another

/// Local row in the current front of each row of B, length n. Elements for rows that the current
/// front does not have are stale.
using LocalRows = std::vector<Index>;

/// The lists of A's entries by column of B. The constructor of a derived class sets the beginning
/// of each list, so threads may then fill the lists of different fronts side by side: fill(first,
/// last, local) fills those of columns [first, last), the pivots of a front with local rows
/// `local`.
class EntryLists {
 public:
  EntryLists(const Pattern& lower, const Permutation& perm, Assembly& assembly)
      : lower_(lower), perm_(perm), assembly_(assembly) {
    assembly.entry_ptr.assign(static_cast<std::size_t>(lower.n) + 1, 0);
    resize_large(assembly.entry_source, lower.nnz());
    resize_large(assembly.entry_row, lower.nnz());
  }

 protected:
  void put(Offset at, Offset source, Index row) const {
    assembly_.entry_source[at] = static_cast<std::uint32_t>(source);
    assembly_.entry_row[at] = row;
  }
  /// Sets entry_ptr from length(i), the length of the list of column i of B.
  template <class F>
  void set_begins(F&& length) {
    Blocks(lower_.n, kRows).for_each([&](Index, Index begin, Index end) {
      for (Index i = begin; i < end; ++i) assembly_.entry_ptr[i + 1] = length(i);
    });
    add_lengths();
  }
  /// Turns lengths of lists into their beginnings: on entry entry_ptr[i + 1] is the length of the
  /// list of column i.
  void add_lengths() {
    for (Index i = 0; i < lower_.n; ++i) assembly_.entry_ptr[i + 1] += assembly_.entry_ptr[i];
  }

  /// Finds the positions in A's arrays of the entries of rows v and u, which must be neighbours in
  /// A's graph. Calls must come with ascending u: entries with u > v are found by reading on along
  /// column v; for u < v column u is searched for v.
  class Sources {
   public:
    Sources(const Pattern& lower, Index v) : lower_(lower), v_(v), next_(lower.col_ptr[v]) {}
    Offset operator()(Index u) {
      if (u < v_) return find(u);
      while (lower_.row[next_] != u) ++next_;
      return next_;
    }

   private:
    [[nodiscard]] Offset find(Index u) const {
      Offset begin = lower_.col_ptr[u];
      const Offset end = lower_.col_ptr[u + 1];
      if (end - begin > kShort)
        return std::lower_bound(lower_.row.begin() + begin, lower_.row.begin() + end, v_) -
               lower_.row.begin();
      while (lower_.row[begin] != v_) ++begin;
      return begin;
    }
    const Pattern& lower_;
    const Index v_;
    Offset next_;
  };

  const Pattern& lower_;
  const Permutation& perm_;
  Assembly& assembly_;
};

/// Fills the lists row by row, from the pairs of a graph without merged rows. After the diagonal,
/// the entries of a list are in the caller's order.
class EntriesByAdjacency : EntryLists {
 public:
  EntriesByAdjacency(const Pattern& lower, const PlanDraft& draft, std::span<const Index> place,
                     Assembly& assembly)
      : EntryLists(lower, draft.perm, assembly), draft_(draft), place_(place) {
    set_begins(
        [&](Index i) { return static_cast<Offset>(draft.adjacency.higher(place[i]).size()) + 1; });
  }

  void fill(Index first, Index last, const LocalRows& local) const {
    for (Index i = first; i < last; ++i) {
      const Index v = perm_.old_of(i);
      Offset at = assembly_.entry_ptr[i];
      put(at, lower_.col_ptr[v], i - first);
      Sources source(lower_, v);
      for (const Index k : draft_.adjacency.higher(place_[i]))
        put(++at, source(draft_.adjacency.vertex(k)), local[draft_.row_of[k]]);
    }
  }

 private:
  const PlanDraft& draft_;
  std::span<const Index> place_;
};

/// Fills the lists row by row, from the graph of A: used if members of a supervariable do not form
/// a block (see in_blocks()). After the diagonal, the entries of a list are in the caller's order.
class EntriesByRows : EntryLists {
 public:
  EntriesByRows(const Pattern& lower, const PlanDraft& draft, Assembly& assembly)
      : EntryLists(lower, draft.perm, assembly), graph_(draft.graph->source().graph()) {
    const auto new_of = perm_.new_of();
    set_begins([&](Index i) {
      Offset count = 1;
      for (const Index u : graph_.neighbours(perm_.old_of(i))) count += new_of[u] > i ? 1 : 0;
      return count;
    });
  }

  void fill(Index first, Index last, const LocalRows& local) const {
    const auto new_of = perm_.new_of();
    for (Index i = first; i < last; ++i) {
      const Index v = perm_.old_of(i);
      Offset at = assembly_.entry_ptr[i];
      put(at, lower_.col_ptr[v], i - first);
      Sources source(lower_, v);
      for (const Index u : graph_.neighbours(v))
        if (new_of[u] > i) put(++at, source(u), local[new_of[u]]);
    }
  }

 private:
  const Graph& graph_;
};

/// Fills the lists block by block, if in_blocks(): the entries of two supervariables are
/// consecutive in the columns of A and in the lists. A list holds the entries of its own
/// supervariable first, then those of the other supervariables in the caller's order.
class EntriesByBlocks : EntryLists {
 public:
  EntriesByBlocks(const Pattern& lower, const PlanDraft& draft, std::span<const Index> place,
                  Assembly& assembly)
      : EntryLists(lower, draft.perm, assembly),
        graph_(*draft.graph),
        adjacency_(draft.adjacency),
        row_of_(draft.row_of),
        place_(place) {
    Blocks(adjacency_.size(), kRows).for_each([&](Index, Index begin, Index end) {
      for (Index k = begin; k < end; ++k) {
        const Index weight = adjacency_.weight(k);
        Offset others = 0;
        for (const Index other : adjacency_.higher(k)) others += adjacency_.weight(other);
        for (Index a = 0; a < weight; ++a)
          assembly.entry_ptr[row_of_[k] + a + 1] = others + weight - a;
      }
    });
    add_lengths();
  }

  void fill(Index first, Index last, const LocalRows& local) const {
    Offset at = assembly_.entry_ptr[first];
    std::vector<Offset> source;
    for (Index i = first; i < last;) {
      const Index k = place_[i], weight = adjacency_.weight(k);
      find_sources(k, source);
      for (Index a = 0; a < weight; ++a, ++i) {
        const Offset diagonal = lower_.col_ptr[graph_.member(adjacency_.vertex(k), a)];
        for (Index b = 0; a + b < weight; ++b) put(at++, diagonal + b, i - first + b);
        at = fill_blocks(k, a, source, local, at);
      }
    }
  }

 private:
  /// Writes the entries of member a of the supervariable at place k with all supervariables at
  /// higher places, from position `at` of the lists on. Returns the position after the last one.
  /// source: see find_sources(). For each other supervariable u these are consecutive entries of
  /// one column of A if v < u, else one entry in each of consecutive columns.
  Offset fill_blocks(Index k, Index a, std::span<const Offset> source, const LocalRows& local,
                     Offset at) const {
    const auto end = lower_.col_ptr.subspan(1);
    const auto higher = adjacency_.higher(k);
    const Index v = adjacency_.vertex(k), j = graph_.member(v, 0);
    const Offset further = end[j + a] - end[j];
    for (std::size_t e = 0; e < higher.size(); ++e) {
      const Index u = adjacency_.vertex(higher[e]), weight = adjacency_.weight(higher[e]),
                  row = local[row_of_[higher[e]]];
      const Index i = graph_.member(u, 0);
      for (Index b = 0; b < weight; ++b)
        put(at++, source[e] + (v < u ? further + b : end[i + b] - end[i] + a), row + b);
    }
    return at;
  }

  /// Sets source[e], for the e-th supervariable at a higher place than k, to the position of A's
  /// entry of the least members of the two supervariables.
  void find_sources(Index k, std::vector<Offset>& source) const {
    source.clear();
    Sources of_least(lower_, graph_.member(adjacency_.vertex(k), 0));
    for (const Index other : adjacency_.higher(k))
      source.push_back(of_least(graph_.member(adjacency_.vertex(other), 0)));
  }

  const ordering::CompressedGraph& graph_;
  const PermutedAdjacency& adjacency_;
  std::span<const Index> row_of_, place_;
};

/// Fills the lists in the order of PlanDraft::listed.
class EntriesAsListed : EntryLists {
 public:
  EntriesAsListed(const Pattern& lower, const PlanDraft& draft, Assembly& assembly)
      : EntryLists(lower, draft.perm, assembly), listed_(*draft.listed) {
    set_begins([&](Index i) { return listed_.ptr[i + 1] - listed_.ptr[i] + 1; });
  }

  void fill(Index first, Index last, const LocalRows& local) const {
    const auto new_of = perm_.new_of();
    for (Index i = first; i < last; ++i) {
      Offset at = assembly_.entry_ptr[i];
      put(at, lower_.col_ptr[perm_.old_of(i)], i - first);
      for (Offset k = listed_.ptr[i]; k < listed_.ptr[i + 1]; ++k)
        put(++at, listed_.source[k], local[new_of[listed_.row[k]]]);
    }
  }

 private:
  const ListedEntries& listed_;
};

}  // namespace kauri::symbolic
