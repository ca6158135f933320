// Files with both halves: which halves are accepted, which entries are used, and halves that the
// caller requests.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "kauri/extras/io.hpp"
#include "src/io/file/file.hpp"
#include "src/io/matrix/assemble.hpp"
#include "src/io/numpy/npy_header.hpp"
#include "src/io/packed/zip_writer.hpp"
#include "src/io/parse.hpp"
#include "tests/io/io_support.hpp"
#include "tests/support/process/temp_file.hpp"

namespace kauri {
namespace {

const std::string kFullCoordinate = "%%MatrixMarket matrix coordinate real general\n",
                  kFullArray = "%%MatrixMarket matrix array real general\n";

/// Returns a matrix of three rows, 4 on the diagonal, -1 beside it, with the given entries in the
/// corners below and above; empty: no entry.
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
    EXPECT_EQ(test::dense(io::parse_matrix(file, "a")),
              (std::vector<double>{4, -1, v, -1, 4, -1, v, -1, 4}));
    return;
  }
  const bool one = std::string(below).empty() || std::string(above).empty();
  const std::string found =
      one ? std::string(above).empty() ? "entry (3, 1) has no partner (1, 3)"
                                       : "entry (1, 3) has no partner (3, 1)"
          : std::string("entry (3, 1) is ") + below + ", but (1, 3) in line 11 is " + above;
  test::expect_input_error([&] { io::parse_matrix(file, "a"); },
                           "a: line 10: " + found + test::kHalvesWords);
}

