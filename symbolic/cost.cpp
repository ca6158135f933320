// Counting, and list scheduling in place of a clock.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/cost.hpp"

#include <algorithm>
#include <bit>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "symbolic/checked.hpp"

namespace kauri::symbolic {

Cost count_cost(std::span<const Index> column_count, const FrontTree& fronts) {
  Cost cost;
  for (const Index c : column_count) {
    cost.nnz_l += c;
    cost.flops += static_cast<double>(c) * c;
  }
  std::vector<FrontBin> bins(32, FrontBin{0, 0, 0});
  for (Index s = 0; s < fronts.count(); ++s) {
    const Index m = fronts.order[s], p = fronts.pivots[s];
    const double flops = front_flops(m, p);
    cost.stored_entries = checked_add(cost.stored_entries, Offset{m} * p, "entries of L");
    cost.executed_flops += flops;
    cost.largest_front = std::max(cost.largest_front, m);
    cost.largest_supernode = std::max(cost.largest_supernode, p);
    FrontBin& bin = bins[std::bit_width(static_cast<unsigned>(m)) - 1];
    ++bin.count;
    bin.flops += flops;
  }
  for (int b = 0; b < 32; ++b)
    if (bins[b].count > 0) cost.fronts.push_back({Index{1} << b, bins[b].count, bins[b].flops});
  return cost;
}

double list_schedule(const Schedule& schedule, std::span<const TaskSeconds> seconds, double efficiency) {
  using Event = std::tuple<double, Index, int>;  // end, task, workers held
  std::priority_queue<Event, std::vector<Event>, std::greater<>> running;
  std::priority_queue<Index, std::vector<Index>, std::greater<>> ready;
  std::vector<Index> waits = schedule.dependencies;
  for (std::size_t t = 0; t < waits.size(); ++t)
    if (waits[t] == 0) ready.push(static_cast<Index>(t));
  int idle = schedule.workers;
  double now = 0;
  while (!ready.empty() || !running.empty()) {
    while (!ready.empty() && idle > 0) {
      const Index t = ready.top();
      ready.pop();
      // Helpers only where no other task could use them now.
      const int free_now = idle - static_cast<int>(std::min<std::size_t>(ready.size(), static_cast<std::size_t>(idle) - 1));
      const int held = seconds[t].shared > 0 ? free_now : 1;
      running.emplace(now + seconds[t].alone + seconds[t].shared / (1 + efficiency * (held - 1)), t, held);
      idle -= held;
    }
    const auto [end, t, held] = running.top();
    running.pop();
    now = end;
    idle += held;
    for (Offset k = schedule.successor_ptr[t]; k < schedule.successor_ptr[t + 1]; ++k)
      if (--waits[schedule.successor[k]] == 0) ready.push(schedule.successor[k]);
  }
  return now;
}

void predict(const CostTable& table, const FrontTree& fronts, const Schedule& schedule, Cost& cost) {
  std::vector<TaskSeconds> factor(schedule.task.size()), sweep(schedule.task.size());
  for (std::size_t t = 0; t < schedule.task.size(); ++t) {
    const bool single = schedule.task[t].last_front - schedule.task[t].first_front == 1;  // only these are shared
    for (Index s = schedule.task[t].first_front; s < schedule.task[t].last_front; ++s) {
      const double seconds = front_seconds(table, fronts.order[s], fronts.pivots[s]);
      (single && seconds > table.shared_front_s ? factor[t].shared : factor[t].alone) += seconds;
      sweep[t].alone += front_sweep_seconds(table, fronts.order[s], fronts.pivots[s]);
    }
  }
  cost.predicted_factor_s = list_schedule(schedule, factor, table.tile_efficiency);
  cost.predicted_solve_s = 2 * list_schedule(schedule, sweep, table.tile_efficiency);
}

}  // namespace kauri::symbolic
