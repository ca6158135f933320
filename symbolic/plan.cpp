// Sizes and fingerprint of a Plan.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/plan.hpp"

#include <algorithm>
#include <bit>

#include "symbolic/checked.hpp"

namespace kauri {
namespace {

template <class T>
Offset bytes(const std::vector<T>& array) {
  return static_cast<Offset>(array.size() * sizeof(T));
}

/// Stirs x into h: xor, multiply by an odd constant, fold the high bits down.
std::uint64_t stirred(std::uint64_t h, std::uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15U;
  return h ^ (h >> 29);
}

}  // namespace

Offset Plan::factor_bytes(int scalar_bytes) const { return symbolic::checked_mul(panel_ptr.back(), scalar_bytes, "bytes of L"); }

Offset Plan::peak_bytes(int scalar_bytes) const {
  const Offset stack = symbolic::checked_mul(schedule.stack_entries, scalar_bytes, "bytes of contributions");
  return symbolic::checked_add(symbolic::checked_add(factor_bytes(scalar_bytes), stack, "bytes"), counter_bytes(), "bytes");
}

Offset Plan::workspace_bytes(int scalar_bytes, Index nrhs) const {
  const Offset rows = symbolic::checked_add(n, schedule.update_rows, "rows of workspace");
  const Offset scalars = symbolic::checked_mul(rows, std::clamp(nrhs, Index{0}, kSolveBlock), "scalars of workspace");
  return symbolic::checked_add(symbolic::checked_mul(scalars, scalar_bytes, "bytes of workspace"), counter_bytes(), "bytes of workspace");
}

Offset Plan::plan_bytes() const {
  const auto spans = static_cast<Offset>((perm.old_of().size() + perm.new_of().size()) * sizeof(Index));
  return spans + bytes(tree.parent) + bytes(tree.column_count) + bytes(supernodes.first) + bytes(supernodes.parent) +
         bytes(supernodes.row_ptr) + bytes(supernodes.row) + bytes(panel_ptr) + bytes(assembly.entry_ptr) + bytes(assembly.entry_source) +
         bytes(assembly.entry_row) + bytes(assembly.child_ptr) + bytes(assembly.child) + bytes(assembly.run_ptr) + bytes(assembly.run) +
         bytes(schedule.task) + bytes(schedule.dependencies) + bytes(schedule.successor_ptr) + bytes(schedule.successor) +
         bytes(schedule.scratch) + bytes(schedule.head_columns) + bytes(schedule.head) + bytes(schedule.tail) + bytes(schedule.update) +
         bytes(cost.fronts);
}

std::uint64_t fingerprint(const Pattern& lower) {
  std::uint64_t h = stirred(0x6b61757269, static_cast<std::uint64_t>(lower.n));
  for (Index j = 0; j < lower.n; ++j) {
    h = stirred(h, static_cast<std::uint64_t>(lower.col_ptr[j + 1]));
    Offset k = lower.col_ptr[j];
    for (; k + 1 < lower.col_ptr[j + 1]; k += 2)
      h = stirred(h, static_cast<std::uint64_t>(lower.row[k]) << 32 | static_cast<std::uint64_t>(lower.row[k + 1]));
    if (k < lower.col_ptr[j + 1]) h = stirred(h, static_cast<std::uint64_t>(lower.row[k]));
  }
  return h;
}

}  // namespace kauri
