// Tests residuals and their errors on a CUDA device and on the emulated one: they equal the CPU's
// bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "numeric/backend.hpp"
#include "numeric/cuda/matrix/residual_kernels.hpp"
#include "numeric/cuda/matrix/spmv/choice.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

namespace cuda = numeric::cuda;
using numeric::kResidualSegment;
using numeric::kResidualStretch;
using numeric::ValuesAre;

/// Returns a matrix with one long row (and column) of `entries` entries, and a chain, with random
/// values.
SymmetricMatrix<double> one_long_row(Index entries) {
  std::vector<Index> row, col;
  std::vector<double> value;
  std::mt19937_64 random(3);
  const auto put = [&](Index i, Index j) {
    row.push_back(i), col.push_back(j);
    value.push_back(std::uniform_real_distribution<double>(-1, 1)(random));
  };
  const Index n = entries + 5, hub = n / 3;
  for (Index i = 0; i < n; ++i) put(i, i);
  for (Index i = 0; i < entries; ++i)
    if (i != hub) put(std::max(i, hub), std::min(i, hub));
  for (Index i = entries; i < n; ++i) put(i, i - 1);
  return SymmetricMatrix<double>::from_triplets(n, row, col, value, Storage::lower);
}

std::vector<SymmetricMatrix<double>> systems() {
  std::vector<SymmetricMatrix<double>> all;
  for (const char* spec : {"poisson2d 1", "poisson2d 23", "elast3d 5", "tree 700 1"})
    all.push_back(generate(spec));
  for (const Offset entries : {kResidualSegment, kResidualSegment + 1, kResidualStretch,
                               kResidualStretch + 129, 8 * kResidualStretch + 4099})
    all.push_back(one_long_row(static_cast<Index>(entries)));
  return all;
}

template <class T>
class Residuals : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    backend_.emplace(cuda_backend());
  }
  static std::vector<T> numbers(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> all(count);
    for (T& v : all) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
    return all;
  }
  std::optional<Backend> backend_;
  Backend cpu_ = cpu_backend(1);
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Residuals, Scalars);

TYPED_TEST(Residuals, AndErrorsAreThoseOfTheCpu) {
  using T = TypeParam;
  for (const SymmetricMatrix<double>& a : systems()) {
    const std::vector<T> value = cast<T>(a.value());
    const SymmetricView<T> view{a.pattern(), value};
    const Index n = a.n(), cols = 2;
    const Offset ld = n + 3;
    const auto size = static_cast<std::size_t>(ld * cols);
    const std::vector<T> x = this->numbers(size, 1);
    std::vector<T> b(size), mine(size, T(7)), theirs(size, T(7));
    multiply<T>(view, {x.data(), n, cols, ld}, {b.data(), n, cols, ld}, this->cpu_);
    multiply<T>(view, {x.data(), n, cols, ld}, {mine.data(), n, cols, ld}, *this->backend_);
    for (std::size_t k = 0; k < size; ++k)
      if (static_cast<Offset>(k) % ld < n) {
        ASSERT_EQ(mine[k], b[k]) << "n = " << n << ": A x, " << k;
      }
    // The rounded b is A x up to rounding, so the residual is cancellation only.
    const MatrixView<const T> xs{x.data(), n, cols, ld}, bs{b.data(), n, cols, ld};
    residual<T>(view, xs, bs, {mine.data(), n, cols, ld}, *this->backend_);
    residual<T>(view, xs, bs, {theirs.data(), n, cols, ld}, this->cpu_);
    for (std::size_t k = 0; k < size; ++k)
      if (static_cast<Offset>(k) % ld < n) {
        ASSERT_EQ(mine[k], theirs[k]) << "n = " << n << ": b - A x, " << k;
      }
    const BackwardError one = backward_error<T>(view, xs, bs, *this->backend_),
                        other = backward_error<T>(view, xs, bs, this->cpu_);
    EXPECT_EQ(one.componentwise, other.componentwise) << n;
    EXPECT_EQ(one.normwise, other.normwise) << n;
    EXPECT_LE(one.componentwise, std::numeric_limits<T>::epsilon());
  }
}

