// SymmetricMatrix against a map of entries, for every storage; the texts of its errors;
// column_view.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "base/matrix/check.hpp"
#include "base/threads/allowed_threads.hpp"
#include "kauri/core/matrix.hpp"
#include "kauri/core/plan.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri {
namespace {

using test::error_text;
constexpr Storage kStorages[] = {Storage::lower, Storage::upper, Storage::full};

template <class T>
struct Triplets {
  std::vector<Index> row, col;
  std::vector<T> value;
  void add(Index i, Index j, T v) { row.push_back(i), col.push_back(j), value.push_back(v); }
};

/// Shuffled triplets with duplicates of a random symmetric matrix of small integers, and what the
/// lower triangle must be.
template <class T>
std::pair<Triplets<T>, std::map<std::pair<Index, Index>, T>> random_triplets(
    Index n, Storage storage, std::mt19937_64& random) {
  Triplets<T> t;
  std::map<std::pair<Index, Index>, T> lower;       // (column, row)
  for (Index i = 0; i < n; ++i) lower[{i, i}] = 0;  // missing diagonal entries become stored zeros
  const auto entries = n == 0 ? 0 : random() % (4 * static_cast<std::uint64_t>(n));
  for (std::uint64_t k = 0; k < entries; ++k) {
    const auto a = static_cast<Index>(random() % static_cast<std::uint64_t>(n)),
               b = static_cast<Index>(random() % static_cast<std::uint64_t>(n));
    const Index i = std::max(a, b), j = std::min(a, b);
    const T v = static_cast<T>(static_cast<int>(random() % 19) - 9);
    lower[{j, i}] += v;
    if (storage != Storage::upper) t.add(i, j, v);
    if (storage == Storage::upper || (storage == Storage::full && i != j)) t.add(j, i, v);
  }
  for (std::size_t k = t.row.size(); k > 1; --k) {
    const std::size_t other = random() % k;
    std::swap(t.row[k - 1], t.row[other]), std::swap(t.col[k - 1], t.col[other]),
        std::swap(t.value[k - 1], t.value[other]);
  }
  return {t, lower};
}

/// Returns the matrix of the triplets by compressed columns, with rows in the triplets' order.
template <class T>
SymmetricMatrix<T> through_csc(Index n, const Triplets<T>& t, Storage storage) {
  std::vector<Offset> col_ptr{0};
  std::vector<Index> row;
  std::vector<T> value;
  for (Index j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < t.row.size(); ++k)
      if (t.col[k] == j) row.push_back(t.row[k]), value.push_back(t.value[k]);
    col_ptr.push_back(static_cast<Offset>(row.size()));
  }
  return SymmetricMatrix<T>::from_csc(n, col_ptr, row, value, storage);
}

template <class T>
void expect_equal(const SymmetricMatrix<T>& a, Index n,
                  const std::map<std::pair<Index, Index>, T>& lower) {
  ASSERT_EQ(a.n(), n);
  ASSERT_EQ(a.nnz(), static_cast<Offset>(lower.size()));
  check(a.pattern());
  auto expected = lower.begin();
  for (Index j = 0; j < n; ++j)
    for (Offset k = a.pattern().col_ptr[j]; k < a.pattern().col_ptr[j + 1]; ++k, ++expected) {
      ASSERT_EQ(expected->first, (std::pair{j, a.pattern().row[k]}));
      ASSERT_EQ(expected->second, a.value()[k]) << "(" << a.pattern().row[k] << ", " << j << ")";
    }
}

template <class T>
class Matrix : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Matrix, Scalars);

TYPED_TEST(Matrix, UnsortedDuplicatedAndMissingEntriesInEveryStorage) {
  std::mt19937_64 random(1);
  for (const Storage storage : kStorages)
    for (int round = 0; round < 100; ++round) {
      const auto n = static_cast<Index>(random() % 15);
      const auto [t, lower] = random_triplets<TypeParam>(n, storage, random);
      expect_equal(SymmetricMatrix<TypeParam>::from_triplets(n, t.row, t.col, t.value, storage), n,
                   lower);
      expect_equal(through_csc(n, t, storage), n, lower);
      if (this->HasFatalFailure()) return;
    }
}

