// Tests failures in several subtrees at once on a CUDA device, with every kind of kernel.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/device/failing_subtrees.hpp"
#include "tests/support/systems/block_tree.hpp"

namespace kauri::test {
namespace {

TYPED_TEST_SUITE(FailingSubtrees, Ways);

TYPED_TEST(FailingSubtrees, OfAGrid) {
  const OwnedPattern pattern = grid_pattern(11, 11, 11, true);
  this->check(this->system(pattern.view(), OrderingMethod::amd, true), 6, false);
}

/// The tree has tiled fronts below tiled fronts, and hosts of many children.
TYPED_TEST(FailingSubtrees, OfLargeFronts) {
  BlockTree tree({330, 200, 130, 90}, 5);
  const auto system = dense_exact_system(tree.with_leaves(300, 2, 20));
  this->check(this->system(system.a.pattern(), OrderingMethod::natural, false), 6, true);
}

}  // namespace
}  // namespace kauri::test
