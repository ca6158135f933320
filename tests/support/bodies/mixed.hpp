// Bodies of tests of kauri::MixedFactor that hold for every backend. Array is described in
// refiner.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/bodies/mixed_naive.hpp"

namespace kauri::test {

/// Counts the paths by which the solves of a family succeed.
struct PathsTaken {
  int refinement = 0, conjugate_gradients = 0, factor_in_double = 0, shifted = 0;
};

/// Expects a solution with the errors of full precision on any path; the condition may determine
/// the path. coarser: factor by which numbers of the factor may be rounded more than in float.
inline void solve_at_condition(const SymmetricMatrix<double>& a, Backend& backend,
                               const PlanOf& plan_of, const std::string& name, PathsTaken& ways,
                               double coarser = 1) {
  const double condition = scaled_condition(a);
  const ScaledSystem scaled(a);
  MixedFactor mixed = mixed_of(a, backend, plan_of);
  ASSERT_TRUE(mixed.refactorize(a.value()).ok()) << name;
  ways.shifted += mixed.shift() > 0 ? 1 : 0;
  for (const bool of_solution : {false, true}) {
    const std::string where =
        name + ", condition " + std::to_string(condition) + (of_solution ? ", b = A x" : "");
    const std::vector<double> b = right_hand_side(a, of_solution, 5);
    std::vector<double> x;
    const auto solved = solve_one(mixed, b, x);
    ASSERT_TRUE(solved.ok()) << where;
    const MixedReport& report = solved.value();
    EXPECT_TRUE(report.converged()) << where;
    EXPECT_LE(report.error.componentwise, 4 * kEps) << where;
    EXPECT_LE(report.error.normwise, 4 * kEps) << where;
    EXPECT_LE(scaled.error(x, b), 5 * kEps) << where;
    EXPECT_EQ(report.kernels, backend.mixed_kernels());
    if (condition * coarser <= 2e6) {
      EXPECT_EQ(report.path, MixedPath::refinement) << where;
      EXPECT_EQ(mixed.shift(), 0) << where;
    }
    if (condition * coarser <= 2e8) {
      EXPECT_NE(report.path, MixedPath::factor_in_double) << where;
    }
    EXPECT_LE(report.cg_steps, 16)
        << where;  // systems are small, and their factors take no longer than this many solves
    EXPECT_EQ(report.path == MixedPath::factor_in_double, mixed.in_double()) << where;
    EXPECT_EQ(report.cg_steps > 0,
              report.path == MixedPath::conjugate_gradients || report.cg_contraction > 0)
        << where;
    (report.path == MixedPath::refinement            ? ways.refinement
     : report.path == MixedPath::conjugate_gradients ? ways.conjugate_gradients
                                                     : ways.factor_in_double)++;
  }
}

/// Solves three families with conditions of 1e2 to 1e12, in units of A's rows of up to 10^±149.
inline PathsTaken paths_follow_the_condition(Backend& backend, const PlanOf& plan_of, Index k,
                                             Index cells, Index n, double coarser = 1) {
  PathsTaken ways;
  for (double condition = 1e2; condition < 2e12; condition *= 10) {
    const std::string c = std::to_string(condition);
    if (condition >= 1e3)
      solve_at_condition(moved_laplacian(k, condition), backend, plan_of, "Laplacian " + c, ways,
                         coarser);
    solve_at_condition(bars(cells, condition), backend, plan_of, "bars " + c, ways, coarser);
    solve_at_condition(random_scaled(n, condition, 3, 1), backend, plan_of, "random " + c, ways,
                       coarser);
    solve_at_condition(random_scaled(n, condition, 149, 2), backend, plan_of,
                       "random, far scaled " + c, ways, coarser);
  }
  return ways;
}

/// Eigenvalues spread over the whole range, which conjugate gradients find one by one, need the
/// factor in double, or the report says that the solve has not converged.
inline void spread_spectra_want_double(Backend& backend, const PlanOf& plan_of, Index n,
                                       double coarser = 1) {
  for (const double condition : {1e4, 1e6, 1e10, 1e12, 1e13}) {
    const SymmetricMatrix<double> a = spread_spectrum(n, condition, 3);
    const ScaledSystem scaled(a);
    const std::vector<double> b = right_hand_side(a, false, 1);
    std::vector<double> x;
    MixedFactor mixed = mixed_of(a, backend, plan_of);
    const Offset before = backend.bytes_in_use();
    ASSERT_TRUE(mixed.refactorize(a.value()).ok());
    const auto solved = solve_one(mixed, b, x);
    ASSERT_TRUE(solved.ok());
    EXPECT_TRUE(solved.value().converged()) << condition;
    EXPECT_LE(scaled.error(x, b), 5 * kEps) << condition;
    const bool hard = condition >= 1e13;
    if (condition * coarser <= 1e6) {
      EXPECT_EQ(solved.value().path, MixedPath::refinement) << condition;
      EXPECT_EQ(backend.bytes_in_use(), before) << condition;
    }
    if (hard) {
      EXPECT_EQ(solved.value().path, MixedPath::factor_in_double) << condition;
      EXPECT_TRUE(mixed.in_double());
      EXPECT_GT(backend.bytes_in_use(), before) << condition;
      // A second solve uses the factor in double at once, with equal bits.
      std::vector<double> again;
      const auto second = solve_one(mixed, b, again);
      EXPECT_EQ(second.value().cg_steps, 0);
      EXPECT_EQ(second.value().in_double, 1);
      EXPECT_EQ(again, x);
    }
    MixedFactor alone = mixed_of(a, backend, plan_of, 1, {.allow_double = false});
    if (auto filled = alone.refactorize(a.value()); !filled) {
      EXPECT_TRUE(hard) << condition;
      continue;
    }
    const auto told = solve_one(alone, b, x);
    ASSERT_TRUE(told.ok());
    EXPECT_FALSE(alone.in_double());
    const double error = scaled.error(x, b);
    EXPECT_NEAR(told.value().error.componentwise, error, 0.1 * error + kEps) << condition;
    EXPECT_EQ(told.value().unconverged, told.value().error.componentwise > 4 * kEps ? 1 : 0)
        << condition;
    if (hard) {
      EXPECT_EQ(told.value().unconverged, 1) << condition;
    }
  }
}

/// Units that are powers of two change no bit: D A D, D b, and D^-1 x.
inline void units_change_nothing(Backend& backend, const PlanOf& plan_of,
                                 const std::vector<std::string>& specs) {
  for (const std::string& spec : specs)
    for (const double condition : {0.0, 1e9}) {
      const SymmetricMatrix<double> a =
          condition > 0 ? moved_laplacian(7, condition) : generate(spec);
      SymmetricMatrix<double> far = a;
      std::mt19937_64 random(2);
      std::vector<int> d(static_cast<std::size_t>(a.n()));
      for (int& v : d) v = static_cast<int>(random() % 901) - 450;
      const Pattern p = a.pattern();
      for (Index j = 0; j < p.n; ++j)
        for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
          double& v = far.value()[static_cast<std::size_t>(k)];
          v = std::scalbn(v,
                          d[static_cast<std::size_t>(j)] + d[static_cast<std::size_t>(p.row[k])]);
        }
      std::vector<double> b = right_hand_side(a, false, 1), far_b = b, x, far_x;
      for (std::size_t i = 0; i < b.size(); ++i) far_b[i] = std::scalbn(b[i], d[i] + 100);
      MixedFactor near = mixed_of(a, backend, plan_of), other = mixed_of(a, backend, plan_of);
      ASSERT_TRUE(near.refactorize(a.value()).ok());
      ASSERT_TRUE(other.refactorize(far.value()).ok());
      const auto mine = solve_one(near, b, x), theirs = solve_one(other, far_b, far_x);
      expect_same(mine.value(), theirs.value(), spec);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::scalbn(x[i], 100 - d[i]);
      EXPECT_EQ(x, far_x) << spec;
      const DeviceVerdict u = near.verdict(), v = other.verdict();
      EXPECT_EQ(u.smallest_column, v.smallest_column) << spec;
      EXPECT_EQ(std::scalbn(u.smallest_pivot, 2 * d[static_cast<std::size_t>(u.smallest_column)]),
                v.smallest_pivot)
          << spec;
    }
}