/// A value of x, b or A that is not finite always shows in the error, in the first row, the last or
/// a long one.
TYPED_TEST(Residuals, OfWhatIsNotFiniteHaveNoSmallError) {
  using T = TypeParam;
  const SymmetricMatrix<double> a = one_long_row(300);
  const Index n = a.n();
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN(),
                      std::numeric_limits<T>::infinity()})
    for (const Index at : {Index{0}, n / 3, n - 1})
      for (const int where : {0, 1, 2}) {
        std::vector<T> value = cast<T>(a.value()), x(static_cast<std::size_t>(n), T(1)), b = x;
        (where == 0 ? x[at] : where == 1 ? b[at] : value[a.pattern().col_ptr[at]]) = bad;
        const SymmetricView<T> view{a.pattern(), value};
        const MatrixView<const T> xs{x.data(), n, 1, n}, bs{b.data(), n, 1, n};
        const BackwardError one = backward_error<T>(view, xs, bs, *this->backend_),
                            other = backward_error<T>(view, xs, bs, this->cpu_);
        EXPECT_FALSE(std::isfinite(one.componentwise)) << where << " " << at;
        EXPECT_TRUE(one.normwise == other.normwise ||
                    (std::isnan(one.normwise) && std::isnan(other.normwise)))
            << where << " " << at;
      }
}

/// The device keeps the values, by rows, until the next fresh values.
TYPED_TEST(Residuals, KeepValuesThatAreUnchanged) {
  using T = TypeParam;
  const SymmetricMatrix<double> a = generate("elast3d 3");
  const Index n = a.n();
  const std::vector<T> value = cast<T>(a.value()),
                       x = this->numbers(static_cast<std::size_t>(n), 1),
                       b = this->numbers(x.size(), 2);
  std::vector<T> doubled = value, none(value.size(), std::numeric_limits<T>::quiet_NaN());
  for (T& v : doubled) v *= 2;
  const auto store = this->backend_->executor().template of<T>().make_residual(a.pattern());
  const auto of = [&](const std::vector<T>& values, ValuesAre are) {
    std::vector<T> r(x.size());
    store->residual({a.pattern(), values}, {x.data(), n, 1, n}, {b.data(), n, 1, n},
                    {r.data(), n, 1, n}, are);
    return r;
  };
  const std::vector<T> first = of(value, ValuesAre::fresh);
  EXPECT_EQ(of(none, ValuesAre::unchanged), first);
  const std::vector<T> second = of(doubled, ValuesAre::fresh);
  EXPECT_NE(second, first);
  EXPECT_EQ(of(none, ValuesAre::unchanged), second);
}

/// One launch computes all columns of vectors on the device.
TYPED_TEST(Residuals, OfManyVectorsAreThoseOfEach) {
  using T = TypeParam;
  const SymmetricMatrix<double> a = one_long_row(700);
  const cuda::FullRows rows = cuda::full_rows(a.pattern());
  const std::vector<cuda::ResidualTask> tasks = cuda::residual_tasks(rows);
  const Index n = a.n(), cols = 5;
  const Offset ld = n + 2;
  cuda::FullRows padded = rows;
  padded.col.resize(padded.col.size() + 4, 0);
  std::vector<T> value;
  for (const std::uint32_t s : rows.source) value.push_back(static_cast<T>(a.value()[s]));
  value.resize(value.size() + 4, T(0));
  const std::vector<T> x = this->numbers(static_cast<std::size_t>(ld * cols), 1),
                       b = this->numbers(x.size(), 2);
  const CallerArray<Offset> ptr(rows.ptr);
  const CallerArray<Index> col(padded.col);
  const CallerArray<T> values(value), xs(x), bs(b);
  CallerArray<T> r(std::vector<T>(x.size(), T(7)));
  const CallerArray<cuda::ResidualTask> task(tasks);
  const CallerArray<cuda::ResidualNorms> norms(std::vector<cuda::ResidualNorms>(
      static_cast<std::size_t>(cols), cuda::ResidualNorms{{9, 9, 9}, 9, 9}));
  const cuda::RowsView<T> view{
      n, static_cast<Index>(tasks.size()), ptr.data(), col.data(), values.data(), task.data()};
  cuda::enqueue_residual<T>(view, {{xs.data(), 1, ld}, {bs.data(), 1, ld}, {r.data(), 1, ld}, cols},
                            norms.data(), nullptr);
  const std::vector<T> all = r.fetch();
  const std::vector<cuda::ResidualNorms> all_norms = norms.fetch();
  for (Index c = 0; c < cols; ++c) {
    cuda::enqueue_residual<T>(
        view, {{xs.data() + c * ld, 1, ld}, {bs.data() + c * ld, 1, ld}, {r.data(), 1, ld}, 1},
        norms.data(), nullptr);
    const std::vector<T> one = r.fetch();
    for (Index i = 0; i < n; ++i) ASSERT_EQ(one[i], all[c * ld + i]) << c << " " << i;
    const cuda::ResidualNorms mine = norms.fetch().front(), among = all_norms[c];
    EXPECT_EQ(mine.worst.residual, among.worst.residual);
    EXPECT_EQ(mine.worst.row_norm, among.worst.row_norm);
    EXPECT_EQ(mine.worst.componentwise, among.worst.componentwise);
    EXPECT_EQ(mine.x, among.x);
    EXPECT_EQ(mine.b, among.b);
    for (Offset i = n; i < ld; ++i) EXPECT_EQ(all[c * ld + i], T(7)) << "padding";
  }
  const CallerArray<std::int32_t> zero(std::vector<std::int32_t>{0});
  r.assign(b);
  cuda::enqueue_residual<T>(
      view, {{xs.data(), 1, ld}, {bs.data(), 1, ld}, {r.data(), 1, ld}, cols, zero.data()},
      norms.data(), nullptr);
  EXPECT_EQ(r.fetch(), b) << "left out";
  for (const cuda::ResidualNorms& none : norms.fetch())
    EXPECT_EQ(none.x + none.b + none.worst.residual, 0) << "left out";
  cuda::enqueue_product<T>(view, {{xs.data(), 1, ld}, {}, {r.data(), 1, ld}, cols}, nullptr);
  const std::vector<T> products = r.fetch();
  std::vector<T> there(x.size(), T(0));
  multiply<T>({a.pattern(), cast<T>(a.value())}, {x.data(), n, cols, ld},
              {there.data(), n, cols, ld}, this->cpu_);
  for (Index c = 0; c < cols; ++c)
    for (Index i = 0; i < n; ++i)
      ASSERT_EQ(products[c * ld + i], there[c * ld + i]) << c << " " << i;
}

