// Options turned into library objects: the backend and the options of the analysis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/global_control.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kauri/plan.hpp"
#include "src/cli/job/system.hpp"
#include "src/cli/options/options.hpp"
#include "src/facade/backends.hpp"

namespace kauri::cli {

struct Job {
  std::unique_ptr<tbb::global_control> threads;  ///< lets the process use as many threads as asked for, be they more than cores; or null
  Backends backends;
  AnalyzeOptions analyze;
  int scalar_bytes = sizeof(double);
  std::optional<std::vector<Index>> given;  ///< the rows of a permutation file, not yet checked against a system
  std::string given_file;                   ///< its name
};

/// Throws Error: usage (unknown ordering), input (permutation file), memory (the same), device.
Job make_job(const JobOptions& options, const LimitOptions& limits);

/// The backend asked for, the CPU's for auto.
Backend make_backend(const JobOptions& options);

/// The analysis of one system for nrhs right-hand sides at once, and the choice of the backend; refuses what cannot fit before it starts.
/// Throws Error.
Analysis analyze_system(const System& system, Job& job, const LimitOptions& limits, Index nrhs);
/// The same with every ordering tried; no device takes the place of the CPU.
Analysis compare_system(const System& system, const Job& job, const LimitOptions& limits);
/// The same with these alone, and the caller's if there is one; chosen is the one of the least predicted time of the whole job with the
/// threads there are. What one of them throws is thrown.
Analysis compare_system(const System& system, const Job& job, const LimitOptions& limits, const std::vector<OrderingMethod>& methods);

/// "amd"; "given" for the caller's permutation.
std::string ordering_name(const Plan& plan);
std::string ordering_name(const Candidate& candidate);
/// The name with the effort of nested dissection behind it: "amd", "nd (best)".
std::string ordering_label(const std::string& name, const JobOptions& options);
/// Entries of L for one of A's lower triangle.
double fill_ratio(const Plan& plan);
/// Of L, at first.
int scalar_bytes(const JobOptions& options);
bool is_mixed(const JobOptions& options);

}  // namespace kauri::cli
