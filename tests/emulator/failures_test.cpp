// Failing pivots in several subtrees at once, on the emulated device, in every order of threads.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "tests/support/device/failing_subtrees.hpp"
#include "tests/support/systems/block_tree.hpp"

namespace kauri::test {
namespace {

TYPED_TEST_SUITE(FailingSubtrees, Ways, WayNumbers);

TYPED_TEST(FailingSubtrees, OfAGrid) {
  const OwnedPattern pattern = grid_pattern(6, 6, 6, true);
  this->check(this->system(pattern.view(), OrderingMethod::amd, true),
              2 * std::min(KAURI_ORDERS, 2), false);
}

/// The tree has tiled fronts below tiled fronts, and fronts with many children.
TYPED_TEST(FailingSubtrees, OfLargeFronts) {
  BlockTree tree({72, 66, 20}, 5);
  const auto system = dense_exact_system(tree.with_leaves(80, 1, 8));
  this->check(this->system(system.a.pattern(), OrderingMethod::natural, false), 1, true);
}

}  // namespace
}  // namespace kauri::test
