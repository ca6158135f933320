// Checks the validity of the lists of a solve on a device: every tile of L is in one task of each
// direction, every sum is made once, and no task waits forever.
//
// Blocks draw tasks in the order of the list, and complete the ones they have drawn one after the
// other. So if a task needs only results of tasks before it, the first task that is not done can be
// done, however many blocks there are. Fronts that are not tiled are not checked here: launches
// before or after these lists process them.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/check/find_flaw_sweeps.hpp"

#include <algorithm>
#include <cstddef>

#include "symbolic/check/find_flaw.hpp"
#include "symbolic/device/schedule_lists.hpp"
#include "symbolic/device/sweep_lists.hpp"

namespace kauri::symbolic {
namespace {

using Kind = SweepTask::Kind;

bool finishes(const SweepTask& task) {
  return task.kind == Kind::whole || task.kind == Kind::gathered;
}

/// Returns true if the tiles of the task, or the rows that it gathers, are in range for its kind.
bool forward_in_range(const SweepTask& task, const FrontCells& cells) {
  const Index rows = cells.row_tiles(), pivots = cells.pivot_tiles();
  if (task.row < 0 || task.row >= rows || task.rows < 1 || task.rows > rows - task.row ||
      task.column < 0)
    return false;
  switch (task.kind) {
    case Kind::whole:
    case Kind::part:
    case Kind::gathered:
      return task.column <= pivots && task.columns >= 0 && task.columns <= pivots - task.column;
    case Kind::gather:
      return task.rows == 1 && task.columns == 1 && task.column < kTile / kGatherRows &&
             task.column * kGatherRows < cells.rows_of(task.row);
  }
  return false;
}

bool backward_in_range(const SweepTask& task, const FrontCells& cells) {
  const Index rows = cells.row_tiles();
  if (task.kind != Kind::whole && task.kind != Kind::part) return false;
  return task.column >= 0 && task.column < cells.pivot_tiles() && task.columns == 1 &&
         task.row > task.column && task.row <= rows && task.rows >= 0 &&
         task.rows <= rows - task.row;
}

/// Visits a list in the order of its tickets. A *line* is the rows of one sum: a tile row forward,
/// a column of pivot tiles backward.
class SweepCheck {
 public:
  SweepCheck(const Supernodes& nodes, const DeviceSchedule& schedule, const SweepTasks& list,
             bool forward)
      : nodes_(nodes),
        schedule_(schedule),
        list_(list),
        forward_(forward),
        task_(forward ? "forward task" : "backward task"),
        part_(forward ? "forward part" : "backward part") {}

  std::string run() {
    if (list_.parts < 0) return at(part_, list_.parts, "fewer than none");
    if (std::string flaw = begin(); !flaw.empty()) return flaw;
    for (std::size_t k = 0; k < list_.task.size(); ++k)
      if (const char* wrong = take(list_.task[k])) return at(task_, static_cast<Offset>(k), wrong);
    return flaw_in_end();
  }

 private:
  struct FrontProgress {
    FrontCells cells;
    Index left = 0;          // tasks not visited yet
    Index children = 0;      // tiled children with tasks not visited yet
    std::size_t line, tile;  // index of its first line, and of its first tile
  };
  struct Line {
    Index tiles = 0;  // tiles in tasks visited
    bool made = false;
  };
  struct Part {
    Index front = kNone, line = kNone;
    unsigned gathered = 0;  // a bit for each kGatherRows rows gathered; 0 in a part of tiles
    bool read = false;
  };

  [[nodiscard]] Index lines(const FrontCells& cells) const {
    return forward_ ? cells.row_tiles() : cells.pivot_tiles();
  }
  /// Returns the number of tiles of L in a line: a tile row, or a column of pivot tiles.
  [[nodiscard]] Index tiles(const FrontCells& cells, Index line) const {
    return forward_ ? std::min(line, cells.pivot_tiles()) : cells.row_tiles() - line - 1;
  }
  FrontProgress& front_of(const SweepTask& task) {
    return front_[static_cast<std::size_t>(schedule_.tiled[task.front])];
  }
  Line& line_of(const FrontProgress& front, Index line) {
    return line_[front.line + static_cast<std::size_t>(line)];
  }

