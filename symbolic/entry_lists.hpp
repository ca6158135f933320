// Three ways to the map of A's entries: by pairs, by rows of A's graph, by blocks. Private to structure.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "src/base/memory.hpp"
#include "symbolic/outline.hpp"

namespace kauri::symbolic {

/// Rows of B to those of the front at hand.
using LocalRows = std::vector<Index>;

/// The lists of A's entries by column of B. Where they begin is known before any is filled: threads may fill those of fronts side by side.
class EntryLists {
 public:
  EntryLists(const Pattern& lower, const Permutation& perm, Assembly& assembly) : lower_(lower), perm_(perm), assembly_(assembly) {
    assembly.entry_ptr.assign(static_cast<std::size_t>(lower.n) + 1, 0);
    resize_large(assembly.entry_source, lower.nnz());
    resize_large(assembly.entry_row, lower.nnz());
  }

 protected:
  /// entry_ptr from the length of each list.
  template <class F>
  void set_begins(F&& length) {
    for (Index i = 0; i < lower_.n; ++i) assembly_.entry_ptr[i + 1] = assembly_.entry_ptr[i] + length(i);
  }
  void put(Offset at, Offset source, Index row) const {
    assembly_.entry_source[at] = static_cast<std::uint32_t>(source);
    assembly_.entry_row[at] = row;
  }

  /// Sources of all lists that hold the diagonal and then the others in the caller's order: each entry of A is the next in the list of its
  /// column of B.
  void scatter_sources() const {
    const auto new_of = perm_.new_of();
    std::vector<Offset> next(assembly_.entry_ptr.begin(), assembly_.entry_ptr.end() - 1);
    for (Offset& at : next) ++at;
    for (Index j = 0; j < lower_.n; ++j)
      for (Offset k = lower_.col_ptr[j] + 1; k < lower_.col_ptr[j + 1]; ++k)
        assembly_.entry_source[next[std::min(new_of[j], new_of[lower_.row[k]])]++] = static_cast<std::uint32_t>(k);
  }

  const Pattern& lower_;
  const Permutation& perm_;
  Assembly& assembly_;
};

/// Row by row, from the pairs of a graph with nothing merged. After the diagonal a list is in the caller's order.
class EntriesByPairs : EntryLists {
 public:
  EntriesByPairs(const Pattern& lower, const Outline& outline, std::span<const Index> place, Assembly& assembly)
      : EntryLists(lower, outline.perm, assembly), outline_(outline), place_(place) {
    set_begins([this](Index i) { return static_cast<Offset>(outline_.pairs.higher(place_[i]).size()) + 1; });
  }

  void fill(Index first, Index last, const LocalRows& local) const {
    for (Index i = first; i < last; ++i) {
      Offset at = assembly_.entry_ptr[i];
      put(at, lower_.col_ptr[perm_.old_of(i)], i - first);
      for (const Index k : outline_.pairs.higher(place_[i])) assembly_.entry_row[++at] = local[outline_.row_of[k]];
    }
  }
  /// What the lists of fronts leave out. In any order with fill().
  void fill_sources() const { scatter_sources(); }

 private:
  const Outline& outline_;
  std::span<const Index> place_;
};

/// Row by row, from the graph of A: for supervariables whose members are not neighbours in A. Lists as those of EntriesByPairs.
class EntriesByRows : EntryLists {
 public:
  EntriesByRows(const Pattern& lower, const Outline& outline, Assembly& assembly)
      : EntryLists(lower, outline.perm, assembly), graph_(outline.graph->graph()) {
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
      Offset at = assembly_.entry_ptr[i];
      put(at, lower_.col_ptr[perm_.old_of(i)], i - first);
      for (const Index u : graph_.neighbours(perm_.old_of(i)))
        if (new_of[u] > i) assembly_.entry_row[++at] = local[new_of[u]];
    }
  }
  void fill_sources() const { scatter_sources(); }

 private:
  const Graph& graph_;
};

/// Block by block: what two supervariables have in common is consecutive in the columns of A and in the lists. A list holds the entries of
/// its own supervariable, then those of the others in the caller's order.
class EntriesByBlocks : EntryLists {
 public:
  EntriesByBlocks(const Pattern& lower, const Outline& outline, std::span<const Index> place, Assembly& assembly)
      : EntryLists(lower, outline.perm, assembly),
        graph_(*outline.graph),
        pairs_(outline.pairs),
        row_of_(outline.row_of),
        place_(place),
        source_(static_cast<std::size_t>(pairs_.pairs())) {
    find_sources();
    Index left = 0;  // members of the supervariable at hand
    Offset others = 0;
    set_begins([&](Index i) {
      if (left == 0) {
        const Index k = place_[i];
        left = pairs_.weight(k), others = 0;
        for (const Index other : pairs_.higher(k)) others += pairs_.weight(other);
      }
      return others + left--;
    });
  }

  void fill(Index first, Index last, const LocalRows& local) const {
    Offset at = assembly_.entry_ptr[first];
    for (Index i = first; i < last;) {
      const Index k = place_[i], weight = pairs_.weight(k);
      for (Index a = 0; a < weight; ++a, ++i) {
        const Offset diagonal = lower_.col_ptr[graph_.member(pairs_.vertex(k), a)];
        for (Index b = 0; a + b < weight; ++b) put(at++, diagonal + b, i - first + b);
        at = fill_blocks(k, a, local, at);
      }
    }
  }
  void fill_sources() const {}

 private:
  /// What column a of those at place k has with another supervariable are consecutive entries of one column of A, or one entry each of
  /// consecutive columns. From `at` on; returns the end.
  Offset fill_blocks(Index k, Index a, const LocalRows& local, Offset at) const {
    const auto end = lower_.col_ptr.subspan(1);
    const auto higher = pairs_.higher(k);
    const Offset* source = source_.data() + pairs_.higher_ptr()[k];
    const Index v = pairs_.vertex(k), j = graph_.member(v, 0);
    const Offset further = end[j + a] - end[j];
    for (std::size_t e = 0; e < higher.size(); ++e) {
      const Index u = pairs_.vertex(higher[e]), weight = pairs_.weight(higher[e]), row = local[row_of_[higher[e]]];
      const Index i = graph_.member(u, 0);
      for (Index b = 0; b < weight; ++b) put(at++, source[e] + (v < u ? further + b : end[i + b] - end[i] + a), row + b);
    }
    return at;
  }

  /// For each of the pairs, as in the lists of higher places: the position of A's entry of their least members.
  void find_sources() {
    std::vector<Index> place(static_cast<std::size_t>(graph_.size()));
    for (Index k = 0; k < pairs_.size(); ++k) place[pairs_.vertex(k)] = k;
    std::vector<Offset> next(pairs_.higher_ptr().begin(), pairs_.higher_ptr().end() - 1);
    for (Index v = 0; v < graph_.size(); ++v) {
      Offset at = lower_.col_ptr[graph_.member(v, 0)] + graph_.weight(v);
      for (const Index u : graph_.view().neighbours(v)) {
        if (u < v) continue;
        source_[next[std::min(place[v], place[u])]++] = at;
        at += graph_.weight(u);
      }
    }
  }

  const ordering::CompressedGraph& graph_;
  const Pairs& pairs_;
  std::span<const Index> row_of_, place_;
  std::vector<Offset> source_;
};

}  // namespace kauri::symbolic
