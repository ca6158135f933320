// Approximate minimum degree on a quotient graph (Amestoy, Davis & Duff 1996).
//
// Glossary. A *variable* is a vertex that is not yet eliminated, or several merged ones
// (*supervariable*) represented by one of them, its principal. An *element* is an eliminated pivot:
// it stands for the clique of the variables adjacent to it. Variable i has a list E_i of elements
// and a list A_i of variables, stored in this order in one range of the pool; element e has the
// list L_e of its variables. The neighbours of i in the graph of the partial elimination are A_i
// and the L_e of all e in E_i. "me" is the newest element. No list is longer than the lists that it
// replaces, so the pool needs memory for the lists of the graph and, while a new element is
// written, for one more list.
//
// With a *halo* (Pellegrini, Roman & Amestoy 2000), the vertices from `interior` on are variables
// that are never eliminated. They are in all lists, and their weights in all degrees, but they are
// in no chain, have no degrees, and are merged only with each other. Edges within the halo count in
// no degree of the interior, so they are not loaded.
//
// Hubs have long lists, and are in nearly all L_me: see long_lists.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/threads/stopping.hpp"
#include "ordering/amd/amd.hpp"
#include "ordering/graph/scratch.hpp"

namespace kauri::ordering::amd {

// A node holds all data of a vertex side by side, in 32 or 40 bytes, since the variables of an
// element are scattered in memory.
template <class Position>
struct Node {
  Position list;   // variable, element: start of its list in the pool; absorbed or merged: the node
                   // that absorbed it, or kNone
  Index length;    // length of the list
  Index elements;  // variable: length of E_i, the head of the list; kIsElement once eliminated
  Index weight;    // variable: weight of its vertices, negative while in L_me, 0 once merged or
                   // eliminated; element: weight of its pivots
  Index degree;    // variable: bound on its external degree; element: weight of L_e when formed
  Index mark;  // element: 0 once absorbed, else < tag, or tag + weight of L_e \ L_me. While lists
               // are compared, elements and variables in the first list have the tag itself
  Index next;  // variable: next in the chain of its degree, or of its hash bucket
  Index previous;  // variable: previous in the chain of its degree; its hash while in L_me
};

constexpr Index kIsElement = -1;

// Bit that is set in hashes of halo vertices alone, so that these are never compared with vertices
// of the interior.
constexpr std::uint32_t kHaloHash = 0x80000000u;

// Number of hash buckets, few enough for the L1 cache (16 KB). Few elements have more variables,
// and variables that share a bucket are told apart by their full hashes.
constexpr std::size_t kBuckets = 4096;
inline std::size_t bucket_of(std::uint32_t hash) { return hash * 0x9E3779B1u >> 20; }

/// State of a variable that pivots pass over.
struct PassedOver {
  Index alive;                ///< length of the front of E_i that has all elements not absorbed
  std::vector<Index> unread;  ///< elements that belong into the list, oldest first
};

template <class Position>
struct Arrays {
  Scratch<Node<Position>> node;
  Scratch<Index> pool, head, sequence;
  Scratch<Index> passes, notes;  // by variable, allocated if a list is long
  std::vector<Index> measured;
  std::vector<Index> bucket;

  /// Returns the buckets; the first call allocates them, which would take longer than ordering a
  /// graph of a few vertices.
  Index* buckets() {
    if (bucket.empty()) bucket.assign(kBuckets, kNone);
    return bucket.data();
  }
};

/// The elimination. Type Halo says which vertices, the halo, are never eliminated: kPresent is
/// false if there are none; contains(v) is true for vertices of the halo; weight() is their total
/// weight; interior(n) is the number of the other vertices. Without a halo, these are compile-time
/// constants and cost nothing.
template <class Position, class Halo>
class Elimination {
 public:
  Elimination(const GraphView& graph, Halo halo, const AmdOptions& options,
              Arrays<Position>& arrays, std::size_t pool_size)
      : n_(graph.size()),
        halo_(halo),
        total_(graph.total_weight()),
        aggressive_(options.aggressive),
        largest_tag_(options.largest_tag),
        long_list_(options.long_list),
        most_work_(options.most_work),
        pool_end_(static_cast<Position>(pool_size)),
        node_(arrays.node.require(static_cast<std::size_t>(n_))),
        pool_(arrays.pool.require(pool_size)),
        head_(arrays.head.require(static_cast<std::size_t>(total_))),
        bucket_(arrays.buckets()),
        sequence_(arrays.sequence.require(static_cast<std::size_t>(n_))),
        measured_(arrays.measured),
        trace_(options.trace) {
    load(graph);
    if (longest_ > long_list_) {
      passes_ = arrays.passes.require(static_cast<std::size_t>(n_));
      notes_ = arrays.notes.require(static_cast<std::size_t>(n_));
      std::fill_n(passes_, n_, 0);
      std::fill_n(notes_, n_, kNone);
    }
  }

