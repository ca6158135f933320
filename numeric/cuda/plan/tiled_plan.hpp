// What the tasks of a plan's tiled fronts need on a device and no factor changes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/plan.hpp"
#include "numeric/cuda/runtime/device_block.hpp"
#include "symbolic/device/schedule.hpp"

namespace kauri::numeric::cuda {

class Uploader;

/// What a factor's view of a tiled front (kernels::FrontViewOf) is made of, beside its Front. Places count from the factor's counters, and
/// from the first of its children's views.
struct TiledFront {
  Offset counters;
  Offset child;
  Index child_count, awaited, level, block_reuses, panel_reuses, fills, loads_block;
};

/// The same of a child that is pulled: its place in the row maps, and the front.
struct PulledChild {
  Offset map;
  Index child;
};

static_assert(sizeof(TiledFront) == symbolic::kDeviceTiledPlanBytes);
static_assert(sizeof(PulledChild) == symbolic::kDevicePulledBytes);

/// Descriptions, row maps, tasks and lists of sums, uploaded once for all factors.
class TiledPlan {
 public:
  /// DeviceSchedule::Sums by groups (symbolic/device/child_sums.hpp); null without sums.
  struct Sums {
    const Offset* step = nullptr;
    const void* place = nullptr;
    const void* term = nullptr;
    bool short_places = true;
  };

  TiledPlan() = default;
  /// For a device that holds `teams` teams. On the current one. Throws Error(memory).
  TiledPlan(const Plan& plan, int teams, Uploader& uploader);
  [[nodiscard]] const DeviceArray<TiledFront>& fronts() const { return front_; }
  [[nodiscard]] const DeviceArray<PulledChild>& children() const { return child_; }
  [[nodiscard]] const DeviceArray<symbolic::RowMapWord>& row_map() const { return row_map_; }
  [[nodiscard]] const DeviceArray<DeviceTask>& tasks() const { return task_; }
  [[nodiscard]] const DeviceArray<Index>& level_tasks() const { return level_tasks_; }
  [[nodiscard]] const Sums& sums() const { return sums_; }
  /// Of all fronts together.
  [[nodiscard]] Offset counters() const { return counters_; }

 private:
  void upload_children(const Plan& plan, std::vector<TiledFront>& fronts, Uploader& uploader);
  void upload_sums(const DeviceSchedule& schedule, Uploader& uploader);

  DeviceArray<TiledFront> front_;
  DeviceArray<PulledChild> child_;
  DeviceArray<symbolic::RowMapWord> row_map_;
  DeviceArray<DeviceTask> task_;
  DeviceArray<Index> level_tasks_;
  Sums sums_;
  Offset counters_ = 0;
};

}  // namespace kauri::numeric::cuda
