// Row subtrees for the rows of all fronts; then, front by front, the places of A's entries and of the children's rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/structure.hpp"

#include <algorithm>
#include <utility>

#include "src/base/memory.hpp"
#include "symbolic/children.hpp"
#include "symbolic/supervariables.hpp"

namespace kauri::symbolic {
namespace {

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

/// The place, in the ordering's own sequence, of the supervariable whose first member is row i of B; length n, else of no meaning.
std::vector<Index> places_by_row(const Outline& outline) {
  std::vector<Index> place(outline.tree.parent.size());
  for (Index k = 0; k < outline.pairs.size(); ++k) place[outline.row_of[k]] = k;
  return place;
}

void fill_rows(std::span<const Index> place, Outline& outline, Assembly& assembly) {
  const Pairs& pairs = outline.pairs;
  const Supernodes& nodes = outline.supernodes;
  RowWalk walk(outline.supernodes, assembly);
  std::vector<Index> front(static_cast<std::size_t>(pairs.size()));  // by place
  for (Index s = 0; s < nodes.count(); ++s)
    for (Index i = nodes.first[s]; i < nodes.first[s + 1];) {
      const Index k = place[i], weight = pairs.weight(k);
      front[k] = s;
      for (const Index d : pairs.lower(k)) walk.enter(i, weight, s, i - nodes.first[s], front[d]);
      i += weight;
    }
  walk.set_run_ptr();
}

/// Rows by classes whose members follow each other in A and, in the same order, in B.
struct Blocks {
  std::vector<Index> least;  // of each row's class; length n
  Index count = 0;
};

/// The supervariables of graph divided into such classes.
Blocks blocks_of(const ordering::CompressedGraph& graph, const Permutation& perm) {
  Blocks blocks{std::vector<Index>(static_cast<std::size_t>(perm.size())), 0};
  for (Index i = 0; i < perm.size(); ++i) {
    const bool joins = i > 0 && graph.vertex_of(i) == graph.vertex_of(i - 1) && perm.new_of(i) == perm.new_of(i - 1) + 1;
    blocks.least[i] = joins ? blocks.least[i - 1] : i;
    blocks.count += joins ? 0 : 1;
  }
  return blocks;
}

/// Rows of B to those of the front at hand.
using LocalRows = std::vector<Index>;

/// The lists of A's entries by column of B, as they are made: columns ascending, fronts that own them one by one.
class EntryLists {
 public:
  EntryLists(const Pattern& lower, const Permutation& perm, Assembly& assembly) : lower_(lower), perm_(perm), assembly_(assembly) {
    assembly.entry_ptr.assign(static_cast<std::size_t>(lower.n) + 1, 0);
    resize_large(assembly.entry_source, lower.nnz());
    resize_large(assembly.entry_row, lower.nnz());
  }

 protected:
  /// The next entry of the column at hand.
  void put(Offset source, Index row) {
    assembly_.entry_source[at_] = source;
    assembly_.entry_row[at_++] = row;
  }

  /// Sources of all lists that hold the diagonal and then the others in the caller's order, entry_ptr[i + 1] standing behind the diagonal
  /// of list i: each entry of A is the next in the list of its column of B. It ends with entry_ptr at the ends.
  void scatter_sources() {
    const auto new_of = perm_.new_of();
    for (Index j = 0; j < lower_.n; ++j)
      for (Offset k = lower_.col_ptr[j] + 1; k < lower_.col_ptr[j + 1]; ++k)
        assembly_.entry_source[assembly_.entry_ptr[std::min(new_of[j], new_of[lower_.row[k]]) + 1]++] = k;
  }

  const Pattern& lower_;
  const Permutation& perm_;
  Assembly& assembly_;
  Offset at_ = 0;
};

/// Row by row, from the pairs of a graph with nothing merged. After the diagonal a list is in the caller's order.
class EntriesByPairs : EntryLists {
 public:
  EntriesByPairs(const Pattern& lower, const Outline& outline, std::span<const Index> place, Assembly& assembly)
      : EntryLists(lower, outline.perm, assembly), outline_(outline), place_(place) {}

  void fill(Index first, Index last, const LocalRows& local) {
    for (Index i = first; i < last; ++i) {
      put(lower_.col_ptr[perm_.old_of(i)], i - first);
      assembly_.entry_ptr[i + 1] = at_;
      for (const Index k : outline_.pairs.higher(place_[i])) assembly_.entry_row[at_++] = local[outline_.row_of[k]];
    }
  }
  void finish() { scatter_sources(); }

 private:
  const Outline& outline_;
  std::span<const Index> place_;
};

/// Row by row, from the graph of A: for supervariables whose members are not neighbours in A. Lists as those of EntriesByPairs.
class EntriesByRows : EntryLists {
 public:
  EntriesByRows(const Pattern& lower, const Outline& outline, Assembly& assembly)
      : EntryLists(lower, outline.perm, assembly), graph_(outline.graph->graph()) {}

  void fill(Index first, Index last, const LocalRows& local) {
    const auto new_of = perm_.new_of();
    for (Index i = first; i < last; ++i) {
      put(lower_.col_ptr[perm_.old_of(i)], i - first);
      assembly_.entry_ptr[i + 1] = at_;
      const auto neighbours = graph_.neighbours(perm_.old_of(i));
      if (below_.size() <= neighbours.size()) below_.resize(neighbours.size() + 1);
      Index count = 0;  // no branch on who comes first: see Pairs
      for (const Index u : neighbours) {
        below_[count] = local[new_of[u]];
        count += new_of[u] > i ? 1 : 0;
      }
      std::copy_n(below_.begin(), count, assembly_.entry_row.begin() + at_);
      at_ += count;
    }
  }
  void finish() { scatter_sources(); }

