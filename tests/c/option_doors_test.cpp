// The named options are all members of SolverOptions that one word sets, and each one that C sets
// arrives in its member. tests/cli/options_test.py and python/tests/factor/test_options.py set the
// same values through the program and through Python.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kauri/c/options.h"
#include "kauri/solve/named_options.hpp"

namespace kauri {
namespace {

using Values = std::map<std::string, std::string>;

/// Returns the values of the file that the tests of all interfaces share.
Values shared_values() {
  std::ifstream file(KAURI_OPTION_VALUES);
  Values values;
  for (std::string name, value; file >> name;)
    if (name == "#")
      std::getline(file, value);
    else if (file >> value)
      values[name] = value;
  return values;
}

/// Returns assignments of C++ that give each member the value of the shared file.
std::map<std::string, std::function<void(SolverOptions&)>> assignments() {
  return {
      {"backend", [](auto& o) { o.backend = BackendChoice::cpu; }},
      {"threads", [](auto& o) { o.threads = 2; }},
      {"precision", [](auto& o) { o.precision = Precision::mixed; }},
      {"roofline", [](auto& o) { o.roofline = true; }},
      {"card", [](auto& o) { o.card = "tests/support/card.json"; }},
      {"ordering.method", [](auto& o) { o.analyze.ordering.method = OrderingMethod::amd; }},
      {"ordering.seed", [](auto& o) { o.analyze.ordering.seed = 7; }},
      {"ordering.effort", [](auto& o) { o.analyze.ordering.effort = Effort::best; }},
      {"ordering.tie_break", [](auto& o) { o.analyze.ordering.tie_break = TieBreak::first; }},
      {"ordering.compress", [](auto& o) { o.analyze.ordering.compress = false; }},
      {"ordering.aggressive", [](auto& o) { o.analyze.ordering.aggressive = false; }},
      {"ordering.dense", [](auto& o) { o.analyze.ordering.dense = 2.5; }},
      {"ordering.delta", [](auto& o) { o.analyze.ordering.delta = 1; }},
      {"ordering.threads", [](auto& o) { o.analyze.ordering.threads = 3; }},
      {"analyze.target", [](auto& o) { o.analyze.target = "cpu-generic"; }},
      {"analyze.workers", [](auto& o) { o.analyze.workers = 5; }},
      {"analyze.amalgamate", [](auto& o) { o.analyze.amalgamate = false; }},
      {"analyze.solves", [](auto& o) { o.analyze.solves = 11; }},
      {"analyze.factorizations", [](auto& o) { o.analyze.factorizations = 12; }},
      {"analyze.cores", [](auto& o) { o.analyze.cores = 13; }},
      {"analyze.device_bytes", [](auto& o) { o.analyze.device_bytes = Offset{3} << 32; }},
      {"refine.max_steps", [](auto& o) { o.refine.max_steps = 4; }},
      {"refine.target", [](auto& o) { o.refine.target = 1e-14; }},
      {"refine.stagnation", [](auto& o) { o.refine.stagnation = 3; }},
      {"mixed.first_shift", [](auto& o) { o.mixed.first_shift = 0.001; }},
      {"mixed.shift_growth", [](auto& o) { o.mixed.shift_growth = 8; }},
      {"mixed.shifts", [](auto& o) { o.mixed.shifts = 6; }},
      {"mixed.allow_double", [](auto& o) { o.mixed.allow_double = false; }},
      {"mixed_solve.max_steps", [](auto& o) { o.mixed_solve.max_steps = 9; }},
      {"mixed_solve.max_cg_steps", [](auto& o) { o.mixed_solve.max_cg_steps = 14; }},
      {"mixed_solve.target", [](auto& o) { o.mixed_solve.target = 1e-13; }},
      {"mixed_solve.accept", [](auto& o) { o.mixed_solve.accept = 1e-12; }},
      {"cpu.factor_file", [](auto& o) { o.cpu.factor_file = "."; }},
      {"cuda.device", [](auto& o) { o.cuda.device = 1; }},
      {"cuda.compute", [](auto& o) { o.cuda.compute = CudaCompute::tf32; }},
      {"cuda.fast_solve", [](auto& o) { o.cuda.fast_solve = false; }},
      {"cuda.solves_together", [](auto& o) { o.cuda.solves_together = 8; }},
      {"cuda.group_columns", [](auto& o) { o.cuda.group_columns = 16; }},
      {"cuda.multiprocessors", [](auto& o) { o.cuda.multiprocessors = 66; }},
      {"cuda.launch_seconds", [](auto& o) { o.cuda.launch_seconds = 0.25; }},
      {"cuda.portable", [](auto& o) { o.cuda.portable = true; }},
  };
}

Values values_of(const SolverOptions& options) {
  Values values;
  for (const NamedOption& option : named_options())
    values[option.name] = get_option(options, option.name);
  return values;
}

Values values_of(const kauri_options* options) {
  Values values;
  for (int32_t k = 0; k < kauri_options_count(); ++k) {
    kauri_option_info info = KAURI_OPTION_INFO_INIT;
    EXPECT_EQ(kauri_options_info(k, &info), KAURI_OK);
    char text[64];
    EXPECT_EQ(kauri_options_get(options, info.name, text, sizeof text, nullptr), KAURI_OK);
    values[info.name] = text;
  }
  return values;
}

/// Converts to any member but an optional, which could be made in two ways.
struct Anything {
  template <class Member>
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator Member() const {
    std::abort();
  }
};

/// Converts to an optional alone.
struct NoValue {
  template <class Member>
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::optional<Member>() const {
    std::abort();
  }
};

/// Counts the members of an aggregate: the most values that initialise it.
template <class Struct, class... Values>
constexpr std::size_t member_count() {
  if constexpr (requires { Struct{Values{}..., Anything{}}; })
    return member_count<Struct, Values..., Anything>();
  else if constexpr (requires { Struct{Values{}..., NoValue{}}; })
    return member_count<Struct, Values..., NoValue>();
  else
    return sizeof...(Values);
}

/// Counts the named options of a struct, for example with "ordering." before their names; "": those
/// without a point.
std::size_t named_count(std::string_view prefix) {
  std::size_t count = 0;
  for (const NamedOption& option : named_options()) {
    const std::size_t point = option.name.find('.');
    count += prefix == (point == std::string::npos ? "" : option.name.substr(0, point + 1)) ? 1 : 0;
  }
  return count;
}

/// A member that is added to one of the structs needs a named option, or a place in these sums.
TEST(OptionDoors, MembersOfCppHaveNames) {
  constexpr std::size_t kStop = 1, kMessages = 1, kStructs = 6;
  EXPECT_EQ(member_count<SolverOptions>(), named_count("") + kStructs + kStop + kMessages);
  // ordering, permutation and device
  EXPECT_EQ(member_count<AnalyzeOptions>(), named_count("analyze.") + 3 + kMessages);
  // last
  EXPECT_EQ(member_count<OrderingOptions>(), named_count("ordering.") + 1 + kStop);
  EXPECT_EQ(member_count<RefineOptions>(), named_count("refine.") + kStop);
  EXPECT_EQ(member_count<MixedOptions>(), named_count("mixed."));
  EXPECT_EQ(member_count<MixedSolveOptions>(), named_count("mixed_solve.") + kStop);
  EXPECT_EQ(member_count<CpuOptions>(), named_count("cpu."));
  // allocator
  EXPECT_EQ(member_count<CudaOptions>(), named_count("cuda.") + 1);
}

TEST(OptionDoors, SharedValuesAreOfAllOptionsAndNoDefaults) {
  const Values shared = shared_values();
  EXPECT_EQ(shared.size(), named_options().size());
  EXPECT_EQ(assignments().size(), named_options().size());
  for (const NamedOption& option : named_options()) {
    ASSERT_TRUE(shared.contains(option.name)) << option.name;
    EXPECT_NE(shared.at(option.name), option.initial) << option.name;
  }
}

TEST(OptionDoors, CSetsTheMembersOfCpp) {
  const auto assign = assignments();
  for (const auto& [name, value] : shared_values()) {
    SolverOptions expected;
    assign.at(name)(expected);
    kauri_options* options = nullptr;
    ASSERT_EQ(kauri_options_create(&options), KAURI_OK);
    EXPECT_EQ(kauri_options_set(options, name.c_str(), value.c_str()), KAURI_OK) << name;
    EXPECT_EQ(values_of(options), values_of(expected)) << name;
    EXPECT_EQ(values_of(options).at(name), value);
    kauri_options_destroy(options);
  }
}

}  // namespace
}  // namespace kauri
