// Tests the dense kernels of every target that this machine can run against naive loops; results
// are exact (integer data) where the arithmetic allows it.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kauri/core/backend.hpp"
#include "kauri/core/error.hpp"
#include "kauri/core/plan.hpp"
#include "numeric/cpu/dense/dense.hpp"
#include "tests/support/process/targets.hpp"

namespace kauri::numeric::cpu {
namespace {

/// Holds a column-major matrix with a padded leading dimension. The padding is poisoned, so that a
/// kernel that reads or writes it is caught.
template <class T>
struct Matrix {
  Matrix(Index r, Index c, Index pad = 3)
      : rows(r), cols(c), ld(r + pad), data(static_cast<std::size_t>(ld) * c + 64, kPoison) {}
  T& operator()(Index i, Index j) { return data[i + static_cast<std::size_t>(j) * ld]; }
  const T& operator()(Index i, Index j) const { return data[i + static_cast<std::size_t>(j) * ld]; }
  [[nodiscard]] bool padding_intact() const {
    for (Index j = 0; j < cols; ++j)
      for (Index i = rows; i < ld; ++i)
        if ((*this)(i, j) != kPoison) return false;
    return true;
  }
  static constexpr T kPoison = T(12345.5);
  Index rows, cols, ld;
  std::vector<T> data;
};

template <class T>
Matrix<T> integers(Index r, Index c, std::mt19937& random) {
  Matrix<T> a(r, c);
  for (Index j = 0; j < c; ++j)
    for (Index i = 0; i < r; ++i) a(i, j) = static_cast<T>(static_cast<int>(random() % 7) - 3);
  return a;
}

/// Returns a lower triangle with powers of two on the diagonal and small integers below it, so that
/// its Cholesky products are exact.
template <class T>
Matrix<T> exact_lower(Index n, std::mt19937& random) {
  Matrix<T> l = integers<T>(n, n, random);
  for (Index j = 0; j < n; ++j) l(j, j) = static_cast<T>(1 << (random() % 3));
  return l;
}

template <class T>
class Dense : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Dense, Scalars);

TYPED_TEST(Dense, UpdateIsExactOnIntegers) {
  using T = TypeParam;
  std::mt19937 random(1);
  for (const std::string& target : test::targets()) {
    const auto& kernels = dense_kernels<T>(target);
    for (int round = 0; round < 300; ++round) {
      const Index n = 1 + static_cast<Index>(random() % 60),
                  m = n + static_cast<Index>(random() % 60), k = static_cast<Index>(random() % 40);
      const bool lower = random() % 2, keep = random() % 2;
      const auto a = integers<T>(m, k, random), b = integers<T>(n, k, random);
      auto c = integers<T>(m, n, random);
      const auto before = c;
      kernels.update(m, n, k, a.data.data(), a.ld, b.data.data(), b.ld, c.data.data(), c.ld, lower,
                     keep);
      for (Index j = 0; j < n; ++j)
        for (Index i = lower ? j : 0; i < m; ++i) {
          T sum = keep ? before(i, j) : T(0);
          for (Index l = 0; l < k; ++l) sum -= a(i, l) * b(j, l);
          ASSERT_EQ(c(i, j), sum) << target << " m=" << m << " n=" << n << " k=" << k << " at " << i
                                  << "," << j;
        }
      ASSERT_TRUE(c.padding_intact()) << target;
    }
  }
}

TYPED_TEST(Dense, PackedUpdateEqualsNaive) {
  using T = TypeParam;
  std::mt19937 random(2);
  for (const std::string& target : test::targets()) {
    const auto& kernels = dense_kernels<T>(target);
    ASSERT_EQ(kernels.slab_rows % kernels.col_tile, 0);
    ASSERT_EQ(kFrontTile % kernels.slab_rows, 0);
    ASSERT_LE(kernels.slab_rows, symbolic::FrontScratch::kPadding);
    for (int round = 0; round < 200; ++round) {
      const Index n = 1 + static_cast<Index>(random() % 120),
                  m = 1 + static_cast<Index>(random() % 120),
                  k = 1 + static_cast<Index>(random() % 40);
      const bool keep = random() % 2;
      const Index diagonal = static_cast<Index>(random() % 3) * 50 -
                             100;  // rows at or below j + diagonal are compared
      const auto a = integers<T>(m, k, random), b = integers<T>(n, k, random);
      auto c = integers<T>(m, n, random);
      const auto before = c;
      std::vector<T> pa(static_cast<std::size_t>(m + symbolic::FrontScratch::kPadding) * k),
          pb(static_cast<std::size_t>(n + symbolic::FrontScratch::kPadding) * k);
      kernels.pack(m, k, a.data.data(), a.ld, pa.data());
      kernels.pack(n, k, b.data.data(), b.ld, pb.data());
      kernels.update_packed(m, n, k, pa.data(), pb.data(), c.data.data(), c.ld, diagonal, keep);
      for (Index j = 0; j < n; ++j)
        for (Index i = std::max(Index{0}, j + diagonal); i < m; ++i) {
          T sum = keep ? before(i, j) : T(0);
          for (Index l = 0; l < k; ++l) sum -= a(i, l) * b(j, l);
          ASSERT_EQ(c(i, j), sum) << target << " m=" << m << " n=" << n << " k=" << k << " at " << i
                                  << "," << j;
        }
      ASSERT_TRUE(c.padding_intact()) << target;
    }
  }
}

TYPED_TEST(Dense, PotrfAndTrsmRecoverAnExactFactor) {
  using T = TypeParam;
  std::mt19937 random(3);
  for (const std::string& target : test::targets()) {
    const auto& kernels = dense_kernels<T>(target);
    for (int round = 0; round < 300; ++round) {
      const Index n = 1 + static_cast<Index>(random() % kBasePanel),
                  m = static_cast<Index>(random() % 130);
      const auto l = exact_lower<T>(n, random);
      const auto x = integers<T>(m, n, random);
      Matrix<T> a(n, n), y(m, n);
      for (Index j = 0; j < n; ++j) {
        for (Index i = j; i < n; ++i) {
          a(i, j) = 0;
          for (Index k = 0; k <= j; ++k) a(i, j) += l(i, k) * l(j, k);
        }
        for (Index i = 0; i < m; ++i) {
          y(i, j) = 0;
          for (Index k = 0; k <= j; ++k) y(i, j) += x(i, k) * l(j, k);
        }
      }
      T pivot = 0;
      ASSERT_EQ(kernels.potrf(n, a.data.data(), a.ld, &pivot), n);
      for (Index j = 0; j < n; ++j)
        for (Index i = j; i < n; ++i) ASSERT_EQ(a(i, j), l(i, j)) << target << " n=" << n;
      kernels.trsm(m, n, a.data.data(), a.ld, y.data.data(), y.ld);
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < m; ++i)
          ASSERT_EQ(y(i, j), x(i, j)) << target << " m=" << m << " n=" << n;
      ASSERT_TRUE(a.padding_intact() && y.padding_intact()) << target;
    }
  }
}

