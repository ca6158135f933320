// Refactorisations on a CUDA device: of small fronts, of tiled fronts, and of the whole factor.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/factor.hpp"

#include <algorithm>

#include "numeric/cuda/factor/fallback/kernels.hpp"
#include "numeric/cuda/factor/front_views.hpp"
#include "numeric/cuda/factor/tile_inverses.hpp"
#include "numeric/cuda/factor/verdict_kernels.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/cuda/runtime/unwinding.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/device/small_layout.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cuda {
namespace {

using kernels::ChildViewOf;
using kernels::FrontViewOf;

static_assert(sizeof(FrontViewOf<float>) == symbolic::kDeviceTiledBytes &&
              sizeof(FrontViewOf<double>) == symbolic::kDeviceTiledBytes);
static_assert(sizeof(ChildViewOf<float>) == symbolic::kDeviceChildBytes &&
              sizeof(ChildViewOf<double>) == symbolic::kDeviceChildBytes);

}  // namespace

template <class T>
SmallFactor<T>::SmallFactor(const DevicePlan& plan, const PlanView& homes,
                            const FactorMemory<T>& memory, const SmallKernels<T>& kernels,
                            DeviceBlock& block, cudaStream_t stream)
    : kernels_(kernels), narrow_(plan.plan()->internals->device.narrow_fronts) {
  const Offset small = plan.plan()->internals->device.small_fronts;
  front_ = block.take<GatheredFront<T>>(small);
  counters_ = block.take<int>(small + 2);
  kernels_.describe(plan, homes, memory, front_.data(), stream);
}

template <class T>
void SmallFactor<T>::enqueue(const PlanView& view, const FactorMemory<T>& memory,
                             cudaStream_t stream) const {
  check(cudaMemsetAsync(counters_.data(), 0,
                        static_cast<std::size_t>(counters_.size()) * sizeof(int), stream),
        "counters");
  const auto count = static_cast<Index>(front_.size());
  int* tickets = counters_.data() + count;
  const auto launch = [&](Index begin, Index end, Index rows, int* ticket) {
    check(kernels_.enqueue(front_.data() + begin, end - begin, rows, view, memory, counters_.data(),
                           ticket, stream),
          "the launch of small fronts");
  };
  launch(0, narrow_, symbolic::DeviceSchedule::kNarrow, tickets);
  launch(narrow_, count, symbolic::DeviceSchedule::kSmall, tickets + 1);
}

template <class T>
TiledFactor<T>::TiledFactor(const DevicePlan& plan, const FactorMemory<T>& memory,
                            const TiledKernels<T>& kernels, DeviceBlock& block, cudaStream_t stream)
    : plan_(&plan.tiled()), kernels_(kernels) {
  const symbolic::DeviceSchedule& device = plan.plan()->internals->device;
  const TiledPlan::SumLists& sums = plan_->sums();
  pauses_ = device.hooks.pauses();
  least_part_ = device.hooks.least_part();
  ranges_ = symbolic::launch_ranges(device, symbolic::device_cost(plan.plan()->target, sizeof(T)),
                                    kernels_.launch_seconds);
  first_ = device.small_fronts;
  for (const symbolic::DeviceSchedule::Segment& segment : device.segment)
    segments_.push_back({device.level_end[segment.level_end - 1], segment.pivot_tiles.first,
                         segment.pivot_tiles.count});
  if (segments_.empty())
    segments_.push_back({static_cast<Index>(device.task.size()), first_,
                         static_cast<Index>(plan_->fronts().size())});
  sums_ = {sums.step,     sums.place, sums.term, sums.short_places, device.sums.scratch_begin,
           memory.entries};
  counters_ = block.take<int>(plan_->counters() + plan_->level_tasks().size() + 2);
  child_ = block.take<ChildViewOf<T>>(plan_->children().size());
  front_ = block.take<FrontViewOf<T>>(plan_->fronts().size());
  enqueue_views(plan, memory, {counters_.data(), front_.data(), child_.data()}, stream);
}

