// Eliminates vertices on the quotient graph, with lists of elements in the storage of A's edges.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/check/quotient_elimination.hpp"

#include <algorithm>
#include <string>

#include "kauri/core/error.hpp"

namespace kauri::symbolic {

QuotientElimination::QuotientElimination(const Graph& graph, const Permutation& permutation) {
  const Index n = graph.size();
  if (permutation.size() != n)
    throw Error(ErrorKind::usage, "quotient elimination: a graph of " + std::to_string(n) +
                                      " vertices, a permutation of " +
                                      std::to_string(permutation.size()) +
                                      " rows, expected as many");
  const auto length = static_cast<std::size_t>(n);
  ptr_.reserve(length + 1);
  ptr_.push_back(0);
  list_.reserve(static_cast<std::size_t>(graph.edges() / 2));
  for (Index k = 0; k < n; ++k) {
    for (const Index u : graph.neighbours(permutation.old_of(k)))
      if (permutation.new_of(u) > k) list_.push_back(permutation.new_of(u));
    ptr_.push_back(static_cast<Offset>(list_.size()));
  }
  length_.assign(length, 0);
  for (auto* x : {&next_block_, &last_block_, &first_block_, &first_child_, &next_child_, &mark_})
    x->assign(length, kNone);
  reached_.resize(length);
  live_ = peak_ = capacity();
}

/// Appends the blocks from `block` on (a chain that ends in last_block_[block]) to the chain of k.
void QuotientElimination::append_block(Index k, Index block) {
  if (first_block_[k] == kNone) {
    first_block_[k] = block;
  } else {
    next_block_[last_block_[first_block_[k]]] = block;
    last_block_[first_block_[k]] = last_block_[block];
  }
}

/// Adds the later neighbours in an element's list that are not in reached_ yet, and releases the
/// list.
void QuotientElimination::gather(Index k, Index element) {
  Index left = length_[element];
  live_ -= left;
  for (Index block = first_block_[element]; left > 0; block = next_block_[block]) {
    const Offset begin = ptr_[block], end = std::min(ptr_[block + 1], begin + left);
    for (Offset q = begin; q < end; ++q) {
      if (mark_[list_[q]] == k) continue;
      mark_[list_[q]] = k;
      reached_[reached_count_++] = list_[q];
    }
    left -= static_cast<Index>(end - begin);
  }
}

/// Writes the gathered vertices into the chain of k, drops blocks that the list does not need from
/// the chain, and enters the element at its least vertex.
void QuotientElimination::store(Index k) {
  length_[k] = reached_count_;
  live_ += reached_count_;
  peak_ = std::max(peak_, live_);
  if (reached_count_ == 0) return;
  Index done = 0, block = first_block_[k];
  for (;; block = next_block_[block]) {
    const auto room =
        static_cast<Index>(std::min<Offset>(ptr_[block + 1] - ptr_[block], reached_count_ - done));
    std::copy_n(reached_.begin() + done, room, list_.begin() + ptr_[block]);
    done += room;
    if (done == reached_count_) break;
  }
  last_block_[first_block_[k]] = block;
  const Index least = *std::min_element(reached_.begin(), reached_.begin() + reached_count_);
  next_child_[k] = first_child_[least];
  first_child_[least] = k;
}

std::span<const Index> QuotientElimination::eliminate_next() {
  const Index k = next_++;
  reached_count_ = 0;
  mark_[k] = k;
  if (ptr_[k] < ptr_[k + 1]) {
    last_block_[k] = k;
    first_block_[k] = k;
    length_[k] = static_cast<Index>(ptr_[k + 1] - ptr_[k]);
    gather(k, k);
  }
  for (Index f = first_child_[k]; f != kNone; f = next_child_[f]) {
    gather(k, f);
    append_block(k, first_block_[f]);
  }
  store(k);
  return {reached_.data(), static_cast<std::size_t>(reached_count_)};
}

std::vector<Index> quotient_column_counts(const Graph& graph, const Permutation& permutation) {
  QuotientElimination elimination(graph, permutation);
  std::vector<Index> count(static_cast<std::size_t>(graph.size()));
  for (Index& c : count) c = static_cast<Index>(elimination.eliminate_next().size()) + 1;
  return count;
}

void quotient_structures(
    const Graph& graph, const Permutation& permutation,
    const std::function<void(Index column, std::span<const Index> rows)>& visit) {
  QuotientElimination elimination(graph, permutation);
  std::vector<Index> rows;
  for (Index k = 0; k < graph.size(); ++k) {
    const std::span<const Index> later = elimination.eliminate_next();
    rows.assign(1, k);
    rows.insert(rows.end(), later.begin(), later.end());
    std::sort(rows.begin() + 1, rows.end());
    visit(k, rows);
  }
}

}  // namespace kauri::symbolic
