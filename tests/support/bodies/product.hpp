// Bodies of tests of kauri::SparseProduct that hold for every backend, against simple sums. Array:
// numbers in the backend's memory, made from a vector, with data(), assign() and fetch().
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/bodies/layout.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/seeds.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {

/// Holds A X and |A||X| in long double, n x cols, and the number of entries of each row.
struct NaiveProduct {
  std::vector<long double> sum, magnitude;
  std::vector<Index> entries;

  template <class T>
  NaiveProduct(const Pattern& a, const std::vector<T>& value, const std::vector<T>& x, Index cols)
      : sum(x.size(), 0), magnitude(x.size(), 0), entries(static_cast<std::size_t>(a.n), 0) {
    const auto add = [&](Index i, Index j, T v) {
      ++entries[i];
      for (Index c = 0; c < cols; ++c) {
        const long double product = static_cast<long double>(v) * x[Offset{c} * a.n + j];
        sum[Offset{c} * a.n + i] += product;
        magnitude[Offset{c} * a.n + i] += std::abs(product);
      }
    };
    for (Index j = 0; j < a.n; ++j)
      for (Offset k = a.col_ptr[j]; k < a.col_ptr[j + 1]; ++k) {
        add(a.row[k], j, value[k]);
        if (a.row[k] != j) add(j, a.row[k], value[k]);
      }
  }
};

/// Returns patterns with no row, one row, isolated rows, dense ones, skewed ones, and several
/// components.
inline std::vector<std::pair<std::string, OwnedPattern>> product_patterns(bool large) {
  const Index n = large ? 3000 : 900;  // a star of this size takes the merge path
  std::vector<std::pair<std::string, OwnedPattern>> all{
      {"nothing", diagonal_pattern(0)},
      {"one", diagonal_pattern(1)},
      {"diagonal", diagonal_pattern(300)},
      {"dense", dense_pattern(70)},
      {"chain", chain_pattern(400)},
      {"star from the first", star_pattern(n, 0)},
      {"star from within", star_pattern(n, n / 3)},
      {"grid", grid_pattern(5, 4, 6, true)}};
  EdgeList pieces;  // two dense pieces of different sizes, and isolated rows
  for (Index u = 10; u < 40; ++u)
    for (Index v = 10; v < u; ++v)
      pieces.emplace_back(u, v), pieces.emplace_back(3 * u + 20, 3 * v + 20);
  all.emplace_back("pieces", pattern_of(150, pieces));
  return all;
}

/// Returns integers so small that any sum is exact in T in any order.
template <class T>
std::vector<T> small_integers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> all(count);
  for (T& v : all) v = static_cast<T>(static_cast<int>(random() % 17) - 8);
  return all;
}

/// Returns y after each of the three calls; expects that they agree and that x is unchanged.
template <class T, class Array>
std::vector<T> by_all_calls(SparseProduct<T>& a, T alpha, const Laid<T>& x, T beta,
                            const Laid<T>& y, const std::string& where) {
  Laid<T> from = x, to = y;
  a.multiply(alpha, from.view(), beta, to.view());
  EXPECT_TRUE(is_same(from.data, x.data)) << where;
  Array device_x(x.data), device_y(y.data);
  const DeviceMatrixView<T> xs(x.at(device_x.data())), ys(y.at(device_y.data()));
  a.multiply(alpha, xs, beta, ys);
  EXPECT_TRUE(is_same(device_y.fetch(), to.data)) << where << ", where it computes";
  device_y.assign(y.data);
  a.enqueue_multiply(alpha, xs, beta, ys, nullptr);
  EXPECT_TRUE(is_same(device_y.fetch(), to.data)) << where << ", enqueued";
  EXPECT_TRUE(is_same(device_x.fetch(), x.data)) << where;
  return to.data;
}
template <class T, class Array>
std::vector<T> by_all_calls(SparseProduct<T>& a, T alpha, const std::vector<T>& x, T beta,
                            const std::vector<T>& y, Index cols, const std::string& where) {
  const Laid<T> shape(a.n(), cols, 0, Layout::column_major);
  return by_all_calls<T, Array>(a, alpha, shape.with(x), beta, shape.with(y), where);
}

