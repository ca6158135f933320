// Patterns are compared entry by entry: two of one fingerprint, made here in a moment, are told apart by every call that gets a pattern.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/same_pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/patterns.hpp"

namespace kauri::test {
namespace {

// symbolic/plan.cpp: four chains over col_ptr and over pairs of rows.
std::uint64_t stirred(std::uint64_t h, std::uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15U;
  return h ^ (h >> 29);
}

constexpr std::uint64_t pair_of(Index first, Index second) { return static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(second); }

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

struct First {
  std::uint64_t state;
  Index rows[2];
};

/// Two patterns of one fingerprint. Of two million first pairs two lead to states that differ in few bits alone (birthday paradox); the
/// second pair takes these back.
std::pair<OwnedPattern, OwnedPattern> two_of_one_fingerprint() {
  std::vector<Index> column{0, 1, 0, 0};
  for (Index k = 0; k < 6; ++k) column.push_back(4 * kEighth + k);
  column.insert(column.end(), {5 * kEighth + 77, 6 * kEighth + 4321});
  for (Index k = 0; k < 4; ++k) column.push_back(7 * kEighth + k);
  const std::uint64_t before = chain_before_rows(arrow(column));
  constexpr std::uint64_t kFree = pair_of(kEighth - 1, kEighth - 1);
  std::mt19937 random(1);
  std::vector<First> firsts(1 << 21);
  for (First& f : firsts) {
    f.rows[0] = static_cast<Index>(2 + random() % 8000), f.rows[1] = static_cast<Index>(kEighth + random() % 16000);
    f.state = stirred(before, pair_of(f.rows[0], f.rows[1]));
  }
  std::ranges::sort(firsts, {}, [](const First& f) { return f.state & ~kFree; });
  const auto match = std::ranges::adjacent_find(
      firsts, [](const First& f, const First& g) { return (f.state & ~kFree) == (g.state & ~kFree) && f.state != g.state; });
  EXPECT_NE(match, firsts.end());
  std::vector<Index> other = column;
  const std::uint64_t back = match->state ^ std::next(match)->state;
  for (int k = 0; k < 2; ++k) {
    column[static_cast<std::size_t>(2 + k)] = match->rows[k], other[static_cast<std::size_t>(2 + k)] = std::next(match)->rows[k];
    other[static_cast<std::size_t>(10 + k)] ^= static_cast<Index>(back >> (k == 0 ? 32 : 0) & (kEighth - 1));
  }
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
    const bool added = b.row[2] < a.row[2] || (b.row[2] == a.row[2] && b.row[3] < a.row[3]);
    const std::size_t k = b.row[2] == a.row[2] ? 3 : 2;
    EXPECT_EQ(error_text(ErrorKind::usage, f),
              head + ": entry (" + std::to_string(added ? b.row[k] : a.row[k]) + ", 0) is " + (added ? "new" : "missing"));
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
