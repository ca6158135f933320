// Shell completion, made from the commands and options themselves.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/completion.hpp"

#include <fmt/format.h>

#include <CLI/Option.hpp>
#include <algorithm>
#include <vector>

#include "kauri/ordering.hpp"

namespace kauri::cli {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// The words an option takes, from the set that its type name ends with ("NAME:{auto,cpu,cuda}"); orderings by their names.
std::string values_of(const CLI::Option& option) {
  if (option.get_name() == "--ordering") {
    std::string words = std::string(name_of(OrderingMethod::automatic));
    for (int method = 0; method < static_cast<int>(OrderingMethod::automatic); ++method)
      words += " " + std::string(name_of(static_cast<OrderingMethod>(method)));
    return words;
  }
  std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return "";
  type = type.substr(open + 1, close - open - 1);
  std::replace(type.begin(), type.end(), ',', ' ');
  return type;
}

/// Lines of the case that gives `values` for the word before the one to complete, and all option names of a command.
void add_command(const CLI::App& command, std::string& values, std::string& options) {
  std::string names;
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string> all = names_of(*option);
    for (const std::string& name : all) {
      names += (names.empty() ? "" : " ") + name;
      if (const std::string words = values_of(*option); !words.empty())
        values += fmt::format("    '{} {}') words='{}' ;;\n", command.get_name(), name, words);
    }
  }
  options += fmt::format("    {}) words='{}' ;;\n", command.get_name(), names);
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string values, options, commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands += command->get_name() + " ";
    add_command(*command, values, options);
  }
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : names_of(*option)) commands += name + " ";
  return fmt::format(R"(# Completion of kauri for bash, made by kauri --completion bash.     source <(kauri --completion bash)
_kauri() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{}' -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}} $previous" in
    '--completion --completion') words='bash' ;;
{}  esac
  if [[ -z $words && $current == -* ]]; then
    case ${{COMP_WORDS[1]}} in
{}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))  # none: file names, by -o default
}}
complete -o default -F _kauri kauri
)",
                     commands, values, options);
}

}  // namespace kauri::cli