  /// Eliminates all vertices outside the halo. Gives up and returns false if some remain once more
  /// than most_work entries of lists were visited.
  bool run() {
    const StopCheck check_stop;
    while (eliminated_ < total_ - halo_.weight()) {
      check_stop();
      if (work_ > most_work_) return false;
      const Index me = take_pivot();
      form_element(me);
      measure_elements(me);
      update_variables(me);
      merge_twins();
      close_element(me);
    }
    return true;
  }

  void number(std::span<Index> order);
  /// Returns the number of entries of lists that run() has visited, which most_work limits.
  [[nodiscard]] Offset work() const { return work_; }

 private:
  using Node = amd::Node<Position>;

  void load(const GraphView& graph);
  std::span<const Index> loaded(const GraphView& graph, Index v) const;
  Index take_pivot();
  void form_element(Index me);
  void form_in_place(Index me);
  void form_at_end(Index me);
  void join(Index v, Position& to);
  void measure_elements(Index me);
  void choose_passed(Index me);
  void note(Index v, Index element);
  void read_notes(Index v);
  void measure_by_passed();
  void measure_by_lists();
  void measure_by_notes();
  Index count_in_elements(Index* list, Index length, Index weight);
  void pass_over(Node& x) const;
  [[nodiscard]] bool is_passed(Index v) const {
    return passed_ != 0 && node_[v].length > long_list_ && passes_[v] != 0;
  }
  void update_variables(Index me);
  bool update_variable(Index me, Index v);
  void merge_twins();
  void merge_chain(Index first);
  bool same_lists(const Node& a, const Node& b) const;
  void close_element(Index me);
  void collect_garbage();
  void advance_tag(Index by);
  Index element_of(Index v);
  [[nodiscard]] bool is_halo(Index v) const { return halo_.contains(v); }

  void link(Index v, Index degree) {
    Node& x = node_[v];
    x.next = head_[degree];
    x.previous = kNone;
    if (x.next != kNone) node_[x.next].previous = v;
    head_[degree] = v;
  }
  void unlink(const Node& x) {
    if (x.next != kNone) node_[x.next].previous = x.previous;
    if (x.previous != kNone)
      node_[x.previous].next = x.next;
    else
      head_[x.degree] = x.next;
  }
  void absorb(Node& element, Index by) {
    element.list = by;
    element.mark = 0;
  }