// The systems are large enough for several threads, and one has a column that meets every block of
// rows.
TEST(FullRows, AreBothHalvesByRows) {
  for (const char* spec : {"poisson2d 3", "lap27 28", "arrow 150000 2"}) {
    const SymmetricMatrix<double> a = generate(spec);
    const Pattern lower = a.pattern();
    std::vector<std::vector<std::pair<Index, std::uint32_t>>> expected(
        static_cast<std::size_t>(a.n()));
    for (Index j = 0; j < a.n(); ++j)
      for (Offset k = lower.col_ptr[j]; k < lower.col_ptr[j + 1]; ++k) {
        expected[j].emplace_back(lower.row[k], static_cast<std::uint32_t>(k));
        if (lower.row[k] != j)
          expected[lower.row[k]].emplace_back(j, static_cast<std::uint32_t>(k));
      }
    const cuda::FullRows rows = cuda::full_rows(lower);
    ASSERT_EQ(rows.n(), a.n());
    for (Index i = 0; i < a.n(); ++i) {
      std::sort(expected[i].begin(), expected[i].end());
      ASSERT_EQ(rows.length(i), static_cast<Offset>(expected[i].size())) << spec << " row " << i;
      for (Offset k = 0; k < rows.length(i); ++k) {
        const auto at = static_cast<std::size_t>(rows.ptr[i] + k);
        ASSERT_EQ(std::pair(rows.col[at], rows.source[at]), expected[i][k]) << spec << " row " << i;
      }
    }
  }
}

TEST(ResidualTasks, AreAllRowsInOrder) {
  for (const SymmetricMatrix<double>& a : systems()) {
    const cuda::FullRows rows = cuda::full_rows(a.pattern());
    Index next = 0;
    for (const cuda::ResidualTask& task : cuda::residual_tasks(rows)) {
      ASSERT_EQ(task.first, next);
      if (task.rows == 0) {
        EXPECT_GT(rows.length(next++), kResidualSegment);
        continue;
      }
      EXPECT_LE(task.rows, cuda::kSpmvThreads);
      EXPECT_LE(rows.ptr[task.first + task.rows] - rows.ptr[task.first] / 4 * 4, cuda::kSpmvChunk);
      for (Index k = 0; k < task.rows; ++k) EXPECT_LE(rows.length(next++), kResidualSegment);
    }
    EXPECT_EQ(next, a.n());
  }
}

}  // namespace
}  // namespace kauri::test
