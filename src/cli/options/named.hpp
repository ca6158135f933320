// The named options of the library as options of the program: --set NAME=VALUE for each of them,
// and a flag for each common one. set_option() parses all values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <string>
#include <string_view>

#include "kauri/solve/named_options.hpp"
#include "src/cli/options/options.hpp"

namespace kauri::cli {

/// Sets a named option, and records in job.given that the command line sets it. The name
/// ordering.method also clears job.methods and job.ordering_file. `spelling`: the flag that sets
/// it, such as "--set", which errors name. Throws CLI::ValidationError with the text of
/// set_option()'s error.
void set_named(JobOptions& job, std::string_view spelling, std::string_view name,
               std::string_view value);

/// Sets the ordering from the value of --ordering: a method, or a file with a permutation. With
/// `several`, methods and at most one file, with commas between them; "auto" stands for all.
/// Throws CLI::ValidationError.
void set_orderings(JobOptions& job, const std::string& words, bool several);

/// Adds --set NAME=VALUE.
///
/// --set and the flags take effect in the order of the command line: of several that set one
/// option, the last one counts.
void add_set_option(CLI::App& command, JobOptions& job);

/// Adds a flag with a value of the table of flags, for example "--effort". Its help text, its
/// default and its accepted words are those of the named option; `more` is appended to the help.
void add_named_flag(CLI::App& command, JobOptions& job, std::string_view flag,
                    std::string_view more = "");
/// Adds --ordering; several: it takes a list.
void add_ordering_flag(CLI::App& command, JobOptions& job, const std::string& help, bool several);
/// Adds --fundamental, which sets analyze.amalgamate to false.
void add_fundamental_flag(CLI::App& command, JobOptions& job);

/// Returns the named option that a flag of the program sets; null for other options and for --set.
const NamedOption* named_option_of(const CLI::Option& option);
/// Returns the flag of a named option, as "--effort"; empty if only --set sets it.
std::string_view flag_of(std::string_view name);

}  // namespace kauri::cli