template <class T, class Array>
void products_are_exact_for_integers(Backend& backend, bool large) {
  std::uint64_t seed = 0;
  for (const auto& [name, pattern] : product_patterns(large)) {
    const Pattern a = pattern.view();
    const std::vector<T> value = small_integers<T>(a.row.size(), ++seed);
    auto product = SparseProduct<T>::create({a, value}, backend);
    EXPECT_EQ(product.n(), a.n);
    for (const Index cols : {0, 1, 3, 9}) {
      const std::size_t size = static_cast<std::size_t>(a.n) * static_cast<std::size_t>(cols);
      const std::vector<T> x = small_integers<T>(size, ++seed), y = small_integers<T>(size, ++seed);
      const NaiveProduct exact(a, value, x, cols);
      for (const auto& [alpha, beta] : {std::pair(1, 0), {-1, 1}, {2, -3}, {0, 2}, {3, 0}}) {
        const std::string where = name + ", " + std::to_string(cols) + " columns, " +
                                  std::to_string(alpha) + " and " + std::to_string(beta);
        const std::vector<T> found =
            by_all_calls<T, Array>(product, T(alpha), x, T(beta), y, cols, where);
        for (std::size_t k = 0; k < size; ++k)
          ASSERT_EQ(found[k],
                    static_cast<T>(alpha * exact.sum[k] + beta * static_cast<long double>(y[k])))
              << where << ", entry " << k;
      }
    }
  }
}

/// The bound is |y - (alpha A x + beta y)| <= eps ((k + 1) |alpha| |A||x| + |alpha| |A||x| + 2
/// |beta y|) for a row of k entries in any order. If T is rounded only once (`in_double`), eps is
/// that of double, plus eps of T times the result.
template <class T, class Array>
void products_round_as_they_say(Backend& backend, bool in_double, std::uint32_t many) {
  const long double eps = std::numeric_limits<T>::epsilon(),
                    of_sums = in_double ? std::numeric_limits<double>::epsilon() : eps;
  for (std::uint32_t seed = 1; seed <= many; ++seed) {
    std::mt19937_64 random(seed);
    const auto n = static_cast<Index>(1 + random() % 120),
               cols = static_cast<Index>(1 + random() % 4);
    const OwnedPattern pattern = random_pattern(n, 0.5 * static_cast<double>(seed % 17), seed);
    const Pattern a = pattern.view();
    const std::vector<T> value = dense_numbers<T>(static_cast<Index>(a.row.size()), 1, seed + 1),
                         x = dense_numbers<T>(n, cols, seed + 2);
    std::vector<T> y = dense_numbers<T>(n, cols, seed + 3);
    const NaiveProduct exact(a, value, x, cols);
    auto product = SparseProduct<T>::create({a, value}, backend);
    const T scale = dense_numbers<T>(1, 1, seed + 4)[0];
    for (const auto& [alpha, beta] : {std::pair(T(1), T(0)), {T(-1), T(1)}, {scale, T(0.3)}}) {
      if (beta == 1)
        for (std::size_t k = 0; k < y.size(); ++k)
          y[k] = static_cast<T>(exact.sum[k]);  // the result consists of rounding errors only
      const std::string where = "seed " + std::to_string(seed) + ", alpha " + std::to_string(alpha);
      const std::vector<T> found = by_all_calls<T, Array>(product, alpha, x, beta, y, cols, where);
      for (std::size_t k = 0; k < y.size(); ++k) {
        const long double kept = static_cast<long double>(beta) * y[k],
                          result = alpha * exact.sum[k] + kept,
                          size = std::abs(static_cast<long double>(alpha)) * exact.magnitude[k] +
                                 std::abs(kept);
        const long double terms = exact.entries[k % static_cast<std::size_t>(n)] + 2;
        const long double bound = terms * of_sums * size + (in_double ? eps * std::abs(result) : 0);
        ASSERT_LE(std::abs(found[k] - result), bound) << where << ", entry " << k;
      }
    }
  }
}

