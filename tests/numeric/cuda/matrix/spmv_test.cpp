// Tests sparse products on a CUDA device and on the emulated one, with every kernel forced: against
// exact integers, against sums in long double, and against each other.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "numeric/cuda/matrix/spmv/spmv.hpp"
#include "tests/numeric/cuda/matrix/full_rows.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/bodies/layout.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri::test {
namespace {

namespace cuda = numeric::cuda;

template <class T>
class Products : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    require(cudaSetDevice(0));
    staging_.emplace();
    stream_.emplace();
  }
  cuda::Spmv<T> make(const cuda::FullRows& rows, std::optional<cuda::SpmvChoice> choice = {}) {
    return cuda::Spmv<T>(rows, *staging_, heap_, *stream_, choice);
  }
  static std::size_t values_of(const cuda::FullRows& rows) {
    std::size_t most = 0;
    for (const std::uint32_t s : rows.source) most = std::max(most, std::size_t{s} + 1);
    return most;
  }
  /// Returns integers so small that any sum is exact in any order.
  static std::vector<T> integers(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> all(count);
    for (T& v : all) v = static_cast<T>(static_cast<int>(random() % 17) - 8);
    return all;
  }
  static std::vector<T> numbers(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> all(count);
    for (T& v : all) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
    return all;
  }
  /// Contents of Y before the product, and of its padding afterwards.
  static constexpr T kBefore = T(-77);
  std::vector<T> product(const cuda::Spmv<T>& a, Index n, const std::vector<T>& x, Offset x_ld,
                         Offset y_ld, Index cols) {
    const CallerArray<T> from(x),
        to(std::vector<T>(static_cast<std::size_t>(y_ld * cols), kBefore));
    a.enqueue({from.data(), n, cols, x_ld}, {to.data(), n, cols, y_ld}, stream_->get());
    return to.fetch();
  }
  std::vector<T> product(const cuda::FullRows& rows, std::optional<cuda::SpmvChoice> choice,
                         const std::vector<T>& value, const std::vector<T>& x, Index cols = 1) {
    cuda::Spmv<T> a = make(rows, choice);
    const CallerArray<T> there(value);
    a.enqueue_values(there.data(), stream_->get());
    return product(a, rows.n(), x, rows.n(), rows.n(), cols);
  }
  /// Expects that every kernel gives the bits of column-major vectors for each pair of layouts.
  void check_layouts(const char* spec) {
    const cuda::FullRows rows = cuda::full_rows(generate(spec).pattern());
    const Index n = rows.n();
    const CallerArray<T> there(numbers(values_of(rows), 1));
    for (const cuda::SpmvChoice& choice : cuda::spmv_choices()) {
      cuda::Spmv<T> a = make(rows, choice);
      a.enqueue_values(there.data(), stream_->get());
      for (const Index cols : {1, 10}) {
        const std::vector<T> x = numbers(static_cast<std::size_t>(Offset{n} * cols), 2),
                             y = numbers(x.size(), 3);
        const auto product = [&](const Laid<T>& of_x, const Laid<T>& of_y) {
          const CallerArray<T> from(of_x.data), to(of_y.data);
          a.enqueue(MatrixView<T>(of_x.at(from.data())), of_y.at(to.data()), stream_->get(), T(0.7),
                    T(-0.2));
          return to.fetch();
        };
        const Laid<T> columns(n, cols, 0, Layout::column_major);
        const std::vector<T> expected = product(columns.with(x), columns.with(y));
        for_layouts<T>(
            n, cols, [&](const Laid<T>& from, const Laid<T>& to, const std::string& where) {
              EXPECT_TRUE(is_same(product(from.with(x), to.with(y)), to.with(expected).data))
                  << spec << ", " << cuda::name_of(choice) << ", " << where;
            });
      }
    }
  }

  cuda::DeviceHeap heap_;
  std::optional<cuda::Staging> staging_;
  std::optional<cuda::Stream> stream_;
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Products, Scalars);

TYPED_TEST(Products, AreExactForIntegers) {
  using T = TypeParam;
  for (const NamedRows& shape : named_rows()) {
    const cuda::FullRows& rows = shape.rows;
    const Index n = rows.n();
    const std::vector<T> value = this->integers(this->values_of(rows), 1),
                         x = this->integers(static_cast<std::size_t>(n), 2);
    const ProductOracle<T> exact(rows, value, x, n, 1);
    for (const cuda::SpmvChoice& choice : cuda::spmv_choices()) {
      const std::vector<T> y = this->product(rows, choice, value, x);
      for (Index i = 0; i < n; ++i)
        ASSERT_EQ(y[i], static_cast<T>(exact.y[i]))
            << shape.name << ", " << cuda::name_of(choice) << ", row " << i;
    }
  }
}

