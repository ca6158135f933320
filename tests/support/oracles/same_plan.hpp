// Compares two plans field by field, bit by bit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "kauri/core/plan.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::test {

/// The name of the first field in which two plans differ, or empty. DeviceTestHooks are not
/// compared.
class PlanDifference {
 public:
  PlanDifference(const Plan& a, const Plan& b) {
    same("n", a.n, b.n), same("nnz", a.nnz, b.nnz);
    same("pattern.col_ptr", a.internals->pattern.col_ptr, b.internals->pattern.col_ptr),
        same("pattern.row", a.internals->pattern.row, b.internals->pattern.row);
    same("target", a.target, b.target), same("ordering", a.ordering, b.ordering),
        same("given", a.given, b.given);
    same("perm", a.perm, b.perm);
    same("tree.parent", a.tree.parent, b.tree.parent),
        same("tree.column_count", a.tree.column_count, b.tree.column_count);
    nodes(a.supernodes, b.supernodes);
    same("panel_ptr", a.internals->panel_ptr, b.internals->panel_ptr);
    assembly(a.internals->assembly, b.internals->assembly);
    schedule(a.internals->schedule, b.internals->schedule);
    device(a.internals->device, b.internals->device);
    cost(a.cost, b.cost);
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void note(const char* name, bool same) {
    if (!same && name_.empty()) name_ = name;
  }
  template <class T>
  void same(const char* name, const T& a, const T& b) {
    note(name, a == b);
  }
  void bits(const char* name, double a, double b) {
    note(name, std::memcmp(&a, &b, sizeof a) == 0);
  }
  /// fields(x) returns all members of x, which may be structs without operator==.
  template <class List, class Fields>
  void each(const char* name, const List& a, const List& b, const Fields& fields) {
    note(name, a.size() == b.size());
    for (std::size_t k = 0; k < a.size() && name_.empty(); ++k)
      note(name, fields(a[k]) == fields(b[k]));
  }

  void nodes(const Supernodes& a, const Supernodes& b) {
    same("first", a.first, b.first), same("parent", a.parent, b.parent),
        same("row_ptr", a.row_ptr, b.row_ptr);
    same("row", a.row, b.row);
  }
  void assembly(const symbolic::Assembly& a, const symbolic::Assembly& b) {
    same("entry_ptr", a.entry_ptr, b.entry_ptr),
        same("entry_source", a.entry_source, b.entry_source);
    same("entry_row", a.entry_row, b.entry_row), same("child_ptr", a.child_ptr, b.child_ptr),
        same("child", a.child, b.child);
    same("run_ptr", a.run_ptr, b.run_ptr);
    each("run", a.run, b.run,
         [](const symbolic::RowRun& r) { return std::tie(r.child, r.parent, r.length); });
  }
  void schedule(const symbolic::Schedule& a, const symbolic::Schedule& b) {
    same("workers", a.workers, b.workers);
    each("task", a.task, b.task, [](const symbolic::Schedule::Task& t) {
      return std::tie(t.first_front, t.last_front, t.parent, t.flops);
    });
    same("factor_edges", a.factor_edges, b.factor_edges),
        same("forward_edges", a.forward_edges, b.forward_edges);
    same("backward_edges", a.backward_edges, b.backward_edges),
        same("scratch", a.scratch, b.scratch);
    same("fully_summed_columns", a.fully_summed_columns, b.fully_summed_columns),
        same("fully_summed", a.fully_summed, b.fully_summed),
        same("partially_summed", a.partially_summed, b.partially_summed);
    same("stack_entries", a.stack_entries, b.stack_entries), same("update", a.update, b.update);
    same("update_rows", a.update_rows, b.update_rows);
  }
  static auto tiles(const symbolic::DeviceSchedule::TileList& t) {
    return std::tuple(t.first, t.count, t.tiles, t.at);
  }
  void device(const symbolic::DeviceSchedule& a, const symbolic::DeviceSchedule& b) {
    same("device.on", a.on, b.on), same("task_teams", a.task_teams, b.task_teams);
    each("level", a.level, b.level, [](const symbolic::DeviceSchedule::Level& l) {
      return std::tuple(l.first, l.count, l.small16, l.small32, l.small, tiles(l.tiles),
                        l.steps.size());
    });
    for (std::size_t k = 0; k < a.level.size() && name_.empty(); ++k)
      each("steps", a.level[k].steps, b.level[k].steps,
           [](const symbolic::DeviceSchedule::Step& s) {
             return std::tuple(s.k, tiles(s.panel), tiles(s.update));
           });
    same("narrow_levels", a.narrow_levels, b.narrow_levels),
        same("small_levels", a.small_levels, b.small_levels);
    same("narrow_fronts", a.narrow_fronts, b.narrow_fronts),
        same("small_fronts", a.small_fronts, b.small_fronts);
    note("pivot_tiles", tiles(a.pivot_tiles) == tiles(b.pivot_tiles));
    same("tile_ptr", a.tile_ptr, b.tile_ptr), same("front", a.front, b.front),
        same("tiled", a.tiled, b.tiled);
    same("panel", a.panel, b.panel), same("block", a.block, b.block),
        same("inverses", a.inverses, b.inverses);
    same("entries", a.entries, b.entries),
        same("factor_entries", a.factor_entries, b.factor_entries);
    same("host_panel", a.host_panel, b.host_panel),
        same("host_entries", a.host_entries, b.host_entries);
    each("segment", a.segment, b.segment, [](const symbolic::DeviceSchedule::Segment& x) {
      return std::tuple(x.level_end, tiles(x.pivot_tiles), x.leaving.size());
    });
    same("device.task", a.task, b.task), same("level_end", a.level_end, b.level_end);
    same("sums.ptr", a.sums.ptr, b.sums.ptr), same("sums.place", a.sums.place, b.sums.place);
    same("sums.term", a.sums.term, b.sums.term), same("sums.step", a.sums.step, b.sums.step);
    same("scratch_begin", a.sums.scratch_begin, b.sums.scratch_begin),
        same("block_reuses", a.block_reuses, b.block_reuses);
    same("panel_reuses", a.panel_reuses, b.panel_reuses), same("row_maps", a.row_maps, b.row_maps);
    same("shared_bytes", a.shared_bytes, b.shared_bytes),
        same("task_bytes", a.task_bytes, b.task_bytes);
    same("fast_bytes", a.fast_bytes, b.fast_bytes), same("device.update", a.update, b.update);
    same("device.update_rows", a.update_rows, b.update_rows), same("sweeps", a.sweeps, b.sweeps);
    same("plan_bytes", a.plan_bytes, b.plan_bytes);
    same("useful_teams", a.useful_teams, b.useful_teams),
        same("useful_blocks", a.useful_blocks, b.useful_blocks);
    work(a.work, b.work);
  }
  void work(const symbolic::DeviceWork& a, const symbolic::DeviceWork& b) {
    const auto small = [](const symbolic::DeviceWork::Small& s) {
      return std::tuple(s.fronts, s.levels, s.bytes);
    };
    note("narrow", small(a.narrow) == small(b.narrow)),
        note("small", small(a.small) == small(b.small));
    each("work.tiled", a.tiled, b.tiled, [](const symbolic::DeviceWork::Level& l) {
      return std::tuple(l.fronts, l.chain, l.panel_tiles, l.products, l.bytes);
    });
    bits("upload_bytes", a.upload_bytes, b.upload_bytes);
  }
  void cost(const Cost& a, const Cost& b) {
    same("nnz_l", a.nnz_l, b.nnz_l), bits("flops", a.flops, b.flops),
        same("stored_entries", a.stored_entries, b.stored_entries);
    bits("executed_flops", a.executed_flops, b.executed_flops),
        same("tree_height", a.tree_height, b.tree_height);
    same("largest_front", a.largest_front, b.largest_front),
        same("largest_supernode", a.largest_supernode, b.largest_supernode);
    each("fronts", a.fronts, b.fronts,
         [](const Cost::FrontBin& f) { return std::tie(f.least_order, f.count, f.flops); });
    bits("predicted_factor_s", a.predicted_factor_s, b.predicted_factor_s);
    bits("predicted_solve_s", a.predicted_solve_s, b.predicted_solve_s);
    bits("predicted_create_s", a.predicted_create_s, b.predicted_create_s);
  }

  std::string name_;
};

}  // namespace kauri::test
