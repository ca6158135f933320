// Measurement of one plan: repeated factorisations and solves, of which the least times are
// reported.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/report/trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "numeric/cuda/executor.hpp"
#include "src/checks/entry_place.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/terminal/measure.hpp"

namespace kauri::cli {
namespace {

/// Returns the free bytes of the backend's device, from its driver; nothing on the CPU.
std::optional<Offset> free_bytes(const Backend& backend, int device) {
  if (backend.kind() == BackendKind::cpu) return {};
  const auto seen = numeric::cuda::survey(device);
  if (!seen || !seen->started) return {};
  return seen->free_bytes;
}

/// Values of A in the memory of the backend. A device gets them before the timing, as the peers of
/// bench/peers do.
template <Scalar T>
class ValuesThere {
 public:
  ValuesThere(std::span<const T> value, Backend& backend) : value_(value) {
    if (backend.kind() != BackendKind::cpu)
      there_.emplace(DeviceValues<T>::copy_of(value, backend));
  }
  [[nodiscard]] Result<void, Breakdown> refactorize(Factor<T>& factor) const {
    return there_ ? kauri::refactorize<T>(factor, *there_) : kauri::refactorize<T>(factor, value_);
  }
  [[nodiscard]] Result<void, Breakdown> refactorize(MixedFactor& factor) const {
    return there_ ? factor.refactorize(*there_) : factor.refactorize(value_);
  }

 private:
  std::span<const T> value_;
  std::optional<DeviceValues<T>> there_;
};

/// Returns the least seconds of `repetitions` refactorisations.
template <class AnyFactor, Scalar T>
double refactor_seconds(AnyFactor& factor, const ValuesThere<T>& values, int repetitions) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repetitions; ++k) {
    const Stopwatch watch;
    const bool ok = values.refactorize(factor).ok();
    if (ok) least = std::min(least, watch.seconds());
  }
  return least;
}

/// A factor in full precision under measurement, with its workspace.
template <Scalar T>
class FullTrial {
 public:
  explicit FullTrial(const PreparedPlan& plan) : factor_(Factor<T>::create(plan)) {}
  Factor<T>& factor() { return factor_; }
  void make_room(Index nrhs) {
    workspace_.reset();
    workspace_.emplace(Workspace<T>::create(factor_, nrhs));
  }
  void solve(MatrixView<T> x) { factor_.solve(x, *workspace_); }

 private:
  Factor<T> factor_;
  std::optional<Workspace<T>> workspace_;
};

/// A factor in mixed precision under measurement, with the report, or the breakdown, of its last
/// solve.
class MixedTrial {
 public:
  MixedTrial(const PreparedPlan& plan, const Pattern& a, const TrialOptions& options)
      : factor_(MixedFactor::create(a, plan, 1, options.mixed_options)),
        solve_(options.mixed_solve) {}
  MixedFactor& factor() { return factor_; }
  void make_room(Index nrhs) { factor_.reserve(nrhs); }
  void solve(MatrixView<double> x) {
    const auto solved = factor_.solve(x, x, solve_);
    if (solved)
      report_ = solved.value();
    else
      breakdown_ = solved.error();
  }
  [[nodiscard]] const std::optional<MixedReport>& report() const { return report_; }
  [[nodiscard]] const std::optional<Breakdown>& breakdown() const { return breakdown_; }

 private:
  MixedFactor factor_;
  MixedSolveOptions solve_;
  std::optional<MixedReport> report_;
  std::optional<Breakdown> breakdown_;
};

/// Returns the least seconds of kTimedSolves solves in place, and leaves the last solution in x, n
/// rows by nrhs. b is generated anew before each solve, so that no copy of it is held.
template <class AnyTrial, Scalar T>
double solve_seconds(AnyTrial& tried, std::span<T> x, Index n, Index nrhs, std::uint64_t seed) {
  tried.make_room(nrhs);
  return least_seconds(
      kTimedSolves, [&] { fill_random(x, seed); },
      [&] {
        tried.solve({x.data(), n, nrhs, n});
      });
}

