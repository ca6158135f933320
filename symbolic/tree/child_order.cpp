// Liu's order of children, and the postorder that follows from it.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/tree/child_order.hpp"

#include <algorithm>

#include "base/common/checked.hpp"
#include "kauri/core/types.hpp"
#include "symbolic/common/children.hpp"
#include "symbolic/common/contribution_layout.hpp"

namespace kauri::symbolic {

std::vector<Index> stack_postorder(const FrontTree& fronts, std::span<const unsigned char> above,
                                   std::span<const unsigned char> late) {
  const Index count = fronts.count();
  Children children = children_of(fronts.parent);
  std::vector<Offset> left(fronts.parent.size()),
      excess(fronts.parent.size());  // entries of the block that s leaves on the stack; the peak of
                                     // its subtree minus these
  std::vector<Index> size(fronts.parent.size(), 1);
  for (Index s = 0; s < count; ++s) {
    const std::span<Index> mine = children.of(s);
    const bool sift = !above.empty() && above[s] != 0;
    const auto before = [&](Index a, Index b) {
      if (sift && late[a] != late[b]) return late[a] < late[b];
      return excess[a] != excess[b] ? excess[a] > excess[b] : a < b;
    };
    if (mine.size() > 1) std::sort(mine.begin(), mine.end(), before);
    Offset live = 0, peak = 0;
    for (const Index c : mine) {
      live = checked_add(live, left[c], "entries of contribution blocks");
      peak = std::max(peak, checked_add(live, excess[c], "entries of contribution blocks"));
    }
    left[s] = ContributionLayout::entries(fronts.contribution(s));
    peak = std::max(peak, checked_add(live, left[s], "entries of contribution blocks"));
    excess[s] = peak - left[s];
    if (fronts.parent[s] != kNone) size[fronts.parent[s]] += size[s];
  }
  std::vector<Index> position(fronts.parent.size());
  Index next_root = 0;
  for (const Index r : children.of(count)) {
    next_root += size[r];
    position[r] = next_root - 1;
  }
  for (Index s = count - 1; s >= 0; --s) {
    Index next = position[s] - size[s] + 1;
    for (const Index c : children.of(s)) {
      next += size[c];
      position[c] = next - 1;
    }
  }
  return position;
}

}  // namespace kauri::symbolic