/// Each column gives the result of that column alone in all layouts, and nothing is written between
/// columns or rows.
template <class T, class Array>
void products_in_either_layout(Backend& backend, const std::vector<OwnedPattern>& patterns,
                               const std::vector<Index>& columns) {
  for (const OwnedPattern& pattern : patterns) {
    const Pattern a = pattern.view();
    const std::vector<T> value = dense_numbers<T>(static_cast<Index>(a.row.size()), 1, 1);
    auto product = SparseProduct<T>::create({a, value}, backend);
    for (const Index cols : columns) {
      const std::vector<T> x = dense_numbers<T>(a.n, cols, 2), y = dense_numbers<T>(a.n, cols, 3);
      for (const auto& [alpha, beta] : {std::pair(T(1), T(0)), {T(-0.7), T(1.3)}}) {
        std::vector<T> expected;
        for (Index c = 0; c < cols; ++c) {
          const auto column = [&](const std::vector<T>& of) {
            return std::vector<T>(of.begin() + Offset{c} * a.n, of.begin() + Offset{c + 1} * a.n);
          };
          const std::vector<T> one = by_all_calls<T, Array>(product, alpha, column(x), beta,
                                                            column(y), 1, "a column alone");
          expected.insert(expected.end(), one.begin(), one.end());
        }
        for_layouts<T>(a.n, cols,
                       [&, alpha = alpha, beta = beta](const Laid<T>& from, const Laid<T>& to,
                                                       const std::string& where) {
                         const std::vector<T> found = by_all_calls<T, Array>(
                             product, alpha, from.with(x), beta, to.with(y), where);
                         EXPECT_TRUE(is_same(found, to.with(expected).data)) << where;
                       });
      }
    }
  }
}

/// A value that is not finite reaches exactly the results that the formula implies; with beta = 0
/// the old y has no effect.
template <class T, class Array>
void products_bring_nan_and_infinity_on(Backend& backend, bool large) {
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity(),
          most = std::numeric_limits<T>::max();
  std::uint64_t seed = 0;
  for (const auto& [name, pattern] : product_patterns(large)) {
    const Pattern a = pattern.view();
    if (a.n == 0) continue;
    const auto n = static_cast<std::size_t>(a.n);
    std::mt19937_64 random(++seed);
    for (const T bad : {nan, infinity, -infinity}) {
      std::vector<T> value = small_integers<T>(a.row.size(), seed), x(n, T(1)), y(n, bad);
      for (T& v : value) v = std::abs(v) + 1;
      auto product = SparseProduct<T>::create({a, value}, backend);
      const std::vector<T> written = by_all_calls<T, Array>(product, T(1), x, T(0), y, 1, name);
      for (const T v : written) ASSERT_TRUE(std::isfinite(v)) << name;
      const auto expect = [&, &name = name](T alpha, T beta, const char* what) {
        const NaiveProduct exact(a, value, x, 1);
        const std::vector<T> found = by_all_calls<T, Array>(product, alpha, x, beta, y, 1, name);
        for (std::size_t i = 0; i < n; ++i) {
          const T expected = static_cast<T>(
              alpha * exact.sum[i] + (beta == 0 ? 0 : static_cast<long double>(beta) * y[i]));
          ASSERT_TRUE(found[i] == expected || (std::isnan(found[i]) && std::isnan(expected)))
              << name << ", " << what << ", row " << i << ": " << found[i] << ", expected "
              << expected;
        }
      };
      std::fill(y.begin(), y.end(), T(3));
      y[random() % n] = bad;
      expect(T(2), T(-1), "in y");
      x[random() % n] = bad;
      expect(T(2), T(0), "in x");
      expect(T(0), T(1), "in x and y, alpha = 0");
      std::fill(x.begin(), x.end(), T(1));
      value[random() % value.size()] = bad;
      product.set_values(value);
      expect(T(-2), T(0), "in A");
    }
    std::vector<T> value(a.row.size(), most), x(n, T(2)), y(n, T(1));
    auto product = SparseProduct<T>::create({a, value}, backend);
    for (const T v : by_all_calls<T, Array>(product, T(1), x, T(1), y, 1, name))
      ASSERT_EQ(v, infinity) << name << ", an overflow";
    std::fill(x.begin(), x.end(), T(0));
    std::fill(y.begin(), y.end(), most);
    for (const T v : by_all_calls<T, Array>(product, T(1), x, T(-2), y, 1, name))
      ASSERT_EQ(v, -infinity) << name << ", of beta y";
  }
}

/// Scaling by powers of two commutes with rounding, also near the ends of the range.
template <class T, class Array>
void products_of_huge_and_tiny_numbers(Backend& backend) {
  const OwnedPattern pattern = grid_pattern(4, 5, 3, true);
  const Pattern a = pattern.view();
  const int top = std::numeric_limits<T>::max_exponent;
  const std::vector<T> value = dense_numbers<T>(static_cast<Index>(a.row.size()), 1, 1),
                       x = dense_numbers<T>(a.n, 2, 2), y = dense_numbers<T>(a.n, 2, 3);
  const auto scaled = [](std::vector<T> v, int by) {
    for (T& e : v) e = std::ldexp(e, by);
    return v;
  };
  auto product = SparseProduct<T>::create({a, value}, backend);
  const T alpha = T(-1.7), beta = T(0.6);
  const std::vector<T> expected =
      by_all_calls<T, Array>(product, alpha, x, beta, y, 2, "as they are");
  product.set_values(scaled(value, top / 2));
  EXPECT_EQ((by_all_calls<T, Array>(product, alpha, scaled(x, top / 2 - 12), beta,
                                    scaled(y, top / 2 * 2 - 12), 2, "huge")),
            scaled(expected, top / 2 * 2 - 12));
  product.set_values(scaled(value, 32 - top));
  EXPECT_EQ(
      (by_all_calls<T, Array>(product, alpha, scaled(x, top - 32), beta, y, 2, "tiny and huge")),
      expected);
}

