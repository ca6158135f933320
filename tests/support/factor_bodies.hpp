// Bodies of tests that hold for every backend: those of the CPU's tests, run on CUDA too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/dense_reference.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/exact.hpp"

namespace kauri::test {

/// A plan for the backend that the body is run on.
using PlanOf = std::function<std::shared_ptr<const Plan>(const Pattern&)>;

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
    for (Index k = 0; k < n; ++k) i.push_back(k), v.push_back(std::ldexp(T(1), 2 * (k % 2 ? 40 : -40)));
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

/// Every entry of A in turn, and the shift.
template <class T>
void bad_numbers_are_named(Backend& backend, const PlanOf& plan_of) {
  const auto a = generate("poisson2d 7 --shuffle 2");
  const auto plan = plan_of(a.pattern());
  auto factor = Factor<T>::create(plan, backend);
  const Pattern p = a.pattern();
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()})
    for (Index j = 0; j < p.n; ++j)
      for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
        auto value = cast<T>(a.value());
        value[k] = bad;
        const std::string place = "value " + std::to_string(k) + " of A, entry (" + std::to_string(p.row[k]) + ", " + std::to_string(j) +
                                  "), is " + std::to_string(bad);
        ASSERT_EQ(error_text(ErrorKind::input, [&] { (void)refactorize<T>(factor, SymmetricView<T>{p, value}); }), place);
        ASSERT_EQ(error_text(ErrorKind::input, [&] { (void)refactorize<T>(factor, value); }), place);
        ASSERT_FALSE(factor.valid());
      }
  const auto value = cast<T>(a.value());
  for (const T shift : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()})
    EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)refactorize<T>(factor, value, shift); }),
              "refactorize: the shift is " + std::to_string(shift));
}

template <class T>
void kkt_systems_fail_as_a_naive_factorisation(Backend& backend, const PlanOf& plan_of) {
  // [H B^T; B 0]: H a grid Laplacian, one constraint per grid row.
  const auto h = generate("poisson2d 10");
  std::vector<Index> row, col;
  std::vector<T> value;
  for (Index j = 0; j < 100; ++j)
    for (Offset k = h.pattern().col_ptr[j]; k < h.pattern().col_ptr[j + 1]; ++k)
      row.push_back(h.pattern().row[k]), col.push_back(j), value.push_back(static_cast<T>(h.value()[k]));
  for (Index c = 0; c < 10; ++c)
    for (Index i = 0; i < 10; ++i) row.push_back(100 + c), col.push_back(10 * c + i), value.push_back(i % 2 ? T(1) : T(-0.5));
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

}  // namespace kauri::test