const std::string not_symmetric =
    ": the matrix is not symmetric, expected halves that differ by at most 2.22e-13 sqrt(|a_ii "
    "a_jj|)";

TEST(MatrixErrors, NameRowAndColumn) {
  const auto triplets = [](Index n, std::vector<Index> row, std::vector<Index> col,
                           std::vector<double> value, Storage storage) {
    return error_text(ErrorKind::input, [&] {
      (void)SymmetricMatrix<double>::from_triplets(n, row, col, value, storage);
    });
  };
  EXPECT_EQ(triplets(3, {0, 1}, {0, 2}, {1, 1}, Storage::lower),
            "matrix: entry (1, 2) lies in the wrong half, expected the lower half alone");
  EXPECT_EQ(triplets(3, {0, 2}, {0, 1}, {1, 1}, Storage::upper),
            "matrix: entry (2, 1) lies in the wrong half, expected the upper half alone");
  EXPECT_EQ(triplets(3, {3}, {1}, {1}, Storage::lower), "matrix: column 1: row 3, expected 0 to 2");
  EXPECT_EQ(triplets(3, {-1}, {1}, {1}, Storage::upper),
            "matrix: column 1: row -1, expected 0 to 2");
  EXPECT_EQ(triplets(3, {1}, {3}, {1}, Storage::full),
            "matrix: triplet 0: column 3, expected 0 to 2");
  EXPECT_EQ(triplets(-1, {}, {}, {}, Storage::full), "matrix: n is -1, expected 0 or more");
  EXPECT_EQ(triplets(3, {1, 2}, {1}, {1}, Storage::full),
            "matrix: triplets of lengths 2, 1, 1, expected equal lengths");
  EXPECT_EQ(triplets(3, {2}, {0}, {1}, Storage::full),
            "matrix: entry (2, 0) has no partner (0, 2)" + not_symmetric);
  EXPECT_EQ(triplets(3, {0}, {2}, {1}, Storage::full),
            "matrix: entry (0, 2) has no partner (2, 0)" + not_symmetric);
  // Told with the digits that differ.
  EXPECT_EQ(triplets(2, {1, 0}, {0, 1}, {1, 1 + 0x1p-41}, Storage::full),
            "matrix: entries (1, 0) and (0, 1) differ: 1 and 1.0000000000004547" + not_symmetric);
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(triplets(2, {1, 0}, {0, 1}, {1, nan}, Storage::full),
            "matrix: entries (1, 0) and (0, 1) differ: 1 and nan" + not_symmetric);
  EXPECT_EQ(triplets(2, {1, 0}, {0, 1}, {inf, 1}, Storage::full),
            "matrix: entries (1, 0) and (0, 1) differ: inf and 1" + not_symmetric);
  EXPECT_EQ(triplets(2, {1, 0}, {0, 1}, {inf, inf}, Storage::full), "no Error");
  EXPECT_EQ(triplets(2, {1, 0}, {0, 1}, {nan, nan}, Storage::full), "no Error");
  EXPECT_EQ(triplets(2, {1, 0}, {0, 1}, {1, 1 + 0x1p-43}, Storage::full), "no Error");
}

TEST(MatrixErrors, CompressedColumnsMustFit) {
  const auto csc = [](Index n, std::vector<Offset> col_ptr, std::vector<Index> row,
                      std::vector<double> value) {
    return error_text(ErrorKind::input, [&] {
      (void)SymmetricMatrix<double>::from_csc(n, col_ptr, row, value, Storage::lower);
    });
  };
  EXPECT_EQ(csc(2, {0, 1}, {0}, {1}), "matrix: col_ptr has 2 entries, expected n+1 = 3");
  EXPECT_EQ(csc(1, {1, 1}, {0}, {1}), "matrix: col_ptr starts at 1, expected 0");
  EXPECT_EQ(csc(2, {0, 2, 1}, {0}, {1}),
            "matrix: col_ptr descends at column 1, expected ascending offsets");
  EXPECT_EQ(csc(1, {0, 2}, {0}, {1}), "matrix: col_ptr ends at 2 but there are 1 rows, expected 1");
  EXPECT_EQ(csc(1, {0, 1}, {0}, {}), "matrix: there are 1 rows but 0 values, expected as many");
  EXPECT_EQ(csc(2, {0, 1, 2}, {0, 2}, {1, 1}), "matrix: column 1: row 2, expected 0 to 1");
  EXPECT_EQ(csc(0, {0}, {}, {}), "no Error");
}

