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
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cuda {

class ResourcePool;
class Staging;

/// Device, memory, streams and kernels of one executor, which all objects that it makes share. The
/// executor owns the heap, which outlives factors and workspaces.
struct DeviceContext {
  Device device;
  const DeviceHeap* heap = nullptr;
  std::shared_ptr<Staging> staging;
  std::shared_ptr<ResourcePool> pool;
  KernelSets kernels;
};

/// A front of m rows and p pivots, q = m - p, as kernels read it. panel, inverses and block are
/// indices into FactorMemory::entries. `first` is the column of L of the first pivot. The children
/// are PlanView::child[child_begin .. child_end); parent is kNone for a root.
struct Front {
  Offset panel;  ///< begin of the panel (HostPanels: not of one in this array, if it has left the
                 ///< device): laid out as SmallLayout{m, p}, or, if tiled, as
                 ///< FrontCells{m, p}.panel(), followed by FrontCells::diagonal_entries()
  Offset inverses;  ///< begin of the inverses of diagonal tiles and of products with them,
                    ///< FrontCells::solve_entries() entries that solves read; -1 if not tiled
  Offset block;     ///< begin of the contribution block; -1 if q = 0
  Offset row;       ///< begin, in PlanView::row, of the list of its m rows
  Offset relative;  ///< begin, in PlanView::relative, of the rows of the parent's front to which
                    ///< its rows below the pivots go
  Offset update;    ///< first of its q update rows in the arena of a solve; -1 if q = 0
  Index first, m, p, child_begin, child_end, parent;
  Index tiled;  ///< position among the tiled fronts, or kNone
  Index place;  ///< position in PlanView::order, in which small fronts come before tiled ones
};

static_assert(sizeof(Front) == symbolic::kDeviceFrontBytes);

/// Arrays of a plan on the device. Non-owning: they lie in the block of a DevicePlan.
struct PlanView {
  const Front* front;                 ///< one per supernode
  const Index* child;                 ///< see Front::child_begin
  const Index* row;                   ///< rows of B of all fronts, see Front::row
  const Index* relative;              ///< see Front::relative
  const std::uint32_t* entry_ptr;     ///< n + 1: first of A's entries in each column of B
  const Index* entry_row;             ///< per entry of A: its row in its front
  const std::uint32_t* entry_source;  ///< per entry of A: index of its value in the caller's order
  const Index* order;                 ///< DeviceSchedule::front
  const Index* tile_ptr;              ///< DeviceSchedule::tile_ptr
  const Index* old_of;                ///< row of A that is row k of B
};

/// Lists of a plan's solves by sweeps on the device (symbolic/device/sweep_lists.hpp), with the
/// arrays that they refer to.
struct SweepView {
  const Front* front;
  const Index* order;
  const Index* row;
  const Index* old_of;   ///< row of b that belongs to row k of L; null: row k itself
  const Index* back_of;  ///< row of x that belongs to row k of L; null: row k itself
  const Index* new_of;   ///< inverse of the plan's permutation: row of L that is row k of A
  const std::uint32_t* ptr;
  const std::uint32_t* slot;
  const symbolic::SweepTask* forward;
  const symbolic::SweepTask* backward;
  Index forward_tasks, backward_tasks;
  Index n;  ///< length of a vector
  Index narrow,
      small;  ///< narrow fronts come first in `order`; `small` counts narrow and small fronts
};

using Level = symbolic::DeviceSchedule::Level;
using Step = symbolic::DeviceSchedule::Step;
using TileList = symbolic::DeviceSchedule::TileList;

/// Returns `plan` itself. Throws Error(usage) if it is a plan for a CPU.
std::shared_ptr<const Plan> require_device_plan(std::shared_ptr<const Plan> plan);

/// Returns the device bytes of a DevicePlan: Plan::prepared_bytes(), less the bytes for tasks or
/// for sweeps if the context's kernels run none of these.
Offset prepared_bytes(const Plan& plan, const DeviceContext& context);

class DevicePlan final : public PreparedPlanImpl {
 public:
  /// Uploads the plan to the current device; all arrays have arrived when this returns. Throws
  /// Error: usage (a CPU's plan), memory, device, overflow.
  DevicePlan(std::shared_ptr<const Plan> plan, const DeviceContext& context);
  [[nodiscard]] const PlanView& view() const { return view_; }
  [[nodiscard]] std::span<const Level> levels() const { return plan()->internals->device.level; }
  /// Returns the arrays for the tasks of tiled fronts; empty if the context's kernels run no tasks
  /// of this plan, or if it has none.
  [[nodiscard]] const TiledPlan& tiled() const { return tiled_; }
  /// Returns the lists of sweeps, or null if neither solves in double nor those in float go by
  /// sweeps.
  [[nodiscard]] const SweepView* sweeps() const { return sweeps_ ? &*sweeps_ : nullptr; }
  /// Returns DeviceSchedule::host_panel on the device; empty without segments.
  [[nodiscard]] const DeviceArray<Offset>& host_panel() const { return host_panel_; }

 private:
  [[nodiscard]] PlanView upload(Uploader& uploader) const;
  [[nodiscard]] SweepView upload_sweeps(const symbolic::SweepLists& lists,
                                        Uploader& uploader) const;

  DeviceBlock block_;
  PlanView view_{};
  TiledPlan tiled_;
  DeviceArray<Offset> host_panel_;
  std::optional<SweepView> sweeps_;
};

}  // namespace kauri::numeric::cuda
