// Descriptions and counters of small fronts.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/small_factor.hpp"

namespace kauri::numeric::cuda {

SmallFactor::SmallFactor(const Plan& plan, const FactorMemory<double>& memory, MemoryLedger& ledger) : narrow_(plan.device.narrow_fronts) {
  const DeviceSchedule& device = plan.device;
  const Supernodes& nodes = plan.supernodes;
  std::vector<Index> place(nodes.parent.size(), kNone);
  for (Index k = 0; k < device.small_fronts; ++k) place[device.front[k]] = k;
  const auto together = [&](Index a, Index b) { return (a < narrow_) == (b < narrow_); };
  std::vector<GatheredFront> fronts(static_cast<std::size_t>(device.small_fronts));
  for (Index k = 0; k < device.small_fronts; ++k) {
    const Index s = device.front[k], parent = nodes.parent[s];
    GatheredFront& front = fronts[k];
    front.panel = memory.entries + device.panel[s];
    front.contribution = device.block[s] < 0 ? nullptr : memory.entries + device.block[s];
    front.rows = nodes.order(s);
    front.pivots = nodes.pivots(s);
    front.front = s;
    front.first = nodes.first[s];
    front.child_begin = static_cast<Index>(plan.assembly.child_ptr[s]);
    front.child_end = static_cast<Index>(plan.assembly.child_ptr[s + 1]);
    front.place = k;
    const bool waited_for = parent != kNone && place[parent] != kNone && together(k, place[parent]);
    front.parent = waited_for ? place[parent] : kNone;
    if (waited_for) ++fronts[place[parent]].awaited;
  }
  front_ = upload(fronts, ledger);
  counters_ = DeviceBuffer<int>(Offset{device.small_fronts} + 2, ledger);
}

void SmallFactor::enqueue(const PlanView& view, const FactorMemory<double>& memory, cudaStream_t stream) const {
  check(cudaMemsetAsync(counters_.data(), 0, static_cast<std::size_t>(counters_.size()) * sizeof(int), stream), "counters");
  const auto count = static_cast<Index>(front_.size());
  int* tickets = counters_.data() + count;
  const auto launch = [&](Index begin, Index end, Index rows, int* ticket) {
    const GatherSource source{view, memory, counters_.data(), ticket};
    check(enqueue_gathered_fronts(front_.data() + begin, end - begin, rows, source, stream), "the launch of small fronts");
  };
  launch(0, narrow_, DeviceSchedule::kNarrow, tickets);
  launch(narrow_, count, DeviceSchedule::kSmall, tickets + 1);
}

}  // namespace kauri::numeric::cuda
