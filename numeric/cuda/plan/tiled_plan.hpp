// The arrays that the tasks of a plan's tiled fronts need on a device and that no factor changes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/plan.hpp"
#include "numeric/cuda/runtime/device_block.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/device/schedule_lists.hpp"

namespace kauri::numeric::cuda {

class Uploader;

/// Data of a tiled front beside its Front, from which each factor makes its view
/// (kernels::FrontViewOf). `counters` is the index of its first counter in a factor's array of
/// counters, `child` that of its first child in TiledPlan::children() and in a factor's array of
/// views of children; the other members are those of the view.
struct TiledFront {
  Offset counters;
  Offset child;
  Index child_count, awaited, level, block_reuses, panel_reuses, fills, loads_block;
};

/// A child whose contribution block its parent pulls: index of the first word of its row map in
/// TiledPlan::row_map(), and its front.
struct PulledChild {
  Offset map;
  Index child;
};

static_assert(sizeof(TiledFront) == symbolic::kDeviceTiledPlanBytes);
static_assert(sizeof(PulledChild) == symbolic::kDevicePulledBytes);

/// Descriptions, row maps, tasks and lists of sums of tiled fronts on a device, uploaded once for
/// all factors of a plan.
class TiledPlan {
 public:
  /// DeviceSchedule::Sums by groups (symbolic/device/child_sums.hpp), on the device:
  /// kernels::SumsOf names the types of entries. The pointers are null if there are no sums.
  struct SumLists {
    const Offset* step = nullptr;
    const void* place = nullptr;
    const void* term = nullptr;
    bool short_places = true;
  };

  TiledPlan() = default;
  /// Uploads the arrays to the current device, for tasks that `teams` teams run. They have arrived
  /// after uploader.finish(). Throws Error: memory, device, overflow.
  TiledPlan(const Plan& plan, int teams, Uploader& uploader);
  [[nodiscard]] const DeviceArray<TiledFront>& fronts() const { return front_; }
  [[nodiscard]] const DeviceArray<PulledChild>& children() const { return child_; }
  [[nodiscard]] const DeviceArray<symbolic::RowMapWord>& row_map() const { return row_map_; }
  [[nodiscard]] const DeviceArray<symbolic::DeviceTask>& tasks() const { return task_; }
  [[nodiscard]] const DeviceArray<Index>& level_tasks() const { return level_tasks_; }
  [[nodiscard]] const SumLists& sums() const { return sums_; }
  /// Returns the number of counters of all fronts together.
  [[nodiscard]] Offset counters() const { return counters_; }

 private:
  void upload_children(const Plan& plan, std::vector<TiledFront>& fronts, Uploader& uploader);
  void upload_sums(const symbolic::DeviceSchedule& schedule, Uploader& uploader);

  DeviceArray<TiledFront> front_;
  DeviceArray<PulledChild> child_;
  DeviceArray<symbolic::RowMapWord> row_map_;
  DeviceArray<symbolic::DeviceTask> task_;
  DeviceArray<Index> level_tasks_;
  SumLists sums_;
  Offset counters_ = 0;
};

}  // namespace kauri::numeric::cuda
