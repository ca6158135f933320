// kauri analyze: one ordering and its plan, without numeric work.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "kauri/extras/save.hpp"
#include "src/cli/commands/commands.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/job/limits.hpp"
#include "src/cli/job/output_file.hpp"
#include "src/cli/report/report.hpp"
#include "src/cli/terminal/progress.hpp"
#include "src/cli/terminal/text.hpp"
#include "symbolic/plan/plan_facts.hpp"

namespace kauri::cli {
namespace {

struct AnalysisOptions : CommonOptions {
  std::string permutation_file, plan_file;
};

/// Writes the permutation to a file that --ordering FILE reads: one row number a line, counted from
/// 0, the row that is eliminated first on top.
void write_permutation(const std::string& path, const Permutation& permutation) {
  std::string lines;
  for (const Index row : permutation.old_of())
    fmt::format_to(std::back_inserter(lines), "{}\n", row);
  write_file(path, lines);
}

void write_files(const AnalysisOptions& options, const Plan& plan) {
  const auto write = [&](const std::string& path, const auto& to_file) {
    if (!path.empty()) fenced("writing " + path, options.limits, [&] { to_file(path); });
  };
  write(options.permutation_file,
        [&](const std::string& path) { write_permutation(path, plan.perm); });
  write(options.plan_file, [&](const std::string& path) { save_plan(path, plan); });
}

Json to_json(const AnalysisOptions& options, const System& system, const Job& job,
             const Analysis& analysis, const std::string& refused) {
  const Plan& plan = *analysis.plan;
  const Cost& cost = plan.cost;
  const int scalar = scalar_bytes(options.job);
  Json object = system_header("analyze", system, job.backend(), options.job, ordering_name(plan));
  object["reorder_s"] = analysis.order_s;
  object["symbolic_s"] = analysis.symbolic_s;
  object["nnzL"] = cost.nnz_l;
  object["flops"] = whole(cost.flops);
  object["fill_ratio"] = fill_ratio(plan);
  object["stored_entries"] = cost.stored_entries;
  object["executed_flops"] = whole(cost.executed_flops);
  object["tree_height"] = cost.tree_height;
  object["largest_front"] = cost.largest_front;
  object["largest_supernode"] = cost.largest_supernode;
  object["supernodes"] = plan.supernodes.count();
  object["tasks"] = symbolic::task_count(plan);
  object["fronts"] = Json::array();
  for (const Cost::FrontBin& bin : cost.fronts)
    object["fronts"].push_back(
        {{"least_order", bin.least_order}, {"count", bin.count}, {"flops", whole(bin.flops)}});
  object["factor_bytes"] = plan.factor_bytes(scalar);
  object["peak_bytes"] = plan.peak_bytes(scalar);
  object["workspace_bytes"] = plan.workspace_bytes(scalar, 1);
  object["plan_bytes"] = plan.plan_bytes();
  object["available_bytes"] = available_bytes();
  object["predicted_factor_s"] = cost.predicted_factor_s;
  object["predicted_solve_s"] = cost.predicted_solve_s;
  object["predicted_create_s"] = cost.predicted_create_s;
  object["refused"] = refused.empty() ? Json(nullptr) : Json(refused);
  object["too_large_block"] = symbolic::too_large_block(plan);
  object["reason"] = analysis.reason;
  add_targets(object, analysis);
  return object;
}

std::string front_table(const Cost& cost) {
  Table table({"fronts of order", "number", "operations", "share"});
  for (const Cost::FrontBin& bin : cost.fronts) {
    if (bin.count == 0) continue;
    table.add({fmt::format("{} to {}", integer(bin.least_order),
                           integer(2 * Offset{bin.least_order} - 1)),
               integer(bin.count), count(bin.flops),
               fmt::format("{:.1f} %",
                           cost.executed_flops > 0 ? 100 * bin.flops / cost.executed_flops : 0)});
  }
  return table.text();
}

std::string to_text(const AnalysisOptions& options, const System& system, const Job& job,
                    const Analysis& analysis, const std::string& refused) {
  const Plan& plan = *analysis.plan;
  const Cost& cost = plan.cost;
  const int scalar = scalar_bytes(options.job);
  const auto memory = [](Offset b) { return bytes(static_cast<double>(b)); };
  const double stored = static_cast<double>(cost.stored_entries) /
                        static_cast<double>(std::max<Offset>(1, cost.nnz_l));
  Facts facts;
  facts.add("ordering", ordering_label(ordering_name(plan), options.job),
            fmt::format("{}, then {} for the plan", seconds(analysis.order_s),
                        seconds(analysis.symbolic_s)));
  facts.add("entries of L", count(static_cast<double>(cost.nnz_l)),
            fmt::format("{:.3g} times the lower triangle of A; stored {:.2f}x", fill_ratio(plan),
                        stored));
  facts.add("operations", count(cost.flops),
            fmt::format("executed {}", count(cost.executed_flops)));
  facts.add("tree", fmt::format("height {}", integer(cost.tree_height)),
            fmt::format("{} supernodes, the largest of {} columns",
                        integer(plan.supernodes.count()), integer(cost.largest_supernode)));
  facts.add("memory", memory(plan.peak_bytes(scalar)),
            fmt::format("factor {}, plan {}; available {}", memory(plan.factor_bytes(scalar)),
                        memory(plan.plan_bytes()), memory(available_bytes())));
  facts.add("predicted", seconds(cost.predicted_factor_s),
            fmt::format("to factorise; {} to solve", seconds(cost.predicted_solve_s)));
  std::string text =
      fmt::format("{}\non {}{}\n\n{}\n{}", title(system), where(job.backend(), options.job),
                  options.job.solver.analyze.target.empty() ? "" : ", planned for " + plan.target,
                  facts.text(), front_table(cost));
  if (!analysis.reason.empty()) text += "\n" + analysis.reason + "\n";
  text += target_lines(analysis);
  if (!refused.empty()) text += "kauri solve would refuse: " + refused + "\n";
  return text;
}

int analyze(const AnalysisOptions& options) {
  if (!options.plan_file.empty()) check_folder(options.plan_file);
  check_apart({{"-o", options.permutation_file}, {"--save-plan", options.plan_file}}, options);
  Job job = make_job(options.job, options.limits);
  const System system = [&] {
    const Phase phase(options.json, "reading");
    return load_one(options.system, options.limits, threads_of(options.job));
  }();
  const Analysis analysis = [&] {
    const Phase phase(options.json, "ordering " + system.name);
    return analyze_system(system, job, options.limits, 1);
  }();
  const std::string refused =
      refusal(demand(*analysis.plan, options.job, 1), options.limits, system.name);
  write_files(options, *analysis.plan);
  print_report(
      options.json, [&] { return to_json(options, system, job, analysis, refused); },
      [&] { return to_text(options, system, job, analysis, refused); });
  warn_of_plan(system.name, *analysis.plan, job.backend());
  return kOk;
}

}  // namespace

void add_analyze(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "analyze", "order A and show the plan: fill, operations, memory, predicted time");
  const auto options = std::make_shared<AnalysisOptions>();
  add_common_options(*command, *options, ordering_words());
  add_expectations(*command, options->job);
  add_plan_options(*command, options->job);
  command
      ->add_option("-o", options->permutation_file,
                   "write the permutation, in the format of --ordering FILE")
      ->type_name("FILE")
      ->group("Output");
  command->add_option("--save-plan", options->plan_file, "write the plan, for load_plan()")
      ->type_name("FILE")
      ->group("Output");
  command->callback([options, &exit_code] { exit_code = analyze(*options); });
}

}  // namespace kauri::cli
