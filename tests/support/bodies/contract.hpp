// Bodies of tests that hold for every backend: arguments that public calls of the numeric phase
// reject, and states that they survive. Run on the CPU and on CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/bodies/factor.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/exact.hpp"

namespace kauri::test {

/// Returns a 4 x 4 tridiagonal matrix, or one with as many entries in other places.
template <class T>
SymmetricMatrix<T> four_by_four(bool other = false) {
  const std::vector<Index> row{0, 1, 2, 3, 1, 2, other ? 0 : 3},
      col{0, 1, 2, 3, 0, 1, other ? 3 : 2};
  const std::vector<T> value{4, 4, 4, 4, -1, -1, -1};
  std::vector<Index> low(row), high(col);
  for (std::size_t k = 0; k < row.size(); ++k)
    low[k] = std::max(row[k], col[k]), high[k] = std::min(row[k], col[k]);
  return SymmetricMatrix<T>::from_triplets(4, low, high, value, Storage::lower);
}

template <class T>
void a_matrix_of_another_pattern_is_refused(Backend& backend, const PlanOf& plan_of) {
  const auto a = four_by_four<T>(), other = four_by_four<T>(true);
  ASSERT_EQ(a.nnz(), other.nnz());
  auto factor = factorize<T>(plan_of(a.pattern()), a.value(), backend);
  ASSERT_TRUE(factor.ok());
  auto workspace = Workspace<T>::create(factor.value(), 1);
  const std::vector<T> b(4, T(1));
  std::vector<T> x = b;
  factor.value().solve(column_view(std::span<T>(x)), workspace);
  const auto refined = [&](const SymmetricView<T>& view) {
    return error_text(ErrorKind::usage, [&] {
      (void)refine<T>(view, factor.value(), column_view(std::span<const T>(b)),
                      column_view(std::span<T>(x)), workspace);
    });
  };
  EXPECT_EQ(refined(a.view()), "no Error");
  EXPECT_EQ(refined(other.view()),
            "refine: the factor belongs to a matrix of another pattern: entry (3, 0) is new");
  const auto refilled = [&](const SymmetricView<T>& view) {
    return error_text(ErrorKind::usage,
                      [&] { ASSERT_TRUE(refactorize<T>(factor.value(), view).ok()); });
  };
  EXPECT_EQ(refilled(a.view()), "no Error");
  EXPECT_EQ(
      refilled(other.view()),
      "refactorize: the matrix has another pattern than the one analysed: entry (3, 0) is new");
  EXPECT_TRUE(factor.value().valid());  // a rejected call changes nothing
  EXPECT_EQ(refilled({a.pattern(), a.value().first(6)}),
            "refactorize: 6 values, the pattern has 7 entries");
}

template <class T>
void residuals_check_the_matrix(Backend& backend, const PlanOf& plan_of) {
  const auto a = four_by_four<T>();
  const std::vector<T> b(4, T(1));
  std::vector<T> x(4, T(1)), y(4);
  const auto in = column_view(std::span<const T>(b));
  const auto out = column_view(std::span<T>(y));
  auto factor = factorize<T>(plan_of(a.pattern()), a.value(), backend);
  auto workspace = Workspace<T>::create(factor.value(), 1);
  const auto all = [&](ErrorKind kind, const SymmetricView<T>& view) {
    return std::vector<std::string>{
        error_text(kind, [&] { residual<T>(view, in, in, out, backend); }),
        error_text(kind, [&] { (void)backward_error<T>(view, in, in, backend); }),
        error_text(kind, [&] { multiply<T>(view, in, out, backend); }), error_text(kind, [&] {
          (void)refine<T>(view, factor.value(), in, column_view(std::span<T>(x)), workspace);
        })};
  };
  EXPECT_EQ(all(ErrorKind::usage, a.view()), std::vector<std::string>(4, "no Error"));
  const std::string few = ": 6 values, the pattern has 7 entries";
  EXPECT_EQ(all(ErrorKind::usage, {a.pattern(), a.value().first(6)}),
            (std::vector<std::string>{"residual" + few, "backward_error" + few, "multiply" + few,
                                      "refine" + few}));
  std::vector<Index> row(a.pattern().row.begin(), a.pattern().row.end());
  row[1] = 4;
  EXPECT_EQ(all(ErrorKind::input, {{4, a.pattern().col_ptr, row}, a.value()}),
            std::vector<std::string>(4,
                                     "matrix: column 0: row 4 is out of range or not above row 0, "
                                     "expected ascending rows up to 3"));
  EXPECT_NE(error_text(ErrorKind::usage,
                       [&] {
                         multiply<T>(a.view(), {b.data(), 3, 1, 3}, out, backend);
                       }),
            "no Error");
  EXPECT_NE(error_text(ErrorKind::usage,
                       [&] {
                         multiply<T>(a.view(), in, {y.data(), 4, 1, 3}, backend);
                       }),
            "no Error");
}

/// Views that are null, too narrow, too wide or overlapping: nothing is read or written.
template <class T>
void residuals_check_the_vectors(Backend& backend, const PlanOf& plan_of) {
  const auto a = four_by_four<T>();
  auto factor = factorize<T>(plan_of(a.pattern()), a.value(), backend);
  auto workspace = Workspace<T>::create(factor.value(), 1);
  std::vector<T> numbers(24, T(1));
  const MatrixView<T> x{numbers.data(), 4, 2, 4}, b{numbers.data() + 8, 4, 2, 4},
      y{numbers.data() + 16, 4, 2, 4};
  const MatrixView<T> none{nullptr, 4, 2, 4}, one{numbers.data(), 4, 1, 4},
      tight{numbers.data(), 4, 2, 3}, three{numbers.data(), 3, 2, 4};
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  const auto r = [&](const MatrixView<T>& of, const MatrixView<T>& rhs, const MatrixView<T>& to) {
    return refused([&] { residual<T>(a.view(), of, rhs, to, backend); });
  };
  const auto m = [&](const MatrixView<T>& of, const MatrixView<T>& to) {
    return refused([&] { multiply<T>(a.view(), of, to, backend); });
  };
  const auto e = [&](const MatrixView<T>& of, const MatrixView<T>& rhs) {
    return refused([&] { (void)backward_error<T>(a.view(), of, rhs, backend); });
  };
  const auto f = [&](const MatrixView<T>& rhs, const MatrixView<T>& to) {
    return refused([&] { (void)refine<T>(a.view(), factor.value(), rhs, to, workspace); });
  };
  EXPECT_EQ(r(none, b, y), "residual: x is null, expected an address");
  EXPECT_EQ(r(x, none, y), "residual: b is null, expected an address");
  EXPECT_EQ(r(x, b, none), "residual: y is null, expected an address");
  EXPECT_EQ(m(none, y), "multiply: x is null, expected an address");
  EXPECT_EQ(m(x, none), "multiply: y is null, expected an address");
  EXPECT_EQ(e(none, b), "backward_error: x is null, expected an address");
  EXPECT_EQ(e(x, none), "backward_error: b is null, expected an address");
  EXPECT_EQ(f(none, x), "refine: b is null, expected an address");
  EXPECT_EQ(f(b, none), "refine: x is null, expected an address");
  EXPECT_EQ(r(x, one, y), "residual: b has 1 columns, x has 2");
  EXPECT_EQ(r(x, b, one), "residual: y has 1 columns, x has 2");
  EXPECT_EQ(m(x, one), "multiply: y has 1 columns, x has 2");
  EXPECT_EQ(e(x, one), "backward_error: b has 1 columns, x has 2");
  EXPECT_EQ(f(one, y), "refine: b has 1 columns, x has 2");
  EXPECT_EQ(r(tight, b, y),
            "residual: x has 2 columns and leading dimension 3 for 4 rows, expected a leading "
            "dimension of 4 or more");
  EXPECT_EQ(f(b, three), "refine: x has 3 rows, A has 4");
  EXPECT_EQ(r(x, b, x), "residual: y overlaps x; give it memory of its own");
  EXPECT_EQ(r(x, b, {numbers.data() + 7, 4, 2, 4}),
            "residual: y overlaps x; give it memory of its own");
  EXPECT_EQ(r(x, b, {numbers.data() + 9, 4, 2, 4}),
            "residual: y overlaps b; give it that of b or memory of its own");
  EXPECT_EQ(m(x, x), "multiply: y overlaps x; give it memory of its own");
  EXPECT_EQ(f(x, x), "refine: x overlaps b; give it memory of its own");
  EXPECT_EQ(f({numbers.data() + 1, 4, 2, 4}, x), "refine: x overlaps b; give it memory of its own");
  EXPECT_EQ(numbers, std::vector<T>(24, T(1)));
  EXPECT_EQ(r(x, b, y), "no Error");
  EXPECT_EQ(r(x, b, b), "no Error") << "in place";
  EXPECT_TRUE(std::equal(y.data, y.data + 8, b.data));
  EXPECT_EQ(r({nullptr, 4, 0, 4}, {nullptr, 4, 0, 4}, {nullptr, 4, 0, 4}), "no Error")
      << "no columns";
}

/// Values of RefineOptions that are invalid.
template <class T>
void refinement_checks_its_options(Backend& backend, const PlanOf& plan_of) {
  const auto a = four_by_four<T>();
  auto factor = factorize<T>(plan_of(a.pattern()), a.value(), backend);
  auto workspace = Workspace<T>::create(factor.value(), 1);
  const std::vector<T> b(4, T(1));
  std::vector<T> x(4, T(0));
  const auto said = [&](const RefineOptions& options) {
    return error_text(ErrorKind::usage, [&] {
      (void)refine<T>(a.view(), factor.value(), column_view(std::span<const T>(b)),
                      column_view(std::span<T>(x)), workspace, options);
    });
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(said({.max_steps = -1}), "refine: max_steps is -1, expected 0 or more");
  EXPECT_EQ(said({.target = -1e-30}), "refine: target is -1e-30, expected 0 or more");
  EXPECT_EQ(said({.target = nan}), "refine: target is nan, expected 0 or more");
  EXPECT_EQ(said({.stagnation = -2}), "refine: stagnation is -2, expected 0 or more");
  EXPECT_EQ(said({.stagnation = nan}), "refine: stagnation is nan, expected 0 or more");
  EXPECT_EQ(x, std::vector<T>(4, T(0)));
  EXPECT_EQ(said({.max_steps = 0, .target = 0, .stagnation = 0}), "no Error");
}

template <class T>
void values_lie_where_the_backend_computes(Backend& backend, const PlanOf& plan_of) {
  const auto a = four_by_four<T>();
  auto factor = Factor<T>::create(plan_of(a.pattern()), backend);
  auto there = DeviceValues<T>::copy_of(a.value(), backend);
  const auto before = DeviceValues<T>::copy_of(a.value(), backend);
  ASSERT_TRUE(refactorize(factor, there).ok());
  const T corner = factor.entry(3, 3);
  EXPECT_GT(corner, T(0));
  std::vector<T> value(a.value().begin(), a.value().end());
  for (T& v : value) v *= 4;
  there.assign(value);
  ASSERT_TRUE(refactorize(factor, there).ok());
  EXPECT_EQ(factor.entry(3, 3), 2 * corner);
  ASSERT_TRUE(refactorize(factor, DeviceValues<T>::borrow(before.span())).ok());
  EXPECT_EQ(factor.entry(3, 3), corner);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { there.assign(std::span<const T>(value).first(3)); }),
            "DeviceValues::assign: 3 values for 7, expected as many");
  EXPECT_EQ(error_text(ErrorKind::usage,
                       [&] { DeviceValues<T>::borrow(before.span()).assign(a.value()); }),
            "DeviceValues::assign: these values are borrowed; write to their memory instead");
}

