// Views, row maps and counters of tiled fronts.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/tiled_factor.hpp"

#include <algorithm>
#include <type_traits>

#include "numeric/cuda/kernels/portable_kernels.hpp"
#include "numeric/cuda/staging.hpp"
#include "symbolic/child_rows.hpp"
#include "symbolic/child_sums.hpp"
#include "symbolic/device_schedule.hpp"
#include "symbolic/front_tasks.hpp"
#include "symbolic/small_layout.hpp"

namespace kauri::numeric::cuda {
namespace {

using kernels::ChildViewOf;
using kernels::FrontViewOf;
using symbolic::FrontCells;

static_assert(sizeof(FrontViewOf<float>) == symbolic::kDeviceTiledBytes && sizeof(FrontViewOf<double>) == symbolic::kDeviceTiledBytes);
static_assert(sizeof(ChildViewOf<float>) == symbolic::kDeviceChildBytes && sizeof(ChildViewOf<double>) == symbolic::kDeviceChildBytes);

FrontCells cells_of(const Plan& plan, Index s) { return {plan.supernodes.order(s), plan.supernodes.pivots(s)}; }

std::span<const Index> tiled_fronts(const Plan& plan) {
  return std::span(plan.device.front).subspan(static_cast<std::size_t>(plan.device.small_fronts));
}

std::span<const Index> children_of(const Plan& plan, Index s) {
  const auto begin = static_cast<std::size_t>(plan.assembly.child_ptr[s]), end = static_cast<std::size_t>(plan.assembly.child_ptr[s + 1]);
  return std::span(plan.assembly.child).subspan(begin, end - begin);
}

/// The row map of a child, at `begin` of all of them.
struct RowMap {
  Offset begin;
  Index child;
  FrontCells parent;
};

/// Words [begin, end) of all maps, one after another.
void write_row_maps(const Assembly& assembly, std::span<const RowMap> maps, Offset begin, Offset end, symbolic::RowMapWord* out) {
  auto map = std::upper_bound(maps.begin(), maps.end(), begin, [](Offset at, const RowMap& m) { return at < m.begin; }) - 1;
  for (; map != maps.end() && map->begin < end; ++map) {
    const Offset first = std::max(begin, map->begin), last = std::min(end, map->begin + symbolic::row_map_words(map->parent));
    symbolic::write_row_map(assembly, map->child, map->parent, first - map->begin, last - map->begin, out + (first - begin));
  }
}

/// Level of each tiled front, counted from the first that has one.
std::vector<Index> levels_of(const Plan& plan) {
  std::vector<Index> level;
  for (std::size_t l = static_cast<std::size_t>(plan.device.small_levels); l < plan.device.level.size(); ++l)
    level.insert(level.end(), static_cast<std::size_t>(plan.device.level[l].count), static_cast<Index>(l) - plan.device.small_levels);
  return level;
}

/// The plan's tasks in an order for the device's teams: its own, unless it was made for more. As many in any case.
std::vector<DeviceTask> tasks_for(const Plan& plan, int teams) {
  if (teams >= plan.device.task_teams) return plan.device.task;
  return symbolic::make_device_schedule(plan.supernodes, plan.assembly, teams).task;
}

}  // namespace

template <class T>
TiledFactor<T>::TiledFactor(const Plan& plan, const FactorMemory<T>& memory, const Loops& loops, Uploader& uploader)
    : loops_(loops), pauses_(plan.device.pauses), least_part_(plan.device.least_part) {
  const std::vector<DeviceTask> tasks = tasks_for(plan, loops.teams);
  if (plan.device.teams > 0) {
    loops_.teams = std::min(loops.teams, plan.device.teams);
    if (loops_.teams < std::min(loops.teams, plan.device.task_teams) || (loops_.kind == CudaLoops::hopper && loops_.teams % 2 != 0))
      throw Error(ErrorKind::usage, "a device's tasks made for " + std::to_string(plan.device.task_teams) + " teams, to be run by " +
                                        std::to_string(loops_.teams));
  }
  const std::span<const Index> fronts = tiled_fronts(plan);
  const std::vector<Index> level = levels_of(plan);
  first_ = plan.device.small_fronts;
  sums_.scratch_begin = plan.device.sums.scratch_begin;
  sums_.entries = memory.entries;
  std::vector<FrontViewOf<T>> views(fronts.size());
  Offset counters = 0;
  for (std::size_t t = 0; t < fronts.size(); ++t) {
    const Index s = fronts[t];
    const FrontCells cells = cells_of(plan, s);
    FrontViewOf<T>& view = views[t];
    view.panel = memory.entries + plan.device.panel[s];
    view.inverses = view.panel + cells.panel().entries();
    view.block = cells.m > cells.p ? memory.entries + plan.device.block[s] : nullptr;
    view.failed_pivot = memory.fail_pivot + s;
    view.level = level[t];
    view.block_reuses = plan.device.block_reuses[t];
    view.panel_reuses = plan.device.panel_reuses[t];
    view.first = plan.supernodes.first[s];
    view.cells = cells;
    counters += symbolic::counter_count(cells);
  }
  const Offset levels = level.empty() ? 0 : level.back() + 1;
  counters_ = uploader.room<int>(counters + levels + 2);
  level_counters_ = counters;
  counters = 0;
  for (FrontViewOf<T>& view : views) {
    view.counters = counters_.data() + counters;
    counters += symbolic::counter_count(view.cells);
  }
  upload_children(plan, memory, views, uploader);
  std::vector<Index> level_tasks(static_cast<std::size_t>(levels), 0);
  for (const DeviceTask& task : tasks) {
    FrontViewOf<T>& view = views[static_cast<std::size_t>(task.front)];
    ++level_tasks[static_cast<std::size_t>(view.level)];
    if (task.kind == DeviceTask::Kind::fill || task.kind == DeviceTask::Kind::sum) ++view.fills;
    if (task.kind == DeviceTask::Kind::sum) view.loads_block = true;
  }
  level_tasks_ = uploader.copy(level_tasks);
  task_ = uploader.copy(tasks);
  front_ = uploader.copy(views);
  upload_sums(plan.device, uploader);
}

template <class T>
void TiledFactor<T>::upload_sums(const DeviceSchedule& schedule, Uploader& uploader) {
  const DeviceSchedule::Sums& sums = schedule.sums;
  if (sums.place.empty()) return;
  sums_.step = uploader.copy(sums.step).data();
  const auto upload = [&]<class Place>(Place) {
    using Terms = symbolic::SumStep<Place>;
    const auto count = static_cast<Offset>(sums.place.size());
    const auto place =
        uploader.make<Place>(count, [&](Offset begin, Offset end, Place* out) { symbolic::write_sum_places(sums, begin, end, out); });
    const auto term = uploader.make<Terms>(sums.step.back(),
                                           [&](Offset begin, Offset end, Terms* out) { symbolic::write_sum_terms(sums, begin, end, out); });
    sums_.place = place.data(), sums_.term = term.data();
  };
  sums_.short_places = symbolic::has_short_places(schedule);
  if (sums_.short_places)
    upload(std::uint32_t{});
  else
    upload(Offset{});
}

template <class T>
void TiledFactor<T>::upload_children(const Plan& plan, const FactorMemory<T>& memory, std::vector<FrontViewOf<T>>& views,
                                     Uploader& uploader) {
  const std::span<const Index> fronts = tiled_fronts(plan);
  std::vector<ChildViewOf<T>> pulled;
  std::vector<RowMap> maps;
  row_map_ = uploader.room<symbolic::RowMapWord>(plan.device.row_maps);
  Offset next = 0;
  for (std::size_t t = 0; t < fronts.size(); ++t) {
    FrontViewOf<T>& view = views[t];
    for (const Index c : children_of(plan, fronts[t])) {
      const FrontCells cells = cells_of(plan, c);
      const Index tiled = plan.device.tiled[c];
      if (tiled != kNone) {
        view.awaited += symbolic::contribution_tasks(cells);
        views[static_cast<std::size_t>(tiled)].parent_counters = view.counters;
      }
      if (symbolic::is_listed(plan.supernodes, plan.assembly, fronts[t], c)) continue;
      maps.push_back({next, c, view.cells});
      const Index padding = tiled == kNone ? symbolic::SmallLayout{cells.m, cells.p}.padding() : 0;
      pulled.push_back({memory.entries + plan.device.block[c] + padding, row_map_.data() + next, tiled == kNone ? 0 : cells.below_cells(),
                        cells.m - cells.p});
      next += symbolic::row_map_words(view.cells);
      ++view.child_count;
    }
  }
  uploader.fill(row_map_,
                [&](Offset begin, Offset end, symbolic::RowMapWord* out) { write_row_maps(plan.assembly, maps, begin, end, out); });
  child_ = uploader.copy(pulled);
  const ChildViewOf<T>* child = child_.data();
  for (FrontViewOf<T>& view : views) {
    view.child = child;
    child += view.child_count;
  }
}

template <class T>
cudaError_t TiledFactor<T>::launch(const kernels::Levels& levels, int* ticket, const kernels::ValuesOf<T>& values,
                                   cudaStream_t stream) const {
  using kernels::portable::Arithmetic;
  const auto tasks = static_cast<int>(task_.size());
  if constexpr (std::is_same_v<T, double>) {
    if (loops_.kind == CudaLoops::hopper)
      return kernels::enqueue_factor(front_.data(), task_.data(), tasks, ticket, levels, values, sums_, least_part_, loops_.teams, pauses_,
                                     stream);
  }
  const Arithmetic arithmetic = loops_.kind == CudaLoops::tensor ? Arithmetic::tensor : Arithmetic::fma;
  return kernels::portable::enqueue_factor<T>(arithmetic, front_.data(), task_.data(), tasks, ticket, levels, values, sums_, least_part_,
                                              loops_.teams, pauses_, stream);
}

template <class T>
void TiledFactor<T>::enqueue(const PlanView& view, const FactorMemory<T>& memory, cudaStream_t stream) const {
  check(cudaMemsetAsync(counters_.data(), 0, static_cast<std::size_t>(counters_.size()) * sizeof(int), stream), "counters");
  int* levels = counters_.data() + level_counters_;
  const kernels::ValuesOf<T> values{view.entry_ptr, view.entry_row, view.entry_source, memory.value, memory.shift};
  int* ticket = levels + level_tasks_.size();
  check(launch({levels, level_tasks_.data(), ticket + 1}, ticket, values, stream), "the launch of the tasks");
  enqueue_states(view, first_, static_cast<Index>(front_.size()), front_.data(), memory, stream);
}

template class TiledFactor<float>;
template class TiledFactor<double>;

}  // namespace kauri::numeric::cuda