/// The verdict equals that of a factor of A in double.
inline void indefinite_as_in_double(Backend& backend, const PlanOf& plan_of,
                                    const std::string& spec, double slack) {
  const SymmetricMatrix<double> good = generate(spec);
  const Index n = good.n();
  std::mt19937_64 random(7);
  auto factor = Factor<double>::create(plan_of(good.pattern()), backend);
  MixedFactor mixed = mixed_of(good, backend, plan_of),
              alone = mixed_of(good, backend, plan_of, 1, {.allow_double = false});
  int broken = 0;
  for (int round = 0; round < 24; ++round) {
    SymmetricMatrix<double> a = good;
    const auto place = [&](Index j) { return static_cast<std::size_t>(good.pattern().col_ptr[j]); };
    const auto j = static_cast<Index>(random() % static_cast<std::uint64_t>(n));
    const double bad[] = {-1, 0, -0.0, 1e-3, -1e300, 1e-310};
    if (round % 4 == 0)  // the whole diagonal
      for (Index i = 0; i < n; ++i) a.value()[place(i)] -= 0.3 + 0.2 * round;
    if (round % 4 == 1) a.value()[place(j)] = bad[(round / 4) % 6];
    if (round % 4 == 2)
      for (Offset k = good.pattern().col_ptr[j]; k < good.pattern().col_ptr[j + 1]; ++k)
        if (k > good.pattern().col_ptr[j])
          a.value()[static_cast<std::size_t>(k)] *=
              round < 12 ? 1e200 : -30;  // beyond the range of float
    if (round % 4 == 3)
      for (double& v : a.value()) v = std::scalbn(v, round % 8 == 3 ? 900 : -900);
    const auto expected = refactorize<double>(factor, a.value());
    const auto found = mixed.refactorize(a.value());
    const auto in_float = alone.refactorize(a.value());
    ASSERT_EQ(found.ok(), expected.ok()) << spec << " " << round;
    EXPECT_EQ(mixed.valid(), found.ok());
    EXPECT_EQ(in_float.ok(), expected.ok()) << spec << " " << round;
    if (found) continue;
    ++broken;
    EXPECT_EQ(found.error().column, expected.error().column) << spec << " " << round;
    if (std::isfinite(found.error().pivot))
      EXPECT_NEAR(found.error().pivot, expected.error().pivot,
                  slack * std::fabs(expected.error().pivot))
          << spec << " " << round;
    else  // squares of entries beside a tiny diagonal overflow, or those of A do
      EXPECT_TRUE(!std::isfinite(expected.error().pivot) || round % 4 == 1) << spec << " " << round;
    EXPECT_EQ(mixed.verdict().column, expected.error().column);
    EXPECT_EQ(mixed.verdict().pivot, found.error().pivot);
    std::vector<double> b(static_cast<std::size_t>(n), 1.0), x;
    EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)solve_one(mixed, b, x); })
                  .find("MixedFactor: the factor is not valid"),
              0U);
  }
  EXPECT_GE(broken, n > 1 ? 12 : 5);
}