  const Index n_;
  const Halo halo_;
  const Index total_;  // weight of all vertices, with the halo
  const bool aggressive_;
  const Index largest_tag_;
  const Index long_list_;
  const Offset most_work_;
  const Position pool_end_;
  Node* const node_;       // length n
  Index* const pool_;      // length pool_end_
  Index* const head_;      // by degree, length total weight: first variable, or kNone
  Index* const bucket_;    // by bucket: first variable, or kNone; all kNone between pivots
  Index* const sequence_;  // the pivots so far
  // Variables with long lists. passes_: pivots that passed a variable over since its list was last
  // read. notes_: its place in passed_over_, or kNone. measured_: if variables of L_me are passed
  // over, the elements that the other variables of L_me have. passes_ and notes_ are null if no
  // list is long.
  Index* passes_ = nullptr;
  Index* notes_ = nullptr;
  std::vector<PassedOver> passed_over_;
  std::vector<Index>& measured_;
  Index longest_ = 0;          // longest list at the beginning
  Index passed_ = 0;           // number of variables of L_me that are passed over
  Index me_chosen_ = 0;        // weight of me when it was chosen
  Offset passed_entries_ = 0;  // entries of the lists of the variables that are passed over, plus
                               // the number of their notes: counted as work
  Offset passed_reads_ = 0;    // entries of these that measure_by_notes() reads
  Offset work_ = 0;
  std::vector<AmdPivot>* const trace_;
  Position free_ = 0;                    // first unused entry of the pool
  Position me_first_ = 0, me_last_ = 0;  // L_me in the pool
  Index me_weight_ = 0;                  // weight of L_me
  Index me_pivots_ =
      0;  // weight of the pivots of me: the one chosen, and those without a neighbour outside L_me
  Index pivots_ = 0;        // length of sequence_
  Index eliminated_ = 0;    // weight of the vertices eliminated so far
  Index least_degree_ = 0;  // no chain of a smaller degree is nonempty
  Index widest_ = 0;        // largest weight of an L_e so far
  Index tag_ = 1;
};

template <class Position, class Halo>
void Elimination<Position, Halo>::load(const GraphView& graph) {
  std::fill_n(head_, total_, kNone);
  const StopCheck check_stop;
  for (Index v = 0; v < n_; ++v) {
    check_stop.at(v);
    const auto neighbours = loaded(graph, v);
    Index degree = static_cast<Index>(neighbours.size());
    if (!graph.weight.empty()) {
      degree = 0;
      for (const Index u : neighbours) degree += graph.weight[u];
    }
    longest_ = std::max(longest_, static_cast<Index>(neighbours.size()));
    node_[v] = {
        free_, static_cast<Index>(neighbours.size()), 0, graph.weight_of(v), degree, 0, kNone,
        kNone};
    std::copy(neighbours.begin(), neighbours.end(), pool_ + free_);
    free_ += static_cast<Position>(neighbours.size());
    if (!is_halo(v)) link(v, degree);
  }
}

template <class Position, class Halo>
inline std::span<const Index> Elimination<Position, Halo>::loaded(const GraphView& graph,
                                                                  Index v) const {
  auto neighbours = graph.neighbours(v);
  if (is_halo(v))
    while (!neighbours.empty() && is_halo(neighbours.back()))
      neighbours = neighbours.first(neighbours.size() - 1);
  return neighbours;
}

template <class Position, class Halo>
Index Elimination<Position, Halo>::take_pivot() {
  while (head_[least_degree_] == kNone) ++least_degree_;
  const Index me = head_[least_degree_];
  unlink(node_[me]);
  sequence_[pivots_++] = me;
  me_pivots_ = me_chosen_ = node_[me].weight;
  eliminated_ += me_pivots_;
  return me;
}

// Makes pivot me an element: its list L_me becomes the union of A_me, the variables adjacent to me,
// and of the lists L_e of all elements e of me, without me. Absorbs these elements.
template <class Position, class Halo>
void Elimination<Position, Halo>::form_element(Index me) {
  me_weight_ = 0;
  if (node_[me].length > long_list_) read_notes(me);
  node_[me].weight = -me_pivots_;  // keeps me out of L_me
  if (node_[me].elements == 0)
    form_in_place(me);
  else
    form_at_end(me);
  if (trace_ != nullptr) trace_->push_back({me, me_pivots_, node_[me].degree, me_weight_, 0});
  Node& x = node_[me];
  x.elements = kIsElement;
  x.list = me_first_;
  x.length = static_cast<Index>(me_last_ - me_first_);
  x.degree = me_weight_;
  x.mark = 1;
}

// Appends variable v to the list L_me of the new element, at position `to` of the pool. Does
// nothing if v was added before, merged or eliminated: its weight is then <= 0.
template <class Position, class Halo>
inline void Elimination<Position, Halo>::join(Index v, Position& to) {
  Node& x = node_[v];
  if (x.weight <= 0) return;
  if (!is_halo(v)) unlink(x);
  me_weight_ += x.weight;
  x.weight = -x.weight;
  pool_[to++] = v;
}

template <class Position, class Halo>
void Elimination<Position, Halo>::form_in_place(Index me) {
  const Node& x = node_[me];
  Position to = x.list;
  for (Position k = x.list, end = x.list + x.length; k < end; ++k) join(pool_[k], to);
  work_ += x.length;
  me_first_ = x.list;
  me_last_ = to;
}

template <class Position, class Halo>
void Elimination<Position, Halo>::form_at_end(Index me) {
  const Node& x = node_[me];
  Offset bound = x.length - x.elements;
  for (Position k = x.list, end = x.list + x.elements; k < end; ++k)
    bound += node_[pool_[k]].length;
  if (free_ + std::min<Offset>(bound, n_) > pool_end_) collect_garbage();
  Position to = free_;
  const Position variables = x.list + x.elements;
  for (Position k = variables, end = x.list + x.length; k < end; ++k) join(pool_[k], to);
  for (Position k = x.list; k < variables; ++k) {
    Node& e = node_[pool_[k]];
    for (Position p = e.list, end = e.list + e.length; p < end; ++p) join(pool_[p], to);
    absorb(e, me);
  }
  work_ += bound;
  me_first_ = free_;
  me_last_ = free_ = to;
}

// Sets e.mark to the tag plus the weight of L_e \ L_me, the variables of e that the new element me
// does not have, for every living element e of a variable of me that is not passed over.
template <class Position, class Halo>
void Elimination<Position, Halo>::measure_elements(Index me) {
  advance_tag(widest_);
  widest_ = std::max(widest_, me_weight_);
  if (passes_ != nullptr) choose_passed(me);
  for (Position k = me_first_; k < me_last_; ++k) {
    if (is_passed(pool_[k])) continue;
    const Node& x = node_[pool_[k]];
    work_ += x.elements;
    for (Position p = x.list, end = x.list + x.elements; p < end; ++p) {
      Node& e = node_[pool_[p]];
      if (e.mark >= tag_) {
        e.mark += x.weight;  // x.weight is negative
      } else if (e.mark != 0) {
        e.mark = tag_ + (e.degree + x.weight);
        if (passed_ != 0) measured_.push_back(pool_[p]);
      }
    }
  }
  if (passed_ != 0) measure_by_passed();
}

// Updates the variables of the new element me: eliminates those without a neighbour outside L_me,
// and bounds, for the other variables, the degree outside L_me; close_element() adds the part
// inside.
template <class Position, class Halo>
void Elimination<Position, Halo>::update_variables(Index me) {
  for (Position k = me_first_; k < me_last_; ++k) {
    const Index v = pool_[k];
    if (is_passed(v)) {
      pass_over(node_[v]);
      continue;
    }
    if (update_variable(me, v)) continue;
    Node& x = node_[v];  // no neighbour outside L_me: eliminated with me, without further fill
    const Index weight = -x.weight;
    x.list = me;
    x.weight = 0;
    me_weight_ -= weight;
    me_pivots_ += weight;
    eliminated_ += weight;
  }
}

// Updates the lists of v, a variable of the new element me, and the bound of its degree outside
// L_me. Puts v into its hash bucket, for merge_twins(). Returns false if v is not of the halo and
// has no neighbours outside L_me.
template <class Position, class Halo>
inline bool Elimination<Position, Halo>::update_variable(Index me, Index v) {
  Node& x = node_[v];
  work_ += x.length;
  Position to = x.list;
  Offset degree = 0;  // upper bound: variables that several elements share count repeatedly
  std::uint32_t hash = static_cast<std::uint32_t>(me);
  for (Position k = x.list, end = x.list + x.elements; k < end; ++k) {
    const Index id = pool_[k];
    Node& e = node_[id];
    if (e.mark == 0) continue;
    const Index outside = e.mark - tag_;
    if (outside == 0 && aggressive_) {
      absorb(e, me);
      continue;
    }
    degree += outside;
    hash += static_cast<std::uint32_t>(id);
    pool_[to++] = id;
  }
  const Position variables = to;
  for (Position k = x.list + x.elements, end = x.list + x.length; k < end; ++k) {
    const Index u = pool_[k];
    const Index weight = node_[u].weight;
    if (weight <= 0) continue;
    degree += weight;
    hash += static_cast<std::uint32_t>(u);
    pool_[to++] = u;
  }
  if (to == x.list && !is_halo(v)) return false;
  // An entry is free for me: the list contained me as a variable, or an element that me absorbed.
  pool_[to] = pool_[variables];
  pool_[variables] = pool_[x.list];
  pool_[x.list] = me;
  x.elements = static_cast<Index>(variables - x.list) + 1;
  x.length = static_cast<Index>(to - x.list) + 1;
  x.degree = static_cast<Index>(std::min<Offset>(x.degree, degree));
  if constexpr (Halo::kPresent) hash = is_halo(v) ? hash | kHaloHash : hash & ~kHaloHash;
  x.previous = static_cast<Index>(hash);
  Index& bucket = bucket_[bucket_of(hash)];
  x.next = bucket;
  bucket = v;
  return true;
}

// Adds the part inside the new element me to the degree bounds of its variables, puts the variables
// back into the chains of their degrees, and removes merged and eliminated ones from L_me.
template <class Position, class Halo>
void Elimination<Position, Halo>::close_element(Index me) {
  const bool at_end = me_last_ == free_;
  const Index left = total_ - eliminated_;
  Position to = me_first_;
  for (Position k = me_first_; k < me_last_; ++k) {
    const Index v = pool_[k];
    Node& x = node_[v];
    if (x.weight == 0) continue;
    const Index weight = x.weight = -x.weight;
    if (!is_halo(v)) {
      x.degree = std::min(x.degree, left - me_weight_) +
                 (me_weight_ - weight);  // bounded by the weight that is left; sums cannot overflow
      least_degree_ = std::min(least_degree_, x.degree);
      link(v, x.degree);
    }
    pool_[to++] = v;
  }
  Node& x = node_[me];
  x.weight = me_pivots_;
  x.degree = me_weight_;
  if (trace_ != nullptr) trace_->back().eliminated = me_pivots_;
  x.length = static_cast<Index>(to - me_first_);
  if (at_end) free_ = to;
  if (x.length == 0) absorb(x, kNone);
}

}  // namespace kauri::ordering::amd

namespace kauri::ordering {

struct AmdWorkspace::AmdArrays {
  amd::Arrays<Index> narrow;
  amd::Arrays<Offset> wide;  // for graphs whose pool exceeds 2^31 entries
};

}  // namespace kauri::ordering
