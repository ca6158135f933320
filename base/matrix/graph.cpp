// Adjacency lists (Graph) of a symmetric pattern.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/graph.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "base/host/memory.hpp"
#include "base/matrix/check.hpp"
#include "base/threads/blocks.hpp"
#include "base/threads/stopping.hpp"

namespace kauri {
namespace {

constexpr Index kColumnBlock = 16384;  // least number of columns in a task
constexpr Index kMostRanges = 256;     // most whole ranges of rows that entries are sorted into

/// Builds the adjacency lists of the graph of `lower` by all threads of the arena. First it sorts
/// the entries into ranges of rows, within a range by column. Then a thread fills the lists of one
/// range at a time, whose memory stays in its cache; each list ascends. Takes 8 bytes per entry
/// below the diagonal, and 4 per row, temporarily.
class SharedLists {
 public:
  explicit SharedLists(const Pattern& lower)
      : lower_(lower), shift_(shift_for(lower.n)), blocks_(lower.n, Index{1} << shift_) {}

  /// Sets ptr (length n+1, zeros on entry) and adjacency (any content on entry) to those of a
  /// Graph.
  void fill(std::vector<Offset>& ptr, std::vector<Index>& adjacency) {
    sort_entries();
    std::vector<Index> smaller(
        static_cast<std::size_t>(lower_.n),
        0);  // by vertex: number of smaller neighbours; then of those written
    blocks_.for_each([&](Index r, Index begin, Index end) {
      for (const PatternEntry& entry : entries(r)) ++smaller[entry.row];
      Offset sum = 0;
      for (Index v = begin; v < end; ++v)
        ptr[v + 1] = sum += smaller[v] + static_cast<Offset>(larger(v).size());
    });
    for (Index r = 0; r < blocks_.count(); ++r)
      ptr[blocks_.end(r)] += ptr[blocks_.begin(r)];  // offset of range r is the end of range r - 1
    resize_large(adjacency, ptr[lower_.n]);
    blocks_.for_each([&](Index r, Index begin, Index end) {
      for (Index v = begin; v + 1 < end; ++v) ptr[v + 1] += ptr[begin];
      for (Index v = begin; v < end; ++v) {
        std::copy(larger(v).begin(), larger(v).end(), adjacency.begin() + ptr[v] + smaller[v]);
        smaller[v] = 0;
      }
      for (const PatternEntry& entry : entries(r))
        adjacency[ptr[entry.row] + smaller[entry.row]++] = entry.col;
    });
  }

 private:
  struct PatternEntry {
    Index row, col;
  };

  static int shift_for(Index n) {
    int shift = 0;
    while (shift < 30 && ((Index{1} << shift) < kColumnBlock || n >> shift > kMostRanges)) ++shift;
    return shift;
  }
  [[nodiscard]] std::span<const Index> larger(Index v) const {
    return lower_.row.subspan(
        static_cast<std::size_t>(lower_.col_ptr[v]) + 1,
        static_cast<std::size_t>(lower_.col_ptr[v + 1] - lower_.col_ptr[v] - 1));
  }
  /// Returns the entries of row range r, by ascending columns.
  [[nodiscard]] std::span<const PatternEntry> entries(Index r) const {
    const Offset begin = begin_[at(r, 0)], end = begin_[at(r + 1, 0)];
    return {entry_.get() + begin, static_cast<std::size_t>(end - begin)};
  }
  [[nodiscard]] std::size_t at(Index range, Index block) const {
    return static_cast<std::size_t>(range) * static_cast<std::size_t>(blocks_.count()) +
           static_cast<std::size_t>(block);
  }

  void sort_entries() {
    const auto ranges = static_cast<std::size_t>(blocks_.count());
    begin_.assign(at(blocks_.count(), 0) + 1, 0);
    blocks_.for_each([&](Index b, Index begin, Index end) {
      std::vector<Offset> count(ranges, 0);
      for (Index j = begin; j < end; ++j)
        for (const Index i : larger(j)) ++count[i >> shift_];
      for (Index r = 0; r < blocks_.count(); ++r) begin_[at(r, b)] = count[r];
    });
    std::exclusive_scan(begin_.begin(), begin_.end(), begin_.begin(), Offset{0});
    entry_ =
        std::make_unique_for_overwrite<PatternEntry[]>(static_cast<std::size_t>(begin_.back()));
    prefer_huge_pages(entry_.get(), static_cast<std::size_t>(begin_.back()) * sizeof(PatternEntry));
    blocks_.for_each([&](Index b, Index begin, Index end) {
      std::vector<Offset> next(ranges);
      for (Index r = 0; r < blocks_.count(); ++r) next[r] = begin_[at(r, b)];
      for (Index j = begin; j < end; ++j)
        for (const Index i : larger(j)) entry_[next[i >> shift_]++] = {i, j};
    });
  }

