// JSON objects and the lines of text that several subcommands print.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "kauri/core/analysis.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/core/error.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/solve/mixed.hpp"
#include "src/cli/job/system.hpp"
#include "src/cli/options/options.hpp"
#include "src/engine/symbolic.hpp"

namespace kauri::cli {

using Json = nlohmann::ordered_json;

/// Returns a whole number held in a double as a JSON integer, or as a floating-point number if it
/// does not fit 64 bits.
Json whole(double count);

/// Returns an object with the keys of every report: schema ("kauri.COMMAND/1"), system, solver,
/// commit, device, backend, threads, kernels, scalar, ordering, effort, options. ordering: null for
/// a command without one.
Json header(std::string_view command, const std::string& system, const Backend& backend,
            const JobOptions& options, const Json& ordering);

/// Returns the named options that differ from their defaults, as texts that --set takes.
Json changed_options(const JobOptions& options);

/// Returns the header of a report on one system, with n and nnz_lower.
Json system_header(std::string_view command, const System& system, const Backend& backend,
                   const JobOptions& options, const Json& ordering);

/// Adds n and nnz_lower.
void add_size(Json& object, const System& system);

/// Adds ordering, and effort, which is null unless the ordering is nd.
void add_ordering(Json& object, const Json& ordering, const JobOptions& options);

/// Adds device, backend, threads, kernels.
void add_backend(Json& object, const Backend& backend, const JobOptions& options);

/// Adds target_reason, and targets with the predicted times of each; an empty array if there was no
/// choice.
void add_targets(Json& object, const Analysis& analysis);
/// Adds precision_reason, and precisions with the predicted times and bytes of both precisions;
/// null unless a device computes in double.
void add_precisions(Json& object, const Symbolic& symbolic);
/// Returns the reason for the precision as a line of text; nothing unless a device computes in
/// double.
std::string precision_line(const Symbolic& symbolic);
/// Returns the reason and the predicted times of each target as lines of text; nothing if there was
/// no choice.
std::string target_lines(const Analysis& analysis);

/// Returns "vem2: 2,601 rows, 14,601 entries in the lower triangle".
std::string title(const System& system);
/// Returns the machine and the precision: "cpu-avx512, 2 threads, double", "sm_90 (hopper), 1
/// thread, double".
std::string where(const Backend& backend, const JobOptions& options);

/// Outcome of a factorisation and its solves. not_finite: both ended, but x or its residual
/// overflows the scalar. unconverged: a backward error of x is above solved_error(), or, with mixed
/// precision, above the error accepted there.
enum class Status { ok, not_positive_definite, not_finite, unconverged };
/// Returns "ok", "not_positive_definite", "not_finite" or "not_converged".
const char* name_of(Status status);
ExitCode exit_code_of(Status status);
/// Adds precision and the keys of a solve in mixed precision; these are null without a report, that
/// is, if the precision is not mixed or A is not positive definite.
void add_mixed(Json& object, const std::optional<MixedReport>& mixed, const JobOptions& options);
/// Returns the status of an x in T with these errors. finite: all entries of x are finite.
template <Scalar T>
Status status_of(const BackwardError& error, bool finite) {
  const SolveStatus status = kauri::status_of<T>(error);
  if (!finite || status == SolveStatus::not_finite) return Status::not_finite;
  return status == SolveStatus::ok ? Status::ok : Status::unconverged;
}
/// Returns the status of a solve in mixed precision. finite: all entries of x are finite.
Status status_of(const MixedReport& mixed, bool finite);

/// Returns one sentence on a status that is not ok, empty for ok. breakdown: set for
/// Status::not_positive_definite.
std::string reason_of(Status status, const std::optional<Breakdown>& breakdown,
                      const JobOptions& options);

/// Returns the exit code for an Error.
ExitCode exit_code_of(const Error& error);

/// Prints a text on the standard output; control characters other than line ends and tabs become
/// '?'.
void print(std::string_view text);
/// Prints to_json() if json, else to_text(); the other function is not called.
template <class ToJson, class ToText>
void print_report(bool json, ToJson&& to_json, ToText&& to_text);
/// Print an object: print_object() on several lines, print_line() on one line that is flushed.
void print_object(const Json& object);
void print_line(const Json& object);
/// Prints "kauri: ", the text as print() would, and a line end on the standard error.
void complain(std::string_view text);
/// Warns if a device runs the system's plan by slower kernels, since a contribution block is too
/// large, or since the device has too few multiprocessors.
void warn_of_plan(const std::string& system, const Plan& plan, const Backend& backend);
/// Flushes the standard output. Throws Error(input) if some of it could not be written.
void flush_output();

template <class ToJson, class ToText>
void print_report(bool json, ToJson&& to_json, ToText&& to_text) {
  if (json)
    print_object(to_json());
  else
    print(to_text());
}

}  // namespace kauri::cli
