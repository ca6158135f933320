// Matrices with two halves: when both count as one symmetric matrix, for every way to make one;
// which entries are used; the texts of errors.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/matrix/symmetry.hpp"
#include "kauri/core/matrix.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri {
namespace {

using test::error_text;
constexpr double kEps = std::numeric_limits<double>::epsilon();

struct Entry {
  Index i, j;
  double v;
};

/// A way to make a matrix from entries.
struct Door {
  const char* name;
  bool triplets = false;
  Compression compression = Compression::columns;
  int base = 0;
  bool shuffled = false;  ///< rows of a column in random order
  bool split = false;     ///< each entry twice, with half its value
};
constexpr Door kDoors[] = {{"columns"},
                           {"columns_from_1", false, Compression::columns, 1},
                           {"columns_unsorted", false, Compression::columns, 0, true},
                           {"columns_summed", false, Compression::columns, 0, false, true},
                           {"rows", false, Compression::rows},
                           {"rows_from_1", false, Compression::rows, 1},
                           {"rows_unsorted", false, Compression::rows, 1, true},
                           {"triplets", true},
                           {"triplets_unsorted", true, Compression::columns, 0, true}};

template <class T, class Number, class Pointer>
SymmetricMatrix<T> through(const Door& door, Index n, std::vector<Entry> entries, Storage storage,
                           double symmetry) {
  if (door.split) {
    for (Entry& e : entries) e.v /= 2;
    entries.insert(entries.end(), entries.begin(), entries.end());
  }
  const bool rows = door.compression == Compression::rows;
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    return rows ? std::pair(a.i, a.j) < std::pair(b.i, b.j)
                : std::pair(a.j, a.i) < std::pair(b.j, b.i);
  });
  if (door.shuffled) std::shuffle(entries.begin(), entries.end(), std::mt19937_64(5));
  std::vector<T> value;
  if (door.triplets) {
    std::vector<Index> row, col;
    for (const Entry& e : entries)
      row.push_back(e.i), col.push_back(e.j), value.push_back(static_cast<T>(e.v));
    return SymmetricMatrix<T>::from_triplets(n, row, col, value, storage, symmetry);
  }
  std::vector<Pointer> ptr{static_cast<Pointer>(door.base)};
  std::vector<Number> index;
  for (Index line = 0; line < n; ++line) {
    for (const Entry& e : entries)
      if ((rows ? e.i : e.j) == line)
        index.push_back((rows ? e.j : e.i) + door.base), value.push_back(static_cast<T>(e.v));
    ptr.push_back(static_cast<Pointer>(index.size()) + door.base);
  }
  return SymmetricMatrix<T>::from_compressed(CompressedView<T, Number, Pointer>{
      n, ptr, index, value, storage, door.compression, door.base, Duplicates::sum, symmetry});
}

/// Expects that the lower half holds the entries of `expected` with row >= column (sums of repeated
/// ones), and otherwise only the diagonal.
template <class T>
void expect_lower(const SymmetricMatrix<T>& a, const std::vector<Entry>& expected,
                  bool upper = false) {
  std::map<std::pair<Index, Index>, T> lower;
  for (Index j = 0; j < a.n(); ++j) lower[{j, j}] = 0;
  for (const Entry& e : expected)
    if (upper ? e.i <= e.j : e.i >= e.j)
      lower[{std::min(e.i, e.j), std::max(e.i, e.j)}] += static_cast<T>(e.v);
  ASSERT_NO_THROW(check(a.pattern()));
  ASSERT_EQ(a.nnz(), static_cast<Offset>(lower.size()));
  const Pattern p = a.pattern();
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
      const auto found = lower.find({j, p.row[k]});
      ASSERT_NE(found, lower.end());
      EXPECT_EQ(a.value()[k], found->second) << p.row[k] << ", " << j;
    }
}

struct Case {
  std::string name;
  std::vector<Entry> entries;
  bool taken;
  double symmetry = 0;
};

