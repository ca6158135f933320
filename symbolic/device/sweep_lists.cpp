// Orders the tasks of a solve by sweeps on a device, and places its update rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/sweep_lists.hpp"

#include <algorithm>
#include <numeric>

#include "base/common/aligned_bytes.hpp"
#include "base/common/checked.hpp"
#include "base/host/memory.hpp"
#include "base/threads/blocks.hpp"
#include "symbolic/device/schedule.hpp"

namespace kauri::symbolic {
namespace {

using Kind = SweepTask::Kind;

/// Most tiles of a part, which are read one after another: 256 KB.
constexpr Index kChunk = 8;
/// Slabs of 16 columns in a task of a front of one pivot tile: 128 KB.
constexpr Index kSlabs = 16;
/// Pivot tiles by which backward tasks that sum over rows below the pivots come early in the list.
constexpr Index kColumnsAhead = 16;
/// Fronts in a block of a parallel loop.
constexpr Index kFronts = 256;

/// Returns the number of parts of `chunk` tiles that are split off from a sum over `tiles` tiles.
/// The last task adds the tiles that are left over, half a chunk to one and a half (fewer if there
/// are no parts), so the parts are available some time before it has read its last tile.
Index parts_of(Index tiles, Index chunk) { return std::max(tiles - chunk / 2, Index{0}) / chunk; }

/// Returns the time that a front's chain of pivot tiles takes, in units of keys: see
/// emit_forward().
Index steps(const Supernodes& nodes, Index s) {
  return 2 * FrontCells{nodes.order(s), nodes.pivots(s)}.pivot_tiles() + 1;
}

/// Returns, for each tiled front, when its tasks begin, in units of keys, if only chains of pivot
/// tiles take time: after those of its tiled children. Parents of tiled fronts are tiled, and have
/// higher numbers.
std::vector<Index> starts_forward(const Supernodes& nodes, const DeviceSchedule& schedule) {
  std::vector<Index> start(nodes.parent.size(), 0);
  for (Index s = 0; s < nodes.count(); ++s)
    if (const Index up = nodes.parent[s]; schedule.tiled[s] != kNone && up != kNone)
      start[up] = std::max(start[up], start[s] + steps(nodes, s));
  return start;
}

/// Returns, for each tiled front, when its tasks of the backward sweep begin, in units of keys, if
/// only chains of pivot tiles take time: after those of its parent.
std::vector<Index> starts_backward(const Supernodes& nodes, const DeviceSchedule& schedule) {
  std::vector<Index> start(nodes.parent.size(), 0);
  for (Index s = nodes.count(); s-- > 0;)
    if (const Index up = nodes.parent[s]; schedule.tiled[s] != kNone && up != kNone)
      start[s] = start[up] + steps(nodes, up);
  return start;
}

/// Returns the tile rows that one task of a front of one pivot tile takes.
Index rows_together(const FrontCells& cells) { return kSlabs / ((cells.pivot_cells() + 1) / 2); }

/// Calls emit(key, task) for all tasks of a front in the forward sweep, and adds the vectors that
/// they need to `parts`. Tasks are drawn by ascending keys, all less than steps(): at key 2 k the
/// first k pivot tiles have their y. A part has the key of its last y. The task that adds up the
/// parts of a pivot tile has the next odd key after its last part, 1 if it has no parts (0 for the
/// first tile), and waits for its other y; rows below the pivots have the key of the last y. No
/// task has a lower key than one that it waits for. gathers: see gathers().
template <class Emit>
void emit_forward(Index s, const FrontCells& cells, bool gathers, Index& parts, const Emit& emit) {
  const Index pivots = cells.pivot_tiles(), end = cells.row_tiles();
  const Kind whole = gathers ? Kind::gathered : Kind::whole;
  const auto gather = [&](Index key, Index row) {
    if (!gathers) return;
    for (Index k = 0; k * kGatherRows < cells.rows_of(row); ++k)
      emit(key, SweepTask{s, Kind::gather, row, 1, k, 1, parts, 0});
  };
  if (pivots == 1 && !gathers) {
    for (Index i = 0, together = rows_together(cells); i < end; i += together)
      emit(i == 0 ? 0 : 2, SweepTask{s, whole, i, std::min(together, end - i), 0, 1, parts, 0});
    return;
  }
  for (Index i = 0; i < end; ++i) {
    const Index columns = std::min(i, pivots), chunks = parts_of(columns, kChunk),
                last = chunks * kChunk;
    for (Index c = 0; c < chunks; ++c)
      emit(2 * (c + 1) * kChunk, SweepTask{s, Kind::part, i, 1, c * kChunk, kChunk, parts + c, 0});
    parts += chunks;
    gather(std::max(2 * last - 1, 0), i);
    emit(i == 0       ? 0
         : i < pivots ? 2 * last + 1
                      : 2 * pivots,
         SweepTask{s, whole, i, 1, last, columns - last, parts - chunks, chunks});
    parts += gathers ? 1 : 0;
  }
}

/// Calls emit(key, task) for all tasks of a front in the backward sweep, and adds the vectors that
/// they need to `parts`: columns from the last; rows of a column from the last, too, since their x
/// is available first. At key 2 k the last k pivot tiles have their x. A part has the key of its
/// last x; if all its rows are below the pivots, whose x are there from the beginning, it comes
/// kColumnsAhead pivot tiles before its column. The task that completes a column has the next odd
/// key after its last part that reads pivots, else 1 (0 for the last column). No task has a lower
/// key than one that it waits for.
template <class Emit>
void emit_backward(Index s, const FrontCells& cells, Index& parts, const Emit& emit) {
  const Index pivots = cells.pivot_tiles(), end = cells.row_tiles(),
              chunk = pivots == 1 ? rows_together(cells) : kChunk;
  for (Index t = 0; t < pivots; ++t) {
    const Index column = pivots - 1 - t, chunks = parts_of(end - column - 1, chunk),
                near = end - chunks * chunk;
    for (Index c = 0; c < chunks; ++c) {
      const Index row = end - (c + 1) * chunk, ahead = 2 * std::max(t - kColumnsAhead, Index{0});
      emit(row < pivots ? 2 * (pivots - row) : ahead,
           SweepTask{s, Kind::part, row, chunk, column, 1, parts + c, 0});
    }
    const Index begun = 2 * std::max(pivots - near, Index{0}) + 1;
    emit(t == 0 ? 0 : begun,
         SweepTask{s, Kind::whole, column + 1, near - column - 1, column, 1, parts, chunks});
    parts += chunks;
  }
}

/// Sorts the tasks by the start of their front plus their key, then by fronts: a task that waits
/// long is drawn late, and tasks that need not wait are not behind it.
template <class EmitFront>
std::vector<SweepTask> list_tasks(std::span<const Index> fronts, const std::vector<Index>& start,
                                  const EmitFront& emit_front) {
  std::vector<SweepTask> some;
  std::vector<Index> key;
  for (const Index s : fronts)
    emit_front(s, [&](Index at, const SweepTask& task) {
      key.push_back(start[s] + at);
      some.push_back(task);
    });
  std::vector<std::size_t> next(
      static_cast<std::size_t>(key.empty() ? 0 : *std::max_element(key.begin(), key.end())) + 2, 0);
  for (const Index at : key) ++next[at + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<SweepTask> out(some.size());
  for (std::size_t k = 0; k < some.size(); ++k) out[next[key[k]]++] = some[k];
  return out;
}

/// Places the update rows of the children of front s from place `base` on, by the row of s that
/// starts from them. Returns the first place behind them. next: scratch of any length.
std::uint32_t place_rows_of(const Supernodes& nodes, const Assembly& assembly, Index s,
                            std::uint32_t base, std::vector<std::uint32_t>& next, UpdateRows& out) {
  const Index m = nodes.order(s), begin = assembly.child_ptr[s], end = assembly.child_ptr[s + 1];
  next.assign(static_cast<std::size_t>(m) + 1,
              0);  // first differences of counts, modulo 2^32, then next places
  const auto for_runs = [&](const auto& f) {
    for (Index k = begin; k < end; ++k)
      for (Offset run = assembly.run_ptr[assembly.child[k]];
           run < assembly.run_ptr[assembly.child[k] + 1]; ++run)
        f(assembly.child[k], assembly.run[run]);
  };
  for_runs([&](Index, const RowRun& run) {
    ++next[run.parent];
    --next[run.parent + run.length];
  });
  std::uint32_t* ptr = out.ptr.data() + nodes.row_ptr[s] + s;
  std::uint32_t count = 0;
  for (Index r = 0; r <= m; ++r) {
    count += next[r];
    next[r] = ptr[r] = base;
    base += count;
  }
  for_runs([&](Index child, const RowRun& run) {
    std::uint32_t* slot = out.slot.data() + (nodes.row_ptr[child] - nodes.first[child]) + run.child;
    for (Index i = 0; i < run.length; ++i) slot[i] = next[run.parent + i]++;
  });
  return base;
}

Offset update_rows_below(const Supernodes& nodes, const Assembly& assembly, Index s) {
  Offset rows = 0;
  for (Index k = assembly.child_ptr[s]; k < assembly.child_ptr[s + 1]; ++k)
    rows += nodes.contribution(assembly.child[k]);
  return rows;
}

bool gathers(const Supernodes& nodes, const Assembly& assembly, Index s) {
  const Index children = assembly.child_ptr[s + 1] - assembly.child_ptr[s];
  return children > kMostMet ||
         update_rows_below(nodes, assembly, s) >
             kMostGathered * FrontCells{nodes.order(s), nodes.pivots(s)}.row_tiles();
}

}  // namespace

UpdateRows place_update_rows(const Supernodes& nodes, const Assembly& assembly) {
  const Index count = nodes.count();
  UpdateRows out;
  // Every element is written below: the arrays are not initialised, and the threads that write them
  // touch them first.
  resize_large(out.ptr, static_cast<Offset>(nodes.row.size()) + count);
  resize_large(out.slot, static_cast<Offset>(nodes.row.size()) -
                             (nodes.first.empty() ? 0 : nodes.first.back()));
  const Blocks blocks(count, kFronts);
  std::vector<std::uint32_t> base(static_cast<std::size_t>(blocks.count()) + 1, 0);
  blocks.for_each([&](Index b, Index begin, Index end) {
    for (Index s = begin; s < end; ++s)
      base[b + 1] += static_cast<std::uint32_t>(update_rows_below(nodes, assembly, s));
  });
  std::partial_sum(base.begin(), base.end(), base.begin());
  blocks.for_each([&](Index b, Index begin, Index end) {
    std::vector<std::uint32_t> next;
    std::uint32_t place = base[b];
    for (Index s = begin; s < end; ++s) place = place_rows_of(nodes, assembly, s, place, next, out);
  });
  return out;
}

SweepTasks forward_tasks(const Supernodes& nodes, const Assembly& assembly,
                         const DeviceSchedule& schedule) {
  SweepTasks out;
  out.task = list_tasks(tiled_fronts(schedule), starts_forward(nodes, schedule),
                        [&](Index s, const auto& emit) {
                          const FrontCells cells{nodes.order(s), nodes.pivots(s)};
                          emit_forward(s, cells, gathers(nodes, assembly, s), out.parts, emit);
                        });
  return out;
}

SweepTasks backward_tasks(const Supernodes& nodes, const DeviceSchedule& schedule) {
  SweepTasks out;
  out.task = list_tasks(tiled_fronts(schedule), starts_backward(nodes, schedule),
                        [&](Index s, const auto& emit) {
                          emit_backward(s, {nodes.order(s), nodes.pivots(s)}, out.parts, emit);
                        });
  return out;
}

SweepLists list_sweeps(const Supernodes& nodes, const Assembly& assembly,
                       const DeviceSchedule& schedule) {
  SweepLists out;
  side_by_side([&] { out.rows = place_update_rows(nodes, assembly); },
               [&] { out.forward = forward_tasks(nodes, assembly, schedule); },
               [&] { out.backward = backward_tasks(nodes, schedule); });
  return out;
}

DeviceSchedule::Sweeps count_sweeps(const Supernodes& nodes, const Assembly& assembly,
                                    const DeviceSchedule& schedule) {
  DeviceSchedule::Sweeps out;
  const Offset rows = static_cast<Offset>(nodes.row.size()),
               below = rows - (nodes.first.empty() ? 0 : nodes.first.back());
  if (below >= kMostUpdateRows) return out;
  if (schedule.task.empty() && !tiled_fronts(schedule).empty()) return out;
  for (const Index s : tiled_fronts(schedule)) {
    const FrontCells cells{nodes.order(s), nodes.pivots(s)};
    emit_forward(s, cells, gathers(nodes, assembly, s), out.forward_parts,
                 [&](Index, const SweepTask&) { ++out.forward_tasks; });
    emit_backward(s, cells, out.backward_parts,
                  [&](Index, const SweepTask&) { ++out.backward_tasks; });
  }
  const Offset place = sizeof(std::uint32_t), task = sizeof(SweepTask);
  out.bytes = aligned_bytes(rows - below, place) + aligned_bytes(rows + nodes.count(), place) +
              aligned_bytes(below, place) + aligned_bytes(out.forward_tasks, task) +
              aligned_bytes(out.backward_tasks, task);
  // Numbers of 8 bytes: n for the solution of each sweep, update rows, parts, and one for tickets.
  const Offset parts = (Offset{out.forward_parts} + out.backward_parts) * kTile;
  out.numbers = checked_add(2 * (rows - below) + below, parts + 1, "numbers of a solve");
  return out;
}

MultiNumbers multi_numbers(const DeviceSchedule::Sweeps& sweeps, Index n, Index nrhs) {
  const char* const what = "numbers of a solve";
  const Offset width = solve_width(nrhs);
  MultiNumbers out{};
  out.kept = sweeps.numbers - 1 - 2 * Offset{n};
  out.scratch = checked_mul(out.kept, width, what);
  const Offset one = sweeps.numbers + sweeps.numbers % 2;  // pairs of numbers are aligned
  out.ticket =
      checked_add(out.scratch, std::max(checked_mul(3 * Offset{n}, width, what), one), what);
  out.all =
      checked_add(out.ticket, kMultiTickets * Offset{sizeof(Index)} / Offset{sizeof(double)}, what);
  return out;
}

Offset solve_numbers(const DeviceSchedule::Sweeps& sweeps, Index n, Index nrhs) {
  return solve_width(nrhs) == 1 ? sweeps.numbers : multi_numbers(sweeps, n, nrhs).all;
}

}  // namespace kauri::symbolic
