// Tests sums over many children: every entry of a child's block reaches its place in the parent
// once, whatever memory held before.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/child_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "base/common/aligned_bytes.hpp"
#include "kauri/core/analysis.hpp"
#include "kauri/core/plan.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/front_tasks.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/device/small_layout.hpp"
#include "tests/support/device/device_hooks.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::symbolic {
namespace {

/// Returns a plan that eliminates points first. Each point meets `seen` of the cameras, which have
/// `size` rows each and are joined by points only.
std::shared_ptr<const Plan> points_and_cameras(Index points, Index cameras, Index size,
                                               unsigned seen, unsigned seed,
                                               bool amalgamate = true) {
  std::mt19937 random(seed);
  test::EdgeList entries;
  for (Index k = 0; k < points; ++k)
    for (unsigned i = 0; i < seen; ++i)
      for (Index j = 0, camera = static_cast<Index>(random() % static_cast<unsigned>(cameras));
           j < size; ++j)
        entries.emplace_back(points + camera * size + j, k);
  const auto pattern = test::pattern_of(points + cameras * size, std::move(entries));
  AnalyzeOptions options;
  options.target = "sm_90";
  options.ordering.method = OrderingMethod::natural;
  options.amalgamate = amalgamate;
  return analyze(pattern.view(), options);
}

Offset place_in_block(const Plan& plan, Index s, Index r, Index c) {
  const Index m = plan.supernodes.order(s), p = plan.supernodes.pivots(s);
  return plan.internals->device.block[s] + (plan.internals->device.tiled[s] == kNone
                                                ? SmallLayout{m, p}.place(p + r, p + c)
                                                : FrontCells{m, p}.block().place(r, c));
}

/// Returns the place of the front's entry (r, c) in the array.
Offset place_in_front(const Plan& plan, Index s, Index r, Index c) {
  const FrontCells cells{plan.supernodes.order(s), plan.supernodes.pivots(s)};
  return (c < cells.p ? plan.internals->device.panel[s] : plan.internals->device.block[s]) +
         cells.place(r, c);
}

/// Adds the blocks of the listed children of s to the front by the definition of extend-add. Each
/// entry of a block is the number of its place.
void extend_add(const Plan& plan, Index s, std::vector<Offset>& front) {
  for (Offset k = plan.internals->assembly.child_ptr[s];
       k < plan.internals->assembly.child_ptr[s + 1]; ++k) {
    const Index child = plan.internals->assembly.child[k];
    if (!is_listed(plan.supernodes, plan.internals->assembly, s, child)) continue;
    const auto rows = plan.supernodes.rows(child).subspan(plan.supernodes.pivots(child));
    const auto own = plan.supernodes.rows(s);
    std::vector<Index> local;
    for (const Index row : rows)
      local.push_back(
          static_cast<Index>(std::lower_bound(own.begin(), own.end(), row) - own.begin()));
    for (std::size_t c = 0; c < local.size(); ++c)
      for (std::size_t r = c; r < local.size(); ++r)
        front[place_in_front(plan, s, local[r], local[c])] +=
            place_in_block(plan, child, static_cast<Index>(r), static_cast<Index>(c));
  }
}

/// Expects that the device's form holds each sum's place and its terms in order, whatever the
/// pieces in which it is written.
template <class Place>
void check_groups(const DeviceSchedule::Sums& sums) {
  ASSERT_EQ(sums.place.size() % kSumGroup, 0U);
  const std::vector<Offset>& steps = sums.step;
  ASSERT_EQ(steps, sum_steps(sums));
  if (sums.place.empty()) return;
  ASSERT_EQ(steps.size(), sums.place.size() / kSumGroup + 1);
  std::vector<SumStep<Place>> written(static_cast<std::size_t>(steps.back()));
  for (Offset begin = 0, piece = 1; begin < static_cast<Offset>(written.size());
       begin += piece, piece = piece * 2 % 101)
    write_sum_terms(sums, begin, std::min(begin + piece, static_cast<Offset>(written.size())),
                    written.data() + begin);
  std::vector<Place> places(sums.place.size(), 7);
  const auto half = static_cast<Offset>(places.size() / 2);
  write_sum_places(sums, 0, half, places.data());
  write_sum_places(sums, half, static_cast<Offset>(places.size()), places.data() + half);
  for (std::size_t k = 0; k < sums.place.size(); ++k) {
    ASSERT_EQ(places[k], sums.place[k] < 0 ? kNoPlace<Place> : static_cast<Place>(sums.place[k]));
    std::vector<Place> expected(sums.term.begin() + sums.ptr[k],
                                sums.term.begin() + sums.ptr[k + 1]),
        found;
    const std::size_t group = k / kSumGroup;
    expected.resize(static_cast<std::size_t>((steps[group + 1] - steps[group]) * kSumPair),
                    kNoPlace<Place>);
    for (Offset step = steps[group]; step < steps[group + 1]; ++step)
      for (Index i = 0; i < kSumPair; ++i)
        found.push_back(written[static_cast<std::size_t>(step)]
                               [k % kSumGroup * kSumPair + static_cast<std::size_t>(i)]);
    ASSERT_EQ(found, expected) << "sum " << k;
  }
}

void check(const Plan& plan) {
  const DeviceSchedule& device = plan.internals->device;
  const DeviceSchedule::Sums& sums = device.sums;
  ASSERT_EQ(sums.ptr.size(), sums.place.size() + 1);
  ASSERT_EQ(sums.ptr.back(), static_cast<Offset>(sums.term.size()));
  check_groups<std::uint32_t>(sums);
  check_groups<Offset>(sums);
  for (std::size_t t = 0; t < device.tiled.size(); ++t) {
    if (device.tiled[t] == kNone) continue;
    std::vector<Offset> expected(static_cast<std::size_t>(device.entries), 0), scratch(expected),
        mine(expected);
    std::vector<bool> known(expected.size(), false);
    extend_add(plan, static_cast<Index>(t), expected);
    for (const DeviceTask& task : device.task) {
      if (task.kind != DeviceTask::Kind::sum || task.front != device.tiled[t]) continue;
      for (Index k = task.row; k < task.row + task.rows; ++k) {
        const Offset place = sums.place[k];
        if (sums.ptr[k] == sums.ptr[k + 1]) {
          ASSERT_EQ(place, -1);
          continue;
        }
        Offset sum = 0;
        EXPECT_LE(sums.ptr[k + 1] - sums.ptr[k], kFanIn);
        for (Offset e = sums.ptr[k]; e < sums.ptr[k + 1]; ++e) {
          const bool partial = sums.term[e] >= sums.scratch_begin;
          ASSERT_TRUE(!partial || known[sums.term[e]]) << "a part that comes later";
          sum += partial ? scratch[sums.term[e]] : sums.term[e];
        }
        ASSERT_FALSE(known[place]) << "two sums to one place";
        known[place] = true;
        (place >= sums.scratch_begin ? scratch : mine)[place] = sum;
      }
    }
    ASSERT_EQ(mine, expected);
  }
}

TEST(ChildSums, EveryEntryOnce) {
  std::size_t sums = 0, partial = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    const auto plan =
        points_and_cameras(200 + 150 * static_cast<Index>(seed), 3 + static_cast<Index>(seed),
                           1 + static_cast<Index>(seed % 9), 1 + seed % 4, seed);
    sums += plan->internals->device.sums.place.size();
    partial += static_cast<std::size_t>(plan->internals->device.entries -
                                        plan->internals->device.sums.scratch_begin);
    check(*plan);
  }
  EXPECT_GT(sums, 1000U);
  EXPECT_GT(partial, 1000U);
}

