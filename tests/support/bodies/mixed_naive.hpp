// Mixed precision in its simplest form, by public calls: the oracle of kauri::MixedFactor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/bodies/refiner.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/mixed_systems.hpp"
#include "tests/support/systems/plan_of.hpp"

namespace kauri::test {

inline constexpr double kEps = std::numeric_limits<double>::epsilon();

/// Returns the greatest |c - H y|_i / (|H||y| + |c|)_i of H y = c, computed in long double;
/// infinite if y is not finite.
inline double naive_error(const SymmetricView<double>& h, const std::vector<double>& y,
                          const std::vector<double>& c) {
  std::vector<long double> r(c.begin(), c.end()), size(c.size());
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (!std::isfinite(y[i])) return std::numeric_limits<double>::infinity();
    size[i] = std::fabs(c[i]);
  }
  const auto take = [&](std::size_t i, std::size_t j, double v) {
    r[i] -= static_cast<long double>(v) * y[j];
    size[i] += std::fabs(static_cast<long double>(v) * y[j]);
  };
  for (Index j = 0; j < h.pattern.n; ++j)
    for (Offset k = h.pattern.col_ptr[j]; k < h.pattern.col_ptr[j + 1]; ++k) {
      const auto i = static_cast<std::size_t>(h.pattern.row[k]), col = static_cast<std::size_t>(j);
      take(i, col, h.value[k]);
      if (i != col) take(col, i, h.value[k]);
    }
  long double worst = 0;
  for (std::size_t i = 0; i < c.size(); ++i)
    worst = std::max(worst, size[i] == 0 ? 0 : std::fabs(r[i]) / size[i]);
  return static_cast<double>(worst);
}

/// A system, scaled by SymmetricScaling.
struct ScaledSystem {
  explicit ScaledSystem(const SymmetricMatrix<double>& a) : h(a), scaling(a.view()) {
    scaling.apply(a.view(), h.value());
  }
  /// Returns S b 2^-t, and t.
  std::pair<std::vector<double>, int> right(const std::vector<double>& b) const {
    std::vector<double> c = b;
    int t = std::numeric_limits<int>::min();
    for (std::size_t i = 0; i < c.size(); ++i)
      if (c[i] != 0) t = std::max(t, std::ilogb(c[i]) + 1 - scaling.exponent()[i]);
    if (t == std::numeric_limits<int>::min()) t = 0;
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = std::scalbn(c[i], -t - scaling.exponent()[i]);
    return {c, t};
  }
  /// Returns x 2^-t = S y from y (sign 1), or y from x (sign -1).
  std::vector<double> moved(std::vector<double> y, int t, int sign) const {
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = std::scalbn(y[i], sign * (t - scaling.exponent()[i]));
    return y;
  }
  /// Returns the componentwise error of x, as MixedReport defines it.
  double error(const std::vector<double>& x, const std::vector<double>& b) const {
    const auto [c, t] = right(b);
    return naive_error(h.view(), moved(x, t, -1), c);
  }

  SymmetricMatrix<double> h;
  SymmetricScaling scaling;
};

/// Returns a right-hand side whose scaled entries have similar sizes; with of_solution, A times an
/// x with that property.
inline std::vector<double> right_hand_side(const SymmetricMatrix<double>& a, bool of_solution,
                                           std::uint64_t seed) {
  const ScaledSystem scaled(a);
  std::vector<double> v = random_numbers<double>(a.n(), seed), out(v.size());
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = std::scalbn(v[i], scaled.scaling.exponent()[i] * (of_solution ? -1 : 1));
  if (!of_solution) return v;
  Backend backend = cpu_backend(1);
  multiply<double>(a.view(), column_view(std::span<const double>(v)), column_view(std::span(out)),
                   backend);
  return out;
}

inline MixedFactor mixed_of(const SymmetricMatrix<double>& a, Backend& backend,
                            const PlanOf& plan_of, Index nrhs = 1,
                            const MixedOptions& options = {}) {
  return MixedFactor::create(a.pattern(), plan_of(a.pattern()), backend, nrhs, options);
}

