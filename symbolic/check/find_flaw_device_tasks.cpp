// Checks the validity of the task list of tiled fronts: every tile is written once, and in no order
// of work do all teams wait.
//
// Teams draw tasks in the order of the list. A drawn task can be done once all tasks that it waits
// for are done. A chain or a preparation may wait for tasks that are drawn later; all other tasks
// must not, not even by way of a chain. With E(x) the last task, x included, that must be done for
// x to be done, these others need E(what they wait for) < their place in the list. Then the first
// of them that is not done can be done if a team is left to draw it: at no time may as many chains
// and preparations be running, and waiting for tasks that are drawn later, as there are teams.
//
// A launch may end where a level ends, and the next one begin: E(x) of a chain or a preparation x
// lies before the end of the level that x belongs to.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "symbolic/check/find_flaw.hpp"
#include "symbolic/device/child_sums.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/front_tasks.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

constexpr const char* kTask = "device task";

/// A tiled front and its tasks, by their places in the list.
struct TiledFront {
  Index s;  // supernode
  FrontCells cells;
  Index level;                             // counted from the first of tiled fronts
  std::vector<Index> fill;                 // tasks that fill or sum
  std::vector<Index> contribution, other;  // tasks of the contribution block; of L
  bool sums = false;                       // true: has tasks that sum
};

std::vector<TiledFront> tiled_fronts(const Plan& plan) {
  const DeviceSchedule& device = plan.internals->device;
  std::vector<TiledFront> fronts;
  for (Index l = device.small_levels; l < static_cast<Index>(device.level.size()); ++l)
    for (Index k = device.level[l].first; k < device.level[l].first + device.level[l].count; ++k) {
      const Index s = device.front[k];
      fronts.push_back({s,
                        {plan.supernodes.order(s), plan.supernodes.pivots(s)},
                        l - device.small_levels,
                        {},
                        {},
                        {}});
    }
  return fronts;
}

/// Returns true if the task's tiles, or its sums, are in range for its kind. cells: of the task's
/// front.
bool in_range(const DeviceTask& task, const FrontCells& cells, Index sums) {
  const Index rows = cells.row_tiles(), pivots = cells.pivot_tiles();
  if (task.kind == TaskKind::chain) return true;
  if (task.kind == TaskKind::sum)  // its sums must be whole groups of kSumGroup
    return task.row >= 0 && task.rows > 0 && task.rows <= sums - task.row &&
           task.row % kSumGroup == 0 && task.rows % kSumGroup == 0;
  if (task.column < 0 || task.row < task.column || task.rows < 1 || task.rows > rows - task.row)
    return false;
  if (task.kind == TaskKind::fill) return true;
  if (task.rows > 2) return false;
  if (task.kind == TaskKind::prepare)
    return task.column >= 2 && task.column < pivots && task.row == task.column &&
           task.rows == std::min<Index>(2, rows - task.row);
  if (task.kind == TaskKind::panel) return task.column < pivots && task.row >= task.column + 2;
  return task.kind == TaskKind::contribution && task.column >= pivots;
}

/// Assigns the tasks to their fronts.
std::string deal_tasks(const DeviceSchedule& device, std::vector<TiledFront>& fronts) {
  const auto sums = static_cast<Index>(device.sums.place.size());
  for (Index k = 0; k < static_cast<Index>(device.task.size()); ++k) {
    const DeviceTask& task = device.task[k];
    if (task.front < 0 || task.front >= static_cast<Index>(fronts.size()))
      return at(kTask, k, "of no tiled front");
    TiledFront& front = fronts[task.front];
    if (!in_range(task, front.cells, sums))
      return at(kTask, k, "tiles or sums that its kind does not have");
    const bool fills = task.kind == TaskKind::fill || task.kind == TaskKind::sum;
    (fills                                 ? front.fill
     : task.kind == TaskKind::contribution ? front.contribution
                                           : front.other)
        .push_back(k);
    front.sums = front.sums || task.kind == TaskKind::sum;
  }
  return {};
}

