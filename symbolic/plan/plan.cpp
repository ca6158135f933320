// Counts the bytes of a Plan, its factors and their workspaces, and owns the internals of the plan.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/plan.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "base/common/aligned_bytes.hpp"
#include "base/common/checked.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/device/sweep_lists.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri {
namespace {

using symbolic::Assembly;
using symbolic::DeviceSchedule;
using symbolic::PlanInternals;
using symbolic::Schedule;
using symbolic::TaskEdges;

template <class T, class Allocator>
Offset bytes(const std::vector<T, Allocator>& array) {
  return static_cast<Offset>(array.size() * sizeof(T));
}

Offset bytes(const TaskEdges& edges) {
  return bytes(edges.dependencies) + bytes(edges.successor_ptr) + bytes(edges.successor);
}

Offset device_bytes(const DeviceSchedule& device) {
  Offset steps = 0;
  for (const DeviceSchedule::Level& level : device.level) steps += bytes(level.steps);
  return steps + bytes(device.level) + bytes(device.tile_ptr) + bytes(device.front) +
         bytes(device.tiled) + bytes(device.panel) + bytes(device.block) + bytes(device.inverses) +
         bytes(device.task) + bytes(device.sums.ptr) + bytes(device.sums.place) +
         bytes(device.sums.term) + bytes(device.sums.step) + bytes(device.block_reuses) +
         bytes(device.panel_reuses) + bytes(device.update) + bytes(device.host_panel);
}

Offset schedule_bytes(const Schedule& schedule) {
  return bytes(schedule.task) + bytes(schedule.factor_edges) + bytes(schedule.forward_edges) +
         bytes(schedule.backward_edges) + bytes(schedule.scratch) +
         bytes(schedule.fully_summed_columns) + bytes(schedule.fully_summed) +
         bytes(schedule.partially_summed) + bytes(schedule.update);
}

Offset assembly_bytes(const Assembly& assembly) {
  return bytes(assembly.entry_ptr) + bytes(assembly.entry_source) + bytes(assembly.entry_row) +
         bytes(assembly.child_ptr) + bytes(assembly.child) + bytes(assembly.run_ptr) +
         bytes(assembly.run);
}

}  // namespace

Plan::Internals::Internals() : lists_(std::make_unique<PlanInternals>()) {}
Plan::Internals::Internals(const Internals& other)
    : lists_(std::make_unique<PlanInternals>(*other.lists_)) {}
Plan::Internals::Internals(Internals&& other) noexcept = default;
Plan::Internals& Plan::Internals::operator=(const Internals& other) {
  lists_ = std::make_unique<PlanInternals>(*other.lists_);
  return *this;
}
Plan::Internals& Plan::Internals::operator=(Internals&& other) noexcept = default;
Plan::Internals::~Internals() = default;

Pattern Plan::pattern() const { return internals->pattern.view(); }

bool Plan::on_device() const { return internals->device.on; }

Offset Plan::factor_bytes(int scalar_bytes) const {
  return checked_mul(on_device() ? internals->device.factor_entries : internals->panel_ptr.back(),
                     scalar_bytes, "bytes of L");
}

Offset Plan::counter_bytes() const {
  return static_cast<Offset>(internals->schedule.task.size()) * 2 * Offset{sizeof(Index)};
}

Offset Plan::peak_bytes(int scalar_bytes) const {
  if (on_device()) {
    const DeviceSchedule& device = internals->device;
    const auto count = static_cast<Offset>(supernodes.parent.size());
    const Offset fronts = aligned_bytes(count, symbolic::kDeviceStateBytes) +
                          aligned_bytes(count, symbolic::kDeviceColumnBytes) +
                          aligned_bytes(count, symbolic::kDevicePivotBytes) +
                          aligned_bytes(1, symbolic::kDeviceVerdictBytes);
    const Offset values =
        checked_add(aligned_bytes(nnz, scalar_bytes), aligned_bytes(1, scalar_bytes),
                    "bytes");  // the second term is the shift
    const Offset plan =
        device.plan_bytes + (device.hooks.by_level() ? 0 : device.sweeps.bytes + device.fast_bytes);
    const Offset home =  // records of fronts with the places of panels in host memory
        device.segment.empty() ? 0 : aligned_bytes(count, symbolic::kDeviceFrontBytes);
    return checked_add(aligned_bytes(device.entries, scalar_bytes),
                       checked_add(values, fronts + plan + home, "bytes"), "bytes");
  }
  const Offset stack =
      checked_mul(internals->schedule.stack_entries, scalar_bytes, "bytes of contributions");
  return checked_add(checked_add(factor_bytes(scalar_bytes), stack, "bytes"), counter_bytes(),
                     "bytes");
}

Offset Plan::host_bytes(int scalar_bytes) const {
  return checked_mul(internals->device.host_entries, scalar_bytes, "bytes of host memory");
}

Offset Plan::prepared_bytes() const {
  const DeviceSchedule& device = internals->device;
  return device.plan_bytes +
         (device.hooks.by_level() ? 0 : device.shared_bytes + device.sweeps.bytes);
}

Offset Plan::workspace_bytes(int scalar_bytes, Index nrhs, Index together) const {
  if (on_device()) {
    const DeviceSchedule& device = internals->device;
    const Offset row = Offset{scalar_bytes} * std::clamp(nrhs, Index{0}, kSolveBlock);
    if (!device.hooks.by_level() &&
        device.sweeps.bytes > 0) {  // right-hand sides in the caller's scalar,
                                    // then the numbers of one solve in double
      const Index most = std::min(nrhs, together);
      return checked_add(
          aligned_bytes(n, row),
          aligned_bytes(symbolic::solve_numbers(device.sweeps, n, most), sizeof(double)),
          "bytes of workspace");
    }
    // Two arrays of n rows (permuted right-hand sides; solution of the forward sweep, whose memory
    // first holds the caller's right-hand sides), then the update rows.
    return checked_add(2 * aligned_bytes(n, row), aligned_bytes(device.update_rows, row),
                       "bytes of workspace");
  }
  const Offset rows = checked_add(n, internals->schedule.update_rows, "rows of workspace");
  const Offset scalars =
      checked_mul(rows, std::clamp(nrhs, Index{0}, kSolveBlock), "scalars of workspace");
  return checked_add(checked_mul(scalars, scalar_bytes, "bytes of workspace"), counter_bytes(),
                     "bytes of workspace");
}

Offset Plan::plan_bytes() const {
  const auto spans =
      static_cast<Offset>((perm.old_of().size() + perm.new_of().size()) * sizeof(Index));
  return spans + bytes(internals->pattern.col_ptr) + bytes(internals->pattern.row) +
         bytes(tree.parent) + bytes(tree.column_count) + bytes(supernodes.first) +
         bytes(supernodes.parent) + bytes(supernodes.row_ptr) + bytes(supernodes.row) +
         bytes(internals->panel_ptr) + assembly_bytes(internals->assembly) +
         schedule_bytes(internals->schedule) + bytes(cost.fronts) + device_bytes(internals->device);
}

}  // namespace kauri
