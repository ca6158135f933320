// Bodies of tests that hold for every backend: a factorisation and a solve in one pass
// (FusedSolve). Array: numbers in the backend's memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/bodies/inverse.hpp"
#include "tests/support/bodies/layout.hpp"
#include "tests/support/bodies/refiner.hpp"
#include "tests/support/systems/dense_reference.hpp"

namespace kauri::test {

/// A x = b for one matrix and its right-hand sides.
template <class T>
struct FusedCase {
  OwnedPattern pattern;
  Index cols = 1;
  std::vector<T> value{}, b{};

  FusedCase(OwnedPattern a, Index columns, std::uint64_t seed)
      : pattern(std::move(a)),
        cols(columns),
        value(random_dominant<T>(pattern.view(), seed)),
        b(dense_numbers<T>(n(), cols, seed + 1)) {}
  [[nodiscard]] Index n() const { return pattern.n(); }
  [[nodiscard]] SymmetricView<T> view() const { return {pattern.view(), value}; }
  /// Returns A^-1 b, computed in long double, column-major.
  [[nodiscard]] std::vector<T> expected() const {
    const std::vector<long double> inverse = dense_inverse<T>(pattern.view(), value);
    const auto order = static_cast<std::size_t>(n());
    std::vector<T> x(b.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      long double sum = 0;
      for (std::size_t j = 0; j < order; ++j)
        sum += inverse[k % order * order + j] * b[k / order * order + j];
      x[k] = static_cast<T>(sum);
    }
    return x;
  }
};

/// Returns the largest |found - expected| divided by the largest |expected|.
template <class T>
double largest_difference(const std::vector<T>& found, const std::vector<T>& expected) {
  double largest = 0, difference = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    largest = std::max(largest, std::abs(static_cast<double>(expected[k])));
    const double apart = std::abs(static_cast<double>(found[k]) - static_cast<double>(expected[k]));
    if (!(apart <= difference)) difference = apart;  // keeps a NaN
  }
  return largest == 0 ? difference : difference / largest;
}

/// Solves by all calls. Expects that they give the same bits, write x alone, and are near the dense
/// solution up to `tolerance`.
template <class T, class Array>
void expect_fused(FusedSolve<T>& fused, const FusedCase<T>& c, Backend& backend, double tolerance,
                  Layout one, Layout other, Offset gap) {
  const Laid<T> b0 = Laid<T>(c.n(), c.cols, gap, one).with(c.b), x0(c.n(), c.cols, gap, other);
  Laid<T> b = b0, x = x0;
  ASSERT_TRUE(fused.solve(c.value, b.view(), x.view()).ok());
  EXPECT_EQ(fused.verdict().status, VerdictStatus::positive_definite);
  EXPECT_TRUE(is_same(b.data, b0.data));
  std::vector<T> found(c.b.size());
  for (Index j = 0; j < c.cols; ++j)
    for (Index i = 0; i < c.n(); ++i)
      found[static_cast<std::size_t>(Offset{j} * c.n() + i)] =
          x.data[static_cast<std::size_t>(x.place(i, j))];
  EXPECT_LE(largest_difference(found, c.expected()), tolerance);
  EXPECT_TRUE(is_same(x.data, x0.with(found).data)) << "beside x";

  const auto values = DeviceValues<T>::copy_of(c.value, backend);
  Array device_b(b0.data), device_x(x0.data);
  const DeviceMatrixView<T> bs(b0.at(device_b.data())), xs(x0.at(device_x.data()));
  ASSERT_TRUE(fused.solve(values, bs, xs).ok());
  EXPECT_TRUE(is_same(device_x.fetch(), x.data)) << "where it computes";
  EXPECT_TRUE(is_same(device_b.fetch(), b0.data));
  device_x.assign(x0.data);
  fused.enqueue_solve(values, bs, xs, nullptr);
  EXPECT_EQ(fused.verdict().status, VerdictStatus::none);
  EXPECT_EQ(fused.fetch_verdict(nullptr).status, VerdictStatus::positive_definite);
  EXPECT_TRUE(is_same(device_x.fetch(), x.data)) << "enqueued";
  ASSERT_TRUE(fused.solve(values, bs, bs).ok());
  EXPECT_TRUE(is_same(device_b.fetch(), b0.with(found).data)) << "in place";
  ASSERT_TRUE(fused.solve(c.value, b.view(), b.view()).ok());
  EXPECT_TRUE(is_same(b.data, b0.with(found).data)) << "in place";
}

