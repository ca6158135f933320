// What the public calls of the numeric phase refuse, and what they survive: other patterns, wrong lengths, bad numbers, moved backends.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/factor_bodies.hpp"
#include "tests/support/many_threads.hpp"

namespace kauri {
namespace {

using test::error_text;

template <class T>
class Contract : public ::testing::Test {
 protected:
  /// A 4 x 4 tridiagonal matrix, or one with the same number of entries elsewhere.
  static SymmetricMatrix<T> matrix(bool other) {
    const std::vector<Index> row{0, 1, 2, 3, 1, 2, other ? 0 : 3}, col{0, 1, 2, 3, 0, 1, other ? 3 : 2};
    const std::vector<T> value{4, 4, 4, 4, -1, -1, -1};
    std::vector<Index> low(row), high(col);
    for (std::size_t k = 0; k < row.size(); ++k) low[k] = std::max(row[k], col[k]), high[k] = std::min(row[k], col[k]);
    return SymmetricMatrix<T>::from_triplets(4, low, high, value, Storage::lower);
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Contract, Scalars);

TYPED_TEST(Contract, AMatrixOfAnotherPatternIsRefused) {
  using T = TypeParam;
  const auto a = this->matrix(false), other = this->matrix(true);
  ASSERT_EQ(a.nnz(), other.nnz());
  Backend backend = cpu_backend(1);
  auto factor = factorize<T>(analyze(a.pattern()), a.value(), backend);
  ASSERT_TRUE(factor.ok());
  auto workspace = Workspace<T>::create(factor.value(), 1);
  const std::vector<T> b(4, T(1));
  std::vector<T> x = b;
  factor.value().solve(column_view(std::span<T>(x)), workspace);
  const auto refined = [&](const SymmetricView<T>& view) {
    return error_text(ErrorKind::usage, [&] {
      (void)refine<T>(view, factor.value(), column_view(std::span<const T>(b)), column_view(std::span<T>(x)), workspace);
    });
  };
  EXPECT_EQ(refined(a.view()), "no Error");
  EXPECT_EQ(refined(other.view()), "refine: the factor belongs to a matrix of another pattern");
  const auto refilled = [&](const SymmetricView<T>& view) {
    return error_text(ErrorKind::usage, [&] { ASSERT_TRUE(refactorize<T>(factor.value(), view).ok()); });
  };
  EXPECT_EQ(refilled(a.view()), "no Error");
  EXPECT_EQ(refilled(other.view()), "refactorize: the matrix has another pattern than the one analysed");
  EXPECT_TRUE(factor.value().valid());  // a refused call changes nothing
  EXPECT_EQ(refilled({a.pattern(), a.value().first(6)}), "refactorize: 6 values, the pattern has 7 entries");
}

TYPED_TEST(Contract, ResidualsCheckTheMatrix) {
  using T = TypeParam;
  const auto a = this->matrix(false);
  Backend backend = cpu_backend(1);
  const std::vector<T> b(4, T(1));
  std::vector<T> x(4, T(1)), y(4);
  const auto in = column_view(std::span<const T>(b));
  const auto out = column_view(std::span<T>(y));
  auto factor = factorize<T>(analyze(a.pattern()), a.value(), backend);
  auto workspace = Workspace<T>::create(factor.value(), 1);
  const auto all = [&](ErrorKind kind, const SymmetricView<T>& view) {
    return std::vector<std::string>{error_text(kind, [&] { residual<T>(view, in, in, out, backend); }),
                                    error_text(kind, [&] { (void)backward_error<T>(view, in, in, backend); }),
                                    error_text(kind, [&] { multiply<T>(view, in, out, backend); }), error_text(kind, [&] {
                                      (void)refine<T>(view, factor.value(), in, column_view(std::span<T>(x)), workspace);
                                    })};
  };
  EXPECT_EQ(all(ErrorKind::usage, a.view()), std::vector<std::string>(4, "no Error"));
  const std::string few = ": 6 values, the pattern has 7 entries";
  EXPECT_EQ(all(ErrorKind::usage, {a.pattern(), a.value().first(6)}),
            (std::vector<std::string>{"residual" + few, "backward_error" + few, "multiply" + few, "refine" + few}));
  std::vector<Index> row(a.pattern().row.begin(), a.pattern().row.end());
  row[1] = 4;
  EXPECT_EQ(all(ErrorKind::input, {{4, a.pattern().col_ptr, row}, a.value()}),
            std::vector<std::string>(4, "matrix: column 0: row 4 is out of range or not above row 0"));
  EXPECT_NE(error_text(ErrorKind::usage, [&] { multiply<T>(a.view(), {b.data(), 3, 1, 3}, out, backend); }), "no Error");
  EXPECT_NE(error_text(ErrorKind::usage, [&] { multiply<T>(a.view(), in, {y.data(), 4, 1, 3}, backend); }), "no Error");
}

TYPED_TEST(Contract, BadNumbersAreNamedByRowAndColumn) {
  Backend backend = cpu_backend(1);
  test::bad_numbers_are_named<TypeParam>(backend, [](const Pattern& pattern) { return analyze(pattern); });
}

TYPED_TEST(Contract, ValuesWhereTheBackendComputes) {
  using T = TypeParam;
  const auto a = this->matrix(false);
  Backend backend = cpu_backend(1);
  auto factor = Factor<T>::create(analyze(a.pattern()), backend);
  auto there = DeviceValues<T>::copy_of(a.value(), backend);
  ASSERT_TRUE(refactorize(factor, there).ok());
  const T corner = factor.entry(3, 3);
  std::vector<T> value(a.value().begin(), a.value().end());
  for (T& v : value) v *= 4;
  there.assign(value);
  ASSERT_TRUE(refactorize(factor, there).ok());
  EXPECT_EQ(factor.entry(3, 3), 2 * corner);
  ASSERT_TRUE(refactorize(factor, DeviceValues<T>::borrow(a.value())).ok());
  EXPECT_EQ(factor.entry(3, 3), corner);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { there.assign(std::span<const T>(value).first(3)); }),
            "DeviceValues::assign: 3 values for 7");
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { DeviceValues<T>::borrow(a.value()).assign(a.value()); }),
            "DeviceValues::assign: these values are borrowed");
}