inline Result<MixedReport, Breakdown> solve_one(MixedFactor& factor, const std::vector<double>& b,
                                                std::vector<double>& x,
                                                const MixedSolveOptions& options = {}) {
  x.assign(b.size(), 7.0);
  return factor.solve(column_view(std::span<const double>(b)), column_view(std::span(x)), options);
}

inline void expect_same(const MixedReport& mine, const MixedReport& theirs,
                        const std::string& where) {
  EXPECT_EQ(mine.path, theirs.path) << where;
  EXPECT_EQ(mine.shift, theirs.shift) << where;
  EXPECT_EQ(mine.unrefined.componentwise, theirs.unrefined.componentwise) << where;
  EXPECT_EQ(mine.steps, theirs.steps) << where;
  EXPECT_EQ(mine.cg_steps, theirs.cg_steps) << where;
  EXPECT_EQ(mine.contraction, theirs.contraction) << where;
  EXPECT_EQ(mine.cg_contraction, theirs.cg_contraction) << where;
  EXPECT_EQ(mine.unconverged, theirs.unconverged) << where;
  EXPECT_EQ(mine.error.componentwise, theirs.error.componentwise) << where;
  EXPECT_EQ(mine.error.normwise, theirs.error.normwise) << where;
}

/// A mixed solve of one column by public calls.
class NaiveMixed {
 public:
  NaiveMixed(const SymmetricMatrix<double>& a, const std::vector<double>& b, Backend& backend,
             const PlanOf& plan_of)
      : backend_(backend),
        scaled_(a),
        factor_(Factor<float>::create(plan_of(a.pattern()), backend)),
        workspace_(Workspace<float>::create(factor_, 1)) {
    std::tie(c_, t_) = scaled_.right(b);
    const std::vector<float> rounded(scaled_.h.value().begin(), scaled_.h.value().end());
    report.shift = 0;
    if (refactorize<float>(factor_, rounded)) return;
    report.shift = 0x1p-20;
    EXPECT_TRUE(refactorize<float>(factor_, rounded, 0x1p-20F).ok());
  }
  [[nodiscard]] std::vector<double> x() const { return scaled_.moved(y_, t_, 1); }

  /// Refines while each step reduces the error to half. With may_turn, when conjugate gradients
  /// could take over, only while it reduces the error to an eighth, unless the error is accepted
  /// already.
  void refine(bool may_turn = false) {
    y_.assign(c_.size(), 0.0);
    report.steps = 0, report.contraction = 0;
    std::vector<double> r = c_;
    for (double before = 1; before > kEps;) {
      const std::vector<double> d = precondition(r);
      std::vector<double> next = y_;
      for (std::size_t i = 0; i < r.size(); ++i) next[i] += d[i];
      const BackwardError error = error_of(next);
      const double ratio = error.componentwise / before;
      if (report.steps == 0) report.unrefined = error;
      if (report.steps > 0 && before > 4 * kEps)
        report.contraction = std::max(report.contraction, ratio);
      if (ratio < 1) y_ = next, report.error = error, ++report.steps, before = error.componentwise;
      taken_back += ratio < 1 ? 0 : 1;
      const bool hurries = may_turn && report.steps > 1 && error.componentwise > 4 * kEps;
      if (!(ratio < (hurries ? 0.125 : 0.5))) break;
      r = residual_of(y_);
    }
    report.unconverged = report.error.componentwise > 4 * kEps ? 1 : 0;
  }
  /// Takes the first step of conjugate gradients. Returns its largest entry.
  double search() {
    const std::vector<double> r = residual_of(y_), p = precondition(r);
    std::vector<double> image(p.size()), next = y_;
    multiply<double>(scaled_.h.view(), column_view(std::span(p)), column_view(std::span(image)),
                     backend_);
    double along = 0, curvature = 0, most = 0;
    for (std::size_t i = 0; i < p.size(); ++i) along += p[i] * r[i], curvature += p[i] * image[i];
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double step = along / curvature * p[i];
      next[i] += step,
          most = std::max(most, std::fabs(std::scalbn(step, t_ - scaled_.scaling.exponent()[i])));
    }
    if (error_of(next).componentwise < report.error.componentwise) y_ = next;
    return most;
  }

  MixedReport report;
  int taken_back = 0;

 private:
  BackwardError error_of(const std::vector<double>& y) {
    return backward_error<double>(scaled_.h.view(), column_view(std::span(y)),
                                  column_view(std::span<const double>(c_)), backend_);
  }
  std::vector<double> residual_of(const std::vector<double>& y) {
    std::vector<double> r(y.size());
    residual<double>(scaled_.h.view(), column_view(std::span(y)),
                     column_view(std::span<const double>(c_)), column_view(std::span(r)), backend_);
    return r;
  }
  std::vector<double> precondition(const std::vector<double>& r) {
    double most = 0;
    for (const double v : r) most = std::max(most, std::fabs(v));
    const int grow = std::ilogb(most) + 1;
    std::vector<float> d(r.size());
    for (std::size_t i = 0; i < r.size(); ++i) d[i] = static_cast<float>(std::scalbn(r[i], -grow));
    factor_.solve(column_view(std::span(d)), workspace_);
    std::vector<double> out(d.begin(), d.end());
    for (double& v : out) v = std::scalbn(v, grow);
    return out;
  }

  Backend& backend_;
  ScaledSystem scaled_;
  Factor<float> factor_;
  Workspace<float> workspace_;
  std::vector<double> c_, y_;
  int t_ = 0;
};

