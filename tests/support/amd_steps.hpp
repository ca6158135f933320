// What the steps of approximate minimum degree promise, for comparison with the elimination game.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "ordering/amd.hpp"

namespace kauri::test {

/// Entries of L that the steps promise: `eliminated` columns of one front that begins with weight + external rows.
inline Offset fill_of(const std::vector<ordering::AmdPivot>& trace) {
  Offset sum = 0;
  for (const ordering::AmdPivot& step : trace) {
    const Offset front = Offset{step.weight} + step.external, columns = step.eliminated;
    sum += columns * front - columns * (columns - 1) / 2;
  }
  return sum;
}

/// The same order, but in each front the pivot comes first. (A vertex that leaves along with it may have fewer neighbours while the pivot
/// is still there.)
inline std::vector<Index> pivots_first(std::vector<Index> order, const std::vector<ordering::AmdPivot>& trace,
                                       std::span<const Index> weight) {
  std::vector<Index> leaving(order.size(), 0);  // by pivot
  for (const ordering::AmdPivot& step : trace) leaving[step.vertex] = step.eliminated;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t at = first;  // the first pivot met belongs to the front that begins here: each front has one
    while (leaving[order[at]] == 0) ++at;
    Index left = leaving[order[at]];
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(first), order.begin() + static_cast<std::ptrdiff_t>(at),
                order.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    while (left > 0) left -= weight.empty() ? 1 : weight[order[first]], ++first;
  }
  return order;
}

}  // namespace kauri::test