/// A negative eigenvalue too small for float gives a Breakdown or an accurate solution, or it is
/// reported as not converged.
inline void nearly_definite_is_never_wrong(Backend& backend, const PlanOf& plan_of, Index k) {
  int told = 0;
  for (const double negative : {-1e-2, -1e-3, -1e-4, -1e-5, -1e-6, -1e-7, -1e-8, -1e-10, -1e-12}) {
    const SymmetricMatrix<double> a = moved_laplacian(k, 8 / negative);
    for (const bool allow : {true, false}) {
      MixedFactor mixed = mixed_of(a, backend, plan_of, 1, {.allow_double = allow});
      std::vector<double> x;
      const std::vector<double> b = right_hand_side(a, false, 2);
      std::optional<Breakdown> breakdown;
      if (auto filled = mixed.refactorize(a.value()); !filled) {
        breakdown = filled.error();
      } else if (auto solved = solve_one(mixed, b, x); !solved) {
        breakdown = solved.error();
        EXPECT_TRUE(allow);
        EXPECT_FALSE(mixed.valid());
        for (const double v : x) ASSERT_TRUE(std::isnan(v));
      } else {
        const bool good = ScaledSystem(a).error(x, b) <= 5 * kEps;
        EXPECT_EQ(solved.value().converged(), good) << negative;
        told += !good ? 1 : 0;
      }
      if (!breakdown) continue;
      ++told;
      const auto full = factorize<double>(plan_of(a.pattern()), a.value(), backend);
      ASSERT_FALSE(full.ok()) << negative;
      if (allow) {
        EXPECT_EQ(breakdown->column, full.error().column) << negative;
      }
    }
  }
  EXPECT_GE(told, 10);
}

