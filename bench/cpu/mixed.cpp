// Times and checks mixed precision by condition: three families of matrices
// (src/generate/conditioned.hpp) x conditions 1e2, 1e4 ... 1e12 x backends. Prints a line of JSON
// for each right-hand side, which is random or A times a known x. The CPU recomputes errors in the
// scaled system of MixedReport, independently of the report (`told`). `forward` is the error of
// S^-1 x divided by its largest entry. `condition_1` is an estimate in the 1-norm of S A S.
//   mixed [--cuda] [--compute L] [--threads T] [--grid K] [--cells K] [--rows N] [--target E]
//   [--all]
// --cuda adds a device; --all adds the conditions 1e3, 1e5 ... The exit status is 1 if a report
// calls a column solved whose recomputed error is too large.
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/source.hpp"
#include "bench/systems_app.hpp"
#include "kauri/kauri.hpp"
#include "src/generate/conditioned.hpp"

namespace kauri::bench {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

struct Settings {
  bool cuda = false, all = false;
  int threads = 1;
  CudaCompute compute = CudaCompute::automatic;
  Index grid = 60, cells = 24, rows = 1000;
  MixedSolveOptions solve;
};

struct System {
  std::string family;
  double condition;
  SymmetricMatrix<double> a;
};

/// The scaled system, H = S A S.
struct Scaled {
  explicit Scaled(const SymmetricMatrix<double>& a) : h(a), scaling(a.view()) {
    scaling.apply(a.view(), h.value());
  }
  /// Returns S^sign v, times 2^power.
  [[nodiscard]] std::vector<double> apply(std::vector<double> v, int sign, int power = 0) const {
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = std::scalbn(v[i], power - sign * scaling.exponent()[i]);
    return v;
  }

