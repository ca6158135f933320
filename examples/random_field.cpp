// A Gaussian Markov random field on a grid, measured at every second point: estimates its range by
// maximum likelihood, the field with standard deviations, and draws samples of it. The precision
// (inverse covariance) is sparse, so log-determinants, solves, the selected inverse and solves with
// L^T suffice (Rue & Held, Gaussian Markov Random Fields, 2005).
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <cmath>
#include <cstdio>
#include <random>
#include <span>
#include <vector>

namespace {

using kauri::Index;
using Vector = std::vector<double>;

constexpr Index kWidth = 60, kHeight = 50, kPoints = kWidth * kHeight;
constexpr double kNoise = 0.3;  // standard deviation of a measurement

bool is_measured(Index i) { return i % 2 == 0; }

/// Returns the precision Q = kappa2 I + the grid's Laplacian. With `measured`, adds 1 / noise^2 at
/// the measured points, which gives the precision of the field conditioned on the measurements.
kauri::SymmetricMatrix<double> precision(double kappa2, bool measured) {
  std::vector<Index> row, col;
  Vector value;
  const auto add = [&](Index i, Index j, double v) {
    row.push_back(i), col.push_back(j), value.push_back(v);
  };
  for (Index i = 0; i < kPoints; ++i) {
    add(i, i, kappa2 + (measured && is_measured(i) ? 1 / (kNoise * kNoise) : 0));
    for (const Index j :
         {i % kWidth + 1 < kWidth ? i + 1 : i, i + kWidth < kPoints ? i + kWidth : i}) {
      if (j == i) continue;
      add(j, i, -1), add(i, i, 1), add(j, j, 1);
    }
  }
  return kauri::SymmetricMatrix<double>::from_triplets(kPoints, row, col, value,
                                                       kauri::Storage::lower);
}

/// A plan that all precisions share, since they have the same pattern, and factors of the prior and
/// the posterior precision.
struct Field {
  kauri::Backend backend = kauri::cpu_backend();
  std::shared_ptr<const kauri::Plan> plan = kauri::analyze(precision(1, false).pattern());
  kauri::Factor<double> prior = kauri::Factor<double>::create(plan, backend);
  kauri::Factor<double> posterior = kauri::Factor<double>::create(plan, backend);
  kauri::Workspace<double> workspace = kauri::Workspace<double>::create(prior, 1);

  bool set(double kappa2) {
    return kauri::refactorize(prior, precision(kappa2, false).view()).ok() &&
           kauri::refactorize(posterior, precision(kappa2, true).view()).ok();
  }
  /// Returns a sample of the distribution whose precision was factorised: P^T L^-T z.
  Vector sample(const kauri::Factor<double>& factor, std::mt19937& random) {
    std::normal_distribution<double> normal;
    Vector x(kPoints);
    for (double& v : x) v = normal(random);
    const kauri::MatrixView<double> view = kauri::column_view(std::span<double>(x));
    factor.solve(kauri::System::Lt, view, view, workspace);
    factor.solve(kauri::System::Pt, view, view, workspace);
    return x;
  }
  /// Returns the mean of the field given measurements y.
  Vector mean(const Vector& y) {
    Vector x(kPoints, 0.0);
    for (Index i = 0; i < kPoints; ++i)
      if (is_measured(i)) x[i] = y[i] / (kNoise * kNoise);
    posterior.solve(kauri::column_view(std::span<double>(x)), workspace);
    return x;
  }
  /// Returns ln p(y | kappa2), up to a constant, for the kappa2 of the last set().
  double log_likelihood(const Vector& y) {
    const Vector x = mean(y);
    double fit = 0;
    for (Index i = 0; i < kPoints; ++i)
      if (is_measured(i)) fit += y[i] * (y[i] - x[i]) / (kNoise * kNoise);
    return (kauri::log_determinant(prior) - kauri::log_determinant(posterior) - fit) / 2;
  }
};

/// Returns the relative difference of two values of d ln det(Q) / d kappa2: the trace of Q^-1 by
/// the selected inverse, and a difference quotient.
double check_gradient(Field& field, double kappa2) {
  double ends[2];
  for (const int side : {0, 1}) {
    field.set(kappa2 + (side == 0 ? -1e-4 : 1e-4));
    ends[side] = kauri::log_determinant(field.prior);
  }
  field.set(kappa2);
  auto inverse = kauri::SelectedInverse<double>::create(field.prior);
  inverse.compute(field.prior);
  double trace = 0;
  for (const double variance : inverse.diagonal()) trace += variance;
  return std::fabs((ends[1] - ends[0]) / 2e-4 / trace - 1);
}

}  // namespace

int main() {
  constexpr double kTrue = 0.3;
  Field field;
  std::mt19937 random(1);
  field.set(kTrue);
  const Vector truth = field.sample(field.prior, random);
  Vector y(truth);
  std::normal_distribution<double> noise(0, kNoise);
  for (double& v : y) v += noise(random);

  double best = 0, highest = -1e300;
  for (double kappa2 = 0.03; kappa2 < 3; kappa2 *= 1.25) {
    field.set(kappa2);
    if (const double likelihood = field.log_likelihood(y); likelihood > highest)
      highest = likelihood, best = kappa2;
  }
  std::printf("%d points, %d of them measured: kappa^2 = %.4f is the likeliest, %.4f is true\n",
              kPoints, kPoints / 2, best, kTrue);

  // Standardised deviations have a mean square of 1; the standard deviations are those of the
  // field, from the selected inverse.
  field.set(best);
  auto inverse = kauri::SelectedInverse<double>::create(field.posterior);
  inverse.compute(field.posterior);
  const Vector variance = inverse.diagonal(), mean = field.mean(y);
  double missed = 0, sampled = 0;
  constexpr int kSamples = 40;
  for (Index i = 0; i < kPoints; ++i)
    missed += std::pow(truth[i] - mean[i], 2) / variance[i] / kPoints;
  for (int k = 0; k < kSamples; ++k) {
    const Vector x = field.sample(field.posterior, random);
    for (Index i = 0; i < kPoints; ++i) sampled += x[i] * x[i] / variance[i] / kPoints / kSamples;
  }
  const double gradient = check_gradient(field, best);
  std::printf("squares of deviations over variances: of the truth %.3f, of %d samples %.3f\n",
              missed, kSamples, sampled);
  std::printf("gradient of the log-determinant: the trace of the inverse but for %.1e\n", gradient);
  return best > kTrue / 2 && best < kTrue * 2 && std::fabs(missed - 1) < 0.15 &&
                 std::fabs(sampled - 1) < 0.05 && gradient < 1e-6
             ? 0
             : 1;
}
