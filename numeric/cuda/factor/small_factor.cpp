// The descriptions and counters of small fronts, and their two launches.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/small_factor.hpp"

#include "numeric/cuda/factor/front_views.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cuda {

SmallFactor::SmallFactor(const DevicePlan& plan, const FactorMemory<double>& memory,
                         DeviceBlock& block, cudaStream_t stream)
    : narrow_(plan.plan()->internals->device.narrow_fronts) {
  const Offset small = plan.plan()->internals->device.small_fronts;
  front_ = block.take<GatheredFront>(small);
  counters_ = block.take<int>(small + 2);
  enqueue_gathered_views(plan, memory, front_.data(), stream);
}

void SmallFactor::enqueue(const PlanView& view, const FactorMemory<double>& memory,
                          cudaStream_t stream) const {
  check(cudaMemsetAsync(counters_.data(), 0,
                        static_cast<std::size_t>(counters_.size()) * sizeof(int), stream),
        "counters");
  const auto count = static_cast<Index>(front_.size());
  int* tickets = counters_.data() + count;
  const auto launch = [&](Index begin, Index end, Index rows, int* ticket) {
    const GatherSource source{view, memory, counters_.data(), ticket};
    check(enqueue_gathered_fronts(front_.data() + begin, end - begin, rows, source, stream),
          "the launch of small fronts");
  };
  launch(0, narrow_, symbolic::DeviceSchedule::kNarrow, tickets);
  launch(narrow_, count, symbolic::DeviceSchedule::kSmall, tickets + 1);
}

}  // namespace kauri::numeric::cuda
