// A plan's flat arrays on a device, and the launches that work through them level by level.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/plan.hpp"
#include "numeric/cuda/device_block.hpp"
#include "symbolic/device_schedule.hpp"

namespace kauri::numeric::cuda {

/// A front as kernels see it. Places are entries into the arrays of FactorMemory.
struct Front {
  Offset panel;     ///< SmallLayout{m, p}, or the panel of FrontCells{m, p}
  Offset inverses;  ///< of a tiled front: FrontCells::inverse_entries()
  Offset block;     ///< -1 if q = 0
  Offset row;       ///< of its row list
  Offset relative;  ///< of the places of its rows below the pivots in the parent's front
  Offset update;    ///< update rows of a solve; -1 if q = 0
  Index first, m, p, child_begin, child_end, parent;
  Index tiled;  ///< position among the tiled fronts, or kNone
};

static_assert(sizeof(Front) == symbolic::kDeviceFrontBytes);

/// Arrays on the device. Each factor has its own.
struct PlanView {
  const Front* front;
  const Index* child;
  const Index* row;
  const Index* relative;
  const std::uint32_t* entry_ptr;
  const Index* entry_row;
  const std::uint32_t* entry_source;
  const Index* order;     ///< DeviceSchedule::front
  const Index* tile_ptr;  ///< DeviceSchedule::tile_ptr
  const Index* old_of;
};

using Level = DeviceSchedule::Level;
using Step = DeviceSchedule::Step;
using TileList = DeviceSchedule::TileList;

class Uploader;

class DevicePlan {
 public:
  /// On the current device. Throws Error: memory, device, overflow.
  DevicePlan(std::shared_ptr<const Plan> plan, Uploader& uploader);
  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const { return plan_; }
  [[nodiscard]] const PlanView& view() const { return view_; }
  [[nodiscard]] std::span<const Level> levels() const { return plan_->device.level; }

 private:
  std::shared_ptr<const Plan> plan_;
  DeviceArray<Front> front_;
  DeviceArray<Index> child_, row_, relative_, entry_row_, order_, tile_ptr_, old_of_;
  DeviceArray<std::uint32_t> entry_ptr_, entry_source_;
  PlanView view_{};
};

}  // namespace kauri::numeric::cuda
