// Options of the commands that write pictures.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "src/cli/job/system.hpp"
#include "src/cli/options/options.hpp"
#include "src/cli/report/report.hpp"

namespace kauri::cli {

struct PictureOptions : CommonOptions {
  std::string output;
  int size = 0;  ///< width in pixels
};

/// Adds the options of the system, -o, --size, the limits and --json, and chooses the CPU's
/// backend. size: the default of --size; size_help: its help text.
void add_picture_options(CLI::App& command, PictureOptions& options, int size,
                         const std::string& size_help);

[[nodiscard]] bool is_png(const std::string& path);

}  // namespace kauri::cli
