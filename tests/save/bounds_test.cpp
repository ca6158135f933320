// Memory bounds of loading, and files without a size: pipes, and devices without an end.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kauri/extras/generate.hpp"
#include "kauri/kauri.hpp"
#include "src/save/plan_sections.hpp"
#include "src/save/reader.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/restore.hpp"
#include "tests/support/process/at_pipe.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/sealed.hpp"
#include "tests/support/systems/patterns.hpp"

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
  return save_factor(factorize<double>(plan_to_bound(),
                                       random_dominant<double>(grid_pattern(30, 30, 1).view(), 1),
                                       backend)
                         .value());
}

LoadOptions bounded(std::size_t max_bytes) {
  LoadOptions options;
  options.name = "f", options.max_bytes = max_bytes;
  return options;
}

TEST(LoadBounds, ArePlansAsTheyAreCounted) {
  const auto bytes = save_plan(*plan_to_bound());
  const auto text = [&](std::size_t max_bytes) {
    return error_text(ErrorKind::memory, [&] { load_plan(bytes, bounded(max_bytes)); });
  };
  EXPECT_EQ(text(1000),
            "f: 2640 entries of A, 48 bytes each, but of max_bytes, 1000, 1000 are left");
  EXPECT_EQ(text(200'000),
            "f: 900 rows of A, 256 bytes each, but of max_bytes, 200000, 73280 are left");
  EXPECT_NE(text(400'000).find(
                " rows of fronts, 16 bytes each, but of max_bytes, 400000, 42880 are left"),
            std::string::npos)
      << text(400'000);
  EXPECT_EQ(text(10'000'000), "no Error");
}

/// Returns the bytes of a plan of a path whose columns form one supernode: a small file with a
/// dense L on a device.
std::vector<std::byte> path_as_one_supernode(Index n, const std::string& target) {
  AnalyzeOptions options;
  options.target = target, options.amalgamate = false,
  options.permutation = Permutation::identity(n);
  const auto plan = analyze(chain_pattern(n).view(), options);
  const auto saved = save_plan(*plan);
  save::Header header = save::Reader(save::Source(saved, "saved")).header();
  symbolic::PlanCore core = symbolic::core_of(*plan);
  core.pivots = {n}, core.last = 0;
  header.supernodes = 1, header.last = 0;
  std::vector<std::byte> bytes;
  save::Writer writer([&](std::span<const std::byte> some) {
    bytes.insert(bytes.end(), some.begin(), some.end());
  });
  writer.header(header);
  save::write_plan(core, writer);
  return sealed(std::move(bytes));
}

Offset peak_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * Offset{1024};
}

/// The file itself names a device as target, whose tasks are as many as pairs of tiles.
TEST(LoadBounds, HoldForTasksOfADevice) {
  constexpr Index n = 250'000;
  const auto bytes = path_as_one_supernode(n, "sm_90");
  constexpr std::size_t kMost = 120'000'000;
  const Offset before = peak_resident_bytes();
  const std::string text = error_text(ErrorKind::memory, [&] { load_plan(bytes, bounded(kMost)); });
  EXPECT_NE(text.find(" bytes of tasks, but of max_bytes, 120000000, "), std::string::npos) << text;
  EXPECT_LT(peak_resident_bytes() - before, static_cast<Offset>(kMost));
  LoadOptions on_host = bounded(kMost);
  on_host.target = "cpu-generic";
  EXPECT_EQ(error_text(ErrorKind::memory, [&] { load_plan(bytes, on_host); }), "no Error");
}

/// The counted bytes are an upper bound of the lists, and close to it for ordinary plans.
TEST(LoadBounds, CountsOfADevicesListsAreBounds) {
  const auto check = [](const Plan& plan) {
    const symbolic::DeviceSchedule& device = plan.internals->device;
    symbolic::FrontTree fronts;
    fronts.parent = plan.supernodes.parent;
    for (Index s = 0; s < plan.supernodes.count(); ++s) {
      fronts.order.push_back(plan.supernodes.order(s));
      fronts.pivots.push_back(plan.supernodes.pivots(s));
    }
    const std::size_t taken = device.task.size() * sizeof(symbolic::DeviceTask) +
                              device.sums.term.size() * sizeof(Offset) +
                              (device.sums.place.size() + device.sums.ptr.size()) * sizeof(Offset);
    EXPECT_LE(static_cast<Offset>(taken), symbolic::most_list_bytes(fronts) + 10'000);
    return static_cast<double>(symbolic::most_list_bytes(fronts)) / static_cast<double>(taken);
  };
  AnalyzeOptions options;
  options.target = "sm_90";
  options.ordering.method = OrderingMethod::nested_dissection;
  EXPECT_LT(check(*analyze(grid_pattern(20, 20, 20).view(), options)), 10);
  options.ordering.method = OrderingMethod::amd;
  EXPECT_LT(check(*analyze(generate("hubs 6000 40 230 3").pattern(), options)), 10);
  EXPECT_LT(check(*load_plan(path_as_one_supernode(20'000, "sm_90"))), 3);
}

TEST(LoadBounds, HoldForFactors) {
  Backend backend = cpu_backend(1);
  const auto bytes = factor_to_bound();
  const auto text = [&](std::size_t max_bytes) {
    return error_text(ErrorKind::memory,
                      [&] { load_factor<double>(bytes, backend, bounded(max_bytes)); });
  };
  std::size_t no = 0, yes = 100'000'000;
  while (yes - no > 1) {
    const std::size_t middle = (no + yes) / 2;
    (text(middle) == "no Error" ? yes : no) = middle;
  }
  EXPECT_NE(text(no).find(" places of L, 8 bytes each, but of max_bytes, "), std::string::npos)
      << text(no);
  EXPECT_GT(yes, bytes.size());
}

/// The bytes of a plan that claim to be a factor are rejected by the counts of fronts, before lists
/// of rows are made, which would exceed the bound.
TEST(LoadBounds, LOfAPlanIsMissedBeforeRowsOfFrontsAreListed) {
  Backend backend = cpu_backend(1);
  auto bytes = save_plan(*plan_to_bound());
  save::to_bytes(std::uint32_t{0x74636166}, &bytes[12]);
  save::to_bytes(std::uint32_t{8}, &bytes[16]);
  save::to_bytes(std::uint32_t{7}, &bytes[56]);
  const std::string text = error_text(ErrorKind::input, [&] {
    load_factor<double>(sealed(bytes), backend, bounded(2640 * 48 + 900 * 256));
  });
  EXPECT_NE(text.find("f: damaged: L of its plan has "), std::string::npos) << text;
}

TEST(LoadBounds, WhatHasNoEndIsToldByItsFirstBytes) {
  Backend backend = cpu_backend(1);
  const std::string text =
      "/dev/zero: not a plan or factor that kauri saved: it does not begin with \\x89kauri";
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
      out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(count))
          << more;
    });
    const std::string told =
        error_text(ErrorKind::input, [&] { EXPECT_EQ(save_plan(*load_plan(pipe.path())), bytes); });
    return told == "no Error" ? told : told.substr(pipe.path().size());
  };
  EXPECT_EQ(through_pipe(bytes.size(), ""), "no Error");
  EXPECT_EQ(through_pipe(bytes.size(), "x"), ": the file goes on behind its end");
  const std::string cut = through_pipe(bytes.size() - 1, "");
  EXPECT_NE(cut.find(": the file is cut: it ends at byte " + std::to_string(bytes.size() - 1)),
            std::string::npos)
      << cut;
}

/// A hostile pipe promises indices by its header and the length of a section, and sends none.
TEST(LoadBounds, MemoryGrowsWithWhatAPipeSends) {
  constexpr Index kPromised = 100'000'000;
  const auto plan = plan_to_bound();
  auto bytes = save_plan(*plan);
  save::Header header = save::Reader(save::Source(bytes, "saved")).header();
  header.n = kPromised, header.nnz = kPromised, header.bytes = std::uint64_t{1} << 40;
  std::vector<std::byte> hostile;
  save::Writer writer([&](std::span<const std::byte> some) {
    hostile.insert(hostile.end(), some.begin(), some.end());
  });
  writer.header(header);
  std::copy(hostile.begin(), hostile.end(), bytes.begin());
  constexpr std::string_view kName = "perm";
  const auto at = std::search(bytes.begin(), bytes.end(), kName.begin(), kName.end(),
                              [](std::byte x, char c) { return static_cast<char>(x) == c; });
  ASSERT_NE(at, bytes.end());
  save::to_bytes(std::uint64_t{kPromised} * sizeof(Index), &at[kName.size()]);
  const AtPipe pipe([&](const std::string& path) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  });
  const Offset before = peak_resident_bytes();
  const std::string told = error_text(ErrorKind::input, [&] { load_plan(pipe.path()); });
  EXPECT_NE(told.find(": the file is cut: it ends at byte " + std::to_string(bytes.size())),
            std::string::npos)
      << told;
  EXPECT_LT(peak_resident_bytes() - before, Offset{kPromised});
}

/// Sections of a pipe that are longer than what is allocated at first.
TEST(LoadBounds, LongSectionsOfAPipeAreReadWhole) {
  AnalyzeOptions options;
  options.target = "cpu-generic";
  options.permutation = Permutation::identity(300'000);
  const auto bytes = save_plan(*analyze(chain_pattern(300'000).view(), options));
  const AtPipe pipe([&](const std::string& path) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  });
  EXPECT_TRUE(save_plan(*load_plan(pipe.path())) == bytes);
}

}  // namespace
}  // namespace kauri::test