/// The test takes each number of columns, with padding that must stay; each column has the bits of
/// that column alone.
TYPED_TEST(Products, OfManyVectorsAreThoseOfEach) {
  using T = TypeParam;
  for (const char* spec : {"elast3d 3", "arrow 600 2"}) {
    const cuda::FullRows rows = cuda::full_rows(generate(spec).pattern());
    const Index n = rows.n();
    const Offset x_ld = n + 3, y_ld = n + 5;
    const std::vector<T> value = this->numbers(this->values_of(rows), 1),
                         x = this->numbers(static_cast<std::size_t>(x_ld * 33), 2);
    const CallerArray<T> there(value);
    for (const cuda::SpmvChoice& choice : cuda::spmv_choices()) {
      cuda::Spmv<T> a = this->make(rows, choice);
      a.enqueue_values(there.data(), this->stream_->get());
      std::vector<T> each;
      for (Index c = 0; c < 33; ++c) {
        const std::vector<T> one = this->product(
            a, n, std::vector<T>(x.begin() + c * x_ld, x.begin() + c * x_ld + n), n, y_ld, 1);
        each.insert(each.end(), one.begin(), one.end());
      }
      for (const Index cols : {2, 3, 4, 5, 8, 9, 32, 33}) {
        const std::vector<T> y = this->product(a, n, x, x_ld, y_ld, cols);
        ASSERT_EQ(y, std::vector<T>(each.begin(), each.begin() + cols * y_ld))
            << spec << ", " << cuda::name_of(choice) << ", " << cols;
        for (Index c = 0; c < cols; ++c)
          for (Offset i = n; i < y_ld; ++i) ASSERT_EQ(y[c * y_ld + i], this->kBefore) << "padding";
      }
    }
  }
}

/// The matrix has so many tiles that a block has several columns, the last one fewer than the
/// others.
TYPED_TEST(Products, OfManyVectorsAlongManyTilesAreExactForIntegers) {
  using T = TypeParam;
  const cuda::FullRows rows = rows_with(50000, [](Index i) { return i % 7000 == 5 ? 6000 : 3; });
  ASSERT_GT(cuda::merge_tiles(rows).count(), 120);
  ASSERT_GT(cuda::merge_tiles(rows).run.size(), 6U);
  const std::vector<T> value = this->integers(this->values_of(rows), 1);
  for (const Index cols : {9, 33}) {
    const std::vector<T> x = this->integers(static_cast<std::size_t>(Offset{rows.n()} * cols), 2);
    const ProductOracle<T> exact(rows, value, x, rows.n(), cols);
    const std::vector<T> y =
        this->product(rows, cuda::SpmvChoice{cuda::SpmvWay::merge, 1}, value, x, cols);
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(y[i], static_cast<T>(exact.y[i])) << "entry " << i << " of " << cols << " columns";
  }
}

/// The bound is |y - A x| <= (k + 1) eps |A||x| for a row of k entries in any order (Higham,
/// Accuracy and Stability, section 3.1).
TYPED_TEST(Products, RoundAsSumsDo) {
  using T = TypeParam;
  for (const NamedRows& shape : named_rows()) {
    const cuda::FullRows& rows = shape.rows;
    const Index n = rows.n();
    const std::vector<T> value = this->numbers(this->values_of(rows), 3),
                         x = this->numbers(static_cast<std::size_t>(n), 4);
    const ProductOracle<T> exact(rows, value, x, n, 1);
    for (const cuda::SpmvChoice& choice : cuda::spmv_choices()) {
      const std::vector<T> y = this->product(rows, choice, value, x);
      for (Index i = 0; i < n; ++i)
        ASSERT_LE(std::abs(y[i] - exact.y[i]), static_cast<long double>(rows.length(i) + 1) *
                                                   std::numeric_limits<T>::epsilon() *
                                                   exact.magnitude[i])
            << shape.name << ", " << cuda::name_of(choice) << ", row " << i;
    }
  }
}

