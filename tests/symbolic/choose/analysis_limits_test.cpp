// Tests limits of an analysis: of minimum degree's work, and of the blocks of a device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "kauri/extras/generate.hpp"
#include "ordering/orderer.hpp"
#include "support/systems/patterns.hpp"

namespace kauri::test {
namespace {

// The limit holds for the whole graph, as do the seconds predicted for nd; a component has no
// separate limit.
TEST(Analyze, TheLimitOfMinimumDegreeIsForAllComponentsTogether) {
  const auto one = generate("hubs 3000 100 200 1");
  constexpr Index kCopies = 8;
  OwnedPattern a;
  for (Index copy = 0; copy < kCopies; ++copy) {
    for (const Index r : one.pattern().row) a.row.push_back(r + copy * one.n());
    for (Index j = 1; j <= one.n(); ++j)
      a.col_ptr.push_back(copy * one.nnz() + one.pattern().col_ptr[j]);
  }
  const Graph of_one(one.pattern()), of_all(a.view());
  OrderingOptions options;
  options.dense = 0;  // the limit of a dense row depends on the number of rows
  ordering::Orderer single(of_one, options), several(of_all, options);
  const Offset no_limit = std::numeric_limits<Offset>::max();
  Offset work = 0, all = 0, cut = 0;
  ASSERT_TRUE(single.run_within(OrderingMethod::amd, no_limit, work));
  ASSERT_TRUE(several.run_within(OrderingMethod::amd, no_limit, all));
  EXPECT_GT(work, of_one.edges());
  EXPECT_EQ(all, kCopies * work);
  EXPECT_TRUE(several.run_within(OrderingMethod::amd, all, cut));
  EXPECT_FALSE(several.run_within(OrderingMethod::amd, all - 1, cut));
  EXPECT_FALSE(several.run_within(OrderingMethod::amd, 2 * work, cut));
}

// A device's tasks have no places for blocks from 92,682 rows on; the analysis warns of them.
TEST(Analyze, WarnsOfABlockBeyondThePlacesOfADevicesTasks) {
  const OwnedPattern a = too_large_pattern();
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::natural;
  options.amalgamate = false;
  std::vector<std::string> warnings;
  options.on_message = [&](const Message& m) {
    if (m.level == MessageLevel::warning) warnings.push_back(m.text);
  };
  options.target = "cpu-generic";
  (void)analyze(a.view(), options);
  EXPECT_TRUE(warnings.empty());
  options.target = "sm_90";
  (void)analyze(a.view(), options);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("the contribution block of front 0 has 92697 rows"), std::string::npos)
      << warnings[0];
}

}  // namespace
}  // namespace kauri::test
