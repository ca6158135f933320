// Parallel approximate minimum degree: eliminates one winner of a round, concurrently with others.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "ordering/parallel_amd/engine.hpp"

namespace kauri::ordering::pamd {
namespace {

std::size_t bucket_of(std::uint32_t hash) { return hash * 0x9E3779B1U >> 20; }

}  // namespace

/// Elimination of a pivot, in the steps of ordering/amd/elimination.hpp. Changes only nodes of L_p
/// and of p, elements that p absorbs, and memory of the slot.
class PivotElimination {
 public:
  PivotElimination(Elimination& all, PivotCandidate& c, ThreadMemory& slot)
      : all_(all),
        node_(all.node_.get()),
        pool_(all.pool_),
        c_(c),
        slot_(slot),
        me_(c.vertex),
        pivots_(node_[me_].weight),
        weight_(c.weight) {}

  void eliminate() {
    form_element();
    measure_elements();
    update_variables();
    merge_twins();
    close_element();
  }

 private:
  void advance_tag(Index by);
  void form_element();
  void measure_elements();
  void update_variables();
  bool update_variable(Index k);
  void merge_twins();
  void merge_chain(Index first);
  void close_element();
  Index* place_for(Index length);
  Index* write_weights(Index* news);
  [[nodiscard]] bool is_mine(const Node& x) const { return x.claim == c_.key; }

  /// Absorbs element e into the new element me; offers the memory of e's list for the new list.
  void absorb(Index e) {
    offer(node_[e].list, node_[e].length);
    node_[e].list = static_cast<PoolPlace>(me_);
    node_[e].elements = kAbsorbed;
    slot_.mark[e] = tag_ - 1;
  }
  /// Prefetches the data that measuring the first elements of x reads.
  void fetch_elements(const Node& x) const {
    const Index* const list = pool_ + x.list;
    for (Index i = 0; i < std::min(x.elements, kAhead); ++i)
      fetch(&slot_.mark[list[i]]), fetch(&node_[list[i]]);
  }
  void fetch_variables(const Node& x) const {
    const Index* const list = pool_ + x.list;
    for (Index i = x.elements; i < std::min(x.length, x.elements + 2 * kAhead); ++i)
      fetch(&node_[list[i]]);
  }
  void offer(PoolPlace at, Index length) {
    if (length > room_) room_at_ = at, room_ = length;
  }

