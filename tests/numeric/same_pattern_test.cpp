// Patterns are compared entry by entry: two of one fingerprint, made here in a moment, are told apart by every call that gets a pattern.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/same_pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/patterns.hpp"

namespace kauri::test {
namespace {

// symbolic/plan/plan.cpp: four chains over col_ptr and over pairs of rows.
std::uint64_t stirred(std::uint64_t h, std::uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15U;
  return h ^ (h >> 29);
}

constexpr std::uint64_t pair_of(Index first, Index second) {
  return static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(second);
}

constexpr Index kRows = 1 << 16;
constexpr Index kEighth = 1 << 13;  // rows of the second pair differ in the lowest 13 bits

/// The first column has 16 rows, each other one its diagonal. Rows 2 and 3, and 10 and 11, are the pairs that chain 1 takes one after the
/// other.
OwnedPattern arrow(const std::vector<Index>& column) {
  OwnedPattern a;
  a.row = column;
  a.col_ptr = {0, static_cast<Offset>(column.size())};
  for (Index j = 1; j < kRows; ++j) {
    a.row.push_back(j);
    a.col_ptr.push_back(static_cast<Offset>(a.row.size()));
  }
  return a;
}

/// Chain 1 when it comes to the rows: it has seen every fourth pointer.
std::uint64_t chain_before_rows(const OwnedPattern& a) {
  std::uint64_t h = stirred(0x6b61757269 + 1, static_cast<std::uint64_t>(kRows));
  for (std::size_t j = 1; j < a.col_ptr.size(); j += 4) h = stirred(h, static_cast<std::uint64_t>(a.col_ptr[j]));
  return h;
}

/// Two pairs of rows for chain 1, and where they lead it.
struct Start {
  std::uint64_t state;
  std::array<Index, 4> row;
};

/// Two patterns of one fingerprint. Of two million starts two lead to states that differ in few bits alone (birthday paradox); the third
/// pair takes these back.
std::pair<OwnedPattern, OwnedPattern> two_of_one_fingerprint() {
  std::vector<Index> column{0, 1, 0, 0};
  for (Index k = 0; k < 6; ++k) column.push_back(kEighth + k);
  column.insert(column.end(), {0, 0});
  for (Index k = 0; k < 6; ++k) column.push_back(2 * kEighth + k);
  column.insert(column.end(), {3 * kEighth + 77, 4 * kEighth + 4321});
  for (Index k = 0; k < 4; ++k) column.push_back(5 * kEighth + k);
  const std::uint64_t before = chain_before_rows(arrow(column));
  std::mt19937 random(1);
  const auto below_4000 = [&] { return static_cast<Index>(random() % 4000); };
  std::vector<Start> starts(1 << 21);
  for (Start& s : starts) {
    s.row = {2 + below_4000(), kEighth / 2 + below_4000(), kEighth + 6 + below_4000(), kEighth * 3 / 2 + below_4000()};
    s.state = stirred(stirred(before, pair_of(s.row[0], s.row[1])), pair_of(s.row[2], s.row[3]));
  }
  constexpr std::uint64_t kBound = ~pair_of(kEighth - 1, kEighth - 1);  // bits that the third pair cannot take back
  const auto bound = [](const Start& s) { return s.state & kBound; };
  std::ranges::sort(starts, {}, bound);
  const auto first =
      std::ranges::adjacent_find(starts, [&](const Start& s, const Start& t) { return bound(s) == bound(t) && s.state != t.state; });
  if (first == starts.end()) throw std::runtime_error("no collision among the starts");
  const auto second = std::next(first);
  std::vector<Index> other = column;
  constexpr std::array<std::size_t, 4> kPlace{2, 3, 10, 11};
  for (std::size_t k = 0; k < kPlace.size(); ++k) column[kPlace[k]] = first->row[k], other[kPlace[k]] = second->row[k];
  const std::uint64_t back = first->state ^ second->state;
  other[18] ^= static_cast<Index>(back >> 32), other[19] ^= static_cast<Index>(back & 0xffffffffU);
  return {arrow(column), arrow(other)};
}

class Collision : public testing::Test {
 protected:
  static void SetUpTestSuite() { pair_ = two_of_one_fingerprint(); }

  void SetUp() override {
    check(a.view());
    check(b.view());
    ASSERT_NE(a.row, b.row);
    ASSERT_EQ(fingerprint(a.view()), fingerprint(b.view()));
  }

  /// Refused with the first row in which they differ.
  template <class F>
  void refuses(const std::string& head, F&& f) const {
    const auto [p, q] = std::ranges::mismatch(b.row, a.row);
    EXPECT_EQ(error_text(ErrorKind::usage, f),
              head + ": entry (" + std::to_string(std::min(*p, *q)) + ", 0) is " + (*p < *q ? "new" : "missing"));
  }

