// Counts the work of a plan, and predicts seconds by list scheduling.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/host/cost.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "base/common/checked.hpp"
#include "base/threads/blocks.hpp"

namespace kauri::symbolic {

Cost count_cost(std::span<const Index> column_count, const FrontTree& fronts) {
  Cost cost;
  for (const Index c : column_count) {
    cost.nnz_l += c;
    cost.flops += static_cast<double>(c) * c;
  }
  std::vector<Cost::FrontBin> bins(32, Cost::FrontBin{0, 0, 0});
  for (Index s = 0; s < fronts.count(); ++s) {
    const Index m = fronts.order[s], p = fronts.pivots[s];
    const double flops = front_flops(m, p);
    cost.stored_entries = checked_add(cost.stored_entries, Offset{m} * p, "entries of L");
    cost.executed_flops += flops;
    cost.largest_front = std::max(cost.largest_front, m);
    cost.largest_supernode = std::max(cost.largest_supernode, p);
    Cost::FrontBin& bin = bins[std::bit_width(static_cast<unsigned>(m)) - 1];
    ++bin.count;
    bin.flops += flops;
  }
  for (int b = 0; b < 32; ++b)
    if (bins[b].count > 0) cost.fronts.push_back({Index{1} << b, bins[b].count, bins[b].flops});
  return cost;
}

namespace {

constexpr double kInstant = 1e-15;  // seconds that rounding may leave of a finished task

/// A running task and its remaining work.
struct Running {
  Index task;
  TaskSeconds left;
};

}  // namespace

double list_schedule(const TaskEdges& edges, int workers, std::span<const TaskSeconds> seconds,
                     double efficiency) {
  std::priority_queue<Index, std::vector<Index>, std::greater<>> ready;
  std::vector<Index> waits = edges.dependencies;
  for (std::size_t t = 0; t < waits.size(); ++t)
    if (waits[t] == 0) ready.push(static_cast<Index>(t));
  const auto most = static_cast<std::size_t>(workers);
  std::vector<Running> running;
  double now = 0;
  while (!ready.empty() || !running.empty()) {
    for (; !ready.empty() && running.size() < most; ready.pop())
      running.push_back({ready.top(), seconds[ready.top()]});
    // Workers without a task help in the first running large front.
    const auto helped = std::find_if(running.begin(), running.end(), [](const Running& r) {
      return r.left.alone <= 0 && r.left.shared > 0;
    });
    const double speed = 1 + efficiency * static_cast<double>(most - running.size());
    double step = std::numeric_limits<double>::infinity();
    for (auto r = running.begin(); r != running.end(); ++r)
      step = std::min(
          step, r->left.alone > 0 ? r->left.alone : r->left.shared / (r == helped ? speed : 1));
    now += step;
    for (auto r = running.begin(); r != running.end(); ++r)
      (r->left.alone > 0 ? r->left.alone : r->left.shared) -= step * (r == helped ? speed : 1);
    for (std::size_t k = running.size(); k-- > 0;) {
      if (running[k].left.alone > kInstant || running[k].left.shared > kInstant) continue;
      const Index t = running[k].task;
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(k));
      for (Offset e = edges.successor_ptr[t]; e < edges.successor_ptr[t + 1]; ++e)
        if (--waits[edges.successor[e]] == 0) ready.push(edges.successor[e]);
    }
  }
  return now;
}

CoreSeconds predict(const CostTable& table, const FrontTree& fronts, const Schedule& schedule,
                    Offset entries, Cost& cost) {
  std::vector<TaskSeconds> factor(schedule.task.size()), sweep(schedule.task.size());
  const double share = entries == 0 ? 0 : table.entry_s * static_cast<double>(entries);
  double columns = 0;
  for (const Index p : fronts.pivots) columns += p;
  Blocks(static_cast<Index>(schedule.task.size()), 1).for_each([&](Index t, Index, Index) {
    for (Index s = schedule.task[t].first_front; s < schedule.task[t].last_front; ++s) {
      const Index m = fronts.order[s], p = fronts.pivots[s];
      (FrontScratch::packed(m, p) ? factor[t].shared : factor[t].alone) +=
          front_seconds(table, m, p);
      factor[t].alone += share * p / columns;
      sweep[t].alone += front_sweep_seconds(table, m, p);
    }
  });
  cost.predicted_factor_s =
      list_schedule(schedule.factor_edges, schedule.workers, factor, table.tile_efficiency);
  cost.predicted_solve_s =
      2 * list_schedule(schedule.forward_edges, schedule.workers, sweep, table.tile_efficiency);
  cost.predicted_create_s = table.fresh_byte_s * sizeof(double) *
                            static_cast<double>(cost.stored_entries + schedule.stack_entries) /
                            schedule.workers;
  CoreSeconds core;
  for (std::size_t t = 0; t < factor.size(); ++t) {
    core.factor_s += factor[t].alone + factor[t].shared;
    core.solve_s += 2 * sweep[t].alone;
  }
  return core;
}

}  // namespace kauri::symbolic