/// Returns a matrix of three rows with the diagonal d and -1 beside it, after adding or changing
/// entries.
Case with(std::string name, bool taken, std::vector<Entry> changes, double symmetry = 0,
          double d = 4) {
  std::vector<Entry> entries{{0, 0, d},  {1, 1, d},  {2, 2, d}, {1, 0, -1},
                             {0, 1, -1}, {2, 1, -1}, {1, 2, -1}};
  for (const Entry& c : changes) {
    const auto same = [&](const Entry& e) { return e.i == c.i && e.j == c.j; };
    entries.erase(std::remove_if(entries.begin(), entries.end(), same), entries.end());
    if (!std::isnan(c.v)) entries.push_back(c);
  }
  return {std::move(name), std::move(entries), taken, symmetry};
}

std::vector<Case> cases() {
  const double none = std::nan("");
  std::vector<Case> all{
      with("equal", true, {}),
      with("last_digit", true, {{1, 0, -1}, {0, 1, -1 - kEps}}),
      with("last_digit_of_the_lower", true, {{1, 0, -1 - kEps}, {0, 1, -1}}),
      with("rounding_of_zero", true, {{2, 0, 6e-17}, {0, 2, 3e-17}}),
      with("opposite_signs", true, {{2, 0, 6e-17}, {0, 2, -6e-17}}),
      with("rounding_below_alone", true, {{2, 0, 3e-17}}),
      with("rounding_above_alone", true, {{0, 2, 3e-17}}),
      with("zero_below_alone", true, {{2, 0, 0}}),
      with("zero_above_alone", true, {{0, 2, 0}}),
      with("zeros", true, {{2, 0, 0}, {0, 2, 0}}),
      with("zeros_of_two_signs", true, {{2, 0, 0.0}, {0, 2, -0.0}}),
      with("as_far_as_the_diagonal_allows", true, {{1, 0, -1}, {0, 1, -1 - 3900 * kEps}}),
      with("further", false, {{1, 0, -1}, {0, 1, -1 - 4100 * kEps}}),
      with("in_the_ninth_digit", false, {{1, 0, -1}, {0, 1, -1.00000001}}),
      with("below_alone", false, {{0, 1, none}}),
      with("above_alone", false, {{1, 0, none}}),
      with("number_and_zero", false, {{1, 0, -1}, {0, 1, 0}}),
      with("zero_and_number", false, {{1, 0, 0}, {0, 1, -1}}),
      with("small_but_no_rounding", false, {{2, 0, 1e-11}}),
      with("sign", false, {{1, 0, 1}, {0, 1, -1}}),
      with("threshold_1e-6", true, {{1, 0, -1}, {0, 1, -1.000001}}, 1e-6),
      with("threshold_1e-6_passed", false, {{1, 0, -1}, {0, 1, -1.00001}}, 1e-6),
      with("threshold_1e-18", false, {{1, 0, -1}, {0, 1, -1 - kEps}}, 1e-18),
      with("threshold_1e-18_of_equal_ones", true, {}, 1e-18),
      with("threshold_1", true, {{2, 0, 4}}, 1),
      // Without diagonal entries the off-diagonal ones set the threshold.
      with("no_diagonal", true, {{0, 0, none}, {1, 1, none}, {1, 0, 1}, {0, 1, 1 + 900 * kEps}}),
      with("no_diagonal_further", false,
           {{0, 0, none}, {1, 1, none}, {1, 0, 1}, {0, 1, 1 + 1100 * kEps}}),
      with("no_diagonal_alone", false, {{0, 0, none}, {1, 1, none}, {2, 0, 1e-300}}),
      with("negative_diagonal", true, {{2, 0, 6e-17}}, 0, -4),
      with("infinite_diagonal", false, {{0, 0, HUGE_VAL}, {2, 0, 6e-17}}),
      with("infinities", true, {{2, 0, HUGE_VAL}, {0, 2, HUGE_VAL}}),
      with("infinity_and_number", false, {{2, 0, HUGE_VAL}, {0, 2, 1}}),
      with("infinities_of_two_signs", false, {{2, 0, HUGE_VAL}, {0, 2, -HUGE_VAL}}),
  };
  // Scaling rows and columns changes nothing, since the threshold scales likewise.
  for (const int scale : {-400, -60, 60, 400}) {
    const std::size_t before = 20;  // number of cases above that are scaled
    for (std::size_t k = 0; k < before; ++k) {
      Case scaled = all[k];
      scaled.name += "_in_units_" + std::string(scale < 0 ? "of_2_to_minus_" : "of_2_to_") +
                     std::to_string(std::abs(scale));
      for (Entry& e : scaled.entries)
        e.v = std::ldexp(e.v, scale * ((e.i == 2 ? 1 : 0) + (e.j == 2 ? 1 : 0)));
      all.push_back(scaled);
    }
  }
  for (Case& c : all) std::replace(c.name.begin(), c.name.end(), '-', '_');
  return all;
}

