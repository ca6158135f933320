// Conversion of the program's options to library objects: the backend and the options of the
// analysis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/global_control.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "kauri/core/plan.hpp"
#include "src/cli/job/system.hpp"
#include "src/cli/options/options.hpp"
#include "src/engine/symbolic.hpp"

namespace kauri::cli {

struct Job {
  std::unique_ptr<tbb::global_control> threads;  ///< raises oneTBB's limit to the threads asked
                                                 ///< for, which may exceed the cores; or null
  std::shared_ptr<Symbolic> symbolic;            ///< options, backend and plan
  std::optional<std::vector<Index>>
      given;               ///< old_of from a permutation file, not yet checked against a system
  std::string given_file;  ///< name of the permutation file, or empty

  [[nodiscard]] Backend& backend() const { return symbolic->backend(); }
  [[nodiscard]] AnalyzeOptions& analyze() const { return symbolic->options.analyze; }
  /// Returns the analysis of the system that was analysed last.
  [[nodiscard]] Analysis& analysis() const { return symbolic->analysis; }
};

/// Makes the job of the options. Throws Error: usage (mixed precision with float), input and memory
/// (reading a permutation file), device.
Job make_job(const JobOptions& options, const LimitOptions& limits);

/// Makes the backend asked for, the CPU's for auto. Throws Error(device).
Backend make_backend(const JobOptions& options);

/// Analyses a system for nrhs right-hand sides at once, and chooses the backend. Returns the job's
/// analysis. Throws Error(memory) before the work if its least need of memory exceeds the limits,
/// Error(input) if the permutation file has another number of rows; other Errors as analyze().
Analysis& analyze_system(const System& system, Job& job, const LimitOptions& limits, Index nrhs);
/// Analyses a system with every ordering, and with the permutation of Job::given if there is one,
/// for the current backend: for `auto` that is the CPU. Throws as analyze_system().
Analysis compare_system(const System& system, const Job& job, const LimitOptions& limits);
/// Analyses a system with these orderings, and with the permutation of Job::given if there is one.
/// The plan of the least predicted time of the whole job is chosen. Throws as analyze_system(), and
/// Error(usage) if none of the orderings is available.
Analysis compare_system(const System& system, const Job& job, const LimitOptions& limits,
                        const std::vector<OrderingMethod>& methods);

/// Return the name of an ordering, as "amd"; "given" for the permutation of Job::given.
std::string ordering_name(const Plan& plan);
std::string ordering_name(const Analysis::Candidate& candidate);
/// Returns the name, with the effort of nested dissection added: "amd", "nd (best)".
std::string ordering_label(const std::string& name, const JobOptions& options);
/// Returns the entries of L per entry of A's lower triangle.
double fill_ratio(const Plan& plan);
/// Returns the bytes of a number of L; with mixed precision those of float, in which L is tried
/// first.
int scalar_bytes(const JobOptions& options);
/// Returns true if the precision is mixed: as asked for, or as an analysis chose for auto.
bool is_mixed(const JobOptions& options);

}  // namespace kauri::cli
