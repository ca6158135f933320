// Tests that the order in which tasks of tiled fronts run does not change bits: few teams, pauses
// of each task and warp, ten thousand runs.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/device/front_tasks.hpp"
#include "symbolic/layout/layout.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/numeric/cuda/factor/disturbed_runs.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_hooks.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/oracles/sparse_reference.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

template <class W>
class Disturbed : public DisturbedRuns<W> {
 protected:
  using Value = typename OnCuda<W>::Value;
  struct System {
    OwnedPattern pattern;
    std::vector<Value> value;
    std::shared_ptr<const Plan> plan;
  };

  System system(OwnedPattern pattern, OrderingMethod method, std::uint64_t seed,
                bool amalgamate = true) {
    const auto value = random_dominant<double>(pattern.view(), seed);
    auto made = this->plan(pattern.view(), method, amalgamate);
    return {std::move(pattern), cast<Value>(value), std::move(made)};
  }
  std::vector<Value> bits(const std::shared_ptr<const Plan>& plan, const std::vector<Value>& value,
                          int runs) {
    auto factor = Factor<Value>::create(plan, this->backend());
    std::vector<Value> first;
    for (int run = 0; run < runs; ++run) {
      EXPECT_TRUE(refactorize<Value>(factor, value).ok());
      const std::vector<Value> x = this->solution(factor);
      if (first.empty()) first = x;
      EXPECT_EQ(x, first) << run;
      if (x != first) break;
    }
    return first;
  }
};
TYPED_TEST_SUITE(Disturbed, TaskWays);

/// Returns the pattern of `points` points, each joined to three of the hubs.
OwnedPattern points_and_hubs(Index points, Index hubs) {
  EdgeList edges;
  std::mt19937 random(7);
  for (Index k = 0; k < points; ++k)
    for (int i = 0; i < 3; ++i)
      edges.emplace_back(k, points + static_cast<Index>(random() % static_cast<unsigned>(hubs)));
  return pattern_of(points + hubs, std::move(edges));
}

/// Returns the largest number of stages that the sums of one front have.
std::size_t most_stages(const Plan& plan) {
  std::map<Index, std::set<Index>> stages;
  for (const symbolic::DeviceTask& task : plan.internals->device.task)
    if (task.kind == symbolic::DeviceTask::Kind::sum) stages[task.front].insert(task.column);
  std::size_t most = 0;
  for (const auto& [front, mine] : stages) most = std::max(most, mine.size());
  return most;
}

/// The systems are trees of small and large fronts, with hosts of many children, reused memory and
/// several levels.
TYPED_TEST(Disturbed, FewTeamsAndPauses) {
  const typename TestFixture::System systems[] = {
      this->system(grid_pattern(11, 11, 11, true), OrderingMethod::amd, 1),
      this->system(grid_pattern(90, 80, 1), OrderingMethod::amd, 2),
      this->system(random_pattern(1500, 4, 3), OrderingMethod::minimum_degree, 3),
      this->system(points_and_hubs(900, 150), OrderingMethod::natural, 4),
      this->system(hubs_and_cube(6000, 4, 10), OrderingMethod::amd, 7, false)};
  EXPECT_GE(most_stages(*systems[4].plan), 3U);
  for (std::size_t k = 0; k < std::size(systems); ++k) {
    const typename TestFixture::System& s = systems[k];
    ASSERT_FALSE(s.plan->internals->device.task.empty()) << k;
    const auto expected = this->bits(s.plan, s.value, 1);
    for (const Index teams : {symbolic::kFewestEver, 6, 16, 132, 228, 264})
      for (unsigned pauses = 0; pauses < 12; ++pauses) {
        SCOPED_TRACE(std::to_string(k) + ": " + std::to_string(teams) + " teams, pauses " +
                     std::to_string(pauses));
        ASSERT_EQ(this->bits(run_by(*s.plan, teams, pauses), s.value, 2), expected);
      }
  }
}

/// With the fewest teams that any task list allows, each team must do all that others could have
/// done, with the longest pauses; fewer teams are refused.
TYPED_TEST(Disturbed, TheFewestTeamsThereMayBe) {
  const typename TestFixture::System systems[] = {
      this->system(grid_pattern(9, 9, 9, true), OrderingMethod::amd, 1),
      this->system(hubs_and_cube(3000, 3, 8), OrderingMethod::amd, 7, false)};
  for (const typename TestFixture::System& s : systems) {
    const auto expected = this->bits(s.plan, s.value, 1);
    for (unsigned pauses = 0; pauses < 100; ++pauses)
      ASSERT_EQ(this->bits(run_by(*s.plan, symbolic::kFewestEver, pauses), s.value, 1), expected)
          << pauses;
    auto fewer = std::make_shared<Plan>(*run_by(*s.plan, symbolic::kFewestEver, 0));
    DeviceHooks::teams(*fewer) = symbolic::kFewestEver - 2;
    EXPECT_THROW((void)Factor<typename TypeParam::T>::create(fewer, this->backend()), Error);
  }
}

