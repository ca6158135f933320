// Flat arrays and launches of a plan.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/device_plan.hpp"

#include <algorithm>

#include "numeric/cuda/staging.hpp"
#include "symbolic/child_rows.hpp"
#include "symbolic/front_cells.hpp"

namespace kauri::numeric::cuda {
namespace {

Front front_of(const Plan& plan, Index s) {
  const Supernodes& nodes = plan.supernodes;
  const Index m = nodes.order(s), p = nodes.pivots(s), tiled = plan.device.tiled[s];
  const Offset inverses = tiled == kNone ? 0 : symbolic::FrontCells{m, p}.panel().entries();
  return {.panel = plan.device.panel[s],
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
          .tiled = tiled};
}

}  // namespace

DevicePlan::DevicePlan(std::shared_ptr<const Plan> plan, Uploader& uploader) : plan_(std::move(plan)) {
  const Plan& p = *plan_;
  front_ = uploader.make<Front>(p.supernodes.count(), [&](Offset begin, Offset end, Front* out) {
    for (Offset s = begin; s < end; ++s) out[s - begin] = front_of(p, static_cast<Index>(s));
  });
  relative_ = uploader.make<Index>(static_cast<Offset>(p.supernodes.row.size()) - p.n, [&](Offset begin, Offset end, Index* out) {
    symbolic::list_parent_rows(p.supernodes, p.assembly, begin, end, out);
  });
  child_ = uploader.copy(p.assembly.child);
  row_ = uploader.copy(p.supernodes.row);
  // In 32 bits, since A has no more than kMostEntries.
  entry_ptr_ = uploader.make<std::uint32_t>(static_cast<Offset>(p.assembly.entry_ptr.size()), [&](Offset begin, Offset end, auto* out) {
    std::transform(p.assembly.entry_ptr.begin() + begin, p.assembly.entry_ptr.begin() + end, out,
                   [](Offset at) { return static_cast<std::uint32_t>(at); });
  });
  entry_row_ = uploader.copy(p.assembly.entry_row);
  entry_source_ = uploader.copy(p.assembly.entry_source);
  order_ = uploader.copy(p.device.front);
  tile_ptr_ = uploader.copy(p.device.tile_ptr);
  old_of_ = uploader.copy(p.perm.old_of());
  view_ = {front_.data(),     child_.data(),        row_.data(),   relative_.data(), entry_ptr_.data(),
           entry_row_.data(), entry_source_.data(), order_.data(), tile_ptr_.data(), old_of_.data()};
}

}  // namespace kauri::numeric::cuda
