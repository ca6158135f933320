// Conversion of the program's options to library objects: the backend and the options of the
// analysis.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/job/job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kauri/core/error.hpp"
#include "kauri/extras/io.hpp"
#include "src/cli/job/limits.hpp"

namespace kauri::cli {
namespace {

constexpr int kMostWorkers = 16;  // most tasks at once of a plan: more gain less than their memory
                                  // costs; AnalyzeOptions::workers = 0 has the same limit

/// Raises oneTBB's limit on threads to `threads`, while the result lives; null for 0. A backend
/// uses no more threads than oneTBB allows the process, and this program, which owns the process,
/// allows as many as its user asks for.
std::unique_ptr<tbb::global_control> allow_threads(int threads) {
  if (threads == 0) return nullptr;
  return std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                               static_cast<std::size_t>(threads));
}

AnalyzeOptions options_for(const System& system, const Job& job, const LimitOptions& limits) {
  const Pattern pattern = system.matrix.pattern();
  require_for_analysis(pattern, limits, system.name);
  AnalyzeOptions options = job.analyze();
  if (job.given) {
    if (job.given->size() != static_cast<std::size_t>(pattern.n))
      throw Error(ErrorKind::input, fmt::format("{}: has {} rows, but {} has {}", job.given_file,
                                                job.given->size(), system.name, pattern.n));
    options.permutation = Permutation::from_old_of(*job.given);
  }
  return options;
}

/// Returns work(A's pattern, options), called with a memory fence.
Analysis run(const System& system, const LimitOptions& limits, const AnalyzeOptions& options,
             Analysis (*work)(const Pattern&, const AnalyzeOptions&)) {
  return fenced("the analysis of " + system.name, limits,
                [&] { return work(system.matrix.pattern(), options); });
}

/// Returns the predicted seconds of the whole job with a candidate that has a plan: its ordering
/// and all expected factorisations and solves.
double predicted_job_seconds(const Analysis::Candidate& candidate, const AnalyzeOptions& options) {
  const Cost& cost = candidate.plan->cost;
  return candidate.predicted_order_s +
         options.factorizations *
             (cost.predicted_factor_s + options.solves * cost.predicted_solve_s);
}

/// Marks the candidate of the least predicted time as chosen, the first of equal ones, and sets the
/// plan and the reason of the analysis. Throws Error(usage) if no ordering was available.
void choose_least(Analysis& analysis, const AnalyzeOptions& options) {
  Analysis::Candidate* best = nullptr;
  for (Analysis::Candidate& candidate : analysis.candidates)
    if (candidate.plan && (best == nullptr || predicted_job_seconds(candidate, options) <
                                                  predicted_job_seconds(*best, options)))
      best = &candidate;
  if (best == nullptr)
    throw Error(
        ErrorKind::usage,
        "--ordering: none of the named orderings is available in this build; name another one, for "
        "example amd");
  best->chosen = true;
  analysis.plan = best->plan;
  analysis.reason = fmt::format(
      "{}: of the named orderings, the least predicted time of ordering, factorisations and "
      "solves: {:.3g} s",
      ordering_name(*best), predicted_job_seconds(*best, options));
}

}  // namespace

Backend make_backend(const JobOptions& options) {
  return options.solver.backend == BackendChoice::cuda
             ? cuda_backend(options.solver.cuda)
             : cpu_backend(threads_of(options), options.solver.cpu);
}

Job make_job(const JobOptions& options, const LimitOptions& limits) {
  if (is_mixed(options) && options.scalar == "float")
    throw Error(ErrorKind::usage,
                "--precision mixed solves in double: not with --scalar float; omit one of the two");
  SolverOptions solver = options.solver;
  solver.threads = threads_of(options);
  auto threads = allow_threads(solver.threads);
  Job job{std::move(threads),
          std::make_shared<Symbolic>(std::move(solver), scalar_bytes(options)),
          {},
          options.ordering_file};
  AnalyzeOptions& analyze = job.analyze();
  if (analyze.target.empty()) analyze.target = job.backend().target();
  if (options.solver.analyze.workers == 0)
    analyze.workers = std::clamp(job.backend().threads(), 1, kMostWorkers);
  if (!job.given_file.empty())
    job.given = fenced("reading " + job.given_file, limits,
                       [&] { return read_permutation(job.given_file); });
  return job;
}

Analysis& analyze_system(const System& system, Job& job, const LimitOptions& limits, Index nrhs) {
  job.symbolic->analyze(options_for(system, job, limits), nrhs, [&](const AnalyzeOptions& options) {
    return run(system, limits, options, analyze_with_report);
  });
  return job.symbolic->analysis;
}

Analysis compare_system(const System& system, const Job& job, const LimitOptions& limits) {
  return run(system, limits, options_for(system, job, limits), compare_orderings);
}

Analysis compare_system(const System& system, const Job& job, const LimitOptions& limits,
                        const std::vector<OrderingMethod>& methods) {
  Analysis all;
  AnalyzeOptions options = options_for(system, job, limits);
  const auto add = [&] {
    const Analysis one = run(system, limits, options, analyze_with_report);
    all.candidates.push_back(one.candidates.front());
    Analysis::Candidate& candidate = all.candidates.back();
    candidate.order_s = one.order_s;
    candidate.symbolic_s = one.symbolic_s;
    candidate.chosen = false;
    all.order_s += one.order_s;
    all.symbolic_s += one.symbolic_s;
  };
  if (options.permutation) add();
  options.permutation.reset();
  for (const OrderingMethod method : methods) {
    options.ordering.method = method;
    if (ordering_available(method))
      add();
    else
      all.candidates.push_back(
          {.method = method, .plan = nullptr, .note = "not available in this build"});
  }
  choose_least(all, job.analyze());
  return all;
}

std::string ordering_name(const Plan& plan) {
  return plan.given ? "given" : std::string(name_of(plan.ordering));
}

std::string ordering_name(const Analysis::Candidate& candidate) {
  return candidate.given ? "given" : std::string(name_of(candidate.method));
}

std::string ordering_label(const std::string& name, const JobOptions& options) {
  return name == name_of(OrderingMethod::nested_dissection)
             ? fmt::format("{} ({})", name, name_of(options.solver.analyze.ordering.effort))
             : name;
}

double fill_ratio(const Plan& plan) {
  return static_cast<double>(plan.cost.nnz_l) / static_cast<double>(std::max<Offset>(1, plan.nnz));
}

int scalar_bytes(const JobOptions& options) {
  return options.scalar == "float" || is_mixed(options) ? sizeof(float) : sizeof(double);
}

bool is_mixed(const JobOptions& options) {
  return options.taken.value_or(options.solver.precision) == Precision::mixed;
}

}  // namespace kauri::cli
