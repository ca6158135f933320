// Options of the commands that write pictures.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/report/picture_file.hpp"

#include <CLI/Option.hpp>

#include "src/cli/options/usage.hpp"

namespace kauri::cli {

void add_picture_options(CLI::App& command, PictureOptions& options, int size,
                         const std::string& size_help) {
  options.size = size;
  options.job.solver.backend = BackendChoice::cpu;
  add_system_options(command, options.system, false);
  command.add_option("-o", options.output, "the picture, a name that ends in .svg or .png")
      ->type_name("FILE")
      ->required()
      ->group("Output");
  command.add_option("--size", options.size, size_help)
      ->capture_default_str()
      ->check(integer_from(16, 4096))
      ->type_name("PIXELS")
      ->group("Output");
  add_limit_options(command, options.limits);
  add_json_option(command, options.json);
}

bool is_png(const std::string& path) { return path.ends_with(".png"); }

}  // namespace kauri::cli
