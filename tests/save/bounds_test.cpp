// What loading may take, and files that have no size: pipes, and devices without an end.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/at_pipe.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/patterns.hpp"
#include "tests/support/sealed.hpp"

namespace kauri::test {
namespace {

std::shared_ptr<const Plan> plan_to_bound() {
  AnalyzeOptions options;
  options.target = "cpu-generic";
  options.permutation = Permutation::identity(900);
  return analyze(grid_pattern(30, 30, 1).view(), options);
}

std::vector<std::byte> factor_to_bound() {
  Backend backend = cpu_backend(1);
  return save_factor(factorize<double>(plan_to_bound(), random_dominant<double>(grid_pattern(30, 30, 1).view(), 1), backend).value());
}

LoadOptions bounded(std::size_t max_bytes) {
  LoadOptions options;
  options.name = "f", options.max_bytes = max_bytes;
  return options;
}

TEST(LoadBounds, ArePlansAsTheyAreCounted) {
  const auto bytes = save_plan(*plan_to_bound());
  const auto text = [&](std::size_t max_bytes) { return error_text(ErrorKind::memory, [&] { load_plan(bytes, bounded(max_bytes)); }); };
  EXPECT_EQ(text(1000), "f: 2640 entries of A, 48 bytes each, but of max_bytes, 1000, 1000 are left");
  EXPECT_EQ(text(200'000), "f: 900 rows of A, 256 bytes each, but of max_bytes, 200000, 73280 are left");
  EXPECT_NE(text(400'000).find(" rows of fronts, 16 bytes each, but of max_bytes, 400000, 42880 are left"), std::string::npos)
      << text(400'000);
  EXPECT_EQ(text(10'000'000), "no Error");
}

TEST(LoadBounds, HoldForFactors) {
  Backend backend = cpu_backend(1);
  const auto bytes = factor_to_bound();
  const auto text = [&](std::size_t max_bytes) {
    return error_text(ErrorKind::memory, [&] { load_factor<double>(bytes, backend, bounded(max_bytes)); });
  };
  std::size_t no = 0, yes = 100'000'000;
  while (yes - no > 1) {
    const std::size_t middle = (no + yes) / 2;
    (text(middle) == "no Error" ? yes : no) = middle;
  }
  EXPECT_NE(text(no).find(" places of L, 8 bytes each, but of max_bytes, "), std::string::npos) << text(no);
  EXPECT_GT(yes, bytes.size());
}

/// A plan's bytes as those of a factor: told by the counts of fronts, before there are lists of their rows, which the bound would tell of.
TEST(LoadBounds, LOfAPlanIsMissedBeforeRowsOfFrontsAreListed) {
  Backend backend = cpu_backend(1);
  auto bytes = save_plan(*plan_to_bound());
  save::to_bytes(std::uint32_t{0x74636166}, &bytes[12]);
  save::to_bytes(std::uint32_t{8}, &bytes[16]);
  save::to_bytes(std::uint32_t{7}, &bytes[56]);
  const std::string text =
      error_text(ErrorKind::input, [&] { load_factor<double>(sealed(bytes), backend, bounded(2640 * 48 + 900 * 256)); });
  EXPECT_NE(text.find("f: damaged: L of its plan has "), std::string::npos) << text;
}

TEST(LoadBounds, WhatHasNoEndIsToldByItsFirstBytes) {
  Backend backend = cpu_backend(1);
  const std::string text = "/dev/zero: not a plan or factor that kauri saved: it does not begin with \\x89kauri";
  EXPECT_EQ(error_text(ErrorKind::input, [] { load_plan("/dev/zero"); }), text);
  EXPECT_EQ(error_text(ErrorKind::input, [&] { load_factor<double>("/dev/zero", backend); }), text);
  EXPECT_EQ(error_text(ErrorKind::input, [] { saved_info("/dev/zero"); }), text);
}

TEST(LoadBounds, PipesAreReadAsTheyCome) {
  const auto plan = plan_to_bound();
  const auto bytes = save_plan(*plan);
  const auto through_pipe = [&](std::size_t count, const std::string& more) {
    const AtPipe pipe([&](const std::string& path) {
      std::ofstream out(path, std::ios::binary);
      out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(count)) << more;
    });
    const std::string told = error_text(ErrorKind::input, [&] { EXPECT_EQ(save_plan(*load_plan(pipe.path())), bytes); });
    return told == "no Error" ? told : told.substr(pipe.path().size());
  };
  EXPECT_EQ(through_pipe(bytes.size(), ""), "no Error");
  EXPECT_EQ(through_pipe(bytes.size(), "x"), ": the file goes on behind its end");
  const std::string cut = through_pipe(bytes.size() - 1, "");
  EXPECT_NE(cut.find(": the file is cut: it ends at byte " + std::to_string(bytes.size() - 1)), std::string::npos) << cut;
}

}  // namespace
}  // namespace kauri::test
