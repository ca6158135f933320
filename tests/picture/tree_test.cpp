// Layouts of assembly trees: each shape lies within its parent's extent, shapes do not overlap, all
// fronts are counted.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/picture/tree_layout.hpp"
#include "src/picture/tree_picture.hpp"
#include "tests/picture/trees.hpp"

namespace kauri::picture {
namespace {

constexpr double kEps = 1e-6;  // pixels

bool overlap(const TreeShape& a, const TreeShape& b) {
  return a.x + a.width > b.x + kEps && b.x + b.width > a.x + kEps && a.y + a.height > b.y + kEps &&
         b.y + b.height > a.y + kEps;
}

void check_extents(const TreeLayout& layout) {
  for (std::size_t k = 0; k < layout.shapes.size(); ++k) {
    const TreeShape& shape = layout.shapes[k];
    ASSERT_GE(shape.x, -kEps);
    ASSERT_GE(shape.y, -kEps);
    ASSERT_LE(shape.x + shape.width, layout.size.width + kEps);
    ASSERT_LE(shape.y + shape.height, layout.size.height + kEps);
    if (shape.parent == kNone) {
      ASSERT_EQ(shape.y, 0);
      continue;
    }
    ASSERT_LT(static_cast<std::size_t>(shape.parent), k);
    const TreeShape& parent = layout.shapes[static_cast<std::size_t>(shape.parent)];
    ASSERT_EQ(parent.kind, TreeShape::ShapeKind::front);
    ASSERT_NEAR(shape.y, parent.y + parent.height, kEps);
    ASSERT_GE(shape.x, parent.x - kEps);
    ASSERT_LE(shape.x + shape.width, parent.x + parent.width + kEps);
  }
}

/// Checks that no shapes overlap; sorts them by x first, so that few pairs are compared.
void check_overlaps(std::vector<TreeShape> shapes) {
  std::sort(shapes.begin(), shapes.end(),
            [](const TreeShape& a, const TreeShape& b) { return a.x < b.x; });
  for (std::size_t k = 0; k < shapes.size(); ++k)
    for (std::size_t l = k + 1; l < shapes.size() && shapes[l].x < shapes[k].x + shapes[k].width;
         ++l)
      ASSERT_FALSE(overlap(shapes[k], shapes[l])) << k << " and " << l;
}

void check_layout(const Supernodes& fronts, const TreeSize& size = {}) {
  const TreeLayout layout = layout_of(fronts, size);
  check_extents(layout);
  check_overlaps(layout.shapes);
  Index count = 0;
  Offset columns = 0;
  double work = 0;
  for (const TreeShape& shape : layout.shapes) {
    count += shape.fronts;
    columns += shape.columns;
    work += shape.work;
  }
  EXPECT_EQ(count, fronts.count());
  EXPECT_EQ(columns, fronts.first.empty() ? 0 : fronts.first.back());
  EXPECT_NEAR(work, layout.work, 1e-9 * layout.work);
  const double across = size.width / size.least_width, down = size.height / size.least_height;
  EXPECT_LE(static_cast<double>(layout.shapes.size()), 3 * across * (2 + down));
}

TEST(Tree, OfMadeSystems) {
  for (const char* spec :
       {"poisson2d 60", "tree 5000 1", "rgg3d 2000 6 5", "blockdiag 400 7", "poisson3d 12"})
    for (const auto method : {OrderingMethod::natural, OrderingMethod::rcm, OrderingMethod::amd,
                              OrderingMethod::nested_dissection}) {
      const auto plan = test::plan_of(spec, method);
      check_layout(plan->supernodes);
      check_layout(plan->supernodes,
                   {.width = 100, .height = 1000, .least_width = 0.01, .least_height = 0.01});
      const TreeLayout layout = layout_of(plan->supernodes, {});
      EXPECT_NEAR(layout.work, plan->cost.executed_flops, 1e-9 * plan->cost.executed_flops) << spec;
    }
}

TEST(Tree, OfHardShapes) {
  check_layout(Supernodes{});
  check_layout(test::forest(1));
  check_layout(test::forest(100000));
  check_layout(test::star(100000));
  check_layout(test::chain(100000));
  EXPECT_TRUE(layout_of(Supernodes{}, {}).shapes.empty());
  EXPECT_EQ(layout_of(test::forest(100000), {}).shapes.size(), 1U);
  EXPECT_EQ(layout_of(test::star(100000), {}).shapes.size(), 2U);
  EXPECT_EQ(layout_of(test::chain(100000), {}).height, 100000);
}

TEST(Tree, OfRandomParents) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    const Index count = 1 + static_cast<Index>(random() % 400);
    std::vector<Index> parent, pivots;
    for (Index s = 0; s < count; ++s) {
      const Index left = count - s - 1, reach = 1 + static_cast<Index>(seed % 7);
      parent.push_back(left == 0 || random() % 50 == 0
                           ? kNone
                           : s + 1 +
                                 static_cast<Index>(
                                     random() % static_cast<std::uint64_t>(std::min(left, reach))));
      pivots.push_back(1 + static_cast<Index>(random() % (1 + seed % 9)));
    }
    check_layout(test::tree_of(parent, pivots, static_cast<Index>(seed % 5)));
    check_layout(test::tree_of(parent, pivots),
                 {.width = 50, .height = 20, .least_width = 1, .least_height = 1});
  }
}

TEST(Tree, PlacesChildrenBelowTheirParentByTheirColumns) {
  // Two leaves of 2 and 4 columns below a root of 4, on 100 x 80.
  const TreeLayout layout = layout_of(test::tree_of({2, 2, kNone}, {2, 4, 4}), {100, 80, 1, 1});
  ASSERT_EQ(layout.shapes.size(), 3U);
  const TreeShape& root = layout.shapes[0];
  EXPECT_DOUBLE_EQ(root.width, 100);
  EXPECT_DOUBLE_EQ(root.height, 40);
  EXPECT_DOUBLE_EQ(root.work, 1 + 4 + 9 + 16);
  std::vector<TreeShape> leaves(layout.shapes.begin() + 1, layout.shapes.end());
  std::sort(leaves.begin(), leaves.end(),
            [](const TreeShape& a, const TreeShape& b) { return a.x < b.x; });
  EXPECT_DOUBLE_EQ(leaves[0].x, 20);
  EXPECT_DOUBLE_EQ(leaves[0].width, 20);
  EXPECT_DOUBLE_EQ(leaves[0].height, 20);
  EXPECT_DOUBLE_EQ(leaves[1].x, 40);
  EXPECT_DOUBLE_EQ(leaves[1].height, 40);
  EXPECT_DOUBLE_EQ(leaves[1].work, 4 + 9 + 16 + 25);
}

TEST(Tree, ColoursGoOnlyOneWay) {
  EXPECT_EQ(work_colour(0), work_colour(kLeastShare));
  EXPECT_EQ(work_colour(2), work_colour(1));
  EXPECT_NE(work_colour(1e-3), work_colour(1));
}

TEST(Tree, ImageHasTheFrontsInTheirColours) {
  const TreeLayout layout =
      layout_of(test::plan_of("poisson2d 60", OrderingMethod::nested_dissection)->supernodes, {});
  const Image image = tree_image(layout);
  const TreeShape& root = layout.shapes.front();
  const int middle = static_cast<int>(root.x + root.width / 2),
            y = static_cast<int>(8 + root.height / 2);
  EXPECT_EQ(image.at(middle, y), work_colour(root.work / layout.work));
  EXPECT_EQ(image.at(0, 0), kWhite);
}

}  // namespace
}  // namespace kauri::picture
