// A few of the ten thousand disturbed runs of the device tests, on the emulated device and with
// fewer teams.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/front_tasks.hpp"
#include "tests/numeric/cuda/factor/disturbed_runs.hpp"

namespace kauri::test {
namespace {

TYPED_TEST_SUITE(DisturbedRuns, TaskWays, TaskWayNumbers);

TYPED_TEST(DisturbedRuns, SomeOfTenThousand) {
  const std::vector<Index> teams{symbolic::kFewestEver, 6, 10};
  this->same_bits_of_l({grid_pattern(7, 7, 7, true), OrderingMethod::amd, true, teams, 6});
  this->same_bits_of_l({random_pattern(500, 5, 6), OrderingMethod::rcm, true, teams, 6});
  this->same_bits_of_l({hubs_and_cube(150, 3, 4), OrderingMethod::amd, false, teams, 6});
}

}  // namespace
}  // namespace kauri::test
