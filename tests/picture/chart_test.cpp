// Histograms of supernodes, and bars.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/chart.hpp"

#include <gtest/gtest.h>

#include "tests/picture/trees.hpp"
#include "tests/picture/well_formed.hpp"

namespace kauri::picture {
namespace {

TEST(Chart, BinsGoByPowersOfTwo) {
  const Supernodes fronts = test::tree_of({6, 6, 6, 6, 6, 6, kNone}, {1, 1, 2, 3, 4, 7, 33});
  std::vector<Offset> counts;
  for (const Bin& bin : pivot_bins(fronts)) {
    EXPECT_EQ(bin.least, 1 << counts.size());
    counts.push_back(bin.count);
  }
  EXPECT_EQ(counts, (std::vector<Offset>{2, 2, 2, 0, 0, 1}));
}

TEST(Chart, BinsAreThoseOfThePlan) {
  for (const char* spec : {"poisson2d 40", "tree 2000 1", "poisson3d 10"}) {
    const auto plan = test::plan_of(spec, OrderingMethod::amd);
    const std::vector<Bin> bins = order_bins(plan->supernodes);
    for (const Cost::FrontBin& expected : plan->cost.fronts)
      for (const Bin& bin : bins) {
        if (bin.least == expected.least_order) {
          EXPECT_EQ(bin.count, expected.count) << spec;
        }
      }
    Offset sum = 0;
    for (const Bin& bin : bins) sum += bin.count;
    EXPECT_EQ(sum, plan->supernodes.count());
  }
  EXPECT_TRUE(pivot_bins(Supernodes{}).empty());
}

TEST(Chart, HistogramsAreWellFormed) {
  EXPECT_EQ(test::flaw_of_xml(histogram_svg({}, "none")), "");
  const std::string svg = histogram_svg({{1, 5}, {2, 0}, {4, 12345678}}, "some");
  EXPECT_EQ(test::flaw_of_xml(svg), "");
  EXPECT_NE(svg.find(">12M<"), std::string::npos);
  EXPECT_NE(svg.find("<title>4 to 7: 12345678</title>"), std::string::npos);
}

TEST(Chart, TheLongestBarHasAllTheRoom) {
  const std::string html =
      bars_html({{"a", {{1, "x"}, {3, "y"}}, "4"}, {"b", {{2, "x"}}, "2"}}, "bars");
  for (const char* width : {"width:25.00%", "width:75.00%", "width:50.00%"})
    EXPECT_NE(html.find(width), std::string::npos) << width;
  EXPECT_EQ(test::flaw_of_xml(html), "");
}

}  // namespace
}  // namespace kauri::picture
