// Reduction: sets rows aside, eliminates small rows, merges twins again, and finds connected
// components.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/graph/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/common/disjoint_sets.hpp"
#include "base/threads/blocks.hpp"
#include "base/threads/stopping.hpp"
#include "kauri/core/error.hpp"

namespace kauri::ordering {
namespace {

constexpr Index kReduceBlock = 16384;  // vertices in a task

/// Returns, by row, its position in `last`, or kNone. Throws Error(input) if a row is out of range
/// or occurs twice.
std::vector<Index> places_in(Index n, std::span<const Index> last) {
  std::vector<Index> place(static_cast<std::size_t>(n), kNone);
  for (std::size_t k = 0; k < last.size(); ++k) {
    const auto fail = [&](const std::string& what) {
      throw Error(ErrorKind::input, "order: entry " + std::to_string(k) +
                                        " of the rows to come last is " + std::to_string(last[k]) +
                                        what);
    };
    if (last[k] < 0 || last[k] >= n) fail(", expected 0 to " + std::to_string(n - 1));
    if (place[last[k]] != kNone)
      fail(", as is entry " + std::to_string(place[last[k]]) + "; expected each row once");
    place[last[k]] = static_cast<Index>(k);
  }
  return place;
}

std::span<const Index> checked(Index n, std::span<const Index> last) {
  if (!last.empty()) (void)places_in(n, last);
  return last;
}

}  // namespace

Index dense_degree(Index n, double dense) {
  if (!(dense > 0)) return n;
  return static_cast<Index>(
      std::min<double>(n, std::max(16.0, dense * std::sqrt(static_cast<double>(n)))));
}

Permutation natural_order(Index n, std::span<const Index> last) {
  if (last.empty()) return Permutation::identity(n);
  const std::vector<Index> place = places_in(n, last);
  std::vector<Index> old_of;
  old_of.reserve(place.size());
  for (Index i = 0; i < n; ++i)
    if (place[i] == kNone) old_of.push_back(i);
  old_of.insert(old_of.end(), last.begin(), last.end());
  return Permutation::from_old_of(std::move(old_of));
}

Reduction::Reduction(const GraphSource& source, bool compress, double dense,
                     std::span<const Index> last)
    : compressed_(source, compress, checked(source.size(), last)),
      whole_(compressed_.view()),
      last_(last) {
  take_out_last();
  eliminate();
  set_aside(dense);
  if (!kept_.empty() && compress) merge_the_rest();
  find_components();
  if (components() != 1 || !kept_.empty()) extract();
  component_of_ = {};
  uncounted_ = {};
  if (arrow_) arrow_->ptr = {}, arrow_->adjacency = {};
}

void Reduction::take_out_last() {
  if (last_.empty()) return;
  kept_.assign(static_cast<std::size_t>(compressed_.size()), 1);
  uncounted_.assign(kept_.size(), 0);
  for (const Index row : last_) {
    const Index v = compressed_.vertex_of(row);
    kept_[v] = 0;
    for (const Index u : whole_.neighbours(v)) ++uncounted_[u];
  }
}

void Reduction::eliminate() {
  arrow_ = eliminate_small_rows(whole_, kept_);
  if (!arrow_) return;
  kept_.resize(arrow_->eliminated.size(), 1);
  for (std::size_t v = 0; v < kept_.size(); ++v)
    if (arrow_->eliminated[v] != 0) kept_[v] = 0;
  uncounted_ = {};  // lists of the remaining graph do not contain rows of last_
  whole_ = {arrow_->ptr, arrow_->adjacency, whole_.weight};
}

void Reduction::set_aside(double dense) {
  const Index count = compressed_.size();
  const Index limit =
      dense_degree(arrow_ ? static_cast<Index>(arrow_->rows)
                          : compressed_.source().size() - static_cast<Index>(last_.size()),
                   dense);
  const Index heaviest =
      whole_.weight.empty() ? 1 : *std::max_element(whole_.weight.begin(), whole_.weight.end());
  const auto degree = [&](Index v) {  // degree of each member row of v, without rows of last_
    Offset rows = Offset{compressed_.weight(v)} - 1 - (uncounted_.empty() ? 0 : uncounted_[v]);
    for (const Index u : whole_.neighbours(v)) rows += compressed_.weight(u);
    return rows;
  };
  for (Index v = 0; v < count; ++v)
    if ((whole_.degree(v) + Offset{1}) * heaviest > limit && (kept_.empty() || kept_[v] != 0) &&
        degree(v) > limit)
      dense_.push_back(v);
  if (arrow_ && 2 * dense_.size() > static_cast<std::size_t>(arrow_->vertices))
    dense_.clear();  // the graph is not sparse, with or without them
  if (!dense_.empty()) kept_.resize(static_cast<std::size_t>(count), 1);
  for (const Index v : dense_) kept_[v] = 0;
}

// Merges supervariables that became indistinguishable without the rows eliminated or set aside, if
// that pays.
void Reduction::merge_the_rest() {
  const std::vector<Index> representative = indistinguishable(whole_, kept_);
  const Index count = compressed_.size();
  if (!worth_merging(representative)) return;
  next_.assign(representative.size(), kNone);
  for (Index v = count - 1; v >= 0;
       --v)  // descending, so that the chain after each representative ascends
    if (const Index r = representative[v]; r != v) {
      kept_[v] = 0;
      next_[v] = next_[r];
      next_[r] = v;
    }
}

// Numbers components by the least vertex of each, and sets component_of_ and first_; extract()
// keeps the vertices of a component ascending.
void Reduction::find_components() {
  if (threads_here() == 1)
    number_components<DisjointSets>();
  else
    number_components<SharedDisjointSets>();
}

template <class Sets>
void Reduction::number_components() {
  const Index n = compressed_.size();
  Sets sets(n);
  const auto is_kept = [this](Index v) { return kept_.empty() || kept_[v]; };
  Blocks(n, kReduceBlock).for_each([&](Index, Index begin, Index end) {
    for (Index v = begin; v < end; ++v)
      if (is_kept(v))
        for (const Index u : whole_.neighbours(v)) {
          if (u > v) break;
          if (is_kept(u)) sets.unite(u, v);
        }
  });
  component_of_.assign(static_cast<std::size_t>(n), kNone);
  std::vector<Index> size;
  for (Index v = 0; v < n; ++v) {
    if (!is_kept(v)) continue;
    const Index least = sets.representative(v);
    if (least == v) {
      component_of_[v] = static_cast<Index>(size.size());
      size.push_back(0);
    } else {
      component_of_[v] = component_of_[least];
    }
    ++size[component_of_[v]];
  }
  first_.assign(1, 0);
  for (const Index s : size) first_.push_back(first_.back() + s);
}

void Reduction::extract() {
  const Index n = compressed_.size();
  const Index reduced = first_.back();
  std::vector<Index> local(static_cast<std::size_t>(n), kNone),
      next(first_.begin(), first_.end() - 1);
  vertex_.resize(static_cast<std::size_t>(reduced));
  for (Index v = 0; v < n; ++v)
    if (const Index c = component_of_[v]; c != kNone) {
      local[v] = next[c] - first_[c];
      vertex_[next[c]++] = v;
    }
  ptr_.reserve(static_cast<std::size_t>(reduced) + 1);
  ptr_.push_back(0);
  adjacency_.reserve(static_cast<std::size_t>(dense_.empty() ? whole_.edges() : 0));
  const StopCheck check_stop;
  for (const Index v : vertex_) {
    check_stop.at(static_cast<Offset>(ptr_.size()));
    for (const Index u : whole_.neighbours(v))
      if (local[u] != kNone) adjacency_.push_back(local[u]);
    ptr_.push_back(static_cast<Offset>(adjacency_.size()));
  }
  if (compressed_.merged() || !next_.empty()) {
    weight_.reserve(static_cast<std::size_t>(reduced));
    for (const Index v : vertex_) {
      weight_.push_back(0);
      for (Index u = v; u != kNone; u = next_.empty() ? kNone : next_[u])
        weight_.back() += compressed_.weight(u);
    }
  }
  whole_ = {ptr_, adjacency_, weight_};
}

GraphView Reduction::component(Index c) const {
  const auto first = static_cast<std::size_t>(first_[c]), count = static_cast<std::size_t>(size(c));
  return {whole_.ptr.subspan(first, count + 1), whole_.adjacency,
          whole_.weight.empty() ? std::span<const Index>{} : whole_.weight.subspan(first, count)};
}

void Reduction::append_members(Index v, std::vector<Index>& old_of) const {
  for (Index t = 0; t < compressed_.weight(v); ++t) old_of.push_back(compressed_.member(v, t));
}

void Reduction::expand(Index c, std::span<const Index> order, std::vector<Index>& old_of) const {
  for (const Index local : order)
    for (Index v = vertex_.empty() ? local : vertex_[first_[c] + local]; v != kNone;
         v = next_.empty() ? kNone : next_[v])
      append_members(v, old_of);
}

void Reduction::append_rest(std::vector<Index>& old_of) const {
  for (const Index v : dense_) append_members(v, old_of);
  old_of.insert(old_of.end(), last_.begin(), last_.end());
}

std::vector<Index> Reduction::with_small_rows(std::vector<Index> old_of) const {
  if (!arrow_) return old_of;
  std::vector<Index> all;
  all.reserve(static_cast<std::size_t>(compressed_.source().size()));
  std::vector<char> waits = arrow_->eliminated;
  for (const Index row : old_of) {
    const Index v = compressed_.vertex_of(row);
    if (row == compressed_.member(v, 0))
      for (const Index u : compressed_.view().neighbours(v))
        if (waits[u] != 0) {
          waits[u] = 0;
          append_members(u, all);
        }
    all.push_back(row);
  }
  return all;
}

}  // namespace kauri::ordering
