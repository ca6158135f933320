// Products added up in parts, on the emulated device, with smaller fronts and few teams.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/bodies/parts.hpp"

namespace kauri::test {
namespace {

TYPED_TEST_SUITE(Parts, TaskWays, TaskWayNumbers);

const PartsTrial kTrial{
    .pivots = {250, 64, 17, 17},
    .leaves = 150,
    .depth = 2,
    .below = 12,
    .least = KAURI_ORDERS > 1 ? std::vector<Index>{16, 48} : std::vector<Index>{16},
    .teams = {4},
    .pauses = KAURI_ORDERS,
    .runs = 1,
    .samples = 2000,
    .sums = "poisson3d 12"};

TYPED_TEST(Parts, ExactFactors) { this->exact_factors(kTrial); }
TYPED_TEST(Parts, AreAddedUp) { this->are_added_up(kTrial); }

}  // namespace
}  // namespace kauri::test
