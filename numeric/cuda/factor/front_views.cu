// Kernels that fill the descriptions of fronts, one thread for each description.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/front_views.hpp"

#include "numeric/cuda/plan/tile.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cuda {
namespace {

constexpr unsigned kThreads = 128;

__device__ Index thread_index() { return static_cast<Index>(blockIdx.x * kThreads + threadIdx.x); }

/// Fills views.front of `fronts` tiled fronts, which begin at position `first` of plan.order;
/// `tiled` has one entry for each.
template <class T>
__global__ void __launch_bounds__(kThreads)
    view_fronts(PlanView plan, const TiledFront* tiled, Index first, Index fronts,
                FactorMemory<T> memory, TiledViews<T> views) {
  const Index t = thread_index();
  if (t >= fronts) return;
  const Index s = plan.order[first + t];
  const Front& f = plan.front[s];
  const TiledFront& own = tiled[t];
  kernels::FrontViewOf<T> view;
  view.panel = memory.entries + f.panel;
  view.block = f.block < 0 ? nullptr : memory.entries + f.block;
  view.inverses = memory.entries + diagonals_of(f);
  view.counters = views.counters + own.counters;
  view.failed_pivot = memory.failed_pivot + s;
  view.child = views.child + own.child;
  view.child_count = own.child_count;
  view.awaited = own.awaited;
  view.parent_counters =
      f.parent == kNone ? nullptr : views.counters + tiled[plan.front[f.parent].tiled].counters;
  view.level = own.level;
  view.block_reuses = own.block_reuses;
  view.panel_reuses = own.panel_reuses;
  view.fills = own.fills;
  view.first = f.first;
  view.loads_block = own.loads_block;
  view.cells = {f.m, f.p};
  views.front[t] = view;
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    view_children(PlanView plan, const PulledChild* pulled, Index children,
                  const symbolic::RowMapWord* row_map, FactorMemory<T> memory,
                  TiledViews<T> views) {
  const Index k = thread_index();
  if (k >= children) return;
  const Front& f = plan.front[pulled[k].child];
  const Index padding = f.tiled == kNone ? symbolic::SmallLayout{f.m, f.p}.padding() : 0;
  const Index cell_rows = f.tiled == kNone ? 0 : FrontCells{f.m, f.p}.below_cells();
  views.child[k] = {memory.entries + f.block + padding, row_map + pulled[k].map, cell_rows,
                    f.m - f.p};
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    view_small_fronts(PlanView plan, Index narrow, Index small, FactorMemory<T> memory,
                      GatheredFront<T>* out) {
  const Index k = thread_index();
  if (k >= small) return;
  const auto together = [&](Index other) {
    const Index place = plan.front[other].place;
    return place < small && (k < narrow) == (place < narrow);
  };
  const Index s = plan.order[k];
  const Front& f = plan.front[s];
  GatheredFront<T> front{};
  front.panel = memory.entries + f.panel;
  front.contribution = f.block < 0 ? nullptr : memory.entries + f.block;
  front.rows = f.m;
  front.pivots = f.p;
  front.front = s;
  front.first = f.first;
  front.child_begin = f.child_begin;
  front.child_end = f.child_end;
  front.place = k;
  front.parent = f.parent != kNone && together(f.parent) ? plan.front[f.parent].place : kNone;
  for (Index c = f.child_begin; c < f.child_end; ++c)
    front.awaited += together(plan.child[c]) ? 1 : 0;
  out[k] = front;
}

/// Writes the record of each front to `home`, with the place of its panel in host memory, if it has
/// one: `host` entries behind FactorMemory::entries is where that memory begins.
__global__ void __launch_bounds__(kThreads)
    view_homes(PlanView plan, const Offset* host_panel, Offset host, Index fronts, Front* home) {
  const Index s = thread_index();
  if (s >= fronts) return;
  Front f = plan.front[s];
  if (host_panel[s] >= 0) f.panel = host + host_panel[s];
  home[s] = f;
}

/// Launches a kernel with one thread for each of `count` > 0 items.
template <class... P, class... A>
void launch(void (*kernel)(P...), Offset count, cudaStream_t stream, A&&... arguments) {
  check(kernels::launch(kernel, static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads,
                        0, stream, std::forward<A>(arguments)...),
        "a launch of descriptions");
}

}  // namespace

void load_view_kernels() {
  load(view_fronts<float>);
  load(view_fronts<double>);
  load(view_children<float>);
  load(view_children<double>);
  load(view_small_fronts<float>);
  load(view_small_fronts<double>);
  load(view_homes);
}

template <class T>
void enqueue_views(const DevicePlan& plan, const FactorMemory<T>& memory,
                   const TiledViews<T>& views, cudaStream_t stream) {
  const auto fronts = static_cast<Index>(plan.tiled().fronts().size()),
             children = static_cast<Index>(plan.tiled().children().size());
  if (fronts == 0) return;
  launch(view_fronts<T>, fronts, stream, plan.view(), plan.tiled().fronts().data(),
         plan.plan()->internals->device.small_fronts, fronts, memory, views);
  if (children > 0)
    launch(view_children<T>, children, stream, plan.view(), plan.tiled().children().data(),
           children, plan.tiled().row_map().data(), memory, views);
}

template <class T>
void enqueue_gathered_views(const DevicePlan& plan, const PlanView& homes,
                            const FactorMemory<T>& memory, GatheredFront<T>* fronts,
                            cudaStream_t stream) {
  const symbolic::DeviceSchedule& device = plan.plan()->internals->device;
  const Index small = device.small_fronts;
  if (small > 0)
    launch(view_small_fronts<T>, small, stream, homes, device.narrow_fronts, small, memory, fronts);
}

void enqueue_homes(const DevicePlan& plan, Offset host, Front* home, cudaStream_t stream) {
  const Index fronts = plan.plan()->supernodes.count();
  if (fronts > 0)
    launch(view_homes, fronts, stream, plan.view(), plan.host_panel().data(), host, fronts, home);
}

template void enqueue_views(const DevicePlan&, const FactorMemory<float>&, const TiledViews<float>&,
                            cudaStream_t);
template void enqueue_views(const DevicePlan&, const FactorMemory<double>&,
                            const TiledViews<double>&, cudaStream_t);
template void enqueue_gathered_views(const DevicePlan&, const PlanView&, const FactorMemory<float>&,
                                     GatheredFront<float>*, cudaStream_t);
template void enqueue_gathered_views(const DevicePlan&, const PlanView&,
                                     const FactorMemory<double>&, GatheredFront<double>*,
                                     cudaStream_t);

}  // namespace kauri::numeric::cuda
