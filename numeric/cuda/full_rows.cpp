// Both halves of a symmetric pattern by rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/full_rows.hpp"

#include <numeric>

#include "symbolic/device_schedule.hpp"

namespace kauri::numeric::cuda {

FullRows full_rows(const Pattern& lower) {
  if (lower.nnz() > kMostEntries) throw Error(ErrorKind::overflow, "a product with more than 2^32 - 1 stored entries");
  FullRows rows{std::vector<Offset>(static_cast<std::size_t>(lower.n) + 1, 0), {}, {}};
  const auto each = [&](auto f) {  // row i meets its columns below i first, in the order of columns, then its own column
    for (Index j = 0; j < lower.n; ++j)
      for (Offset k = lower.col_ptr[j]; k < lower.col_ptr[j + 1]; ++k) {
        f(j, lower.row[k], k);
        if (lower.row[k] != j) f(lower.row[k], j, k);
      }
  };
  each([&](Index i, Index, Offset) { ++rows.ptr[i + 1]; });
  std::partial_sum(rows.ptr.begin(), rows.ptr.end(), rows.ptr.begin());
  rows.col.resize(static_cast<std::size_t>(rows.ptr.back()));
  rows.source.resize(rows.col.size());
  std::vector<Offset> next(rows.ptr.begin(), rows.ptr.end() - 1);
  each([&](Index i, Index j, Offset k) {
    rows.col[next[i]] = j;
    rows.source[next[i]++] = static_cast<std::uint32_t>(k);
  });
  return rows;
}

}  // namespace kauri::numeric::cuda