TEST(Pattern, CheckNamesTheFirstFlaw) {
  const auto flaw = [](Index n, std::vector<Offset> col_ptr, std::vector<Index> row) {
    return error_text(ErrorKind::input, [&] { check(Pattern{n, col_ptr, row}); });
  };
  EXPECT_EQ(flaw(2, {0, 2, 3}, {0, 1, 1}), "no Error");
  EXPECT_EQ(
      flaw(2, {0, 1, 1}, {0}),
      "matrix: column 1 does not start with its diagonal entry, expected it first in every column");
  EXPECT_EQ(
      flaw(2, {0, 2, 3}, {1, 0, 1}),
      "matrix: column 0 does not start with its diagonal entry, expected it first in every column");
  EXPECT_EQ(flaw(3, {0, 3, 4, 5}, {0, 2, 1, 1, 2}),
            "matrix: column 0: row 1 is out of range or not above row 2, expected ascending rows "
            "up to 2");
  EXPECT_EQ(flaw(3, {0, 3, 4, 5}, {0, 1, 1, 1, 2}),
            "matrix: column 0: row 1 is out of range or not above row 1, expected ascending rows "
            "up to 2");
  EXPECT_EQ(flaw(2, {0, 2, 3}, {0, 2, 1}),
            "matrix: column 0: row 2 is out of range or not above row 0, expected ascending rows "
            "up to 1");
  EXPECT_EQ(flaw(1, {}, {}), "matrix: col_ptr has 0 entries, expected n+1 = 2");
}

TEST(Pattern, CheckByAllNamesTheFirstFlaw) {
  const test::ManyThreads many;
  const test::OwnedPattern sound = test::random_pattern(70000, 4, 1);
  EXPECT_NO_THROW(check_by_all(sound.view()));
  for (const auto& [first, second] :
       {std::pair<Index, Index>{20000, 65000}, {65000, 69998}, {0, 69998}, {16383, 16384}}) {
    test::OwnedPattern flawed = sound;
    for (const Index column : {first, second}) flawed.row[flawed.col_ptr[column]] = column + 1;
    const std::string expected =
        "matrix: column " + std::to_string(first) +
        " does not start with its diagonal entry, expected it first in every column";
    EXPECT_EQ(error_text(ErrorKind::input, [&] { check(flawed.view()); }), expected);
    with_threads(8, [&] {
      for (int k = 0; k < 20; ++k)
        EXPECT_EQ(error_text(ErrorKind::input, [&] { check_by_all(flawed.view()); }), expected);
    });
  }
}

TEST(ColumnView, HasTheShapeOfTheSpan) {
  std::vector<double> x(5);
  const auto v = column_view(std::span(x));
  EXPECT_EQ(v.data, x.data());
  EXPECT_EQ(v.rows, 5);
  EXPECT_EQ(v.cols, 1);
  EXPECT_EQ(v.ld, 5);
  // Never read: only its length counts.
  const std::span<const double> long_one(x.data(), std::size_t{1} << 31);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)column_view(long_one); }),
            "column_view: 2147483648 rows, a matrix has at most 2^31 - 1");
}

