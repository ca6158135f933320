// One pass each, with a stack of the stretches so far.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/common/parts.hpp"

#include <iterator>

namespace kauri::symbolic {
namespace {

constexpr Index kPlaceBlock = 16384;        // places that are worth a task
constexpr Index kParts = 64, kLeast = 128;  // of all nodes, so many parts or more; nodes that are worth one

/// By place: the lowest among itself and its neighbours.
std::vector<Index> lowest_places(const Pairs& pairs) {
  std::vector<Index> lowest(static_cast<std::size_t>(pairs.size()));
  Blocks(pairs.size(), kPlaceBlock).for_each([&](Index, Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      Index least = k;
      for (const Index j : pairs.lower(k)) least = std::min(least, j);
      lowest[k] = least;
    }
  });
  return lowest;
}

Index length(const Stretch& stretch) { return stretch.end - stretch.begin; }

/// Neighbours that are no longer together than `most` become one.
std::vector<Stretch> joined(std::vector<Stretch> stretches, Index most) {
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  std::vector<Stretch> out;
  for (const Stretch& next : stretches)
    if (!out.empty() && out.back().end == next.begin && next.end - out.back().begin <= most)
      out.back().end = next.end;
    else
      out.push_back(next);
  return out;
}

}  // namespace

std::vector<Stretch> closed_stretches(const Pairs& pairs, Index most) {
  const Index n = pairs.size();
  if (n <= most) return {{0, n}};
  const std::vector<Index> lowest = lowest_places(pairs);
  std::vector<Stretch> open, closed;  // open ones tile all places so far
  for (Index k = 0; k < n; ++k) {
    auto met = open.end();
    while (met != open.begin() && std::prev(met)->end > lowest[k]) --met;
    const Stretch whole{met == open.end() ? k : met->begin, k + 1};
    if (length(whole) > most)
      std::copy_if(met, open.end(), std::back_inserter(closed), [&](const Stretch& s) { return length(s) <= most; });
    open.erase(met, open.end());
    open.push_back(whole);
  }
  std::copy_if(open.begin(), open.end(), std::back_inserter(closed), [&](const Stretch& s) { return length(s) <= most; });
  return joined(std::move(closed), most);
}

std::vector<TreePart> cut_into_subtrees(std::span<const Index> parent, Index size) {
  const auto count = static_cast<Index>(parent.size());
  std::vector<Index> below(parent.size(), 1);  // nodes of the subtree
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
    } else if (const Index up = parent[s]; (up == kNone || below[up] > size) && s + 1 - begin >= size) {
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
