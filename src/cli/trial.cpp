// One plan measured: factorisations and solves, repeated, the least time counts.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "numeric/cuda/executor.hpp"
#include "src/cli/measure.hpp"

namespace kauri::cli {
namespace {

/// Free bytes of the device that a backend works on, as its driver tells.
std::optional<Offset> free_bytes(const Backend& backend) {
  if (backend.kind() == BackendKind::cpu) return {};
  const auto seen = numeric::cuda::survey(0);
  if (!seen || !seen->started) return {};
  return seen->free_bytes;
}

/// Values of A where a backend works: on a device beforehand, as the peers of bench/peers have them.
template <Scalar T>
class ValuesThere {
 public:
  ValuesThere(std::span<const T> value, Backend& backend) : value_(value) {
    if (backend.kind() != BackendKind::cpu) there_.emplace(DeviceValues<T>::copy_of(value, backend));
  }
  [[nodiscard]] Result<void, Breakdown> refactorize(Factor<T>& factor) const {
    return there_ ? kauri::refactorize<T>(factor, *there_) : kauri::refactorize<T>(factor, value_);
  }

 private:
  std::span<const T> value_;
  std::optional<DeviceValues<T>> there_;
};

/// The least seconds of a refactorisation.
template <Scalar T>
double refactor_seconds(Factor<T>& factor, const ValuesThere<T>& values, int repetitions) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repetitions; ++k) {
    const Stopwatch watch;
    const bool ok = values.refactorize(factor).ok();
    if (ok) least = std::min(least, watch.seconds());
  }
  return least;
}

/// Leaves the last solution in x, n rows by nrhs; b is made anew before each solve, so that no copy of it is held.
template <Scalar T>
double solve_seconds(const Factor<T>& factor, std::span<T> x, Index nrhs, std::uint64_t seed) {
  const Index n = factor.plan().n;
  Workspace<T> workspace = Workspace<T>::create(factor, nrhs);
  return least_seconds(
      kTimedSolves, [&] { fill_random(x, seed); },
      [&] {
        factor.solve({x.data(), n, nrhs, n}, workspace);
      });
}

/// Everything timed, and x of one right-hand side; the factor is gone when this returns.
template <Scalar T>
std::vector<T> run(Trial& trial, const std::shared_ptr<const Plan>& plan, const SymmetricView<T>& a, Backend& backend,
                   const TrialOptions& options) {
  const ValuesThere<T> values(a.value, backend);
  const std::optional<Offset> free_before = free_bytes(backend);
  const Stopwatch preparation;
  const PreparedPlan prepared = PreparedPlan::create(plan, backend);
  trial.prepare_s = preparation.seconds();
  const Stopwatch first;
  Factor<T> factor = Factor<T>::create(prepared);
  trial.create_s = first.seconds();
  const Result<void, Breakdown> outcome = values.refactorize(factor);
  trial.factor1_s = first.seconds();
  if (const std::optional<Offset> free_after = free_bytes(backend); free_before && free_after)
    trial.device_bytes = *free_before - *free_after;
  trial.smallest_pivot = factor.verdict().smallest_pivot;
  if (!outcome) {
    trial.status = Status::indefinite;
    trial.breakdown = outcome.error();
    return {};
  }
  trial.factor_s = refactor_seconds(factor, values, options.repetitions);
  const auto n = static_cast<std::size_t>(plan->n);
  if (options.many > 0) {
    std::vector<T> many(n * static_cast<std::size_t>(options.many));
    trial.solve_many_s = solve_seconds(factor, std::span(many), options.many, options.seed);
    if (!all_finite(std::span<const T>(many))) trial.status = Status::not_finite;
  }
  std::vector<T> x(n);
  trial.solve1_s = solve_seconds(factor, std::span(x), 1, options.seed);
  return x;
}

}  // namespace

template <Scalar T>
Trial measure(const std::shared_ptr<const Plan>& plan, const SymmetricView<T>& a, Backend& backend, const TrialOptions& options) {
  Trial trial;
  backend.reset_peak();
  const std::vector<T> x = run(trial, plan, a, backend, options);
  trial.peak_bytes = backend.peak_bytes();
  if (trial.breakdown) return trial;
  std::vector<T> b(x.size());
  fill_random(std::span(b), options.seed);
  trial.backward_error = backward_error<T>(a, column_view(std::span<const T>(x)), column_view(std::span<const T>(b)), backend);
  if (!std::isfinite(trial.backward_error.normwise) || !std::isfinite(trial.backward_error.componentwise))
    trial.status = Status::not_finite;
  return trial;
}

template Trial measure<double>(const std::shared_ptr<const Plan>&, const SymmetricView<double>&, Backend&, const TrialOptions&);
template Trial measure<float>(const std::shared_ptr<const Plan>&, const SymmetricView<float>&, Backend&, const TrialOptions&);

Trial measure(const std::string& scalar, const std::shared_ptr<const Plan>& plan, const System& system, Backend& backend,
              const TrialOptions& options) {
  if (scalar == "float") return measure<float>(plan, Values<float>(system).view(), backend, options);
  return measure<double>(plan, Values<double>(system).view(), backend, options);
}

}  // namespace kauri::cli
