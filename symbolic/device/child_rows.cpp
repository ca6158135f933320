// Writes, for rows of contribution blocks, the rows of the parents' fronts that they meet, as lists
// and as row maps.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/child_rows.hpp"

#include <algorithm>
#include <numeric>

namespace kauri::symbolic {

void list_parent_rows(const Supernodes& nodes, const Assembly& assembly, Offset begin, Offset end,
                      Index* out) {
  const auto first = [&](Index s) { return nodes.row_ptr[s] - nodes.first[s]; };
  Index low = 0, high = nodes.count();  // first(low) <= begin < first(high)
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (first(middle) <= begin ? low : high) = middle;
  }
  for (Index s = low; s < nodes.count() && first(s) < end; ++s)
    for (Offset k = assembly.run_ptr[s]; k < assembly.run_ptr[s + 1]; ++k) {
      const RowRun& run = assembly.run[k];
      const Offset at = first(s) + run.child, from = std::max(begin, at),
                   to = std::min(end, at + run.length);
      if (from < to)
        std::iota(out + (from - begin), out + (to - begin),
                  run.parent + static_cast<Index>(from - at));
    }
}

void write_row_map(const Assembly& assembly, Index child, const FrontCells& parent, Offset begin,
                   Offset end, RowMapWord* out) {
  std::fill(out, out + (end - begin), RowMapWord{0});
  for (Offset k = assembly.run_ptr[child]; k < assembly.run_ptr[child + 1]; ++k) {
    const RowRun& run = assembly.run[k];
    for (Index i = 0, rows = 0; i < run.length; i += rows) {  // the rows of one cell row at a time
      const Index row = run.parent + i, padded = parent.padded_row(row), cell = padded / kCell,
                  in_cell = padded % kCell;
      rows = std::min({run.length - i, kCell - in_cell, row < parent.p ? parent.p - row : kCell});
      if (cell < begin || cell >= end) continue;
      RowMapWord& word = out[cell - begin];
      if (word == 0) word = static_cast<RowMapWord>(run.child + i) << kCell;
      word |= ((RowMapWord{1} << rows) - 1) << in_cell;
    }
  }
}

}  // namespace kauri::symbolic