/// Columns of different difficulty are solved side by side, in blocks; memory between them is
/// unchanged.
template <class Array>
void columns_go_their_own_ways(Backend& backend, const PlanOf& plan_of, Index k) {
  const SymmetricMatrix<double> a = moved_laplacian(k, 1e9);
  const ScaledSystem scaled(a);
  const Index n = a.n(), cols = 7;
  const Offset ld = n + 3;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                   kInfinity = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> b;
  for (Index c = 0; c < cols; ++c)
    b.push_back(right_hand_side(a, c % 2 == 1, 10 + static_cast<std::uint64_t>(c)));
  std::fill(b[2].begin(), b[2].end(), 0.0);
  b[4][static_cast<std::size_t>(n / 2)] = kNaN;
  b[5][0] = -kInfinity;
  for (double& v : b[6]) v = std::scalbn(v, 1022);  // x overflows
  for (double& v : b[3]) v = std::scalbn(v, -900);
  std::vector<double> all(static_cast<std::size_t>(ld * cols), 7.0);
  for (Index c = 0; c < cols; ++c) std::copy(b[c].begin(), b[c].end(), all.begin() + c * ld);
  for (const Index nrhs : {1, 3, 7}) {
    MixedFactor mixed = mixed_of(a, backend, plan_of, nrhs);
    EXPECT_EQ(mixed.nrhs(), nrhs);
    ASSERT_TRUE(mixed.refactorize(DeviceValues<double>::copy_of(a.value(), backend)).ok());
    std::vector<double> host(all.size(), 7.0);
    const auto solved = mixed.solve(MatrixView<const double>{all.data(), n, cols, ld},
                                    MatrixView<double>{host.data(), n, cols, ld});
    ASSERT_TRUE(solved.ok());
    Array there(all), x(std::vector<double>(all.size(), 7.0));
    const DeviceMatrixView<double> bs({there.data(), n, cols, ld}), xs({x.data(), n, cols, ld});
    const auto again = mixed.solve(bs, xs);
    EXPECT_TRUE(same_numbers(x.fetch(), host)) << nrhs;
    EXPECT_TRUE(same_numbers(there.fetch(), all)) << nrhs;
    const auto in_place = mixed.solve(bs, bs);
    EXPECT_TRUE(same_numbers(there.fetch(), host)) << nrhs;
    const MixedReport& report = solved.value();
    EXPECT_EQ(again.value().unconverged, report.unconverged);
    EXPECT_EQ(in_place.value().unconverged, report.unconverged);
    EXPECT_EQ(report.unconverged, 3) << nrhs;
    EXPECT_TRUE(std::isnan(report.error.componentwise));
    EXPECT_TRUE(std::isnan(report.error.normwise));
    EXPECT_GE(report.conjugate_gradients, 1);
    for (Index c = 0; c < cols; ++c) {
      const std::vector<double> mine(host.begin() + c * ld, host.begin() + c * ld + n);
      if (c == 2)
        EXPECT_EQ(mine, b[2]);
      else if (c < 4)
        EXPECT_LE(scaled.error(mine, b[static_cast<std::size_t>(c)]), 5 * kEps) << nrhs << " " << c;
      else if (c < 6)
        EXPECT_TRUE(std::all_of(mine.begin(), mine.end(), [](double v) { return std::isnan(v); }))
            << nrhs << " " << c;
      else
        EXPECT_FALSE(std::all_of(mine.begin(), mine.end(), [](double v) {
          return std::isfinite(v);
        })) << nrhs;
      for (Offset i = n; i < ld; ++i) EXPECT_EQ(host[static_cast<std::size_t>(c * ld + i)], 7.0);
    }
  }
}