/// The values set last count in each of the three calls, also after the product was moved.
template <class T, class Array>
void products_are_with_the_values_set_last(Backend& backend) {
  const OwnedPattern pattern = random_pattern(90, 5, 1);
  const Pattern a = pattern.view();
  auto first = SparseProduct<T>::create(a, backend);
  const std::vector<T> x = small_integers<T>(90, 1), y(90, T(5));
  std::vector<T> value = small_integers<T>(a.row.size(), 2);
  auto there = DeviceValues<T>::copy_of(value, backend);
  // Values are enqueued on the default stream, for which a copy to the host waits; products with
  // host memory use another stream.
  const auto enqueue_and_wait = [&](SparseProduct<T>& a_product) {
    a_product.enqueue_values(there, nullptr);
    (void)Array(y).fetch();
  };
  enqueue_and_wait(first);
  SparseProduct<T> product = std::move(first);
  for (int round = 0; round < 6; ++round) {
    const NaiveProduct exact(a, value, x, 1);
    std::vector<T> expected;
    for (const long double s : exact.sum) expected.push_back(static_cast<T>(5 - s));
    EXPECT_EQ((by_all_calls<T, Array>(product, T(-1), x, T(1), y, 1, "round")), expected) << round;
    value = small_integers<T>(a.row.size(), static_cast<std::uint64_t>(round) + 3);
    there.assign(value);
    if (round % 3 == 0)
      product.set_values(value);
    else if (round % 3 == 1)
      product.set_values(there);
    else
      enqueue_and_wait(product);
  }
  first = SparseProduct<T>::create(a, backend);
  EXPECT_EQ(first.n(), 90);
}

/// A product takes the bytes that it reports, from its construction to its destruction.
template <class T>
void products_count_their_bytes(Backend& backend) {
  const Offset before = backend.bytes_in_use();
  for (const auto& [name, pattern] : product_patterns(true)) {
    const auto one = SparseProduct<T>::create(pattern.view(), backend);
    EXPECT_EQ(backend.bytes_in_use(), before + one.bytes()) << name;
    EXPECT_GE(one.bytes(), static_cast<Offset>(pattern.row.size() * sizeof(T))) << name;
    auto other = SparseProduct<T>::create(pattern.view(), backend);
    EXPECT_EQ(backend.bytes_in_use(), before + 2 * one.bytes()) << name;
    const SparseProduct<T> moved = std::move(other);
    EXPECT_EQ(backend.bytes_in_use(), before + 2 * one.bytes()) << name;
  }
  EXPECT_EQ(backend.bytes_in_use(), before);
}