template <class T>
void TiledFactor<T>::enqueue(const PlanView& view, const FactorMemory<T>& memory,
                             const Between& between, cudaStream_t stream) const {
  check(cudaMemsetAsync(counters_.data(), 0,
                        static_cast<std::size_t>(counters_.size()) * sizeof(int), stream),
        "counters");
  int* levels = counters_.data() + plan_->counters();
  const kernels::ValuesOf<T> values{view.entry_ptr, view.entry_row, view.entry_source, memory.value,
                                    memory.shift};
  int* ticket = levels + plan_->level_tasks().size();
  std::size_t k = 0;
  for (const auto& [first, end] : ranges_) {
    if (first == (k == 0 ? 0 : segments_[k - 1].task_end)) between.begin(k);
    // Each team of a launch draws one ticket beyond the last, so the next launch counts from 0
    // anew; all other counters go on.
    if (first > 0) check(cudaMemsetAsync(ticket, 0, sizeof(int), stream), "the ticket");
    const TaskLaunch<T> tasks{front_.data(),
                              plan_->tasks().data() + first,
                              end - first,
                              ticket,
                              {levels, plan_->level_tasks().data(), ticket + 1},
                              values,
                              sums_,
                              least_part_,
                              pauses_};
    check(kernels_.enqueue(tasks, stream), "the launch of the tasks");
    if (end != segments_[k].task_end) continue;
    enqueue_states(view, segments_[k].first, segments_[k].fronts,
                   front_.data() + (segments_[k].first - first_), memory, stream);
    between.end(k++);
  }
}

template <class T>
CudaFactor<T>::CudaFactor(std::shared_ptr<const DevicePlan> plan, DeviceContext context)
    : context_(std::move(context)),
      plan_(std::move(plan)),
      kernels_(context_.kernels.of<T>().for_factors_of(*plan_->plan())),
      fast_(kernels_.runs_sweeps(*plan_->plan())),
      host_verdict_(context_.pool),
      block_(context_.kernels.of<T>().own_bytes(*plan_->plan()), *context_.heap),
      stream_(context_.pool) {
  const Plan& p = *plan_->plan();
  const auto fronts = static_cast<Offset>(p.supernodes.parent.size());
  entries_ = block_.template take<T>(p.internals->device.entries);
  value_ = block_.template take<T>(p.nnz);
  shift_ = block_.template take<T>(1);
  state_ = block_.template take<FrontState>(fronts);
  failed_column_ = block_.template take<Index>(fronts);
  failed_pivot_ = block_.template take<double>(fronts);
  verdict_ = block_.template take<VerdictMemory>(1);
  check(cudaMemcpyAsync(&verdict_.data()->verdict, &host_verdict_.place().there->value,
                        sizeof(DeviceVerdict), cudaMemcpyDefault, stream_->get()),
        "the verdict");
  if (!p.internals->device.segment.empty())
    host_panels_.emplace(*plan_, context_, entries_.data(), block_, stream_->get());
  if (kernels_.gathers())
    small_ = SmallFactor<T>(*plan_, view(), memory(), kernels_.small, block_, stream_->get());
  if (kernels_.tiled.teams > 0 && !p.internals->device.task.empty())
    tiled_ = TiledFactor<T>(*plan_, memory(), kernels_.tiled, block_, stream_->get());
  stream_->synchronize();
}

/// Enqueues a factorisation after its first kernel: sets all fronts' states to `done`, then does
/// the small fronts in two launches or by the fallback, tiled fronts as tasks or by the fallback,
/// then the inverses of diagonal tiles, then the verdict.
template <class T>
void CudaFactor<T>::enqueue(cudaStream_t stream) const {
  const auto fronts = static_cast<Index>(state_.size());
  const symbolic::DeviceSchedule& device = plan_->plan()->internals->device;
  if (fronts > 0)
    check(cudaMemsetAsync(state_.data(), 0, static_cast<std::size_t>(fronts) * sizeof(FrontState),
                          stream),
          "states of fronts");
  const std::span<const Level> levels = plan_->levels();
  const std::span<const Level> small = levels.first(static_cast<std::size_t>(device.small_levels)),
                               tiled = levels.subspan(small.size());
  const auto level_by_level = [&](std::span<const Level> some) {
    for (const Level& level : some) enqueue_level(plan_->view(), level, memory(), stream);
  };
  if (kernels_.gathers())
    small_.enqueue(plan_->view(), memory(), stream);
  else
    level_by_level(small);
  if (kernels_.tiled.teams > 0 && !device.task.empty()) {
    enqueue_tasks(stream);
  } else {
    level_by_level(tiled);
    enqueue_tile_inverses(plan_->view(), device.pivot_tiles, memory(), fast_, stream);
  }
  enqueue_verdict(view(), fronts, memory(), verdict_.data(), host_verdict_.place(), stream);
}