/// The result equals round(round(alpha sum) + round(beta y)) to the bit, with the rounded sum. If
/// beta is 0, y is not read.
TYPED_TEST(Products, AreScaledAndAddedToWhatIsThere) {
  using T = TypeParam;
  const std::pair<T, T> factors[]{{T(-1), T(1)}, {T(0.3), T(-1.7)}, {T(2.3), T(0)}};
  std::size_t turn = 0;  // each kernel has its turn with each pair, and with one column and several
  for (const NamedRows& shape : named_rows()) {
    const cuda::FullRows& rows = shape.rows;
    const Index n = rows.n();
    const std::vector<T> value = this->numbers(this->values_of(rows), 3);
    const CallerArray<T> there(value);
    ++turn;
    for (const cuda::SpmvChoice& choice : cuda::spmv_choices()) {
      const Index cols = turn % 2 == 0 ? 1 : 3;
      const auto size = static_cast<std::size_t>(Offset{n} * cols);
      const auto [alpha, beta] = factors[turn++ / 2 % 3];
      const std::vector<T> x = this->numbers(size, 4), y = this->numbers(size, 5);
      cuda::Spmv<T> a = this->make(rows, choice);
      a.enqueue_values(there.data(), this->stream_->get());
      const std::vector<T> sum = this->product(a, n, x, n, n, cols);
      const CallerArray<T> from(x),
          to(beta == 0 ? std::vector<T>(size, std::numeric_limits<T>::quiet_NaN()) : y);
      a.enqueue({from.data(), n, cols, n}, {to.data(), n, cols, n}, this->stream_->get(), alpha,
                beta);
      const std::vector<T> found = to.fetch();
      for (std::size_t k = 0; k < size; ++k) {
        const volatile T product = alpha * sum[k],
                         kept = beta == 0
                                    ? 0
                                    : beta * y[k];  // volatile: rounds, whatever the compiler fuses
        ASSERT_EQ(found[k], product + kept) << shape.name << ", " << cuda::name_of(choice) << ", "
                                            << cols << " columns, entry " << k;
      }
    }
  }
}

TYPED_TEST(Products, OfEitherLayoutAreThoseOfColumns) { this->check_layouts("elast3d 2"); }
TYPED_TEST(Products, OfEitherLayoutAreThoseOfColumnsWithLongRows) {
  this->check_layouts("arrow 600 2");
}

TYPED_TEST(Products, HaveTheSameBitsEachTimeAndByLanesAsStaged) {
  using T = TypeParam;
  for (const char* spec : {"elast3d 3", "arrow 1500 2"}) {
    const cuda::FullRows rows = cuda::full_rows(generate(spec).pattern());
    const std::vector<T> value = this->numbers(this->values_of(rows), 5),
                         x = this->numbers(static_cast<std::size_t>(rows.n()), 6);
    for (const cuda::SpmvChoice& choice : cuda::spmv_choices()) {
      const std::vector<T> first = this->product(rows, choice, value, x);
      for (int again = 0; again < 2; ++again)
        ASSERT_EQ(this->product(rows, choice, value, x), first)
            << spec << ", " << cuda::name_of(choice);
      if (choice.way == cuda::SpmvWay::lanes) {
        ASSERT_EQ(
            this->product(rows, cuda::SpmvChoice{cuda::SpmvWay::staged, choice.lanes}, value, x),
            first)
            << spec << ", " << cuda::name_of(choice);
      }
    }
  }
}

/// Scaling by powers of two commutes with rounding, near the ends of the range and beyond it.
TYPED_TEST(Products, OfHugeAndTinyNumbers) {
  using T = TypeParam;
  const cuda::FullRows rows = cuda::full_rows(generate("elast3d 4").pattern());
  const int most = std::numeric_limits<T>::max_exponent;
  const std::vector<T> value = this->numbers(this->values_of(rows), 7),
                       x = this->numbers(static_cast<std::size_t>(rows.n()), 8);
  const auto scaled = [](std::vector<T> v, int by) {
    for (T& e : v) e = std::ldexp(e, by);
    return v;
  };
  for (const cuda::SpmvChoice& choice : cuda::spmv_choices()) {
    const std::vector<T> y = this->product(rows, choice, value, x);
    EXPECT_EQ(this->product(rows, choice, scaled(value, most / 2), scaled(x, most / 2 - 12)),
              scaled(y, most - 12))
        << cuda::name_of(choice);
    EXPECT_EQ(this->product(rows, choice, scaled(value, 32 - most), scaled(x, most - 32)), y)
        << cuda::name_of(choice);
    for (const T e : this->product(rows, choice, scaled(value, most - 1), scaled(x, most - 1)))
      EXPECT_FALSE(std::isfinite(e));
  }
}