TYPED_TEST(Dense, PotrfNamesTheFailingColumnAndPivot) {
  using T = TypeParam;
  std::mt19937 random(4);
  const T bad[] = {T(0), T(-2), std::numeric_limits<T>::quiet_NaN(),
                   std::numeric_limits<T>::infinity()};
  for (const std::string& target : test::targets()) {
    const auto& kernels = dense_kernels<T>(target);
    for (Index n = 1; n <= kBasePanel; ++n) {
      const Index j = static_cast<Index>(random() % n);
      const T x = bad[n % 4];
      auto l = exact_lower<T>(n, random);
      Matrix<T> a(n, n);
      for (Index c = 0; c < n; ++c)
        for (Index i = c; i < n; ++i) {
          a(i, c) = 0;
          for (Index k = 0; k <= c; ++k) a(i, c) += l(i, k) * l(c, k);
        }
      a(j, j) += x - l(j, j) * l(j, j);
      T pivot = 77;
      ASSERT_EQ(kernels.potrf(n, a.data.data(), a.ld, &pivot), j) << target << " n=" << n;
      if (std::isnan(x))
        ASSERT_TRUE(std::isnan(pivot));
      else
        ASSERT_EQ(pivot, x);
    }
  }
}

TYPED_TEST(Dense, SolvesInvertProductsExactly) {
  using T = TypeParam;
  std::mt19937 random(5);
  for (const std::string& target : test::targets()) {
    const auto& kernels = dense_kernels<T>(target);
    for (int round = 0; round < 200; ++round) {
      const Index p = 1 + static_cast<Index>(random() % 50), q = static_cast<Index>(random() % 50);
      const Index r = round % 3 == 0 ? 1 : 1 + static_cast<Index>(random() % kSolveBlock);
      const Index m = p + q;
      auto l = exact_lower<T>(m, random);
      const auto z = integers<T>(m, r, random);  // the solution, row i at z(i, :)
      std::vector<T> x(static_cast<std::size_t>(p) * r + 1, Matrix<T>::kPoison),
          u(static_cast<std::size_t>(q) * r + 1, Matrix<T>::kPoison);
      // Forward sweep: [L11; L21] x1 = y1, u = y2 - L21 x1.
      for (Index c = 0; c < r; ++c) {
        for (Index i = 0; i < p; ++i) {
          x[i * r + c] = 0;
          for (Index k = 0; k <= i; ++k) x[i * r + c] += l(i, k) * z(k, c);
        }
        for (Index i = 0; i < q; ++i) u[i * r + c] = z(p + i, c);
      }
      kernels.forward(p, r, l.data.data(), l.ld, x.data());
      kernels.forward_update(q, p, r, l.data.data() + p, l.ld, x.data(), u.data());
      for (Index c = 0; c < r; ++c) {
        for (Index i = 0; i < p; ++i)
          ASSERT_EQ(x[i * r + c], z(i, c)) << target << " p=" << p << " r=" << r;
        for (Index i = 0; i < q; ++i) {
          T sum = z(p + i, c);
          for (Index k = 0; k < p; ++k) sum -= l(p + i, k) * z(k, c);
          ASSERT_EQ(u[i * r + c], sum) << target;
        }
      }
      // Backward sweep: L11^T x1 = y1 - L21^T u.
      for (Index c = 0; c < r; ++c)
        for (Index j = 0; j < p; ++j) {
          T sum = 0;
          for (Index k = j; k < p; ++k) sum += l(k, j) * z(k, c);
          for (Index i = 0; i < q; ++i) sum += l(p + i, j) * u[i * r + c];
          x[j * r + c] = sum;
        }
      kernels.backward_update(q, p, r, l.data.data() + p, l.ld, u.data(), x.data());
      kernels.backward(p, r, l.data.data(), l.ld, x.data());
      for (Index c = 0; c < r; ++c)
        for (Index i = 0; i < p; ++i)
          ASSERT_EQ(x[i * r + c], z(i, c)) << target << " p=" << p << " q=" << q << " r=" << r;
      ASSERT_EQ(x.back(), Matrix<T>::kPoison);
      ASSERT_EQ(u.back(), Matrix<T>::kPoison);
    }
  }
}