  Elimination& all_;
  Node* const node_;
  Index* const pool_;
  PivotCandidate& c_;
  ThreadMemory& slot_;
  const Index me_;
  Index pivots_;    // weight of the pivots of me: the one chosen, and those without a neighbour
                    // outside L_me
  Index weight_;    // weight of L_me
  Index dead_ = 0;  // number of variables of L_me merged or eliminated
  Index tag_ = 0;
  PoolPlace room_at_ = 0;  // place of the longest list that is free by now
  Index room_ = 0;         // length of that list
};

/// Raises the tag so that all earlier marks, which are at most the old tag plus `by`, are below
/// tag - 1. Clears all marks if they could otherwise exceed largest_tag.
inline void PivotElimination::advance_tag(Index by) {
  if (slot_.tag > Offset{all_.options_.largest_tag} - by - 2 - all_.total_ - 2) {
    std::fill(slot_.mark.begin(), slot_.mark.end(), 0);
    tag_ = slot_.tag = 2;  // as small as possible, so that tag plus any weight fits in an Index
    return;
  }
  tag_ = slot_.tag += by + 2;
}

inline void PivotElimination::form_element() {
  advance_tag(all_.widest_);
  Node& p = node_[me_];
  const Index* const list = pool_ + p.list;
  offer(p.list, p.length);
  for (Index k = 0; k < p.elements; ++k) absorb(list[k]);
  const auto length = static_cast<std::size_t>(c_.length);
  if (slot_.weight.size() < length) {
    for (auto* x : {&slot_.weight, &slot_.degree, &slot_.next}) x->resize(2 * length);
    slot_.hash.resize(2 * length);
  }
}

/// Sets the mark of every element e that shares a variable with me to the tag plus the weight of
/// L_e \ L_me, the variables of e that the new element me does not have.
inline void PivotElimination::measure_elements() {
  Index* const mark = slot_.mark.data();
  for (Index k = 0; k < c_.length; ++k) {
    if (k + kAhead < c_.length) fetch_elements(node_[c_.list[k + kAhead]]);
    const Node& x = node_[c_.list[k]];
    slot_.weight[k] = x.weight;
    const Index* const list = pool_ + x.list;
    for (Index i = 0; i < x.elements; ++i) {
      Index& m = mark[list[i]];
      if (m >= tag_)
        m -= x.weight;
      else if (m != tag_ - 1)
        m = tag_ + (node_[list[i]].degree - x.weight);
    }
  }
}

inline void PivotElimination::update_variables() {
  for (Index k = 0; k < c_.length; ++k) {
    if (k + 2 < c_.length)
      fetch_variables(node_[c_.list[k + 2]]);  // its list is in cache, since elements were measured
    if (update_variable(k)) continue;
    node_[c_.list[k]].list = static_cast<PoolPlace>(
        me_);  // no neighbour outside L_me: eliminated with me, without further fill
    pivots_ += slot_.weight[k];
    weight_ -= slot_.weight[k];
    slot_.weight[k] = 0;
    ++dead_;
  }
}

/// Updates the lists of variable k of the new element me, and the bound of its degree outside L_me.
/// Puts k into its hash bucket, for merge_twins(). Returns false if the variable has no neighbours
/// outside L_me.
inline bool PivotElimination::update_variable(Index k) {
  Node& x = node_[c_.list[k]];
  Index* const list = pool_ + x.list;
  Index* to = list;
  Offset degree = 0;  // upper bound: variables that several elements share count repeatedly
  auto hash = static_cast<std::uint32_t>(me_);
  for (const Index *at = list, *end = list + x.elements; at < end; ++at) {
    const Index outside = slot_.mark[*at] - tag_;
    if (outside < 0) continue;
    if (outside == 0 && all_.options_.aggressive) {
      absorb(*at);
      continue;
    }
    degree += outside;
    hash += static_cast<std::uint32_t>(*at);
    *to++ = *at;
  }
  Index* const variables = to;
  for (const Index *at = list + x.elements, *end = list + x.length; at < end; ++at) {
    const Node& u = node_[*at];
    if (u.weight == 0 || is_mine(u)) continue;
    degree += u.weight;
    hash += static_cast<std::uint32_t>(*at);
    *to++ = *at;
  }
  if (to == list) return false;
  // An entry is free for me: the list contained me as a variable, or an element that me absorbed.
  *to = *variables;
  *variables = *list;
  *list = me_;
  x.elements = static_cast<Index>(variables - list) + 1;
  x.length = static_cast<Index>(to - list) + 1;
  slot_.degree[k] = static_cast<Index>(std::min<Offset>(x.degree, degree));
  slot_.hash[k] = hash;
  Index& bucket = slot_.bucket[bucket_of(hash)];
  slot_.next[k] = bucket;
  bucket = k;
  return true;
}

/// Merges variables of the new element me that have the same lists: these are indistinguishable
/// from now on.
inline void PivotElimination::merge_twins() {
  advance_tag(all_.widest_);
  for (Index k = 0; k < c_.length; ++k) {
    if (slot_.weight[k] == 0) continue;
    Index& bucket = slot_.bucket[bucket_of(slot_.hash[k])];
    if (bucket == kNone) continue;
    const Index first = bucket;
    bucket = kNone;
    if (slot_.next[first] != kNone) merge_chain(first);
  }
}

inline void PivotElimination::merge_chain(Index first) {
  Index* const mark = slot_.mark.data();
  Index* const next = slot_.next.data();
  for (Index i = first; i != kNone && next[i] != kNone; i = next[i]) {
    const Node& a = node_[c_.list[i]];
    bool marked = false;
    for (Index before = i, j = next[i]; j != kNone; j = next[before]) {
      Node& b = node_[c_.list[j]];
      bool same =
          a.length == b.length && a.elements == b.elements && slot_.hash[i] == slot_.hash[j];
      if (same && !marked) {
        advance_tag(0);
        for (const Index *at = pool_ + a.list + 1, *end = pool_ + a.list + a.length; at < end; ++at)
          mark[*at] = tag_;
        marked = true;
      }
      if (same)
        for (const Index *at = pool_ + b.list + 1, *end = pool_ + b.list + b.length;
             at < end && same; ++at)
          same = mark[*at] == tag_;
      if (same) {
        slot_.weight[i] += slot_.weight[j];
        slot_.weight[j] = 0;
        ++dead_;
        b.list = static_cast<PoolPlace>(c_.list[i]);
        next[before] = next[j];
      } else {
        before = j;
      }
    }
  }
}

/// Returns memory for the new list, of `length` entries: the longest list that is free by now if it
/// is long enough, else the end of the pool.
inline Index* PivotElimination::place_for(Index length) {
  if (length <= room_) return pool_ + room_at_;
  return pool_ + all_.pool_free_.fetch_add(length, std::memory_order_relaxed);
}

inline Index* PivotElimination::write_weights(Index* news) {
  for (Index k = 0; k < c_.length; ++k) {
    const Index v = c_.list[k];
    if (slot_.weight[k] == node_[v].weight) continue;
    *news++ = v;
    *news++ = slot_.weight[k];
    ++c_.weights;
    if (slot_.weight[k] == 0) node_[v].version = 0;
  }
  return news;
}

/// Adds the part inside the new element me to the degree bounds of its variables, writes its list
/// without merged and eliminated ones, and notes news for commit().
inline void PivotElimination::close_element() {
  if (slot_.news_of != all_.round_) slot_.news.clear(), slot_.news_of = all_.round_;
  const std::size_t room = 4 * static_cast<std::size_t>(c_.length);
  Index* const news = slot_.news.room(room);
  Index* at = write_weights(news);
  const Index left = all_.total_ - all_.eliminated_ - pivots_;
  Index* const list = place_for(c_.length - dead_);
  Index* to = list;
  for (Index k = 0; k < c_.length; ++k) {
    const Index weight = slot_.weight[k], v = c_.list[k];
    if (weight == 0) continue;
    Node& x = node_[v];
    x.degree = std::min(slot_.degree[k], left - weight_) +
               (weight_ - weight);  // bounded by the weight that is left; sums cannot overflow
    x.version = all_.round_;
    *to++ = v;
    if (x.degree > all_.horizon_) continue;
    *at++ = v;
    *at++ = x.degree;
    ++c_.degrees;
  }
  Node& p = node_[me_];
  p.length = static_cast<Index>(to - list);
  p.elements = to == list ? kAbsorbed : kIsElement;
  p.list = to == list ? static_cast<PoolPlace>(kNone) : static_cast<PoolPlace>(list - pool_);
  p.degree = weight_;
  p.version = 0;
  slot_.news.keep(static_cast<std::size_t>(at - news));
  c_.list = news;
  c_.eliminated = pivots_;
}

/// Returns true if no other candidate holds a vertex that c claimed. Prefetches the lists of the
/// variables of L_p, which a winner reads next.
bool Elimination::prevails(const PivotCandidate& c) const {
  if (node_[c.vertex].claim != c.key) return false;
  for (Index k = 0; k < std::min(kAhead, c.length); ++k) fetch(&node_[c.list[k]]);
  for (Index k = 0; k < c.length; ++k) {
    if (k + kAhead < c.length) fetch(&node_[c.list[k + kAhead]]);
    const Node& x = node_[c.list[k]];
    if (x.claim != c.key) return false;
    fetch(pool_ + x.list);
  }
  return true;
}

void Elimination::eliminate_all() {
  for_each_candidate([this](PivotCandidate& c, ThreadMemory& slot) {
    if (!c.wins) return;
    c.wins = prevails(c);
    if (c.wins) PivotElimination(*this, c, slot).eliminate();
  });
}

}  // namespace kauri::ordering::pamd