void fail(Trial& trial, const Breakdown& breakdown) {
  trial.status = Status::not_positive_definite;
  trial.breakdown = breakdown;
}

/// Times all phases into `trial` and returns x of one right-hand side, empty after a breakdown.
/// make(prepared plan) creates the trial object, which is destroyed on return.
template <Scalar T, class Make>
std::vector<T> run(Trial& trial, const std::shared_ptr<const Plan>& plan, const SymmetricView<T>& a,
                   Backend& backend, const TrialOptions& options, const Make& make) {
  const ValuesThere<T> values(a.value, backend);
  const std::optional<Offset> free_before = free_bytes(backend, options.device);
  const Stopwatch preparation;
  const PreparedPlan prepared = PreparedPlan::create(plan, backend);
  trial.prepare_s = preparation.seconds();
  const Stopwatch first;
  auto tried = make(prepared);
  trial.create_s = first.seconds();
  const Result<void, Breakdown> outcome = values.refactorize(tried.factor());
  trial.factor1_s = first.seconds();
  if (const std::optional<Offset> free_after = free_bytes(backend, options.device);
      free_before && free_after)
    trial.device_bytes = *free_before - *free_after;
  trial.smallest_pivot = tried.factor().verdict().smallest_pivot;
  if (!outcome) return fail(trial, outcome.error()), std::vector<T>();
  trial.factor_s = refactor_seconds(tried.factor(), values, options.repetitions);
  const auto n = static_cast<std::size_t>(plan->n);
  std::vector<T> x(n);  // one right-hand side first, with a workspace for one
  trial.solve1_s = solve_seconds(tried, std::span(x), plan->n, 1, options.seed);
  if constexpr (std::is_same_v<decltype(tried), MixedTrial>) {
    trial.mixed = tried.report();
    if (tried.breakdown()) return fail(trial, *tried.breakdown()), std::vector<T>();
  }
  if (options.many > 0) {
    std::vector<T> many(n * static_cast<std::size_t>(options.many));
    trial.solve_many_s = solve_seconds(tried, std::span(many), plan->n, options.many, options.seed);
    if (!all_finite(std::span<const T>(many))) trial.status = Status::not_finite;
  }
  return x;
}

}  // namespace

TrialOptions trial_options(const JobOptions& options, int repetitions, Index many) {
  const SolverOptions& solver = options.solver;
  return {repetitions,
          many,
          solver.analyze.ordering.seed,
          is_mixed(options),
          solver.cuda.device,
          solver.mixed,
          solver.mixed_solve};
}

template <Scalar T>
Trial measure(const std::shared_ptr<const Plan>& plan, const SymmetricView<T>& a, Backend& backend,
              const TrialOptions& options) {
  Trial trial;
  backend.reset_peak();
  std::vector<T> x;
  if constexpr (std::is_same_v<T, double>) {
    if (options.mixed)
      x = run<T>(trial, plan, a, backend, options,
                 [&](const PreparedPlan& p) { return MixedTrial(p, a.pattern, options); });
  }
  if (!options.mixed)
    x = run<T>(trial, plan, a, backend, options,
               [](const PreparedPlan& p) { return FullTrial<T>(p); });
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

template Trial measure<double>(const std::shared_ptr<const Plan>&, const SymmetricView<double>&,
                               Backend&, const TrialOptions&);
template Trial measure<float>(const std::shared_ptr<const Plan>&, const SymmetricView<float>&,
                              Backend&, const TrialOptions&);

Trial measure(const std::string& scalar, const std::shared_ptr<const Plan>& plan,
              const System& system, Backend& backend, const TrialOptions& options) {
  if (scalar == "float")
    return measure<float>(plan, Values<float>(system).view(), backend, options);
  return measure<double>(plan, Values<double>(system).view(), backend, options);
}

}  // namespace kauri::cli
