// Options by name: each round-trips, defaults equal those of SolverOptions{}, words match the
// documents, errors name what is wrong.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/named_options.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

#include "tests/support/process/error_text.hpp"

namespace kauri {
namespace {

using test::error_text;

std::string refusal(std::string_view name, std::string_view value) {
  SolverOptions options;
  return error_text(ErrorKind::usage, [&] { set_option(options, name, value); });
}

/// Returns values that an option accepts, including one that is not its default.
std::vector<std::string> values_of(const NamedOption& option) {
  if (option.kind == OptionKind::word) return option.words;
  if (option.kind == OptionKind::text) return {"a b.json", "", "/x"};
  if (option.kind == OptionKind::boolean) return {"true", "false"};
  if (option.kind == OptionKind::number) return {"2.5", "1.1", "1e+300", "inf", "3"};
  if (option.accepts.find(" or ") != std::string::npos) return {"8", "32"};
  return {"1", "7", "2147483647"};
}

TEST(NamedOptions, DefaultsAreThoseOfTheStructs) {
  const SolverOptions initial;
  std::set<std::string> names;
  for (const NamedOption& option : named_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_EQ(get_option(initial, option.name), option.initial) << option.name;
    EXPECT_EQ(named_option(option.name).name, option.name);
    EXPECT_FALSE(option.help.empty() || option.help.back() == '.') << option.name;
    EXPECT_EQ(option.words.empty(), option.kind != OptionKind::word) << option.name;
  }
  EXPECT_EQ(named_option("ordering.method").initial, "auto");
  EXPECT_EQ(named_option("ordering.seed").initial, "1");
  EXPECT_EQ(named_option("refine.stagnation").initial, "2");
  EXPECT_EQ(named_option("mixed.first_shift").initial, "9.5367431640625e-07");
  EXPECT_EQ(named_option("cuda.fast_solve").initial, "true");
}

/// Each value comes back unchanged, and no other option changes.
TEST(NamedOptions, EachRoundTripsAlone) {
  for (const NamedOption& option : named_options())
    for (const std::string& value : values_of(option)) {
      SolverOptions options;
      set_option(options, option.name, value);
      EXPECT_EQ(get_option(options, option.name), value) << option.name;
      for (const NamedOption& other : named_options()) {
        if (other.name == option.name) continue;
        EXPECT_EQ(get_option(options, other.name), other.initial)
            << other.name << " by " << option.name;
      }
    }
}

TEST(NamedOptions, AreTheMembersThatTheyAreNamedAfter) {
  SolverOptions options;
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"backend", "cuda"},
                                                        {"precision", "mixed"},
                                                        {"ordering.method", "pamd"},
                                                        {"ordering.seed", "18446744073709551615"},
                                                        {"ordering.tie_break", "peripheral"},
                                                        {"ordering.effort", "best"},
                                                        {"ordering.threads", "3"},
                                                        {"analyze.target", "sm_90"},
                                                        {"analyze.solves", "0"},
                                                        {"refine.target", "1e-14"},
                                                        {"mixed_solve.max_cg_steps", "-1"},
                                                        {"cuda.compute", "tf32x3"},
                                                        {"cuda.solves_together", "8"},
                                                        {"cuda.device", "2"}})
    set_option(options, name, value);
  EXPECT_EQ(options.backend, BackendChoice::cuda);
  EXPECT_EQ(options.precision, Precision::mixed);
  EXPECT_EQ(options.analyze.ordering.method, OrderingMethod::parallel_amd);
  EXPECT_EQ(options.analyze.ordering.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(options.analyze.ordering.tie_break, TieBreak::pseudo_peripheral);
  EXPECT_EQ(options.analyze.ordering.effort, Effort::best);
  EXPECT_EQ(options.analyze.ordering.threads, 3);
  EXPECT_EQ(options.analyze.target, "sm_90");
  EXPECT_EQ(options.analyze.solves, 0);
  EXPECT_EQ(options.refine.target, 1e-14);
  EXPECT_EQ(options.mixed_solve.max_cg_steps, -1);
  EXPECT_EQ(options.cuda.compute, CudaCompute::tf32x3);
  EXPECT_EQ(options.cuda.solves_together, 8);
  EXPECT_EQ(options.cuda.device, 2);
}

TEST(NamedOptions, NumbersAreExact) {
  SolverOptions options;
  for (const double x : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 0x1.fffffffffffffp-3}) {
    options.analyze.ordering.dense = x;
    SolverOptions other;
    set_option(other, "ordering.dense", get_option(options, "ordering.dense"));
    EXPECT_EQ(other.analyze.ordering.dense, x);
  }
}

