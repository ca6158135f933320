// kauri generate: writes a generated system as a Matrix Market or SciPy file.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>

#include "kauri/extras/generate.hpp"
#include "kauri/extras/io.hpp"
#include "src/cli/commands/commands.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/job/limits.hpp"
#include "src/cli/job/output_file.hpp"
#include "src/cli/report/report.hpp"
#include "src/cli/terminal/measure.hpp"
#include "src/cli/terminal/progress.hpp"
#include "src/cli/terminal/text.hpp"

namespace kauri::cli {
namespace {

struct GenerateOptions {
  std::vector<std::string> words;
  std::vector<std::string> holes, far, shuffle,
      dof;  ///< options of the formula that stand outside its quotes
  SystemOptions system;
  JobOptions job;
  std::string output;
  bool json = false;
};

/// Returns the specification as one text, with the options that the shell passed as separate words;
/// empty if no specification is given.
std::string specification(const GenerateOptions& options) {
  std::string spec = options.words.empty() ? fmt::format("{}", fmt::join(options.system.specs, " "))
                                           : fmt::format("{}", fmt::join(options.words, " "));
  const auto append = [&](const char* name, const std::vector<std::string>& values) {
    if (!values.empty() && !spec.empty())
      spec += fmt::format(" {} {}", name, fmt::join(values, " "));
  };
  append("--holes", options.holes);
  append("--far", options.far);
  append("--shuffle", options.shuffle);
  append("--dof", options.dof);
  return spec;
}

int generate_file(GenerateOptions options) {
  check_matrix_name(options.output);
  if (const std::string spec = specification(options); !spec.empty()) options.system.specs = {spec};
  const System system = [&] {
    const Phase phase(options.json, "making " + options.output);
    return load_one(options.system, {}, threads_of(options.job));
  }();
  const Stopwatch watch;
  {
    const Phase phase(options.json, "writing " + options.output);
    fenced("writing " + options.output, {},
           [&] { write_matrix(options.output, system.matrix.view()); });
  }
  const double write_s = watch.seconds();
  if (options.json) {
    Json object =
        system_header("generate", system, make_backend(options.job), options.job, nullptr);
    object["file"] = options.output;
    object["generate_s"] = system.read_s;
    object["write_s"] = write_s;
    print_object(object);
  } else {
    print(
        fmt::format("{}, written to {} in {}\n", title(system), options.output, seconds(write_s)));
  }
  return kOk;
}

}  // namespace

void add_generate(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "generate", "write a system made from a formula: Matrix Market or SciPy .npz");
  const auto options = std::make_shared<GenerateOptions>();
  command->footer("\n" + generator_help());
  auto* words = command->add_option(
      "spec", options->words,
      "what to make, in one word \"tree 900 1 --shuffle 3\" or as several: tree 900 1 --shuffle 3");
  words->type_name("SPEC")->group("System");
  command->add_option("--gen", options->system.specs, "SPEC in one word")
      ->type_name("SPEC")
      ->expected(1)
      ->excludes(words)
      ->group("System");
  const auto part = [&](const char* name, std::vector<std::string>& values, int count,
                        const char* type, const char* help) {
    command->add_option(name, values, help)->type_name(type)->expected(count)->group("System");
  };
  part("--holes", options->holes, 2, "SEED P", "part of SPEC: leave out the share P of the bricks");
  part("--far", options->far, 1, "SHARE",
       "part of SPEC: this share of the further edges joins any two rows");
  part("--shuffle", options->shuffle, 1, "SEED", "part of SPEC: random renumbering");
  part("--dof", options->dof, 1, "D", "part of SPEC: Kronecker product with a D x D SPD block");
  command
      ->add_option("--shift", options->system.shift,
                   "add S to the diagonal (inside the quotes of SPEC: the shift of its Laplacian)")
      ->type_name("S")
      ->check(CLI::Number)
      ->group("System");
  command->add_option("-o", options->output, "the file, a name that ends in .mtx, .mtx.gz or .npz")
      ->type_name("FILE")
      ->required()
      ->group("Output");
  add_json_option(*command, options->json);
  command->callback([options, &exit_code] { exit_code = generate_file(*options); });
}

}  // namespace kauri::cli
