// Options that subcommands share, and the structs that hold their values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kauri/core/types.hpp"
#include "kauri/solve/solver.hpp"

namespace kauri::cli {

/// The program's exit codes.
enum ExitCode : int {
  kOk = 0,
  kInput = 1,                ///< wrong usage or input, or an x that overflows or is too inexact
  kNotPositiveDefinite = 2,  ///< the matrix is not positive definite
  kResources = 3,            ///< too little memory, work above a limit, or no usable device
};

/// Sources of systems, and how files are read.
struct SystemOptions {
  std::vector<std::string> files;
  std::vector<std::string> specs;
  double shift = 0;
  std::string half =
      "both";  ///< half that is taken of a file with both: lower, upper, or both, which must agree
  double symmetry =
      0;  ///< threshold for halves that differ, see CompressedView::symmetry; 0: the default
};

/// Options of ordering, analysis, factorisation and solves.
struct JobOptions {
  SolverOptions solver{};                 ///< values of all named options
  std::set<std::string> given{};          ///< named options that the command line sets
  std::vector<OrderingMethod> methods{};  ///< orderings that a list of --ordering names, or none
  std::string ordering_file{};            ///< file with a permutation that replaces the ordering
  std::string scalar = "double";
  std::optional<Precision> taken{};  ///< precision that an analysis chose for --precision auto
};

/// Returns the number of threads that a job asks for, 4096 at most; 0: one per hardware thread.
int threads_of(const JobOptions& options);

/// Limits on the memory of a job, in GB of 1e9 bytes, and on the operations of a factorisation;
/// with infinity only the machine's limits hold.
struct LimitOptions {
  double max_gb = std::numeric_limits<double>::infinity();
  double max_flops = std::numeric_limits<double>::infinity();
};

/// Options of the commands that order a system.
struct CommonOptions {
  SystemOptions system;
  JobOptions job;
  LimitOptions limits;
  bool json = false;
};

/// Adds all of CommonOptions. ordering_help: the help text of --ordering in this subcommand;
/// several: the command takes more than one system.
void add_common_options(CLI::App& command, CommonOptions& options, const std::string& ordering_help,
                        bool several = false);
void add_system_options(CLI::App& command, SystemOptions& options, bool several);
/// Adds --half and --symmetry, which add_system_options() includes.
void add_half_options(CLI::App& command, SystemOptions& options);
/// Adds --backend and what add_ordering_options() adds. several: --ordering takes a list.
void add_job_options(CLI::App& command, JobOptions& options, const std::string& ordering_help,
                     bool several = false);
/// Adds --ordering, --effort, --ties, --threads, --seed, --cores and --set, for commands without
/// numeric work.
void add_ordering_options(CLI::App& command, JobOptions& options, const std::string& ordering_help);
void add_backend_options(CLI::App& command, JobOptions& options);
/// Adds the options of plans, --target and --fundamental, for commands without numeric work.
void add_plan_options(CLI::App& command, JobOptions& options);
void add_threads_option(CLI::App& command, JobOptions& options);
void add_scalar_option(CLI::App& command, JobOptions& options);
void add_precision_option(CLI::App& command, JobOptions& options);
/// Adds --reps. help: its help text, which names the repeated work.
void add_repetitions_option(CLI::App& command, int& repetitions, const std::string& help);
/// Adds --factorizations and --solves, the expected numbers of each, by which `auto` weighs its
/// choices.
void add_expectations(CLI::App& command, JobOptions& options);
/// Adds --max-gb.
void add_memory_limit_option(CLI::App& command, LimitOptions& options);
/// Adds --max-gb and --max-flops.
void add_limit_options(CLI::App& command, LimitOptions& options);
void add_json_option(CLI::App& command, bool& json);

/// Returns the help text of --ordering for commands that take one ordering.
std::string ordering_words();

}  // namespace kauri::cli
