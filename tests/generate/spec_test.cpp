// Invalid specifications: the error names the word.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "kauri/core/error.hpp"
#include "kauri/extras/generate.hpp"

namespace kauri {
namespace {

using Case = std::pair<const char*, const char*>;  // specification, error text

class BadSpec : public testing::TestWithParam<Case> {};

TEST_P(BadSpec, IsAUsageErrorThatNamesTheWord) {
  const auto& [spec, expected] = GetParam();
  try {
    generate(spec);
    FAIL() << "no error for '" << spec << "'";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_STREQ(e.what(), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Words, BadSpec,
    testing::Values(
        Case{"",
             "generate: no kind given; expected one of poisson2d, poisson3d, lap27, aniso3d, "
             "shell2d, elast3d, rgg3d, tri2d, tree, arrow, blockdiag, hubs, powerlaw, bundle"},
        Case{" \t ",
             "generate: no kind given; expected one of poisson2d, poisson3d, lap27, aniso3d, "
             "shell2d, elast3d, rgg3d, tri2d, tree, arrow, blockdiag, hubs, powerlaw, bundle"},
        Case{"poisson4d 3",
             "generate: unknown kind 'poisson4d'; expected one of poisson2d, poisson3d, lap27, "
             "aniso3d, shell2d, elast3d, "
             "rgg3d, tri2d, tree, arrow, "
             "blockdiag, hubs, powerlaw, bundle"},
        Case{"poisson2d", "generate: 'poisson2d' lacks N; use: poisson2d N"},
        Case{"rgg3d 100 3", "generate: 'rgg3d' lacks SEED; use: rgg3d N K SEED"},
        Case{"poisson2d 3 4", "generate: '4' is one word too many; use: poisson2d N"},
        Case{"poisson2d ten", "generate: 'ten' for poisson2d N: expected an integer"},
        Case{"poisson2d 10x", "generate: '10x' for poisson2d N: expected an integer"},
        Case{"poisson2d 1.5", "generate: '1.5' for poisson2d N: expected an integer"},
        Case{"poisson2d 99999999999999999999",
             "generate: '99999999999999999999' for poisson2d N: expected an integer"},
        Case{"poisson2d 0", "generate: '0' for poisson2d N: expected 1 to 46340"},
        Case{"poisson2d 46341", "generate: '46341' for poisson2d N: expected 1 to 46340"},
        Case{"poisson3d -3", "generate: '-3' for poisson3d N: expected 1 to 1290"},
        Case{"lap27 1291", "generate: '1291' for lap27 N: expected 1 to 1290"},
        Case{"elast3d 894", "generate: '894' for elast3d N: expected 1 to 893"},
        Case{"tri2d 2147483647 1", "generate: '2147483647' for tri2d N: expected 1 to 2147483646"},
        Case{"aniso3d 4 0", "generate: '0' for aniso3d EPS: expected a positive number"},
        Case{"aniso3d 4 nan", "generate: 'nan' for aniso3d EPS: expected a positive number"},
        Case{"aniso3d 4 inf", "generate: 'inf' for aniso3d EPS: expected a positive number"},
        Case{"aniso3d 4 abc", "generate: 'abc' for aniso3d EPS: expected a number"},
        Case{"rgg3d 10 10 1", "generate: '10' for rgg3d K: expected 1 to 9"},
        Case{"rgg3d 1 1 1", "generate: '1' for rgg3d K: expected 1 to 0"},
        Case{"rgg3d 10 0 1", "generate: '0' for rgg3d K: expected 1 to 9"},
        Case{"tree 10 x", "generate: 'x' for tree SEED: expected an integer"},
        Case{"arrow 10 10", "generate: '10' for arrow K: expected 0 to 9"},
        Case{"blockdiag 10 0", "generate: '0' for blockdiag B: expected 1 to 2147483646"},
        Case{"hubs 10 11 3 1", "generate: '11' for hubs H: expected 0 to 10"},
        Case{"bundle 3 10 4 1", "generate: '4' for bundle K: expected 1 to 3"},
        Case{"bundle 3 715827874 2 1",
             "generate: '715827874' for bundle P: expected 0 to 715827873"},
        Case{"poisson2d 3 --dofs 2",
             "generate: unknown option '--dofs'; expected --holes, --shift, --far, --dof or "
             "--shuffle"},
        Case{"poisson2d 3 --dof",
             "generate: '--dof' lacks its value; expected it in the next word"},
        Case{"elast3d 3 --holes 7",
             "generate: '--holes' lacks its value; expected it in the next word"},
        Case{"poisson2d 3 --dof 0", "generate: '0' for --dof: expected 1 to 2147483646"},
        Case{"poisson2d 100 --dof 300000",
             "generate: '300000' for --dof: the system would have more than 2147483646 rows; "
             "choose fewer"},
        Case{"poisson2d 3 --shuffle x", "generate: 'x' for --shuffle: expected an integer"},
        Case{"elast3d 3 --holes 7 1.5", "generate: '1.5' for --holes SEED P: expected 0 to 1"},
        Case{"elast3d 3 --holes 7 1",
             "generate: elast3d: no voxel is left on the clamped face; choose fewer holes"},
        Case{"tree 10 1 --far 2", "generate: '2' for --far: expected 0 to 1"},
        Case{"tri2d 10 1 --shift 0", "generate: '0' for --shift: expected a positive number"},
        Case{"tri2d 10 1 --far 0.5", "generate: '--far' has no meaning for tri2d; omit it"},
        Case{"poisson2d 3 --shift 1", "generate: '--shift' has no meaning for poisson2d; omit it"},
        Case{"poisson2d 3 --holes 1 0.5",
             "generate: '--holes' has no meaning for poisson2d; omit it"}));

TEST(Spec, BlanksAndTheOrderOfOptionsDoNotMatter) {
  const auto a = generate("tree 300 4 --far 0.5 --dof 2 --shuffle 5"),
             b = generate("\t--shuffle 5  tree --far 0.5\n300 --dof 2 4 ");
  EXPECT_EQ(a.n(), b.n());
  EXPECT_TRUE(std::equal(a.value().begin(), a.value().end(), b.value().begin(), b.value().end()));
}

TEST(Spec, ANegativeSeedIsItsTwosComplement) {
  const auto a = generate("tri2d 50 -1"), b = generate("tri2d 50 18446744073709551615"),
             c = generate("tri2d 50 1");
  EXPECT_TRUE(std::equal(a.value().begin(), a.value().end(), b.value().begin()));
  EXPECT_FALSE(std::equal(a.value().begin(), a.value().end(), c.value().begin(), c.value().end()));
}

TEST(Spec, HelpNamesEveryKindAndOption) {
  const std::string help = generator_help();
  for (const char* word : {"poisson2d", "poisson3d", "lap27", "aniso3d", "shell2d", "elast3d",
                           "rgg3d", "tri2d", "tree", "arrow", "blockdiag", "hubs", "powerlaw",
                           "bundle", "--holes", "--shift", "--far", "--dof", "--shuffle"})
    EXPECT_NE(help.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace kauri