  static inline std::pair<OwnedPattern, OwnedPattern> pair_;
  const OwnedPattern &a = pair_.first, &b = pair_.second;
  std::vector<double> value = random_dominant<double>(a.view(), 3);
  Backend backend = cpu_backend(1);
  std::shared_ptr<const Plan> plan = analyze(a.view());
};

TEST_F(Collision, IsToldApartByFactorsAndRefinement) {
  Factor<double> factor = factorize<double>(plan, value, backend).value();
  const SymmetricView<double> wrong{b.view(), value};
  refuses("refactorize: the matrix has another pattern than the one analysed", [&] { (void)refactorize<double>(factor, wrong); });
  std::vector<double> rhs(static_cast<std::size_t>(kRows), 1), x(rhs.size());
  Workspace<double> workspace = Workspace<double>::create(factor, 1);
  refuses("refine: the factor belongs to a matrix of another pattern", [&] {
    (void)refine<double>(wrong, factor, column_view(std::span<const double>(rhs)), column_view(std::span<double>(x)), workspace);
  });
  refuses("Refiner: the factor belongs to a matrix of another pattern", [&] { (void)Refiner<double>::create(b.view(), factor, 1); });
  SelectedInverse<double> inverse = SelectedInverse<double>::create(factor);
  inverse.compute(factor);
  refuses("selected inverse: the matrix has another pattern than the one analysed", [&] { (void)inverse.on_pattern_of(b.view()); });
  refuses("estimate_condition: the matrix has another pattern than the one analysed",
          [&] { (void)estimate_condition<double>(wrong, factor, workspace); });
  Refiner<double> refiner = Refiner<double>::create(a.view(), factor, 1);
  refiner.set_values(DeviceValues<double>::borrow(value));
  const Factor<double> other = factorize<double>(analyze(b.view()), value, backend).value();
  Workspace<double> of_other = Workspace<double>::create(other, 1);
  refuses("Refiner: the factor belongs to a matrix of another pattern", [&] {
    (void)refiner.refine(other, DeviceMatrixView<const double>(column_view(std::span<const double>(rhs))),
                         DeviceMatrixView<double>(column_view(std::span<double>(x))), of_other);
  });
}

TEST_F(Collision, IsToldApartWherePlansAreTaken) {
  refuses("MixedFactor: the plan belongs to a matrix of another pattern", [&] { (void)MixedFactor::create(b.view(), plan, backend); });
  refuses("FusedSolve: the plan belongs to a matrix of another pattern",
          [&] { (void)FusedSolve<double>::create(b.view(), plan, backend); });
  Solver<double> solver;
  ASSERT_TRUE(solver.compute({a.view(), value}).ok());
  refuses("Solver::refactorize: another pattern than that of compute()", [&] { (void)solver.refactorize({b.view(), value}); });
  EXPECT_TRUE(solver.refactorize({a.view(), value}).ok());
}

// A plan keeps the pattern, also across a file.
TEST_F(Collision, IsToldApartByALoadedFactor) {
  const Factor<double> saved = factorize<double>(plan, value, backend).value();
  Factor<double> factor = load_factor<double>(save_factor(saved), backend);
  refuses("refactorize: the matrix has another pattern than the one analysed", [&] {
    (void)refactorize<double>(factor, {b.view(), value});
  });
  EXPECT_TRUE(refactorize<double>(factor, {a.view(), value}).ok());
}

TEST(PatternDifference, NamesTheFirstOneOrTheFlaw) {
  const OwnedPattern a = chain_pattern(5);
  EXPECT_EQ(pattern_difference(a.view(), a.view()), "");
  const OwnedPattern same = a;
  EXPECT_EQ(pattern_difference(same.view(), a.view()), "");
  EXPECT_TRUE(same_pattern(same.view(), a.view()));
  EXPECT_FALSE(same_pattern(diagonal_pattern(5).view(), a.view()));
  EXPECT_EQ(pattern_difference(chain_pattern(6).view(), a.view()), "6 rows, then 5");
  EXPECT_EQ(pattern_difference(diagonal_pattern(5).view(), a.view()), "entry (1, 0) is missing");
  EXPECT_EQ(pattern_difference(a.view(), diagonal_pattern(5).view()), "entry (1, 0) is new");
  for (std::size_t k = 0; k < a.row.size(); ++k) {
    OwnedPattern broken = a;
    broken.row[k] = 5;
    EXPECT_NE(error_text(ErrorKind::input, [&] { (void)pattern_difference(broken.view(), a.view()); }), "no Error") << k;
  }
  OwnedPattern short_one = a;
  short_one.row.pop_back();
  EXPECT_NE(error_text(ErrorKind::input, [&] { (void)pattern_difference(short_one.view(), a.view()); }), "no Error");
}

}  // namespace
}  // namespace kauri::test
