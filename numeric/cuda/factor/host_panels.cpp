// Copies panels of L to page-locked memory of the host, segment by segment.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/host_panels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "numeric/cuda/factor/front_views.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Returns how many entries of T the address `to` lies behind `from`. Both are multiples of 256
/// bytes.
template <class T>
Offset distance(const void* from, const void* to) {
  return (reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(from)) /
         static_cast<Offset>(sizeof(T));
}

}  // namespace

template <class T>
HostPanels<T>::HostPanels(const DevicePlan& plan, const DeviceContext& context, const T* entries,
                          DeviceBlock& block, cudaStream_t stream)
    : device_(plan.plan()->internals->device),
      entries_(entries),
      memory_(static_cast<std::size_t>(plan.plan()->host_bytes(sizeof(T)))),
      front_(block.take<Front>(plan.plan()->supernodes.count())),
      copies_(context.pool),
      computed_(device_.segment.size()),
      copied_(device_.segment.size()) {
  enqueue_homes(plan, distance<T>(entries, memory_.data()), front_.data(), stream);
}

template <class T>
T* HostPanels<T>::panel(Index s) const {
  const Offset place = device_.host_panel[s];
  return place < 0 ? nullptr : static_cast<T*>(memory_.data()) + place;
}

template <class T>
void HostPanels<T>::begin_segment(std::size_t k, cudaStream_t stream) const {
  const auto held = static_cast<std::size_t>(device_.held_segments);
  if (k >= held && !device_.segment[k - held].leaving.empty())
    check(cudaStreamWaitEvent(stream, copied_[k - held].get(), 0), "panels that leave the device");
}

template <class T>
void HostPanels<T>::end_segment(std::size_t k, cudaStream_t stream) const {
  const symbolic::DeviceSchedule::Segment& segment = device_.segment[k];
  if (segment.leaving.empty()) return;
  const char* const what = "panels that leave the device";
  check(cudaEventRecord(computed_[k].get(), stream), what);
  check(cudaStreamWaitEvent(copies_->get(), computed_[k].get(), 0), what);
  for (const auto& [from, to, entries] : segment.leaving)
    check(cudaMemcpyAsync(static_cast<T*>(memory_.data()) + to, entries_ + from,
                          static_cast<std::size_t>(entries) * sizeof(T), cudaMemcpyDeviceToHost,
                          copies_->get()),
          what);
  check(cudaEventRecord(copied_[k].get(), copies_->get()), what);
}

template <class T>
void HostPanels<T>::end(cudaStream_t stream) const {
  const auto last = std::find_if(device_.segment.rbegin(), device_.segment.rend(),
                                 [](const auto& segment) { return !segment.leaving.empty(); });
  if (last == device_.segment.rend()) return;
  const auto k = static_cast<std::size_t>(device_.segment.rend() - last) - 1;
  check(cudaStreamWaitEvent(stream, copied_[k].get(), 0), "panels that leave the device");
}

template class HostPanels<float>;
template class HostPanels<double>;

}  // namespace kauri::numeric::cuda
