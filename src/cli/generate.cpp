// kauri generate: writes a made system, or any readable one, as a Matrix Market file.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>

#include "kauri/error.hpp"
#include "kauri/generate.hpp"
#include "kauri/io.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/job.hpp"
#include "src/cli/measure.hpp"
#include "src/cli/report.hpp"
#include "src/cli/text.hpp"

namespace kauri::cli {
namespace {

struct Options {
  std::vector<std::string> words;
  SystemOptions system;
  JobOptions job;
  std::string output;
  bool json = false;
};

int generate_file(Options options) {
  if (!options.output.ends_with(".mtx"))
    throw Error(ErrorKind::usage, fmt::format("-o {}: expected a name that ends in .mtx", options.output));
  if (!options.words.empty()) options.system.specs = {fmt::format("{}", fmt::join(options.words, " "))};
  const System system = load_one(options.system, {});
  const Stopwatch watch;
  write_matrix(options.output, system.matrix.view());
  const double write_s = watch.seconds();
  if (options.json) {
    Json object = header("generate", system.name, make_backend(options.job), options.job, nullptr);
    add_size(object, system);
    object["file"] = options.output;
    object["generate_s"] = system.read_s;
    object["write_s"] = write_s;
    print_object(object);
  } else {
    print(fmt::format("{}, written to {} in {}\n", title(system), options.output, seconds(write_s)));
  }
  return kOk;
}

}  // namespace

void add_generate(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("generate", "write a system made from a formula as a Matrix Market file");
  const auto options = std::make_shared<Options>();
  command->footer("\n" + generator_help());
  auto* words = command->add_option("spec", options->words, "what to make, in one word \"poisson3d 60\" or as several: poisson3d 60");
  words->type_name("SPEC")->group("System");
  command->add_option("--gen", options->system.specs, "the same")->type_name("SPEC")->expected(1)->excludes(words)->group("System");
  command->add_option("--shift", options->system.shift, "add S to the diagonal")->type_name("S")->check(CLI::Number)->group("System");
  command->add_option("-o", options->output, "the file, a name that ends in .mtx")->type_name("FILE")->required()->group("Output");
  add_json_option(*command, options->json);
  command->callback([options, &exit_code] { exit_code = generate_file(*options); });
}

}  // namespace kauri::cli
