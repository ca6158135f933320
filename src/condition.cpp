// The condition of A in the 1-norm, by a few solves.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/condition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "src/base/check.hpp"

namespace kauri {
namespace {

/// Steps of Hager's method: more than four are hardly ever needed.
constexpr int kMostSteps = 5;

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

template <class T>
double sum_of_magnitudes(const std::vector<T>& x) {
  double sum = 0;
  for (const T v : x) sum += std::abs(static_cast<double>(v));
  return sum;
}

template <class T>
std::vector<T> signs_of(const std::vector<T>& x) {
  std::vector<T> out(x.size());
  std::transform(x.begin(), x.end(), out.begin(), [](T v) { return v < T(0) ? T(-1) : T(1); });
  return out;
}

template <class T>
std::size_t largest_of(const std::vector<T>& x) {
  return static_cast<std::size_t>(std::max_element(x.begin(), x.end(), [](T u, T v) { return std::abs(u) < std::abs(v); }) - x.begin());
}

/// x = A^-1 x, counted.
template <class T>
struct Inverse {
  const Factor<T>& factor;
  Workspace<T>& workspace;
  const std::stop_token& stop;
  int solves = 0;
  void apply(std::vector<T>& x) {
    factor.solve(column_view(std::span<T>(x)), workspace, stop);
    ++solves;
  }
};

/// ||A^-1 x||_1 goes up over the corners of the ball ||x||_1 <= 1: the unit vectors. A^-T = A^-1.
template <class T>
double climb(Inverse<T>& inverse, std::size_t n) {
  std::vector<T> x(n, T(1) / static_cast<T>(n));
  inverse.apply(x);
  double most = sum_of_magnitudes(x);
  if (n == 1 || !std::isfinite(most)) return most;
  std::vector<T> sign = signs_of(x), slope = sign;
  inverse.apply(slope);
  std::size_t corner = largest_of(slope);
  for (int step = 1; step < kMostSteps; ++step) {
    x.assign(n, T(0));
    x[corner] = T(1);
    inverse.apply(x);
    const double now = sum_of_magnitudes(x);
    if (!(now > most)) return std::isnan(now) ? now : most;
    most = now;
    std::vector<T> next = signs_of(x);
    if (next == sign) return most;
    sign = std::move(next);
    slope = sign;
    inverse.apply(slope);
    const std::size_t other = largest_of(slope);
    if (std::abs(slope[other]) == std::abs(slope[corner])) return most;
    corner = other;
  }
  return most;
}

/// A vector that no cancellation hides from: Higham's safeguard.
template <class T>
double alternating(Inverse<T>& inverse, std::size_t n) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = static_cast<T>((i % 2 == 0 ? 1.0 : -1.0) * (1.0 + static_cast<double>(i) / std::max(1.0, static_cast<double>(n) - 1.0)));
  inverse.apply(x);
  return 2 * sum_of_magnitudes(x) / (3 * static_cast<double>(n));
}

}  // namespace

template <Scalar T>
ConditionEstimate estimate_condition(const SymmetricView<T>& a, const Factor<T>& factor, Workspace<T>& workspace,
                                     const std::stop_token& stop) {
  check(a.pattern);
  if (static_cast<Offset>(a.value.size()) != a.pattern.nnz() || fingerprint(a.pattern) != factor.plan().fingerprint)
    throw Error(ErrorKind::usage, "estimate_condition: the matrix has another pattern than the one analysed, or " +
                                      std::to_string(a.value.size()) + " values for " + std::to_string(a.pattern.nnz()) + " entries");
  ConditionEstimate out;
  const auto n = static_cast<std::size_t>(a.pattern.n);
  if (n == 0) return out;
  out.norm = norm_of(a);
  Inverse<T> inverse{factor, workspace, stop};
  out.inverse_norm = climb(inverse, n);
  if (const double other = alternating(inverse, n); !(other <= out.inverse_norm)) out.inverse_norm = other;
  if (std::isnan(out.inverse_norm)) out.inverse_norm = std::numeric_limits<double>::infinity();
  out.solves = inverse.solves;
  return out;
}

template ConditionEstimate estimate_condition(const SymmetricView<float>&, const Factor<float>&, Workspace<float>&, const std::stop_token&);
template ConditionEstimate estimate_condition(const SymmetricView<double>&, const Factor<double>&, Workspace<double>&,
                                              const std::stop_token&);

}  // namespace kauri
