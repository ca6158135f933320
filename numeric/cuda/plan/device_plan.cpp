// Uploads a plan's flat arrays, and lists of tasks and sweeps, to a device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/plan/device_plan.hpp"

#include <algorithm>

#include "base/threads/allowed_threads.hpp"
#include "base/threads/blocks.hpp"
#include "numeric/cuda/runtime/resource_pool.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "symbolic/device/child_rows.hpp"
#include "symbolic/device/front_cells.hpp"

namespace kauri::numeric::cuda {
namespace {

Front front_of(const Plan& plan, Index s, Index place) {
  const Supernodes& nodes = plan.supernodes;
  const symbolic::DeviceSchedule& device = plan.internals->device;
  const std::vector<Index>& child_ptr = plan.internals->assembly.child_ptr;
  const Index m = nodes.order(s), p = nodes.pivots(s), tiled = device.tiled[s];
  return {.panel = device.panel[s],
          .inverses = device.inverses[s],
          .block = device.block[s],
          .row = nodes.row_ptr[s],
          .relative = nodes.row_ptr[s] - nodes.first[s],
          .update = device.update[s],
          .first = nodes.first[s],
          .m = m,
          .p = p,
          .child_begin = child_ptr[s],
          .child_end = child_ptr[s + 1],
          .parent = nodes.parent[s],
          .tiled = tiled,
          .place = place};
}

}  // namespace

std::shared_ptr<const Plan> require_device_plan(std::shared_ptr<const Plan> plan) {
  if (!symbolic::is_device_target(plan->target))
    throw Error(ErrorKind::usage,
                "the plan was made for " + plan->target +
                    ", expected the target of a CUDA device; analyse for the backend that runs it");
  return plan;
}

Offset prepared_bytes(const Plan& plan, const DeviceContext& context) {
  return plan.internals->device.plan_bytes +
         (context.kernels.runs_tasks(plan) ? plan.internals->device.shared_bytes : 0) +
         (context.kernels.runs_sweeps(plan) ? plan.internals->device.sweeps.bytes : 0);
}

DevicePlan::DevicePlan(std::shared_ptr<const Plan> plan, const DeviceContext& context)
    : PreparedPlanImpl(require_device_plan(std::move(plan))),
      block_(cuda::prepared_bytes(*this->plan(), context), *context.heap) {
  const PooledStream stream(context.pool);
  Uploader uploader(*context.staging, block_, *stream);
  const bool sweeps = context.kernels.runs_sweeps(*this->plan());
  symbolic::SweepLists lists;
  with_threads(0, [&] {
    meanwhile(
        [&] {
          const Plan& p = *this->plan();
          if (sweeps)
            lists = symbolic::list_sweeps(p.supernodes, p.internals->assembly, p.internals->device);
        },
        [&] {
          view_ = upload(uploader);
          host_panel_ = uploader.copy(this->plan()->internals->device.host_panel);
          if (context.kernels.runs_tasks(*this->plan()) &&
              !this->plan()->internals->device.task.empty())
            tiled_ = TiledPlan(*this->plan(), context.kernels.task_teams(*this->plan()), uploader);
        });
  });
  if (sweeps) sweeps_ = upload_sweeps(lists, uploader);
  uploader.finish();
}

SweepView DevicePlan::upload_sweeps(const symbolic::SweepLists& lists, Uploader& uploader) const {
  const Plan& p = *plan();
  const auto& [rows, forward, backward] = lists;
  SweepView out{};
  out.front = view_.front, out.order = view_.order, out.row = view_.row;
  out.new_of = uploader.copy(p.perm.new_of()).data();
  out.ptr = uploader.copy(rows.ptr).data();
  out.slot = uploader.copy(rows.slot).data();
  out.forward = uploader.copy(forward.task).data();
  out.backward = uploader.copy(backward.task).data();
  out.forward_tasks = static_cast<Index>(forward.task.size()),
  out.backward_tasks = static_cast<Index>(backward.task.size());
  out.n = p.n, out.narrow = p.internals->device.narrow_fronts,
  out.small = p.internals->device.small_fronts;
  return out;
}

PlanView DevicePlan::upload(Uploader& uploader) const {
  const Plan& p = *plan();
  const symbolic::Assembly& assembly = p.internals->assembly;
  const symbolic::DeviceSchedule& device = p.internals->device;
  PlanView view{};
  std::vector<Index> place(device.front.size());
  for (std::size_t k = 0; k < place.size(); ++k)
    place[static_cast<std::size_t>(device.front[k])] = static_cast<Index>(k);
  view.front = uploader
                   .make<Front>(p.supernodes.count(),
                                [&](Offset begin, Offset end, Front* out) {
                                  for (Offset s = begin; s < end; ++s)
                                    out[s - begin] = front_of(p, static_cast<Index>(s),
                                                              place[static_cast<std::size_t>(s)]);
                                })
                   .data();
  view.relative =
      uploader
          .make<Index>(static_cast<Offset>(p.supernodes.row.size()) - p.n,
                       [&](Offset begin, Offset end, Index* out) {
                         symbolic::list_parent_rows(p.supernodes, assembly, begin, end, out);
                       })
          .data();
  view.child = uploader.copy(assembly.child).data();
  view.row = uploader.copy(p.supernodes.row).data();
  // The pointers fit into 32 bits, since A has no more than kMostEntries entries.
  view.entry_ptr =
      uploader
          .make<std::uint32_t>(
              static_cast<Offset>(assembly.entry_ptr.size()),
              [&](Offset begin, Offset end, auto* out) {
                std::transform(assembly.entry_ptr.begin() + begin, assembly.entry_ptr.begin() + end,
                               out, [](Offset at) { return static_cast<std::uint32_t>(at); });
              })
          .data();
  view.entry_row = uploader.copy(assembly.entry_row).data();
  view.entry_source = uploader.copy(assembly.entry_source).data();
  view.order = uploader.copy(device.front).data();
  view.tile_ptr = uploader.copy(device.tile_ptr).data();
  view.old_of = uploader.copy(p.perm.old_of()).data();
  return view;
}

}  // namespace kauri::numeric::cuda
