// The fixed cut of the assembly tree into tasks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::symbolic {

/// The cut of the assembly tree: which subtrees are small enough to be one task. A function of the
/// work alone, never of the number of workers.
struct Cut {
  double largest = 0;  ///< a subtree with more work than this is cut: a 64th of all work, but never
                       ///< below the floor of find_cut()
  double grain = 0;    ///< tasks with less work than this are joined with neighbours if that costs
                       ///< little parallelism: a quarter of `largest`, but never below the floor
  std::vector<double> subtree;       ///< length fronts: work of each subtree
  std::vector<unsigned char> above;  ///< length fronts: 1 if its subtree is cut
  std::vector<unsigned char> small;  ///< length fronts: 1 if its subtree is smaller than the grain
};

/// Finds the cut. parent[s] > s or kNone; work[s] >= 0: work of front s, in any unit; floor: least
/// value of `largest` and `grain`, in that unit. O(fronts).
Cut find_cut(std::span<const Index> parent, std::span<const double> work, double floor);

/// A task: fronts [first, last) in ascending order. All its fronts whose parent lies outside have
/// the same parent (or none).
struct TaskRange {
  Index first;
  Index last;
};

/// Returns the tasks over postordered fronts, ascending: whole subtrees below the cut, runs of
/// small sibling subtrees, and single fronts above the cut. A small front above the cut joins the
/// task of its only child task and of the small subtrees just before it, if their work together is
/// at most cut.grain, so that a chain of fronts does not become one task per front. O(fronts).
std::vector<TaskRange> task_ranges(std::span<const Index> parent, std::span<const double> work,
                                   const Cut& cut);

}  // namespace kauri::symbolic