  std::string begin() {
    std::size_t line = 0, tile = 0;
    for (std::size_t k = static_cast<std::size_t>(schedule_.small_fronts);
         k < schedule_.front.size(); ++k) {
      const FrontCells cells{nodes_.order(schedule_.front[k]), nodes_.pivots(schedule_.front[k])};
      front_.push_back({cells, 0, 0, line, tile});
      line += static_cast<std::size_t>(lines(cells));
      tile += static_cast<std::size_t>(cells.row_tiles()) *
              static_cast<std::size_t>(cells.pivot_tiles());
    }
    line_.resize(line), taken_.resize(tile), vector_.resize(static_cast<std::size_t>(list_.parts));
    for (std::size_t k = 0; k < list_.task.size(); ++k) {
      const Index s = list_.task[k].front;
      if (s < 0 || s >= nodes_.count() || schedule_.tiled[s] == kNone)
        return at(task_, static_cast<Offset>(k), "of no tiled front");
      ++front_of(list_.task[k]).left;
    }
    for (std::size_t t = 0; t < front_.size(); ++t)
      if (FrontProgress* up = parent_of(t); up != nullptr && front_[t].left > 0) ++up->children;
    return {};
  }

  /// Returns the parent of tiled front t, or null. Parents of tiled fronts are tiled.
  FrontProgress* parent_of(std::size_t t) {
    const Index up =
        nodes_.parent[schedule_.front[static_cast<std::size_t>(schedule_.small_fronts) + t]];
    return up == kNone ? nullptr : &front_[static_cast<std::size_t>(schedule_.tiled[up])];
  }

  /// Visits the next task. This function, and each that it calls for a part of the visit, returns
  /// what is wrong, or null if nothing is.
  const char* take(const SweepTask& task) {
    FrontProgress& front = front_of(task);
    const auto t = static_cast<std::size_t>(&front - front_.data());
    FrontProgress* up = parent_of(t);
    if (!(forward_ ? forward_in_range(task, front.cells) : backward_in_range(task, front.cells)) ||
        !parts_in_range(task))
      return "tiles or parts that its kind does not have";
    if (forward_ && task.rows > 1 &&
        (task.kind != Kind::whole || task.parts > 0 || front.cells.pivot_tiles() > 1))
      return "several rows, but parts or gathered ones or more than one pivot tile";
    if (forward_ && front.children > 0) return "before the last task of a child of its front";
    if (!forward_ && up != nullptr && up->left > 0)
      return "before the last task of its front's parent";
    const char* wrong = task.kind == Kind::gather ? gather(task, front) : take_tiles(task, front);
    if (--front.left == 0 && up != nullptr) --up->children;
    return wrong;
  }

  [[nodiscard]] bool parts_in_range(const SweepTask& task) const {
    if (task.part < 0 || task.parts < 0 || (!finishes(task) && task.parts > 0)) return false;
    const Offset used =
        finishes(task) ? Offset{task.parts} + (task.kind == Kind::gathered ? 1 : 0) : 1;
    return used <= Offset{list_.parts} - task.part;
  }

  const char* gather(const SweepTask& task, const FrontProgress& front) {
    Part& part = vector_[static_cast<std::size_t>(task.part)];
    const unsigned rows = 1U << task.column;
    const bool begun = part.front == task.front && part.line == task.row && part.gathered != 0;
    if (part.read || (part.front != kNone && !begun)) return "a part that another task makes too";
    if ((part.gathered & rows) != 0) return "rows that another task gathers too";
    if (line_of(front, task.row).made) return "it gathers for a row that is made already";
    part.front = task.front, part.line = task.row, part.gathered |= rows;
    return nullptr;
  }

  /// Takes the tiles of a task line by line, as the kernels do.
  const char* take_tiles(const SweepTask& task, const FrontProgress& front) {
    const Index first = forward_ ? task.row : task.column,
                end = forward_ ? task.row + task.rows : task.column + 1;
    for (Index line = first; line < end; ++line) {
      const Index last =
          forward_ ? std::min({task.column + task.columns, line, front.cells.pivot_tiles()})
                   : task.row + task.rows;
      for (Index k = forward_ ? task.column : task.row; k < last; ++k)
        if (const char* wrong = take_tile(front, line, k)) return wrong;
      const char* wrong = finishes(task) ? finish(task, front, line) : make_part(task, line);
      if (wrong != nullptr) return wrong;
    }
    return nullptr;
  }