/// `make_backend` makes a backend of the kind that plan_of makes plans for.
template <class T>
void a_moved_backend_disturbs_nothing(const std::function<Backend()>& make_backend,
                                      const PlanOf& plan_of) {
  const auto a = four_by_four<T>();
  std::optional<Backend> first(make_backend()), second;  // both outlive the factor
  auto factor = factorize<T>(plan_of(a.pattern()), a.value(), *first);
  ASSERT_TRUE(factor.ok());
  second.emplace(std::move(*first));
  first.reset();
  auto workspace = Workspace<T>::create(factor.value(), 1);
  const std::vector<T> b{1, 2, 3, 4};
  std::vector<T> x = b;
  ASSERT_TRUE(refactorize<T>(factor.value(), a.view()).ok());
  factor.value().solve(column_view(std::span<T>(x)), workspace);
  const auto done = refine<T>(a.view(), factor.value(), column_view(std::span<const T>(b)),
                              column_view(std::span<T>(x)), workspace);
  EXPECT_LE(done.final_error.componentwise, std::numeric_limits<T>::epsilon());
  EXPECT_GT(second->bytes_in_use(), 0);
}

/// Returns a generated system, or a small diagonal matrix with a zero.
inline SymmetricMatrix<double> generated_or_diagonal(const std::string& spec) {
  const std::vector<Index> three{0, 1, 2};
  return spec == "diag" ? SymmetricMatrix<double>::from_triplets(
                              3, three, three, std::vector<double>{1, 0, -1}, Storage::lower)
                        : generate(spec);
}