/// The systems have no row, one row, a diagonal in any units, or uncoupled parts.
inline void small_mixed_systems(Backend& backend, const PlanOf& plan_of) {
  const auto nothing = SymmetricMatrix<double>::from_triplets(
      0, std::vector<Index>{}, std::vector<Index>{}, std::vector<double>{}, Storage::lower);
  MixedFactor none = mixed_of(nothing, backend, plan_of);
  ASSERT_TRUE(none.refactorize(nothing.value()).ok());
  std::vector<double> x, b;
  EXPECT_TRUE(solve_one(none, b, x).value().converged());
  EXPECT_EQ(none.verdict().smallest_column, kNone);
  for (const Index n : {1, 2, 9}) {
    std::vector<Index> at(static_cast<std::size_t>(n));
    std::vector<double> value(at.size());
    b.assign(at.size(), 0.0);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const int unit = static_cast<int>(i) - 4;
      at[i] = static_cast<Index>(i), value[i] = std::scalbn(3.0, 101 * unit),
      b[i] = std::scalbn(6 - 2.5 * static_cast<double>(i), 50 * unit);
    }
    const auto a = SymmetricMatrix<double>::from_triplets(n, at, at, value, Storage::lower);
    MixedFactor mixed = mixed_of(a, backend, plan_of);
    ASSERT_TRUE(mixed.refactorize(a.value()).ok());
    const auto solved = solve_one(mixed, b, x);
    EXPECT_TRUE(solved.value().converged());
    EXPECT_EQ(solved.value().path, MixedPath::refinement);
    for (std::size_t i = 0; i < at.size(); ++i)
      EXPECT_NEAR(x[i], b[i] / value[i], 2 * kEps * std::fabs(b[i] / value[i]));
    EXPECT_NEAR(mixed.verdict().smallest_pivot,
                value[static_cast<std::size_t>(mixed.verdict().smallest_column)],
                1e-6 * mixed.verdict().smallest_pivot);
  }
}

/// A shift would hide these diagonal entries.
inline void no_shift_hides_a_diagonal(Backend& backend, const PlanOf& plan_of) {
  const std::vector<Index> at{0, 1, 2};
  for (const double bad : {-1e-7, 0.0})
    for (const bool allow : {true, false}) {
      const auto a = SymmetricMatrix<double>::from_triplets(
          3, at, at, std::vector<double>{2, bad, 3}, Storage::lower);
      MixedFactor mixed = mixed_of(a, backend, plan_of, 1, {.allow_double = allow});
      const auto outcome = mixed.refactorize(a.value());
      ASSERT_FALSE(outcome.ok());
      EXPECT_EQ(outcome.error().column, 1);
      EXPECT_NEAR(outcome.error().pivot, bad, 1e-14);
    }
}

