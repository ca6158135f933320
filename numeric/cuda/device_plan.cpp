// Flat arrays and launches of a plan.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/device_plan.hpp"

#include <algorithm>
#include <limits>

#include "symbolic/tile_layout.hpp"

namespace kauri::numeric::cuda {
namespace {

using symbolic::TileLayout;

std::vector<Front> fronts_of(const Plan& plan) {
  const Supernodes& nodes = plan.supernodes;
  std::vector<Front> fronts;
  fronts.reserve(nodes.parent.size());
  for (Index s = 0; s < nodes.count(); ++s) {
    const TileLayout panel{nodes.order(s), nodes.pivots(s)};
    fronts.push_back({.panel = plan.device.panel[s],
                      .inverse = plan.device.panel[s] + panel.entries(),
                      .block = plan.device.block[s],
                      .row = nodes.row_ptr[s],
                      .relative = nodes.row_ptr[s] - nodes.first[s],
                      .update = plan.device.update[s],
                      .first = nodes.first[s],
                      .m = panel.m,
                      .p = panel.p,
                      .child_begin = plan.assembly.child_ptr[s],
                      .child_end = plan.assembly.child_ptr[s + 1],
                      .parent = nodes.parent[s]});
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

/// Appends prefix sums of tiles(front) over order[front .. front + count).
template <class Tiles>
TileList list_tiles(std::span<const Index> order, Index front, Index count, std::vector<Index>& tile_ptr, const Tiles& tiles) {
  TileList list{front, count, 0, static_cast<Offset>(tile_ptr.size())};
  Offset sum = 0;
  tile_ptr.push_back(0);
  for (Index k = front; k < front + count; ++k) {
    sum += tiles(order[k]);
    if (sum > std::numeric_limits<Index>::max()) throw Error(ErrorKind::overflow, "more than 2^31 - 1 tiles in one level");
    tile_ptr.push_back(static_cast<Index>(sum));
  }
  list.blocks = static_cast<Index>(sum);
  return list;
}

Level level_of(const Plan& plan, Index l, std::vector<Index>& tile_ptr) {
  const std::span<const Index> order = plan.device.front;
  const Supernodes& nodes = plan.supernodes;
  Level level;
  level.front = plan.device.level_ptr[l];
  level.count = plan.device.level_ptr[l + 1] - level.front;
  const auto up_to = [&](Index largest) {
    const auto begin = order.begin() + level.front, end = begin + level.count;
    return static_cast<Index>(std::partition_point(begin, end, [&](Index s) { return nodes.order(s) <= largest; }) - begin);
  };
  level.small16 = up_to(16), level.small32 = up_to(32), level.small = up_to(DeviceSchedule::kSmall);
  const auto layout = [&](Index s) { return TileLayout{nodes.order(s), nodes.pivots(s)}; };
  const auto triangle = [](Offset t) { return t * (t + 1) / 2; };
  const Index first = level.front + level.small;
  Index count = level.count - level.small;
  level.tiles = list_tiles(order, first, count, tile_ptr, [&](Index s) { return triangle(layout(s).tiles()); });
  for (Index k = 0;; ++k) {
    while (count > 0 && layout(order[first + count - 1]).pivot_tiles() <= k) --count;
    if (count == 0) return level;
    const auto below = [&](Index s) { return Offset{layout(s).tiles()} - k - 1; };
    const TileList panel = list_tiles(order, first, count, tile_ptr, below);
    level.steps.push_back({k, panel, list_tiles(order, first, count, tile_ptr, [&](Index s) { return triangle(below(s)); })});
  }
}

}  // namespace

DevicePlan::DevicePlan(std::shared_ptr<const Plan> plan, MemoryLedger& ledger) : plan_(std::move(plan)) {
  std::vector<Index> tile_ptr;
  for (Index l = 0; l + 1 < static_cast<Index>(plan_->device.level_ptr.size()); ++l) levels_.push_back(level_of(*plan_, l, tile_ptr));
  front_ = upload(fronts_of(*plan_), ledger);
  child_ = upload(plan_->assembly.child, ledger);
  row_ = upload(plan_->supernodes.row, ledger);
  relative_ = upload(relative_rows(*plan_), ledger);
  entry_ptr_ = upload(plan_->assembly.entry_ptr, ledger);
  entry_row_ = upload(plan_->assembly.entry_row, ledger);
  entry_source_ = upload(plan_->assembly.entry_source, ledger);
  order_ = upload(plan_->device.front, ledger);
  tile_ptr_ = upload(tile_ptr, ledger);
  old_of_ = upload(plan_->perm.old_of(), ledger);
  view_ = {front_.data(),     child_.data(),        row_.data(),   relative_.data(), entry_ptr_.data(),
           entry_row_.data(), entry_source_.data(), order_.data(), tile_ptr_.data(), old_of_.data()};
}

}  // namespace kauri::numeric::cuda
