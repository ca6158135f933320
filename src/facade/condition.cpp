// Estimates the condition number of A in the 1-norm by a few solves.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/condition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/progress/phase_range.hpp"
#include "base/threads/stopping.hpp"
#include "numeric/backend.hpp"
#include "src/checks/misuse.hpp"
#include "src/checks/same_pattern.hpp"
#include "src/engine/pivot_loss.hpp"

namespace kauri {
namespace {

/// Upper limit on the steps of Hager's method, which hardly ever needs more than four.
constexpr int kMostSteps = 5;

template <class T>
void require_same_pattern(const char* call, const SymmetricView<T>& a, const Factor<T>& factor) {
  require_pattern(a.pattern, factor.plan(),
                  std::string(call) + ": the matrix has another pattern than the one analysed");
  if (static_cast<Offset>(a.value.size()) != a.pattern.nnz())
    misuse(std::string(call) + ": " + std::to_string(a.value.size()) + " values, the pattern has " +
           std::to_string(a.pattern.nnz()) + " entries");
}

template <class T>
double norm_of(const SymmetricView<T>& a) {
  std::vector<double> sum(static_cast<std::size_t>(a.pattern.n), 0);
  for (Index j = 0; j < a.pattern.n; ++j)
    for (Offset k = a.pattern.col_ptr[j]; k < a.pattern.col_ptr[j + 1]; ++k) {
      const double magnitude = std::abs(static_cast<double>(a.value[k]));
      sum[j] += magnitude;
      if (a.pattern.row[k] != j) sum[a.pattern.row[k]] += magnitude;
    }
  double largest = 0;
  for (const double s : sum) largest = s <= largest ? largest : s;  // NaN stays
  return largest;
}

/// Norm estimator with vectors in host memory, for factors on the CPU.
template <class T>
class HostNormEstimator final : public numeric::NormEstimator<T> {
 public:
  HostNormEstimator(const Factor<T>& factor, Workspace<T>& workspace, const std::stop_token& stop)
      : factor_(factor),
        workspace_(workspace),
        stop_(stop),
        x_(static_cast<std::size_t>(factor.plan().n)),
        sign_(x_.size(), T(0)) {}

  numeric::EstimatorStep step(numeric::EstimatorStart start, Index corner) override {
    begin(start, corner);
    factor_.solve(column_view(std::span<T>(x_)), workspace_, stop_);
    numeric::EstimatorStep seen{};
    for (const T v : x_) seen.sum += std::abs(static_cast<double>(v));
    const auto largest =
        std::max_element(x_.begin(), x_.end(), [](T u, T v) { return std::abs(u) < std::abs(v); });
    seen.where = static_cast<Index>(largest - x_.begin());
    seen.largest = std::abs(static_cast<double>(*largest));
    seen.at_corner = std::abs(static_cast<double>(x_[static_cast<std::size_t>(corner)]));
    if (start != numeric::EstimatorStart::signs) seen.turned = keep_signs() ? 1 : 0;
    return seen;
  }

 private:
  void begin(numeric::EstimatorStart start, Index corner) {
    const auto n = static_cast<double>(x_.size());
    switch (start) {
      case numeric::EstimatorStart::even:
        return x_.assign(x_.size(), T(1) / static_cast<T>(x_.size()));
      case numeric::EstimatorStart::alternating:
        for (std::size_t i = 0; i < x_.size(); ++i)
          x_[i] = static_cast<T>((i % 2 == 0 ? 1.0 : -1.0) *
                                 (1.0 + static_cast<double>(i) / std::max(1.0, n - 1.0)));
        return;
      case numeric::EstimatorStart::unit:
        x_.assign(x_.size(), T(0));
        x_[static_cast<std::size_t>(corner)] = T(1);
        return;
      case numeric::EstimatorStart::signs:
        x_ = sign_;
    }
  }
  /// Stores the signs of x in sign_; returns true if one differs from that stored before.
  bool keep_signs() {
    bool turned = false;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const T sign = x_[i] < T(0) ? T(-1) : T(1);
      turned = turned || sign != sign_[i];
      sign_[i] = sign;
    }
    return turned;
  }