  /// Takes the tile of a line that is multiplied by y or x of tile row k: of pivots of the front,
  /// or of its ancestors (x only).
  const char* take_tile(const FrontProgress& front, Index line, Index k) {
    const Index i = forward_ ? line : k, j = forward_ ? k : line;
    const std::size_t tile =
        front.tile +
        static_cast<std::size_t>(i) * static_cast<std::size_t>(front.cells.pivot_tiles()) +
        static_cast<std::size_t>(j);
    if (taken_[tile]) return "a tile that another task takes too";
    if (k < front.cells.pivot_tiles() && !line_of(front, k).made)
      return "a tile before the numbers that it is multiplied by";
    taken_[tile] = true;
    ++line_of(front, line).tiles;
    return nullptr;
  }

  const char* make_part(const SweepTask& task, Index line) {
    Part& part = vector_[static_cast<std::size_t>(task.part)];
    if (part.front != kNone) return "a part that another task makes too";
    part.front = task.front, part.line = line;
    return nullptr;
  }

  const char* finish(const SweepTask& task, const FrontProgress& front, Index line) {
    for (Index k = 0; k < task.parts; ++k)
      if (const char* wrong = read_part(task, line, task.part + k, 0)) return wrong;
    if (task.kind == Kind::gathered) {
      const Index pieces = (front.cells.rows_of(line) + kGatherRows - 1) / kGatherRows;
      if (const char* wrong = read_part(task, line, task.part + task.parts, (1U << pieces) - 1))
        return wrong;
    }
    Line& own = line_of(front, line);
    if (own.made) return "numbers that another task makes too";
    if (own.tiles != tiles(front.cells, line)) return "numbers before all tiles of their sum";
    own.made = true;
    return nullptr;
  }

  const char* read_part(const SweepTask& task, Index line, Index k, unsigned gathered) {
    Part& part = vector_[static_cast<std::size_t>(k)];
    if (part.front == kNone) return "a part that no task before it makes";
    if (part.front != task.front || part.line != line || (part.gathered != 0) != (gathered != 0))
      return "a part of another sum";
    if (part.read) return "a part that was read before";
    if (part.gathered != gathered) return "rows that are not all gathered";
    part.read = true;
    return nullptr;
  }

  std::string flaw_in_end() {
    for (std::size_t k = 0; k < vector_.size(); ++k)
      if (!vector_[k].read)
        return at(part_, static_cast<Offset>(k),
                  vector_[k].front == kNone ? "never made" : "never read");
    for (std::size_t t = 0; t < front_.size(); ++t)
      for (Index line = 0; line < lines(front_[t].cells); ++line)
        if (!line_of(front_[t], line).made)
          return at("supernode",
                    schedule_.front[static_cast<std::size_t>(schedule_.small_fronts) + t],
                    forward_ ? "a tile row that no forward task makes"
                             : "pivots that no backward task makes");
    return {};
  }

  const Supernodes& nodes_;
  const DeviceSchedule& schedule_;
  const SweepTasks& list_;
  bool forward_;
  const char* task_;
  const char* part_;
  std::vector<FrontProgress> front_;  // tiled fronts, in the schedule's order
  std::vector<Line> line_;            // lines, front after front
  std::vector<bool> taken_;           // tiles, front after front; true: in a task visited
  std::vector<Part> vector_;          // vectors of parts: SweepTask::part is an index
};

}  // namespace

std::string find_flaw_sweeps(const Supernodes& nodes, const DeviceSchedule& schedule,
                             const SweepTasks& forward, const SweepTasks& backward) {
  std::string flaw = SweepCheck(nodes, schedule, forward, true).run();
  return flaw.empty() ? SweepCheck(nodes, schedule, backward, false).run() : flaw;
}

}  // namespace kauri::symbolic
