// Descriptions and counters of small fronts.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/small_factor.hpp"

#include "numeric/cuda/staging.hpp"

namespace kauri::numeric::cuda {

SmallFactor::SmallFactor(const Plan& plan, const FactorMemory<double>& memory, Uploader& uploader) : narrow_(plan.device.narrow_fronts) {
  const DeviceSchedule& device = plan.device;
  const Supernodes& nodes = plan.supernodes;
  std::vector<Index> place(nodes.parent.size(), kNone);
  for (Index k = 0; k < device.small_fronts; ++k) place[device.front[k]] = k;
  const auto together = [&](Index a, Index b) { return b != kNone && (a < narrow_) == (b < narrow_); };
  const auto describe = [&](Index k) {
    const Index s = device.front[k], parent = nodes.parent[s];
    GatheredFront front{};
    front.panel = memory.entries + device.panel[s];
    front.contribution = device.block[s] < 0 ? nullptr : memory.entries + device.block[s];
    front.rows = nodes.order(s);
    front.pivots = nodes.pivots(s);
    front.front = s;
    front.first = nodes.first[s];
    front.child_begin = plan.assembly.child_ptr[s];
    front.child_end = plan.assembly.child_ptr[s + 1];
    front.place = k;
    front.parent = parent != kNone && together(k, place[parent]) ? place[parent] : kNone;
    for (Index c = front.child_begin; c < front.child_end; ++c) front.awaited += together(k, place[plan.assembly.child[c]]) ? 1 : 0;
    return front;
  };
  front_ = uploader.make<GatheredFront>(device.small_fronts, [&](Offset begin, Offset end, GatheredFront* out) {
    for (Offset k = begin; k < end; ++k) out[k - begin] = describe(static_cast<Index>(k));
  });
  counters_ = uploader.room<int>(Offset{device.small_fronts} + 2);
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