  const Pattern& lower_;
  const int shift_;      // 2^shift_ is the number of rows of a range, and of columns of a block
  const Blocks blocks_;  // the ranges of rows, which are also the blocks of columns
  std::vector<Offset> begin_;  // by range of rows, then by block of columns: offset of its entries
                               // in entry_; then the end
  std::unique_ptr<PatternEntry[]> entry_;
};

}  // namespace

Graph::Graph(const Pattern& lower) {
  check_by_all(lower);
  *this = Graph(lower, Checked{});
}

Graph::Graph(const Pattern& lower, Checked /*unused*/) {
  const Index n = lower.n;
  if (n >= 2 * kColumnBlock && threads_here() > 1) {
    ptr_.assign(static_cast<std::size_t>(n) + 1, 0);
    SharedLists(lower).fill(ptr_, adjacency_);
    return;
  }
  ptr_.assign(static_cast<std::size_t>(n) + 1, 0);
  const StopCheck check_stop;
  for (Index j = 0; j < n; ++j) {
    check_stop.at(j);
    ptr_[j + 1] += lower.col_ptr[j + 1] - lower.col_ptr[j] - 1;
    for (Offset k = lower.col_ptr[j] + 1; k < lower.col_ptr[j + 1]; ++k) ++ptr_[lower.row[k] + 1];
  }
  for (Index v = 0; v < n; ++v) ptr_[v + 1] += ptr_[v];
  resize_large(adjacency_, ptr_[n]);
  std::vector<Offset> next(ptr_.begin(), ptr_.end() - 1);
  // Goes column by column: vertex i receives its smaller neighbours j first, in ascending order,
  // then its larger ones when j = i.
  for (Index j = 0; j < n; ++j) {
    check_stop.at(j);
    for (Offset k = lower.col_ptr[j] + 1; k < lower.col_ptr[j + 1]; ++k) {
      adjacency_[next[j]++] = lower.row[k];
      adjacency_[next[lower.row[k]]++] = j;
    }
  }
}

Graph::Graph(std::vector<Offset> ptr, std::vector<Index> adjacency)
    : ptr_(std::move(ptr)), adjacency_(std::move(adjacency)) {
  const auto fail = [](const std::string& what) {
    throw Error(ErrorKind::input, "graph: " + what);
  };
  if (ptr_.empty() || ptr_.front() != 0 || ptr_.back() != static_cast<Offset>(adjacency_.size()) ||
      ptr_.size() - 1 > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    fail("ptr must start at 0 and end at the length of the adjacency");
  const Index n = size();
  std::vector<Offset> seen(ptr_.begin(), ptr_.end() - 1);
  for (Index v = 0; v < n; ++v) {
    if (ptr_[v + 1] < ptr_[v])
      fail("ptr descends at vertex " + std::to_string(v) + ", expected ascending offsets");
    if (ptr_[v + 1] > ptr_.back())
      fail("ptr beyond the adjacency at vertex " + std::to_string(v) + ", expected at most " +
           std::to_string(ptr_.back()));
    for (Offset k = ptr_[v]; k < ptr_[v + 1]; ++k) {
      const Index u = adjacency_[k];
      if (u < 0 || u >= n || u == v || (k > ptr_[v] && u <= adjacency_[k - 1]))
        fail("neighbours of vertex " + std::to_string(v) +
             " must be ascending, in range and not itself");
    }
  }
  // Lists ascend, so a walk over ascending v meets the entries of each list of u in order. The
  // graph is symmetric iff each edge meets its reverse.
  for (Index v = 0; v < n; ++v)
    for (const Index u : neighbours(v)) {
      if (seen[u] >= ptr_[u + 1] || adjacency_[seen[u]] != v)
        fail("edge {" + std::to_string(v) + "," + std::to_string(u) +
             "} is stored in one direction only");
      ++seen[u];
    }
}

}  // namespace kauri