/// The triplets as compressed columns or rows, unsorted, with indices of other kinds that count
/// from `base`.
template <class T, class Number, class Pointer>
struct Compressed {
  std::vector<Pointer> ptr;
  std::vector<Number> index;
  std::vector<T> value;
  Compressed(Index n, const Triplets<T>& t, Compression compression, int base)
      : ptr(static_cast<std::size_t>(n) + 1, 0) {
    for (Index j = 0; j < n; ++j) {
      ptr[j] = static_cast<Pointer>(index.size()) + base;
      for (std::size_t k = 0; k < t.row.size(); ++k)
        if ((compression == Compression::columns ? t.col[k] : t.row[k]) == j) {
          index.push_back(
              static_cast<Number>(compression == Compression::columns ? t.row[k] : t.col[k]) +
              base);
          value.push_back(t.value[k]);
        }
    }
    ptr[n] = static_cast<Pointer>(index.size()) + base;
  }
};

template <class T, class Number, class Pointer>
void check_compressed(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (const Index n : {0, 1, 2, 7, 30})
    for (const Storage storage : kStorages)
      for (const Compression compression : {Compression::columns, Compression::rows})
        for (const int base : {0, 1}) {
          const auto [t, lower] = random_triplets<T>(n, storage, random);
          const Compressed<T, Number, Pointer> c(n, t, compression, base);
          const CompressedView<T, Number, Pointer> view{
              n, c.ptr, c.index, c.value, storage, compression, base, Duplicates::sum};
          auto a = SymmetricMatrix<T>::from_compressed(view);
          std::map<std::pair<Index, Index>, T> found;
          for (Index j = 0; j < n; ++j)
            for (Offset k = a.pattern().col_ptr[j]; k < a.pattern().col_ptr[j + 1]; ++k)
              found[{j, a.pattern().row[k]}] = a.value()[k];
          ASSERT_EQ(found, lower);
          const EntryMap<T> map(view);
          std::vector<T> twice = c.value;
          for (T& v : twice) v *= 2;
          const std::vector<T> before(a.value().begin(), a.value().end());
          map.apply(twice, a.value());
          for (std::size_t k = 0; k < before.size(); ++k) ASSERT_EQ(a.value()[k], 2 * before[k]);
        }
}

TEST(CompressedMatrices, OfAllKindsAreTheSameMatrix) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    check_compressed<double, std::int32_t, std::int32_t>(seed);
    check_compressed<double, std::int32_t, std::int64_t>(seed);
    check_compressed<double, std::int64_t, std::int32_t>(seed);
    check_compressed<float, std::int64_t, std::int64_t>(seed);
  }
}

TEST(CompressedMatrices, OfTwoHalvesTheLowerOneIsTaken) {
  const double above = 1 + 1e-15;
  const std::vector<Index> index{0, 1, 0, 1};
  const std::vector<Offset> ptr{0, 2, 4};
  for (const Compression compression : {Compression::columns, Compression::rows}) {
    const bool rows = compression == Compression::rows;
    const std::vector<double> value{4, rows ? above : 1, rows ? 1 : above, 4};
    const CompressedView<double, Index, Offset> view{
        2, ptr, index, value, Storage::full, compression, 0, Duplicates::sum};
    auto a = SymmetricMatrix<double>::from_compressed(view);
    EXPECT_EQ(a.value()[1], 1);
    const EntryMap<double> map(view);
    map.apply(value, a.value());
    EXPECT_EQ(a.value()[1], 1);
    EXPECT_NE(
        error_text(ErrorKind::usage, [&] { map.apply(std::span(value).first(3), a.value()); }), "");
    EXPECT_NE(error_text(ErrorKind::usage, [&] { map.apply(value, a.value().first(2)); }), "");
  }
}

/// Compressed columns, rows ascending, of the entries of a map by (column, row).
struct Ascending {
  Ascending(Index rows, const std::map<std::pair<Index, Index>, double>& entries, int from)
      : n(rows), base(from), ptr(n + 1, base) {
    for (const auto& [place, v] : entries) {
      for (Index j = place.first; j < n; ++j) ++ptr[j + 1];
      index.push_back(place.second + base), value.push_back(v);
    }
  }
  [[nodiscard]] SymmetricMatrix<double> taken() const {
    return SymmetricMatrix<double>::from_compressed(CompressedView<double, Index, std::int64_t>{
        n, ptr, index, value, Storage::full, Compression::columns, base, Duplicates::sum});
  }
  Index n;
  int base;
  std::vector<std::int64_t> ptr;
  std::vector<Index> index;
  std::vector<double> value;
};