/// A task list made for more teams than the device has is made again for the device's teams.
TYPED_TEST(Disturbed, TasksForAMuchLargerDevice) {
  const typename TestFixture::System s =
      this->system(grid_pattern(60, 60, 3), OrderingMethod::amd, 8);
  auto larger = std::make_shared<Plan>(*s.plan);
  larger->internals->device =
      symbolic::make_device_schedule(s.plan->supernodes, s.plan->internals->assembly, 1 << 20);
  ASSERT_EQ(larger->internals->device.task_teams, 1 << 20);
  ASSERT_FALSE(larger->internals->device.task.empty());
  EXPECT_EQ(this->bits(larger, s.value, 2), this->bits(s.plan, s.value, 1));
}

/// Runs ten thousand factorisations: with the fewest teams, with one for each multiprocessor, with
/// two, and with all. The systems have few fronts, since the pauses between successive tasks, of 30
/// microseconds now and then, dominate the time of a run.
TYPED_TEST(Disturbed, TenThousandRuns) {
  int processors = 0;
  require(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  const std::vector<Index> teams{symbolic::kFewestEver, processors / 2 * 2, 2 * processors, 0};
  const int runs = 10000 / 4;
  this->same_bits_of_l({grid_pattern(9, 9, 9, true), OrderingMethod::amd, true, teams, runs});
  this->same_bits_of_l({random_pattern(500, 5, 6), OrderingMethod::rcm, true, teams, runs});
  this->same_bits_of_l({points_and_hubs(300, 100), OrderingMethod::natural, true, teams, runs});
  this->same_bits_of_l({hubs_and_cube(500, 3, 9), OrderingMethod::amd, false, teams, runs});
}

/// If pivots fail, each run has the column, pivot and smallest pivot of a naive factorisation; the
/// factor can be used again.
TYPED_TEST(Disturbed, VerdictsOfFewTeamsAndPauses) {
  const typename TestFixture::System systems[] = {
      this->system(grid_pattern(11, 11, 11, true), OrderingMethod::amd, 1),
      this->system(grid_pattern(60, 50, 1), OrderingMethod::amd, 2),
      this->system(points_and_hubs(900, 150), OrderingMethod::natural, 4),
      this->system(hubs_and_cube(3000, 3, 8), OrderingMethod::amd, 7, false)};
  std::mt19937_64 random(6);
  for (std::size_t k = 0; k < std::size(systems); ++k) {
    const typename TestFixture::System& s = systems[k];
    const symbolic::DeviceSchedule& device = s.plan->internals->device;
    const Index tiled = s.plan->supernodes.count() - device.small_fronts;
    ASSERT_GT(tiled, 1) << k;
    for (int round = 0; round < 4; ++round) {
      // Round k makes k + 1 pivots of tiled fronts fail, and the last round also a pivot of a small
      // front below them.
      using T = typename TypeParam::T;
      std::vector<T> value = s.value;
      for (int failing = 0; failing <= round; ++failing) {
        const Index at = failing == 3
                             ? static_cast<Index>(random() % static_cast<std::uint64_t>(
                                                                 std::max(device.small_fronts, 1)))
                             : device.small_fronts +
                                   static_cast<Index>(random() % static_cast<std::uint64_t>(tiled));
        const Index front = device.front[at], p = s.plan->supernodes.pivots(front);
        const Index column = s.plan->supernodes.first[front] +
                             static_cast<Index>(random() % static_cast<std::uint64_t>(p));
        T& diagonal =
            value[static_cast<std::size_t>(s.pattern.col_ptr[s.plan->perm.old_of(column)])];
        diagonal = -std::abs(diagonal);
      }
      const auto naive = sparse_breakdown<T>({s.pattern.view(), value}, s.plan->perm);
      ASSERT_TRUE(naive);
      auto first = Factor<T>::create(s.plan, this->backend());
      ASSERT_FALSE(refactorize<T>(first, value).ok());
      const DeviceVerdict expected = first.verdict();
      EXPECT_EQ(expected.column, naive->column);
      EXPECT_NEAR(expected.pivot, naive->pivot,
                  (sizeof(T) == 8 ? 1e-10 : 1e-4) * std::abs(naive->pivot));
      ASSERT_TRUE(refactorize<T>(first, s.value).ok());
      const std::vector<T> sound = this->solution(first);
      for (const Index teams : {symbolic::kFewestEver, 6, 16, 228})
        for (unsigned pauses = 0; pauses < 6; ++pauses) {
          SCOPED_TRACE(std::to_string(k) + ": " + std::to_string(teams) + " teams, pauses " +
                       std::to_string(pauses));
          auto factor = Factor<T>::create(run_by(*s.plan, teams, pauses), this->backend());
          for (int run = 0; run < 2; ++run) {
            ASSERT_FALSE(refactorize<T>(factor, value).ok());
            ASSERT_EQ(factor.verdict(), expected);
            ASSERT_TRUE(refactorize<T>(factor, s.value).ok());
            ASSERT_EQ(this->solution(factor), sound);
          }
        }
    }
  }
}

}  // namespace
}  // namespace kauri::test
