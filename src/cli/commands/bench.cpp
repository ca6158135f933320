// kauri bench: times every phase on several systems; one line of JSON each, whose keys the scripts
// in bench read.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "src/cli/commands/commands.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/job/limits.hpp"
#include "src/cli/options/named.hpp"
#include "src/cli/report/attempt.hpp"
#include "src/cli/report/report.hpp"
#include "src/cli/report/trial.hpp"
#include "src/cli/terminal/measure.hpp"
#include "src/cli/terminal/progress.hpp"
#include "src/report/phase_work.hpp"
#include "symbolic/plan/plan_facts.hpp"

namespace kauri::cli {
namespace {

constexpr Index kMany = 32;

struct BenchOptions {
  SystemOptions system;
  JobOptions job;
  LimitOptions limits;
  int repetitions = 3;
  bool one_solve = false;
  bool json = false;  ///< no progress at a terminal; the output is JSON in any case, and scripts
                      ///< may pass --json to each command
};

constexpr const char* kBenchFooter = R"(
Keys of a line: reorder_s, symbolic_s; prepare_s, the upload of a plan; create_s, the making of a factor; factor1_s,
that and the first factorisation; factor_s, the least of --reps refactorisations, on a device both with A's values there
already; solve1_s and solve32_s, the least of three solves in place for 1 and 32 right-hand sides; nnzL, flops (exact, no
padding), predicted_factor_s; residual, |b - A x| / (|A| |x| + |b|) in the largest norm, not refined; planned_bytes, what
the plan says that a factor takes, prepared_bytes of the plan on a device included; factor_file_bytes, what it takes in a file beside that; mem_gb, the most
that plan on the device, factor and workspaces held; device_bytes, what the device's driver says that plan and factor
took of its memory; peak_rss_bytes, the most that the process held; factor_share, solve1_share and solve32_share, what
the roofline of peak_flops_s and peak_bytes_s, measured on a CPU, would take of that time. With --precision mixed the factor is one in float
with A scaled, factor_s has the scaling in it, solves are refined to the precision of double, and path, float_shift,
contraction, cg_steps, cg_contraction and unconverged report how the one with one right-hand side went.
A system that fails has its reason in "fail" and null for what is missing; the exit code is the largest of all systems.)";

/// Returns a line with all keys in their order, null for results that are not there yet.
Json empty_line(const std::string& system, const Job& job, const BenchOptions& options) {
  Json line = header("bench", system, job.backend(), options.job, nullptr);
  for (const char* key : {"n",
                          "nnz_lower",
                          "read_s",
                          "reorder_s",
                          "predicted_reorder_s",
                          "symbolic_s",
                          "prepare_s",
                          "create_s",
                          "factor1_s",
                          "factor_s",
                          "predicted_factor_s",
                          "predicted_create_s",
                          "solve1_s",
                          "predicted_solve_s",
                          "solve32_s",
                          "nnzL",
                          "flops",
                          "stored_entries",
                          "executed_flops",
                          "supernodes",
                          "front_rows",
                          "contribution_entries",
                          "device_work",
                          "too_large_block",
                          "target_reason",
                          "targets",
                          "precision",
                          "precision_reason",
                          "precisions",
                          "path",
                          "float_shift",
                          "contraction",
                          "cg_steps",
                          "cg_contraction",
                          "unconverged",
                          "smallest_pivot",
                          "residual",
                          "backward_error_componentwise",
                          "peak_flops_s",
                          "peak_bytes_s",
                          "factor_share",
                          "solve1_share",
                          "solve32_share",
                          "prepared_bytes",
                          "planned_bytes",
                          "factor_file_bytes",
                          "mem_gb",
                          "peak_bytes",
                          "device_bytes",
                          "peak_rss_bytes"})
    line[key] = nullptr;
  line["reps"] = options.repetitions;
  line["status"] = "failed";
  line["column"] = nullptr;
  line["fail"] = "";
  return line;
}

/// Returns the device's work as JSON, which bench/cuda/fit_device_cost.py reads.
Json work_json(const symbolic::DeviceWork& work) {
  const auto small_json = [](const symbolic::DeviceWork::Small& s) {
    return Json{{"fronts", s.fronts}, {"levels", s.levels}, {"bytes", whole(s.bytes)}};
  };
  Json object = {{"narrow", small_json(work.narrow)},
                 {"small", small_json(work.small)},
                 {"upload_bytes", whole(work.upload_bytes)}};
  object["tiled"] = Json::array();
  for (const symbolic::DeviceWork::Level& level : work.tiled)
    object["tiled"].push_back({{"fronts", level.fronts},
                               {"chain", level.chain},
                               {"panel_tiles", whole(level.panel_tiles)},
                               {"products", whole(level.products)},
                               {"bytes", whole(level.bytes)}});
  return object;
}

void add_analysis(Json& line, const System& system, const Analysis& analysis,
                  const JobOptions& options) {
  const Cost& cost = analysis.plan->cost;
  add_ordering(line, ordering_name(*analysis.plan), options);
  line["read_s"] = system.read_s;
  line["reorder_s"] = analysis.order_s;
  line["predicted_reorder_s"] = 0.0;
  for (const Analysis::Candidate& candidate : analysis.candidates)
    line["predicted_reorder_s"] =
        line["predicted_reorder_s"].get<double>() + candidate.predicted_order_s;
  line["symbolic_s"] = analysis.symbolic_s;
  line["predicted_factor_s"] = cost.predicted_factor_s;
  line["predicted_create_s"] = cost.predicted_create_s;
  line["predicted_solve_s"] = cost.predicted_solve_s;
  line["prepared_bytes"] = analysis.plan->prepared_bytes();
  line["factor_file_bytes"] = factor_in_file(*analysis.plan, options);
  line["planned_bytes"] =
      analysis.plan->peak_bytes(scalar_bytes(options)) - factor_in_file(*analysis.plan, options);
  line["nnzL"] = cost.nnz_l;
  line["flops"] = whole(cost.flops);
  line["stored_entries"] = cost.stored_entries;
  line["executed_flops"] = whole(cost.executed_flops);
  const Supernodes& nodes = analysis.plan->supernodes;
  line["supernodes"] = nodes.count();
  line["front_rows"] = nodes.row_ptr.back();
  Offset contributions = 0;
  for (Index s = 0; s < nodes.count(); ++s)
    contributions += Offset{nodes.contribution(s)} * (nodes.contribution(s) + 1) / 2;
  line["contribution_entries"] = contributions;
  if (analysis.plan->on_device())
    line["device_work"] = work_json(symbolic::device_work(*analysis.plan));
  line["too_large_block"] = symbolic::too_large_block(*analysis.plan);
}

void add_trial(Json& line, const Trial& trial, const JobOptions& options) {
  line["prepare_s"] = trial.prepare_s;
  line["create_s"] = trial.create_s;
  line["factor1_s"] = trial.factor1_s;
  line["peak_bytes"] = trial.peak_bytes;
  line["mem_gb"] = static_cast<double>(trial.peak_bytes) / 1e9;
  if (trial.device_bytes) line["device_bytes"] = *trial.device_bytes;
  line["peak_rss_bytes"] = peak_rss_bytes();
  line["status"] = name_of(trial.status);
  add_mixed(line, trial.mixed, options);
  line["smallest_pivot"] = trial.smallest_pivot;
  if (trial.breakdown) return;
  line["factor_s"] = trial.factor_s;
  line["solve1_s"] = trial.solve1_s;
  if (trial.solve_many_s) line["solve32_s"] = *trial.solve_many_s;
  line["residual"] = trial.backward_error.normwise;
  line["backward_error_componentwise"] = trial.backward_error.componentwise;
}

/// Adds the roofline of the backend and the share of it that each phase reached. On the CPU the
/// roofline is measured once, at the first system, after that system's factor was freed.
void add_shares(Json& line, const Plan& plan, const Trial& trial, const Backend& backend,
                const JobOptions& options) {
  const int bytes = scalar_bytes(options);
  const Roofline roofline = fenced("measuring the machine", {}, [&] {
    return is_mixed(options) ? backend.mixed_roofline() : backend.roofline(bytes);
  });
  line["peak_flops_s"] = roofline.flops_per_s;
  line["peak_bytes_s"] = roofline.bytes_per_s;
  if (trial.breakdown) return;
  SolverReport::PhaseReport factor{trial.factor_s}, solve1{trial.solve1_s},
      solve_many{trial.solve_many_s.value_or(0)};
  count_factor(factor, plan, bytes);
  line["factor_share"] = factor.share_of(roofline);
  if (is_mixed(options)) return;  // solves include refinement, which count_solves() does not count
  count_solves(solve1, plan, bytes, 1);
  line["solve1_share"] = solve1.share_of(roofline);
  if (!trial.solve_many_s) return;
  count_solves(solve_many, plan, bytes, kMany);
  line["solve32_share"] = solve_many.share_of(roofline);
}

/// Runs one system and sets the keys of the line that it reaches; returns the exit code. Throws
/// Error.
int bench_system(const BenchOptions& given, const SystemSource& source, Job& job, Json& line) {
  BenchOptions options = given;
  const System system = [&] {
    const Phase phase(options.json, "reading " + source.text);
    return load(source, options.system, options.limits, threads_of(options.job));
  }();
  add_size(line, system);
  Analysis& analysis = [&]() -> Analysis& {
    const Phase phase(options.json, "ordering " + system.name);
    return analyze_system(system, job, options.limits, options.one_solve ? 1 : kMany);
  }();
  options.job.taken = job.symbolic->precision();
  add_analysis(line, system, analysis, options.job);
  warn_of_plan(system.name, *analysis.plan, job.backend());
  add_backend(line, job.backend(), options.job);
  add_targets(line, analysis);
  add_precisions(line, *job.symbolic);
  analysis.candidates.clear();  // frees the plans that were not chosen
  const Plan& plan = *analysis.plan;
  require(demand(plan, options.job, kMany), options.limits, system.name);
  release_free_memory();
  const Trial trial = [&] {
    const Phase phase(options.json, "timing " + system.name);
    return measure(options.job.scalar, job.symbolic, system,
                   trial_options(options.job, options.repetitions, options.one_solve ? 0 : kMany));
  }();
  add_trial(line, trial, options.job);
  add_shares(line, plan, trial, job.backend(), options.job);
  if (trial.breakdown) line["column"] = trial.breakdown->column;
  line["fail"] = reason_of(trial.status, trial.breakdown, options.job);
  return exit_code_of(trial.status);
}

/// Runs one system and prints its line; returns the exit code. An error goes into the line, so that
/// the other systems still run.
int bench_line(const BenchOptions& options, const SystemSource& source, Job& job) {
  Json line = empty_line(source.name(), job, options);
  reset_peak_rss();
  const int code = attempt([&] { return bench_system(options, source, job, line); },
                           [&](const std::string& why) { line["fail"] = why; });
  job.symbolic->adopt(nullptr);  // frees the plan before the next system is read
  print_line(line);
  if (code != kOk) complain(fmt::format("{}: {}", source.name(), line["fail"].get<std::string>()));
  return code;
}

int bench(const BenchOptions& options) {
  Job job = make_job(options.job, options.limits);
  job.symbolic->backends.start_device();
  int code = kOk;
  for (const SystemSource& source : sources(options.system))
    code = std::max(code, bench_line(options, source, job));
  return code;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("bench", "time every phase on several systems: JSON lines");
  const auto options = std::make_shared<BenchOptions>();
  command->footer(kBenchFooter);
  add_system_options(*command, options->system, true);
  add_job_options(*command, options->job, ordering_words());
  add_scalar_option(*command, options->job);
  add_precision_option(*command, options->job);
  add_named_flag(*command, options->job, "--factor-file");
  add_expectations(*command, options->job);
  add_repetitions_option(*command, options->repetitions,
                         "refactorisations timed; the least counts");
  command->add_flag("--one-solve", options->one_solve,
                    "solve for one right-hand side alone, not for 32");
  add_limit_options(*command, options->limits);
  command
      ->add_flag("--json", options->json,
                 "bench always prints JSON lines; with this no progress at a terminal")
      ->group("Output");
  command->callback([options, &exit_code] { exit_code = bench(*options); });
}

}  // namespace kauri::cli
