// A plan's flat arrays on a device, which its factors share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "numeric/backend.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"
#include "numeric/cuda/plan/tiled_plan.hpp"
#include "symbolic/device/sweep_lists.hpp"

namespace kauri::numeric::cuda {

class ResourcePool;
class Staging;

/// What everything made by one executor shares. The executor owns the heap, which outlives factors and workspaces.
struct DeviceContext {
  Device device;
  const DeviceHeap* heap = nullptr;
  std::shared_ptr<Staging> staging;
  std::shared_ptr<ResourcePool> pool;
  KernelSets kernels;
};

/// A front as kernels see it. Places are entries into the arrays of FactorMemory.
struct Front {
  Offset panel;     ///< SmallLayout{m, p}, or the panel of FrontCells{m, p} and after it diagonal_entries()
  Offset inverses;  ///< of a tiled front: FrontCells::solve_entries()
  Offset block;     ///< -1 if q = 0
  Offset row;       ///< of its row list
  Offset relative;  ///< of the places of its rows below the pivots in the parent's front
  Offset update;    ///< update rows of a solve; -1 if q = 0
  Index first, m, p, child_begin, child_end, parent;
  Index tiled;  ///< position among the tiled fronts, or kNone
  Index place;  ///< in PlanView::order, where small fronts come before tiled ones
};

static_assert(sizeof(Front) == symbolic::kDeviceFrontBytes);

/// Arrays on the device.
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

/// A plan's lists of a fast solve on the device (symbolic/device/sweep_lists.hpp), with what they refer to.
struct SweepView {
  const Front* front;
  const Index* order;
  const Index* row;
  const Index* old_of;   ///< of b; null: numbers keep their places
  const Index* back_of;  ///< the same of x
  const Index* new_of;   ///< the inverse of the plan's old_of
  const std::uint32_t* ptr;
  const std::uint32_t* slot;
  const symbolic::SweepTask* forward;
  const symbolic::SweepTask* backward;
  Index forward_tasks, backward_tasks;
  Index n;              ///< numbers of a vector
  Index narrow, small;  ///< of `order` the first so many are narrow fronts; narrow and small ones
};

using Level = DeviceSchedule::Level;
using Step = DeviceSchedule::Step;
using TileList = DeviceSchedule::TileList;

/// Throws Error(usage) for a plan of a CPU.
std::shared_ptr<const Plan> require_device_plan(std::shared_ptr<const Plan> plan);

/// Bytes of a DevicePlan: Plan::prepared_bytes(), or less where no kernels run the tasks.
Offset prepared_bytes(const Plan& plan, const DeviceContext& context);

class DevicePlan final : public PreparedPlanImpl {
 public:
  /// On the current device; all is there when this returns. Throws Error: usage (a CPU's plan), memory, device, overflow.
  DevicePlan(std::shared_ptr<const Plan> plan, const DeviceContext& context);
  [[nodiscard]] const PlanView& view() const { return view_; }
  [[nodiscard]] std::span<const Level> levels() const { return plan()->device.level; }
  /// Empty where the tiled fronts are done level by level.
  [[nodiscard]] const TiledPlan& tiled() const { return tiled_; }
  /// Null where solves go level by level, in double and in float.
  [[nodiscard]] const SweepView* sweeps() const { return sweeps_ ? &*sweeps_ : nullptr; }

 private:
  [[nodiscard]] PlanView upload(Uploader& uploader) const;
  [[nodiscard]] SweepView upload_sweeps(const symbolic::SweepLists& lists, Uploader& uploader) const;

  DeviceBlock block_;
  PlanView view_{};
  TiledPlan tiled_;
  std::optional<SweepView> sweeps_;
};

}  // namespace kauri::numeric::cuda
