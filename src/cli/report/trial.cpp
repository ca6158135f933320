// Measurement of one plan: repeated factorisations and solves, of which the least times are
// reported.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/report/trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "src/checks/entry_place.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/terminal/measure.hpp"
#include "src/engine/engine.hpp"

namespace kauri::cli {
namespace {

/// Returns the values of A in the memory of the backend: on a device a copy, which is made before
/// the timing begins, as for the peers of bench/peers; on the CPU the caller's values.
template <Scalar T>
BorrowedValues<T> on_backend(std::span<const T> value, Backend& backend) {
  if (backend.kind() == BackendKind::cpu) return {value};
  auto copy = std::make_shared<DeviceValues<T>>(DeviceValues<T>::copy_of(value, backend));
  return {copy->span(), true, copy};
}

/// Returns the least seconds of `repetitions` refactorisations; infinity if all break down.
template <Scalar T>
double refactor_seconds(Engine<T>& engine, const BorrowedValues<T>& values, int repetitions) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repetitions; ++k)
    if (engine.factorize(values, T(0), {}, {}))
      least = std::min(least, engine.last_report().factor.seconds);
  return least;
}

/// Returns the least seconds of kTimedSolves solves in place, and leaves the last solution in x, n
/// rows by nrhs; or the breakdown of a mixed solve. b is generated anew before each solve, so that
/// no copy of it is held.
template <Scalar T>
Result<double, Breakdown> solve_seconds(Engine<T>& engine, std::span<T> x, Index n, Index nrhs,
                                        std::uint64_t seed) {
  double least = std::numeric_limits<double>::infinity();
  const MatrixView<T> view{x.data(), n, nrhs, n};
  for (int k = 0; k < kTimedSolves; ++k) {
    fill_random(x, seed);
    if (const auto solved = engine.solve(kauri::System::A, view, view, {}); !solved)
      return solved.error();
    least = std::min(least, engine.last_report().solve.seconds);
  }
  return least;
}

void fail(Trial& trial, const Breakdown& breakdown) {
  trial.status = Status::not_positive_definite;
  trial.breakdown = breakdown;
}

/// Times all phases, stores the figures in `trial` and returns x of the solve with one right-hand
/// side, empty after a breakdown. The factor is freed on return.
template <Scalar T>
std::vector<T> run(Trial& trial, const std::shared_ptr<Symbolic>& symbolic,
                   const SymmetricView<T>& a, const TrialOptions& options) {
  const BorrowedValues<T> values = on_backend(a.value, symbolic->backend());
  const std::optional<Offset> free_before = symbolic->backends.free_bytes();
  trial.prepare_s = seconds_of([&] { symbolic->prepare(); });
  Engine<T> engine(symbolic, symbolic->options.precision);
  engine.prepare();
  const Result<void, Breakdown> outcome = engine.factorize(values, T(0), {}, {});
  const SolverReport& report = engine.last_report();
  trial.create_s = report.prepare.seconds;
  trial.factor1_s = trial.create_s + report.factor.seconds;
  if (const auto free_after = symbolic->backends.free_bytes(); free_before && free_after)
    trial.device_bytes = *free_before - *free_after;
  trial.smallest_pivot = report.smallest_pivot;
  if (!outcome) return fail(trial, outcome.error()), std::vector<T>();
  trial.factor_s = refactor_seconds(engine, values, options.repetitions);
  const auto n = static_cast<std::size_t>(a.pattern.n);
  std::vector<T> x(n);  // one right-hand side first, with a workspace for one
  const auto seconds = solve_seconds(engine, std::span(x), a.pattern.n, 1, options.seed);
  if (!seconds) return fail(trial, seconds.error()), std::vector<T>();
  trial.solve1_s = seconds.value();
  if (report.precision == Precision::mixed) trial.mixed = report.mixed;
  if (options.many > 0) {
    std::vector<T> many(n * static_cast<std::size_t>(options.many));
    const auto together =
        solve_seconds(engine, std::span(many), a.pattern.n, options.many, options.seed);
    if (!together) return fail(trial, together.error()), std::vector<T>();
    trial.solve_many_s = together.value();
    if (!all_finite(std::span<const T>(many))) trial.status = Status::not_finite;
  }
  return x;
}

}  // namespace

TrialOptions trial_options(const JobOptions& options, int repetitions, Index many) {
  return {repetitions, many, options.solver.analyze.ordering.seed};
}

template <Scalar T>
Trial measure(const std::shared_ptr<Symbolic>& symbolic, const SymmetricView<T>& a,
              const TrialOptions& options) {
  Trial trial;
  Backend& backend = symbolic->backend();
  backend.reset_peak();
  const std::vector<T> x = run<T>(trial, symbolic, a, options);
  trial.peak_bytes = backend.peak_bytes();
  if (trial.breakdown) return trial;
  std::vector<T> b(x.size());
  fill_random(std::span(b), options.seed);
  trial.backward_error = backward_error<T>(a, column_view(std::span<const T>(x)),
                                           column_view(std::span<const T>(b)), backend);
  // This x is not refined. Its normwise error alone shows whether L is a factor of A; refinement
  // would reduce the componentwise one.
  const BackwardError& error = trial.backward_error;
  const Status status = status_of<T>(
      {error.normwise, std::isfinite(error.componentwise) ? 0 : error.componentwise}, true);
  if (trial.status == Status::ok || status == Status::not_finite) trial.status = status;
  if (trial.mixed && trial.status == Status::ok) trial.status = status_of(*trial.mixed, true);
  return trial;
}

template Trial measure(const std::shared_ptr<Symbolic>&, const SymmetricView<float>&,
                       const TrialOptions&);
template Trial measure(const std::shared_ptr<Symbolic>&, const SymmetricView<double>&,
                       const TrialOptions&);

Trial measure(const std::string& scalar, const std::shared_ptr<Symbolic>& symbolic,
              const System& system, const TrialOptions& options) {
  if (scalar == "float") return measure(symbolic, Values<float>(system).view(), options);
  return measure(symbolic, Values<double>(system).view(), options);
}

}  // namespace kauri::cli