  SymmetricMatrix<double> h;
  SymmetricScaling scaling;
};

/// Estimates the condition of H in the 1-norm with a factor in double; null if H is not positive
/// definite.
std::optional<double> condition_1(const SymmetricMatrix<double>& h, Backend& cpu) {
  auto factor = factorize<double>(analyze(h.pattern()), h.value(), cpu);
  if (!factor) return {};
  auto workspace = Workspace<double>::create(factor.value(), 1);
  return estimate_condition<double>(h.view(), factor.value(), workspace).condition();
}

std::vector<System> systems_of(const Settings& settings, Backend& cpu) {
  std::vector<System> all;
  constexpr double kContrast = 1e6;  // beyond some hundreds the condition of bars is proportional
                                     // to the contrast
  const double growth =
      condition_1(Scaled(conditioned::bars(settings.cells, kContrast)).h, cpu).value() / kContrast;
  for (int power = 2; power <= 12; power += settings.all ? 1 : 2) {
    const double condition = std::pow(10.0, power);
    all.push_back(
        {"bars", condition, conditioned::bars(settings.cells, std::max(1.0, condition / growth))});
    all.push_back({"laplacian", condition, conditioned::moved_laplacian(settings.grid, condition)});
    all.push_back(
        {"random", condition, conditioned::random_scaled(settings.rows, condition, 3, 1)});
    all.push_back({"random, far scaled", condition,
                   conditioned::random_scaled(settings.rows, condition, 149, 2)});
  }
  return all;
}

double largest(const std::vector<double>& v) {
  double most = 0;
  for (const double x : v)
    if (!(std::fabs(x) <= most)) most = std::fabs(x);  // keeps a NaN
  return most;
}

/// Right-hand side c, and the solution y if it is known (else empty).
struct Problem {
  std::vector<double> c, y;
};
Problem problem(const Scaled& scaled, bool known, Backend& cpu) {
  const std::vector<double> v = random_numbers(static_cast<std::size_t>(scaled.h.n()), 5);
  std::vector<double> image(v.size());
  if (!known) return {v, {}};
  multiply<double>(scaled.h.view(), column_view(std::span<const double>(v)),
                   column_view(std::span(image)), cpu);
  return {image, v};
}

/// Solves one problem and prints its line. Returns false if the report claims convergence and the
/// recomputed error is too large, or if A is called not positive definite.
bool solve(const Scaled& scaled, bool known, MixedFactor& mixed, Backend& cpu,
           const Settings& settings, nlohmann::ordered_json line) {
  const Problem given = problem(scaled, known, cpu);
  const std::vector<double> b = scaled.apply(given.c, -1);
  std::vector<double> x(b.size());
  const auto solved = mixed.solve(column_view(std::span<const double>(b)),
                                  column_view(std::span(x)), settings.solve);
  line["b"] = known ? "A x" : "random";
  if (!solved) {
    line["status"] = "not_positive_definite";
    std::printf("%s\n", line.dump().c_str());
    return false;  // all matrices of this benchmark are positive definite
  }
  const MixedReport& report = solved.value();
  const std::vector<double> y = scaled.apply(x, -1);
  const BackwardError error =
      backward_error<double>(scaled.h.view(), column_view(std::span<const double>(y)),
                             column_view(std::span<const double>(given.c)), cpu);
  const double accept = std::max(settings.solve.accept > 0 ? settings.solve.accept : 4 * kEpsilon,
                                 settings.solve.target);
  const bool right = !report.converged() || error.componentwise <= accept + kEpsilon;
  line["kernels"] = report.kernels, line["path"] = name_of(report.path),
  line["shift"] = report.shift;
  line["steps"] = report.steps, line["cg_steps"] = report.cg_steps;
  line["contraction"] = report.contraction, line["cg_contraction"] = report.cg_contraction;
  line["unrefined"] = report.unrefined.componentwise;
  line["normwise"] = error.normwise, line["componentwise"] = error.componentwise,
  line["told"] = report.error.componentwise;
  line["forward"] = nullptr;
  if (known) {
    std::vector<double> difference = y;
    for (std::size_t i = 0; i < y.size(); ++i) difference[i] -= given.y[i];
    line["forward"] = largest(difference) / largest(given.y);
  }
  line["status"] = !right ? "wrong" : report.converged() ? "ok" : "not_converged";
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
  return right;
}

bool run(const System& system, Backend& backend, Backend& cpu, const Settings& settings) {
  const Scaled scaled(system.a);
  AnalyzeOptions analysis;
  analysis.target = backend.target();
  MixedFactor mixed =
      MixedFactor::create(system.a.pattern(), analyze(system.a.pattern(), analysis), backend);
  nlohmann::ordered_json line{
      {"family", system.family}, {"n", system.a.n()}, {"condition", system.condition}};
  const std::optional<double> estimate = condition_1(scaled.h, cpu);
  line["condition_1"] =
      estimate ? nlohmann::ordered_json(*estimate) : nlohmann::ordered_json(nullptr);
  line["device"] = backend.device();
  bool right = true;
  for (const bool known : {false, true}) {
    if (!mixed.refactorize(system.a.value())) {
      line["status"] = "not_positive_definite";
      std::printf("%s\n", line.dump().c_str());
      return false;
    }
    right = solve(scaled, known, mixed, cpu, settings, line) && right;
  }
  return right;
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  CLI::App app("paths and errors of mixed precision by condition", "mixed");
  bench::Settings settings;
  app.add_flag("--cuda", settings.cuda, "on a device, too");
  app.add_flag("--all", settings.all, "all powers of ten");
  bench::add_compute(app, settings.compute);
  app.add_option("--threads", settings.threads)->check(CLI::PositiveNumber);
  app.add_option("--grid", settings.grid, "points of a side of the Laplacians")
      ->check(CLI::PositiveNumber);
  app.add_option("--cells", settings.cells, "of a side of the bars")->check(CLI::PositiveNumber);
  app.add_option("--rows", settings.rows, "of the random graphs")->check(CLI::PositiveNumber);
  app.add_option("--target", settings.solve.target, "componentwise error at which a solve is done");
  CLI11_PARSE(app, count, argument);
  try {
    std::vector<Backend> backends;
    backends.push_back(cpu_backend(settings.threads));
    if (settings.cuda)
      backends.push_back(
          cuda_backend(CudaOptions{.device = 0, .allocator = {}, .compute = settings.compute}));
    bool right = true;
    for (const bench::System& system : bench::systems_of(settings, backends.front()))
      for (Backend& backend : backends)
        right = bench::run(system, backend, backends.front(), settings) && right;
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mixed: %s\n", error.what());
    return 2;
  }
}
