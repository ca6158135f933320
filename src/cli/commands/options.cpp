// kauri options: the named options, with their values after --set and flags.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>

#include "kauri/core/version.hpp"
#include "src/cli/commands/commands.hpp"
#include "src/cli/options/named.hpp"
#include "src/cli/report/report.hpp"

namespace kauri::cli {
namespace {

struct ListOptions {
  JobOptions job;
  bool json = false;
};

Json to_json(const ListOptions& options) {
  Json list = Json::array();
  for (const NamedOption& option : named_options()) {
    const std::string_view flag = flag_of(option.name);
    list.push_back({{"name", option.name},
                    {"kind", name_of(option.kind)},
                    {"accepts", option.accepts},
                    {"default", option.initial},
                    {"value", get_option(options.job.solver, option.name)},
                    {"flag", flag.empty() ? Json(nullptr) : Json(flag)},
                    {"help", option.help}});
  }
  return {{"schema", "kauri.options/1"},
          {"solver", fmt::format("kauri {}", version())},
          {"commit", commit()},
          {"options", std::move(list)}};
}

std::string to_text(const ListOptions& options) {
  std::string text;
  for (const NamedOption& option : named_options()) {
    const std::string value = get_option(options.job.solver, option.name);
    text += fmt::format("{}={}", option.name, value);
    if (value != option.initial) text += fmt::format("  (default {})", option.initial);
    if (const std::string_view flag = flag_of(option.name); !flag.empty())
      text += fmt::format("  also {}", flag);
    text += fmt::format("\n    {}\n    {}\n", option.help, option.accepts);
  }
  return text;
}

}  // namespace

void add_options(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "options", "list the options of --set, with their values, defaults and effects");
  const auto options = std::make_shared<ListOptions>();
  add_job_options(*command, options->job, ordering_words());
  add_precision_option(*command, options->job);
  add_plan_options(*command, options->job);
  add_expectations(*command, options->job);
  add_named_flag(*command, options->job, "--refine");
  add_named_flag(*command, options->job, "--factor-file");
  add_json_option(*command, options->json);
  command->callback([options, &exit_code] {
    print_report(
        options->json, [&] { return to_json(*options); }, [&] { return to_text(*options); });
    exit_code = kOk;
  });
}

}  // namespace kauri::cli
