// Checks of the command line before it is parsed: unknown words, and the nearest known ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

namespace kauri::cli {

/// Returns the names of an option, as "-o", "--ordering"; none for a positional argument.
std::vector<std::string> names_of(const CLI::Option& option);

/// Returns the type name of an option's value, as "NAME", without the accepted words that CLI11
/// appends after a colon; empty for a flag.
std::string type_of(const CLI::Option& option);

/// Throws Error(usage) if the first word names no command and no option of kauri, or if a later
/// word begins with "-" and names no option of that command. The message has the nearest known
/// name. Without this check CLI11 would take the value of an unknown option for a file, and report
/// that file.
void check_words(const CLI::App& app, int argc, const char* const* argv);

/// Returns " (see kauri COMMAND --help)", or " (see kauri --help)" if the first word is no command.
std::string see_help(const CLI::App& app, int argc, const char* const* argv);

/// Returns a CLI11 check for integers from least to most; the check returns the message for a bad
/// word, else nothing.
std::function<std::string(const std::string&)> integer_from(int least, int most);

}  // namespace kauri::cli
