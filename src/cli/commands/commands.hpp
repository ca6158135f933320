// The subcommands of the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>

namespace kauri::cli {

/// Add one subcommand each to `app`. If it is chosen, it runs while `app` parses the command line,
/// and sets `exit_code` (an ExitCode).
void add_solve(CLI::App& app, int& exit_code);
void add_analyze(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_generate(CLI::App& app, int& exit_code);
void add_info(CLI::App& app, int& exit_code);
void add_spy(CLI::App& app, int& exit_code);
void add_tree(CLI::App& app, int& exit_code);
void add_convert(CLI::App& app, int& exit_code);
void add_options(CLI::App& app, int& exit_code);
void add_tune(CLI::App& app, int& exit_code);

}  // namespace kauri::cli
