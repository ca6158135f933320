// Bodies of tests that hold for every backend: the CPU's tests of factors, which run on CUDA too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/dense_reference.hpp"
#include "tests/support/systems/exact.hpp"
#include "tests/support/systems/plan_of.hpp"
#include "tests/support/systems/spectrum.hpp"

namespace kauri::test {

template <class T>
void misuse_is_an_error(Backend& backend, const PlanOf& plan_of) {
  const auto a = generate("poisson2d 8");
  auto value = cast<T>(a.value());
  const auto plan = plan_of(a.pattern());
  auto factor = Factor<T>::create(plan, backend);
  auto workspace = Workspace<T>::create(plan, 1, backend);
  std::vector<T> x(64, T(1));
  EXPECT_THROW(factor.solve(column_view(std::span<T>(x)), workspace), Error);
  EXPECT_THROW((void)refactorize<T>(factor, std::span<const T>(value).first(5)), Error);
  ASSERT_TRUE(refactorize<T>(factor, value).ok());
  EXPECT_THROW(factor.solve({x.data(), 63, 1, 64}, workspace), Error);
  EXPECT_THROW(factor.solve({x.data(), 64, 1, 63}, workspace), Error);
  EXPECT_THROW((void)factor.entry(0, 64), Error);
  const auto other = plan_of(a.pattern());
  auto foreign = Workspace<T>::create(other, 1, backend);
  EXPECT_THROW(factor.solve(column_view(std::span<T>(x)), foreign), Error);
  EXPECT_THROW((void)Workspace<T>::create(plan, 0, backend), Error);
  EXPECT_THROW((void)Factor<T>::create(nullptr, backend), Error);
  value[3] = std::numeric_limits<T>::quiet_NaN();
  try {
    (void)refactorize<T>(factor, value);
    FAIL() << "NaN accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_NE(std::string(e.what()).find("value 3"), std::string::npos) << e.what();
  }
}

template <class T>
void trivial_sizes_are_exact(Backend& backend, const PlanOf& plan_of) {
  for (const Index n : {0, 1, 2, 5}) {
    std::vector<Index> i;
    std::vector<T> v;
    for (Index k = 0; k < n; ++k)
      i.push_back(k), v.push_back(std::ldexp(T(1), 2 * (k % 2 ? 40 : -40)));
    const auto a = SymmetricMatrix<T>::from_triplets(n, i, i, v, Storage::lower);
    const auto plan = plan_of(a.pattern());
    auto factor = factorize<T>(plan, a.value(), backend);
    ASSERT_TRUE(factor.ok());
    auto workspace = Workspace<T>::create(plan, 1, backend);
    std::vector<T> x = v;
    factor.value().solve(column_view(std::span<T>(x)), workspace);
    EXPECT_EQ(x, std::vector<T>(static_cast<std::size_t>(n), T(1)));
  }
}

/// Makes each entry of A in turn, and the shift, NaN or infinite.
template <class T>
void bad_numbers_are_named(Backend& backend, const PlanOf& plan_of) {
  const auto a = generate("poisson2d 7 --shuffle 2");
  const auto plan = plan_of(a.pattern());
  auto factor = Factor<T>::create(plan, backend);
  const Pattern p = a.pattern();
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                      -std::numeric_limits<T>::infinity()})
    for (Index j = 0; j < p.n; ++j)
      for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
        auto value = cast<T>(a.value());
        value[k] = bad;
        const std::string place = "value " + std::to_string(k) + " of A, entry (" +
                                  std::to_string(p.row[k]) + ", " + std::to_string(j) + "), is " +
                                  std::to_string(bad) + ", expected a finite number";
        ASSERT_EQ(error_text(ErrorKind::input,
                             [&] {
                               (void)refactorize<T>(factor, SymmetricView<T>{p, value});
                             }),
                  place);
        ASSERT_EQ(error_text(ErrorKind::input, [&] { (void)refactorize<T>(factor, value); }),
                  place);
        ASSERT_FALSE(factor.valid());
      }
  const auto value = cast<T>(a.value());
  for (const T shift : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()})
    EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)refactorize<T>(factor, value, shift); }),
              "refactorize: the shift is " + std::to_string(shift) + ", expected a finite number");
}

