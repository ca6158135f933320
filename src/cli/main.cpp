// The program kauri: parses the command line, runs a subcommand, and turns errors into messages and
// exit codes.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>

#include "kauri/core/version.hpp"
#include "src/cli/commands/commands.hpp"
#include "src/cli/options/completion.hpp"
#include "src/cli/options/manual.hpp"
#include "src/cli/options/options.hpp"
#include "src/cli/options/usage.hpp"
#include "src/cli/report/attempt.hpp"
#include "src/cli/report/report.hpp"
#include "src/cli/terminal/signals.hpp"

namespace kauri::cli {
namespace {

constexpr const char* kDescription =
    "kauri solves A x = b for sparse symmetric positive definite A by Cholesky factorisation, P A "
    "P^T = L L^T,\n"
    "and compares what orderings P cost.\n";

constexpr const char* kFooter = R"(
Examples:
  kauri solve --gen "poisson3d 40"                 a made system, random right-hand side
  kauri solve stiffness.mtx.gz --rhs b.npy -o x.npy
  kauri compare stiffness.mtx.gz                   what each ordering would cost
  kauri analyze --gen "elast3d 24" --ordering amd  one ordering in detail, nothing factorised
  kauri compare *.mtx.gz --html report.html        several systems, with pictures, on one page
  kauri spy stiffness.mtx.gz --factor -o L.png     where the entries of L are
  kauri tree stiffness.mtx.gz -o tree.svg          the assembly tree
  kauri convert stiffness.npz stiffness.mtx.gz
  kauri options                                    all options of --set, with defaults
  kauri COMMAND --help                             all options of a command
Systems for --gen: see kauri generate --help.

Rows and columns count from 0. GB are 1e9 bytes; one multiply-add is two operations.
Exit codes: 0 ok; 1 wrong usage or input, or x does not count as a solution and is not written: its backward error is above
the root of the scalar's precision, for example with a loaded factor of other values, or, with --precision mixed, above what is
accepted (status "not_converged"), or x overflows the scalar ("not_finite");
2 A is not positive definite; 3 resources: more memory or operations than are available or than --max-gb and --max-flops allow
(reported before the work starts), or the device is not available.)";

/// Formatter of help texts: options as "--name TYPE=default", without the accepted values, which
/// the description lists; positional arguments by their type, as [FILE].
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_usage(const CLI::Option* option) const override {
    return option->get_required() ? option->get_type_name() : "[" + option->get_type_name() + "]";
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string words = type_of(*option);
    if (words.empty()) return words;
    words = " " + words;
    if (!option->get_default_str().empty()) words += "=" + option->get_default_str();
    return words;
  }
};

/// Adds --completion SHELL and --manual, which print and end the program, as --help does.
void add_printing(CLI::App& app) {
  const auto print_it = [](const std::string& text) {
    print(text);
    flush_output();
    throw CLI::Success();
  };
  const auto completion = [&app, print_it](const std::string& shell) {
    print_it(shell == "bash"  ? bash_completion(app)
             : shell == "zsh" ? zsh_completion(app)
                              : fish_completion(app));
  };
  app.add_option_function<std::string>(
         "--completion", completion,
         "print completion for a shell: bash, zsh or fish; source <(kauri --completion bash)")
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->trigger_on_parse();
  app.add_flag_function(
         "--manual", [&app, print_it](std::int64_t) { print_it(manual(app)); },
         "print the manual page, for man -l -")
      ->trigger_on_parse();
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "kauri");
  int exit_code = kOk;
  app.set_version_flag("--version", fmt::format("kauri {} ({})", version(), commit()));
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(24);
  app.formatter(formatter);
  app.require_subcommand(1);
  add_solve(app, exit_code);
  add_analyze(app, exit_code);
  add_compare(app, exit_code);
  add_bench(app, exit_code);
  add_generate(app, exit_code);
  add_info(app, exit_code);
  add_spy(app, exit_code);
  add_tree(app, exit_code);
  add_convert(app, exit_code);
  add_tune(app, exit_code);
  add_options(app, exit_code);
  add_printing(app);
  app.footer(kFooter);  // set after the commands, which would inherit it
  check_words(app, argc, argv);
  try {
    app.parse(argc, argv);
    flush_output();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      app.exit(error, std::cout, std::cerr);  // prints the help or the version
      std::cout.flush();
      flush_output();
      return kOk;
    }
    complain(error.what() + see_help(app, argc, argv));
    return kInput;
  }
  return exit_code;
}

}  // namespace
}  // namespace kauri::cli

int main(int argc, char** argv) {
  using namespace kauri::cli;
  remove_files_on_signals();
  try {
    return attempt([&] { return run(argc, argv); }, complain);
  } catch (const std::exception& error) {
    complain(error.what());
    return kInput;
  }
}
