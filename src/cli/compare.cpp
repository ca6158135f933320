// kauri compare: what each ordering costs, predicted or measured, and what decides.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "kauri/error.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/job.hpp"
#include "src/cli/limits.hpp"
#include "src/cli/report.hpp"
#include "src/cli/text.hpp"
#include "src/cli/trial.hpp"

namespace kauri::cli {
namespace {

struct CompareOptions : CommonOptions {
  bool factor = false;
  int repetitions = 3;
};

/// A candidate, and its measurement where one was asked for and allowed.
struct Row {
  const Candidate* candidate;
  std::optional<Trial> trial;
  std::string note;  ///< why something is missing, or empty
};

std::vector<Row> make_rows(const CompareOptions& options, const System& system, Job& job, const Analysis& analysis) {
  std::vector<Row> rows;
  for (const Candidate& candidate : analysis.candidates) {
    Row row{&candidate, {}, candidate.note};
    if (candidate.plan && options.factor) {
      row.note = refusal(demand(*candidate.plan, scalar_bytes(options.job), 1), options.limits, system.name);
      if (row.note.empty())
        row.trial = measure(options.job.scalar, candidate.plan, system, job.backends.current(), {options.repetitions, 0, options.job.seed});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_trial(Json& object, const Row& row) {
  const bool ok = row.trial && !row.trial->breakdown;
  const auto if_ok = [ok](double value) { return ok ? Json(value) : Json(nullptr); };
  object["status"] = row.trial ? name_of(row.trial->status) : "not_run";
  object["column"] = row.trial && !ok ? Json(row.trial->breakdown->column) : Json(nullptr);
  object["factor_s"] = if_ok(ok ? row.trial->factor_s : 0);
  object["solve1_s"] = if_ok(ok ? row.trial->solve1_s : 0);
  object["backward_error"] = if_ok(ok ? row.trial->backward_error.normwise : 0);
  object["backward_error_componentwise"] = if_ok(ok ? row.trial->backward_error.componentwise : 0);
}

Json to_json(const Row& row, const CompareOptions& options) {
  const Candidate& candidate = *row.candidate;
  const Plan* plan = candidate.plan.get();
  const int scalar = scalar_bytes(options.job);
  const auto if_plan = [plan](auto value_of) { return plan != nullptr ? Json(value_of(*plan)) : Json(nullptr); };
  Json object;
  add_ordering(object, ordering_name(candidate), options.job);
  object["order_s"] = if_plan([&](const Plan&) { return candidate.order_s; });
  object["symbolic_s"] = if_plan([&](const Plan&) { return candidate.symbolic_s; });
  object["nnzL"] = if_plan([](const Plan& p) { return p.cost.nnz_l; });
  object["flops"] = if_plan([](const Plan& p) { return whole(p.cost.flops); });
  object["fill_ratio"] = if_plan([](const Plan& p) { return fill_ratio(p); });
  object["tree_height"] = if_plan([](const Plan& p) { return p.cost.tree_height; });
  object["largest_front"] = if_plan([](const Plan& p) { return p.cost.largest_front; });
  object["factor_bytes"] = if_plan([&](const Plan& p) { return p.factor_bytes(scalar); });
  object["peak_bytes"] = if_plan([&](const Plan& p) { return p.peak_bytes(scalar); });
  object["predicted_factor_s"] = if_plan([](const Plan& p) { return p.cost.predicted_factor_s; });
  object["chosen"] = candidate.chosen;
  object["note"] = row.note;
  if (options.factor) add_trial(object, row);
  return object;
}

Json to_json(const CompareOptions& options, const System& system, const Job& job, const Analysis& analysis, const std::vector<Row>& rows) {
  Json object = system_header("compare", system, job.backends.current(), options.job, ordering_name(*analysis.plan));
  object["orderings"] = Json::array();
  for (const Row& row : rows) object["orderings"].push_back(to_json(row, options));
  object["reason"] = analysis.reason;
  return object;
}

std::vector<std::string> trial_cells(const Row& row) {
  if (!row.trial) return {"-", "-", "-"};
  if (row.trial->breakdown) return {fmt::format("fails at {}", row.trial->breakdown->column), "-", "-"};
  return {seconds(row.trial->factor_s), seconds(row.trial->solve1_s), error(row.trial->backward_error.componentwise)};
}

std::string to_text(const CompareOptions& options, const System& system, const Job& job, const Analysis& analysis,
                    const std::vector<Row>& rows) {
  std::vector<std::string> head = {"ordering", "order", "entries of L", "fill", "operations", "height", "front", "L", "peak", "predicted"};
  if (options.factor) head.insert(head.end(), {"measured", "solve", "error"});
  Table table(head);
  std::string notes;
  const int scalar = scalar_bytes(options.job);
  for (const Row& row : rows) {
    const std::string label = ordering_label(ordering_name(*row.candidate), options.job),
                      name = label + (row.candidate->chosen ? " *" : "");
    if (!row.note.empty()) notes += fmt::format("  {}: {}\n", label, row.note);
    if (!row.candidate->plan) continue;
    const Plan& plan = *row.candidate->plan;
    const Cost& cost = plan.cost;
    std::vector<std::string> cells = {name,
                                      seconds(row.candidate->order_s),
                                      count(static_cast<double>(cost.nnz_l)),
                                      fmt::format("{:.3g}x", fill_ratio(plan)),
                                      count(cost.flops),
                                      integer(cost.tree_height),
                                      integer(cost.largest_front),
                                      bytes(static_cast<double>(plan.factor_bytes(scalar))),
                                      bytes(static_cast<double>(plan.peak_bytes(scalar))),
                                      seconds(cost.predicted_factor_s)};
    if (options.factor)
      for (std::string& cell : trial_cells(row)) cells.push_back(std::move(cell));
    table.add(std::move(cells));
  }
  return fmt::format("{}\non {}; height and front in columns, predicted{} for the factorisation\n\n{}{}\n* {}\n", title(system),
                     where(job.backends.current(), options.job), options.factor ? " and measured" : "", table.text(), notes,
                     analysis.reason);
}

/// Not positive definite in one ordering is so in all, rounding apart; and an overflow likewise.
Status verdict(const std::vector<Row>& rows) {
  Status worst = Status::ok;
  for (const Row& row : rows)
    if (row.trial && worst != Status::indefinite && row.trial->status != Status::ok) worst = row.trial->status;
  return worst;
}

int compare(const CompareOptions& options) {
  Job job = make_job(options.job);
  if (!job.given && options.job.ordering != "auto")
    throw Error(ErrorKind::usage, "--ordering: compare tries every ordering; it takes a FILE with one more here");
  const System system = load_one(options.system, options.limits, options.job.threads);
  const Analysis analysis = compare_system(system, job, options.limits);
  const std::vector<Row> rows = make_rows(options, system, job, analysis);
  print_report(
      options.json, [&] { return to_json(options, system, job, analysis, rows); },
      [&] { return to_text(options, system, job, analysis, rows); });
  const Status status = verdict(rows);
  if (status == Status::indefinite) complain(fmt::format("{} is not positive definite", system.name));
  if (status == Status::not_finite) complain(fmt::format("{} is {}", system.name, reason_of(status, {}, options.job)));
  return exit_code_of(status);
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("compare", "what each ordering costs, and which one is best");
  const auto options = std::make_shared<CompareOptions>();
  add_common_options(*command, *options,
                     "a FILE with one more to compare: one row number a line, from 0,\nthe one eliminated first on top");
  add_expectations(*command, options->job);
  command->add_flag("--factor", options->factor, "factorise and solve with each as well, and show the times")->group("Method");
  add_repetitions_option(*command, options->repetitions, "with --factor: refactorisations timed; the least counts");
  command->callback([options, &exit_code] { exit_code = compare(*options); });
}

}  // namespace kauri::cli