template <class T>
void kkt_systems_fail_as_a_naive_factorisation(Backend& backend, const PlanOf& plan_of) {
  // [H B^T; B 0]: H is a grid Laplacian; B has one constraint per grid row.
  const auto h = generate("poisson2d 10");
  std::vector<Index> row, col;
  std::vector<T> value;
  for (Index j = 0; j < 100; ++j)
    for (Offset k = h.pattern().col_ptr[j]; k < h.pattern().col_ptr[j + 1]; ++k)
      row.push_back(h.pattern().row[k]), col.push_back(j),
          value.push_back(static_cast<T>(h.value()[k]));
  for (Index c = 0; c < 10; ++c)
    for (Index i = 0; i < 10; ++i)
      row.push_back(100 + c), col.push_back(10 * c + i), value.push_back(i % 2 ? T(1) : T(-0.5));
  const auto kkt = SymmetricMatrix<T>::from_triplets(110, row, col, value, Storage::lower);
  const auto plan = plan_of(kkt.pattern());
  const auto naive = naive_breakdown<T>(kkt.view(), plan->perm);
  ASSERT_TRUE(naive.has_value());
  const auto factor = factorize<T>(plan, kkt.value(), backend);
  ASSERT_FALSE(factor.ok());
  EXPECT_EQ(factor.error().column, naive->column);
  EXPECT_NEAR(factor.error().pivot, naive->pivot, sizeof(T) == 8 ? 1e-10 : 1e-4);
}

template <class T>
void missing_diagonal_entry_is_a_zero_pivot(Backend& backend, const PlanOf& plan_of) {
  const std::vector<Index> row{0, 2}, col{0, 2};
  const std::vector<T> value{1, 1};
  const auto a = SymmetricMatrix<T>::from_triplets(3, row, col, value, Storage::lower);
  const auto factor = factorize<T>(plan_of(a.pattern()), a.value(), backend);
  ASSERT_FALSE(factor.ok());
  EXPECT_EQ(factor.error().column, 1);
  EXPECT_EQ(factor.error().pivot, 0);
}

/// Computes B = A X in exact numbers, with leading dimension ld; entries behind row n are
/// unchanged.
template <class T>
void exact_product(const Pattern& lower, const std::vector<T>& value, const std::vector<T>& x,
                   Index cols, Offset ld, std::vector<T>& b) {
  for (Index c = 0; c < cols; ++c) {
    const Offset at = c * ld;
    for (Index i = 0; i < lower.n; ++i) b[at + i] = 0;
    for (Index j = 0; j < lower.n; ++j)
      for (Offset k = lower.col_ptr[j]; k < lower.col_ptr[j + 1]; ++k) {
        const Index i = lower.row[k];
        b[at + i] += value[k] * x[at + j];
        if (i != j) b[at + j] += value[k] * x[at + i];
      }
  }
}

/// Solves A = L L^T with small integers everywhere: X is exact, bit for bit, with as many columns
/// at once as the workspace holds, or in blocks.
template <class T>
void solves_are_exact(Backend& backend, const PlanInOrder& plan_of) {
  std::mt19937_64 random(13);
  for (const Index nrhs : {1, 2, 3, 7, 8, 16, 31, 32, 33, 70}) {
    const auto n = static_cast<Index>(1 + random() % 80);
    const auto system = exact_system(random_factor(n, 2, 5, random), random_permutation(n, random),
                                     std::numeric_limits<T>::digits - 1);
    const auto plan = plan_of(system.a.pattern(), system.perm);
    const auto value = cast<T>(system.a.value());
    auto factor = factorize<T>(plan, value, backend);
    ASSERT_TRUE(factor.ok());
    auto workspace = Workspace<T>::create(plan, nrhs > 40 ? 7 : nrhs, backend);
    const Offset ld = n + 3;
    std::vector<T> answer(static_cast<std::size_t>(ld) * nrhs, T(-99)), x(answer);
    for (Index c = 0; c < nrhs; ++c)
      for (Index i = 0; i < n; ++i)
        answer[c * ld + i] = static_cast<T>(static_cast<int>(random() % 5) - 2);
    exact_product(system.a.pattern(), value, answer, nrhs, ld, x);
    factor.value().solve({x.data(), n, nrhs, ld}, workspace);
    ASSERT_EQ(x, answer) << "n=" << n << " nrhs=" << nrhs;  // padding is untouched, too
  }
}

