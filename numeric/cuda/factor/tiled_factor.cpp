// The views and counters of tiled fronts, and the launch of their tasks.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/tiled_factor.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include "numeric/cuda/factor/front_views.hpp"
#include "numeric/cuda/factor/tiled/hopper/front_kernel.hpp"
#include "numeric/cuda/factor/tiled/streamed/kernel.hpp"
#include "numeric/cuda/factor/verdict_kernels.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cuda {
namespace {

using kernels::ChildViewOf;
using kernels::FrontViewOf;

static_assert(sizeof(FrontViewOf<float>) == symbolic::kDeviceTiledBytes &&
              sizeof(FrontViewOf<double>) == symbolic::kDeviceTiledBytes);
static_assert(sizeof(ChildViewOf<float>) == symbolic::kDeviceChildBytes &&
              sizeof(ChildViewOf<double>) == symbolic::kDeviceChildBytes);

/// Returns the kernels, to be run by as many teams as the device holds or as
/// DeviceTestHooks::teams() asks for, whichever is fewer. Throws Error(usage) if the hook lowers
/// the number below that which the tasks were made for, or to an odd one for Hopper's kernel.
TiledKernels with_teams(TiledKernels kernels, const symbolic::DeviceSchedule& device) {
  if (device.hooks.teams() == 0) return kernels;
  const int all = kernels.teams;
  kernels.teams = std::min(all, device.hooks.teams());
  if (kernels.teams < std::min(all, device.task_teams) ||
      (kernels.compute == CudaCompute::hopper && kernels.teams % 2 != 0))
    throw Error(ErrorKind::usage, "a device's tasks made for " + std::to_string(device.task_teams) +
                                      " teams, to be run by " + std::to_string(kernels.teams));
  return kernels;
}

}  // namespace

template <class T>
TiledFactor<T>::TiledFactor(const DevicePlan& plan, const FactorMemory<T>& memory,
                            const TiledKernels& chosen, DeviceBlock& block, cudaStream_t stream)
    : plan_(&plan.tiled()) {
  const symbolic::DeviceSchedule& device = plan.plan()->internals->device;
  const TiledPlan::SumLists& sums = plan_->sums();
  chosen_ = with_teams(chosen, device);
  pauses_ = device.hooks.pauses();
  least_part_ = device.hooks.least_part();
  first_ = device.small_fronts;
  sums_ = {sums.step,     sums.place, sums.term, sums.short_places, device.sums.scratch_begin,
           memory.entries};
  counters_ = block.take<int>(plan_->counters() + plan_->level_tasks().size() + 2);
  child_ = block.take<ChildViewOf<T>>(plan_->children().size());
  front_ = block.take<FrontViewOf<T>>(plan_->fronts().size());
  enqueue_views(plan, memory, {counters_.data(), front_.data(), child_.data()}, stream);
}

template <class T>
cudaError_t TiledFactor<T>::launch(const kernels::Levels& levels, int* ticket,
                                   const kernels::ValuesOf<T>& values, cudaStream_t stream) const {
  const symbolic::DeviceTask* task = plan_->tasks().data();
  const auto tasks = static_cast<int>(plan_->tasks().size());
  if constexpr (std::is_same_v<T, double>) {
    if (chosen_.compute == CudaCompute::hopper)
      return kernels::enqueue_factor(front_.data(), task, tasks, ticket, levels, values, sums_,
                                     least_part_, chosen_.teams, pauses_, stream);
  }
  const kernels::portable::Arithmetic arithmetic =
      kernels::portable::arithmetic_of(chosen_.compute);
  if constexpr (std::is_same_v<T, float>) {
    if (chosen_.streamed)
      return kernels::streamed::enqueue_factor(arithmetic, front_.data(), task, tasks, ticket,
                                               levels, values, sums_, least_part_, chosen_.teams,
                                               pauses_, stream);
  }
  return kernels::portable::enqueue_factor<T>(arithmetic, front_.data(), task, tasks, ticket,
                                              levels, values, sums_, least_part_, chosen_.teams,
                                              pauses_, stream);
}

template <class T>
void TiledFactor<T>::enqueue(const PlanView& view, const FactorMemory<T>& memory,
                             cudaStream_t stream) const {
  check(cudaMemsetAsync(counters_.data(), 0,
                        static_cast<std::size_t>(counters_.size()) * sizeof(int), stream),
        "counters");
  int* levels = counters_.data() + plan_->counters();
  const kernels::ValuesOf<T> values{view.entry_ptr, view.entry_row, view.entry_source, memory.value,
                                    memory.shift};
  int* ticket = levels + plan_->level_tasks().size();
  check(launch({levels, plan_->level_tasks().data(), ticket + 1}, ticket, values, stream),
        "the launch of the tasks");
  enqueue_states(view, first_, static_cast<Index>(front_.size()), front_.data(), memory, stream);
}

template class TiledFactor<float>;
template class TiledFactor<double>;

}  // namespace kauri::numeric::cuda
