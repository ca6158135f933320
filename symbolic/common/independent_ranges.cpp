// Finds independent ranges in one pass over the places, with a stack of the ranges found so far,
// and subtrees in one pass over their sizes.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/common/independent_ranges.hpp"

#include <iterator>

namespace kauri::symbolic {
namespace {

constexpr Index kPlaceBlock = 16384;  // places in a block of a parallel loop
constexpr Index kParts = 64,
                kLeast = 128;  // parts to divide all nodes into; least nodes of a part

/// Returns for each place the lowest among itself and its neighbours' places.
std::vector<Index> lowest_places(const PermutedAdjacency& adjacency) {
  std::vector<Index> lowest(static_cast<std::size_t>(adjacency.size()));
  Blocks(adjacency.size(), kPlaceBlock).for_each([&](Index, Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      Index least = k;
      for (const Index j : adjacency.lower(k)) least = std::min(least, j);
      lowest[k] = least;
    }
  });
  return lowest;
}

Index length(const IndexRange& range) { return range.end - range.begin; }

/// Joins adjacent ranges that have no more than `most` places together.
std::vector<IndexRange> joined(std::vector<IndexRange> ranges, Index most) {
  std::sort(ranges.begin(), ranges.end(),
            [](const IndexRange& a, const IndexRange& b) { return a.begin < b.begin; });
  std::vector<IndexRange> out;
  for (const IndexRange& next : ranges)
    if (!out.empty() && out.back().end == next.begin && next.end - out.back().begin <= most)
      out.back().end = next.end;
    else
      out.push_back(next);
  return out;
}

}  // namespace

std::vector<IndexRange> independent_ranges(const PermutedAdjacency& adjacency, Index most) {
  const Index n = adjacency.size();
  if (n <= most) return {{0, n}};
  const std::vector<Index> lowest = lowest_places(adjacency);
  std::vector<IndexRange> open, closed;  // open: cover all places so far; closed: ranges that were
                                         // joined into one of more than `most` places
  for (Index k = 0; k < n; ++k) {
    auto met = open.end();
    while (met != open.begin() && std::prev(met)->end > lowest[k]) --met;
    const IndexRange whole{met == open.end() ? k : met->begin, k + 1};
    if (length(whole) > most)
      std::copy_if(met, open.end(), std::back_inserter(closed),
                   [&](const IndexRange& s) { return length(s) <= most; });
    open.erase(met, open.end());
    open.push_back(whole);
  }
  std::copy_if(open.begin(), open.end(), std::back_inserter(closed),
               [&](const IndexRange& s) { return length(s) <= most; });
  return joined(std::move(closed), most);
}

std::vector<TreePart> cut_into_subtrees(std::span<const Index> parent, Index size) {
  const auto count = static_cast<Index>(parent.size());
  std::vector<Index> below(parent.size(), 1);  // per node: nodes of its subtree
  for (Index s = 0; s < count; ++s)
    if (parent[s] != kNone) below[parent[s]] += below[s];
  std::vector<TreePart> parts;
  Index begin = 0;
  const auto close = [&](Index end) {
    if (begin < end) parts.push_back({begin, end, true});
    begin = end;
  };
  for (Index s = 0; s < count; ++s)
    if (below[s] > size) {
      close(s);
      if (!parts.empty() && !parts.back().whole && parts.back().end == s)
        ++parts.back().end;
      else
        parts.push_back({s, s + 1, false});
      begin = s + 1;
    } else if (const Index up = parent[s];
               (up == kNone || below[up] > size) && s + 1 - begin >= size) {
      close(s + 1);
    }
  close(count);
  return parts;
}

Index part_size(Index count, Index asked) {
  if (asked > 0) return asked;
  return threads_here() == 1 ? std::max<Index>(count, 1) : std::max(kLeast, count / kParts);
}

}  // namespace kauri::symbolic
