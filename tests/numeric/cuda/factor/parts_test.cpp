// Tests products summed in parts on a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/bodies/parts.hpp"

namespace kauri::test {
namespace {

TYPED_TEST_SUITE(Parts, TaskWays);

const PartsTrial kTrial{.pivots = {600, 100, 60, 40, 40},
                        .leaves = 300,
                        .depth = 2,
                        .below = 20,
                        .least = {16, 32, 48, 80, 160, symbolic::DeviceSchedule::kLeastPart},
                        .teams = {0, 4, 10},
                        .pauses = 3,
                        .runs = 3,
                        .samples = 300,
                        .sums = "poisson3d 16"};

TYPED_TEST(Parts, ExactFactors) { this->exact_factors(kTrial); }
TYPED_TEST(Parts, AreAddedUp) { this->are_added_up(kTrial); }

}  // namespace
}  // namespace kauri::test