/// said(x, of_x, y, of_y): text of the error of a product of 9 rows with vectors of these shapes,
/// which begin at entries x and y of one array.
template <class T, class Said>
void vectors_that_products_refuse(const Said& said) {
  const MatrixView<T> two{nullptr, 9, 2, 9}, apart{nullptr, 9, 2, 20},
      by_rows{nullptr, 9, 2, 6, Layout::row_major};
  EXPECT_EQ(said(0, {nullptr, 8, 2, 9}, 20, two), "SparseProduct: x has 8 rows, A has 9");
  EXPECT_EQ(said(0, two, 20, {nullptr, 10, 2, 10}), "SparseProduct: y has 10 rows, A has 9");
  EXPECT_EQ(said(0, two, 20, {nullptr, 9, 3, 9}), "SparseProduct: x has 2 columns, y has 3");
  EXPECT_EQ(said(0, {nullptr, 9, 2, 8}, 20, two),
            "SparseProduct: x has 2 columns and leading dimension 8 for 9 rows, expected a leading "
            "dimension of 9 or more");
  EXPECT_EQ(said(0, two, 20, {nullptr, 9, -1, 9}),
            "SparseProduct: y has -1 columns and leading dimension 9 for 9 rows, expected 0 or "
            "more rows and columns");
  EXPECT_EQ(said(0, two, 20, {nullptr, 9, 2, 1, Layout::row_major}),
            "SparseProduct: y has 2 columns and leading dimension 1 for 9 rows, row-major, "
            "expected a leading dimension of 2 or more");
  EXPECT_EQ(said(0, {nullptr, 9, 2, 9, static_cast<Layout>(7)}, 20, two),
            "SparseProduct: x has 2 columns and leading dimension 9 for 9 rows, in an unknown "
            "layout; expected column_major or row_major");
  const std::string overlaps = "SparseProduct: x overlaps y; give it memory of its own";
  EXPECT_EQ(said(0, two, 0, two), overlaps);
  EXPECT_EQ(said(0, two, 17, two), overlaps);
  EXPECT_EQ(said(0, two, 18, two), "no Error");
  EXPECT_EQ(said(0, apart, 9, apart), "no Error") << "the one between the columns of the other";
  EXPECT_EQ(said(0, apart, 8, apart), overlaps);
  EXPECT_EQ(said(0, by_rows, 2, by_rows), "no Error");
  EXPECT_EQ(said(0, by_rows, 1, by_rows), overlaps);
  EXPECT_EQ(said(0, by_rows, 9, two), overlaps);
}

template <class T, class Array>
void what_products_refuse(Backend& backend) {
  const OwnedPattern pattern = chain_pattern(9);
  const Pattern a = pattern.view();
  const std::vector<T> value(a.row.size(), T(1));
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  std::vector<Index> row = pattern.row;
  row[3] = 0;  // replaces the diagonal entry
  EXPECT_NE(error_text(ErrorKind::input,
                       [&] {
                         (void)SparseProduct<T>::create(Pattern{9, pattern.col_ptr, row}, backend);
                       }),
            "no Error");
  const std::string count = "SparseProduct: 3 values, the pattern has 17 entries";
  const std::vector<T> few(3, T(1));
  EXPECT_EQ(refused([&] { (void)SparseProduct<T>::create({a, few}, backend); }), count);
  auto product = SparseProduct<T>::create(a, backend);
  Array numbers(dense_numbers<T>(200, 1, 1));
  std::vector<T> host = numbers.fetch();
  const auto said = [&](Offset x, MatrixView<T> of_x, Offset y, MatrixView<T> of_y) {
    of_x.data = host.data() + x, of_y.data = host.data() + y;
    const std::string text = refused([&] { product.multiply(T(1), of_x, T(1), of_y); });
    of_x.data = numbers.data() + x, of_y.data = numbers.data() + y;
    const DeviceMatrixView<T> xs(of_x), ys(of_y);
    EXPECT_EQ(refused([&] { product.multiply(T(1), xs, T(1), ys); }), text);
    EXPECT_EQ(refused([&] { product.enqueue_multiply(T(1), xs, T(1), ys, nullptr); }), text);
    (void)numbers.fetch();  // waits for the stream
    return text;
  };
  const MatrixView<T> two{nullptr, 9, 2, 9};
  EXPECT_EQ(said(0, two, 20, two), "SparseProduct: no values were set: call set_values() first");
  const auto there = DeviceValues<T>::copy_of(few, backend);
  EXPECT_EQ(refused([&] { product.set_values(few); }), count);
  EXPECT_EQ(refused([&] { product.set_values(there); }), count);
  EXPECT_EQ(refused([&] { product.enqueue_values(there, nullptr); }), count);
  EXPECT_EQ(said(0, two, 20, two), "SparseProduct: no values were set: call set_values() first");
  product.set_values(value);
  EXPECT_EQ(said(0, two, 20, two), "no Error");
  vectors_that_products_refuse<T>(said);
  EXPECT_EQ(refused([&] {
              product.multiply(T(1), {nullptr, 9, 1, 9}, T(0), {host.data(), 9, 1, 9});
            }),
            "SparseProduct: x is null, expected an address");
  EXPECT_EQ(refused([&] {
              product.multiply(T(1), {host.data(), 9, 1, 9}, T(0), {nullptr, 9, 1, 9});
            }),
            "SparseProduct: y is null, expected an address");
  EXPECT_EQ(refused([&] {
              product.multiply(T(1), {nullptr, 9, 0, 9}, T(0), {nullptr, 9, 0, 9});
            }),
            "no Error");
}

}  // namespace kauri::test