/// Shifts a little beyond the least eigenvalue, and a little short of it. The failing column is
/// that of the factorisation in double for both scalars, since the margin exceeds the rounding of
/// either by far.
template <class T>
void shifts_around_the_least_eigenvalue(Backend& backend, const PlanOf& plan_of,
                                        const std::string& spec) {
  const auto a = generate(spec);
  const auto value = cast<T>(a.value());
  const auto [least, greatest] = spectrum(a);
  const double margin = 100 * a.n() * double{std::numeric_limits<T>::epsilon()} * greatest;
  const auto plan = plan_of(a.pattern());
  const double shift = -(least + margin);
  const auto naive = naive_breakdown<double>(a.view(), plan->perm, shift);
  ASSERT_TRUE(naive.has_value());
  auto factor = Factor<T>::create(plan, backend);
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(refactorize<T>(factor, value, static_cast<T>(margin - least)).ok());
    const auto verdict = refactorize<T>(factor, value, static_cast<T>(shift));
    ASSERT_FALSE(verdict.ok());
    EXPECT_EQ(verdict.error().column, naive->column);
    EXPECT_LE(verdict.error().pivot, 0);
  }
}

/// Systems for shifts_around_the_least_eigenvalue().
inline const std::vector<std::string> kShifted{"poisson2d 12", "elast3d 3", "rgg3d 200 8 1",
                                               "shell2d 11", "blockdiag 120 16"};

/// Uses a grid Laplacian with -1 in one diagonal entry: indefinite, and positive definite with a
/// shift of 10.
template <class T>
void a_failed_factor_keeps_its_buffers_and_takes_a_shift(Backend& backend, const PlanOf& plan_of) {
  const auto a = generate("poisson2d 12");
  auto value = cast<T>(a.value());
  value[a.pattern().col_ptr[70]] = T(-1);
  const auto plan = plan_of(a.pattern());
  auto factor = Factor<T>::create(plan, backend);
  const Offset bytes = backend.bytes_in_use();
  const auto failed = refactorize<T>(factor, value);
  ASSERT_FALSE(failed.ok());
  EXPECT_FALSE(factor.valid());
  auto workspace = Workspace<T>::create(plan, 1, backend);
  std::vector<T> x(144, T(1));
  EXPECT_THROW(factor.solve(column_view(std::span<T>(x)), workspace), Error);
  ASSERT_TRUE(refactorize<T>(factor, value, T(10)).ok());
  EXPECT_TRUE(factor.valid());
  EXPECT_EQ(backend.bytes_in_use(), bytes + plan->workspace_bytes(sizeof(T), 1));
  factor.solve(column_view(std::span<T>(x)), workspace);
  for (Index j = 0; j < 144; ++j) value[a.pattern().col_ptr[j]] += T(10);
  const std::vector<T> b(144, T(1));
  const SymmetricView<T> shifted{a.pattern(), value};
  const auto error = backward_error<T>(shifted, column_view(std::span<const T>(x)),
                                       column_view(std::span<const T>(b)), backend);
  EXPECT_LT(error.componentwise, 20 * std::numeric_limits<T>::epsilon());
}

}  // namespace kauri::test
