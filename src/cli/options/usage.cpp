// Checks of the command line before it is parsed: unknown words, and the nearest known ones.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/options/usage.hpp"

#include <fmt/format.h>

#include <CLI/Option.hpp>
#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/common/nearest.hpp"
#include "kauri/core/error.hpp"

namespace kauri::cli {
namespace {

/// Returns "; did you mean X?" with the nearest name, or an empty text if none is near enough.
std::string meant(const std::string& word, const std::vector<std::string>& names) {
  const std::string best = nearest(word, names);
  return best.empty() ? "" : "; did you mean " + best + "?";
}

std::vector<std::string> all_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (std::string& name : names_of(*option)) names.push_back(std::move(name));
  return names;
}

const CLI::App* command_of(const CLI::App& app, const std::string& word) {
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_name() == word) return command;
  return nullptr;
}

[[noreturn]] void no_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  throw Error(ErrorKind::usage, fmt::format("'{}' is not a command; expected one of {}{}", word,
                                            fmt::join(names, ", "), meant(word, names)));
}

/// Returns true for a number, as "-1" or "-.5e3", which is the value of an option and not a name.
bool is_number(std::string_view word) {
  return word.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
}

/// Returns the option that a word names: "--name" for "--name" and "--name=value", "-o" for
/// "-oFILE".
std::string option_in(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

/// Throws Error(usage) for a word that begins with "-", is no number and names none of the options
/// `names` of `whose`, a command or kauri itself. help: the command whose --help the message refers
/// to.
void check_option(const std::string& word, const std::vector<std::string>& names,
                  const std::string& whose, const std::string& help) {
  if (word.size() < 2 || word[0] != '-' || is_number(word)) return;
  if (std::find(names.begin(), names.end(), option_in(word)) != names.end()) return;
  const std::string whole = word.substr(0, word.find('='));
  throw Error(ErrorKind::usage, fmt::format("{} has no option {}{} (see {} --help)", whose, whole,
                                            meant(whole, names), help));
}

}  // namespace

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string type_of(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  std::string type = option.get_type_name();
  type.resize(std::min(type.size(), type.find(':')));
  return type;
}

void check_words(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2) throw Error(ErrorKind::usage, "no command given (see kauri --help)");
  const std::string first = argv[1];
  if (first.starts_with('-') && first.size() > 1)
    return check_option(first, all_names(app), "kauri", "kauri");
  const CLI::App* command = command_of(app, first);
  if (command == nullptr) no_command(app, first);
  const std::vector<std::string> names = all_names(*command);
  for (int k = 2; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--") return;  // only files follow
    check_option(word, names, first, "kauri " + first);
  }
}

std::string see_help(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || command_of(app, argv[1]) == nullptr) return " (see kauri --help)";
  return fmt::format(" (see kauri {} --help)", argv[1]);
}

std::function<std::string(const std::string&)> integer_from(int least, int most) {
  return [least, most](const std::string& word) -> std::string {
    int x = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), x);
    if (code == std::errc() && end == word.data() + word.size() && x >= least && x <= most)
      return {};
    return fmt::format("'{}': expected an integer from {} to {}", word, least, most);
  };
}

}  // namespace kauri::cli
