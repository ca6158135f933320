// Tests Liu's child order against all orders of the children.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/tree/child_order.hpp"

#include <gtest/gtest.h>

#include <random>

#include "kauri/core/types.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/common/children.hpp"
#include "symbolic/common/contribution_layout.hpp"

namespace kauri::test {
namespace {

using namespace kauri::symbolic;

Offset block(const FrontTree& fronts, Index s) {
  return ContributionLayout::entries(fronts.contribution(s));
}

/// Returns the peak of live blocks when fronts run in the order of `position`.
Offset peak_of(const FrontTree& fronts, const std::vector<Index>& position) {
  std::vector<Index> at(position.size());
  for (std::size_t s = 0; s < position.size(); ++s) at[position[s]] = static_cast<Index>(s);
  const Children children = children_of(fronts.parent);
  Offset live = 0, peak = 0;
  for (const Index s : at) {
    live += block(fronts, s);
    peak = std::max(peak, live);
    for (const Index c : children.of(s)) live -= block(fronts, c);
  }
  return peak;
}

/// Returns the least peak of the subtree of s over all orders of children at all levels (postorders
/// only).
Offset least_peak(const FrontTree& fronts, const Children& children, Index s) {
  std::vector<Index> order(children.of(s).begin(), children.of(s).end());
  std::vector<Offset> peaks(fronts.parent.size());
  for (const Index c : order) peaks[c] = least_peak(fronts, children, c);
  Offset best = std::numeric_limits<Offset>::max();
  do {
    Offset live = 0, peak = 0;
    for (const Index c : order) {
      peak = std::max(peak, live + peaks[c]);
      live += block(fronts, c);
    }
    best = std::min(best, std::max(peak, live + (s < fronts.count() ? block(fronts, s) : 0)));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

FrontTree random_fronts(Index count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  FrontTree fronts;
  for (Index s = 0; s < count; ++s) {
    const auto left = static_cast<std::uint64_t>(count - 1 - s);
    const bool root = left == 0 || random() % 8 == 0;
    fronts.parent.push_back(
        root ? kNone : s + 1 + static_cast<Index>(random() % std::min<std::uint64_t>(left, 4)));
    fronts.pivots.push_back(1 + static_cast<Index>(random() % 3));
    fronts.order.push_back(fronts.pivots.back() +
                           (root ? 0 : 1 + static_cast<Index>(random() % 12)));
  }
  return fronts;
}

TEST(ChildOrder, PeakIsLeastOverAllOrdersOfChildren) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FrontTree fronts = random_fronts(2 + static_cast<Index>(seed % 13), seed);
    const Children children = children_of(fronts.parent);
    const std::vector<Index> position = stack_postorder(fronts);
    Permutation::from_old_of(std::vector<Index>(position));
    Offset least = 0;  // roots leave no block
    for (const Index r : children.of(fronts.count()))
      least = std::max(least, least_peak(fronts, children, r));
    ASSERT_EQ(peak_of(fronts, position), least) << "seed " << seed;
    for (Index s = 0; s < fronts.count(); ++s)
      if (fronts.parent[s] != kNone) {
        ASSERT_LT(position[s], position[fronts.parent[s]]);
      }
  }
}

TEST(ChildOrder, LateChildrenComeLast) {
  // The root's children 0..3 have growing blocks, so 3 would come first if it were not late.
  const FrontTree fronts{{4, 4, 4, 4, kNone}, {3, 5, 7, 9, 20}, {1, 1, 1, 1, 20}};
  const std::vector<unsigned char> above{0, 0, 0, 0, 1}, late{0, 0, 0, 1, 0};
  EXPECT_EQ(stack_postorder(fronts, above, late)[3], 3);
}

}  // namespace
}  // namespace kauri::test
