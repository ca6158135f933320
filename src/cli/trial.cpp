// One plan measured: factorisations and solves, repeated, the least time counts.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/trial.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "src/cli/measure.hpp"

namespace kauri::cli {
namespace {

/// Leaves the last solution in x.
template <Scalar T>
double solve_seconds(const Factor<T>& factor, const std::vector<T>& b, std::vector<T>& x, Index nrhs) {
  const Index n = factor.plan().n;
  const std::size_t length = static_cast<std::size_t>(n) * static_cast<std::size_t>(nrhs);
  Workspace<T> workspace = Workspace<T>::create(factor, nrhs);
  x.resize(length);
  return least_seconds(
      kTimedSolves, [&] { std::copy_n(b.begin(), length, x.begin()); },
      [&] {
        factor.solve({x.data(), n, nrhs, n}, workspace);
      });
}

}  // namespace

template <Scalar T>
Trial measure(const std::shared_ptr<const Plan>& plan, const SymmetricView<T>& a, Backend& backend, const TrialOptions& options) {
  Trial trial;
  backend.reset_peak();
  const Stopwatch first;
  Factor<T> factor = Factor<T>::create(plan, backend);
  const Result<void, Breakdown> outcome = refactorize<T>(factor, a.value);
  trial.factor1_s = first.seconds();
  if (!outcome) {
    trial.breakdown = outcome.error();
    trial.peak_bytes = backend.peak_bytes();
    return trial;
  }
  trial.factor_s = std::numeric_limits<double>::infinity();
  for (int k = 0; k < options.repetitions; ++k) {
    const Stopwatch watch;
    const bool ok = refactorize<T>(factor, a.value).ok();
    if (ok) trial.factor_s = std::min(trial.factor_s, watch.seconds());
  }
  const Index n = plan->n, most = std::max<Index>(1, options.many);
  const std::vector<T> b = random_vector<T>(static_cast<std::size_t>(n) * static_cast<std::size_t>(most), options.seed);
  std::vector<T> x;
  if (options.many > 0) trial.solve_many_s = solve_seconds(factor, b, x, options.many);
  trial.solve1_s = solve_seconds(factor, b, x, 1);
  trial.peak_bytes = backend.peak_bytes();
  trial.backward_error = backward_error<T>(a, MatrixView<const T>{x.data(), n, 1, n}, MatrixView<const T>{b.data(), n, 1, n}, backend);
  return trial;
}

template Trial measure<double>(const std::shared_ptr<const Plan>&, const SymmetricView<double>&, Backend&, const TrialOptions&);
template Trial measure<float>(const std::shared_ptr<const Plan>&, const SymmetricView<float>&, Backend&, const TrialOptions&);

Trial measure(const std::string& scalar, const std::shared_ptr<const Plan>& plan, const System& system, Backend& backend,
              const TrialOptions& options) {
  if (scalar == "float") return measure<float>(plan, Values<float>(system.matrix).view(), backend, options);
  return measure<double>(plan, Values<double>(system.matrix).view(), backend, options);
}

}  // namespace kauri::cli
