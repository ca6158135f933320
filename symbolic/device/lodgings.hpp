// Places in one array for what lives only for a while.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <span>
#include <vector>

#include "kauri/types.hpp"

namespace kauri::symbolic {

/// Something that lives from phase `born` to phase `dies`, both included.
struct Lodger {
  Index born, dies;
  Offset size;  ///< > 0
  Offset at = 0;
};

/// Gives each a place, those who live in one phase apart: who dies last first, and each the lowest place that is free for all of its life.
/// So what is there reaches less and less far as phases end: where memory fills up with what stays, that is when room is short. Returns the
/// size of all. O(n log n), but for the search through gaps.
Offset give_places(std::vector<Lodger>& lodgers);

/// The same, or with those first who are there when room is shortest, whichever leaves more of it: `stays[f]` entries are there in phase f
/// at the other end of the array.
Offset give_places(std::vector<Lodger>& lodgers, std::span<const Offset> stays);

/// Per phase: how far those who are there reach.
std::vector<Offset> reach_of(const std::vector<Lodger>& lodgers, Index phases);

/// When each part of an array was last used, phase by phase.
class LastUse {
 public:
  /// The last phase in which any of [begin, end) was in use, or -1.
  [[nodiscard]] Index of(Offset begin, Offset end) const;
  /// [begin, end) is in use until `phase`, no earlier than that of any part of it before.
  void set(Offset begin, Offset end, Index phase);

 private:
  struct Stretch {
    Offset end;
    Index phase;
  };
  std::map<Offset, Stretch> used_;  // by beginning; apart
};

}  // namespace kauri::symbolic
