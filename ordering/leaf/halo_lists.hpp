// Builds the neighbour lists of a halo from those of the interior.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::ordering {

/// Appends to ptr and adjacency, which hold the lists of vertices 0 ... interior - 1, the lists of
/// the halo vertices interior, interior + 1 ...: the edges to the halo reversed, each list
/// ascending. next: work array with one entry per halo vertex, any values. List: a vector of Index.
/// O(edges).
template <class List>
void add_halo_lists(Index interior, std::span<Offset> next, std::vector<Offset>& ptr,
                    List& adjacency) {
  std::fill(next.begin(), next.end(), 0);
  for (const Index u : adjacency)
    if (u >= interior) ++next[u - interior];
  for (Offset& count : next) {
    ptr.push_back(ptr.back() + count);
    count = ptr.back() - count;
  }
  adjacency.resize(static_cast<std::size_t>(ptr.back()));
  for (Index v = 0; v < interior; ++v)
    for (Offset k = ptr[v]; k < ptr[v + 1]; ++k)
      if (const Index u = adjacency[k]; u >= interior) adjacency[next[u - interior]++] = v;
}

}  // namespace kauri::ordering