class TwoHalves : public ::testing::TestWithParam<std::tuple<Door, Case>> {};

TEST_P(TwoHalves, AreTakenOrRefused) {
  const auto& door = std::get<0>(GetParam());
  const auto& c = std::get<1>(GetParam());
  const auto make = [&] {
    return through<double, Index, Offset>(door, 3, c.entries, Storage::full, c.symmetry);
  };
  if (c.taken) {
    expect_lower(make(), c.entries);
    return;
  }
  const std::string text = error_text(ErrorKind::input, make);
  EXPECT_NE(text.find("the matrix is not symmetric, expected halves that differ by at most "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(c.symmetry == 0      ? "2.22e-13 sqrt(|a_ii a_jj|)"
                      : c.symmetry == 1e-6 ? "1e-06 sqrt"
                                           : "1e-18 sqrt"),
            std::string::npos)
      << text;
  const bool far = text.find("(" + std::to_string(2 + door.base)) !=
                   std::string::npos;  // the named pair is (1, 0), or has row or column 2
  EXPECT_TRUE(far || (text.find("(" + std::to_string(1 + door.base) + ", " +
                                std::to_string(door.base) + ")") != std::string::npos &&
                      text.find("(" + std::to_string(door.base) + ", " +
                                std::to_string(1 + door.base) + ")") != std::string::npos))
      << text;
}

INSTANTIATE_TEST_SUITE_P(
    All, TwoHalves, ::testing::Combine(::testing::ValuesIn(kDoors), ::testing::ValuesIn(cases())),
    [](const auto& of) {
      return std::string(std::get<0>(of.param).name) + "_" + std::get<1>(of.param).name;
    });

// Compares the largest numbers, whose difference overflows: SIGFPE in a program that traps
// overflows.
template <class T>
void compare_the_largest() {
  constexpr T kMax = std::numeric_limits<T>::max(), kEpsOfT = std::numeric_limits<T>::epsilon();
  const struct {
    T x, y;
    bool agree;
  } pairs[] = {{-kMax / 2, kMax, false},
               {kMax, -kMax, false},
               {kMax, kMax * (1 - 900 * kEpsOfT), true},
               {kMax, kMax * (1 - 1100 * kEpsOfT), false},
               {kMax, T(0), false},
               {kMax, std::numeric_limits<T>::denorm_min(), false},
               {kMax, kMax, true},
               {std::numeric_limits<T>::denorm_min(), T(0), false}};
  const SymmetryRule<T> rule(0);
  for (const auto& [x, y, agree] : pairs)
    for (const bool turned : {false, true}) {
      std::feclearexcept(FE_ALL_EXCEPT);
      const volatile T first = turned ? y : x, second = turned ? x : y;
      const bool same = rule.same(first, second), agreed = rule.agree(first, second, T(1), T(1));
      const bool wide =
          rule.agree(first, second, SymmetryRule<T>::root(kMax), SymmetryRule<T>::root(kMax));
      EXPECT_EQ(std::fetestexcept(FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO), 0) << x << ", " << y;
      EXPECT_EQ(same, agree) << x << ", " << y;
      EXPECT_EQ(agreed, agree || std::abs(x) < T(1)) << x << ", " << y;
      EXPECT_EQ(wide, agree || std::abs(x) < T(1)) << x << ", " << y;
    }
}

TEST(TheLargestEntries, AreComparedWithoutOverflow) {
  compare_the_largest<double>();
  compare_the_largest<float>();
  for (const Door& door : kDoors) {
    const std::vector<Entry> far{{0, 0, 1}, {1, 1, 1}, {1, 0, -1e308}, {0, 1, 1.7e308}};
    std::feclearexcept(FE_ALL_EXCEPT);
    const std::string text = error_text(ErrorKind::input, [&] {
      return through<double, Index, Offset>(door, 2, far, Storage::full, 0);
    });
    EXPECT_EQ(std::fetestexcept(FE_OVERFLOW | FE_INVALID), 0) << door.name;
    EXPECT_NE(text.find("the matrix is not symmetric"), std::string::npos) << text;
  }
}

/// Returns J' W J, with each half summed in another order.
template <class T>
std::vector<Entry> gram(Index n, Index rows, double density, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  std::vector<std::vector<T>> j(static_cast<std::size_t>(n),
                                std::vector<T>(static_cast<std::size_t>(rows)));
  for (auto& column : j)
    for (T& v : column) v = uniform(random) < density ? static_cast<T>(normal(random)) : T(0);
  std::vector<T> w(static_cast<std::size_t>(rows));
  for (T& v : w) v = static_cast<T>(0.1 + 10 * uniform(random));
  std::vector<std::size_t> order(w.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Entry> entries;
  for (std::size_t a = 0; a < j.size(); ++a)
    for (std::size_t b = 0; b < j.size(); ++b) {
      std::shuffle(order.begin(), order.end(), random);
      T sum = 0;
      for (const std::size_t k : order) sum += (j[a][k] * w[k]) * j[b][k];
      if (sum != 0)
        entries.push_back({static_cast<Index>(a), static_cast<Index>(b), static_cast<double>(sum)});
    }
  return entries;
}

TEST(TwoHalvesOfProducts, DifferByRoundingAlone) {
  for (const Door& door : kDoors)
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const auto wide = gram<double>(12, 300, 0.2, seed), dense = gram<double>(8, 2000, 1, seed);
      expect_lower(through<double, Index, Offset>(door, 12, wide, Storage::full, 0), wide);
      expect_lower(through<double, std::int64_t, std::int64_t>(door, 8, dense, Storage::full, 0),
                   dense);
      const auto narrow = gram<float>(8, 500, 0.5, seed);
      expect_lower(through<float, Index, Offset>(door, 8, narrow, Storage::full, 0), narrow);
    }
}

TEST(TwoHalvesOfProducts, AreTheSameHoweverTheyLie) {
  const auto entries = gram<double>(10, 400, 0.3, 3);
  const auto first = through<double, Index, Offset>(kDoors[0], 10, entries, Storage::full, 0);
  for (const Door& door : kDoors) {
    const auto a = through<double, Index, Offset>(door, 10, entries, Storage::full, 0);
    EXPECT_TRUE(
        std::equal(a.value().begin(), a.value().end(), first.value().begin(), first.value().end()))
        << door.name;
  }
}

// One half of a full matrix is used, whatever the other one holds.
class OneOfTwoHalves : public ::testing::TestWithParam<std::tuple<Door, bool>> {};

TEST_P(OneOfTwoHalves, IgnoresTheOther) {
  const auto& door = std::get<0>(GetParam());
  const auto& upper = std::get<1>(GetParam());
  const Storage storage = upper ? Storage::upper_of_full : Storage::lower_of_full;
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 30; ++trial) {
    const auto n = static_cast<Index>(random() % 8);
    std::vector<Entry> entries;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        if (random() % 2 == 0) continue;
        const bool ignored = upper ? i > j : i < j;
        entries.push_back(
            {i, j,
             ignored && random() % 3 == 0 ? std::nan("") : static_cast<double>(1 + random() % 9)});
      }
    expect_lower(through<double, Index, Offset>(door, n, entries, storage, 0), entries, upper);
    expect_lower(through<float, std::int64_t, std::int32_t>(door, n, entries, storage, 0), entries,
                 upper);
  }
  // Rows and columns out of range are an error in either half.
  if (door.triplets) return;
  for (const Entry& wrong : {Entry{4, 1, 1}, Entry{1, 4, 1}}) {
    const bool stands = door.compression == Compression::columns
                            ? wrong.j < 3
                            : wrong.i < 3;  // lies in an existing column (or row)
    if (!stands) continue;
    EXPECT_NE(
        error_text(ErrorKind::input,
                   [&] {
                     return through<double, Index, Offset>(door, 3, {{0, 0, 1}, wrong}, storage, 0);
                   }),
        "no Error");
  }
}

