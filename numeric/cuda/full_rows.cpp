// Both halves of a symmetric pattern by rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/full_rows.hpp"

#include <algorithm>
#include <numeric>

#include "src/base/allowed_threads.hpp"
#include "src/base/blocks.hpp"
#include "symbolic/device_schedule.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Stored entries that are worth threads.
constexpr Offset kShared = 1 << 18;
/// Stretches of rows, each of which is one thread's. It looks into each column before its end, so they are few.
constexpr Index kStretches = 32;

/// f(i, j, k) for all entries of rows [begin, end): row i meets its columns below i first, in the order of columns, then its own column.
template <class F>
void for_rows(const Pattern& lower, Index begin, Index end, const F& f) {
  for (Index j = 0; j < end; ++j) {
    const auto first = lower.row.begin() + lower.col_ptr[j], last = lower.row.begin() + lower.col_ptr[j + 1];
    const bool own = j >= begin;
    auto row = own ? first : std::lower_bound(first, last, begin);
    for (; row != last && (own || *row < end); ++row) {
      const Offset k = row - lower.row.begin();
      if (own) f(j, *row, k);
      if (*row != j && *row < end) f(*row, j, k);
    }
  }
}

void fill(const Pattern& lower, Index stretches, FullRows& rows) {
  const Blocks blocks(lower.n, std::max<Index>((lower.n + stretches - 1) / stretches, 1));
  blocks.for_each([&](Index, Index begin, Index end) { for_rows(lower, begin, end, [&](Index i, Index, Offset) { ++rows.ptr[i + 1]; }); });
  std::partial_sum(rows.ptr.begin(), rows.ptr.end(), rows.ptr.begin());
  const auto entries = static_cast<std::size_t>(rows.ptr.back());
  const auto make_columns = [&] { rows.col.resize(entries); };
  const auto make_sources = [&] { rows.source.resize(entries); };
  if (stretches == 1)
    make_columns(), make_sources();
  else
    side_by_side(make_columns, make_sources);  // zeros take as long as all else
  blocks.for_each([&](Index, Index begin, Index end) {
    std::vector<Offset> next(rows.ptr.begin() + begin, rows.ptr.begin() + end);
    for_rows(lower, begin, end, [&](Index i, Index j, Offset k) {
      const Offset place = next[i - begin]++;
      rows.col[place] = j;
      rows.source[place] = static_cast<std::uint32_t>(k);
    });
  });
}

}  // namespace

FullRows full_rows(const Pattern& lower) {
  if (lower.nnz() > kMostEntries) throw Error(ErrorKind::overflow, "a product with more than 2^32 - 1 stored entries");
  FullRows rows{std::vector<Offset>(static_cast<std::size_t>(lower.n) + 1, 0), {}, {}};
  if (lower.nnz() < kShared)
    fill(lower, 1, rows);
  else
    with_threads(0, [&] { fill(lower, kStretches, rows); });
  return rows;
}

}  // namespace kauri::numeric::cuda
