// Rows of contribution blocks in the parents' fronts.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/child_rows.hpp"

#include <algorithm>

namespace kauri::symbolic {

void list_parent_rows(const Supernodes& nodes, const Assembly& assembly, Offset begin, Offset end, Index* out) {
  const auto first = [&](Index s) { return nodes.row_ptr[s] - nodes.first[s]; };
  Index low = 0, high = nodes.count();  // first(low) <= begin < first(high)
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (first(middle) <= begin ? low : high) = middle;
  }
  for (Index s = low; s < nodes.count() && first(s) < end; ++s)
    for (Offset k = assembly.run_ptr[s]; k < assembly.run_ptr[s + 1]; ++k) {
      const RowRun& run = assembly.run[k];
      const Offset at = first(s) + run.child;
      for (Offset e = std::max(begin, at); e < std::min(end, at + run.length); ++e)
        out[e - begin] = run.parent + static_cast<Index>(e - at);
    }
}

void list_child_rows(const Assembly& assembly, Index child, const FrontCells& parent, Offset begin, Offset end, Index* out) {
  std::fill(out, out + (end - begin), kNone);
  for (Offset k = assembly.run_ptr[child]; k < assembly.run_ptr[child + 1]; ++k) {
    const RowRun& run = assembly.run[k];
    for (Index i = 0; i < run.length; ++i)
      if (const Offset row = parent.padded_row(run.parent + i); row >= begin && row < end) out[row - begin] = run.child + i;
  }
}

}  // namespace kauri::symbolic
