// The subcommands: each adds itself to the program and, when chosen, runs and sets the exit code.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>

namespace kauri::cli {

/// Each adds one subcommand to `app`; its work is done while `app` parses, and `exit_code` (an ExitCode) is set by it.
void add_solve(CLI::App& app, int& exit_code);
void add_analyze(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_generate(CLI::App& app, int& exit_code);
void add_info(CLI::App& app, int& exit_code);
void add_spy(CLI::App& app, int& exit_code);
void add_tree(CLI::App& app, int& exit_code);
void add_convert(CLI::App& app, int& exit_code);

}  // namespace kauri::cli
