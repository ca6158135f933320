// Completes a draft with row structures, maps and a device's tasks.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/plan/make_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/host/memory.hpp"
#include "base/threads/allowed_threads.hpp"
#include "base/threads/blocks.hpp"
#include "kauri/core/backend.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/launch/useful_teams.hpp"
#include "symbolic/layout/layout.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/structure.hpp"

namespace kauri::symbolic {
namespace {

/// Cost table for the CPU's schedule of a device's plan, which runs on the CPU, too. The device's
/// table has the seconds of a multiprocessor, which would cut far too many tasks.
constexpr std::string_view kScheduled = "cpu-avx2";

PatternCopy copy_of(const Pattern& lower) {
  PatternCopy copy;
  copy.col_ptr.assign(lower.col_ptr.begin(), lower.col_ptr.end());
  resize_large(copy.row, lower.nnz());
  std::ranges::copy(lower.row, copy.row.begin());
  return copy;
}

}  // namespace

int planned_workers(const AnalyzeOptions& options) {
  if (options.workers < 0)
    throw Error(ErrorKind::usage,
                "analyze: workers is " + std::to_string(options.workers) + ", expected 0 or more");
  if (options.workers > 0) return options.workers;
  return std::clamp(default_threads(), 1, 16);
}

const CostTable& planned_table(const AnalyzeOptions& options) {
  return cost_table(options.target.empty() ? host_target() : options.target);
}

std::shared_ptr<Plan> complete_plan(const Pattern& lower, PlanDraft draft, const CostTable& table) {
  auto plan = std::make_shared<Plan>();
  const bool on_device = is_device_target(table.target);
  side_by_side([&] { plan->internals->assembly = fill_structure(lower, draft); },
               [&] { plan->internals->pattern = copy_of(lower); },
               [&] {
                 if (on_device)
                   plan->internals->device = lay_out_fronts(draft.supernodes, draft.device_levels);
               },
               [&] {
                 if (on_device) set_schedule(cost_table(kScheduled), draft);
               });
  plan->n = lower.n;
  plan->nnz = lower.nnz();
  plan->target = table.target;
  plan->perm = std::move(draft.perm);
  plan->tree = std::move(draft.tree);
  plan->supernodes = std::move(draft.supernodes);
  plan->internals->panel_ptr = std::move(draft.panel_ptr);
  plan->internals->schedule = std::move(draft.schedule);
  if (on_device) {
    DeviceSchedule& device = plan->internals->device;
    device.work = std::move(draft.device_work);
    device.useful_teams = useful_teams(plan->supernodes, device, plan->target);
    device.useful_blocks = useful_blocks(device.work, plan->target);
    add_device_tasks(
        plan->supernodes, plan->internals->assembly, draft.device_levels, device,
        device.useful_teams > 0 ? std::max(device.useful_teams, kLeastTeams) : kFewestTeams);
  }
  plan->cost = std::move(draft.cost);
  return plan;
}

std::shared_ptr<Plan> make_plan(const Pattern& lower, const ordering::CompressedGraph& graph,
                                const Permutation& perm, const AnalyzeOptions& options) {
  if (perm.size() != lower.n)
    throw Error(ErrorKind::input, "analyze: a permutation of " + std::to_string(perm.size()) +
                                      " rows for a matrix of " + std::to_string(lower.n) +
                                      "; give one of all its rows");
  const CostTable& table = planned_table(options);
  return complete_plan(lower,
                       draft_plan(lower, graph, perm, table,
                                  {planned_workers(options), options.amalgamate,
                                   static_cast<Index>(options.ordering.last.size())}),
                       table);
}

std::shared_ptr<Plan> make_plan(const Pattern& lower, const Permutation& perm,
                                const AnalyzeOptions& options) {
  const Graph graph(lower);
  return make_plan(lower, ordering::CompressedGraph(graph, false), perm, options);
}

}  // namespace kauri::symbolic
