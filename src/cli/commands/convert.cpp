// kauri convert: writes a system, read or generated, as a Matrix Market or SciPy file.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <memory>

#include "base/progress/stopwatch.hpp"
#include "kauri/core/error.hpp"
#include "kauri/extras/io.hpp"
#include "src/cli/commands/commands.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/job/limits.hpp"
#include "src/cli/job/output_file.hpp"
#include "src/cli/report/report.hpp"
#include "src/cli/terminal/progress.hpp"
#include "src/cli/terminal/text.hpp"

namespace kauri::cli {
namespace {

struct ConvertOptions {
  std::vector<std::string> files;  ///< files IN and OUT, or OUT alone with --gen
  SystemOptions system;
  JobOptions job;
  LimitOptions limits;
  bool json = false;
};

/// Returns the name of the file to write, and moves the name of the file to read to options.system.
/// Throws Error(usage) for another number of files.
std::string take_output(ConvertOptions& options) {
  const std::size_t expected = options.system.specs.empty() ? 2 : 1;
  if (options.files.size() != expected)
    throw Error(ErrorKind::usage,
                expected == 2 ? "convert: expected two files, IN and OUT, or --gen \"SPEC\" and OUT"
                              : "convert: expected one file, OUT, beside --gen");
  std::string output = options.files.back();
  options.files.pop_back();
  options.system.files = options.files;
  check_matrix_name(output);
  return output;
}

int convert(ConvertOptions options) {
  const std::string output = take_output(options);
  const System system = [&] {
    const Phase phase(options.json, "reading");
    return load_one(options.system, options.limits, threads_of(options.job));
  }();
  const Stopwatch watch;
  {
    const Phase phase(options.json, "writing " + output);
    fenced("writing " + output, options.limits,
           [&] { write_matrix(output, system.matrix.view()); });
  }
  const double write_s = watch.seconds();
  if (options.json) {
    Json object = system_header("convert", system, make_backend(options.job), options.job, nullptr);
    object["file"] = output;
    object["read_s"] = system.read_s;
    object["write_s"] = write_s;
    print_object(object);
  } else {
    print(fmt::format("{}, read in {}, written to {} in {}\n", title(system),
                      seconds(system.read_s), output, seconds(write_s)));
  }
  return kOk;
}

}  // namespace

void add_convert(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "convert", "write a system in another format: Matrix Market, gzipped or not, or SciPy .npz");
  const auto options = std::make_shared<ConvertOptions>();
  command->footer(
      "\nExamples:\n"
      "  kauri convert stiffness.npz stiffness.mtx.gz\n"
      "  kauri convert --gen \"poisson3d 40\" grid.npz\n"
      "  kauri convert a.mtx shifted.mtx --shift 1e-6\n"
      "OUT ends in .mtx or .mtx.gz (lower triangle, 17 digits) or in .npz (both halves as "
      "compressed columns, as scipy.sparse.save_npz "
      "writes\n"
      "them). Reading OUT gives the same matrix, bit for bit.");
  command
      ->add_option("files", options->files,
                   "a file as for kauri solve, and the one to write; OUT alone with --gen")
      ->type_name("IN OUT")
      ->group("System");
  command
      ->add_option("--gen", options->system.specs,
                   "a system made from a formula in place of IN; see kauri generate --help")
      ->type_name("SPEC")
      ->expected(1)
      ->allow_extra_args(false)
      ->group("System");
  command->add_option("--shift", options->system.shift, "write A + S I")
      ->type_name("S")
      ->check(CLI::Number)
      ->group("System");
  add_half_options(*command, options->system);
  add_threads_option(*command, options->job);
  add_memory_limit_option(*command, options->limits);
  add_json_option(*command, options->json);
  command->callback([options, &exit_code] { exit_code = convert(*options); });
}

}  // namespace kauri::cli