/// Returns the rows 0 to q of a child, spread over `m` rows of its parent, as runs.
std::vector<symbolic::RowRun> random_runs(Index q, Index m, std::mt19937& random,
                                          std::vector<Index>& row_of) {
  row_of.resize(static_cast<std::size_t>(m));
  for (Index i = 0; i < m; ++i) row_of[i] = i;
  while (static_cast<Index>(row_of.size()) > q)
    row_of.erase(row_of.begin() + static_cast<std::ptrdiff_t>(random() % row_of.size()));
  std::vector<symbolic::RowRun> runs;
  for (Index k = 0; k < q; ++k)
    if (!runs.empty() && row_of[k] == runs.back().parent + runs.back().length)
      ++runs.back().length;
    else
      runs.push_back({k, row_of[k], 1});
  return runs;
}

TYPED_TEST(Dense, RowsAreAddedAndGatheredWhereTheRunsSay) {
  using T = TypeParam;
  std::mt19937 random(11);
  for (const auto& target : test::targets()) {
    const auto& kernels = dense_kernels<T>(target);
    for (int round = 0; round < 300; ++round) {
      const Index q = 1 + static_cast<Index>(random() % 40),
                  m = q + static_cast<Index>(random() % 10);
      const Index p = static_cast<Index>(random() % (static_cast<unsigned>(m) + 1)),
                  r = round % 2 == 0 ? 1 : 1 + static_cast<Index>(random() % kSolveBlock);
      std::vector<Index> row_of;
      const std::vector<symbolic::RowRun> runs = random_runs(q, m, random, row_of);
      const auto from = integers<T>(r, q, random), start = integers<T>(r, m, random);
      std::vector<T> rows(static_cast<std::size_t>(q) * r),
          x(static_cast<std::size_t>(p) * r + 1, Matrix<T>::kPoison),
          u(static_cast<std::size_t>(m - p) * r + 1, Matrix<T>::kPoison);
      for (Index c = 0; c < r; ++c) {
        for (Index k = 0; k < q; ++k) rows[k * r + c] = from(c, k);
        for (Index i = 0; i < m; ++i) (i < p ? x[i * r + c] : u[(i - p) * r + c]) = start(c, i);
      }
      kernels.pull_rows(runs.data(), runs.data() + runs.size(), p, r, rows.data(), x.data(),
                        u.data());
      auto expected = start;
      for (Index k = 0; k < q; ++k)
        for (Index c = 0; c < r; ++c) expected(c, row_of[k]) += from(c, k);
      for (Index c = 0; c < r; ++c)
        for (Index i = 0; i < m; ++i)
          ASSERT_EQ((i < p ? x[i * r + c] : u[(i - p) * r + c]), expected(c, i))
              << target << " r=" << r;
      ASSERT_EQ(x.back(), Matrix<T>::kPoison);
      ASSERT_EQ(u.back(), Matrix<T>::kPoison);

      // The test takes one column from row `first` on.
      const Index first = static_cast<Index>(random() % static_cast<unsigned>(q));
      const symbolic::RowRun* run = runs.data();
      while (run->child + run->length <= first) ++run;
      std::vector<T> to(static_cast<std::size_t>(m) + 1, Matrix<T>::kPoison);
      for (Index i = 0; i < m; ++i) to[i] = start(0, i);
      std::vector<T> column(static_cast<std::size_t>(q));
      for (Index k = 0; k < q; ++k) column[k] = from(0, k);
      kernels.add_rows(run, runs.data() + runs.size(), first, column.data(), to.data());
      for (Index k = first; k < q; ++k) to[row_of[k]] -= from(0, k);
      for (Index i = 0; i < m; ++i) ASSERT_EQ(to[i], start(0, i)) << target << " first=" << first;
      ASSERT_EQ(to.back(), Matrix<T>::kPoison);

      std::vector<T> all(static_cast<std::size_t>(m) * r),
          picked(static_cast<std::size_t>(q) * r + 1, Matrix<T>::kPoison);
      for (Index i = 0; i < m; ++i)
        for (Index c = 0; c < r; ++c) all[i * r + c] = start(c, i);
      kernels.gather_rows(q, row_of.data(), r, all.data(), picked.data());
      for (Index k = 0; k < q; ++k)
        for (Index c = 0; c < r; ++c) ASSERT_EQ(picked[k * r + c], start(c, row_of[k])) << target;
      ASSERT_EQ(picked.back(), Matrix<T>::kPoison);
    }
  }
}

