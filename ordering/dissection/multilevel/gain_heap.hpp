// A heap of vertices by gain, greatest on top, in which any vertex may be changed or erased.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::ordering::dissection {

/// A binary heap that stores the position of each vertex. Which of several vertices of equal gain
/// is on top depends on the sequence of calls alone.
class GainHeap {
 public:
  /// Reserves memory for vertices 0 ... n-1. The heap must be empty, and stays so.
  void reserve(Index n) {
    if (place_.size() < static_cast<std::size_t>(n))
      place_.resize(static_cast<std::size_t>(n), kNone);
  }
  [[nodiscard]] bool empty() const { return entry_.empty(); }
  [[nodiscard]] Index top() const { return entry_.front().vertex; }
  [[nodiscard]] bool has(Index v) const { return place_[v] != kNone; }

  void push(Index v, Index gain) {
    entry_.push_back({});
    up(entry_.size() - 1, {gain, v});
  }
  void erase(Index v) {
    const auto hole = static_cast<std::size_t>(place_[v]);
    place_[v] = kNone;
    const HeapItem last = entry_.back();
    entry_.pop_back();
    if (hole < entry_.size()) settle(hole, last);
  }
  void pop() { erase(top()); }
  /// Adds `change` to the gain of v, which is in the heap.
  void add(Index v, Index change) {
    const auto at = static_cast<std::size_t>(place_[v]);
    settle(at, {entry_[at].gain + change, v});
  }
  void clear() {
    for (const HeapItem& e : entry_) place_[e.vertex] = kNone;
    entry_.clear();
  }

 private:
  struct HeapItem {
    Index gain, vertex;
  };
  void put(std::size_t at, HeapItem e) {
    entry_[at] = e;
    place_[e.vertex] = static_cast<Index>(at);
  }
  void up(std::size_t at, HeapItem e) {
    for (; at > 0 && entry_[(at - 1) / 2].gain < e.gain; at = (at - 1) / 2)
      put(at, entry_[(at - 1) / 2]);
    put(at, e);
  }
  void settle(std::size_t at, HeapItem e) {
    if (at > 0 && entry_[(at - 1) / 2].gain < e.gain) return up(at, e);
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= entry_.size()) break;
      if (child + 1 < entry_.size() && entry_[child].gain < entry_[child + 1].gain) ++child;
      if (entry_[child].gain <= e.gain) break;
      put(at, entry_[child]);
      at = child;
    }
    put(at, e);
  }

  std::vector<HeapItem> entry_;
  std::vector<Index> place_;  // by vertex: its index in entry_, or kNone
};

}  // namespace kauri::ordering::dissection
