// Places of contribution blocks inside one task: two stacks that grow toward each other.
//
// In a postorder the live blocks of even depth form one stack, and those of odd depth another. A
// front's block is pushed on the stack of its depth while its children, the top of the other stack,
// are still live; then the children are popped. So no block is ever moved, and the region needs no
// more than the greatest total of live blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "symbolic/host/task_cut.hpp"
#include "symbolic/tree/supernodes.hpp"

namespace kauri::symbolic {

/// The tasks over the assembly tree, and data of tasks and fronts that stay fixed while memory is
/// laid out.
struct TaskTree {
  const FrontTree& fronts;       ///< postordered
  std::vector<TaskRange> range;  ///< tasks, ascending
  std::vector<Index> task_of;    ///< length fronts: task of each front
  std::vector<Index> parent;  ///< length tasks: the task of the parent of its last front, or kNone
  std::vector<Index> least;   ///< length tasks: lowest ticket among the task and its descendants,
                              ///< whose tickets are least[t] .. t
  std::vector<unsigned char> odd;  ///< length fronts: depth modulo 2

  [[nodiscard]] Index tasks() const { return static_cast<Index>(range.size()); }
  /// Returns true if task t is a single front.
  [[nodiscard]] bool alone(Index t) const { return range[t].last - range[t].first == 1; }
  /// Returns true if the parent of front s, which consumes its block, is in the same task.
  [[nodiscard]] bool internal(Index s) const {
    return fronts.parent[s] != kNone && task_of[fronts.parent[s]] == task_of[s];
  }
};

/// Makes the TaskTree of the tasks `range`. The result refers to `fronts`. O(fronts).
TaskTree task_tree(const FrontTree& fronts, std::vector<TaskRange> range);

/// Memory of one task, in the units of its blocks' sizes: blocks consumed inside the task lie in
/// the region, blocks left for the parent task lie side by side.
struct TaskExtent {
  Offset region = 0;  ///< size of the region
  Offset left = 0;    ///< size of all blocks left for the parent task
};

/// Sets the places of the blocks of task t, size[s] units each: relative to the start of the region
/// for internal blocks, to the start of the blocks left behind for the others, and kNone for blocks
/// of size 0. scratch: length fronts, zero on entry and on return. Throws Error(overflow) if the
/// units of live blocks, or of blocks left behind, exceed an Offset. O(fronts of the task).
TaskExtent place_blocks(const TaskTree& tree, Index t, std::span<const Offset> size,
                        std::span<Offset> place, std::span<Offset> scratch);

}  // namespace kauri::symbolic