/// The task of a front that writes each of its tiles, and the task that prepares each of its
/// diagonal tiles.
class Writers {
 public:
  explicit Writers(const FrontCells& cells)
      : rows_(cells.row_tiles()), cells_(cells), writer_(place(0, rows_), kNone) {
    prepare.assign(static_cast<std::size_t>(cells.pivot_tiles()), kNone);
  }
  /// Sets the writer of a tile. Returns false if the tile has one already.
  bool set(Index i, Index k, Index task) {
    Index& writer = writer_[place(i, k)];
    const bool free = writer == kNone;
    writer = task;
    return free;
  }
  bool set(const DeviceTask& task, Index k) {
    for (Index r = task.row; r < task.row + task.rows; ++r)
      if (!set(r, task.column, k)) return false;
    return true;
  }
  bool set_chain(Index task) {
    const bool free = chain == kNone;
    chain = task;
    for (Index k = 0; k < cells_.pivot_tiles(); ++k)
      for (Index i = k; i < std::min(k + 2, rows_); ++i)
        if (!set(i, k, task)) return false;
    return free;
  }
  [[nodiscard]] Index of(Index i, Index k) const { return writer_[place(i, k)]; }
  /// Returns true if the tiles of columns [0, columns) have a writer, and no other tiles.
  [[nodiscard]] bool first_columns(Index columns) const {
    for (Index k = 0; k < rows_; ++k)
      for (Index i = k; i < rows_; ++i)
        if ((of(i, k) != kNone) != (k < columns)) return false;
    return true;
  }

  Index chain = kNone;
  std::vector<Index> prepare;  // per pivot tile: the task that prepares it, or kNone

 private:
  [[nodiscard]] std::size_t place(Index i, Index k) const {
    return static_cast<std::size_t>(k) * static_cast<std::size_t>(rows_) +
           static_cast<std::size_t>(i);
  }

  Index rows_;
  FrontCells cells_;
  std::vector<Index> writer_;
};

/// Finds the writers of the tiles of L and of the contribution block. Returns a flaw unless each
/// tile has one.
std::string find_writers(const DeviceSchedule& device, const TiledFront& front, Writers& writers) {
  for (const Index k : front.other) {
    const DeviceTask& task = device.task[k];
    if (task.kind == TaskKind::prepare) {
      if (writers.prepare[task.column] != kNone)
        return at(kTask, k, "a diagonal tile that is prepared already");
      writers.prepare[task.column] = k;
    } else if (task.kind == TaskKind::chain ? !writers.set_chain(k) : !writers.set(task, k)) {
      return at(kTask, k, "a tile that another task writes too");
    }
  }
  for (const Index k : front.contribution)
    if (!writers.set(device.task[k], k)) return at(kTask, k, "a tile that another task writes too");
  if (!writers.first_columns(front.cells.row_tiles()))
    return at("supernode", front.s, "a tile that no task writes");
  for (Index c = 2; c < front.cells.pivot_tiles(); ++c)
    if (writers.prepare[c] == kNone)
      return at("supernode", front.s, "a diagonal tile that no task prepares");
  if (static_cast<Index>(front.contribution.size()) != contribution_tasks(front.cells))
    return at("supernode", front.s, "not as many tasks for its block as its parent waits for");
  return {};
}

/// Checks the tiles that are filled: those of L, and those of the block if sums are added to it,
/// each once. A sum waits for a number of tasks that fill or sum. That number must be that of all
/// tasks that wait for fewer: otherwise the tasks counted could be others.
std::string flaw_in_fills(const DeviceSchedule& device, const TiledFront& front) {
  Writers filled(front.cells);
  std::vector<Index> thresholds;
  for (const Index k : front.fill) {
    const DeviceTask& task = device.task[k];
    if (task.kind == TaskKind::fill && !filled.set(task, k))
      return at(kTask, k, "a tile that is filled twice");
    thresholds.push_back(task.kind == TaskKind::fill ? 0 : task.column);
  }
  if (!filled.first_columns(front.sums ? front.cells.row_tiles() : front.cells.pivot_tiles()))
    return at("supernode", front.s, "tiles that are not filled, or should not be");
  std::sort(thresholds.begin(), thresholds.end());
  for (const Index k : front.fill) {
    const DeviceTask& task = device.task[k];
    const auto fewer =
        std::lower_bound(thresholds.begin(), thresholds.end(), task.column) - thresholds.begin();
    if (task.kind == TaskKind::sum && (task.column < 1 || task.column != fewer))
      return at(kTask, k, "sums that do not wait for all tasks of the stages before");
  }
  return {};
}

