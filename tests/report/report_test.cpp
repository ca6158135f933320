// Reports of analyses and solvers against the figures that they are made of: as JSON, read by
// another library's parser, and as text.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri {
namespace {

using Json = nlohmann::json;
using test::error_text;

/// Expects the bits of `value`, or null if it is not finite.
void expect_number(const Json& json, double value) {
  if (std::isfinite(value))
    EXPECT_EQ(json.get<double>(), value);
  else
    EXPECT_TRUE(json.is_null());
}

void expect_phase(const Json& json, const SolverReport::PhaseReport& phase,
                  const std::optional<Roofline>& roofline) {
  EXPECT_EQ(json.size(), roofline ? 5U : 4U);
  if (roofline) expect_number(json.at("share"), phase.share_of(*roofline));
  EXPECT_EQ(json.at("moved").get<Offset>(), phase.moved);
  expect_number(json.at("seconds"), phase.seconds);
  expect_number(json.at("flops"), phase.flops);
  EXPECT_EQ(json.at("bytes").get<Offset>(), phase.bytes);
}

void expect_error(const Json& json, const BackwardError& error) {
  EXPECT_EQ(json.size(), 2U);
  expect_number(json.at("normwise"), error.normwise);
  expect_number(json.at("componentwise"), error.componentwise);
}

void expect_mixed(const Json& json, const MixedReport& mixed) {
  EXPECT_EQ(json.size(), 12U);
  EXPECT_EQ(json.at("path").get<std::string>(), std::string(name_of(mixed.path)));
  expect_number(json.at("shift"), mixed.shift);
  expect_error(json.at("unrefined"), mixed.unrefined);
  EXPECT_EQ(json.at("steps").get<int>(), mixed.steps);
  EXPECT_EQ(json.at("cg_steps").get<int>(), mixed.cg_steps);
  expect_number(json.at("contraction"), mixed.contraction);
  expect_number(json.at("cg_contraction"), mixed.cg_contraction);
  EXPECT_EQ(json.at("conjugate_gradients").get<Index>(), mixed.conjugate_gradients);
  EXPECT_EQ(json.at("in_double").get<Index>(), mixed.in_double);
  EXPECT_EQ(json.at("unconverged").get<Index>(), mixed.unconverged);
  expect_error(json.at("error"), mixed.error);
  EXPECT_EQ(json.at("kernels").get<std::string>(), mixed.kernels);
}

void expect_precision(const Json& json, const SolverReport& report) {
  EXPECT_EQ(json.at("precision").get<std::string>(),
            report.precision == Precision::mixed ? "mixed" : "full");
  EXPECT_EQ(json.at("precision_reason").get<std::string>(), report.precision_reason);
  EXPECT_EQ(json.at("precisions").is_null(), !report.precisions.has_value());
  if (report.precisions)
    for (const auto& [name, forecast] : {std::pair{"full", &report.precisions->full},
                                         std::pair{"mixed", &report.precisions->mixed}}) {
      const Json& one = json.at("precisions").at(name);
      EXPECT_EQ(one.size(), 2U);
      expect_number(one.at("predicted_job_s"), forecast->job_s);
      EXPECT_EQ(one.at("bytes").get<Offset>(), forecast->bytes);
    }
}

void expect_same(const std::string& text, const SolverReport& report) {
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const Json json = Json::parse(text);
  EXPECT_EQ(json.size(), 33U);
  expect_phase(json.at("ordering"), report.ordering, report.roofline);
  expect_phase(json.at("symbolic"), report.symbolic, report.roofline);
  expect_phase(json.at("prepare"), report.prepare, report.roofline);
  expect_phase(json.at("factor"), report.factor, report.roofline);
  expect_phase(json.at("solve"), report.solve, report.roofline);
  expect_phase(json.at("refine"), report.refine, report.roofline);
  EXPECT_EQ(json.at("roofline").is_null(), !report.roofline.has_value());
  if (report.roofline) {
    EXPECT_EQ(json.at("roofline").size(), 2U);
    expect_number(json.at("roofline").at("flops_per_s"), report.roofline->flops_per_s);
    expect_number(json.at("roofline").at("bytes_per_s"), report.roofline->bytes_per_s);
  }
  EXPECT_EQ(json.at("n").get<Index>(), report.n);
  EXPECT_EQ(json.at("nnz").get<Offset>(), report.nnz);
  EXPECT_EQ(json.at("nnz_l").get<Offset>(), report.nnz_l);
  expect_number(json.at("fill"), report.fill);
  EXPECT_EQ(json.at("ordering_method").get<std::string>(), report.ordering_method);
  EXPECT_EQ(json.at("ordering_reason").get<std::string>(), report.ordering_reason);
  EXPECT_EQ(json.at("backend").get<std::string>(),
            report.backend == BackendKind::cpu ? "cpu" : "cuda");
  EXPECT_EQ(json.at("target").get<std::string>(), report.target);
  EXPECT_EQ(json.at("target_reason").get<std::string>(), report.target_reason);
  EXPECT_EQ(json.at("too_large_block").get<std::string>(), report.too_large_block);
  EXPECT_EQ(json.at("slower_kernels").get<std::string>(), report.slower_kernels);
  EXPECT_EQ(json.at("device").get<std::string>(), report.device);
  EXPECT_EQ(json.at("kernels").get<std::string>(), report.kernels);
  EXPECT_EQ(json.at("threads").get<int>(), report.threads);
  EXPECT_EQ(json.at("scalar_bytes").get<int>(), report.scalar_bytes);
  expect_number(json.at("smallest_pivot"), report.smallest_pivot);
  if (report.smallest_column == kNone)
    EXPECT_TRUE(json.at("smallest_column").is_null());
  else
    EXPECT_EQ(json.at("smallest_column").get<Index>(), report.smallest_column);
  const Json& loss = json.at("nearly_singular");
  EXPECT_EQ(loss.is_null(), !report.nearly_singular.has_value());
  if (report.nearly_singular) {
    EXPECT_EQ(loss.size(), 4U);
    EXPECT_EQ(loss.at("column").get<Index>(), report.nearly_singular->column);
    EXPECT_EQ(loss.at("pivot").get<double>(), report.nearly_singular->pivot);
    EXPECT_EQ(loss.at("diagonal").get<double>(), report.nearly_singular->diagonal);
    EXPECT_EQ(loss.at("limit").get<double>(), report.nearly_singular->limit);
  }
  EXPECT_EQ(json.at("right_hand_sides").get<Index>(), report.right_hand_sides);
  const Json& refinement = json.at("refinement");
  EXPECT_EQ(refinement.size(), 4U);
  EXPECT_EQ(refinement.at("steps").get<int>(), report.refinement.steps);
  EXPECT_EQ(refinement.at("tried").get<int>(), report.refinement.tried);
  expect_error(refinement.at("unrefined"), report.refinement.unrefined);
  expect_error(refinement.at("final_error"), report.refinement.final_error);
  EXPECT_EQ(json.at("status").get<std::string>(), name_of(report.status));
  EXPECT_EQ(json.at("status_reason").get<std::string>(), report.status_reason);
  expect_precision(json, report);
  expect_mixed(json.at("mixed"), report.mixed);
}

/// Returns a report whose members all differ and whose strings contain the characters that JSON
/// escapes.
SolverReport made_up() {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                   kInfinity = std::numeric_limits<double>::infinity();
  SolverReport report;
  report.ordering = {0.1, 0, 16, 17};
  report.symbolic = {1e-300, 5e-324, (Offset{1} << 62) + 1};
  report.prepare = {1.0 / 3, 1.7976931348623157e308, 3, 30};
  report.factor = {kNaN, kInfinity, 4};
  report.solve = {2, -kInfinity, 5};
  report.refine = {3, 1e15 + 0.3, 6};
  report.n = std::numeric_limits<Index>::max();
  report.nnz = std::numeric_limits<Offset>::max();
  report.nnz_l = 1234567;
  report.fill = 0.30000000000000004;
  report.ordering_method = "given";
  report.ordering_reason = "a \"quoted\" \\ back\nline\ttab \x01\x1f end";
  report.backend = BackendKind::cuda;
  report.target = "sm_90";
  report.target_reason = "because";
  report.too_large_block = "a large block";
  report.slower_kernels = "few multiprocessors";
  report.device =
      "N\xc3\xbc"
      "rnberg 5000";
  report.kernels = "hopper";
  report.threads = 7;
  report.scalar_bytes = 4;
  report.smallest_pivot = -2.5e-17;
  report.smallest_column = 1234;
  report.nearly_singular = PivotLoss{5, 1e-20, 0.5, 1e-9};
  report.right_hand_sides = 32;
  report.refinement = {2, 3, {1e-10, kInfinity}, {1e-16, kNaN}};
  report.precision = Precision::mixed;
  report.precision_reason = "mixed: predicted";
  report.precisions = Analysis::Precisions{};
  report.precisions->full.job_s = 1.0 / 3, report.precisions->full.bytes = Offset{1} << 40;
  report.precisions->mixed.job_s = 0.125, report.precisions->mixed.bytes = 5;
  report.mixed = {MixedPath::conjugate_gradients,
                  1e-6,
                  {0.25, 0.5},
                  11,
                  12,
                  kInfinity,
                  0.75,
                  13,
                  14,
                  15,
                  {kNaN, 2e-16},
                  "tf32x3"};
  return report;
}

TEST(Breakdown, WordsSayFromWhereTheColumnCounts) {
  const Breakdown found{3, -5.0 / 3};
  EXPECT_EQ(describe(found),
            "not positive definite: column 3 (counted from 0) met the pivot -1.66667");
  EXPECT_EQ(describe(found, 0), "not positive definite: column 3 met the pivot -1.66667");
  EXPECT_EQ(describe(found, 1), "not positive definite: column 4 met the pivot -1.66667");
  EXPECT_EQ(describe({2147483646, -1e-300}, 1),
            "not positive definite: column 2147483647 met the pivot -1e-300");
  EXPECT_EQ(describe({kNone, 0}), "not positive definite: a column met the pivot 0");
  EXPECT_EQ(describe({0, std::numeric_limits<double>::infinity()}, 0),
            "not positive definite: column 0 met the pivot inf");
}

TEST(Report, JsonIsReadBackAsItWas) {
  expect_same(to_json(made_up()), made_up());
  expect_same(to_json({}), {});
  SolverReport report = made_up();
  report.roofline = Roofline{1.5e12, 3e11};
  expect_same(to_json(report), report);
}

TEST(Report, SharesAreOfTheRateThatHoldsUp) {
  const Roofline both{100, 10};
  EXPECT_EQ((SolverReport::PhaseReport{2, 100, 0, 5}.share_of(both)),
            0.5);  // 1 s of operations in 2 s
  EXPECT_EQ((SolverReport::PhaseReport{2, 100, 0, 15}.share_of(both)), 0.75);
  EXPECT_EQ((SolverReport::PhaseReport{2, 100, 0, 15}.share_of({100, 0})), 0.5);
  EXPECT_EQ((SolverReport::PhaseReport{2, 100, 0, 15}.share_of({0, 10})), 0.75);
  EXPECT_EQ((SolverReport::PhaseReport{2, 100, 0, 15}.share_of({})), 0);
  EXPECT_EQ((SolverReport::PhaseReport{0, 100, 0, 15}.share_of(both)), 0);
}

TEST(Report, TextWithARoofline) {
  SolverReport report = made_up();
  report.roofline = Roofline{1e12, 2e10};
  report.factor = {0.25, 1.25e11, 0, 0};
  report.solve = {0.5, 1e9, 0, Offset{10} * 1000 * 1000 * 1000};
  report.refine = {};
  const std::string text = to_text(report);
  for (const char* line : {"roofline: 1 Tflop/s, 20 GB/s\nphase           time          work      "
                           "memory   of roofline\n",
                           "factor        0.25 s     125 Gflop         0 B          50 %\n",
                           "solve          0.5 s       1 Gflop         0 B         100 %\n",
                           "refine           0 s        0 flop         0 B           0 %\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(Report, TextStaysAsItIs) {
  SolverReport report = made_up();
  report.ordering_reason = "amd: predicted 1 s";
  report.target_reason.clear();
  report.n = 1000;
  report.nnz = 123456;
  report.factor = {0.25, 1.234e12, 999499};
  report.solve = {2e-5, 999.6, 0};
  report.symbolic = {0.5, 0, 999};
  report.prepare = {0.1, 0, 1000};
  report.refine = {1, 2, 3};
  EXPECT_EQ(to_text(report),
            "A: 1,000 rows, 123,456 entries in the lower triangle\n"
            "L: 1,234,567 entries, 0.3 times those of A\n"
            "ordering: given (amd: predicted 1 s)\n"
            "target: sm_90\n"
            "precision: mixed: predicted\n"
            "slower than other plans: a large block\n"
            "slower than on the whole device: few multiprocessors\n"
            "on: N\xc3\xbc"
            "rnberg 5000, kernels hopper, threads: 7\n"
            "phase           time          work      memory\n"
            "ordering       0.1 s        0 flop        16 B\n"
            "symbolic       0.5 s        0 flop       999 B\n"
            "prepare        0.1 s        0 flop        1 kB\n"
            "factor        0.25 s    1.23 Tflop      999 kB\n"
            "solve        2e-05 s       1 kflop         0 B\n"
            "refine           1 s        2 flop         3 B\n"
            "smallest pivot: -2.5e-17 of column 1234\n"
            "nearly singular: the pivot of column 5 is 2e-20 of A's diagonal entry\n"
            "backward error, componentwise: nan after corrections: 2, before: inf\n"
            "mixed precision: cg, factor in float by tf32x3, shift of the factor in float 1e-06, "
            "contraction of refinement inf, steps of "
            "conjugate gradients: 12, not converged: 15\n");
}

TEST(Report, OfAnAnalysisAlone) {
  const SymmetricMatrix<double> a = generate("poisson2d 30");
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::amd;
  const Backend backend = cpu_backend(2);
  const Analysis analysis = analyze_with_report(a.pattern(), options);
  const SolverReport report = report_of(analysis, backend, 4);
  EXPECT_EQ(report.ordering.seconds, analysis.order_s);
  EXPECT_EQ(report.symbolic.seconds, analysis.symbolic_s);
  EXPECT_EQ(report.symbolic.bytes, analysis.plan->plan_bytes());
  EXPECT_EQ(report.prepare.bytes, analysis.plan->peak_bytes(4));
  EXPECT_EQ(report.factor.bytes, analysis.plan->factor_bytes(4));
  EXPECT_EQ(report.nnz_l, analysis.plan->cost.nnz_l);
  EXPECT_EQ(report.ordering_method, "amd");
  EXPECT_EQ(report.ordering_reason, analysis.reason);
  EXPECT_EQ(report.target, analysis.plan->target);
  EXPECT_EQ(report.threads, backend.threads());
  EXPECT_EQ(report.right_hand_sides, 0);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)report_of({}, backend, 8); }),
            "report_of: the analysis has no plan; call analyze() first");
  options.permutation = Permutation::identity(900);
  EXPECT_EQ(report_of(analyze_with_report(a.pattern(), options), backend, 8).ordering_method,
            "given");
  EXPECT_EQ(report_of(analyze_with_report(SymmetricMatrix<double>().pattern()), backend, 8).fill,
            0);
}

