// Offsets in one array for blocks whose live ranges are intervals of phases (offline dynamic
// storage allocation).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <span>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::symbolic {

/// A block that is in use from phase `born` to phase `dies`, both included.
struct LiveBlock {
  Index born, dies;
  Offset size;    ///< entries, > 0
  Offset at = 0;  ///< offset in entries, which allocate_offsets() sets
};

/// Sets the offset of each block so that blocks in use in the same phase do not overlap, and
/// returns the size of the array. Blocks are placed by descending `dies`, each at the lowest offset
/// that is free during its whole range. So the end of the part in use recedes from phase to phase,
/// which leaves room for panels: these stay, and fill the memory from its other end. O(n log n)
/// plus the search through gaps. Throws Error(overflow) if the array is larger than an Offset.
Offset allocate_offsets(std::vector<LiveBlock>& blocks);

/// Sets the offset of each block in one of two ways: as the function above, or with those blocks
/// placed first that are in use in the phase with the least room. Takes the way with the smaller
/// array of blocks and `stays`. Returns the end of the blocks. stays[f], for all phases: entries in
/// use in phase f at the other end of the array. Throws Error(overflow) as above.
Offset allocate_offsets(std::vector<LiveBlock>& blocks, std::span<const Offset> stays);

/// Returns, for each phase, the highest end of a block in use, 0 if there is none. Length `phases`.
std::vector<Offset> reach_of(const std::vector<LiveBlock>& blocks, Index phases);

/// The last phase in which each part of an array was in use, set phase by phase.
class LastUse {
 public:
  /// Returns the last phase in which any part of [begin, end) was in use, or -1.
  [[nodiscard]] Index of(Offset begin, Offset end) const;
  /// Marks [begin, end) as in use until `phase`, which is no earlier than the last use of any part
  /// of it before.
  void set(Offset begin, Offset end, Index phase);

 private:
  struct Interval {
    Offset end;
    Index phase;
  };
  std::map<Offset, Interval> used_;  // by beginning; intervals do not overlap
};

}  // namespace kauri::symbolic