TEST_P(OneOfTwoHalves, NewValuesGoTheSameWay) {
  const auto& door = std::get<0>(GetParam());
  const auto& upper = std::get<1>(GetParam());
  if (door.triplets || door.split) return;
  const bool rows = door.compression == Compression::rows;
  const std::vector<Index> at{0, 1, 2, 0, 1, 2, 1, 2};
  const std::vector<Offset> ptr{0, 3, 6, 8};  // a full matrix except for one corner
  std::vector<double> value{1, 2, 3, 4, 5, 6, 7, 8};
  const Storage storage = upper ? Storage::upper_of_full : Storage::lower_of_full;
  CompressedView<double, Index, Offset> view{3, ptr, at, value, storage, door.compression};
  auto a = SymmetricMatrix<double>::from_compressed(view);
  const EntryMap<double> map(view);
  const std::vector<double> before(a.value().begin(), a.value().end());
  for (double& v : value) v *= 2;
  map.apply(value, a.value());
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_EQ(a.value()[k], 2 * before[k]);
  for (std::size_t k = 0, line = 0; k < at.size(); ++k) {
    while (static_cast<Offset>(k) >= ptr[line + 1]) ++line;
    const Index i = rows ? static_cast<Index>(line) : at[k],
                j = rows ? at[k] : static_cast<Index>(line);
    EXPECT_EQ(map.places()[k] < 0, upper ? i > j : i < j);
  }
}

