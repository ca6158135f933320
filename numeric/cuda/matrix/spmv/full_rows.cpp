// Both halves of a symmetric pattern by rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/matrix/spmv/full_rows.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "base/threads/allowed_threads.hpp"
#include "base/threads/blocks.hpp"
#include "symbolic/device/schedule.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Stored entries of A from which on several threads make the rows, and the most threads: each
/// keeps a count for every row.
constexpr Offset kShared = 1 << 18;
constexpr Index kMostThreads = 16;

/// Fills the rows. Row i gets its entries left of the diagonal first, columns ascending, then the
/// entries of column i of the lower triangle.
class Filling {
 public:
  /// Cuts the columns into `stretches` stretches, one a thread.
  Filling(const Pattern& lower, Index stretches, FullRows& rows)
      : lower_(lower),
        rows_(rows),
        columns_(lower.n, std::max<Index>((lower.n + Offset{stretches} - 1) / stretches, 1)),
        count_(std::make_unique_for_overwrite<Index[]>(
            static_cast<std::size_t>(Offset{columns_.count()} * lower.n))) {}

  void run() {
    columns_.for_each([this](Index b, Index begin, Index end) { count_entries(b, begin, end); });
    columns_.for_each([this](Index, Index begin, Index end) { place_stretches(begin, end); });
    std::partial_sum(rows_.ptr.begin(), rows_.ptr.end(), rows_.ptr.begin());
    const auto entries = static_cast<std::size_t>(rows_.ptr.back());
    const auto make_columns = [&] { rows_.col.resize(entries); };
    const auto make_sources = [&] { rows_.source.resize(entries); };
    if (columns_.count() < 2)
      make_columns(), make_sources();
    else
      side_by_side(make_columns, make_sources);  // resize() sets zeros, as slow as the other loops
    columns_.for_each([this](Index b, Index begin, Index end) { place_entries(b, begin, end); });
  }

 private:
  /// Returns an array by rows for stretch b of the columns: the number of the row's entries left of
  /// the diagonal that lie in the stretch; from place_stretches() on, the offset in the row of the
  /// next entry that the stretch adds.
  [[nodiscard]] Index* count_of(Index b) { return count_.get() + Offset{b} * lower_.n; }

  void count_entries(Index b, Index begin, Index end) {
    Index* count = count_of(b);
    std::fill_n(count, lower_.n, 0);
    for (Index j = begin; j < end; ++j)
      for (Offset k = lower_.col_ptr[j] + 1; k < lower_.col_ptr[j + 1]; ++k) ++count[lower_.row[k]];
  }
  void place_stretches(Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Index before = 0;
      for (Index b = 0; b < columns_.count(); ++b) {
        Index& count = count_of(b)[i];
        before += std::exchange(count, before);
      }
      rows_.ptr[i + 1] = before + (lower_.col_ptr[i + 1] - lower_.col_ptr[i]);
    }
  }
  void place_entries(Index b, Index begin, Index end) {
    Index* next = count_of(b);
    for (Index j = begin; j < end; ++j) {
      Offset own = rows_.ptr[j + 1] - (lower_.col_ptr[j + 1] - lower_.col_ptr[j]);
      for (Offset k = lower_.col_ptr[j]; k < lower_.col_ptr[j + 1]; ++k) {
        const Index i = lower_.row[k];
        place(own++, i, k);
        if (i != j) place(rows_.ptr[i] + next[i]++, j, k);
      }
    }
  }
  void place(Offset at, Index column, Offset k) {
    rows_.col[at] = column;
    rows_.source[at] = static_cast<std::uint32_t>(k);
  }

  const Pattern& lower_;
  FullRows& rows_;
  const Blocks columns_;
  std::unique_ptr<Index[]> count_;
};

}  // namespace

FullRows full_rows(const Pattern& lower) {
  if (lower.nnz() > kMostEntries)
    throw Error(ErrorKind::overflow, "a product with more than 2^32 - 1 stored entries");
  FullRows rows{std::vector<Offset>(static_cast<std::size_t>(lower.n) + 1, 0), {}, {}};
  if (lower.nnz() < kShared)
    Filling(lower, 1, rows).run();
  else
    with_threads(0, [&] { Filling(lower, std::min(kMostThreads, threads_here()), rows).run(); });
  return rows;
}

}  // namespace kauri::numeric::cuda