/// The loops of rooflines run all the steps that they claim: sums of halves are exact while they
/// have few digits.
TYPED_TEST(Dense, LoopsOfRooflinesCountAllTheirSteps) {
  using T = TypeParam;
  for (const std::string& target : test::targets()) {
    const DenseKernels<T>& k = dense_kernels<T>(target);
    double of_a_step = 0;
    k.multiply_adds(1, T(0.5), T(1), &of_a_step);
    const T lanes = static_cast<T>(of_a_step / 2);
    EXPECT_GE(lanes, 1) << target;
    T from = 0;
    for (const Index rounds : {0, 1, 2, 3, 11}) {
      double flops = -1;
      const T sum = k.multiply_adds(rounds, T(0.5), T(1), &flops), left = std::ldexp(T(1), -rounds);
      if (rounds == 0) from = sum;
      EXPECT_EQ(flops, of_a_step * rounds) << target;
      EXPECT_EQ(sum, lanes * (2 - 2 * left) + from * left) << target << " " << rounds;
    }
    EXPECT_GT(from, 0) << target;
    for (const Index count : {0, 1, 7, 8, 63, 64, 65, 129, 1000}) {
      std::vector<T> numbers(static_cast<std::size_t>(count) + 1, Matrix<T>::kPoison);
      for (Index i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = T(i + 1);
      EXPECT_EQ(k.read_all(numbers.data(), count), T(count) * T(count + 1) / 2)
          << target << " " << count;
    }
  }
}

TEST(DenseTargets, UnknownTargetIsAnError) {
  EXPECT_THROW((void)dense_kernels<double>("cpu-none"), Error);
  EXPECT_EQ(dense_kernels<double>(host_target()).target, host_target());
}

}  // namespace
}  // namespace kauri::numeric::cpu