/// Solves with changing values and right-hand sides, on patterns of all kinds.
template <class T, class Array>
void fused_solves_are_the_dense_ones(Backend& backend, const PlanOf& plan_of,
                                     const std::vector<OwnedPattern>& patterns,
                                     const std::vector<Index>& counts, double tolerance) {
  std::uint64_t seed = 1;
  for (const OwnedPattern& a : patterns)
    for (const Index cols : counts) {
      SCOPED_TRACE(std::to_string(a.n()) + " rows, " + std::to_string(cols) + " columns");
      auto fused = FusedSolve<T>::create(a.view(), plan_of(a.view()), backend, cols);
      EXPECT_EQ(fused.nrhs(), cols);
      EXPECT_EQ(fused.plan().n, a.n() + cols);
      const Offset before = backend.bytes_in_use();
      for (const Layout one : kLayouts)
        for (const Layout other : kLayouts) {
          if (one == other && (cols == 1 || seed % 3 != 0)) continue;
          expect_fused<T, Array>(fused, {a, cols, ++seed}, backend, tolerance, one, other,
                                 one == other ? 0 : 2);
        }
      EXPECT_EQ(backend.bytes_in_use(), before);
      ++seed;
    }
}

/// Solves systems of several fronts and levels. Backward errors are at most a small multiple of
/// those of a factor and a solve.
template <class T>
void fused_errors_are_those_of_factors(Backend& backend, const PlanOf& plan_of,
                                       const std::vector<std::string>& specs) {
  for (const std::string& spec : specs) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    const std::vector<T> value = cast<T>(a.value()), b = dense_numbers<T>(a.n(), 2, 3);
    const auto plan = plan_of(a.pattern());
    const MatrixView<const T> rhs{b.data(), a.n(), 2, a.n()};
    const auto error_of = [&](std::vector<T>& x) {
      return backward_error<T>({a.pattern(), value}, {x.data(), a.n(), 2, a.n()}, rhs, backend)
          .normwise;
    };
    std::vector<T> x(b.size()), fused_x(b.size());
    auto factor = factor_of<T>(plan, value, backend);
    auto workspace = Workspace<T>::create(factor, 2);
    factor.solve(rhs, {x.data(), a.n(), 2, a.n()}, workspace);
    auto fused = FusedSolve<T>::create(a.pattern(), plan, backend, 2);
    ASSERT_TRUE(fused.solve(value, rhs, {fused_x.data(), a.n(), 2, a.n()}).ok());
    EXPECT_LE(error_of(fused_x), 8 * error_of(x) + 4 * std::numeric_limits<T>::epsilon());
  }
}

