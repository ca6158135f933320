// Fixed places for items that live from one ticket to another, with the edges that reuse of memory needs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/types.hpp"

namespace kauri::symbolic {

/// First fit over one arena, driven in ticket order. Memory is given to ticket t only if its last reader has a ticket <= t - workers, so
/// that tasks running at once seldom wait for each other's memory; whoever gets it must wait for that reader.
class Arena {
 public:
  explicit Arena(int workers) : workers_(workers) {}

  /// Starts ticket t (ascending): what was released in time becomes free.
  void begin(Index ticket);
  /// A place of `size` > 0 units, live until task `reader` >= the ticket of begin() is done; appends to `waits` the readers to wait for
  /// (repeats are possible). O(free pieces).
  Offset take(Offset size, Index reader, std::vector<Index>& waits);
  /// Units in use at most.
  [[nodiscard]] Offset size() const { return size_; }

 private:
  struct Piece {
    Offset begin;
    Offset end;
    Index reader;  // the last to read it
  };

  void give(const Piece& piece);

  int workers_;
  Offset size_ = 0;
  std::vector<Piece> free_;     // ascending, disjoint
  std::vector<Piece> pending_;  // a heap by reader, least on top
};

}  // namespace kauri::symbolic
