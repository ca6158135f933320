// JSON objects and the lines of text that several subcommands print.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "kauri/backend.hpp"
#include "kauri/error.hpp"
#include "kauri/mixed.hpp"
#include "kauri/plan.hpp"
#include "src/cli/job/system.hpp"
#include "src/cli/options/options.hpp"

namespace kauri::cli {

using Json = nlohmann::ordered_json;

/// An exact count held in a double, as a JSON integer where it fits one.
Json whole(double count);

/// The keys that every object has: schema ("kauri.COMMAND/1"), system, solver, commit, device, backend, threads, scalar, ordering, effort.
/// ordering: null where the command orders nothing.
Json header(std::string_view command, const std::string& system, const Backend& backend, const JobOptions& options, const Json& ordering);

/// The header of a report on one system, with n and nnz_lower.
Json system_header(std::string_view command, const System& system, const Backend& backend, const JobOptions& options, const Json& ordering);

/// n and nnz_lower.
void add_size(Json& object, const System& system);

/// ordering, and effort: null unless the ordering is nd.
void add_ordering(Json& object, const Json& ordering, const JobOptions& options);

/// device, backend, threads, kernels.
void add_backend(Json& object, const Backend& backend, const JobOptions& options);

/// target_reason, and targets: what each is predicted to take where there was a choice.
void add_targets(Json& object, const Analysis& analysis);
/// The same in a line for each sentence; nothing where there was no choice.
std::string target_lines(const Analysis& analysis);

/// "vem2: 2,601 rows, 14,601 entries in the lower triangle".
std::string title(const System& system);
/// "cpu-avx512, 2 threads, double", "sm_90 (hopper), 1 thread, double".
std::string where(const Backend& backend, const JobOptions& options);

/// How a factorisation and its solves ended. "not_finite": they went through, but x or its residual does not fit the scalar.
/// "not_converged": x has a backward error above solved_error(), or, with mixed precision, above what is accepted.
enum class Status { ok, not_positive_definite, not_finite, unconverged };
/// "ok", "not_positive_definite", "not_finite", "not_converged".
const char* name_of(Status status);
ExitCode exit_code_of(Status status);
/// How x came about with mixed precision, each null where there is no report: precision is not mixed, or A not positive definite.
void add_mixed(Json& object, const std::optional<MixedReport>& mixed, const JobOptions& options);
/// Of an x in T that is finite, or not, with these errors.
template <Scalar T>
Status status_of(const BackwardError& error, bool finite) {
  const SolveStatus status = kauri::status_of<T>(error);
  if (!finite || status == SolveStatus::not_finite) return Status::not_finite;
  return status == SolveStatus::ok ? Status::ok : Status::unconverged;
}
/// Of a solve in mixed precision whose x is finite, or not.
Status status_of(const MixedReport& mixed, bool finite);

/// One sentence on a status that is not ok; breakdown: of Status::not_positive_definite.
std::string reason_of(Status status, const std::optional<Breakdown>& breakdown, const JobOptions& options);

/// The exit code that an Error stands for.
ExitCode exit_code_of(const Error& error);

void print(std::string_view text);
/// The JSON object or the text, whichever is asked for; the other one is not made.
template <class ToJson, class ToText>
void print_report(bool json, ToJson&& to_json, ToText&& to_text);
/// One object, on many lines or on one that gets out at once.
void print_object(const Json& object);
void print_line(const Json& object);
/// "kauri: ..." on the standard error.
void complain(std::string_view text);
/// A warning where a device does the system's plan by slower kernels.
void warn_of_plan(const std::string& system, const Plan& plan);
/// Throws Error(input) if something printed did not get out.
void flush_output();

template <class ToJson, class ToText>
void print_report(bool json, ToJson&& to_json, ToText&& to_text) {
  if (json)
    print_object(to_json());
  else
    print(to_text());
}

}  // namespace kauri::cli