/// A breakdown is at the column where elimination in the plan's order fails; an enqueued solve then
/// sets all of x to NaN; a good A is solved again afterwards.
template <class T, class Array>
void fused_breakdowns(Backend& backend, const PlanOf& plan_of, std::uint64_t seeds) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    FusedCase<T> c(seed == 1 ? dense_pattern(100)
                             : random_pattern(static_cast<Index>(2 + seed * 11 % 60), 2.5, seed),
                   1 + static_cast<Index>(seed % 3), seed);
    const std::vector<T> good = c.value;
    const auto column = static_cast<Index>(seed * 7 % static_cast<std::uint64_t>(c.n()));
    T& diagonal = c.value[static_cast<std::size_t>(
        c.pattern.view().col_ptr[static_cast<std::size_t>(column)])];
    diagonal = -diagonal;
    auto fused =
        FusedSolve<T>::create(c.pattern.view(), plan_of(c.pattern.view()), backend, c.cols);
    std::vector<Index> old_of;
    for (const Index i : fused.plan().perm.old_of())
      if (i >= c.cols) old_of.push_back(i - c.cols);
    const auto expected = naive_breakdown<T>(c.view(), Permutation::from_old_of(std::move(old_of)));
    ASSERT_TRUE(expected.has_value());
    std::vector<T> x(c.b.size());
    const MatrixView<const T> b{c.b.data(), c.n(), c.cols, c.n()};
    const MatrixView<T> out{x.data(), c.n(), c.cols, c.n()};
    const auto broken = fused.solve(c.value, b, out);
    ASSERT_FALSE(broken.ok());
    EXPECT_EQ(broken.error().column, expected->column);
    EXPECT_NEAR(broken.error().pivot, expected->pivot, 1e-3 * std::abs(expected->pivot));
    const auto values = DeviceValues<T>::copy_of(c.value, backend);
    Array device_b(c.b), device_x(x);
    fused.enqueue_solve(values, DeviceMatrixView<const T>({device_b.data(), c.n(), c.cols, c.n()}),
                        DeviceMatrixView<T>({device_x.data(), c.n(), c.cols, c.n()}), nullptr);
    const DeviceVerdict& verdict = fused.fetch_verdict(nullptr);
    EXPECT_EQ(verdict.status, VerdictStatus::not_positive_definite);
    EXPECT_EQ(verdict.column, expected->column);
    EXPECT_EQ(verdict.smallest_column, expected->column);
    EXPECT_EQ(verdict.smallest_pivot, verdict.pivot);
    for (const T v : device_x.fetch()) EXPECT_TRUE(std::isnan(v));
    c.value = good;
    expect_fused<T, Array>(fused, c, backend, inverse_tolerance<T>() * 10, Layout::column_major,
                           Layout::column_major, 0);
  }
}

/// Entries of A and of b that are not finite are named in the caller's numbering; a b that is too
/// large is an error.
template <class T, class Array>
void fused_solves_name_what_is_not_finite(Backend& backend, const PlanOf& plan_of,
                                          const OwnedPattern& a) {
  FusedCase<T> c(a, 2, 3);
  const Index n = c.n();
  const auto rows = static_cast<std::size_t>(n);
  auto fused = FusedSolve<T>::create(c.pattern.view(), plan_of(c.pattern.view()), backend, 2);
  std::vector<T> x(c.b.size());
  const auto said = [&] {
    return error_text(ErrorKind::input, [&] {
      (void)fused.solve(c.value, {c.b.data(), n, 2, n}, {x.data(), n, 2, n});
    });
  };
  const std::vector<T> value = c.value, b = c.b;
  const Pattern pattern = c.pattern.view();
  const auto place = static_cast<std::size_t>(pattern.col_ptr[7] + 1);
  c.value[place] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(said(), "FusedSolve: value " + std::to_string(place) + " of A, entry (" +
                        std::to_string(pattern.row[place]) + ", 7), is " +
                        std::to_string(c.value[place]) + ", expected a finite number");
  c.value = value;
  c.b[rows + 13] = std::numeric_limits<T>::infinity();
  EXPECT_EQ(said(), "FusedSolve: entry (13, 1) of b is inf, expected a finite number");
  Array device_b(c.b), device_x(x);
  const auto values = DeviceValues<T>::copy_of(c.value, backend);
  const DeviceMatrixView<T> bs({device_b.data(), n, 2, n}), xs({device_x.data(), n, 2, n});
  EXPECT_EQ(error_text(ErrorKind::input, [&] { (void)fused.solve(values, bs, xs); }),
            "FusedSolve: entry (13, 1) of b is inf, expected a finite number");
  fused.enqueue_solve(values, bs, xs, nullptr);
  EXPECT_EQ(fused.fetch_verdict(nullptr).status, VerdictStatus::not_positive_definite);
  EXPECT_EQ(fused.verdict().column, kNone);
  for (const T v : device_x.fetch()) EXPECT_TRUE(std::isnan(v));
  // The limit applies to all columns together, so two columns that each keep it may exceed it.
  const std::string limit =
      std::string(" together, is not below 2^") + (sizeof(T) == 4 ? "120" : "960") + ": scale b";
  c.b = b;
  for (std::size_t i = 0; i < rows; ++i) c.b[i] = std::ldexp(b[i], sizeof(T) == 4 ? 62 : 505);
  EXPECT_EQ(said(), "FusedSolve: b . A^-1 b, of columns 0 to 0" + limit);
  const std::vector<T> solution = c.expected();
  T energy = 0;
  for (std::size_t i = 0; i < rows; ++i)
    energy += b[i] * std::ldexp(solution[i], sizeof(T) == 4 ? -62 : -505);
  for (std::size_t i = 0; i < rows; ++i)
    c.b[i] = c.b[rows + i] =
        b[i] * std::ldexp(std::sqrt(T(0.6) / energy), sizeof(T) == 4 ? 60 : 480);
  EXPECT_EQ(said(), "FusedSolve: b . A^-1 b, of columns 0 to 1" + limit);
  c.b = b;
  expect_fused<T, Array>(fused, c, backend, inverse_tolerance<T>() * 10, Layout::column_major,
                         Layout::row_major, 1);
}

