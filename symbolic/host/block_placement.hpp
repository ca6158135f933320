// Fixed places for blocks that live from one moment of a run to another, in memory that the panels of L take over bit by bit.
//
// Panels lie first, in the order of tickets. A block may lie in the panels of tasks that begin after its last reader, in memory of blocks
// whose readers are done, or beyond the panels. All blocks are known beforehand, so they are placed in orders that serve memory best: the
// greatest first, or those read last first (as in dynamic storage allocation known ahead: M. R. Garey & D. S. Johnson, "Computers and
// Intractability" (1979), problem SR2; what is best is NP-hard, so a few greedy ways are tried).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "kauri/types.hpp"

namespace kauri::symbolic {

/// A block in use from step `born` to step `dies`, both included. Step 2t is the first of task t, in which its panel is assembled; step
/// 2t+1 is the rest of it.
struct TaskBlock {
  Offset size;  ///< > 0
  Offset born;
  Offset dies;  ///< in the task that made it, or in that task's parent
};

/// Panels of tasks, and which tasks wait for which by data.
struct TaskPanels {
  std::span<const Offset> panel;  ///< length tasks+1: panels of task t lie at [panel[t], panel[t+1]), in use from step 2t for good
  std::span<const Index> least;   ///< length tasks: t waits for the tasks least[t] .. t-1 by data
  Index lag;                      ///< >= 1: tickets between a reader and a task that gets its memory without waiting for it by data
};

/// An edge of the task graph: the second waits for the first.
using Edge = std::pair<Index, Index>;

struct Placement {
  std::vector<Offset> place;  ///< of each block
  Offset end = 0;             ///< of all places and panels
  std::vector<Edge> waits;    ///< edges that reuse of memory needs beside those by data; repeats are possible
};

/// Places for all blocks (ascending by `born`). Memory goes from a reader to a task that waits for it by data, or else to one whose ticket
/// is at least `lag` higher, so that tasks running at once seldom wait for each other's memory. O(pairs of blocks that may be
/// alive at once + blocks * lag, times log).
Placement place_blocks(const TaskPanels& panels, std::span<const TaskBlock> blocks);

}  // namespace kauri::symbolic
