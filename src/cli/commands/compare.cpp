// kauri compare: the cost of each ordering, predicted or measured, and the reason for the choice.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "kauri/core/error.hpp"
#include "src/cli/commands/commands.hpp"
#include "src/cli/commands/compare_page.hpp"
#include "src/cli/commands/compare_report.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/job/limits.hpp"
#include "src/cli/job/output_file.hpp"
#include "src/cli/report/attempt.hpp"
#include "src/cli/terminal/progress.hpp"
#include "src/cli/terminal/text.hpp"

namespace kauri::cli {
namespace {

struct CompareOptions : CommonOptions {
  bool factor = false;
  int repetitions = 3;
  std::string page;  ///< the file of --html, or empty
};

/// Returns the orderings to compare, besides a permutation file; an empty list stands for all.
std::vector<OrderingMethod> methods_of(const JobOptions& options) {
  const OrderingMethod one = options.solver.analyze.ordering.method;
  if (options.methods.empty() && one != OrderingMethod::automatic) return {one};
  return options.methods;
}

std::vector<Row> make_rows(const CompareOptions& options, const System& system, Job& job,
                           const Analysis& analysis) {
  std::vector<Row> rows;
  for (const Analysis::Candidate& candidate : analysis.candidates) {
    Row row{&candidate, {}, candidate.note};
    if (candidate.plan && options.factor) {
      const Plan& plan = *candidate.plan;
      row.note = refusal(demand(plan, options.job, 1), options.limits, system.name);
      if (row.note.empty()) {
        job.symbolic->adopt(candidate.plan);
        row.trial = measure(options.job.scalar, job.symbolic, system,
                            trial_options(options.job, options.repetitions, 0));
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Returns the trial that decides the status of the system: the first that is
/// not_positive_definite, else the last that is not ok, else null. Up to rounding, a system that is
/// not positive definite, or whose solution overflows, with one ordering is so with all.
const Trial* failed_trial(const std::vector<Row>& rows) {
  const Trial* worst = nullptr;
  for (const Row& row : rows) {
    if (!row.trial || row.trial->status == Status::ok) continue;
    worst = &*row.trial;
    if (worst->status == Status::not_positive_definite) break;
  }
  return worst;
}

Analysis analyze_all(const CompareOptions& options, const System& system, const Job& job) {
  const Phase phase(options.json, "comparing orderings of " + system.name);
  const std::vector<OrderingMethod> methods = methods_of(options.job);
  return methods.empty() ? compare_system(system, job, options.limits)
                         : compare_system(system, job, options.limits, methods);
}

/// Runs and reports one system, and adds its section to `page` if --html is given. alone: it is the
/// only system. Throws Error.
ExitCode compare_one(const CompareOptions& options, const SystemSource& source, bool alone,
                     Job& job, std::string& page) {
  const System system = [&] {
    const Phase phase(options.json, "reading " + source.text);
    return load(source, options.system, options.limits, threads_of(options.job));
  }();
  const Analysis analysis = analyze_all(options, system, job);
  Comparison comparison{&system, &options.job, &job.backend(), &analysis, options.factor, {}};
  {
    const Phase phase(options.json || !options.factor, "factorising " + system.name);
    comparison.rows = make_rows(options, system, job, analysis);
  }
  if (!options.json)
    print(to_text(comparison) + (alone ? "" : "\n"));
  else if (alone)
    print_object(to_json(comparison));
  else
    print_line(to_json(comparison));
  flush_output();
  if (!options.page.empty()) {
    const Phase phase(options.json, "drawing " + system.name);
    page += page_section(comparison);
  }
  if (analysis.plan) warn_of_plan(system.name, *analysis.plan, job.backend());
  const Trial* failed = failed_trial(comparison.rows);
  if (!failed) return exit_code_of(Status::ok);
  complain(fmt::format("{} is {}", system.name,
                       reason_of(failed->status, failed->breakdown, options.job)));
  return exit_code_of(failed->status);
}

/// Reports the failure of one of several systems on the standard error, with --json also as a line
/// of JSON, and adds it to `page`. why: the text of the error. The other systems still run.
void tell_failure(const CompareOptions& options, const SystemSource& source, const Job& job,
                  const std::string& why, std::string& page) {
  complain(why);
  if (options.json) {
    Json line = header("compare", source.name(), job.backend(), options.job, nullptr);
    line["fail"] = why;
    print_line(line);
    flush_output();
  }
  page += failed_section(source.name(), why);
}

int compare_one_of_several(const CompareOptions& options, const SystemSource& source, Job& job,
                           std::string& page) {
  return attempt([&] { return compare_one(options, source, false, job, page); },
                 [&](const std::string& why) { tell_failure(options, source, job, why, page); });
}

int compare(const CompareOptions& options) {
  if (!options.page.empty()) check_page_name(options.page);
  check_apart({{"--html", options.page}}, options);
  Job job = make_job(options.job, options.limits);
  const std::vector<SystemSource> list = sources(options.system);
  std::string sections;
  int code = kOk;
  for (const SystemSource& source : list)
    code = list.size() == 1
               ? compare_one(options, source, true, job, sections)
               : std::max(code, compare_one_of_several(options, source, job, sections));
  if (options.page.empty()) return code;
  const std::string page = whole_page(sections, job.backend(), options.job);
  write_file(options.page, page);
  if (!options.json)
    print(fmt::format("{}{}: {}\n", list.size() == 1 ? "\n" : "", options.page,
                      bytes(static_cast<double>(page.size()))));
  return code;
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("compare", "show what each ordering costs, and which one is best");
  const auto options = std::make_shared<CompareOptions>();
  command->footer(
      "\nExamples:\n"
      "  kauri compare a.mtx.gz                                    all orderings, one system\n"
      "  kauri compare a.mtx b.npz --ordering amd,nd --factor      two orderings of two systems, "
      "measured\n"
      "  kauri compare --gen \"poisson2d 1000\" --ordering rcm,amd,nd --html page.html\n"
      "The page holds all it needs: tables, spy plots of P A P^T and L, assembly trees, sizes of "
      "supernodes and fronts, bars of time and\n"
      "memory. With --json each of several systems is a line of JSON; a single one is one object. "
      "If one of several systems fails, the\n"
      "others are still compared, and the exit code is the largest of all.");
  add_common_options(
      *command, *options,
      "names of the orderings to compare, such as rcm,amd,nd; by default all.\n"
      "A FILE is one more: one row number a line, from 0, the one eliminated first on top",
      true);
  add_expectations(*command, options->job);
  command
      ->add_flag("--factor", options->factor,
                 "factorise and solve with each as well, and show the times")
      ->group("Method");
  add_repetitions_option(*command, options->repetitions,
                         "with --factor: refactorisations timed; the least counts");
  command
      ->add_option("--html", options->page,
                   "write a page with figures and pictures of all systems and orderings")
      ->type_name("FILE")
      ->group("Output");
  command->callback([options, &exit_code] { exit_code = compare(*options); });
}

}  // namespace kauri::cli