/// A and b are scaled by powers of two: x is as accurate as without, however small it is.
template <class T, class Array>
void fused_solves_in_any_units(Backend& backend, const PlanOf& plan_of,
                               const std::vector<OwnedPattern>& patterns, double tolerance) {
  const int far = sizeof(T) == 4 ? 40 : 400;
  for (const OwnedPattern& a : patterns)
    for (const Index cols : {1, 3})
      for (const int of_a : {-far, 0, far})
        for (const int of_b : {-far - far / 2, -far, 0, far}) {
          if (2 * of_b - of_a > 2 * far) continue;  // b . A^-1 b is too large
          SCOPED_TRACE(std::to_string(a.n()) + " rows, " + std::to_string(cols) + " columns, 2^" +
                       std::to_string(of_a) + ", 2^" + std::to_string(of_b));
          FusedCase<T> c(a, cols, 9);
          const std::vector<T> expected = c.expected();
          for (T& v : c.value) v = std::ldexp(v, of_a);
          for (T& v : c.b) v = std::ldexp(v, of_b);
          auto fused =
              FusedSolve<T>::create(c.pattern.view(), plan_of(c.pattern.view()), backend, cols);
          std::vector<T> x(c.b.size());
          ASSERT_TRUE(
              fused.solve(c.value, {c.b.data(), c.n(), cols, c.n()}, {x.data(), c.n(), cols, c.n()})
                  .ok());
          for (T& v : x) v = std::ldexp(v, of_a - of_b);
          EXPECT_LE(largest_difference(x, expected), tolerance);
        }
}

/// The verdict describes A, in its numbering, for any right-hand sides.
template <class T>
void fused_verdicts_are_those_of_factors(Backend& backend, const PlanOf& plan_of,
                                         const std::vector<OwnedPattern>& patterns) {
  for (const OwnedPattern& a : patterns)
    for (const Index cols : {1, 3}) {
      SCOPED_TRACE(std::to_string(a.n()) + " rows, " + std::to_string(cols) + " columns");
      FusedCase<T> c(a, cols, 5);
      if (c.n() > 0) {  // makes one row small, so that the least pivot is in that row in any order
        const auto at =
            static_cast<std::size_t>(a.view().col_ptr[static_cast<std::size_t>(c.n() / 2)]);
        for (std::size_t k = 0; k < c.value.size(); ++k) c.value[k] *= k == at ? T(1) : T(64);
        for (Index j = 0; j < c.n(); ++j)
          for (Offset k = a.view().col_ptr[j]; k < a.view().col_ptr[j + 1]; ++k)
            if (static_cast<std::size_t>(k) != at &&
                (j == c.n() / 2 || a.view().row[k] == c.n() / 2))
              c.value[k] /= T(4096);
      }
      const auto plan = plan_of(a.view());
      auto fused = FusedSolve<T>::create(a.view(), plan, backend, cols);
      std::vector<T> x(c.b.size());
      ASSERT_TRUE(
          fused.solve(c.value, {c.b.data(), c.n(), cols, c.n()}, {x.data(), c.n(), cols, c.n()})
              .ok());
      const auto factor = factor_of<T>(plan, c.value, backend);
      EXPECT_EQ(fused.verdict().smallest_column, factor.verdict().smallest_column);
      if (c.n() == 0)
        EXPECT_EQ(fused.verdict().smallest_pivot, std::numeric_limits<double>::infinity());
      else
        EXPECT_NEAR(fused.verdict().smallest_pivot, factor.verdict().smallest_pivot,
                    1e-3 * factor.verdict().smallest_pivot);
      EXPECT_EQ(fused.verdict().column, kNone);
    }
}

