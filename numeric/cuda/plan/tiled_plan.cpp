// Makes and uploads descriptions, row maps, tasks and lists of sums of tiled fronts.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/plan/tiled_plan.hpp"

#include <algorithm>

#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "symbolic/device/child_rows.hpp"
#include "symbolic/device/child_sums.hpp"
#include "symbolic/device/front_tasks.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cuda {
namespace {

using symbolic::FrontCells;

FrontCells cells_of(const Plan& plan, Index s) {
  return {plan.supernodes.order(s), plan.supernodes.pivots(s)};
}

std::span<const Index> tiled_fronts(const Plan& plan) {
  return std::span(plan.internals->device.front)
      .subspan(static_cast<std::size_t>(plan.internals->device.small_fronts));
}

std::span<const Index> children_of(const Plan& plan, Index s) {
  const symbolic::Assembly& assembly = plan.internals->assembly;
  const auto begin = static_cast<std::size_t>(assembly.child_ptr[s]),
             end = static_cast<std::size_t>(assembly.child_ptr[s + 1]);
  return std::span(assembly.child).subspan(begin, end - begin);
}

/// The row map of a pulled child: begin, in words, in the array of all maps; the child's front; the
/// layout of its parent.
struct RowMap {
  Offset begin;
  Index child;
  FrontCells parent;
};

/// Writes words [begin, end) of all maps, one after another, to `out`.
void write_row_maps(const symbolic::Assembly& assembly, std::span<const RowMap> maps, Offset begin,
                    Offset end, symbolic::RowMapWord* out) {
  auto map = std::upper_bound(maps.begin(), maps.end(), begin,
                              [](Offset at, const RowMap& m) { return at < m.begin; }) -
             1;
  for (; map != maps.end() && map->begin < end; ++map) {
    const Offset first = std::max(begin, map->begin),
                 last = std::min(end, map->begin + symbolic::row_map_words(map->parent));
    symbolic::write_row_map(assembly, map->child, map->parent, first - map->begin,
                            last - map->begin, out + (first - begin));
  }
}

/// Returns the plan's tasks in an order that `teams` teams can run: the plan's list, unless it was
/// made for more teams; then the same tasks in another order, which it stores in `room`.
const std::vector<symbolic::DeviceTask>& tasks_for(const Plan& plan, int teams,
                                                   std::vector<symbolic::DeviceTask>& room) {
  if (teams >= plan.internals->device.task_teams) return plan.internals->device.task;
  return room = symbolic::tasks_for_teams(plan.supernodes, plan.internals->device, teams);
}

/// Returns descriptions of all tiled fronts, without the members that follow from children and
/// tasks. Adds the number of their counters to `counters`. TiledFront::level counts from the first
/// level of tiled fronts.
std::vector<TiledFront> describe_fronts(const Plan& plan, Offset& counters) {
  const std::span<const Index> fronts = tiled_fronts(plan);
  const symbolic::DeviceSchedule& device = plan.internals->device;
  std::vector<TiledFront> out(fronts.size());
  for (std::size_t t = 0; t < fronts.size(); ++t) {
    out[t].counters = counters;
    out[t].block_reuses = device.block_reuses[t];
    out[t].panel_reuses = device.panel_reuses[t];
    counters += symbolic::counter_count(cells_of(plan, fronts[t]));
  }
  std::size_t t = 0;
  const std::span levels =
      std::span(device.level).subspan(static_cast<std::size_t>(device.small_levels));
  for (std::size_t l = 0; l < levels.size(); ++l)
    for (Index k = 0; k < levels[l].count; ++k) out[t++].level = static_cast<Index>(l);
  return out;
}

}  // namespace

TiledPlan::TiledPlan(const Plan& plan, int teams, Uploader& uploader) {
  std::vector<symbolic::DeviceTask> made;
  const std::vector<symbolic::DeviceTask>& tasks = tasks_for(plan, teams, made);
  std::vector<TiledFront> fronts = describe_fronts(plan, counters_);
  upload_children(plan, fronts, uploader);
  std::vector<Index> level_tasks(plan.internals->device.level.size() -
                                     static_cast<std::size_t>(plan.internals->device.small_levels),
                                 0);
  for (const symbolic::DeviceTask& task : tasks) {
    TiledFront& front = fronts[static_cast<std::size_t>(task.front)];
    ++level_tasks[static_cast<std::size_t>(front.level)];
    if (task.kind == symbolic::DeviceTask::Kind::fill ||
        task.kind == symbolic::DeviceTask::Kind::sum)
      ++front.fills;
    if (task.kind == symbolic::DeviceTask::Kind::sum) front.loads_block = 1;
  }
  level_tasks_ = uploader.copy(level_tasks);
  task_ = uploader.copy(tasks);
  front_ = uploader.copy(fronts);
  upload_sums(plan.internals->device, uploader);
}

void TiledPlan::upload_sums(const symbolic::DeviceSchedule& schedule, Uploader& uploader) {
  const symbolic::DeviceSchedule::Sums& sums = schedule.sums;
  if (sums.place.empty()) return;
  sums_.step = uploader.copy(sums.step).data();
  const auto upload = [&]<class Place>(Place) {
    using Terms = symbolic::SumStep<Place>;
    const auto count = static_cast<Offset>(sums.place.size());
    const auto place = uploader.make<Place>(count, [&](Offset begin, Offset end, Place* out) {
      symbolic::write_sum_places(sums, begin, end, out);
    });
    const auto term =
        uploader.make<Terms>(sums.step.back(), [&](Offset begin, Offset end, Terms* out) {
          symbolic::write_sum_terms(sums, begin, end, out);
        });
    sums_.place = place.data(), sums_.term = term.data();
  };
  sums_.short_places = symbolic::has_short_places(schedule);
  if (sums_.short_places)
    upload(std::uint32_t{});
  else
    upload(Offset{});
}

void TiledPlan::upload_children(const Plan& plan, std::vector<TiledFront>& fronts,
                                Uploader& uploader) {
  const std::span<const Index> order = tiled_fronts(plan);
  std::vector<PulledChild> pulled;
  std::vector<RowMap> maps;
  row_map_ = uploader.room<symbolic::RowMapWord>(plan.internals->device.row_maps);
  Offset next = 0;
  for (std::size_t t = 0; t < order.size(); ++t) {
    TiledFront& front = fronts[t];
    const FrontCells parent = cells_of(plan, order[t]);
    front.child = static_cast<Offset>(pulled.size());
    for (const Index c : children_of(plan, order[t])) {
      if (plan.internals->device.tiled[c] != kNone)
        front.awaited += symbolic::contribution_tasks(cells_of(plan, c));
      if (symbolic::is_listed(plan.supernodes, plan.internals->assembly, order[t], c)) continue;
      maps.push_back({next, c, parent});
      pulled.push_back({next, c});
      next += symbolic::row_map_words(parent);
      ++front.child_count;
    }
  }
  uploader.fill(row_map_, [&](Offset begin, Offset end, symbolic::RowMapWord* out) {
    write_row_maps(plan.internals->assembly, maps, begin, end, out);
  });
  child_ = uploader.copy(pulled);
}

}  // namespace kauri::numeric::cuda
