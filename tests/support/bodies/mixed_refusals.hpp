// Calls that kauri::MixedFactor refuses on every backend: options, right-hand sides, solutions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/bodies/mixed_naive.hpp"

namespace kauri::test {

inline void options_that_mixed_factors_refuse(const Pattern& pattern,
                                              const std::shared_ptr<const Plan>& plan,
                                              Backend& backend) {
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  for (const MixedOptions& bad :
       {MixedOptions{.first_shift = 0}, MixedOptions{.shift_growth = 1}, MixedOptions{.shifts = -1},
        MixedOptions{.first_shift = std::numeric_limits<double>::quiet_NaN()},
        MixedOptions{.shift_growth = 1e20, .shifts = 3}})
    EXPECT_EQ(refused([&] {
                (void)MixedFactor::create(pattern, plan, backend, 1, bad);
              }).find("MixedFactor: shifts of "),
              0U);
  EXPECT_EQ(refused([&] {
              (void)MixedFactor::create(pattern, plan, backend, 1,
                                        {.first_shift = 1e-9, .shift_growth = 0.5});
            }),
            "MixedFactor: shifts of 1e-09, growing 0.5 times, 4 of them; expected a first shift "
            "above 0, a growth above 1 and 0 or more shifts, all finite in float");
}

/// mixed: a valid factor of 16 rows.
inline void vectors_that_mixed_factors_refuse(MixedFactor& mixed) {
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  std::vector<double> b(16, 1.0), x(16, 0.0);
  EXPECT_EQ(refused([&] {
              (void)mixed.solve({b.data(), 15, 1, 16}, {x.data(), 16, 1, 16});
            }).find("MixedFactor: b is 15 x 1"),
            0U);
  EXPECT_EQ(refused([&] {
              (void)mixed.solve({b.data(), 16, 1, 16}, {x.data(), 16, 1, 15});
            }).find("MixedFactor: x is 16 x 1"),
            0U);
  std::vector<double> both(3 * 17, 1);
  const std::vector<double> before = both;
  for (const MatrixView<double>& to :
       {MatrixView<double>{both.data(), 16, 3, 17}, {both.data(), 16, 3, 3, Layout::row_major}})
    EXPECT_EQ(refused([&] {
                (void)mixed.solve({both.data(), 16, 3, 16}, to);
              }),
              "MixedFactor: x begins where b does, with another leading dimension or layout; give "
              "both the same, or x memory of its own");
  EXPECT_EQ(both, before);
  EXPECT_EQ(refused([&] {
              (void)mixed.solve({both.data(), 16, 3, 16}, {both.data(), 16, 3, 16});
            }),
            "no Error");
  EXPECT_EQ(refused([&] {
              (void)mixed.solve({nullptr, 16, 1, 16}, {x.data(), 16, 1, 16});
            }).find("MixedFactor: b is 16 x 1"),
            0U);
  EXPECT_EQ(refused([&] {
              (void)mixed.solve({b.data(), 16, 0, 16}, {x.data(), 16, 1, 16});
            }),
            "MixedFactor: b has 0 columns, x has 1");
}

inline void what_mixed_factors_refuse(Backend& backend, const PlanOf& plan_of) {
  const auto a = generate("poisson2d 4"), other = generate("poisson2d 5");
  const auto plan = plan_of(a.pattern());
  const auto refused = [&](const auto& f) { return error_text(ErrorKind::usage, f); };
  EXPECT_EQ(refused([&] { (void)MixedFactor::create(a.pattern(), plan, backend, 0); }),
            "MixedFactor: nrhs is 0, expected 1 or more");
  EXPECT_EQ(refused([&] { (void)MixedFactor::create(other.pattern(), plan, backend); }),
            "MixedFactor: the plan belongs to a matrix of another pattern: 25 rows, then 16");
  options_that_mixed_factors_refuse(a.pattern(), plan, backend);
  MixedFactor mixed = MixedFactor::create(a.pattern(), plan, backend, 2);
  EXPECT_FALSE(mixed.valid());
  std::vector<double> b(16, 1.0), x(16, 0.0);
  const std::string invalid =
      "MixedFactor: the factor is not valid (no successful factorisation yet, or the last one "
      "broke down): call refactorize() first";
  EXPECT_EQ(refused([&] { (void)solve_one(mixed, b, x); }), invalid);
  const std::vector<double> few(3, 1.0);
  EXPECT_EQ(refused([&] { (void)mixed.refactorize(few); }),
            "MixedFactor: 3 values, the pattern has " + std::to_string(a.nnz()) + " entries");
  ASSERT_TRUE(mixed.refactorize(a.value()).ok());
  vectors_that_mixed_factors_refuse(mixed);
  for (const MixedSolveOptions& bad :
       {MixedSolveOptions{.max_steps = 0},
        MixedSolveOptions{.target = std::numeric_limits<double>::quiet_NaN()},
        MixedSolveOptions{.accept = std::nan("")}})
    EXPECT_EQ(
        refused([&] { (void)solve_one(mixed, b, x, bad); }).find("MixedFactor: max_steps is "), 0U);
  EXPECT_EQ(refused([&] { (void)solve_one(mixed, b, x, {.max_steps = 0, .target = 1e-14}); }),
            "MixedFactor: max_steps is 0, target is 1e-14, accept is 0; expected 1 step or more, "
            "and no nan");
  MixedFactor moved = std::move(mixed);
  EXPECT_TRUE(solve_one(moved, b, x).value().converged());
  EXPECT_EQ(name_of(MixedPath::refinement), "refinement");
  EXPECT_EQ(name_of(MixedPath::conjugate_gradients), "cg");
  EXPECT_EQ(name_of(MixedPath::factor_in_double), "double");
  EXPECT_EQ(refused([] { (void)name_of(static_cast<MixedPath>(9)); }),
            "name_of: unknown MixedPath 9; expected refinement, conjugate_gradients or "
            "factor_in_double (0 to 2)");
}

}  // namespace kauri::test
