// kauri solve: read, order, analyse, factorise, solve, refine, report.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "kauri/extras/io.hpp"
#include "kauri/extras/save.hpp"
#include "src/checks/entry_place.hpp"
#include "src/checks/same_pattern.hpp"
#include "src/cli/commands/commands.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/job/limits.hpp"
#include "src/cli/job/output_file.hpp"
#include "src/cli/options/named.hpp"
#include "src/cli/options/usage.hpp"
#include "src/cli/report/report.hpp"
#include "src/cli/terminal/measure.hpp"
#include "src/cli/terminal/progress.hpp"
#include "src/cli/terminal/text.hpp"
#include "src/engine/engine.hpp"
#include "symbolic/plan/plan_facts.hpp"

namespace kauri::cli {
namespace {

struct SolveOptions : CommonOptions {
  Index nrhs = 1;
  bool nrhs_given = false;
  std::string rhs_file;
  bool condition = false;
  std::string output;
  std::string save_factor, load_factor;  // names of files, or empty
};

/// Results of one run.
struct Outcome {
  Status status = Status::ok;
  std::optional<Breakdown> breakdown;
  double smallest_pivot = 0;
  Index smallest_column = kNone;
  std::optional<PivotLoss>
      loss;  ///< worst pivot; none without a valid factor, or if mixed precision keeps L in float
  std::optional<ConditionEstimate> condition;
  double condition_s = 0;
  double factor_s = 0, solve_s = 0, refine_s = 0;
  Index nrhs = 1;
  Refinement refinement;
  std::optional<MixedReport> mixed;
  Offset planned_bytes = 0, peak_bytes = 0;
  Offset file_bytes = 0;  ///< size of the factor in a file, beside these
};

/// Reads the right-hand sides from the file and sets nrhs to their number. A memory fence guards
/// the reading, since the number of columns is not known before. Throws Error(input) for no
/// columns, for another number of columns than --nrhs, and for numbers that overflow T, and
/// Error(memory).
template <Scalar T>
std::vector<T> read_right_hand_sides(const SolveOptions& options, const System& system,
                                     Index& nrhs) {
  const Index n = system.matrix.n();
  const std::string file = opened(options.rhs_file);
  DenseMatrix b = fenced("reading " + file, options.limits,
                         [&] { return read_dense(file, threads_of(options.job), n); });
  if (b.cols == 0)
    throw Error(ErrorKind::input,
                fmt::format("{}: has no columns, expected 1 or more", options.rhs_file));
  if (options.nrhs_given && options.nrhs != b.cols)
    throw Error(ErrorKind::input, fmt::format("{}: has {} columns, but --nrhs asks for {}",
                                              options.rhs_file, b.cols, options.nrhs));
  nrhs = b.cols;
  require_for_vectors(n, nrhs, sizeof(T), options.limits, system.name);
  if constexpr (std::is_same_v<T, double>) {
    return std::move(b.value);
  } else {
    std::vector<T> rounded(b.value.begin(), b.value.end());
    const auto wrong =
        std::find_if(rounded.begin(), rounded.end(), [](T v) { return !std::isfinite(v); });
    if (wrong == rounded.end()) return rounded;
    const auto at = wrong - rounded.begin();
    throw Error(ErrorKind::input,
                fmt::format("{}: entry ({}, {}) is {} in float, expected a finite number",
                            options.rhs_file, at % n, at / n, *wrong));
  }
}

template <Scalar T>
void write_solution(const std::string& path, const std::vector<T>& x, Index n, Index nrhs) {
  if constexpr (std::is_same_v<T, double>) {
    write_dense(path, {x.data(), n, nrhs, n});
  } else {
    const std::vector<double> wide(x.begin(), x.end());
    write_dense(path, {wide.data(), n, nrhs, n});
  }
}

void take_breakdown(Outcome& out, const Breakdown& breakdown) {
  out.status = Status::not_positive_definite;
  out.breakdown = breakdown;
  out.smallest_pivot = breakdown.pivot;
  out.smallest_column = breakdown.column;
}

/// Loads the factor of a file, in place of an analysis and a factorisation. Throws Error(input) if
/// its pattern is not that of A. The values of A are not compared: the backward error of x shows
/// whether the factor is that of A.
template <Scalar T>
void load(const SolveOptions& options, const System& system, Engine<T>& engine, Outcome& out) {
  const std::string& file = options.load_factor;
  Symbolic& symbolic = engine.symbolic();
  const auto read = [&] { return load_factor<T>(file, symbolic.backend()); };
  // The fence would replace the text of an Error(memory) of the disk.
  const bool in_file = !options.job.solver.cpu.factor_file.empty();
  out.factor_s = seconds_of(
      [&] { engine.adopt(in_file ? read() : fenced("loading " + file, options.limits, read)); });
  if (const std::string difference =
          pattern_difference(system.matrix.pattern(), symbolic.pattern());
      !difference.empty())
    throw Error(ErrorKind::input,
                fmt::format("{}: the factor has another pattern than {}: {} (rows and columns "
                            "counted from 0); load that of the system, or factorise anew",
                            file, system.name, difference));
  symbolic.analysis.reason =
      fmt::format("the factor of {}: nothing was ordered or factorised", file);
}

/// Returns the number of right-hand sides that memory must suffice for; an estimate of the
/// condition counts as one more.
Index columns_of(const SolveOptions& options, const Outcome& out) {
  return out.nrhs + (options.condition ? 1 : 0);
}

/// Writes a factor to its file, then checks that memory is left for the solution, since the system
/// may not get back all that writing took. Throws Error.
template <Scalar T>
void save(const SolveOptions& options, const Engine<T>& engine, Index columns,
          const std::string& system) {
  fenced("writing " + options.save_factor, options.limits, [&] {
    engine.read([&](const Factor<T>& factor) { save_factor(options.save_factor, factor); });
  });
  release_free_memory();
  require_for_solve(*engine.symbolic().analysis.plan, options.job, columns, options.limits, system);
}

/// Factorises A, or gives the values of A to the factor that was loaded. Then saves the factor if
/// --save-factor is given, solves A X = B with refinement, and estimates the condition number if
/// --condition is given. Fills in `out` and returns X. A breakdown ends the job: X is empty if the
/// factorisation broke down, else NaN.
template <Scalar T>
std::vector<T> factorize_and_solve(const SolveOptions& options, const std::string& system,
                                   const SymmetricView<T>& a, const std::vector<T>& b,
                                   Engine<T>& engine, Outcome& out) {
  const Index n = a.pattern.n;
  const bool loaded = engine.is_prepared();
  Solution<T> solved =
      engine.factorize_and_solve({.value = a.value}, {b.data(), n, out.nrhs, n},
                                 {.corrections = options.job.solver.refine.max_steps}, [&] {
                                   if (!options.save_factor.empty())
                                     save(options, engine, columns_of(options, out), system);
                                 });
  const SolverReport& report = engine.last_report();
  if (!loaded) out.factor_s = report.prepare.seconds + report.factor.seconds;
  out.solve_s = report.solve.seconds;
  out.refine_s = report.refine.seconds;
  out.smallest_pivot = solved.verdict.smallest_pivot;
  out.smallest_column = solved.verdict.smallest_column;
  out.loss = solved.worst_pivot;
  if (solved.breakdown) {
    take_breakdown(out, *solved.breakdown);
  } else {
    const bool finite = all_finite(std::span<const T>(solved.x));
    out.refinement = report.refinement;
    out.status = status_of<T>(report.refinement.final_error, finite);
    if (is_mixed(options.job)) {
      out.mixed = report.mixed;
      out.status = status_of(report.mixed, finite);
    }
  }
  out.peak_bytes = engine.symbolic().backend().peak_bytes();
  if (options.condition && !out.breakdown)
    out.condition_s = seconds_of([&] { out.condition = engine.condition({}); });
  return std::move(solved.x);
}

/// Runs the job, and sets options.job.taken to the precision of the factor.
template <Scalar T>
Outcome run(SolveOptions& options, const System& system, Job& job) {
  Outcome out;
  const Index n = system.matrix.n();
  out.nrhs = options.nrhs;
  const bool made = options.rhs_file.empty();
  std::vector<T> b;
  if (made)
    require_for_vectors(n, out.nrhs, sizeof(T), options.limits, system.name);
  else
    b = read_right_hand_sides<T>(options, system, out.nrhs);
  if (!options.job.given.contains("analyze.solves"))
    job.analyze().solves = std::max<Index>(out.nrhs, 1);
  std::optional<Engine<T>> engine;
  if (!options.load_factor.empty()) {
    const Phase phase(options.json, "loading " + options.load_factor);
    load<T>(options, system, engine.emplace(job.symbolic), out);
  } else {
    const Phase phase(options.json, "ordering " + system.name);
    analyze_system(system, job, options.limits, std::max<Index>(out.nrhs, 1));
    engine.emplace(job.symbolic, job.symbolic->options.precision);
    options.job.taken = job.symbolic->precision();
  }
  job.analysis().candidates.clear();  // frees the plans that were not chosen
  const Plan& plan = *job.analysis().plan;
  warn_of_plan(system.name, plan, job.backend());
  const int size = scalar_bytes(options.job);
  const Index columns = columns_of(options, out);
  if (engine->is_prepared())
    require_for_solve(plan, options.job, columns, options.limits, system.name);
  else
    require(demand(plan, options.job, is_mixed(options.job) ? out.nrhs : columns), options.limits,
            system.name);
  out.file_bytes = factor_in_file(plan, options.job);
  out.planned_bytes = plan.peak_bytes(size) - out.file_bytes +
                      plan.workspace_bytes(size, out.nrhs, options.job.solver.cuda.solves_together);
  release_free_memory();

  const Values<T> values(system);
  if (made) {
    b.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(out.nrhs));
    fill_random(std::span(b), options.job.solver.analyze.ordering.seed);
  }
  const Phase phase(options.json, "factorising " + system.name);
  const std::vector<T> x =
      factorize_and_solve<T>(options, system.name, values.view(), b, *engine, out);
  engine.reset();
  b = std::vector<T>();
  if (out.status == Status::ok && !options.output.empty())
    fenced("writing " + options.output, options.limits,
           [&] { write_solution(options.output, x, n, out.nrhs); });
  return out;
}

Json to_json(const SolveOptions& options, const System& system, const Job& job,
             const Outcome& out) {
  const Plan& plan = *job.analysis().plan;
  const bool solved = !out.breakdown;
  const auto if_solved = [solved](const Json& value) { return solved ? value : Json(nullptr); };
  const BackwardError &last = out.refinement.final_error, &first = out.refinement.unrefined;
  Json object = system_header("solve", system, job.backend(), options.job, ordering_name(plan));
  object["status"] = name_of(out.status);
  object["column"] = solved ? Json(nullptr) : Json(out.breakdown->column);
  object["pivot"] = solved ? Json(nullptr) : Json(out.breakdown->pivot);
  object["smallest_pivot"] = out.smallest_pivot;
  object["smallest_column"] =
      out.smallest_column == kNone ? Json(nullptr) : Json(out.smallest_column);
  const bool known = out.loss && out.loss->column != kNone;
  object["pivot_ratio"] = known ? Json(out.loss->ratio()) : Json(nullptr);
  object["pivot_ratio_column"] = known ? Json(out.loss->column) : Json(nullptr);
  object["nearly_singular"] = out.loss ? Json(out.loss->nearly_singular()) : Json(nullptr);
  object["condition"] = out.condition ? Json(out.condition->condition()) : Json(nullptr);
  object["condition_s"] = out.condition ? Json(out.condition_s) : Json(nullptr);
  object["nrhs"] = out.nrhs;
  object["shift"] = options.system.shift;
  object["read_s"] = system.read_s;
  object["reorder_s"] = job.analysis().order_s;
  object["symbolic_s"] = job.analysis().symbolic_s;
  object["factor_s"] = out.factor_s;
  object["predicted_factor_s"] = plan.cost.predicted_factor_s;
  object["solve_s"] = if_solved(out.solve_s);
  object["refine_s"] = if_solved(out.refine_s);
  object["nnzL"] = plan.cost.nnz_l;
  object["flops"] = whole(plan.cost.flops);
  object["stored_entries"] = plan.cost.stored_entries;
  object["refine_steps"] = if_solved(out.refinement.steps);
  object["backward_error"] = if_solved(last.normwise);
  object["backward_error_componentwise"] = if_solved(last.componentwise);
  object["backward_error_unrefined"] = if_solved(first.normwise);
  object["backward_error_componentwise_unrefined"] = if_solved(first.componentwise);
  object["peak_bytes"] = out.peak_bytes;
  object["planned_bytes"] = out.planned_bytes;
  object["factor_file_bytes"] = out.file_bytes;
  object["peak_rss_bytes"] = peak_rss_bytes();
  add_mixed(object, out.mixed, options.job);
  object["too_large_block"] = symbolic::too_large_block(plan);
  object["reason"] = job.analysis().reason;
  add_targets(object, job.analysis());
  add_precisions(object, *job.symbolic);
  return object;
}

/// Returns a table of the phases with their times and shares of the whole time.
std::string phase_table(const System& system, const Job& job, const Outcome& out,
                        const SolveOptions& given) {
  const JobOptions& options = given.job;
  const Cost& cost = job.analysis().plan->cost;
  const double whole_s = system.read_s + job.analysis().order_s + job.analysis().symbolic_s +
                         out.factor_s + out.solve_s + out.refine_s;
  Table table({"phase", "time", "share", ""}, Table::Last::left);
  const auto add = [&](const char* name, double s, std::string remark = {}) {
    table.add({name, seconds(s), fmt::format("{:.0f} %", whole_s > 0 ? 100 * s / whole_s : 0),
               std::move(remark)});
  };
  add("read or make", system.read_s);
  add("order", job.analysis().order_s,
      ordering_label(ordering_name(*job.analysis().plan), options));
  add("analyse", job.analysis().symbolic_s);
  if (!given.load_factor.empty())
    add("load L", out.factor_s, given.load_factor);
  else
    add("factorise", out.factor_s,
        fmt::format("{}, predicted {}", rate(cost.flops, out.factor_s),
                    seconds(cost.predicted_factor_s)));
  if (!out.breakdown) {
    add("solve", out.solve_s,
        fmt::format("{} right-hand side{}", out.nrhs, out.nrhs == 1 ? "" : "s"));
    if (!out.mixed)
      add("refine", out.refine_s,
          fmt::format("{} step{}", out.refinement.steps, out.refinement.steps == 1 ? "" : "s"));
  }
  return table.text();
}

/// Returns a text on the corrections and steps that a solve in mixed precision took.
std::string mixed_words(const MixedReport& mixed) {
  std::string words = fmt::format("{} corrections", mixed.steps);
  if (mixed.contraction > 0) words += fmt::format(", contraction {:.2g}", mixed.contraction);
  if (mixed.cg_steps > 0) words += fmt::format(", {} steps of conjugate gradients", mixed.cg_steps);
  if (mixed.shift > 0) words += fmt::format(", L in float shifted by {:.2g}", mixed.shift);
  return words;
}

std::string to_text(const SolveOptions& options, const System& system, const Job& job,
                    const Outcome& out) {
  const Cost& cost = job.analysis().plan->cost;
  Facts facts;
  facts.add("entries of L", count(static_cast<double>(cost.nnz_l)),
            fmt::format("{:.3g} times the lower triangle of A", fill_ratio(*job.analysis().plan)));
  facts.add("operations", count(cost.flops), fmt::format("largest front {}", cost.largest_front));
  facts.add("memory", bytes(static_cast<double>(out.peak_bytes)),
            fmt::format("planned {}", bytes(static_cast<double>(out.planned_bytes))));
  if (out.file_bytes > 0)
    facts.add("factor's file", bytes(static_cast<double>(out.file_bytes)),
              "in " + options.job.solver.cpu.factor_file);
  if (!out.breakdown) {
    const bool any = out.smallest_column != kNone;
    facts.add("smallest pivot", fmt::format("{:.3g}", out.smallest_pivot),
              any ? fmt::format("of column {}", out.smallest_column) : "");
    if (out.condition)
      facts.add("condition", fmt::format("{:.2g}", out.condition->condition()),
                fmt::format("estimate of ||A|| ||A^-1|| in the 1-norm by {} solves, {}",
                            out.condition->solves, seconds(out.condition_s)));
    if (out.mixed)
      facts.add("x by", std::string(name_of(out.mixed->path)), mixed_words(*out.mixed));
    const BackwardError &first = out.refinement.unrefined, &last = out.refinement.final_error;
    facts.add("backward error", error(last.normwise),
              fmt::format("before refinement {}", error(first.normwise)));
    facts.add("  by component", error(last.componentwise),
              fmt::format("before refinement {}", error(first.componentwise)));
  }
  std::string text =
      fmt::format("{}\non {}\n\n{}\n{}", title(system), where(job.backend(), options.job),
                  phase_table(system, job, out, options), facts.text());
  if (!job.analysis().reason.empty()) text += "\n" + job.analysis().reason + "\n";
  text += target_lines(job.analysis()) + precision_line(*job.symbolic);
  if (!options.output.empty() && out.status == Status::ok)
    text += fmt::format("x is in {}\n", options.output);
  return text;
}

/// Checks the name and folder of the file for x before the work begins. Throws Error.
void check_output(const std::string& path) {
  if (path.empty()) return;
  if (!path.ends_with(".mtx") && !path.ends_with(".npy"))
    throw Error(ErrorKind::usage,
                fmt::format("-o {}: expected a name that ends in .mtx or .npy", path));
  check_folder(path);
}

/// Warns, in one line on the standard error, of a nearly singular A. x is reported all the same.
void warn(const System& system, const PivotLoss& loss) {
  complain(fmt::format(
      "warning: {} is nearly singular: elimination reduced the diagonal entry {:.3g} of column {} "
      "to the pivot {:.3g}, {:.2g} of "
      "it, so about {:.0f} digits of x may be wrong however small its backward error is",
      system.name, loss.diagonal, loss.column, loss.pivot, loss.ratio(),
      -std::log10(loss.ratio())));
}

/// Returns true if an option needs a factor in the precision of A.
bool needs_full(const SolveOptions& options) {
  return options.condition || !options.save_factor.empty() || !options.load_factor.empty();
}

/// Checks that the options are compatible and that the folders of the output files exist. Throws
/// Error.
void check_options(const SolveOptions& options) {
  check_output(options.output);
  if (!options.save_factor.empty()) check_folder(options.save_factor);
  check_apart({{"-o", options.output}, {"--save-factor", options.save_factor}}, options,
              {{"--rhs", opened(options.rhs_file)}, {"--load-factor", options.load_factor}});
  const auto input = [](const std::string& file) { return opened(file) == kStandardInput; };
  if (input(options.rhs_file) &&
      std::any_of(options.system.files.begin(), options.system.files.end(), input))
    throw Error(ErrorKind::usage,
                "--rhs -: standard input already holds the system; name a file for one of the two");
  if (!is_mixed(options.job) || !needs_full(options)) return;
  if (!options.condition)
    throw Error(ErrorKind::usage,
                "--save-factor and --load-factor need a factor in the precision of A; omit "
                "--precision mixed");
  throw Error(ErrorKind::usage,
              "--condition needs a factor in the precision of A; omit --precision mixed");
}

int solve(SolveOptions options) {
  check_options(options);
  Job job = make_job(options.job, options.limits);
  if (needs_full(options)) job.symbolic->options.precision = Precision::full;
  const System system = [&] {
    const Phase phase(options.json, "reading");
    return load_one(options.system, options.limits, threads_of(options.job));
  }();
  const Outcome out = options.job.scalar == "float" ? run<float>(options, system, job)
                                                    : run<double>(options, system, job);
  print_report(
      options.json, [&] { return to_json(options, system, job, out); },
      [&] { return to_text(options, system, job, out); });
  if (out.loss && out.loss->nearly_singular()) warn(system, *out.loss);
  if (out.status != Status::ok)
    complain(fmt::format("{} is {}{}", system.name,
                         reason_of(out.status, out.breakdown, options.job),
                         out.breakdown ? "; --shift S works on A + S I" : ""));
  return exit_code_of(out.status);
}

}  // namespace

