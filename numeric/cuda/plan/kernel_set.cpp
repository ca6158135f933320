// The kernels of a kernel set that run for a plan, and the device memory that a factor then needs.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/plan/kernel_set.hpp"

#include <algorithm>

#include "symbolic/device/schedule.hpp"

namespace kauri::numeric::cuda {
namespace {

template <class T>
void limit_teams(TiledKernels<T>& kernels, const symbolic::DeviceSchedule& device) {
  const int all = kernels.teams;
  kernels.teams = std::min(all, device.hooks.teams());
  if (kernels.teams < std::min(all, device.task_teams) ||
      kernels.teams % kernels.teams_in_block != 0)
    throw Error(ErrorKind::usage, "a device's tasks made for " + std::to_string(device.task_teams) +
                                      " teams, to be run by " + std::to_string(kernels.teams) +
                                      "; analyse for the device that runs them");
}

}  // namespace

template <class T>
KernelSet<T> KernelSet<T>::for_factors_of(const Plan& plan) const {
  const symbolic::DeviceSchedule& device = plan.internals->device;
  if (device.hooks.by_level()) return {};
  if (!refusal.empty()) throw Error(ErrorKind::usage, refusal);
  KernelSet out = *this;
  if (device.hooks.teams() != 0 && !device.task.empty()) limit_teams(out.tiled, device);
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

template struct KernelSet<float>;
template struct KernelSet<double>;

}  // namespace kauri::numeric::cuda
