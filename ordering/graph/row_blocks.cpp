// Finds blocks of adjacent indistinguishable rows, and builds their graph. Rows i-1 and i are
// indistinguishable if their columns agree except for entry (i-1,i-1), and every earlier column has
// both or neither.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/graph/row_blocks.hpp"

#include <algorithm>
#include <atomic>

#include "base/host/memory.hpp"
#include "base/threads/blocks.hpp"

namespace kauri::ordering {
namespace {

constexpr Index kBlockColumns = 4096;  // columns, or blocks, in a task

/// Largest share of the rows that may begin a block. If nearly all do, the graph of the blocks
/// would be as large as that of the rows.
constexpr double kMostBlocks = 0.9;

std::span<const Index> column(const Pattern& lower, Index j) {
  return lower.row.subspan(static_cast<std::size_t>(lower.col_ptr[j]),
                           static_cast<std::size_t>(lower.col_ptr[j + 1] - lower.col_ptr[j]));
}

/// Returns true if row j cannot continue the block of row j - 1: false if column j equals column j
/// - 1 without the diagonal entry of column j - 1.
bool leads(const Pattern& lower, Index j) {
  if (j == 0) return true;
  const auto before = column(lower, j - 1), mine = column(lower, j);
  return before.size() != mine.size() + 1 ||
         !std::equal(mine.begin(), mine.end(), before.begin() + 1);
}

/// Flags rows that begin a block. Threads may set flags concurrently.
class Cuts {
 public:
  explicit Cuts(Index n) : cut_(static_cast<std::size_t>(n) + 1, 0) {}
  void set(Index i) {
    const std::atomic_ref<char> cut(cut_[i]);
    if (cut.load(std::memory_order_relaxed) == 0) cut.store(1, std::memory_order_relaxed);
  }
  [[nodiscard]] bool at(Index i) {
    return std::atomic_ref<char>(cut_[i]).load(std::memory_order_relaxed) != 0;
  }

 private:
  std::vector<char> cut_;
};

/// Sets a cut at each row that begins a run of consecutive rows of a column, and at each row after
/// a run: the column has only one of the rows i-1 and i at a cut i. rows: all rows of the column,
/// from the diagonal, at which the caller has set a cut.
void cut_along(std::span<const Index> rows, Cuts& cuts) {
  for (std::size_t k = 1; k < rows.size(); ++k)
    if (rows[k] != rows[k - 1] + 1) {
      cuts.set(rows[k - 1] + 1);
      cuts.set(rows[k]);
    }
  cuts.set(rows.back() + 1);
}

}  // namespace

std::vector<Index> row_blocks(const Pattern& lower, std::span<const Index> apart) {
  const Index n = lower.n;
  const Blocks blocks(n, kBlockColumns);
  Cuts cuts(n);
  std::atomic<Index> leaders = 0;
  blocks.for_each([&](Index, Index begin, Index end) {
    Index count = 0;
    for (Index j = begin; j < end; ++j)
      if (leads(lower, j)) {
        ++count;
        cuts.set(j);
      }
    leaders.fetch_add(count, std::memory_order_relaxed);
  });
  if (n == 0 || leaders > kMostBlocks * n) return {};
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Index j = begin; j < end; ++j)
      if (cuts.at(j)) cut_along(column(lower, j), cuts);
  });
  for (const Index i : apart) {
    cuts.set(i);
    cuts.set(i + 1);
  }
  std::vector<Index> first;
  first.reserve(static_cast<std::size_t>(leaders) + 1);
  for (Index i = 0; i < n; ++i)
    if (cuts.at(i)) first.push_back(i);
  if (static_cast<double>(first.size()) > kMostBlocks * n) return {};
  first.push_back(n);
  return first;
}

Graph graph_of_blocks(const Pattern& lower, std::span<const Index> first) {
  const auto count = static_cast<Index>(first.size()) - 1;
  const Blocks blocks(count, kBlockColumns);
  std::vector<Index> block_of(static_cast<std::size_t>(lower.n),
                              kNone);  // by row: block that it begins, else kNone
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Index b = begin; b < end; ++b) block_of[first[b]] = b;
  });
  std::vector<Offset> ptr(first.size(), 0);
  std::vector<Index> row;
  // A block's first column contains each later block whole or not at all, and its own block from
  // the diagonal on, so the first rows of blocks in it stand for the blocks.
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Index b = begin; b < end; ++b)
      for (const Index i : column(lower, first[b])) ptr[b + 1] += block_of[i] != kNone ? 1 : 0;
  });
  for (Index b = 0; b < count; ++b) ptr[b + 1] += ptr[b];
  resize_large(row, ptr[count]);
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      Index* next = row.data() + ptr[b];
      for (const Index i : column(lower, first[b]))
        if (block_of[i] != kNone) *next++ = block_of[i];
    }
  });
  return Graph(Pattern{count, ptr, row}, Graph::Checked{});
}

}  // namespace kauri::ordering