 private:
  const Graph& graph_;
  std::vector<Index> below_;  // local rows of one column
};

/// Block by block: what two supervariables have in common is consecutive in the columns of A and in the lists. A list holds the entries of
/// its own supervariable, then those of the others in the caller's order.
class EntriesByBlocks : EntryLists {
 public:
  /// row_of, place: as of the outline, for these pairs of graph.
  EntriesByBlocks(const Pattern& lower, const Permutation& perm, const ordering::CompressedGraph& graph, const Pairs& pairs,
                  std::span<const Index> row_of, std::span<const Index> place, Assembly& assembly)
      : EntryLists(lower, perm, assembly),
        graph_(graph),
        pairs_(pairs),
        row_of_(row_of),
        place_(place),
        source_(static_cast<std::size_t>(pairs.pairs())) {
    find_sources();
  }

  void fill(Index first, Index last, const LocalRows& local) {
    for (Index i = first; i < last;) {
      const Index k = place_[i], weight = pairs_.weight(k);
      for (Index a = 0; a < weight; ++a, ++i) {
        const Offset diagonal = lower_.col_ptr[graph_.member(pairs_.vertex(k), a)];
        for (Index b = 0; a + b < weight; ++b) put(diagonal + b, i - first + b);
        fill_blocks(k, a, local);
        assembly_.entry_ptr[i + 1] = at_;
      }
    }
  }
  void finish() {}

 private:
  /// What column a of those at place k has with another supervariable are consecutive entries of one column of A, or one entry each of
  /// consecutive columns.
  void fill_blocks(Index k, Index a, const LocalRows& local) {
    const auto end = lower_.col_ptr.subspan(1);
    const auto higher = pairs_.higher(k);
    const Offset* source = source_.data() + pairs_.higher_ptr()[k];
    const Index v = pairs_.vertex(k), j = graph_.member(v, 0);
    const Offset further = end[j + a] - end[j];
    for (std::size_t e = 0; e < higher.size(); ++e) {
      const Index u = pairs_.vertex(higher[e]), weight = pairs_.weight(higher[e]), row = local[row_of_[higher[e]]];
      const Index i = graph_.member(u, 0);
      for (Index b = 0; b < weight; ++b) put(source[e] + (v < u ? further + b : end[i + b] - end[i] + a), row + b);
    }
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

void fill_runs(const Supernodes& nodes, std::span<const Index> children, const LocalRows& local, Assembly& assembly) {
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

/// Front by front: the lists of its columns, and its children's runs.
template <class Lists>
void fill_maps(const Supernodes& nodes, Lists lists, Assembly& assembly) {
  Children children = children_of(nodes.parent);
  assembly.run.resize(static_cast<std::size_t>(assembly.run_ptr.back()));
  LocalRows local(static_cast<std::size_t>(nodes.first.back()));
  for (Index s = 0; s < nodes.count(); ++s) {
    const auto rows = nodes.rows(s);
    for (Index k = 0; k < nodes.order(s); ++k) local[rows[k]] = k;
    lists.fill(nodes.first[s], nodes.first[s + 1], local);
    fill_runs(nodes, children.of(s), local, assembly);
  }
  lists.finish();
  children.ptr.pop_back();
  children.child.resize(static_cast<std::size_t>(children.ptr.back()));
  assembly.child_ptr = std::move(children.ptr);
  assembly.child = std::move(children.child);
}

/// The maps where something is merged: by the blocks there are, or by rows where they hardly have more than one each.
void fill_maps_of_merged(const Pattern& lower, Outline& outline, std::vector<Index> place, Assembly& assembly) {
  const ordering::CompressedGraph& graph = *outline.graph;
  const Permutation& perm = outline.perm;
  const auto fill = [&](auto lists) { fill_maps(outline.supernodes, std::move(lists), assembly); };
  const Blocks blocks = blocks_of(graph, perm);
  if (blocks.count == graph.size()) return fill(EntriesByBlocks(lower, perm, graph, outline.pairs, outline.row_of, place, assembly));
  if (!worth_merging(blocks.count, perm.size())) return fill(EntriesByRows(lower, outline, assembly));
  const ordering::CompressedGraph finer(graph.graph(), blocks.least);
  std::vector<Index> order, row_of;
  for (Index i = 0; i < perm.size(); i += finer.weight(order.back())) {
    order.push_back(finer.vertex_of(perm.old_of(i)));
    place[i] = static_cast<Index>(row_of.size());
    row_of.push_back(i);
  }
  outline.pairs = Pairs(finer, std::move(order));
  fill(EntriesByBlocks(lower, perm, finer, outline.pairs, row_of, place, assembly));
}

}  // namespace

Assembly fill_structure(const Pattern& lower, Outline& outline) {
  Assembly assembly;
  std::vector<Index> place = places_by_row(outline);
  fill_rows(place, outline, assembly);
  if (outline.graph->merged())
    fill_maps_of_merged(lower, outline, std::move(place), assembly);
  else
    fill_maps(outline.supernodes, EntriesByPairs(lower, outline, place, assembly), assembly);
  return assembly;
}

}  // namespace kauri::symbolic
