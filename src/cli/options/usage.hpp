// What a command line says that no command understands, told before it is parsed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

namespace kauri::cli {

/// "-o", "--ordering": none of words without a name.
std::vector<std::string> names_of(const CLI::Option& option);

/// What a value of the option is called, "NAME"; empty for a flag. The words that it may be, which CLI11 puts behind a colon, are left out.
std::string type_of(const CLI::Option& option);

/// Throws Error(usage) where the first word names no command and no option of kauri, or one after it begins with "-" and names no option of
/// that command, with the name that was probably meant: CLI11 takes the value of an unknown option for a file, and complains of that.
void check_words(const CLI::App& app, int argc, const char* const* argv);

/// " (see kauri COMMAND --help)", or without a command where the first word is none.
std::string see_help(const CLI::App& app, int argc, const char* const* argv);

/// A check of CLI11 for whole numbers: empty, or what was expected in place of the word.
std::function<std::string(const std::string&)> integer_from(int least, int most);

}  // namespace kauri::cli
