// Minimum degree: updates the lists and degrees of the touched variables once after a round.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "base/threads/stopping.hpp"
#include "ordering/minimum_degree/engine.hpp"

namespace kauri::ordering {
namespace {

/// Spreads the bits of a vertex number, so that sums of a few spread numbers distinguish sets.
std::uint64_t spread(Index x) {
  std::uint64_t h = (static_cast<std::uint64_t>(x) + 1) * 0x9E3779B97F4A7C15U;
  h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9U;
  return h ^ (h >> 32);
}

}  // namespace

void MinimumDegree::update_round() {
  const StopCheck check_stop;
  for (const Index e : w_.pivots_) check_stop(), find_light(e);
  for (const Index i : w_.touched_) {
    check_stop();
    if (w_.light_round_[i] == round_)
      clean(i);
    else
      w_.stale_[i] = 1;
  }
  for (const Index e : w_.pivots_) check_stop(), prune(e);
  for (const Index e : w_.pivots_) {
    check_stop();
    if (w_.kind_[e] == kElement) update_element(e);
  }
  for (const Index i : w_.touched_)
    if (w_.kind_[i] == kVariable) insert(i);
}

/// Selects the variables of element e that are updated: those whose lists are short compared with e
/// and the shortest list of its variables, or at most 64 entries long.
void MinimumDegree::find_light(Index e) {
  constexpr Index kLength = 64, kShare = 8;
  const std::span<const Index> variables = list_of(e);
  Index shortest = w_.length_[variables.front()];
  for (const Index i : variables) shortest = std::min(shortest, w_.length_[i]);
  const Offset limit =
      std::max<Offset>(kLength, kShare * (static_cast<Offset>(shortest) + w_.length_[e]));
  for (const Index i : variables)
    if (w_.length_[i] <= limit) w_.light_round_[i] = round_;
}

/// Returns the live element that contains the variables of x, an element or a dead vertex: x
/// itself, or the last of a chain of elements each of which absorbed the one before. kNone if x was
/// merged, or has no variables left. Halves the path for later calls.
Index MinimumDegree::element_now(Index x) {
  while (w_.kind_[x] == kDead) {
    const Index next = w_.absorber_[x];
    if (next == kNone) return kNone;
    if (w_.kind_[next] == kDead) w_.absorber_[x] = w_.absorber_[next];
    x = next;
  }
  return x;
}

/// Updates the list of variable i: replaces absorbed elements by their absorbers, moves
/// pivots from A_i to E_i, and removes merged variables. If i was stale, also removes from A_i the
/// variables that elements of i have.
void MinimumDegree::clean(Index i) {
  const std::span<Index> list = list_of(i);
  const Index length = w_.length_[i];
  Index pivots_end = w_.elements_[i];
  for (Index k = pivots_end; k < length; ++k)
    if (w_.kind_[list[k]] != kVariable && element_now(list[k]) != kNone)
      std::swap(list[k], list[pivots_end++]);
  const Offset stamp = ++stamp_;
  Index out = 0;
  for (Index k = 0; k < pivots_end; ++k) {
    const Index e = element_now(list[k]);
    if (w_.mark_[e] == stamp) continue;
    w_.mark_[e] = stamp;
    list[out++] = e;
  }
  w_.elements_[i] = out;
  for (Index k = pivots_end; k < length; ++k)
    if (w_.weight_[list[k]] != 0) list[out++] = list[k];
  w_.length_[i] = out;
  if (w_.stale_[i] == 0) return;
  w_.stale_[i] = 0;
  ++stamp_;
  for (const Index e : elements_of(i))
    for (const Index u : list_of(e)) w_.mark_[u] = stamp_;
  prune_variable(i, stamp_);
}

/// Removes edges inside the clique L_e, which element e stands for, from the lists A_i of the
/// variables i of e.
void MinimumDegree::prune(Index e) {
  const Offset stamp = ++stamp_;
  const std::span<const Index> variables = list_of(e);
  for (const Index i : variables) w_.mark_[i] = stamp;
  for (const Index i : variables)
    if (w_.stale_[i] == 0) prune_variable(i, stamp);
}

void MinimumDegree::prune_variable(Index i, Offset stamp) {
  Index kept = w_.elements_[i];
  const std::span<Index> list = list_of(i);
  for (const Index u : variables_of(i))
    if (w_.mark_[u] != stamp) list[kept++] = u;
  w_.length_[i] = kept;
}

void MinimumDegree::update_element(Index e) {
  drop_dead(e);
  compare_with_elements(e);
  const Index mass = scan_variables(e);
  w_.size_of_[e] -= mass;
  for (const Index i : list_of(e)) w_.degree_[i] -= mass;
  merge_indistinguishable(e);
  drop_dead(e);
  set_degrees(e);
  if (w_.length_[e] == 0) w_.kind_[e] = kDead;
}

void MinimumDegree::drop_dead(Index e) {
  const std::span<Index> list = list_of(e);
  Index kept = 0;
  for (const Index i : list)
    if (w_.weight_[i] != 0) list[kept++] = i;
  w_.length_[e] = kept;
}

/// Computes outside_[f], the weight of L_f \ L_e plus at most skipped_, for each other element f
/// that shares a variable that is not stale with e (Amestoy, Davis & Duff 1996). Sets skipped_, the
/// weight of the stale variables of e.
void MinimumDegree::compare_with_elements(Index e) {
  const Offset stamp = ++stamp_;
  skipped_ = 0;
  for (const Index i : list_of(e)) {
    if (w_.stale_[i] != 0) {
      skipped_ += w_.weight_[i];
      continue;
    }
    for (const Index f : elements_of(i)) {
      if (w_.seen_[f] != stamp) {
        w_.seen_[f] = stamp;
        w_.outside_[f] = w_.size_of_[f];
      }
      w_.outside_[f] -= w_.weight_[i];
    }
  }
}

/// Mass elimination: eliminates variables of e without neighbours outside L_e, and returns their
/// weight. Updates and hashes the lists of the other variables of e that are not stale.
Index MinimumDegree::scan_variables(Index e) {
  Index mass = 0;
  for (const Index i : list_of(e)) {
    if (w_.stale_[i] != 0 || scan_variable(e, i)) continue;
    mass += w_.weight_[i];
    record(Event::mass, i, e);
    number(i);
    --live_;
    w_.weight_[i] = 0;
    w_.kind_[i] = kDead;
  }
  if (mass > 0) drop_dead(e);
  return mass;
}

/// Removes elements inside L_e from E_i (aggressive absorption: exact, since e covers all of their
/// edges) and merged variables from A_i. Bounds the weight that i reaches outside L_e: at least A_i
/// and the largest of the other elements (low_), at most A_i and all other elements (high_). Sets
/// hash_. Returns false if i reaches nothing outside L_e.
bool MinimumDegree::scan_variable(Index e, Index i) {
  const std::span<Index> list = list_of(i);
  std::uint64_t hash = 0;
  Index kept = 0;
  Offset largest = 0, all = 0, variables = 0;
  for (const Index f : elements_of(i)) {
    if (f != e) {
      if (w_.outside_[f] == 0) {
        w_.kind_[f] = kDead;
        w_.absorber_[f] = e;
        continue;
      }
      largest = std::max<Offset>(largest, w_.outside_[f] - skipped_);
      all += w_.outside_[f];
    }
    hash += spread(f);
    list[kept++] = f;
  }
  const std::span<const Index> neighbours = variables_of(i);
  w_.elements_[i] = kept;
  for (const Index u : neighbours) {
    if (w_.weight_[u] == 0) continue;
    variables += w_.weight_[u];
    hash += spread(u);
    list[kept++] = u;
  }
  w_.length_[i] = kept;
  w_.low_[i] = variables + largest;
  w_.high_[i] = variables + all;
  w_.hash_[i] = hash;
  return kept > 1;
}

/// Merges variables of element e that have equal lists of elements and of variables: they are
/// indistinguishable from now on.
void MinimumDegree::merge_indistinguishable(Index e) {
  const auto slot = [&](Index i) {
    return static_cast<std::size_t>(((w_.hash_[i] >> 32) * static_cast<std::uint64_t>(n_)) >> 32);
  };
  for (const Index i : list_of(e)) {
    if (w_.stale_[i] != 0) continue;
    Index& head = w_.hash_head_[slot(i)];
    Index twin = head;
    bool marked = false;
    for (; twin != kNone; twin = w_.hash_next_[twin]) {
      if (w_.hash_[twin] != w_.hash_[i] || w_.length_[twin] != w_.length_[i]) continue;
      if (!marked) {
        ++stamp_;
        for (const Index x : list_of(i)) w_.mark_[x] = stamp_;
        marked = true;
      }
      const std::span<const Index> list = list_of(twin);
      if (std::all_of(list.begin(), list.end(), [&](Index x) { return w_.mark_[x] == stamp_; }))
        break;
    }
    if (twin != kNone) {
      merge(i, twin);
    } else {
      w_.hash_next_[i] = head;
      head = i;
    }
  }
  for (const Index i : list_of(e)) w_.hash_head_[slot(i)] = kNone;
}

/// Merges j into i. Each of the two loses the other as a neighbour, so a bound of either degree
/// minus the other's weight bounds the degree of both.
void MinimumDegree::merge(Index j, Index i) {
  record(Event::merge, j, i);
  w_.degree_[i] = std::max(w_.degree_[i] - w_.weight_[j], w_.degree_[j] - w_.weight_[i]);
  w_.exact_[i] |= w_.exact_[j];
  w_.weight_[i] += w_.weight_[j];
  w_.weight_[j] = 0;
  w_.kind_[j] = kDead;
  w_.member_next_[w_.member_last_[i]] = j;
  w_.member_last_[i] = w_.member_last_[j];
  --live_;
}

/// Sets degree_ of the variables of e to the best known lower bound. The bound is exact if it
/// coincides with the upper bound, for example for variables with up to two elements.
void MinimumDegree::set_degrees(Index e) {
  for (const Index i : list_of(e)) {
    const Offset inside = w_.size_of_[e] - w_.weight_[i];
    if (w_.stale_[i] != 0) {
      w_.degree_[i] = std::max(w_.degree_[i], static_cast<Index>(inside));
      continue;
    }
    w_.degree_[i] = std::max(w_.degree_[i], static_cast<Index>(inside + w_.low_[i]));
    if (inside + w_.high_[i] == w_.degree_[i]) w_.exact_[i] = 1;
  }
}

}  // namespace kauri::ordering