/// Computes E, the last task that must be done (see above), of tasks and tiles, front after front
/// by levels.
class Waits {
 public:
  Waits(const Plan& plan, const std::vector<TiledFront>& fronts)
      : device_(plan.internals->device),
        assembly_(plan.internals->assembly),
        fronts_(fronts),
        blocks_(fronts.size(), -1),
        last_(device_.task.size(), -1),
        under_way_(device_.task.size() + 1, 0) {}

  std::string run() {
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
      const TiledFront& front = fronts_[f];
      if (static_cast<Index>(levels_.size()) <= front.level)
        levels_.resize(static_cast<std::size_t>(front.level) + 1,
                       levels_.empty() ? -1 : levels_.back());
      Writers writers(front.cells);
      std::string flaw = find_writers(device_, front, writers);
      if (flaw.empty()) flaw = flaw_in_fills(device_, front);
      if (flaw.empty()) flaw = wait(f, writers);
      if (!flaw.empty()) return flaw;
    }
    Offset now = 0;
    for (Index k = 0; k < static_cast<Index>(device_.task.size()); ++k) {
      now += under_way_[k];
      if (now >= device_.task_teams)
        return at(kTask, k, "as many chains as teams may wait for it or later ones");
    }
    return flaw_in_ends();
  }

 private:
  /// Checks that a launch may end where a level ends: that no task waits for one of a later launch.
  [[nodiscard]] std::string flaw_in_ends() const {
    const std::vector<Index>& end = device_.level_end;
    if (end.size() != levels_.size() || end.back() != static_cast<Index>(device_.task.size()) ||
        end.front() < 1 ||
        std::adjacent_find(end.begin(), end.end(), std::greater_equal<>()) != end.end())
      return "ends of levels that do not divide a device's tasks";
    Index level = 0;
    for (Index k = 0; k < end.back(); ++k) {
      if (k == end[level]) ++level;
      if (last_[k] >= end[level]) return at(kTask, k, "it waits for a task of a later launch");
      if (fronts_[device_.task[k].front].level != level)
        return at(kTask, k, "its launch is that of another level");
    }
    return {};
  }

  /// Returns E, the last task that must be done, of all fronts of the levels below `level`; -1 if
  /// there are none.
  [[nodiscard]] Index levels_below(Index level) const {
    return level == 0 ? -1 : levels_[level - 1];
  }

  std::string wait(std::size_t f, const Writers& writers) {
    const TiledFront& front = fronts_[f];
    Index children = -1;
    for (Index c = assembly_.child_ptr[front.s]; c < assembly_.child_ptr[front.s + 1]; ++c)
      if (const Index t = device_.tiled[assembly_.child[c]]; t != kNone)
        children = std::max(children, blocks_[t]);
    std::map<Index, Index> stages;
    for (const Index k : front.fill)
      stages[device_.task[k].kind == TaskKind::fill ? 0 : device_.task[k].column] = k;
    Index start = children;
    Index& level = levels_[front.level];
    for (const Index k : front.fill) {
      if (fill_waits(front, k, children, stages) >= k)
        return at(kTask, k, "it fills or sums before what it waits for can be done");
      start = std::max(start, k);
    }
    level = std::max(level, start);
    std::vector<Index> chain;  // per column
    for (Index c = 0; c < front.cells.pivot_tiles(); ++c) {
      chain.push_back(chain_waits(front, c, start, writers, chain));
      for (Index i = c + 2; i < front.cells.row_tiles(); ++i)
        if (const Index k = writers.of(i, c); panel_waits(k, start, writers, chain) >= k)
          return at(kTask, k, "a tile of L before what it waits for can be done");
      level = std::max(level, chain.back());
    }
    mark(writers.chain, chain.back());
    for (const Index k : front.other) level = std::max(level, k);
    const Index free = levels_below(device_.block_reuses[f]);
    for (const Index k : front.contribution) {
      const Index last = front.cells.pivot_tiles() - 1;
      Index waits = std::max({start, free, tile(device_.task[k].column, last, writers, chain)});
      for (Index r = 0; r < device_.task[k].rows; ++r)
        waits = std::max(waits, tile(device_.task[k].row + r, last, writers, chain));
      if (waits >= k)
        return at(kTask, k, "a tile of the block before what it waits for can be done");
      blocks_[f] = std::max(blocks_[f], k);
    }
    level = std::max(level, blocks_[f]);
    return {};
  }

  /// Returns E, the last task that must be done, of all that task k waits for; k is a `fill` or
  /// `sum` task. stages: by the number of tasks waited for, the last task that waits for that many.
  [[nodiscard]] Index fill_waits(const TiledFront& front, Index k, Index children,
                                 const std::map<Index, Index>& stages) const {
    const DeviceTask& task = device_.task[k];
    if (task.kind == TaskKind::fill) {
      const auto t = static_cast<std::size_t>(task.front);
      return levels_below(task.column < front.cells.pivot_tiles() ? device_.panel_reuses[t]
                                                                  : device_.block_reuses[t]);
    }
    Index waits = children;
    for (const auto& [threshold, last] : stages)
      if (threshold < task.column) waits = std::max(waits, last);
    return waits;
  }
  /// Returns E, the last task that must be done, of tile (i, k) of L. Tiles on the diagonal and
  /// just below it are the chain's.
  static Index tile(Index i, Index k, const Writers& writers, const std::vector<Index>& chain) {
    return i <= k + 1 ? chain[k] : writers.of(i, k);
  }
  [[nodiscard]] Index panel_waits(Index k, Index start, const Writers& writers,
                                  const std::vector<Index>& chain) const {
    const DeviceTask& task = device_.task[k];
    Index waits = std::max(start, chain[task.column]);
    for (Index r = task.row; task.column > 0 && r < task.row + task.rows; ++r)
      waits = std::max(waits, tile(r, task.column - 1, writers, chain));
    return waits;
  }
  /// Returns E, the last task that must be done, of column c of the chain: the greatest E of the
  /// column before, of its preparation, and of the tile from which the tile below its diagonal tile
  /// is computed.
  Index chain_waits(const TiledFront& front, Index c, Index start, const Writers& writers,
                    const std::vector<Index>& chain) {
    Index waits = std::max(start, writers.chain);
    if (c == 0) return waits;
    waits = std::max(waits, chain[c - 1]);
    const Index end = std::min(c + 2, front.cells.row_tiles());
    if (c + 1 < end) waits = std::max(waits, writers.of(c + 1, c - 1));
    if (c == 1) return waits;
    Index prepared = std::max(start, writers.prepare[c]);
    for (Index r = c; r < end; ++r) prepared = std::max(prepared, writers.of(r, c - 2));
    mark(writers.prepare[c], prepared);
    return std::max(waits, prepared);
  }
  /// Notes that `last` is the last task that must be done for `task` to be done, which is a chain
  /// or a preparation, and counts `task` at the positions behind it up to `last`, at which it may
  /// wait for tasks that are not drawn yet.
  void mark(Index task, Index last) {
    last_[task] = last;
    ++under_way_[task + 1];
    if (last < static_cast<Index>(device_.task.size())) --under_way_[last + 1];
  }

  const DeviceSchedule& device_;
  const Assembly& assembly_;
  const std::vector<TiledFront>& fronts_;
  std::vector<Index> levels_;      // by level: E of all fronts up to and with the level
  std::vector<Index> blocks_;      // E of each front's block
  std::vector<Index> last_;        // per task: E of chains and preparations; -1 of all others,
                                   // which wait for tasks before them
  std::vector<Offset> under_way_;  // by position: change in the number of tasks that may wait
};

}  // namespace

std::string flaw_in_device_tasks(const Plan& plan) {
  const DeviceSchedule& device = plan.internals->device;
  if (!device.on) return {};
  if (device.hooks.teams() < 0 || device.hooks.teams() % 2 != 0 ||
      (device.hooks.teams() > 0 && device.hooks.teams() < device.task_teams))
    return "teams that are not pairs, or fewer than the tasks were made for";
  if (device.hooks.least_part() <= 0 || device.hooks.least_part() % kInverseOrder != 0)
    return "products in parts that are not whole columns of 16";
  if (device.task.empty())
    return device.level_end.empty() ? std::string() : "ends of levels without tasks";
  std::vector<TiledFront> fronts = tiled_fronts(plan);
  for (const TiledFront& front : fronts)
    if (front.cells.block().entries() > std::numeric_limits<std::uint32_t>::max())
      return at("supernode", front.s, "tasks, but a block with more places than 32 bits count");
  if (std::string flaw = deal_tasks(device, fronts); !flaw.empty()) return flaw;
  return Waits(plan, fronts).run();
}

}  // namespace kauri::symbolic
