// Graph of a symmetric pattern.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/graph.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <utility>

#include "src/base/blocks.hpp"
#include "src/base/memory.hpp"

namespace kauri {
namespace {

constexpr Index kColumnBlock = 16384;  // columns that are worth a task

/// The lists of lower's graph by all threads of the arena, who take places in a list as they come: then it is sorted. ptr: length n+1,
/// zeros.
void fill_lists(const Pattern& lower, std::vector<Offset>& ptr, std::vector<Index>& adjacency) {
  const Index n = lower.n;
  const Blocks blocks(n, kColumnBlock);
  std::vector<Index> taken(static_cast<std::size_t>(n), 0);  // of each vertex: smaller neighbours, then those without a place
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Offset k = lower.col_ptr[begin]; k < lower.col_ptr[end]; ++k)
      std::atomic_ref<Index>(taken[lower.row[k]]).fetch_add(1, std::memory_order_relaxed);
  });
  for (Index v = 0; v < n; ++v) {
    --taken[v];  // its diagonal entry
    ptr[v + 1] = ptr[v] + taken[v] + lower.col_ptr[v + 1] - lower.col_ptr[v] - 1;
  }
  resize_large(adjacency, ptr[n]);
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Index j = begin; j < end; ++j)
      for (Offset k = lower.col_ptr[j] + 1; k < lower.col_ptr[j + 1]; ++k) {
        const Index i = lower.row[k];
        adjacency[ptr[i] + std::atomic_ref<Index>(taken[i]).fetch_sub(1, std::memory_order_relaxed) - 1] = j;
      }
  });
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Index v = begin; v < end; ++v) {
      const auto larger = lower.row.subspan(static_cast<std::size_t>(lower.col_ptr[v]) + 1,
                                            static_cast<std::size_t>(lower.col_ptr[v + 1] - lower.col_ptr[v] - 1));
      const auto middle = adjacency.begin() + ptr[v + 1] - static_cast<Offset>(larger.size());
      std::sort(adjacency.begin() + ptr[v], middle);
      std::copy(larger.begin(), larger.end(), middle);
    }
  });
}

}  // namespace

Graph::Graph(const Pattern& lower) {
  check(lower);
  const Index n = lower.n;
  if (n >= 4 * kColumnBlock && tbb::this_task_arena::max_concurrency() > 1) {
    ptr_.assign(static_cast<std::size_t>(n) + 1, 0);
    fill_lists(lower, ptr_, adjacency_);
    return;
  }
  ptr_.assign(static_cast<std::size_t>(n) + 1, 0);
  for (Index j = 0; j < n; ++j) {
    ptr_[j + 1] += lower.col_ptr[j + 1] - lower.col_ptr[j] - 1;
    for (Offset k = lower.col_ptr[j] + 1; k < lower.col_ptr[j + 1]; ++k) ++ptr_[lower.row[k] + 1];
  }
  for (Index v = 0; v < n; ++v) ptr_[v + 1] += ptr_[v];
  resize_large(adjacency_, ptr_[n]);
  std::vector<Offset> next(ptr_.begin(), ptr_.end() - 1);
  // Column by column: vertex i receives its smaller neighbours j in ascending order first, and its larger ones in its own turn.
  for (Index j = 0; j < n; ++j)
    for (Offset k = lower.col_ptr[j] + 1; k < lower.col_ptr[j + 1]; ++k) {
      adjacency_[next[j]++] = lower.row[k];
      adjacency_[next[lower.row[k]]++] = j;
    }
}

Graph::Graph(std::vector<Offset> ptr, std::vector<Index> adjacency) : ptr_(std::move(ptr)), adjacency_(std::move(adjacency)) {
  const auto fail = [](const std::string& what) { throw Error(ErrorKind::input, "graph: " + what); };
  if (ptr_.empty() || ptr_.front() != 0 || ptr_.back() != static_cast<Offset>(adjacency_.size()) ||
      ptr_.size() - 1 > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    fail("ptr must start at 0 and end at the length of the adjacency");
  const Index n = size();
  std::vector<Offset> seen(ptr_.begin(), ptr_.end() - 1);
  for (Index v = 0; v < n; ++v) {
    if (ptr_[v + 1] < ptr_[v]) fail("ptr descends at vertex " + std::to_string(v));
    if (ptr_[v + 1] > ptr_.back()) fail("ptr beyond the adjacency at vertex " + std::to_string(v));
    for (Offset k = ptr_[v]; k < ptr_[v + 1]; ++k) {
      const Index u = adjacency_[k];
      if (u < 0 || u >= n || u == v || (k > ptr_[v] && u <= adjacency_[k - 1]))
        fail("neighbours of vertex " + std::to_string(v) + " must be ascending, in range and not itself");
    }
  }
  // Lists ascend, so walking v upwards meets the entries of each list of u in order: symmetric iff each meets its twin.
  for (Index v = 0; v < n; ++v)
    for (const Index u : neighbours(v)) {
      if (seen[u] >= ptr_[u + 1] || adjacency_[seen[u]] != v)
        fail("edge {" + std::to_string(v) + "," + std::to_string(u) + "} is stored in one direction only");
      ++seen[u];
    }
}

}  // namespace kauri