TEST(CompressedMatrices, EveryEntryOfTwoSortedHalvesIsCompared) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 40; ++trial) {
    const auto n = static_cast<Index>(1 + random() % 7);
    std::map<std::pair<Index, Index>, double> full;  // diagonal entries are missing now and then
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i)
        if (random() % 3 != 0)
          full[{j, i}] = full[{i, j}] = 1.0 + static_cast<double>(random() % 9);
    const int base = trial % 2;
    const SymmetricMatrix<double> a = Ascending(n, full, base).taken();
    EXPECT_NO_THROW(check(a.pattern()));
    for (Index j = 0; j < n; ++j)
      for (Offset k = a.pattern().col_ptr[j]; k < a.pattern().col_ptr[j + 1]; ++k) {
        const auto there = full.find({j, a.pattern().row[k]});
        EXPECT_EQ(a.value()[k], there == full.end() ? 0 : there->second);
      }
    Offset lower = n;
    for (const auto& [place, v] : full) {
      lower += place.first < place.second ? 1 : 0;
      if (place.first == place.second) continue;
      auto lone = full, other = full;
      lone.erase(place);
      other[place] = v + 1;
      EXPECT_NE(error_text(ErrorKind::input, [&] { return Ascending(n, lone, base).taken(); })
                    .find("no partner"),
                std::string::npos);
      EXPECT_NE(error_text(ErrorKind::input, [&] { return Ascending(n, other, base).taken(); })
                    .find("differ"),
                std::string::npos);
    }
    EXPECT_EQ(a.nnz(), lower);
  }
}

// One entry of two sorted halves is altered: found and named, or the same matrix in another order.
TEST(CompressedMatrices, WhatIsWrongWithTwoHalvesIsFound) {
  const std::vector<Offset> ptr{0, 3, 6, 9, 11};
  const std::vector<Index> index{0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2};  // 3 has no diagonal entry
  const std::vector<double> value{9, 1, 2, 1, 8, 3, 2, 7, 4, 3, 4};
  const auto made = [&](const std::vector<Index>& rows) {
    return SymmetricMatrix<double>::from_compressed<Index, Offset>(
        {4, ptr, rows, value, Storage::full, Compression::columns, 0, Duplicates::refuse});
  };
  EXPECT_EQ(made(index).nnz(), 8);
  for (std::size_t k = 0; k < index.size(); ++k)
    for (const Index other : {-2147483647, -1, 0, 1, 2, 3, 4, 5, 2147483647}) {
      std::vector<Index> rows = index;
      rows[k] = other;
      if (rows == index) continue;
      EXPECT_THROW((void)made(rows), Error) << k << ' ' << other;
    }
  for (std::size_t k = 0; k + 1 < index.size(); ++k) {  // neighbours change places
    std::vector<Index> rows = index;
    std::swap(rows[k], rows[k + 1]);
    EXPECT_THROW((void)made(rows), Error) << k;
  }
}

using LongView = CompressedView<double, std::int64_t, std::int64_t>;
using LongList = std::vector<std::int64_t>;

/// Text of the error that a matrix of ones raises if it is compressed in this way.
std::string error_of_ones(const LongList& ptr, const LongList& index, Storage storage,
                          Compression compression, Duplicates duplicates, int base,
                          ErrorKind kind = ErrorKind::input) {
  const std::vector<double> value(index.size(), 1);
  const LongView view{static_cast<std::int64_t>(ptr.size()) - 1,
                      ptr,
                      index,
                      value,
                      storage,
                      compression,
                      base,
                      duplicates};
  return error_text(kind, [&] { return SymmetricMatrix<double>::from_compressed(view); });
}

