// Options that subcommands share.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/options/options.hpp"

#include <CLI/Option.hpp>
#include <CLI/TypeTools.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>

#include "src/cli/options/named.hpp"
#include "src/cli/options/usage.hpp"

namespace kauri::cli {
namespace {

/// Checks a number of 0 or more, infinity included; unlike CLI::NonNegativeNumber it refuses "nan".
/// Returns the message for a bad word, else nothing.
std::string check_limit(const std::string& word) {
  double x = 0;
  return CLI::detail::lexical_cast(word, x) && x >= 0
             ? ""
             : "'" + word + "': expected a number, 0 or more";
}

std::string check_symmetry(const std::string& word) {
  double x = 0;
  return CLI::detail::lexical_cast(word, x) && x >= 0 && x <= 1
             ? ""
             : "'" + word + "': expected a number from 0 to 1";
}

void add_method_options(CLI::App& command, JobOptions& options, const std::string& ordering_help,
                        bool several) {
  add_ordering_flag(command, options, ordering_help, several);
  add_named_flag(command, options, "--effort");
  add_named_flag(command, options, "--ties");
}

void add_last_options(CLI::App& command, JobOptions& options) {
  add_named_flag(command, options, "--seed", "; of right-hand sides too");
  add_named_flag(command, options, "--cores");
  add_set_option(command, options);
}

}  // namespace

int threads_of(const JobOptions& options) {
  constexpr int kMostThreads = 4096;
  return std::min(options.solver.threads, kMostThreads);
}

std::string ordering_words() {
  return named_option("ordering.method").accepts +
         " (the least predicted time of several),\n"
         "or a FILE: one row number a line, from 0, the one eliminated first on top";
}

void add_system_options(CLI::App& command, SystemOptions& options, bool several) {
  auto* file = command.add_option(
      "file", options.files,
      "Matrix Market (.mtx) or Rutherford-Boeing (.rb, .rsa, .psa), plain, gzipped or in a "
      ".tar.gz\n"
      "(FILE.tar.gz:MEMBER names one of several), or SciPy .npz (CSC, CSR, COO, BSR or DIA;\n"
      "lower, upper or full); patterns get -1 off the diagonal, 1 + entries of the row on it");
  auto* spec = command.add_option(
      "--gen", options.specs,
      "a system made from a formula, such as \"poisson3d 60\"; see kauri generate --help");
  file->type_name(several ? "FILE..." : "FILE")->group("System");
  spec->type_name("SPEC")->group("System");
  if (!several) {
    file->excludes(spec);  // load_one() refuses several files and names them
    spec->expected(1)->allow_extra_args(false);
  } else {
    spec->expected(1)->take_all()->allow_extra_args(false);
  }
  command.add_option("--shift", options.shift, "work on A + S I in place of A")
      ->type_name("S")
      ->check(CLI::Number)
      ->group("System");
  add_half_options(command, options);
}

void add_half_options(CLI::App& command, SystemOptions& options) {
  command
      .add_option("--half", options.half,
                  "which half of a file with both halves to read: lower or upper, without a look "
                  "at the other one;\n"
                  "both: they must agree, and the lower one is taken")
      ->capture_default_str()
      ->check(CLI::IsMember({"both", "lower", "upper"}))
      ->type_name("NAME")
      ->group("System");
  command
      .add_option("--symmetry", options.symmetry,
                  "how far both halves may differ, as a fraction of sqrt(|a_ii a_jj|); 0: 2.2e-13, "
                  "1000 roundings of double, or of the "
                  "type that a .npz file has")
      ->capture_default_str()
      ->check(check_symmetry)
      ->type_name("T")
      ->group("System");
}

void add_backend_options(CLI::App& command, JobOptions& options) {
  add_named_flag(command, options, "--backend");
  add_threads_option(command, options);
}

void add_plan_options(CLI::App& command, JobOptions& options) {
  add_named_flag(command, options, "--target");
  add_fundamental_flag(command, options);
}

void add_threads_option(CLI::App& command, JobOptions& options) {
  add_named_flag(command, options, "--threads", "; may exceed the number of cores");
}

void add_job_options(CLI::App& command, JobOptions& options, const std::string& ordering_help,
                     bool several) {
  add_method_options(command, options, ordering_help, several);
  add_backend_options(command, options);
  add_named_flag(command, options, "--card");
  add_last_options(command, options);
}

void add_ordering_options(CLI::App& command, JobOptions& options,
                          const std::string& ordering_help) {
  add_method_options(command, options, ordering_help, false);
  add_threads_option(command, options);
  add_last_options(command, options);
}

void add_scalar_option(CLI::App& command, JobOptions& options) {
  command
      .add_option("--scalar", options.scalar,
                  "double or float: the precision of L, x and the residuals")
      ->capture_default_str()
      ->check(CLI::IsMember({"double", "float"}))
      ->type_name("NAME")
      ->group("Method");
}

void add_precision_option(CLI::App& command, JobOptions& options) {
  add_named_flag(command, options, "--precision");
}

void add_repetitions_option(CLI::App& command, int& repetitions, const std::string& help) {
  command.add_option("--reps", repetitions, help)
      ->capture_default_str()
      ->check(integer_from(1, 1000))
      ->type_name("N")
      ->group("Method");
}

void add_expectations(CLI::App& command, JobOptions& options) {
  add_named_flag(command, options, "--factorizations");
  add_named_flag(command, options, "--solves");
}

void add_memory_limit_option(CLI::App& command, LimitOptions& options) {
  command
      .add_option("--max-gb", options.max_gb,
                  "refuse (exit 3) what needs more than this many GB (1e9 bytes)")
      ->check(check_limit)
      ->type_name("GB")
      ->group("Limits");
}

void add_limit_options(CLI::App& command, LimitOptions& options) {
  add_memory_limit_option(command, options);
  command
      .add_option("--max-flops", options.max_flops,
                  "refuse (exit 3) factorisations of more than this many operations")
      ->check(check_limit)
      ->type_name("X")
      ->group("Limits");
}

void add_common_options(CLI::App& command, CommonOptions& options, const std::string& ordering_help,
                        bool several) {
  add_system_options(command, options.system, several);
  add_job_options(command, options.job, ordering_help, several);
  add_scalar_option(command, options.job);
  add_limit_options(command, options.limits);
  add_json_option(command, options.json);
}

void add_json_option(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print one JSON object in place of the text")->group("Output");
}

}  // namespace kauri::cli