/// Easy, hard, indefinite and NaN values follow each other; each result equals that of a fresh
/// factor.
inline void loops_are_as_fresh(Backend& backend, const PlanOf& plan_of, Index n) {
  const SymmetricMatrix<double> easy = spread_spectrum(n, 1e3, 1),
                                slow = spread_spectrum(n, 1e7, 1),
                                hard = spread_spectrum(n, 1e13, 1);
  MixedFactor mixed = mixed_of(easy, backend, plan_of, 2);
  std::mt19937_64 random(1);
  for (int round = 0; round < 14; ++round) {
    const int kind = round < 5 ? round : static_cast<int>(random() % 5);
    SymmetricMatrix<double> a = kind == 1 ? slow : kind == 2 ? hard : easy;
    const std::vector<double> b = right_hand_side(a, false, static_cast<std::uint64_t>(round));
    if (kind == 3) a.value()[static_cast<std::size_t>(a.pattern().col_ptr[n / 2])] = -1;
    if (kind == 4)
      a.value()[static_cast<std::size_t>(a.pattern().col_ptr[n / 2]) + 1] =
          std::numeric_limits<double>::quiet_NaN();
    MixedFactor fresh = mixed_of(a, backend, plan_of, 2);
    if (kind == 4) {
      auto full = Factor<double>::create(plan_of(a.pattern()), backend);
      const std::string text =
          error_text(ErrorKind::input, [&] { (void)refactorize<double>(full, a.value()); });
      EXPECT_EQ(error_text(ErrorKind::input, [&] { (void)mixed.refactorize(a.value()); }), text);
      EXPECT_NE(text.find("is nan"), std::string::npos) << text;
      EXPECT_FALSE(mixed.valid());
      continue;
    }
    const auto mine = mixed.refactorize(a.value()), theirs = fresh.refactorize(a.value());
    ASSERT_EQ(mine.ok(), theirs.ok());
    ASSERT_EQ(mine.ok(), kind != 3);
    if (!mine) {
      EXPECT_EQ(mine.error().column, theirs.error().column);
      EXPECT_EQ(mine.error().pivot, theirs.error().pivot);
      continue;
    }
    EXPECT_EQ(mixed.shift(), fresh.shift());
    std::vector<double> x, y;
    const auto first = solve_one(mixed, b, x), second = solve_one(fresh, b, y);
    expect_same(first.value(), second.value(), std::to_string(kind));
    EXPECT_EQ(x, y) << kind;
    if (kind == 2) {
      EXPECT_EQ(first.value().path, MixedPath::factor_in_double);
    }
    if (round == 6) mixed.reserve(5);
  }
  EXPECT_EQ(mixed.nrhs(), 5);
}