/// A value that is not finite reaches exactly the rows that meet it, however tiles and chunks are
/// cut.
TYPED_TEST(Products, NanAndInfinityReachTheirRowsAlone) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  for (const NamedRows& shape : named_rows()) {
    const cuda::FullRows& rows = shape.rows;
    const Index n = rows.n();
    if (rows.entries() == 0) continue;
    const auto value = std::vector<T>(this->values_of(rows), T(1));
    std::mt19937_64 random(9);
    for (const T bad : {nan, infinity}) {
      std::vector<T> x(static_cast<std::size_t>(n), T(1)), values = value;
      const auto j = static_cast<Index>(random() % static_cast<std::uint64_t>(n));
      const Offset entry =
          static_cast<Offset>(random() % static_cast<std::uint64_t>(rows.entries()));
      x[j] = bad;
      values[rows.source[entry]] = bad;
      const ProductOracle<T> exact(rows, values, x, n, 1);
      for (const cuda::SpmvChoice& choice : cuda::spmv_choices()) {
        const std::vector<T> y = this->product(rows, choice, values, x);
        for (Index i = 0; i < n; ++i)
          ASSERT_TRUE(y[i] == static_cast<T>(exact.y[i]) ||
                      (std::isnan(y[i]) && std::isnan(exact.y[i])))
              << shape.name << ", " << cuda::name_of(choice) << ", row " << i << ": " << y[i];
      }
    }
  }
}

TYPED_TEST(Products, TakeNewValues) {
  using T = TypeParam;
  const cuda::FullRows rows = cuda::full_rows(generate("poisson2d 9").pattern());
  const Index n = rows.n();
  cuda::Spmv<T> a = this->make(rows);
  const std::vector<T> x = this->integers(static_cast<std::size_t>(n), 1);
  for (const std::uint64_t seed : {2, 3}) {
    const std::vector<T> value = this->integers(this->values_of(rows), seed);
    const CallerArray<T> there(value);
    a.enqueue_values(there.data(), this->stream_->get());
    const std::vector<T> y = this->product(a, n, x, n, n, 1);
    const ProductOracle<T> exact(rows, value, x, n, 1);
    for (Index i = 0; i < n; ++i) ASSERT_EQ(y[i], static_cast<T>(exact.y[i])) << i;
  }
}

/// The test uses 64-bit row pointers, which only matrices of 2^31 entries need otherwise.
TYPED_TEST(Products, OfRowsWithLongPointers) {
  using T = TypeParam;
  const cuda::FullRows rows = rows_with(900, [](Index i) { return i == 450 ? 6000 : i % 11; });
  const Index n = rows.n(), cols = 9;
  const std::vector<T> value = this->numbers(this->values_of(rows), 1),
                       x = this->numbers(static_cast<std::size_t>(n * cols), 2);
  std::vector<T> padded_value = value;
  std::vector<Index> padded_col = rows.col;
  padded_value.resize((value.size() + 3) / 4 * 4, T(0));
  padded_col.resize(padded_value.size(), 0);
  const cuda::MergeTiles tiles = merge_tiles(rows);
  const CallerArray<Offset> ptr(rows.ptr);
  const CallerArray<Index> col(padded_col), tile_row(tiles.row), ended(tiles.ended);
  const CallerArray<cuda::MergeTiles::Run> run(tiles.run);
  const auto carries = [](std::size_t count) {
    return std::vector<T>(count * static_cast<std::size_t>(cuda::kMergeColumns));
  };
  const CallerArray<T> values(padded_value), from(x), carry(carries(tiles.ended.size())),
      last(carries(tiles.run.size()));
  const cuda::MergeView<T> merge{tiles.count(),   static_cast<Index>(tiles.run.size()),
                                 tile_row.data(), run.data(),
                                 ended.data(),    carry.data(),
                                 last.data()};
  const cuda::CsrView<T, Offset> a{n, ptr.data(), col.data(), values.data()};
  for (const cuda::SpmvChoice& choice : cuda::spmv_choices()) {
    const CallerArray<T> to(std::vector<T>(x.size(), this->kBefore));
    const cuda::SpmvColumns<T> columns{{from.data(), 1, n}, {to.data(), 1, n}, cols};
    if (choice.way == cuda::SpmvWay::merge)
      enqueue_merge_product<T, Offset>(a, merge, columns, this->stream_->get());
    else
      enqueue_rows_product<T, Offset>(a, choice, columns, this->stream_->get());
    EXPECT_EQ(to.fetch(), this->product(rows, choice, value, x, cols)) << cuda::name_of(choice);
  }
}

