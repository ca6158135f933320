// kauri bench: every phase timed on several systems, one JSON line each, with the names of the reference tables.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>

#include "kauri/error.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/job.hpp"
#include "src/cli/limits.hpp"
#include "src/cli/measure.hpp"
#include "src/cli/report.hpp"
#include "src/cli/trial.hpp"

namespace kauri::cli {
namespace {

constexpr Index kMany = 32;

struct Options {
  SystemOptions system;
  JobOptions job;
  LimitOptions limits;
  int repetitions = 3;
};

constexpr const char* kFooter = R"(
Keys of a line: reorder_s, symbolic_s; factor1_s, the first factorisation with the allocation of L; factor_s, the least of
--reps refactorisations; solve1_s and solve32_s, the least of three solves in place for 1 and 32 right-hand sides;
nnzL, flops (exact, no padding), predicted_factor_s; residual, |b - A x| / (|A| |x| + |b|) in the largest norm, not refined;
mem_gb, the most that factor and workspaces held. A system that fails has its reason in "fail" and null for what is missing;
the exit code is the largest of all systems.)";

/// Every key there is, in order, with null for what was not reached.
Json empty_line(const std::string& system, const Job& job, const Options& options) {
  Json line = header("bench", system, job.backend, options.job, nullptr);
  for (const char* key :
       {"n", "nnz_lower", "read_s", "reorder_s", "symbolic_s", "factor1_s", "factor_s", "predicted_factor_s", "solve1_s", "solve32_s",
        "nnzL", "flops", "stored_entries", "residual", "backward_error_componentwise", "mem_gb", "peak_bytes", "peak_rss_bytes"})
    line[key] = nullptr;
  line["reps"] = options.repetitions;
  line["status"] = "failed";
  line["column"] = nullptr;
  line["fail"] = "";
  return line;
}

void add_analysis(Json& line, const System& system, const Analysis& analysis) {
  const Cost& cost = analysis.plan->cost;
  line["ordering"] = ordering_name(*analysis.plan);
  line["read_s"] = system.read_s;
  line["reorder_s"] = analysis.order_s;
  line["symbolic_s"] = analysis.symbolic_s;
  line["predicted_factor_s"] = cost.predicted_factor_s;
  line["nnzL"] = cost.nnz_l;
  line["flops"] = whole(cost.flops);
  line["stored_entries"] = cost.stored_entries;
}

void add_trial(Json& line, const Trial& trial) {
  line["factor1_s"] = trial.factor1_s;
  line["peak_bytes"] = trial.peak_bytes;
  line["mem_gb"] = static_cast<double>(trial.peak_bytes) / 1e9;
  line["peak_rss_bytes"] = peak_rss_bytes();
  if (trial.breakdown) return;
  line["factor_s"] = trial.factor_s;
  line["solve1_s"] = trial.solve1_s;
  line["solve32_s"] = trial.solve_many_s;
  line["residual"] = trial.backward_error.normwise;
  line["backward_error_componentwise"] = trial.backward_error.componentwise;
  line["status"] = "ok";
}

/// Fills the line as far as it gets. Throws Error.
int bench_system(const Options& options, const Source& source, Job& job, Json& line) {
  const System system = load(source, options.system.shift, options.limits);
  add_size(line, system);
  const Analysis analysis = analyze_system(system, job, options.limits);
  add_analysis(line, system, analysis);
  require(demand(*analysis.plan, scalar_bytes(options.job), kMany), options.limits, system.name);
  const Trial trial = measure(options.job.scalar, analysis.plan, system, job.backend, {options.repetitions, kMany, options.job.seed});
  add_trial(line, trial);
  if (!trial.breakdown) return kOk;
  line["status"] = "not_positive_definite";
  line["column"] = trial.breakdown->column;
  line["fail"] = fmt::format("not positive definite: column {} met the pivot {:.6g}", trial.breakdown->column, trial.breakdown->pivot);
  return kIndefinite;
}

/// One line; what goes wrong with one system does not keep the next from its turn.
int bench_line(const Options& options, const Source& source, Job& job) {
  Json line = empty_line(source.name(), job, options);
  int code = kOk;
  reset_peak_rss();
  try {
    code = bench_system(options, source, job, line);
  } catch (const Error& error) {
    code = exit_code_of(error);
    line["fail"] = error.what();
  } catch (const std::bad_alloc&) {
    code = kResources;
    line["fail"] = "out of memory";
  }
  print_line(line);
  if (code != kOk) complain(fmt::format("{}: {}", source.name(), line["fail"].get<std::string>()));
  return code;
}

int bench(const Options& options) {
  Job job = make_job(options.job);
  int code = kOk;
  for (const Source& source : sources(options.system)) code = std::max(code, bench_line(options, source, job));
  return code;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("bench", "time every phase on several systems: JSON lines");
  const auto options = std::make_shared<Options>();
  command->footer(kFooter);
  add_system_options(*command, options->system, true);
  add_job_options(*command, options->job, ordering_words());
  add_scalar_option(*command, options->job);
  command->add_option("--reps", options->repetitions, "refactorisations timed; the least counts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->group("Method");
  add_limit_options(*command, options->limits);
  command->callback([options, &exit_code] { exit_code = bench(*options); });
}

}  // namespace kauri::cli
