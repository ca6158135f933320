// Fixed places for items that live from one ticket to another, with the edges that reuse of memory needs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/types.hpp"

namespace kauri::symbolic {

/// First fit over one arena, driven in ticket order. Memory is given to ticket t only if its last reader has a ticket <= t - workers, so
/// that tasks running at once seldom wait for each other's memory, or is a task that t waits for anyway; whoever gets it must wait for
/// that reader.
class Arena {
 public:
  explicit Arena(int workers) : workers_(workers) {}

  /// Starts ticket t (ascending), which waits for the tasks least .. t-1 by data.
  void begin(Index ticket, Index least);
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
  [[nodiscard]] bool open(const Piece& piece) const { return piece.reader <= ticket_ - workers_ || piece.reader >= least_; }

  int workers_;
  Index ticket_ = 0;
  Index least_ = 0;
  Offset size_ = 0;
  std::vector<Piece> free_;     // ascending, disjoint; their readers have lower tickets
  std::vector<Piece> pending_;  // a heap by reader, least on top
};

}  // namespace kauri::symbolic