/// Expects the steps, contraction, errors and every bit of x of NaiveMixed, also if refinement does
/// not contract ("slow k": a grid of k x k; "stiff k": bars). Then compares the first step of
/// conjugate gradients, up to rounding, since its sums have another order. Returns how often a
/// correction was taken back. `of_float`: a backend whose factors in float equal the factors that
/// `backend` makes of scaled matrices.
inline int refinement_is_the_naive_mixed_loop(Backend& backend, const PlanOf& plan_of,
                                              const std::vector<std::string>& specs,
                                              Backend& of_float) {
  int taken_back = 0;
  for (const std::string& spec : specs) {
    const bool slow = spec.starts_with("slow"), stiff = spec.starts_with("stiff");
    const auto k = slow || stiff ? static_cast<Index>(std::stoi(spec.substr(spec.find(' ')))) : 0;
    // With a larger grid refinement contracts at 3e9, if only just.
    SymmetricMatrix<double> a = stiff  ? bars(k, 1e8)
                                : slow ? moved_laplacian(k, k < 30 ? 3e9 : 1e10)
                                       : generate(spec);
    for (Index j = 0; j < a.n(); ++j)  // other units in each row
      for (Offset e = a.pattern().col_ptr[j]; e < a.pattern().col_ptr[j + 1]; ++e)
        a.value()[static_cast<std::size_t>(e)] *=
            std::pow(3.0, j % 7) * std::pow(3.0, a.pattern().row[static_cast<std::size_t>(e)] % 7);
    const std::vector<double> b = right_hand_side(a, k > 0, 3);
    NaiveMixed naive(a, b, of_float, plan_of);
    naive.refine();
    taken_back += naive.taken_back;
    MixedFactor mixed = mixed_of(a, backend, plan_of, 1, {.allow_double = false});
    EXPECT_TRUE(mixed.refactorize(a.value()).ok());
    std::vector<double> x;
    expect_same(solve_one(mixed, b, x, {.max_cg_steps = 0}).value(), naive.report, spec);
    EXPECT_EQ(x, naive.x()) << spec;
    EXPECT_EQ(naive.report.unconverged, k > 0 ? 1 : 0) << spec;
    EXPECT_GE(naive.report.steps, a.n() > 1 && k == 0 ? 2 : 1) << spec;
    if (k == 0) {
      EXPECT_LE(ScaledSystem(a).error(x, b), 4 * kEps) << spec;
      continue;
    }
    naive.refine(true);
    const double step = naive.search();
    EXPECT_EQ(solve_one(mixed, b, x, {.max_cg_steps = 1}).value().cg_steps, 1) << spec;
    const std::vector<double> expected = naive.x();
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-9 * step) << spec;
  }
  return taken_back;
}

}  // namespace kauri::test