/// Y = A X has the same bits on each backend and is compared with a sum in long double; X and
/// padding are unchanged.
template <class T>
void multiply_is_an_exact_product(const std::vector<Backend*>& backends, const std::string& spec) {
  const auto a = generated_or_diagonal(spec);
  const auto value = cast<T>(a.value());
  const Pattern p = a.pattern();
  const Index n = p.n, cols = 3;
  const Offset ldx = n + 2, ldy = n + 5;
  std::mt19937_64 random(6);
  std::vector<T> x(static_cast<std::size_t>(ldx * cols)),
      y(static_cast<std::size_t>(ldy * cols), T(-7)), first;
  for (T& v : x) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
  const auto kept = x;
  for (std::size_t k = 0; k < backends.size(); ++k) {
    multiply<T>({p, value}, {x.data(), n, cols, ldx}, {y.data(), n, cols, ldy}, *backends[k]);
    if (first.empty()) first = y;
    ASSERT_EQ(y, first) << "backend " << k;
  }
  EXPECT_EQ(x, kept);
  for (Index c = 0; c < cols; ++c) {
    std::vector<long double> exact(static_cast<std::size_t>(n)),
        magnitude(static_cast<std::size_t>(n));
    const auto add = [&](Index i, Index j, long double v) {
      exact[i] += v * x[c * ldx + j], magnitude[i] += std::abs(v * x[c * ldx + j]);
    };
    for (Index j = 0; j < n; ++j)
      for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
        add(p.row[k], j, value[k]);
        if (p.row[k] != j) add(j, p.row[k], value[k]);
      }
    const long double eps = std::numeric_limits<T>::epsilon();
    for (Index i = 0; i < n; ++i)
      ASSERT_LE(std::abs(y[c * ldy + i] - exact[i]),
                eps / 2 * std::abs(exact[i]) * 1.01L + eps / 16 * eps * 1000 * magnitude[i])
          << spec << " row " << i;
    for (Offset i = n; i < ldy; ++i) ASSERT_EQ(y[c * ldy + i], T(-7)) << "padding";
  }
}

/// Systems for multiply_is_an_exact_product().
inline const std::vector<std::string> kMultiplied{"poisson2d 1", "poisson2d 60", "elast3d 6",
                                                  "arrow 20000 3", "diag"};

}  // namespace kauri::test