TEST(CompressedMatrices, ErrorsOfEntriesCountAsTheCallerDoes) {
  using enum Compression;
  using enum Storage;
  using enum Duplicates;
  EXPECT_EQ(error_of_ones({1, 2, 3}, {1, 3}, lower, columns, sum, 1),
            "matrix: column 2: row 3, expected 1 to 2");
  EXPECT_EQ(error_of_ones({1, 2, 3}, {0, 2}, lower, rows, sum, 1),
            "matrix: row 1: column 0, expected 1 to 2");
  EXPECT_EQ(error_of_ones({1, 2, 3}, {2, 2}, upper, columns, sum, 1),
            "matrix: entry (2, 1) lies in the wrong half, expected the upper half alone");
  EXPECT_EQ(error_of_ones({1, 2, 3}, {2, 2}, lower, rows, sum, 1),
            "matrix: entry (1, 2) lies in the wrong half, expected the lower half alone");
  EXPECT_EQ(error_of_ones({1, 3, 4}, {1, 2, 2}, full, columns, sum, 1),
            "matrix: entry (2, 1) has no partner (1, 2)" + not_symmetric);
  EXPECT_EQ(error_of_ones({1, 3, 4}, {1, 2, 2}, full, rows, sum, 1),
            "matrix: entry (1, 2) has no partner (2, 1)" + not_symmetric);
  EXPECT_EQ(error_of_ones({1, 4, 5}, {1, 2, 2, 2}, lower, columns, refuse, 1),
            "matrix: entry (2, 1) occurs twice, expected once");
  EXPECT_EQ(error_of_ones({1, 2, 5}, {1, 1, 2, 1}, lower, rows, refuse, 1),
            "matrix: entry (2, 1) occurs twice, expected once");
  EXPECT_EQ(error_of_ones({0, 1, 4}, {0, 0, 1, 0}, upper, columns, refuse, 0),
            "matrix: entry (0, 1) occurs twice, expected once");
}

TEST(CompressedMatrices, ErrorsOfPointersAndSizesCountAsTheCallerDoes) {
  using enum Compression;
  using enum Storage;
  using enum Duplicates;
  EXPECT_EQ(error_of_ones({0, 2, 3}, {1, 2}, lower, rows, sum, 1),
            "matrix: row_ptr starts at 0, expected 1");
  EXPECT_EQ(error_of_ones({1, 2, 4}, {1, 2}, lower, rows, sum, 1),
            "matrix: row_ptr ends at 4 but there are 2 columns, expected 3");
  EXPECT_EQ(error_of_ones({1, 3, 2}, {1}, lower, rows, sum, 1),
            "matrix: row_ptr descends at row 2, expected ascending offsets");
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(error_of_ones({least, 2, 3}, {1, 2}, lower, columns, sum, 1),
            "matrix: col_ptr starts at -9223372036854775808, expected 1");
  EXPECT_EQ(error_of_ones({1, least, 3}, {1, 2}, lower, columns, sum, 1),
            "matrix: col_ptr descends at column 1, expected ascending offsets");
  EXPECT_EQ(error_of_ones({1, 2, 3}, {1, least}, lower, columns, sum, 1),
            "matrix: column 2: row -9223372036854775808, expected 1 to 2");
  for (const Compression compression : {rows, columns}) {
    const LongList ptr{0, 1, 2}, index{0, 1};
    const std::vector<double> one(1, 1);
    EXPECT_EQ(error_text(ErrorKind::input,
                         [&] {
                           return SymmetricMatrix<double>::from_compressed(
                               LongView{2, ptr, index, one, lower, compression, 0, sum});
                         }),
              compression == rows ? "matrix: there are 2 columns but 1 values, expected as many"
                                  : "matrix: there are 2 rows but 1 values, expected as many");
  }
  EXPECT_EQ(error_of_ones({2, 3}, {2}, lower, columns, sum, 2, ErrorKind::usage),
            "matrix: indices from 2, expected from 0 or 1");
  const LongView large{std::int64_t{1} << 31, {}, {}, {}, lower, columns, 0, sum};
  EXPECT_EQ(error_text(ErrorKind::overflow,
                       [&] { return SymmetricMatrix<double>::from_compressed(large); }),
            "matrix: n is 2147483648, at most 2^31 - 1");
}

}  // namespace
}  // namespace kauri
