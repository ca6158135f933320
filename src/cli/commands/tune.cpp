// kauri tune: measures a CUDA device, for --card.
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>

#include "kauri/extras/card.hpp"
#include "src/cli/commands/commands.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/job/output_file.hpp"
#include "src/cli/options/named.hpp"
#include "src/cli/report/report.hpp"
#include "src/cli/terminal/progress.hpp"

namespace kauri::cli {
namespace {

constexpr const char* kFooter = R"(
Measures, in less than a second on the device, what kauri's own kernels reach there: operations per second in large fronts, bytes of L
per second in solves, latencies of a launch and of a level of fronts, in double and in float, and copies from the host. Prints JSON
(docs/json.md). With --card FILE, or the option card of C++, C and Python, --backend auto, --precision auto and the report's forecasts
follow these rates in place of what the driver reports; without it no file is read. Nothing else should run on the device meanwhile.
Exit code 3 without a device that kauri can use.
)";

struct TuneOptions {
  JobOptions job;
  std::string output;
};

int tune(const TuneOptions& options) {
  if (!options.output.empty()) check_folder(options.output);
  const CudaOptions& cuda = options.job.solver.cuda;
  const AnalyzeOptions::DeviceOffer::Card card = [&] {
    const Phase phase(true, "measuring the device");
    return measure_card(cuda);
  }();
  const std::string text = to_json(card, cuda_backend(cuda).device());
  if (!options.output.empty()) write_file(options.output, text);
  print(text);
  return kOk;
}

}  // namespace

void add_tune(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("tune", "measure a CUDA device, for predictions with --card");
  const auto options = std::make_shared<TuneOptions>();
  command->footer(kFooter);
  add_set_option(*command, options->job);
  command->add_option("-o,--output", options->output, "write the card to a file, too")
      ->type_name("FILE")
      ->group("Output");
  command->callback([options, &exit_code] { exit_code = tune(*options); });
}

}  // namespace kauri::cli