TEST(NamedOptions, RefusalsNameTheOptionTheValueAndWhatIsExpected) {
  EXPECT_EQ(refusal("threads", "two"),
            "option threads: 'two' was given, expected an integer from 0 to 2^31 - 1");
  for (const char* value : {"", " 1", "1 ", "+1", "1.0", "0x1", "-1", "2147483648", "1e3"})
    EXPECT_EQ(refusal("threads", value), "option threads: '" + std::string(value) +
                                             "' was given, expected an integer from 0 to 2^31 - 1");
  EXPECT_EQ(refusal("ordering.seed", "-1"),
            "option ordering.seed: '-1' was given, expected an integer from 0 to 2^64 - 1");
  EXPECT_EQ(refusal("ordering.effort", "bestt"),
            "option ordering.effort: 'bestt' was given, expected fast, standard or best; did you "
            "mean best?");
  EXPECT_EQ(refusal("ordering.compress", "True"),
            "option ordering.compress: 'True' was given, expected true or false");
  EXPECT_EQ(refusal("cuda.solves_together", "2"),
            "option cuda.solves_together: '2' was given, expected 1, 8 or 32");
  EXPECT_EQ(refusal("mixed.shift_growth", "1"),
            "option mixed.shift_growth: '1' was given, expected a number above 1");
  for (const char* value : {"nan", "-1", "1,5", "1e999", ".", ""})
    EXPECT_EQ(refusal("refine.target", value), "option refine.target: '" + std::string(value) +
                                                   "' was given, expected a number, 0 or more");
  EXPECT_EQ(refusal("ordering.dense", "nan"),
            "option ordering.dense: 'nan' was given, expected a number");
}

TEST(NamedOptions, UnknownNamesAreAnsweredByTheNearest) {
  EXPECT_EQ(refusal("refine.maxsteps", "1"),
            "option 'refine.maxsteps' is unknown; did you mean refine.max_steps?");
  EXPECT_EQ(refusal("Threads", "1"), "option 'Threads' is unknown; did you mean threads?");
  EXPECT_EQ(refusal("something.else.entirely", "1"),
            "option 'something.else.entirely' is unknown; kauri options lists the names");
  EXPECT_EQ(refusal("", "1"), "option '' is unknown; kauri options lists the names");
  EXPECT_EQ(error_text(ErrorKind::usage, [] { (void)get_option({}, "thread"); }),
            "option 'thread' is unknown; did you mean threads?");
  EXPECT_EQ(error_text(ErrorKind::usage, [] { (void)named_option("thread"); }),
            "option 'thread' is unknown; did you mean threads?");
}

TEST(NamedOptions, WhatHasNoNameIsTold) {
  SolverOptions options;
  options.analyze.target = "elsewhere";
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)get_option(options, "analyze.target"); }),
            "option analyze.target: it holds a value that has no name, expected auto, cpu-avx512, "
            "cpu-avx2, cpu-generic, sm_90 or sm_80");
}

TEST(NamedOptions, NoLocaleMatters) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr)
    GTEST_SKIP() << "no locale with a comma here";
  SolverOptions options;
  set_option(options, "refine.target", "1.5");
  EXPECT_EQ(options.refine.target, 1.5);
  EXPECT_EQ(get_option(options, "refine.target"), "1.5");
  std::setlocale(LC_ALL, before.c_str());
}

TEST(NamedOptions, KindsHaveNames) {
  EXPECT_EQ(name_of(OptionKind::boolean), "boolean");
  EXPECT_EQ(name_of(OptionKind::integer), "integer");
  EXPECT_EQ(name_of(OptionKind::number), "number");
  EXPECT_EQ(name_of(OptionKind::word), "word");
  EXPECT_EQ(name_of(OptionKind::text), "text");
}

/// The page holds the table, line by line, and no other line of an option.
TEST(NamedOptions, TheDocumentHasThisTable) {
  std::ifstream file(std::string(KAURI_DOCS) + "/c-interface.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::string table;
  for (const NamedOption& option : named_options())
    table += "| `" + option.name + "` | " + option.accepts + " | `" + option.initial + "` | " +
             option.help + " |\n";
  EXPECT_NE(page.find("\n| option | values | default | what it does |\n|---|---|---|---|\n" +
                      table + "\n"),
            std::string::npos)
      << "docs/c-interface.md, expected:\n"
      << table;
}

}  // namespace
}  // namespace kauri
