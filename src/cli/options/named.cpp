// The named options of the library as options of the program.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/options/named.hpp"

#include <fmt/format.h>

#include <CLI/Error.hpp>
#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/common/nearest.hpp"
#include "kauri/core/error.hpp"

namespace kauri::cli {
namespace {

/// A flag of the program, the named option that it sets, and the type that the help text shows.
struct NamedFlag {
  std::string_view flag, name, type;
};

constexpr std::string_view kOrdering = "ordering.method";

constexpr NamedFlag kFlags[] = {
    {"--backend", "backend", "NAME"},
    {"--card", "card", "FILE"},
    {"--cores", "analyze.cores", "N"},
    {"--effort", "ordering.effort", "NAME"},
    {"--factor-file", "cpu.factor_file", "FOLDER"},
    {"--factorizations", "analyze.factorizations", "N"},
    {"--fundamental", "analyze.amalgamate", ""},
    {"--ordering", kOrdering, "NAME|FILE"},
    {"--precision", "precision", "NAME"},
    {"--refine", "refine.max_steps", "STEPS"},
    {"--seed", "ordering.seed", "N"},
    {"--solves", "analyze.solves", "N"},
    {"--target", "analyze.target", "NAME"},
    {"--threads", "threads", "N"},
    {"--ties", "ordering.tie_break", "NAME"},
};

[[noreturn]] void refuse(std::string_view spelling, const std::string& why) {
  throw CLI::ValidationError(std::string(spelling), why);
}

/// Returns the text with line breaks between words, so that no line is longer than `width`.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  for (std::size_t line = 0; !text.empty();) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const bool fits = line + 1 + word.size() <= width;
    if (!out.empty()) out += fits ? ' ' : '\n';
    line = fits && !out.empty() ? line + 1 + word.size() : word.size();
    out += word;
  }
  return out;
}

/// Returns the words between commas; at least one, perhaps empty.
std::vector<std::string> split(const std::string& words) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find(',', begin), words.size());
    list.push_back(words.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

bool is_file(const std::string& path) { return std::filesystem::is_regular_file(path); }

/// Adds one word of the list of --ordering to job.methods, or sets job.ordering_file if the word
/// names a file. Throws CLI::ValidationError for any other word and for a second file.
void add_ordering(JobOptions& job, const std::string& word) {
  const auto method = ordering_from_name(word);
  if (method && *method != OrderingMethod::automatic) {
    if (std::find(job.methods.begin(), job.methods.end(), *method) == job.methods.end())
      job.methods.push_back(*method);
  } else if (job.ordering_file.empty() && is_file(word)) {
    job.ordering_file = word;
  } else {
    std::vector<std::string> names = named_option(kOrdering).words;
    std::erase(names, name_of(OrderingMethod::automatic));
    refuse("--ordering",
           fmt::format("'{}' was given, expected names out of {}, with commas between them, and at "
                       "most one file with a permutation; without --ordering all are compared",
                       word, fmt::join(names, ", ")));
  }
}

CLI::Option* add_with_value(CLI::App& command, JobOptions& job, const NamedFlag& flag,
                            const std::string& help) {
  const auto set = [&job, flag](const std::string& value) {
    set_named(job, flag.flag, flag.name, value);
  };
  return command.add_option_function<std::string>(std::string(flag.flag), set, help)
      ->default_str(named_option(flag.name).initial)
      ->type_name(std::string(flag.type))
      ->trigger_on_parse()
      ->group("Method");
}

}  // namespace

void set_named(JobOptions& job, std::string_view spelling, std::string_view name,
               std::string_view value) {
  try {
    set_option(job.solver, name, value);
  } catch (const Error& error) {
    refuse(spelling, error.what());
  }
  job.given.emplace(name);
  if (name != kOrdering) return;
  job.methods.clear();
  job.ordering_file.clear();
}

void set_orderings(JobOptions& job, const std::string& words, bool several) {
  const std::vector<std::string>& methods = named_option(kOrdering).words;
  if (std::find(methods.begin(), methods.end(), words) != methods.end())
    return set_named(job, "--ordering", kOrdering, words);
  set_named(job, "--ordering", kOrdering, "auto");
  if (is_file(words)) {
    job.ordering_file = words;
  } else if (several) {
    for (const std::string& word : split(words)) add_ordering(job, word);
  } else {
    const std::string meant = nearest(words, methods);
    refuse("--ordering", fmt::format("'{}' was given, expected {}, or a file with a permutation{}",
                                     words, named_option(kOrdering).accepts,
                                     meant.empty() ? "" : "; did you mean " + meant + "?"));
  }
}

void add_set_option(CLI::App& command, JobOptions& job) {
  const auto set = [&job](const std::string& text) {
    const std::size_t end = text.find('=');
    if (end == std::string::npos)
      refuse("--set", "'" + text +
                          "' was given, expected NAME=VALUE, for example threads=2; kauri options "
                          "lists the names");
    set_named(job, "--set", text.substr(0, end), text.substr(end + 1));
  };
  command
      .add_option_function<std::string>(
          "--set", set,
          "set any option that kauri options lists, for example ordering.dense=5; may be given\n"
          "several times; of several that set one option, flags included, the last one counts")
      ->type_name("NAME=VALUE")
      ->trigger_on_parse()
      ->group("Method");
}

void add_named_flag(CLI::App& command, JobOptions& job, std::string_view flag,
                    std::string_view more) {
  constexpr std::size_t kWidth = 96;
  const NamedFlag& entry = *std::find_if(std::begin(kFlags), std::end(kFlags),
                                         [&](const NamedFlag& f) { return f.flag == flag; });
  const NamedOption& option = named_option(entry.name);
  std::string help = option.help + std::string(more);
  if (option.kind == OptionKind::word) help += "; " + option.accepts;
  add_with_value(command, job, entry, wrapped(help, kWidth));
}

void add_ordering_flag(CLI::App& command, JobOptions& job, const std::string& help, bool several) {
  command
      .add_option_function<std::string>(
          "--ordering",
          [&job, several](const std::string& words) { set_orderings(job, words, several); }, help)
      ->default_str(several ? "" : named_option(kOrdering).initial)
      ->type_name("NAME|FILE")
      ->trigger_on_parse()
      ->group("Method");
}

void add_fundamental_flag(CLI::App& command, JobOptions& job) {
  command
      .add_flag_function(
          "--fundamental",
          [&job](std::int64_t) { set_named(job, "--fundamental", "analyze.amalgamate", "false"); },
          "keep the fundamental supernodes of the elimination tree: merge none")
      ->trigger_on_parse()
      ->group("Method");
}

const NamedOption* named_option_of(const CLI::Option& option) {
  for (const NamedFlag& flag : kFlags)
    if (flag.flag == option.get_name()) return &named_option(flag.name);
  return nullptr;
}

std::string_view flag_of(std::string_view name) {
  for (const NamedFlag& flag : kFlags)
    if (flag.name == name) return flag.flag;
  return "";
}

}  // namespace kauri::cli
