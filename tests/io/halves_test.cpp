// Files with both halves: which are taken, what is taken of them, and the halves that are asked for.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "kauri/io.hpp"
#include "src/io/assemble.hpp"
#include "src/io/parse.hpp"
#include "tests/io/io_support.hpp"
#include "tests/support/temp_file.hpp"

namespace kauri {
namespace {

const std::string kFullCoordinate = "%%MatrixMarket matrix coordinate real general\n",
                  kFullArray = "%%MatrixMarket matrix array real general\n";

/// Three rows, 4 on the diagonal, -1 beside it, `corner` below and above in the corner; empty: not there.
std::string coordinate(const std::string& below, const std::string& above) {
  std::string entries = "1 1 4\n2 1 -1\n1 2 -1\n2 2 4\n3 2 -1\n2 3 -1\n3 3 4\n";
  int count = 7;
  if (!below.empty()) entries += "3 1 " + below + "\n", ++count;
  if (!above.empty()) entries += "1 3 " + above + "\n", ++count;
  return kFullCoordinate + "3 3 " + std::to_string(count) + "\n" + entries;
}

std::string array(const std::string& below, const std::string& above) {
  return kFullArray + "3 3\n4\n-1\n" + below + "\n-1\n4\n-1\n" + above + "\n-1\n4\n";
}

struct Corner {
  const char *name, *below, *above;
  bool taken;
};
constexpr Corner kCorners[] = {
    {"rounding", "6e-17", "3e-17", true},
    {"signs", "6e-17", "-6e-17", true},
    {"rounding_below", "3e-17", "", true},
    {"rounding_above", "", "3e-17", true},
    {"zero_below", "0", "", true},
    {"zero_above", "", "0", true},
    {"zeros", "0", "0", true},
    {"minus_zero", "-0", "", true},
    {"equal", "-0.5", "-0.5", true},
    {"last_digit", "-0.5", "-0.5000000000000001", true},
    {"ninth_digit", "-0.5", "-0.50000001", false},
    {"below_alone", "-0.5", "", false},
    {"above_alone", "", "-0.5", false},
    {"number_and_zero", "-0.5", "0", false},
    {"small", "1e-11", "", false},
    {"sign", "0.5", "-0.5", false},
};

class MarketHalves : public ::testing::TestWithParam<Corner> {};

TEST_P(MarketHalves, OfCoordinates) {
  const auto& [name, below, above, taken] = GetParam();
  const std::string file = coordinate(below, above);
  if (taken) {
    const double v = std::atof(below);
    EXPECT_EQ(test::dense(io::parse_matrix(file, "a")), (std::vector<double>{4, -1, v, -1, 4, -1, v, -1, 4}));
    return;
  }
  const bool one = std::string(below).empty() || std::string(above).empty();
  const std::string found = one ? std::string(above).empty() ? "entry (3, 1) has no partner (1, 3)" : "entry (1, 3) has no partner (3, 1)"
                                : std::string("entry (3, 1) is ") + below + ", but (1, 3) in line 11 is " + above;
  test::expect_input_error([&] { io::parse_matrix(file, "a"); }, "a: line 10: " + found + test::kHalvesWords);
}

TEST_P(MarketHalves, OfArrays) {
  const auto& [name, below, above, taken] = GetParam();
  const std::string b = *below == '\0' ? "0" : below, c = *above == '\0' ? "0" : above;
  if (taken) {
    const double v = std::atof(b.c_str());
    EXPECT_EQ(test::dense(io::parse_matrix(array(b, c), "a")), (std::vector<double>{4, -1, v, -1, 4, -1, v, -1, 4}));
    return;
  }
  test::expect_input_error([&] { io::parse_matrix(array(b, c), "a"); },
                           "a: line 5: entry (3, 1) is " + b + ", but (1, 3) in line 9 is " + c + test::kHalvesWords);
}

TEST_P(MarketHalves, OneIsAskedFor) {
  const auto& [name, below, above, taken] = GetParam();
  for (const bool lower : {true, false}) {
    const io::BothHalves half{lower ? Storage::lower_of_full : Storage::upper_of_full};
    const double v = std::atof(lower ? below : above);
    const std::vector<double> expected{4, -1, v, -1, 4, -1, v, -1, 4};
    EXPECT_EQ(test::dense(io::parse_matrix(coordinate(below, above), "a", {}, half)), expected);
    const std::string b = *below == '\0' ? "0" : below, c = *above == '\0' ? "0" : above;
    EXPECT_EQ(test::dense(io::parse_matrix(array(b, c), "a", {}, half)), expected);
  }
}

TEST_P(MarketHalves, AreMeasuredByTheThreshold) {
  const auto& [name, below, above, taken] = GetParam();
  const std::string file = coordinate(below, above);
  EXPECT_NO_THROW(io::parse_matrix(file, "a", {}, {Storage::full, 1.0}));
  const bool same = std::atof(below) == std::atof(above);
  if (same)
    EXPECT_NO_THROW(io::parse_matrix(file, "a", {}, {Storage::full, 1e-30}));
  else
    EXPECT_THROW(io::parse_matrix(file, "a", {}, {Storage::full, 1e-30}), Error);
}

INSTANTIATE_TEST_SUITE_P(Corners, MarketHalves, ::testing::ValuesIn(kCorners), [](const auto& of) { return std::string(of.param.name); });

// Entries of a pattern are there or not: none of them is 0.
TEST(MarketPatternHalves, MustBeTheSame) {
  const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_EQ(test::dense(io::parse_matrix(head + "2 2 3\n1 2\n2 1\n2 1\n", "a")), (std::vector<double>{2, -1, -1, 2}));
  test::expect_input_error([&] { io::parse_matrix(head + "2 2 1\n1 2\n", "a"); },
                           "a: line 3: entry (1, 2) has no partner (2, 1)" + test::kHalvesWords);
  test::expect_input_error([&] { io::parse_matrix(head + "3 3 4\n1 1\n2 1\n1 2\n3 1\n", "a"); },
                           "a: line 6: entry (3, 1) has no partner (1, 3)" + test::kHalvesWords);
  const std::string lower = head + "2 2 1\n2 1\n";
  EXPECT_EQ(test::dense(io::parse_matrix(lower, "a", {}, {Storage::lower_of_full})), (std::vector<double>{2, -1, -1, 2}));
  EXPECT_EQ(test::dense(io::parse_matrix(lower, "a", {}, {Storage::upper_of_full})), (std::vector<double>{1, 0, 0, 1}));
}

// What holds numbers in one half alone is that half, zeros in the other or not.
TEST(FoundHalves, AreToldByNumbers) {
  const auto taken = [](const std::vector<std::array<double, 3>>& entries) {
    io::Triplets t;
    for (const auto& [i, j, v] : entries) t.add(static_cast<Index>(i), static_cast<Index>(j), v);
    return io::halves_of(t, {Storage::full, 0.5}).storage;
  };
  EXPECT_EQ(taken({}), Storage::lower);
  EXPECT_EQ(taken({{0, 0, 1}}), Storage::lower);
  EXPECT_EQ(taken({{1, 0, 1}}), Storage::lower);
  EXPECT_EQ(taken({{0, 1, 1}}), Storage::upper);
  EXPECT_EQ(taken({{0, 1, 0}}), Storage::upper);
  EXPECT_EQ(taken({{1, 0, 1}, {0, 1, 1}}), Storage::full);
  EXPECT_EQ(taken({{1, 0, 0}, {0, 1, 0}}), Storage::full);
  EXPECT_EQ(taken({{1, 0, 1}, {0, 1, 0}}), Storage::lower_of_full);
  EXPECT_EQ(taken({{1, 0, 0}, {0, 1, 1}}), Storage::upper_of_full);
  EXPECT_EQ(taken({{1, 0, 0}, {0, 1, std::nan("")}}), Storage::upper_of_full);
  const std::vector<Offset> ptr{0, 2, 4};
  const std::vector<Index> index{0, 1, 0, 1};
  const std::vector<double> value{4, -1, 0, 4};
  EXPECT_EQ(io::halves_of(ptr, index, value, {}, false).storage, Storage::lower_of_full);
  EXPECT_EQ(io::halves_of(ptr, index, value, {}, true).storage, Storage::upper_of_full);
}

TEST(ReadOptionsOfHalves, ReachTheFile) {
  const test::TempFile file("_halves.mtx", coordinate("-0.5", "-0.6"));
  EXPECT_THROW((void)read_matrix(file.path()), Error);
  EXPECT_EQ(read_matrix(file.path(), {.both_halves = Storage::lower_of_full}).value()[2], -0.5);
  EXPECT_EQ(read_matrix(file.path(), {.both_halves = Storage::upper_of_full}).value()[2], -0.6);
  EXPECT_EQ(read_matrix(file.path(), {.symmetry = 0.1}).value()[2], -0.5);
  const auto kind = [&](const ReadOptions& options) {
    try {
      (void)read_matrix(file.path(), options);
    } catch (const Error& e) {
      return e.kind();
    }
    return ErrorKind::cancelled;
  };
  EXPECT_EQ(kind({.both_halves = Storage::lower}), ErrorKind::usage);
  EXPECT_EQ(kind({.both_halves = Storage::upper}), ErrorKind::usage);
  for (const double wrong : {-1.0, 2.0, std::nan("")}) EXPECT_EQ(kind({.symmetry = wrong}), ErrorKind::usage);
}

}  // namespace
}  // namespace kauri
