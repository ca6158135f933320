// Cuts the tree by work, and joins tasks that are too small.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/host/task_cut.hpp"

#include <algorithm>

namespace kauri::symbolic {
namespace {

constexpr double kShares = 64;  // a subtree with more than 1 / kShares of all work is cut

/// Builds the tasks from left to right.
class TaskBuilder {
 public:
  TaskBuilder(std::span<const Index> parent, std::span<const double> work, const Cut& cut)
      : parent_(parent), work_(work), cut_(cut), waiting_(parent.size(), 0) {}

  /// Adds a whole subtree [first, root]. It joins the open run of siblings before it if the run is
  /// small and the two together are no larger than cut.largest.
  void add_subtree(Index first, Index root) {
    if (!open_.empty() && open_.back().run && open_.back().parent == parent_[root]) {
      OpenTask& run = open_.back();
      if (run.work < cut_.grain && run.work + cut_.subtree[root] <= cut_.largest) {
        run.range.last = root + 1;
        run.work += cut_.subtree[root];
        return;
      }
    }
    push({{first, root + 1}, parent_[root], cut_.subtree[root], true});
  }

  /// Adds a front above the cut. Its task takes in the run of subtrees before it, then its only
  /// child task, if the work stays within cut.grain.
  void add_front(Index s) {
    OpenTask task{{s, s + 1}, parent_[s], work_[s], false};
    if (waits_for_last(s) && open_.back().run && open_.back().work + task.work <= cut_.grain)
      take_in_last(task);
    if (waits_for_last(s) && waiting_[s] == 1 && !open_.back().run &&
        open_.back().work + task.work <= cut_.grain)
      take_in_last(task);
    push(task);
  }

  [[nodiscard]] std::vector<TaskRange> ranges() const {
    std::vector<TaskRange> out;
    out.reserve(open_.size());
    for (const OpenTask& task : open_) out.push_back(task.range);
    return out;
  }

 private:
  struct OpenTask {
    TaskRange range;
    Index parent;  // the front that waits for this task
    double work;
    bool run;  // true: consists of whole subtrees
  };

  [[nodiscard]] bool waits_for_last(Index s) const {
    return !open_.empty() && open_.back().parent == s;
  }
  void push(const OpenTask& task) {
    if (task.parent != kNone) ++waiting_[task.parent];
    open_.push_back(task);
  }
  void take_in_last(OpenTask& task) {
    const OpenTask& last = open_.back();
    --waiting_[last.parent];
    task.range.first = last.range.first;
    task.work += last.work;
    open_.pop_back();
  }

  std::span<const Index> parent_;
  std::span<const double> work_;
  const Cut& cut_;
  std::vector<Index> waiting_;  // per front: tasks that it waits for
  std::vector<OpenTask> open_;
};

}  // namespace

Cut find_cut(std::span<const Index> parent, std::span<const double> work, double floor) {
  const auto count = static_cast<Index>(parent.size());
  Cut cut;
  cut.subtree.assign(work.begin(), work.end());
  double total = 0;
  for (Index s = 0; s < count; ++s) {
    total += work[s];
    if (parent[s] != kNone) cut.subtree[parent[s]] += cut.subtree[s];
  }
  cut.largest = std::max(floor, total / kShares);
  cut.grain = std::max(floor, cut.largest / 4);
  cut.above.resize(parent.size());
  cut.small.resize(parent.size());
  for (Index s = 0; s < count; ++s) {
    cut.above[s] = cut.subtree[s] > cut.largest;
    cut.small[s] = cut.subtree[s] < cut.grain;
  }
  return cut;
}

std::vector<TaskRange> task_ranges(std::span<const Index> parent, std::span<const double> work,
                                   const Cut& cut) {
  const auto count = static_cast<Index>(parent.size());
  TaskBuilder builder(parent, work, cut);
  Index first = 0;  // first front of the subtree that s lies in, if s is below the cut
  for (Index s = 0; s < count; ++s) {
    if (cut.above[s]) {
      builder.add_front(s);
      first = s + 1;
    } else if (parent[s] == kNone || cut.above[parent[s]]) {
      builder.add_subtree(first, s);
      first = s + 1;
    }
  }
  return builder.ranges();
}

}  // namespace kauri::symbolic