INSTANTIATE_TEST_SUITE_P(All, OneOfTwoHalves,
                         ::testing::Combine(::testing::ValuesIn(kDoors), ::testing::Bool()),
                         [](const auto& of) {
                           return std::string(std::get<0>(of.param).name) +
                                  (std::get<1>(of.param) ? "_upper" : "_lower");
                         });

TEST(OneOfTwoHalvesOnce, OfRepeatedEntriesThoseThatAreTakenAreRefused) {
  const std::vector<Index> index{0, 1, 1, 0, 1};
  const std::vector<Offset> ptr{0, 3, 5};
  const std::vector<double> value{4, -1, -1, -1, 4};
  CompressedView<double, Index, Offset> view{
      2, ptr, index, value, Storage::lower_of_full, Compression::columns, 0, Duplicates::refuse};
  EXPECT_EQ(
      error_text(ErrorKind::input, [&] { return SymmetricMatrix<double>::from_compressed(view); }),
      "matrix: entry (1, 0) occurs twice, expected once");
  view.storage = Storage::upper_of_full;
  EXPECT_EQ(SymmetricMatrix<double>::from_compressed(view).value()[1], -1);
}

TEST(SymmetryThreshold, IsANumberFrom0To1) {
  for (const double wrong : {-1e-300, -1.0, 1.0000001, HUGE_VAL, std::nan("")})
    for (const Door& door : kDoors)
      EXPECT_NE(
          error_text(
              ErrorKind::usage,
              [&] {
                return through<double, Index, Offset>(door, 1, {{0, 0, 1}}, Storage::full, wrong);
              })
              .find("expected 0 to 1"),
          std::string::npos);
}

// An entry map describes positions only: an entry without a partner is no error, since its values
// may be zeros.
TEST(SymmetryThreshold, IsNoMatterOfEntryMaps) {
  const std::vector<Index> index{0, 1, 1};
  const std::vector<Offset> ptr{0, 2, 3};
  const std::vector<double> value{4, 0, 4};
  const EntryMap<double> map(
      CompressedView<double, Index, Offset>{2, ptr, index, value, Storage::full});
  EXPECT_EQ(map.places()[1], 1);
}

}  // namespace
}  // namespace kauri
