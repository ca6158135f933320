// Simulates the two stacks of contribution blocks of a task once, to size their region and to place
// the blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/host/task_memory.hpp"

#include <algorithm>
#include <utility>

#include "base/common/checked.hpp"

namespace kauri::symbolic {

TaskTree task_tree(const FrontTree& fronts, std::vector<TaskRange> range) {
  TaskTree tree{fronts, std::move(range), {}, {}, {}, {}};
  tree.task_of.resize(fronts.parent.size());
  tree.odd.resize(fronts.parent.size());
  for (Index t = 0; t < tree.tasks(); ++t)
    for (Index s = tree.range[t].first; s < tree.range[t].last; ++s) tree.task_of[s] = t;
  for (Index s = fronts.count() - 1; s >= 0; --s)
    tree.odd[s] = fronts.parent[s] == kNone ? 0 : 1 - tree.odd[fronts.parent[s]];
  tree.parent.resize(tree.range.size());
  tree.least.resize(tree.range.size());
  for (Index t = 0; t < tree.tasks(); ++t) tree.least[t] = t;
  for (Index t = 0; t < tree.tasks(); ++t) {
    const Index up = fronts.parent[tree.range[t].last - 1];
    tree.parent[t] = up == kNone ? kNone : tree.task_of[up];
    if (up != kNone)
      tree.least[tree.parent[t]] = std::min(tree.least[tree.parent[t]], tree.least[t]);
  }
  return tree;
}

TaskExtent place_blocks(const TaskTree& tree, Index t, std::span<const Offset> size,
                        std::span<Offset> place, std::span<Offset> scratch) {
  TaskExtent extent;
  Offset live[2] = {0, 0};
  const TaskRange range = tree.range[t];
  for (Index s = range.first; s < range.last; ++s) {
    const int side = tree.odd[s];
    place[s] = kNone;
    if (!tree.internal(s)) {
      if (size[s] > 0) place[s] = extent.left;
      extent.left = checked_add(extent.left, size[s], "entries of contribution blocks");
    } else {
      if (size[s] > 0) place[s] = live[side];
      live[side] = checked_add(live[side], size[s], "entries of contribution blocks");
      extent.region =
          std::max(extent.region, checked_add(live[0], live[1], "entries of contribution blocks"));
      scratch[tree.fronts.parent[s]] += size[s];
    }
    live[1 - side] -= scratch[s];
    scratch[s] = 0;
  }
  for (Index s = range.first; s < range.last; ++s)  // the odd stack grows down from the end
    if (tree.odd[s] && place[s] != kNone && tree.internal(s))
      place[s] = extent.region - place[s] - size[s];
  return extent;
}

}  // namespace kauri::symbolic
