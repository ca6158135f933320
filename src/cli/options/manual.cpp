// The manual page: each command with its own options, then the options that several commands share.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/options/manual.hpp"

#include <fmt/format.h>

#include <CLI/Option.hpp>
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "kauri/solve/named_options.hpp"
#include "src/cli/options/usage.hpp"

namespace kauri::cli {
namespace {

/// An option that at least this many commands have is described once, under the common options.
constexpr std::size_t kCommon = 3;

/// Returns the text with the characters escaped that roff interprets: hyphens, backslashes, carets,
/// tildes, and points and apostrophes at the beginning of a line.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() || out.back() == '\n')
      if (c == '.' || c == '\'') out += "\\&";
    if (c == '-')
      out += "\\-";
    else if (c == '\\')
      out += "\\e";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else
      out += c;
  }
  return out;
}

/// Returns the text on one line: line breaks become blanks.
std::string joined(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

struct ManualEntry {
  std::string names, type, text, standard;  // standard: the default
  std::vector<std::string> commands;
};

/// Returns the entry of an option. A positional argument, which has no name, is called by its type;
/// "FILE..." becomes FILE.
ManualEntry entry_of(const CLI::Option& option) {
  std::string names = fmt::format("{}", fmt::join(names_of(option), ", ")), type = type_of(option);
  if (names.empty()) std::swap(names, type);
  if (names.ends_with("...")) names.resize(names.size() - 3);
  return {names, type, joined(option.get_description()), option.get_default_str(), {}};
}

bool same(const ManualEntry& a, const ManualEntry& b) {
  return a.names == b.names && a.text == b.text && a.standard == b.standard;
}

/// Returns the options of all commands, each once, with the commands that have it.
std::vector<ManualEntry> entries(const CLI::App& app) {
  std::vector<ManualEntry> list;
  for (const CLI::App* command : app.get_subcommands({}))
    for (const CLI::Option* option : command->get_options()) {
      ManualEntry entry = entry_of(*option);
      auto at = std::find_if(list.begin(), list.end(),
                             [&](const ManualEntry& e) { return same(e, entry); });
      if (at == list.end()) at = list.insert(list.end(), std::move(entry));
      at->commands.push_back(command->get_name());
    }
  return list;
}

std::string paragraph(const ManualEntry& entry, bool with_commands) {
  std::string text = fmt::format(".TP\n.B {}", roff(entry.names));
  if (!entry.type.empty()) text += fmt::format("\\fR \\fI{}\\fR", roff(entry.type));
  text += "\n" + roff(entry.text);
  if (!entry.standard.empty()) text += roff("; " + entry.standard + " unless given");
  text += ".\n";
  if (with_commands) text += fmt::format("({})\n", fmt::join(entry.commands, ", "));
  return text;
}

std::string as_it_is(const std::string& text) { return ".EX\n" + roff(text) + "\n.EE\n"; }

std::string without_first_newlines(const std::string& text) {
  return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

std::string command_section(const CLI::App& command, const std::vector<ManualEntry>& list) {
  std::string usage = "kauri " + command.get_name();
  for (const CLI::Option* option : command.get_options())
    if (names_of(*option).empty()) usage += " [" + type_of(*option) + "]";
  std::string text =
      fmt::format(".SS {}\n{}.\n", roff(usage + " [OPTIONS]"), roff(command.get_description()));
  for (const ManualEntry& entry : list)
    if (entry.commands.size() < kCommon && std::find(entry.commands.begin(), entry.commands.end(),
                                                     command.get_name()) != entry.commands.end())
      text += paragraph(entry, false);
  if (const std::string footer = without_first_newlines(command.get_footer()); !footer.empty())
    text += ".PP\n" + as_it_is(footer);
  return text;
}

}  // namespace

std::string manual(const CLI::App& app) {
  const std::vector<ManualEntry> list = entries(app);
  std::string text =
      ".\\\" The manual of the program kauri, made by kauri --manual.\n.\\\" "
      "SPDX-License-Identifier: BSD-3-Clause\n"
      ".TH KAURI 1 \"\" \"kauri\" \"User Commands\"\n.SH NAME\nkauri \\- sparse symmetric positive "
      "definite systems by direct "
      "factorisation\n"
      ".SH SYNOPSIS\n.B kauri\n.I COMMAND\n.RI [ FILE ...\\&]\n.RI [ OPTIONS ]\n.br\n.B kauri "
      "\\-\\-help\n.br\n.B kauri "
      "\\-\\-version\n.br\n"
      ".B kauri \\-\\-completion\n.IR bash | zsh | fish\n.br\n.B kauri \\-\\-manual\n.SH "
      "DESCRIPTION\n" +
      roff(joined(app.get_description())) +
      "\n.PP\nAt a terminal a line on the standard error shows a step that has taken more than a "
      "second, and is erased afterwards. "
      "Pipes,\nfiles and\n.B \\-\\-json\nget no such line. The file\n.B \\-\nis the standard "
      "input.\n.SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands({})) text += command_section(*command, list);
  text += ".SH COMMON OPTIONS\n";
  for (const ManualEntry& entry : list)
    if (entry.commands.size() >= kCommon) text += paragraph(entry, true);
  text += ".SH OPTIONS OF \\-\\-set\n";
  for (const NamedOption& option : named_options())
    text += paragraph({option.name, option.accepts, option.help, option.initial, {}}, false);
  text +=
      ".SH EXAMPLES, UNITS AND EXIT CODES\n" + as_it_is(without_first_newlines(app.get_footer()));
  return text;
}

}  // namespace kauri::cli