TYPED_TEST(Products, RefuseKernelsThatAreNotThere) {
  const cuda::FullRows rows = rows_of({{0}});
  EXPECT_EQ(error_text(ErrorKind::usage,
                       [&] {
                         this->make(rows, cuda::SpmvChoice{cuda::SpmvWay::lanes, 1});
                       }),
            "no product by the kernel lanes 1, expected one of spmv_choices()");
  EXPECT_EQ(error_text(ErrorKind::usage,
                       [&] {
                         this->make(rows, cuda::SpmvChoice{cuda::SpmvWay::staged, 3});
                       }),
            "no product by the kernel staged 3, expected one of spmv_choices()");
}

/// The rows of a block fill a chunk; a matrix with a row that would occupy one block for long takes
/// the merge path.
TEST(ProductChoice, FollowsTheLengthsOfRows) {
  const auto of = [](Index n, auto length) {
    return cuda::name_of(cuda::choose_spmv(rows_with(n, length)));
  };
  EXPECT_EQ(cuda::name_of(cuda::choose_spmv(rows_of({}))), "staged 1");
  EXPECT_EQ(of(1000, [](Index) { return 1; }), "staged 1");
  EXPECT_EQ(of(1000, [](Index) { return 8; }), "staged 1");
  EXPECT_EQ(of(1000, [](Index) { return 9; }), "staged 2");
  EXPECT_EQ(of(1000, [](Index) { return 27; }), "staged 4");
  EXPECT_EQ(of(1000, [](Index) { return 32; }), "staged 4");
  EXPECT_EQ(of(1000, [](Index) { return 33; }), "lanes 16");
  EXPECT_EQ(of(1000, [](Index) { return 96; }), "lanes 16");
  EXPECT_EQ(of(1000, [](Index) { return 97; }), "lanes 32");
  EXPECT_EQ(of(400, [](Index) { return 600; }), "lanes 32");
  EXPECT_EQ(of(20000, [](Index i) { return i == 5 ? 20000 : 3; }), "merge");
  EXPECT_EQ(of(2000, [](Index i) { return i == 5 ? 500 : 3; }),
            "staged 1");  // small: a second launch would cost more
}

/// Tiles cover each item once, in order; runs name the tiles that end within a row.
TEST(ProductChoice, TilesGoThroughAllRowsAndEntries) {
  for (const NamedRows& shape : named_rows()) {
    const cuda::FullRows& rows = shape.rows;
    const cuda::MergeTiles tiles = merge_tiles(rows);
    ASSERT_GE(tiles.count(), 0) << shape.name;
    EXPECT_EQ(tiles.row.front(), 0);
    EXPECT_EQ(tiles.row.back(), rows.n());
    Index row = 0;
    Offset entry = 0;
    std::set<std::pair<Index, Index>> expected, found;  // a tile and the row that it ends in
    for (Offset item = 0; item <= rows.n() + rows.entries(); ++item) {
      if (item % cuda::kMergeTile == 0 || item == rows.n() + rows.entries()) {
        const auto t = static_cast<Index>((item + cuda::kMergeTile - 1) / cuda::kMergeTile);
        ASSERT_EQ(tiles.row[t], row) << shape.name << " " << t;
        if (t > 0 && row < rows.n() && entry > rows.ptr[row]) expected.emplace(t - 1, row);
      }
      if (row < rows.n() && entry == rows.ptr[row + 1])
        ++row;
      else
        ++entry;
    }
    for (const cuda::MergeTiles::Run& run : tiles.run)
      for (Index t = run.first; t < run.last; ++t)
        EXPECT_TRUE(found.emplace(t, run.row).second) << shape.name;
    EXPECT_EQ(found, expected) << shape.name;
    ASSERT_EQ(tiles.ended.size(), static_cast<std::size_t>(tiles.count()));
    for (Index t = 0; t < tiles.count(); ++t) {
      const auto ended = std::find_if(tiles.run.begin(), tiles.run.end(),
                                      [&](const auto& run) { return run.last == t; });
      EXPECT_EQ(tiles.ended[t], ended == tiles.run.end() ? -1 : ended - tiles.run.begin())
          << shape.name << " " << t;
    }
    for (std::size_t k = 1; k < tiles.run.size(); ++k)
      EXPECT_LT(tiles.run[k - 1].row, tiles.run[k].row);
  }
}

}  // namespace
}  // namespace kauri::test
