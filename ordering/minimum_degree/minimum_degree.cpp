// Exact minimum degree: loading, selection by rounds, and the final order.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/minimum_degree/minimum_degree.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>

#include "base/threads/stopping.hpp"
#include "kauri/core/error.hpp"
#include "ordering/minimum_degree/engine.hpp"
#include "ordering/minimum_degree/ties.hpp"

namespace kauri::ordering {
namespace {

template <class T>
void fill(std::vector<T>& x, Index n, T value) {
  if (x.size() < static_cast<std::size_t>(n)) x.resize(static_cast<std::size_t>(n));
  std::fill_n(x.begin(), n, value);
}

/// Returns the sum of the weights of n vertices; n if `weight` is empty. Throws Error(usage) for a
/// wrong number of weights or a weight < 1, Error(overflow) if the sum is 2^31 - 1 or more.
Index total_weight(Index n, std::span<const Index> weight) {
  if (weight.empty()) return n;
  if (weight.size() != static_cast<std::size_t>(n))
    throw Error(ErrorKind::usage, "minimum degree: " + std::to_string(weight.size()) +
                                      " weights for " + std::to_string(n) +
                                      " vertices, expected one for each or none");
  Offset total = 0;
  for (Index v = 0; v < n; ++v) {
    if (weight[v] < 1)
      throw Error(ErrorKind::usage, "minimum degree: weight " + std::to_string(weight[v]) +
                                        " of vertex " + std::to_string(v) + ", expected 1 or more");
    total += weight[v];
  }
  if (total > std::numeric_limits<Index>::max())
    throw Error(ErrorKind::overflow,
                "minimum degree: the weights sum up to " + std::to_string(total));
  return static_cast<Index>(total);
}

}  // namespace

MinimumDegree::MinimumDegree(const GraphView& graph, const OrderingOptions& options,
                             MinimumDegreeWorkspace& workspace,
                             std::vector<MinimumDegreeEvent>* trace)
    : w_(workspace), lists_(workspace), trace_(trace), options_(options), n_(graph.size()) {
  if (options.delta < 0)
    throw Error(ErrorKind::usage, "minimum degree: delta is " + std::to_string(options.delta) +
                                      ", expected 0 or more");
  total_ = total_weight(n_, graph.weight);
  order_.reserve(static_cast<std::size_t>(n_));
  load(graph);
  lists_.reset(n_, total_);
  defer_dense(graph);
  initial_degrees(graph);
}

void MinimumDegree::load(const GraphView& graph) {
  const Offset edges = graph.edges();
  const auto capacity = static_cast<std::size_t>(edges + edges / 5 + n_);
  if (w_.list_.size() < capacity) w_.list_.resize(capacity);
  const Offset base = graph.ptr.front();
  std::copy_n(graph.adjacency.begin() + base, edges, w_.list_.begin());
  tail_ = edges;
  live_ = n_;
  fill(w_.start_, n_, Offset{0});
  std::transform(graph.ptr.begin(), graph.ptr.end() - 1, w_.start_.begin(),
                 [base](Offset p) { return p - base; });
  stop_here();  // large arrays take long to fill
  fill(w_.length_, n_, 0);
  for (Index v = 0; v < n_; ++v) w_.length_[v] = graph.degree(v);
  fill(w_.elements_, n_, 0);
  fill(w_.kind_, n_, std::uint8_t{kVariable});
  fill(w_.exact_, n_, std::uint8_t{1});
  fill(w_.stale_, n_, std::uint8_t{0});
  fill(w_.absorber_, n_, kNone);
  fill(w_.light_round_, n_, 0);
  fill(w_.weight_, n_, 1);
  std::copy(graph.weight.begin(), graph.weight.end(), w_.weight_.begin());
  stop_here();
  fill(w_.member_next_, n_, kNone);
  fill(w_.member_last_, n_, 0);
  std::iota(w_.member_last_.begin(), w_.member_last_.begin() + n_, 0);
  fill(w_.touch_round_, n_, 0);
  fill(w_.hash_head_, n_, kNone);
  fill(w_.mark_, n_, Offset{0});
  fill(w_.seen_, n_, Offset{0});
  stop_here();
  for (auto* x : {&w_.size_of_, &w_.degree_, &w_.hash_next_, &w_.outside_}) fill(*x, n_, 0);
  stop_here();
  for (auto* x : {&w_.low_, &w_.high_}) fill(*x, n_, Offset{0});
  fill(w_.hash_, n_, std::uint64_t{0});
}

/// Moves dense rows to last_, by ascending degree: they come last, and count in no degree. A row
/// adjacent to almost all others lengthens all lists, and its place in the order hardly matters.
/// Precedes initial_degrees().
void MinimumDegree::defer_dense(const GraphView& graph) {
  if (!(options_.dense > 0)) return;
  const double limit = std::max(16.0, options_.dense * std::sqrt(static_cast<double>(total_)));
  std::vector<std::pair<Offset, Index>> dense;
  for (Index v = 0; v < n_; ++v) {
    Offset degree = 0;
    for (const Index u : graph.neighbours(v)) degree += w_.weight_[u];
    if (static_cast<double>(degree) > limit) dense.emplace_back(degree, v);
  }
  std::sort(dense.begin(), dense.end());
  for (const auto& [degree, v] : dense) {
    last_.push_back(v);
    w_.kind_[v] = kDead;
    w_.weight_[v] = 0;
    --live_;
  }
}

void MinimumDegree::initial_degrees(const GraphView& graph) {
  const StopCheck check_stop;
  for (Index v = 0; v < n_; ++v) {
    check_stop.at(v);
    if (w_.kind_[v] != kVariable) continue;
    Index degree = 0;
    for (const Index u : graph.neighbours(v)) degree += w_.weight_[u];
    w_.degree_[v] = degree;
  }
  for (const Index v : initial_order(graph, options_.tie_break))
    if (w_.kind_[v] == kVariable) lists_.push_back(v, w_.degree_[v]);
}

void MinimumDegree::insert(Index v) {
  if (w_.degree_[v] < 0) w_.degree_[v] = 0;
  lists_.push_front(v, w_.degree_[v]);
}

void MinimumDegree::number(Index i) {
  for (Index v = i; v != kNone; v = w_.member_next_[v]) order_.push_back(v);
}

/// Returns the exact external degree of variable i: the weight of the union of its variables A_i
/// and of the lists L_e of its elements e, without i. Removes merged and eliminated variables from
/// these lists L_e.
Index MinimumDegree::exact_degree(Index i) {
  const Offset stamp = ++stamp_;
  w_.mark_[i] = stamp;
  Index degree = 0;
  for (const Index e : elements_of(i)) {
    Index kept = 0;
    const std::span<Index> list = list_of(e);
    for (const Index u : list) {
      if (w_.weight_[u] == 0) continue;
      list[kept++] = u;
      if (w_.mark_[u] == stamp) continue;
      w_.mark_[u] = stamp;
      degree += w_.weight_[u];
    }
    w_.length_[e] = kept;
  }
  for (const Index u : variables_of(i)) degree += w_.weight_[u];
  return degree;
}

/// Eliminates one independent set of supervariables within delta of the least degree. Vertices that
/// a pivot touched have left the degree lists, so all others in them have the degrees that they had
/// when the round began.
void MinimumDegree::eliminate_round() {
  ++round_;
  w_.pivots_.clear();
  w_.touched_.clear();
  Offset limit = kNone;
  Index d = lists_.least();
  for (; limit == kNone || d <= limit; ++d) {
    for (Index v = lists_.front(d); v != kNone; v = lists_.front(d)) {
      lists_.remove(v, d);
      if (w_.exact_[v] == 0) {
        if (w_.stale_[v] != 0) clean(v);
        w_.degree_[v] = exact_degree(v);
        w_.exact_[v] = 1;
        if (w_.degree_[v] > d) {
          insert(v);
          continue;
        }
      }
      if (limit == kNone) {
        record(Event::round, kNone, d);
        limit = std::min<Offset>(static_cast<Offset>(d) + options_.delta, total_ - 1);
      }
      record(Event::select, v, d);
      stop_here();
      eliminate(v);
    }
  }
  lists_.set_least(d);
}

std::vector<Index> MinimumDegree::run() {
  while (live_ > 0) {
    eliminate_round();
    update_round();
  }
  order_.insert(order_.end(), last_.begin(), last_.end());
  return std::move(order_);
}

std::vector<Index> minimum_degree(const GraphView& graph, const OrderingOptions& options,
                                  MinimumDegreeWorkspace& workspace,
                                  std::vector<MinimumDegreeEvent>* trace) {
  return MinimumDegree(graph, options, workspace, trace).run();
}

}  // namespace kauri::ordering