TYPED_TEST(Contract, AMovedBackendDisturbsNothing) {
  using T = TypeParam;
  const auto a = this->matrix(false);
  std::optional<Backend> first(cpu_backend(2)), second;  // both outlive the factor
  auto factor = factorize<T>(analyze(a.pattern()), a.value(), *first);
  ASSERT_TRUE(factor.ok());
  second.emplace(std::move(*first));
  first.reset();
  auto workspace = Workspace<T>::create(factor.value(), 1);
  const std::vector<T> b{1, 2, 3, 4};
  std::vector<T> x = b;
  ASSERT_TRUE(refactorize<T>(factor.value(), a.view()).ok());
  factor.value().solve(column_view(std::span<T>(x)), workspace);
  const auto done = refine<T>(a.view(), factor.value(), column_view(std::span<const T>(b)), column_view(std::span<T>(x)), workspace);
  EXPECT_LE(done.final_error.componentwise, std::numeric_limits<T>::epsilon());
  EXPECT_GT(second->bytes_in_use(), 0);
}

TYPED_TEST(Contract, MultiplyIsAnExactProductInLongDouble) {
  using T = TypeParam;
  const test::ManyThreads many;
  for (const char* spec : {"poisson2d 1", "poisson2d 60", "elast3d 6", "arrow 20000 3", "diag"}) {
    const bool diagonal = std::string(spec) == "diag";
    const std::vector<Index> three{0, 1, 2};
    const auto a =
        diagonal ? SymmetricMatrix<double>::from_triplets(3, three, three, std::vector<double>{1, 0, -1}, Storage::lower) : generate(spec);
    const auto value = test::cast<T>(a.value());
    const Pattern p = a.pattern();
    const Index n = p.n, cols = 3;
    const Offset ldx = n + 2, ldy = n + 5;
    std::mt19937_64 random(6);
    std::vector<T> x(static_cast<std::size_t>(ldx * cols)), y(static_cast<std::size_t>(ldy * cols), T(-7)), first;
    for (T& v : x) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
    const auto kept = x;
    for (const int threads : {1, 2, 8}) {
      Backend backend = cpu_backend(threads);
      multiply<T>({p, value}, {x.data(), n, cols, ldx}, {y.data(), n, cols, ldy}, backend);
      if (first.empty()) first = y;
      ASSERT_EQ(y, first) << threads;
    }
    EXPECT_EQ(x, kept);
    for (Index c = 0; c < cols; ++c) {
      std::vector<long double> exact(static_cast<std::size_t>(n)), magnitude(static_cast<std::size_t>(n));
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
        ASSERT_LE(std::abs(y[c * ldy + i] - exact[i]), eps / 2 * std::abs(exact[i]) * 1.01L + eps / 16 * eps * 1000 * magnitude[i])
            << spec << " row " << i;
      for (Offset i = n; i < ldy; ++i) ASSERT_EQ(y[c * ldy + i], T(-7)) << "padding";
    }
  }
}

}  // namespace
}  // namespace kauri