template <class T>
void fused_solves_count_their_bytes(Backend& backend, const PlanOf& plan_of) {
  const OwnedPattern a = grid_pattern(8, 7, 3);
  const auto plan = plan_of(a.view());
  const Offset before = backend.bytes_in_use();
  {
    auto fused = FusedSolve<T>::create(a.view(), plan, backend, 3);
    const Offset all = backend.bytes_in_use() - before;
    const auto factor = Factor<T>::create(std::make_shared<const Plan>(fused.plan()), backend);
    const auto workspace = Workspace<T>::create(factor, 3);
    EXPECT_EQ(all, backend.bytes_in_use() - before - all + fused.bytes());
    EXPECT_GE(fused.bytes(), (a.view().nnz() + 3 * (3 * Offset{a.n()} + 1)) * Offset{sizeof(T)});
    const FusedSolve<T> moved = std::move(fused);
    EXPECT_EQ(moved.nrhs(), 3);
  }
  EXPECT_EQ(backend.bytes_in_use(), before);
}

template <class T>
void what_fused_solves_refuse(Backend& backend, const PlanOf& plan_of) {
  const OwnedPattern a = chain_pattern(6);
  const auto plan = plan_of(a.view());
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  EXPECT_EQ(refused([&] { (void)FusedSolve<T>::create(a.view(), nullptr, backend); }),
            "FusedSolve: the plan is null; pass that of an analysis");
  EXPECT_EQ(refused([&] { (void)FusedSolve<T>::create(a.view(), plan, backend, 0); }),
            "FusedSolve: nrhs is 0, expected 1 or more");
  EXPECT_EQ(refused([&] { (void)FusedSolve<T>::create(star_pattern(6, 0).view(), plan, backend); }),
            "FusedSolve: the plan belongs to a matrix of another pattern: entry (2, 0) is new");
  EXPECT_EQ(error_text(ErrorKind::overflow,
                       [&] { (void)FusedSolve<T>::create(a.view(), plan, backend, 2147483645); }),
            "FusedSolve: 6 rows and 2147483645 right-hand sides are more than 2^31 - 1");
  EXPECT_EQ(error_text(ErrorKind::overflow,
                       [&] { (void)FusedSolve<T>::create(a.view(), plan, backend, 1000000000); }),
            "FusedSolve: 11 entries and 7000000000 of 1000000000 right-hand sides are more than "
            "2^32 - 1");
  auto fused = FusedSolve<T>::create(a.view(), plan, backend, 2);
  std::vector<T> value(11, T(1)), x(12, T(1));
  const MatrixView<T> two{x.data(), 6, 2, 6}, one{x.data(), 6, 1, 6}, few{x.data(), 5, 2, 6};
  EXPECT_EQ(refused([&] { (void)fused.solve(std::span<const T>(value).first(10), two, two); }),
            "FusedSolve: 10 values, the pattern has 11 entries");
  EXPECT_EQ(refused([&] { (void)fused.solve(value, one, two); }),
            "FusedSolve: b has 1 columns, this was made for 2");
  EXPECT_EQ(refused([&] { (void)fused.solve(value, two, one); }),
            "FusedSolve: x has 1 columns, this was made for 2");
  EXPECT_EQ(refused([&] { (void)fused.solve(value, few, two); }),
            "FusedSolve: b has 5 rows, A has 6");
  EXPECT_EQ(refused([&] { (void)fused.solve(value, two, few); }),
            "FusedSolve: x has 5 rows, A has 6");
  std::stop_source source;
  source.request_stop();
  EXPECT_NE(error_text(ErrorKind::cancelled,
                       [&] { (void)fused.solve(value, two, two, source.get_token()); }),
            "no Error");
}

}  // namespace kauri::test
