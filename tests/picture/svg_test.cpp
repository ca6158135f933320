// SVG and HTML are well-formed XML for any names of systems.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/svg.hpp"

#include <gtest/gtest.h>

#include "src/picture/chart.hpp"
#include "src/picture/page.hpp"
#include "src/picture/spy.hpp"
#include "src/picture/tree_picture.hpp"
#include "tests/picture/trees.hpp"
#include "tests/picture/well_formed.hpp"

namespace kauri::picture {
namespace {

using test::flaw_of_xml;

const std::string kNasty = "a<b>&\"c' \xc3\xa9 \xff \x01 \xed\xa0\x80 ]]> -->";

TEST(WellFormed, SeesFaults) {
  EXPECT_EQ(flaw_of_xml("<a x=\"1\" y='2'>t &lt; &#39; <b/></a>"), "");
  for (const char* wrong :
       {"", "<a>", "<a></b>", "<a x=1/>", "<a x=\"1\" x=\"2\"/>", "<a>&</a>", "<a>&nbsp;</a>",
        "<a x=\"<\"/>", "<a/><b/>", "<a/>t", "<a x=\"1\"y=\"2\"/>"})
    EXPECT_NE(flaw_of_xml(wrong), "") << wrong;
}

TEST(Svg, EscapesText) {
  EXPECT_EQ(escaped("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(escaped("\xc3\xa9\t\xf0\x9f\x8c\xb2"), "\xc3\xa9\t\xf0\x9f\x8c\xb2");
  EXPECT_EQ(escaped("\xff \x01 \xc3"), "\xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbd");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Svg, CoordinatesAreShort) {
  EXPECT_EQ(coordinate(0), "0");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(12.5), "12.5");
  EXPECT_EQ(coordinate(100), "100");
  EXPECT_EQ(coordinate(1.239), "1.24");
}

TEST(Svg, SpyPlotsAreWellFormed) {
  for (const PictureUse place : {PictureUse::file, PictureUse::page})
    for (const char* spec : {"poisson2d 1", "poisson2d 14", "poisson2d 15", "tree 3000 1"}) {
      const auto a = generate(spec);
      const std::string svg = spy_svg(raster_of(a.pattern(), nullptr, 256), 256, place, kNasty);
      EXPECT_EQ(flaw_of_xml(svg), "") << spec;
      EXPECT_EQ(svg.find("data:image/png") != std::string::npos, a.n() > kMostDrawnRows) << spec;
    }
  EXPECT_EQ(flaw_of_xml(spy_svg(Raster(0, 10), 100, PictureUse::file, "nothing")), "");
}

TEST(Svg, SmallSpyPlotsHoldTheEntries) {
  const auto a = generate("poisson2d 2");  // 4 x 4: rows 0 and 3 lack one neighbour each
  const std::string svg = spy_svg(raster_of(a.pattern(), nullptr, 64), 64, PictureUse::file, "a");
  EXPECT_NE(
      svg.find("d=\"M0 0h3v1h-3zM0 1h2v1h-2zM3 1h1v1h-1zM0 2h1v1h-1zM2 2h2v1h-2zM1 3h3v1h-3z\""),
      std::string::npos)
      << svg;
}

TEST(Svg, TreesAreWellFormed) {
  for (const auto& fronts : {Supernodes{}, test::forest(1), test::star(50), test::chain(3000),
                             test::plan_of("poisson2d 60", OrderingMethod::amd)->supernodes})
    for (const PictureUse place : {PictureUse::file, PictureUse::page})
      EXPECT_EQ(flaw_of_xml(tree_svg(layout_of(fronts, {}), place, kNasty)), "");
}

TEST(Page, IsWellFormedAndNeedsNothingElse) {
  const auto plan = test::plan_of("poisson2d 20", OrderingMethod::amd);
  std::string body = table_html({kNasty, "n"}, {{kNasty, "1"}, {"x", "2"}}, 1);
  body += figure(histogram_svg(order_bins(plan->supernodes), kNasty), escaped(kNasty),
                 FigureSize::wide);
  body += bars_html({{kNasty, {{1, kNasty}, {0, "none"}}, "text"}, {"none", {}, ""}}, kNasty);
  std::string html = page(kNasty, body, escaped(kNasty));
  ASSERT_TRUE(html.starts_with("<!DOCTYPE html>\n"));
  EXPECT_EQ(html.find("http"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(flaw_of_xml(html.substr(html.find('\n') + 1)), "");
}

}  // namespace
}  // namespace kauri::picture
