// Fixed places for blocks that live during an interval of a run, in memory that the panels of L
// take over bit by bit.
//
// Panels lie first, in the order of tickets. A block may lie in the panels of tasks that begin
// after its last reader, in memory of blocks whose readers are done, or beyond the panels. All
// blocks are known beforehand (dynamic storage allocation known ahead: M. R. Garey & D. S. Johnson,
// "Computers and Intractability" (1979), problem SR2). The best placement is NP-hard to find, so a
// few greedy orders are tried: the greatest block first, or the block read last first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::symbolic {

/// A block in use from step `born` to step `dies`, both included. Step 2t is the beginning of task
/// t, in which its panel is assembled; step 2t+1 is the rest of the task.
struct TaskBlock {
  Offset size;  ///< entries, > 0
  Offset born;
  Offset dies;  ///< a step of the task that made it, or of that task's parent
};

/// Panels of tasks, and which tasks wait for which by data.
struct TaskPanels {
  std::span<const Offset> panel;  ///< length tasks+1: panels of task t lie at [panel[t],
                                  ///< panel[t+1]), in use from step 2t for good
  std::span<const Index> least;   ///< length tasks: t waits for the tasks least[t] .. t-1 by data
  Index lag;  ///< >= 1: tickets between a reader and a task that gets its memory without waiting
              ///< for it by data
};

/// An edge of the task graph: the second waits for the first.
using Edge = std::pair<Index, Index>;

/// Result of place_blocks().
struct Placement {
  std::vector<Offset> place;  ///< place of each block, in entries; panels begin at panel[0]
  Offset end = 0;             ///< end of the memory of all blocks and panels, in entries
  std::vector<Edge>
      waits;  ///< edges that reuse of memory needs beside the edges by data; repeats are possible
};

/// Places all blocks, which come ascending by `born`. Memory is handed from a reader to a task that
/// waits for it by data, or else to a task whose ticket is at least `lag` higher, so that tasks
/// running at once seldom wait for each other's memory. Throws Error(overflow) if the entries of
/// panels and blocks exceed an Offset. O(pairs of blocks that may be alive at once + blocks * lag,
/// times log).
Placement place_blocks(const TaskPanels& panels, std::span<const TaskBlock> blocks);

}  // namespace kauri::symbolic