TEST(Report, WarnsOfABlockBeyondThePlacesOfADevicesTasks) {
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::natural;
  options.amalgamate = false;
  const Backend backend = cpu_backend(1);
  for (const char* target : {"cpu-generic", "sm_90"}) {
    options.target = target;
    const std::string text =
        report_of(analyze_with_report(test::too_large_pattern().view(), options), backend, 8)
            .too_large_block;
    EXPECT_EQ(text.find("the contribution block of front 0 has 92697 rows"),
              *target == 's' ? 0 : std::string::npos)
        << text;
  }
}

TEST(Report, OfASolver) {
  const SymmetricMatrix<double> a = generate("poisson3d 9");
  SolverOptions options;
  options.backend = BackendChoice::cpu;
  options.threads = 2;
  Solver<double> solver(options);
  expect_same(to_json(solver.report()), {});
  ASSERT_TRUE(solver.compute(a.view()).ok());
  const Plan& plan = solver.plan();
  SolverReport report = solver.report();
  EXPECT_EQ(report.n, 729);
  EXPECT_EQ(report.nnz, plan.nnz);
  EXPECT_EQ(report.fill, static_cast<double>(plan.cost.nnz_l) / static_cast<double>(plan.nnz));
  EXPECT_EQ(report.factor.flops, plan.cost.flops);
  EXPECT_EQ(report.prepare.bytes, solver.backend().bytes_in_use());
  EXPECT_EQ(report.scalar_bytes, 8);
  EXPECT_GT(report.smallest_pivot, 0);
  {
    auto factor = Factor<double>::create(solver.analysis().plan, solver.backend());
    ASSERT_TRUE(refactorize<double>(factor, a.value()).ok());
    EXPECT_EQ(report.smallest_column, factor.verdict().smallest_column);
    EXPECT_NE(report.smallest_column, kNone);
  }
  for (const SolverReport::PhaseReport& phase :
       {report.ordering, report.symbolic, report.prepare, report.factor})
    EXPECT_GT(phase.seconds, 0);
  EXPECT_EQ(report.solve.seconds + report.refine.seconds, 0);
  std::vector<double> x(729 * 3, 1.0);
  solver.solve({x.data(), 729, 3, 729});
  report = solver.report();
  const double entries = static_cast<double>(plan.cost.nnz_l),
               full = 2 * static_cast<double>(plan.nnz) - 729;
  EXPECT_EQ(report.right_hand_sides, 3);
  EXPECT_EQ(report.solve.flops, 12 * entries);
  EXPECT_EQ(report.prepare.bytes + report.solve.bytes, solver.backend().bytes_in_use());
  EXPECT_GE(report.refinement.tried, report.refinement.steps);
  EXPECT_EQ(report.refine.flops,
            12 * entries * report.refinement.tried + 6 * full * (report.refinement.tried + 1));
  EXPECT_FALSE(report.roofline.has_value());
  const Offset vectors = Offset{729} * 3 * 8, solved = 2 * 8 * plan.cost.nnz_l + 4 * vectors,
               residual = 12 * plan.nnz + 3 * vectors;
  EXPECT_EQ(report.ordering.moved, 4 * plan.nnz + 8 * 730 + 8 * 729);
  EXPECT_EQ(report.symbolic.moved, 4 * plan.nnz + 8 * 730 + plan.plan_bytes());
  EXPECT_EQ(report.prepare.moved, 0);
  EXPECT_EQ(report.factor.moved, 8 * (plan.nnz + plan.cost.nnz_l));
  EXPECT_EQ(report.solve.moved, solved);
  EXPECT_EQ(report.refine.moved,
            solved * report.refinement.tried + residual * (report.refinement.tried + 1));
  expect_same(to_json(report), report);
}