TEST_P(MarketHalves, OfArrays) {
  const auto& [name, below, above, taken] = GetParam();
  const std::string b = *below == '\0' ? "0" : below, c = *above == '\0' ? "0" : above;
  if (taken) {
    const double v = std::atof(b.c_str());
    EXPECT_EQ(test::dense(io::parse_matrix(array(b, c), "a")),
              (std::vector<double>{4, -1, v, -1, 4, -1, v, -1, 4}));
    return;
  }
  test::expect_input_error(
      [&] { io::parse_matrix(array(b, c), "a"); },
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

INSTANTIATE_TEST_SUITE_P(Corners, MarketHalves, ::testing::ValuesIn(kCorners),
                         [](const auto& of) { return std::string(of.param.name); });

// SciPy's mmwrite(tril(A)) writes one half as "general": the error names the option that reads it.
TEST(OneHalfOfAGeneralFile, IsToldWithTheWayToTakeIt) {
  for (const bool lower : {true, false}) {
    const auto entry = [&](int i, int j, const char* value) {
      return std::to_string(lower ? i : j) + " " + std::to_string(lower ? j : i) + " " + value +
             "\n";
    };
    const std::string off = entry(2, 1, "-1") + entry(3, 2, "-1"),
                      diagonal = "1 1 4\n2 2 4\n3 3 4\n",
                      told = test::one_half(lower ? "lower" : "upper");
    const std::string first =
        lower ? "entry (2, 1) has no partner (1, 2)" : "entry (1, 2) has no partner (2, 1)";
    const std::vector<double> expected{4, -1, 0, -1, 4, -1, 0, -1, 4};
    const io::BothHalves half{lower ? Storage::lower_of_full : Storage::upper_of_full};
    const std::string file = kFullCoordinate + "3 3 5\n" + diagonal + off;
    test::expect_input_error([&] { io::parse_matrix(file, "a"); },
                             "a: line 6: " + first + test::kHalvesWords + told);
    EXPECT_EQ(test::dense(io::parse_matrix(file, "a", {}, half)), expected);
    test::expect_input_error(
        [&] {
          io::parse_matrix(kFullCoordinate + "3 3 6\n" + diagonal + off + entry(1, 3, "0"), "a");
        },
        "a: line 6: " + first + test::kHalvesWords + told);
    test::expect_input_error(
        [&] {
          io::parse_matrix(kFullCoordinate + "3 3 6\n" + diagonal + off + entry(1, 3, "1"), "a");
        },
        "a: line 6: " + first + test::kHalvesWords);
    const std::string square =
        lower ? "4\n-1\n0\n0\n4\n-1\n0\n0\n4\n" : "4\n0\n0\n-1\n4\n0\n0\n-1\n4\n";
    test::expect_input_error([&] { io::parse_matrix(kFullArray + "3 3\n" + square, "a"); },
                             std::string("a: line ") +
                                 (lower ? "4: entry (2, 1) is -1, but (1, 2) in line 6 is 0"
                                        : "4: entry (2, 1) is 0, but (1, 2) in line 6 is -1") +
                                 test::kHalvesWords + told);
    EXPECT_EQ(test::dense(io::parse_matrix(kFullArray + "3 3\n" + square, "a", {}, half)),
              expected);
  }
}

// Entries of a pattern exist or not: none of them is 0.
TEST(MarketPatternHalves, MustBeTheSame) {
  const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_EQ(test::dense(io::parse_matrix(head + "2 2 3\n1 2\n2 1\n2 1\n", "a")),
            (std::vector<double>{2, -1, -1, 2}));
  test::expect_input_error([&] { io::parse_matrix(head + "3 3 4\n1 1\n2 2\n2 1\n3 2\n", "a"); },
                           "a: line 5: entry (2, 1) has no partner (1, 2)" + test::kHalvesWords +
                               test::one_half("lower"));
  test::expect_input_error([&] { io::parse_matrix(head + "2 2 1\n1 2\n", "a"); },
                           "a: line 3: entry (1, 2) has no partner (2, 1)" + test::kHalvesWords +
                               test::one_half("upper"));
  test::expect_input_error([&] { io::parse_matrix(head + "3 3 4\n1 1\n2 1\n1 2\n3 1\n", "a"); },
                           "a: line 6: entry (3, 1) has no partner (1, 3)" + test::kHalvesWords);
  const std::string lower = head + "2 2 1\n2 1\n";
  EXPECT_EQ(test::dense(io::parse_matrix(lower, "a", {}, {Storage::lower_of_full})),
            (std::vector<double>{2, -1, -1, 2}));
  EXPECT_EQ(test::dense(io::parse_matrix(lower, "a", {}, {Storage::upper_of_full})),
            (std::vector<double>{1, 0, 0, 1}));
}

// If only one half holds nonzero numbers, that half is used, whether or not the other one stores
// zeros.
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

/// Returns the bytes of `value` in this NumPy type.
std::string stored(const std::string& type, const std::vector<double>& value) {
  std::string bytes;
  const auto add = [&](auto x) { bytes.append(reinterpret_cast<const char*>(&x), sizeof x); };
  for (const double v : value) {
    if (type == "<f8") add(v);
    if (type == "<f4") add(static_cast<float>(v));
    if (type == "<i2") add(static_cast<std::int16_t>(v));
    if (type != "<f2") continue;
    int exponent = 0;
    const double digits = std::frexp(std::abs(v), &exponent);  // for normal numbers
    const int size = static_cast<int>(std::lround(digits * 2048)) - 1024;
    add(static_cast<std::uint16_t>((v < 0 ? 0x8000 : 0) + ((exponent + 14) << 10) + size));
  }
  return bytes;
}

/// Returns a .npz file of a matrix of three rows in this type: 4 on the diagonal, `below` and
/// `above` in the corners.
std::string archive(const std::string& format, const std::string& type, double below,
                    double above) {
  const test::TempFile file("_halves.npz");
  io::ZipWriter zip(file.path());
  const auto add = [&](const char* name, const char* descr, std::vector<Offset> shape,
                       const std::string& bytes) {
    zip.add(std::string(name) + ".npy", {io::to_bytes({descr, false, std::move(shape)}), bytes});
  };
  const auto numbers = [&](const char* name, const std::vector<double>& value) {
    add(name, "<i2", {static_cast<Offset>(value.size())}, stored("<i2", value));
  };
  add("format", ("|S" + std::to_string(format.size())).c_str(), {}, format);
  numbers("shape", {3, 3});
  if (format == "csc" || format == "csr" || format == "coo") {
    const bool rows = format == "csr";
    add("data", type.c_str(), {5},
        stored(type, {4, rows ? above : below, 4, rows ? below : above, 4}));
    numbers(format == "coo" ? "row" : "indices", {0, 2, 1, 0, 2});
    if (format == "coo") numbers("col", {0, 0, 1, 2, 2});
    if (format != "coo") numbers("indptr", {0, 2, 3, 5});
  } else if (format == "bsr") {
    add("data", type.c_str(), {1, 3, 3}, stored(type, {4, 1, above, 1, 4, 1, below, 1, 4}));
    numbers("indices", {0});
    numbers("indptr", {0, 1});
  } else {
    add("data", type.c_str(), {3, 3}, stored(type, {below, 1, 1, 4, 4, 4, 1, 1, above}));
    numbers("offsets", {-2, 0, 2});
  }
  zip.close();
  return io::read_file(file.path());
}

// Numbers stored in a narrower type than double are compared with that type's eps.
TEST(FoundHalves, AreJudgedByTheTypeOfTheFile) {
  struct Pair {
    const char* type;
    double above;
    bool taken;
    const char* threshold;
  };
  constexpr Pair kPairs[] = {
      {"<f8", -0.5 - 1e-13, true, ""}, {"<f8", -0.5 - 1e-5, false, "2.22e-13"},
      {"<f4", -0.5 - 1e-4, true, ""},  {"<f4", -0.75, false, "0.000119"},
      {"<f2", -1.25, true, ""},        {"<f2", 3.75, false, "0.977"},
  };
  for (const char* format : {"csc", "csr", "coo", "bsr", "dia"})
    for (const Pair& p : kPairs) {
      const std::string where = std::string(format) + " " + p.type + " " + std::to_string(p.above);
      const std::string bytes = archive(format, p.type, -0.5, p.above);
      EXPECT_EQ(io::parse_matrix(bytes, "a", {}, {Storage::upper_of_full}).nnz(),
                io::parse_matrix(bytes, "a", {}, {Storage::lower_of_full}).nnz());
      EXPECT_THROW((void)io::parse_matrix(bytes, "a", {}, {Storage::full, 1e-15}), Error) << where;
      try {
        EXPECT_EQ(io::parse_matrix(bytes, "a").value()[format == std::string("bsr") ? 2 : 1], -0.5)
            << where;
        EXPECT_TRUE(p.taken) << where;
      } catch (const Error& error) {
        EXPECT_FALSE(p.taken) << where << error.what();
        EXPECT_NE(std::string(error.what()).find(std::string("at most ") + p.threshold),
                  std::string::npos)
            << error.what();
      }
    }
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
  for (const double wrong : {-1.0, 2.0, std::nan("")})
    EXPECT_EQ(kind({.symmetry = wrong}), ErrorKind::usage);
}

}  // namespace
}  // namespace kauri