/// Columns solved together, some of which finish earlier, have the steps, errors and bits of x of
/// each solved alone.
inline void columns_are_as_each_alone(Backend& backend, const PlanOf& plan_of,
                                      const SymmetricMatrix<double>& a) {
  const Index n = a.n(), cols = 6;
  std::vector<double> all;
  for (Index c = 0; c < cols; ++c) {
    std::vector<double> b = right_hand_side(a, c % 2 == 1, 20 + static_cast<std::uint64_t>(c));
    if (c == 3) std::fill(b.begin(), b.end(), 0.0);  // finished before the first step
    if (c == 1) std::fill(b.begin(), b.end() - n / 2, 0.0);
    all.insert(all.end(), b.begin(), b.end());
  }
  MixedFactor together = mixed_of(a, backend, plan_of, cols), alone = mixed_of(a, backend, plan_of);
  ASSERT_TRUE(together.refactorize(a.value()).ok());
  ASSERT_TRUE(alone.refactorize(a.value()).ok());
  std::vector<double> x(all.size(), 7.0), y;
  const auto solved = together.solve(MatrixView<const double>{all.data(), n, cols, n},
                                     MatrixView<double>{x.data(), n, cols, n});
  ASSERT_TRUE(solved.ok());
  MixedReport worst;
  for (Index c = 0; c < cols; ++c) {
    const auto at = static_cast<std::ptrdiff_t>(n) * c;
    const auto one = solve_one(alone, {all.begin() + at, all.begin() + at + n}, y);
    EXPECT_EQ(y, std::vector<double>(x.begin() + at, x.begin() + at + n)) << c;
    worst.steps = std::max(worst.steps, one.value().steps);
    worst.cg_steps = std::max(worst.cg_steps, one.value().cg_steps);
    worst.error.componentwise =
        std::max(worst.error.componentwise, one.value().error.componentwise);
    worst.error.normwise = std::max(worst.error.normwise, one.value().error.normwise);
  }
  EXPECT_EQ(solved.value().steps, worst.steps);
  EXPECT_EQ(solved.value().cg_steps, worst.cg_steps);
  EXPECT_EQ(solved.value().error.componentwise, worst.error.componentwise);
  EXPECT_EQ(solved.value().error.normwise, worst.error.normwise);
}

/// Checks a Solver with mixed precision: x, its report and messages. options: those of mixed
/// precision.
inline void solver_solves_as_in_full_precision(SolverOptions options, Index k,
                                               const std::vector<Index>& columns) {
  std::vector<std::string> told;
  SolverOptions full = options;
  full.precision = Precision::full;
  options.on_message = [&](const Message& message) { told.push_back(message.text); };
  for (const double condition : {1e4, 1e9}) {
    const auto a = moved_laplacian(k, condition);
    Solver<double> mixed(options), exact(full);
    ASSERT_TRUE(mixed.compute(a.view()).ok());
    ASSERT_TRUE(exact.compute(a.view()).ok());
    for (const Index cols : columns) {
      std::vector<double> x = random_numbers<double>(Offset{a.n()} * cols, 1), y = x;
      const std::vector<double> b = x;
      mixed.solve({x.data(), a.n(), cols, a.n()});
      exact.solve({y.data(), a.n(), cols, a.n()});
      double worst = 0, most = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        worst = std::max(worst, std::fabs(x[i] - y[i])), most = std::max(most, std::fabs(y[i]));
      EXPECT_LE(worst, 4 * kEps * condition * most) << cols;
      const SolverReport& report = mixed.report();
      EXPECT_EQ(report.precision, Precision::mixed);
      EXPECT_EQ(report.scalar_bytes, 4);
      EXPECT_EQ(report.right_hand_sides, cols);
      EXPECT_EQ(report.mixed.unconverged, 0);
      EXPECT_EQ(report.mixed.kernels, mixed.backend().mixed_kernels());
      EXPECT_EQ(report.mixed.kernels, report.kernels);
      EXPECT_EQ(report.refinement.final_error.componentwise, report.mixed.error.componentwise);
      EXPECT_GT(report.refinement.unrefined.componentwise, report.mixed.error.componentwise);
      EXPECT_LE(report.mixed.error.componentwise, 4 * kEps);
      if (condition < 1e6) {
        EXPECT_NEAR(report.smallest_pivot, exact.report().smallest_pivot, 1e-4);
      }
      EXPECT_GT(report.solve.flops, 0);
    }
    EXPECT_EQ(mixed.report().mixed.path == MixedPath::refinement, condition < 1e6);
    EXPECT_NE(to_text(mixed.report()).find("mixed precision: "), std::string::npos);
    EXPECT_EQ(to_text(exact.report()).find("mixed precision: "), std::string::npos);
  }
  EXPECT_NE(
      std::find(told.begin(), told.end(),
                "solve in mixed precision, right-hand sides: " + std::to_string(columns.back())),
      told.end());
}

}  // namespace kauri::test
