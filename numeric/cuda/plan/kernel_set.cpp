// The kernels of a kernel set that run for a plan, and the device memory that a factor then needs.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/plan/kernel_set.hpp"

#include <algorithm>

#include "symbolic/device/schedule.hpp"
#include "symbolic/launch/useful_teams.hpp"

namespace kauri::numeric::cuda {
namespace {

template <class T>
void require_enough(int teams, const TiledKernels<T>& kernels,
                    const symbolic::DeviceSchedule& device) {
  if (teams < std::min(kernels.teams, device.task_teams) || teams % kernels.teams_in_block != 0)
    throw Error(ErrorKind::usage, "a device's tasks made for " + std::to_string(device.task_teams) +
                                      " teams, to be run by " + std::to_string(teams) +
                                      "; analyse for the device that runs them");
}

}  // namespace

template <class T>
int TiledKernels<T>::teams_for(const Plan& plan) const {
  const symbolic::DeviceSchedule& device = plan.internals->device;
  const int asked = device.hooks.teams();
  if (asked != 0) return std::min(teams, asked);
  if (!shares) return teams;
  return symbolic::share_of(teams, device.useful_teams, symbolic::least_teams(teams),
                            teams_in_block);
}

template <class T>
KernelSet<T> KernelSet<T>::for_factors_of(const Plan& plan) const {
  const symbolic::DeviceSchedule& device = plan.internals->device;
  if (device.hooks.by_level() && device.segment.empty()) return {};
  if (!refusal.empty()) throw Error(ErrorKind::usage, refusal);
  KernelSet out = *this;
  if (!device.task.empty()) {
    out.tiled.teams = tiled.teams_for(plan);
    if (device.hooks.teams() != 0) require_enough(out.tiled.teams, tiled, device);
  }
  if (!device.segment.empty() && (device.task.empty() || out.tiled.teams == 0 || !gathers()))
    throw Error(
        ErrorKind::usage,
        "panels of the plan's L leave the device (AnalyzeOptions::device_bytes), which takes "
        "tasks of large fronts and gathered small fronts; the kernels of this backend, " +
            std::string(name()) + ", run none of them");
  out.single.blocks = symbolic::share_of(single.blocks, device.useful_blocks,
                                         symbolic::least_blocks(single.blocks), 1);
  return out;
}

template <class T>
Offset KernelSet<T>::own_bytes(const Plan& plan) const {
  const symbolic::DeviceSchedule& device = plan.internals->device;
  const KernelSet set = for_factors_of(plan);
  const Offset own = plan.peak_bytes(sizeof(T)) - plan.prepared_bytes();
  if (device.hooks.by_level()) return own;
  return own - (set.gathers() ? 0 : device.fast_bytes - device.task_bytes) -
         (set.tiled.teams > 0 ? 0 : device.task_bytes - device.shared_bytes);
}

template struct TiledKernels<float>;
template struct TiledKernels<double>;
template struct KernelSet<float>;
template struct KernelSet<double>;

}  // namespace kauri::numeric::cuda