template <class T>
void CudaFactor<T>::enqueue_tasks(cudaStream_t stream) const {
  const symbolic::DeviceSchedule& device = plan_->plan()->internals->device;
  const auto begin = [&](std::size_t k) {
    if (host_panels_) host_panels_->begin_segment(k, stream);
  };
  const auto end = [&](std::size_t k) {
    enqueue_tile_inverses(plan_->view(),
                          host_panels_ ? device.segment[k].pivot_tiles : device.pivot_tiles,
                          memory(), fast_, stream);
    if (host_panels_) host_panels_->end_segment(k, stream);
  };
  tiled_.enqueue(plan_->view(), memory(), {begin, end}, stream);
  if (host_panels_) host_panels_->end(stream);
}

/// The first run makes no graph: its verdict need not wait for one, and a factor that is filled
/// once needs none. The second run makes the graph after its own launches, so that the device works
/// meanwhile. Later runs launch the graph, if it could be made.
template <class T>
void CudaFactor<T>::run(cudaStream_t stream) {
  if (graph_.is_made()) return graph_.launch(stream);
  enqueue(stream);
  if (ran_ && !tried_graph_) {
    tried_graph_ = true;
    graph_.make(
        *stream_, [this](cudaStream_t own) { enqueue(own); }, stream);
  }
  ran_ = true;
}

template <class T>
CudaFactor<T>::~CudaFactor() {
  stream_->wait();  // the work enqueued on stream_ must end before block_ frees the memory: an
                    // allocator of the caller may give it to others at once
}

template <class T>
FactorMemory<T> CudaFactor<T>::memory() const {
  return {entries_.data(), value_.data(),         shift_.data(),
          state_.data(),   failed_column_.data(), failed_pivot_.data()};
}

template <class T>
PlanView CudaFactor<T>::view() const {
  PlanView view = plan_->view();
  if (host_panels_) view.front = host_panels_->fronts();
  return view;
}

template <class T>
SweepView CudaFactor<T>::sweeps() const {
  SweepView view = *plan_->sweeps();
  if (host_panels_) view.front = host_panels_->fronts();
  return view;
}

template <class T>
const T* CudaFactor<T>::panel_of(Index s) const {
  const T* const on_host = host_panels_ ? host_panels_->panel(s) : nullptr;
  return on_host ? on_host : entries_.data() + plan()->internals->device.panel[s];
}

template <class T>
void CudaFactor<T>::enqueue_beginning_of(ValueSource<T> source, T shift,
                                         cudaStream_t stream) const {
  enqueue_beginning(source, value_.size(), value_.data(), shift, shift_.data(), verdict_.data(),
                    host_verdict_.place(), stream);
}

template <class T>
ValueSource<T> CudaFactor<T>::stage_values(std::span<const T> value) const {
  if (value.empty()) return ValueSource<T>::in_place();
  const cudaPointerAttributes place = attributes_of(value.data());
  if (place.type == cudaMemoryTypeDevice && place.device == context_.device)
    return ValueSource<T>::copied_from(value.data());
  context_.staging->copy(value_.data(), std::as_bytes(value), stream_->get());
  return ValueSource<T>::in_place();
}

template <class T>
void CudaFactor<T>::begin_after(StreamHandle stream) {
  const CurrentDevice current(context_.device);
  enqueue_after(static_cast<cudaStream_t>(stream), *stream_, "refactorize");
}