void add_solve(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("solve", "solve A x = b, refine x and say how good it is");
  const auto options = std::make_shared<SolveOptions>();
  add_common_options(*command, *options, ordering_words());
  auto* nrhs = command->add_option("--nrhs", options->nrhs, "right-hand sides, random in [-1, 1)")
                   ->capture_default_str();
  nrhs->check(integer_from(1, 1 << 20))->type_name("N")->group("System");
  command
      ->add_option("--rhs", options->rhs_file,
                   "right-hand sides, one a column: Matrix Market (plain, gzipped, or NAME_b.mtx "
                   "in a .tar.gz) or .npy; - is standard input")
      ->type_name("FILE")
      ->group("System");
  add_precision_option(*command, options->job);
  add_named_flag(*command, options->job, "--refine");
  add_named_flag(*command, options->job, "--factor-file");
  command
      ->add_flag("--condition", options->condition,
                 "estimate the condition of A in the 1-norm, by at most 11 more solves")
      ->group("Output");
  command->add_option("-o", options->output, "write x: .mtx (Matrix Market array) or .npy")
      ->type_name("FILE")
      ->group("Output");
  command
      ->add_option("--save-factor", options->save_factor,
                   "write the plan and L, for --load-factor and load_factor()")
      ->type_name("FILE")
      ->group("Output");
  command
      ->add_option("--load-factor", options->load_factor,
                   "solve with the L of a file of --save-factor, in place of ordering and "
                   "factorising A; --ordering then has no effect")
      ->type_name("FILE")
      ->group("Method");
  command->callback([options, nrhs, &exit_code] {
    options->nrhs_given = nrhs->count() > 0;
    exit_code = solve(*options);
  });
}

}  // namespace kauri::cli
