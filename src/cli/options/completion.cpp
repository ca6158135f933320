// Shell completion, generated from the commands and options.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/options/completion.hpp"

#include <fmt/format.h>

#include <CLI/Option.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "src/cli/options/named.hpp"
#include "src/cli/options/usage.hpp"

namespace kauri::cli {
namespace {

/// Returns the words that a named option accepts, separated by blanks; empty if it accepts numbers.
std::string words_of(const NamedOption& option) {
  return option.kind == OptionKind::boolean ? "true false"
                                            : fmt::format("{}", fmt::join(option.words, " "));
}

/// Returns the words that an option accepts, separated by blanks: those of the named option that it
/// sets, else the set at the end of the type name, as in "NAME:{double,float}". Empty without a
/// set.
std::string values_of(const CLI::Option& option) {
  if (const NamedOption* named = named_option_of(option);
      named != nullptr && option.get_type_size() != 0)
    return words_of(*named);
  std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return "";
  type = type.substr(open + 1, close - open - 1);
  std::replace(type.begin(), type.end(), ',', ' ');
  return type;
}

bool is_set(const CLI::Option& option) { return option.get_name() == "--set"; }

/// Returns the words that complete NAME=VALUE: "NAME=VALUE" for each value that can be listed, else
/// "NAME=".
std::vector<std::string> assignments() {
  std::vector<std::string> all;
  for (const NamedOption& option : named_options()) {
    std::vector<std::string> values = option.words;
    if (option.kind == OptionKind::boolean) values = {"true", "false"};
    if (values.empty()) values = {""};
    for (const std::string& value : values) all.push_back(option.name + "=" + value);
  }
  return all;
}

/// Returns the lines of a case statement of bash and zsh that set `words` to the values of a named
/// option, by its name.
std::string named_values() {
  std::string lines;
  for (const NamedOption& option : named_options())
    if (const std::string words = words_of(option); !words.empty())
      lines += fmt::format("    {}) words='{}' ;;\n", option.name, words);
  return lines;
}

/// Returns "NAME=" of each named option, separated by blanks.
std::string named_beginnings() {
  std::string words;
  for (const NamedOption& option : named_options())
    words += (words.empty() ? "" : " ") + option.name + "=";
  return words;
}

/// Adds a command to the two case statements of the bash script: to `values` one line for each
/// option with fixed words, to `options` one line with all its option names.
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

/// Returns the beginning of a description, up to the first line end, ": " or "; ", which fits a
/// line.
std::string in_short(const std::string& description) {
  std::string text = description.substr(0, description.find('\n'));
  text.resize(std::min(text.size(), text.find(": ")));
  text.resize(std::min(text.size(), text.find("; ")));
  return text;
}

/// Returns the text in single quotes, as one word of a shell command.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

/// Returns the text with a backslash before characters that zsh's _arguments interprets.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// Returns the arguments of zsh's _arguments for a command: one line for each name of an option.
std::string zsh_lines(const CLI::App& command) {
  std::string lines;
  for (const CLI::Option* option : command.get_options()) {
    const std::string values = values_of(*option);
    for (const std::string& name : names_of(*option)) {
      std::string line = name + "[" + plain(in_short(option->get_description())) + "]";
      if (is_set(*option))
        line.insert(0, "*").append(":NAME=VALUE:_kauri_named");
      else if (const std::string type = type_of(*option); !type.empty())
        line += ":" + type + ":" + (values.empty() ? "_files" : "(" + values + ")");
      lines += fmt::format("        {} \\\n", in_quotes(line));
    }
  }
  return lines;
}

/// Returns the fish line of an option. condition: the arguments of `complete` that restrict it to a
/// command, or to the place before a command.
std::string fish_line(const CLI::Option& option, const std::string& condition) {
  std::string line = "complete -c kauri" + condition;
  for (const std::string& name : option.get_snames()) line += " -s " + name;
  for (const std::string& name : option.get_lnames()) line += " -l " + name;
  if (!type_of(option).empty()) {
    const std::string values =
        is_set(option) ? fmt::format("{}", fmt::join(assignments(), " ")) : values_of(option);
    line += values.empty() ? " -r" : " -xa " + in_quotes(values);
  }
  return line + " -d " + in_quotes(in_short(option.get_description())) + "\n";
}

}  // namespace

std::string zsh_completion(const CLI::App& app) {
  std::string commands, options;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands += fmt::format(
        "    {}\n", in_quotes(command->get_name() + ":" + in_short(command->get_description())));
    options += fmt::format("    {})\n      _arguments \\\n{}        '*:file:_files' ;;\n",
                           command->get_name(), zsh_lines(*command));
  }
  return fmt::format(R"(#compdef kauri
# Completion of kauri for zsh, made by kauri --completion zsh. As a file _kauri in a folder of $fpath, or: source <(kauri --completion zsh)
_kauri_named() {{
  local words=
  if ! compset -P '*='; then
    compadd -S '' -- {}
    return
  fi
  case ${{IPREFIX%=}} in
{}  esac
  compadd -- ${{=words}}
}}
_kauri() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    _arguments '--help[all commands]' '--version[of this program]' '--completion[for a shell]:SHELL:(bash zsh fish)'
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{}  esac
}}
if [[ $funcstack[1] = _kauri ]]; then _kauri "$@"; else compdef _kauri kauri; fi
)",
                     named_beginnings(), named_values(), commands, options);
}

std::string fish_completion(const CLI::App& app) {
  std::string lines =
      "# Completion of kauri for fish, made by kauri --completion fish.     kauri --completion "
      "fish | source\n";
  for (const CLI::Option* option : app.get_options())
    lines += fish_line(*option, " -n __fish_use_subcommand");
  for (const CLI::App* command : app.get_subcommands({})) {
    lines += fmt::format("complete -c kauri -n __fish_use_subcommand -xa {} -d {}\n",
                         command->get_name(), in_quotes(in_short(command->get_description())));
    const std::string condition =
        fmt::format(" -n '__fish_seen_subcommand_from {}'", command->get_name());
    for (const CLI::Option* option : command->get_options())
      if (!names_of(*option).empty()) lines += fish_line(*option, condition);
  }
  return lines;
}

std::string bash_completion(const CLI::App& app) {
  std::string values, options, commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands += command->get_name() + " ";
    add_command(*command, values, options);
  }
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : names_of(*option)) commands += name + " ";
  return fmt::format(
      R"(# Completion of kauri for bash, made by kauri --completion bash.     source <(kauri --completion bash)
_kauri() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{}' -- "$current"))
    return
  fi
  # --set NAME=VALUE; bash splits words at "="
  if [[ $previous == --set ]]; then
    compopt -o nospace 2>/dev/null
    COMPREPLY=($(compgen -W '{}' -- "$current"))
    return
  fi
  local name=
  [[ $current == = ]] && name=$previous current=
  [[ $previous == = ]] && name=${{COMP_WORDS[COMP_CWORD - 2]}}
  case $name in
{}  esac
  case "${{COMP_WORDS[1]}} $previous" in
    '--completion --completion') words='bash zsh fish' ;;
{}  esac
  if [[ -z $words && $current == -* ]]; then
    case ${{COMP_WORDS[1]}} in
{}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))  # none: file names, by -o default
}}
complete -o default -F _kauri kauri
)",
      commands, named_beginnings(), named_values(), values, options);
}

}  // namespace kauri::cli