  const Factor<T>& factor_;
  Workspace<T>& workspace_;
  const std::stop_token& stop_;
  std::vector<T> x_, sign_;
};

/// Calls the estimator's steps, each of which is one solve, and counts them; checks for a stop
/// before each.
template <class T>
struct Solves {
  numeric::NormEstimator<T>& estimator;
  int count = 0;
  numeric::EstimatorStep operator()(numeric::EstimatorStart start, Index corner = 0) {
    stop_here();
    ++count;
    return estimator.step(start, corner);
  }
};

/// Returns Hager's lower bound of ||A^-1||_1: climbs, for at most kMostSteps steps, to a local
/// maximum of ||A^-1 x||_1 over the unit vectors, which are the corners of the ball ||x||_1 <= 1.
/// Solves with A^T are solves with A, since A is symmetric. Returns NaN if a solution has a NaN.
template <class T>
double climb(Solves<T>& solve, Index n) {
  using numeric::EstimatorStart;
  double most = solve(EstimatorStart::even).sum;
  if (n == 1 || !std::isfinite(most)) return most;
  const numeric::EstimatorStep first = solve(EstimatorStart::signs);
  if (std::isnan(first.sum)) return first.sum;
  Index corner = first.where;
  for (int step = 1; step < kMostSteps; ++step) {
    const numeric::EstimatorStep seen = solve(EstimatorStart::unit, corner);
    if (!(seen.sum > most)) return std::isnan(seen.sum) ? seen.sum : most;
    most = seen.sum;
    if (seen.turned == 0) return most;
    const numeric::EstimatorStep slope = solve(EstimatorStart::signs, corner);
    if (std::isnan(slope.sum)) return slope.sum;
    if (slope.largest == slope.at_corner) return most;
    corner = slope.where;
  }
  return most;
}

/// Returns Higham's safeguard: a lower bound from a vector of alternating signs, for matrices in
/// which cancellation misleads climb().
template <class T>
double alternating(Solves<T>& solve, Index n) {
  return 2 * solve(numeric::EstimatorStart::alternating).sum / (3 * static_cast<double>(n));
}

}  // namespace

template <Scalar T>
ConditionEstimate estimate_condition(const SymmetricView<T>& a, const Factor<T>& factor,
                                     Workspace<T>& workspace, const std::stop_token& stop) {
  require_same_pattern("estimate_condition", a, factor);
  ConditionEstimate out;
  const Index n = a.pattern.n;
  if (n == 0) return out;
  const StopScope scope(stop);
  const PhaseRange range("condition");
  out.norm = norm_of(a);
  std::unique_ptr<numeric::NormEstimator<T>> estimator = factor.make_norm_estimator(workspace);
  if (!estimator) estimator = std::make_unique<HostNormEstimator<T>>(factor, workspace, stop);
  Solves<T> solve{*estimator};
  out.inverse_norm = climb(solve, n);
  const double other = alternating(solve, n);
  if (!std::isnan(out.inverse_norm) && !(other <= out.inverse_norm)) out.inverse_norm = other;
  if (std::isnan(out.inverse_norm)) out.inverse_norm = std::numeric_limits<double>::infinity();
  out.solves = solve.count;
  return out;
}

template <Scalar T>
PivotLoss worst_pivot(const SymmetricView<T>& a, const Factor<T>& factor) {
  require_same_pattern("worst_pivot", a, factor);
  return find_worst_pivot(a, factor);
}

template PivotLoss worst_pivot(const SymmetricView<float>&, const Factor<float>&);
template PivotLoss worst_pivot(const SymmetricView<double>&, const Factor<double>&);
template ConditionEstimate estimate_condition(const SymmetricView<float>&, const Factor<float>&,
                                              Workspace<float>&, const std::stop_token&);
template ConditionEstimate estimate_condition(const SymmetricView<double>&, const Factor<double>&,
                                              Workspace<double>&, const std::stop_token&);

}  // namespace kauri
