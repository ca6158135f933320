// Flat arrays and launches of a plan.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/device_plan.hpp"

#include "symbolic/front_cells.hpp"

namespace kauri::numeric::cuda {
namespace {

std::vector<Front> fronts_of(const Plan& plan) {
  const Supernodes& nodes = plan.supernodes;
  std::vector<Front> fronts;
  fronts.reserve(nodes.parent.size());
  for (Index s = 0; s < nodes.count(); ++s) {
    const Index m = nodes.order(s), p = nodes.pivots(s), tiled = plan.device.tiled[s];
    const Offset inverses = tiled == kNone ? 0 : symbolic::FrontCells{m, p}.panel().entries();
    fronts.push_back({.panel = plan.device.panel[s],
                      .inverses = plan.device.panel[s] + inverses,
                      .block = plan.device.block[s],
                      .row = nodes.row_ptr[s],
                      .relative = nodes.row_ptr[s] - nodes.first[s],
                      .update = plan.device.update[s],
                      .first = nodes.first[s],
                      .m = m,
                      .p = p,
                      .child_begin = plan.assembly.child_ptr[s],
                      .child_end = plan.assembly.child_ptr[s + 1],
                      .parent = nodes.parent[s],
                      .tiled = tiled});
  }
  return fronts;
}

/// For each row below the pivots of each front: its place in the parent's front.
std::vector<Index> relative_rows(const Plan& plan) {
  const Supernodes& nodes = plan.supernodes;
  std::vector<Index> relative(nodes.row.size() - static_cast<std::size_t>(plan.n));
  for (Index s = 0; s < nodes.count(); ++s)
    for (Offset k = plan.assembly.run_ptr[s]; k < plan.assembly.run_ptr[s + 1]; ++k) {
      const RowRun& run = plan.assembly.run[k];
      for (Index i = 0; i < run.length; ++i) relative[nodes.row_ptr[s] - nodes.first[s] + run.child + i] = run.parent + i;
    }
  return relative;
}

}  // namespace

DevicePlan::DevicePlan(std::shared_ptr<const Plan> plan, MemoryLedger& ledger) : plan_(std::move(plan)) {
  front_ = upload(fronts_of(*plan_), ledger);
  child_ = upload(plan_->assembly.child, ledger);
  row_ = upload(plan_->supernodes.row, ledger);
  relative_ = upload(relative_rows(*plan_), ledger);
  entry_ptr_ = upload(plan_->assembly.entry_ptr, ledger);
  entry_row_ = upload(plan_->assembly.entry_row, ledger);
  entry_source_ = upload(plan_->assembly.entry_source, ledger);
  order_ = upload(plan_->device.front, ledger);
  tile_ptr_ = upload(plan_->device.tile_ptr, ledger);
  old_of_ = upload(plan_->perm.old_of(), ledger);
  view_ = {front_.data(),     child_.data(),        row_.data(),   relative_.data(), entry_ptr_.data(),
           entry_row_.data(), entry_source_.data(), order_.data(), tile_ptr_.data(), old_of_.data()};
}

}  // namespace kauri::numeric::cuda
