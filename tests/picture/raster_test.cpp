// Rasters against entries counted one by one.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/raster.hpp"

#include <gtest/gtest.h>

#include "kauri/extras/generate.hpp"
#include "src/picture/png.hpp"
#include "src/picture/spy.hpp"
#include "tests/picture/read_png.hpp"
#include "tests/picture/trees.hpp"

namespace kauri::picture {
namespace {

constexpr const char* kSpecs[] = {"poisson2d 17", "tree 300 1", "rgg3d 150 6 5",
                                  "blockdiag 40 7 --shuffle 2", "poisson2d 1"};
constexpr int kSizes[] = {1, 2, 7, 64, 289, 4096};

int cell(Index i, Index n, int size) { return static_cast<int>(static_cast<Offset>(i) * size / n); }

TEST(Raster, CellsAreStretchesOfRows) {
  for (const Index n : {1, 2, 5, 100, 1000, 2147483647})
    for (const int most : {1, 2, 3, 7, 64, 512}) {
      const Raster raster(n, most);
      EXPECT_EQ(raster.size, std::min<Index>(n, most));
      for (int c = 0; c < raster.size; ++c) {
        EXPECT_EQ(raster.cell_of(raster.first_of(c)), c);
        EXPECT_EQ(raster.cell_of(raster.first_of(c + 1) - 1), c);
      }
      EXPECT_EQ(raster.first_of(raster.size), n);
    }
}

TEST(Raster, OfAMatrixCountsBothHalves) {
  for (const char* spec : kSpecs) {
    const auto a = generate(spec);
    const Pattern p = a.pattern();
    const auto plan = test::plan_of(spec, OrderingMethod::amd);
    for (const Permutation* perm : {static_cast<const Permutation*>(nullptr), &plan->perm})
      for (const int size : kSizes) {
        Raster expected(p.n, size);
        for (Index j = 0; j < p.n; ++j)
          for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
            const Index r = perm ? perm->new_of(p.row[k]) : p.row[k],
                        c = perm ? perm->new_of(j) : j;
            ++expected.at(cell(r, p.n, expected.size), cell(c, p.n, expected.size));
            if (r != c) ++expected.at(cell(c, p.n, expected.size), cell(r, p.n, expected.size));
          }
        EXPECT_EQ(raster_of(p, perm, size).count, expected.count) << spec << ", " << size;
      }
  }
}

TEST(Raster, OfLCountsWhatIsStoredBelowAndOnTheDiagonal) {
  for (const char* spec : kSpecs)
    for (const auto method :
         {OrderingMethod::natural, OrderingMethod::amd, OrderingMethod::nested_dissection}) {
      const auto plan = test::plan_of(spec, method);
      const Supernodes& fronts = plan->supernodes;
      for (const int size : kSizes) {
        Raster expected(plan->n, size);
        for (Index s = 0; s < fronts.count(); ++s)
          for (Index j = fronts.first[s]; j < fronts.first[s + 1]; ++j)
            for (const Index i : fronts.rows(s))
              if (i >= j)
                ++expected.at(cell(i, plan->n, expected.size), cell(j, plan->n, expected.size));
        EXPECT_EQ(raster_of(fronts, size).count, expected.count) << spec << ", " << size;
      }
    }
}

TEST(Raster, OfNothing) {
  EXPECT_EQ(raster_of(SymmetricMatrix<double>().pattern(), nullptr, 10).count,
            std::vector<Offset>{0});
  EXPECT_EQ(raster_of(Supernodes{}, 10).count, std::vector<Offset>{0});
}

TEST(Spy, IsDarkWhereEntriesAreAndWhiteElsewhere) {
  const auto a = generate("poisson2d 30");
  const Raster raster = raster_of(a.pattern(), nullptr, 100);
  const int scale = spy_scale(raster, 300);
  ASSERT_EQ(scale, 3);
  const Image file = test::read_png(to_png(spy_image(raster, scale, PictureUse::file))),
              page = spy_image(raster, scale, PictureUse::page);
  for (int y = 0; y < file.height; ++y)
    for (int x = 0; x < file.width; ++x) {
      const bool empty = raster.at(y / scale, x / scale) == 0;
      EXPECT_EQ(file.at(x, y) == kWhite, empty);
      EXPECT_EQ(page.at(x, y).opacity == 0, empty);
      if (!empty) {
        EXPECT_LT(file.at(x, y).red, 210);
      }
    }
}

TEST(Spy, OfMoreEntriesIsDarker) {
  Raster raster(3, 3);
  raster.count = {0, 1, 10, 100, 1000, 10000, 0, 0, 0};
  const Image image = spy_image(raster, 1, PictureUse::file);
  for (std::size_t k = 1; k < 6; ++k) EXPECT_LT(image.pixel[k].red, image.pixel[k - 1].red);
  EXPECT_EQ(image.pixel[5].red, 0);
}

}  // namespace
}  // namespace kauri::picture