TEST(Report, OfASolverWithARoofline) {
  const SymmetricMatrix<double> a = generate("poisson2d 40");
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    SolverOptions options;
    options.backend = BackendChoice::cpu;
    options.threads = 2;
    options.roofline = true;
    options.precision = precision;
    Solver<double> solver(options);
    ASSERT_TRUE(solver.compute(a.view()).ok());
    (void)solver.solve(std::vector<double>(1600, 1.0));
    const SolverReport& report = solver.report();
    ASSERT_TRUE(report.roofline.has_value());
    const Backend& backend = solver.backend();
    const Roofline again =
        precision == Precision::full ? backend.roofline(8) : backend.mixed_roofline();
    EXPECT_EQ(report.roofline->flops_per_s, again.flops_per_s);  // rooflines are measured once
    EXPECT_EQ(report.roofline->bytes_per_s, again.bytes_per_s);
    EXPECT_TRUE(std::isfinite(again.flops_per_s) && again.flops_per_s > 1e6) << again.flops_per_s;
    EXPECT_TRUE(std::isfinite(again.bytes_per_s) && again.bytes_per_s > 1e6) << again.bytes_per_s;
    expect_same(to_json(report), report);
    if (precision == Precision::full) continue;
    const Plan& plan = solver.plan();
    const int steps = report.mixed.steps + report.mixed.cg_steps;
    EXPECT_EQ(report.factor.moved, 4 * (plan.nnz + plan.cost.nnz_l));
    EXPECT_EQ(report.solve.moved, steps * (8 * plan.cost.nnz_l + Offset{16} * 1600) +
                                      (steps + 1) * (12 * plan.nnz + Offset{24} * 1600));
  }
}

}  // namespace
}  // namespace kauri
