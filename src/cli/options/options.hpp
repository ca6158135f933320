// What the user asked for, and the options that subcommands share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kauri/plan.hpp"
#include "kauri/types.hpp"

namespace kauri::cli {

/// The program's exit codes.
enum ExitCode : int {
  kOk = 0,
  kInput = 1,                ///< wrong usage or wrong input, or a system whose solution overflows
  kNotPositiveDefinite = 2,  ///< the matrix is not positive definite
  kResources = 3,            ///< too little memory, above a limit, or the device is not there
};

/// Where systems come from.
struct SystemOptions {
  std::vector<std::string> files;
  std::vector<std::string> specs;
  double shift = 0;
  std::string half = "both";  ///< lower, upper or both, of files that have both
  double symmetry = 0;        ///< of both: how far they may differ, 0 for the default
};

/// How a system is worked on.
struct JobOptions {
  std::string ordering = "auto";
  std::string effort = "default";
  std::string ties = "last";
  std::string backend = "auto";
  std::string scalar = "double";
  std::string precision = "full";
  int threads = 0;
  std::uint64_t seed = 1;
  int solves = 1;
  int factorizations = 1;
  int cores = AnalyzeOptions{}.cores;
  std::string target;        ///< that plans are for; empty: of the backend
  bool fundamental = false;  ///< no supernode is merged into another
};

/// What a job may take; infinity: no limit but the machine's.
struct LimitOptions {
  double max_gb = std::numeric_limits<double>::infinity();
  double max_flops = std::numeric_limits<double>::infinity();
};

/// What the commands that order a system have in common.
struct CommonOptions {
  SystemOptions system;
  JobOptions job;
  LimitOptions limits;
  bool json = false;
};

/// All of it; ordering_help: what --ordering takes in this subcommand; several: systems.
void add_common_options(CLI::App& command, CommonOptions& options, const std::string& ordering_help, bool several = false);
void add_system_options(CLI::App& command, SystemOptions& options, bool several);
/// --half and --symmetry, which are among those.
void add_half_options(CLI::App& command, SystemOptions& options);
void add_job_options(CLI::App& command, JobOptions& options, const std::string& ordering_help);
/// The part of add_job_options that orderings need: a command that computes no numbers takes no backend.
void add_ordering_options(CLI::App& command, JobOptions& options, const std::string& ordering_help);
void add_backend_options(CLI::App& command, JobOptions& options);
/// What a plan alone is made by: for commands that compute no numbers.
void add_plan_options(CLI::App& command, JobOptions& options);
void add_threads_option(CLI::App& command, JobOptions& options);
void add_scalar_option(CLI::App& command, JobOptions& options);
void add_precision_option(CLI::App& command, JobOptions& options);
/// help: what is repeated.
void add_repetitions_option(CLI::App& command, int& repetitions, const std::string& help);
/// Solves and factorisations to come, which predict_costs in the choice of auto.
void add_expectations(CLI::App& command, JobOptions& options);
/// --max-gb.
void add_memory_limit_option(CLI::App& command, LimitOptions& options);
/// --max-gb and --max-flops.
void add_limit_options(CLI::App& command, LimitOptions& options);
void add_json_option(CLI::App& command, bool& json);

/// The usual words for add_job_options.
std::string ordering_words();

}  // namespace kauri::cli
