// Times kauri::eigen::LLT beside the solvers of Eigen that it replaces: the same calls, phase by
// phase, in turn. Prints JSON lines.
// SPDX-License-Identifier: BSD-3-Clause
#include <Eigen/SparseCholesky>
#include <nlohmann/json.hpp>
#ifdef KAURI_BENCH_CHOLMOD
#include <Eigen/CholmodSupport>
#endif

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "base/progress/stopwatch.hpp"
#include "bench/source.hpp"
#include "bench/systems_app.hpp"
#include "kauri/eigen.hpp"

namespace kauri::bench {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;

/// Returns the lower half of A in the form that Eigen's solvers take.
Matrix eigen_of(const SymmetricMatrix<double>& a) {
  const Pattern lower = a.pattern();
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < lower.n; ++j)
    for (Offset k = lower.col_ptr[j]; k < lower.col_ptr[j + 1]; ++k)
      entries.emplace_back(lower.row[k], j, a.value()[static_cast<std::size_t>(k)]);
  Matrix matrix(lower.n, lower.n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// Seconds of each phase: the least of all rounds.
struct Times {
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  double analyze = kNone, factor = kNone, refactor = kNone, solve = kNone, job = kNone, error = 0;
};

void take(double& least, double seconds) { least = std::min(least, seconds); }

/// Runs one round of a program that compiles with any of the solvers. error: |b - A x| / (|A| |x| +
/// |b|) in the maximum norm.
template <class Solver>
void run(const Matrix& a, const Vector& b, Times& times) {
  Stopwatch job;
  Solver solver;
  const Stopwatch analysis;
  solver.analyzePattern(a);
  take(times.analyze, analysis.seconds());
  const Stopwatch first;
  solver.factorize(a);
  take(times.factor, first.seconds());
  const Stopwatch solve;
  const Vector x = solver.solve(b);
  take(times.solve, solve.seconds());
  take(times.job, job.seconds());
  if (solver.info() != Eigen::Success) throw Error(ErrorKind::input, "not positive definite");
  const Stopwatch again;
  solver.factorize(a);
  take(times.refactor, again.seconds());
  const auto whole = a.selfadjointView<Eigen::Lower>();
  const Vector sums = Matrix(whole).cwiseAbs() * Vector::Ones(a.rows());
  times.error = (b - whole * x).lpNorm<Eigen::Infinity>() /
                (sums.maxCoeff() * x.lpNorm<Eigen::Infinity>() + b.lpNorm<Eigen::Infinity>());
}

nlohmann::ordered_json json_of(const Times& times) {
  return {{"reorder_and_symbolic_s", times.analyze},
          {"factor1_s", times.factor},
          {"factor_s", times.refactor},
          {"solve1_s", times.solve},
          {"job_s", times.job},
          {"residual", times.error}};
}

void report(const std::string& source, int rounds) {
  const Matrix a = eigen_of(load(source));
  const std::vector<double> numbers = random_numbers(static_cast<std::size_t>(a.rows()));
  const Vector b = Eigen::Map<const Vector>(numbers.data(), a.rows());
  Times own, simplicial, cholmod;
  for (int round = 0; round < rounds; ++round) {
    run<eigen::LLT<Matrix>>(a, b, own);
    run<Eigen::SimplicialLLT<Matrix>>(a, b, simplicial);
#ifdef KAURI_BENCH_CHOLMOD
    run<Eigen::CholmodSupernodalLLT<Matrix>>(a, b, cholmod);
#endif
  }
  nlohmann::ordered_json line = {{"system", source},
                                 {"n", a.rows()},
                                 {"kauri", json_of(own)},
                                 {"simplicial", json_of(simplicial)}};
  if (std::isfinite(cholmod.job)) line["cholmod"] = json_of(cholmod);
  line["simplicial_over_kauri"] = {{"job", simplicial.job / own.job},
                                   {"factor", simplicial.refactor / own.refactor}};
  if (std::isfinite(cholmod.job))
    line["cholmod_over_kauri"] = {{"job", cholmod.job / own.job},
                                  {"factor", cholmod.refactor / own.refactor}};
  std::cout << line.dump() << std::endl;
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  CLI::App app(
      "kauri::eigen::LLT beside Eigen::SimplicialLLT, and CholmodSupernodalLLT where SuiteSparse "
      "is there",
      "eigen_peers");
  int rounds = 3;
  app.add_option("--rounds", rounds, "in turn; the least time of each phase counts")
      ->check(CLI::PositiveNumber);
  return kauri::bench::with_systems(app, count, argument,
                                    [&](const std::vector<std::string>& systems) {
                                      for (const std::string& system : systems)
                                        kauri::bench::report(system, rounds);
                                    });
}