template <class T>
const DeviceVerdict& CudaFactor<T>::refactorize(std::span<const T> value, T shift,
                                                ValuesAre values) {
  const CurrentDevice current(context_.device);
  seen_ = {};
  awaits_verdict_ = false;
  const WaitInUnwinding waits(*stream_);
  const bool reuses_values = holds_values_ && values == ValuesAre::unchanged;
  holds_values_ = false;  // true again below, unless a call throws
  enqueue_beginning_of(reuses_values ? ValueSource<T>::in_place() : stage_values(value), shift,
                       stream_->get());
  run(stream_->get());
  stream_->synchronize();
  holds_values_ = true;
  return seen_ = host_verdict_.read("the verdict of a factor");
}

/// While the caller's stream is being captured, this enqueues the launches themselves: graph_
/// cannot be launched into a capture.
template <class T>
void CudaFactor<T>::enqueue_refactorize(std::span<const T> value, T shift, StreamHandle handle) {
  const CurrentDevice current(context_.device);
  if (!value.empty())
    require_on_device(value.data(), &value.back(), "enqueue_refactorize: value", context_.device);
  const auto stream = static_cast<cudaStream_t>(handle);
  const bool capturing = is_capturing(stream);
  seen_ = {};
  holds_values_ = awaits_verdict_ = false;  // set below, unless a call throws
  enqueue_beginning_of(ValueSource<T>::copied_from(value.data()), shift, stream);
  if (capturing)
    enqueue(stream);
  else
    run(stream);
  holds_values_ = !capturing;
  awaits_verdict_ = true;
}

template <class T>
const DeviceVerdict& CudaFactor<T>::fetch_verdict(StreamHandle stream) {
  const CurrentDevice current(context_.device);
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "work on the caller's stream");
  seen_ = host_verdict_.read("the verdict of a factor");
  if (seen_.status != VerdictStatus::none) awaits_verdict_ = false;
  return seen_;
}

template <class T>
std::span<const T> CudaFactor<T>::on_host(std::span<const T> value, std::vector<T>& room) const {
  const CurrentDevice current(context_.device);
  if (attributes_of(value.data()).type != cudaMemoryTypeDevice) return value;
  room.resize(value.size());
  fetch(std::span(room), value.data(), *stream_, "values of A");
  return room;
}

template <class T>
T CudaFactor<T>::entry(Index row, Index col) const {
  if (row < col) return T(0);
  const Plan& plan = *plan_->plan();
  const Supernodes& nodes = plan.supernodes;
  const auto s = static_cast<Index>(std::upper_bound(nodes.first.begin(), nodes.first.end(), col) -
                                    nodes.first.begin() - 1);
  const auto rows = nodes.rows(s);
  const auto at = std::lower_bound(rows.begin(), rows.end(), row);
  if (at == rows.end() || *at != row) return T(0);
  const Index m = nodes.order(s), p = nodes.pivots(s), r = static_cast<Index>(at - rows.begin()),
              c = col - nodes.first[s];
  const Offset place = plan.internals->device.tiled[s] == kNone
                           ? symbolic::SmallLayout{m, p}.place(r, c)
                           : symbolic::FrontCells{m, p}.place(r, c);
  const CurrentDevice current(context_.device);
  return fetch(panel_of(s) + place, *stream_, "an entry of L");
}

template <class T>
void CudaFactor<T>::copy_panel(Index s, std::span<T> to) const {
  const Plan& plan = *plan_->plan();
  const Index m = plan.supernodes.order(s), p = plan.supernodes.pivots(s);
  const auto copy = [&](Offset entries, const auto& layout) {
    std::vector<T> panel(static_cast<std::size_t>(entries));
    const CurrentDevice current(context_.device);
    fetch(std::span(panel), panel_of(s), *stream_, "a panel of L");
    for (Index c = 0; c < p; ++c)
      for (Index r = c; r < m; ++r)
        to[static_cast<std::size_t>(c) * m + r] = panel[layout.place(r, c)];
  };
  const symbolic::SmallLayout small{m, p};
  const symbolic::FrontCells tiled{m, p};
  if (plan.internals->device.tiled[s] == kNone)
    copy(small.panel_entries(), small);
  else
    copy(tiled.panel().entries(), tiled);
}

template class SmallFactor<float>;
template class SmallFactor<double>;
template class TiledFactor<float>;
template class TiledFactor<double>;
template class CudaFactor<float>;
template class CudaFactor<double>;

}  // namespace kauri::numeric::cuda
