// JSON objects and the lines of text that several subcommands print.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "kauri/backend.hpp"
#include "kauri/error.hpp"
#include "kauri/plan.hpp"
#include "src/cli/options.hpp"
#include "src/cli/system.hpp"

namespace kauri::cli {

using Json = nlohmann::ordered_json;

/// An exact count held in a double, as a JSON integer where it fits one.
Json whole(double count);

/// The keys that every object has: schema ("kauri.COMMAND/1"), system, solver, commit, device, backend, threads, scalar, ordering.
/// ordering: null where the command orders nothing.
Json header(std::string_view command, const std::string& system, const Backend& backend, const JobOptions& options, const Json& ordering);

/// n and nnz_lower.
void add_size(Json& object, const System& system);

/// "vem2: 2,601 rows, 14,601 entries in the lower triangle".
std::string title(const System& system);
/// "cpu-avx512, 2 threads, double".
std::string where(const Backend& backend, const JobOptions& options);

/// The exit code that an Error stands for.
ExitCode exit_code_of(const Error& error);

void print(std::string_view text);
/// One object, on many lines or on one that gets out at once.
void print_object(const Json& object);
void print_line(const Json& object);
/// "kauri: ..." on the standard error.
void complain(std::string_view text);
/// Throws Error(input) if something printed did not get out.
void flush_output();

}  // namespace kauri::cli