/// The tree is a star: one row meets all others, and its one entry is a sum of sums of sums.
TEST(ChildSums, ManyChildrenAreATree) {
  const Index children = 5000;
  const auto plan = points_and_cameras(children, 1, 1, 1, 0, false);
  check(*plan);
  const DeviceSchedule::Sums& sums = plan->internals->device.sums;
  std::ptrdiff_t count = 0;
  for (Index terms = children; terms > kFanIn; count += terms)
    terms = (terms + kFanIn - 1) / kFanIn;
  EXPECT_EQ(
      std::count_if(sums.place.begin(), sums.place.end(), [](Offset place) { return place >= 0; }),
      count + 1);
}

/// Places take 32 bits as long as the array's size permits, and the plan counts their bytes.
TEST(ChildSums, BytesOfPlaces) {
  const auto plan = points_and_cameras(500, 5, 6, 3, 1);
  const DeviceSchedule::Sums& sums = plan->internals->device.sums;
  const auto bytes = [&](Offset place) {
    return aligned_bytes(static_cast<Offset>(sums.place.size()), place) +
           aligned_bytes(sum_steps(sums).back() * kSumStep, place);
  };
  ASSERT_GT(bytes(8), bytes(4));
  EXPECT_TRUE(has_short_places(plan->internals->device));
  Plan limit = *plan;
  test::DeviceHooks::most_short(limit) = plan->internals->device.entries;
  EXPECT_TRUE(has_short_places(limit.internals->device));
  const Plan other = test::with_long_places(*plan);
  EXPECT_FALSE(has_short_places(other.internals->device));
  EXPECT_EQ(other.internals->device.shared_bytes - plan->internals->device.shared_bytes,
            bytes(8) - bytes(4));
  EXPECT_EQ(other.internals->device.task_bytes - plan->internals->device.task_bytes,
            bytes(8) - bytes(4));
  EXPECT_EQ(other.internals->device.fast_bytes - plan->internals->device.fast_bytes,
            bytes(8) - bytes(4));
  EXPECT_EQ(other.peak_bytes(8) - plan->peak_bytes(8), bytes(8) - bytes(4));
  EXPECT_EQ(find_flaw(other), "");
}

/// The tasks of sums wait for the same tasks in a list for other teams.
TEST(ChildSums, HaveTasksForOtherTeams) {
  std::ptrdiff_t sums = 0;
  for (const unsigned seed : {1U, 4U, 9U}) {
    const auto plan =
        points_and_cameras(200 + 150 * static_cast<Index>(seed), 3 + static_cast<Index>(seed),
                           1 + static_cast<Index>(seed), 1 + seed % 4, seed);
    const DeviceSchedule& device = plan->internals->device;
    sums += std::count_if(device.task.begin(), device.task.end(), [](const DeviceTask& task) {
      return task.kind == DeviceTask::Kind::sum;
    });
    for (const Index teams : {kFewestEver, kFewestTeams})
      EXPECT_EQ(tasks_for_teams(plan->supernodes, device, teams),
                test::for_teams(*plan, teams).internals->device.task);
  }
  EXPECT_GT(sums, 3);
}

TEST(ChildSums, FewChildrenArePulled) {
  const auto plan = points_and_cameras(kMostPulled, 1, 100, 1, 0);
  EXPECT_TRUE(plan->internals->device.sums.place.empty());
  EXPECT_EQ(plan->internals->device.entries, plan->internals->device.sums.scratch_begin);
  EXPECT_GT(plan->internals->device.row_maps, 0);
}

}  // namespace
}  // namespace kauri::symbolic
