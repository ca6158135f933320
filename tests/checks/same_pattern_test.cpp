// Tests that patterns are compared entry by entry: every call that gets a pattern finds a single
// differing row between two patterns with equal column counts.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/checks/same_pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

/// Returns a pattern whose column 0 has row 0 and `below`; every other column has its diagonal
/// entry only.
OwnedPattern arrow(Index n, const std::vector<Index>& below) {
  OwnedPattern a;
  a.row = {0};
  a.row.insert(a.row.end(), below.begin(), below.end());
  a.col_ptr = {0, static_cast<Offset>(a.row.size())};
  for (Index j = 1; j < n; ++j) {
    a.row.push_back(j);
    a.col_ptr.push_back(static_cast<Offset>(a.row.size()));
  }
  return a;
}

/// Holds two patterns with equal counts of rows and of entries in each column, which differ in one
/// row.
class OneRowDiffers : public testing::Test {
 protected:
  /// Expects that f() is refused with a message that names the first differing row.
  template <class F>
  void refuses(const std::string& head, F&& f) const {
    const auto [p, q] = std::ranges::mismatch(b.row, a.row);
    EXPECT_EQ(error_text(ErrorKind::usage, f), head + ": entry (" +
                                                   std::to_string(std::min(*p, *q)) + ", 0) is " +
                                                   (*p < *q ? "new" : "missing"));
  }

  static constexpr Index kRows = 3000;
  const OwnedPattern a = arrow(kRows, {5, 70, 800, 2500}), b = arrow(kRows, {5, 70, 801, 2500});
  std::vector<double> value = random_dominant<double>(a.view(), 3);
  Backend backend = cpu_backend(1);
  std::shared_ptr<const Plan> plan = analyze(a.view());
};

TEST_F(OneRowDiffers, IsToldApartByFactorsAndRefinement) {
  Factor<double> factor = factorize<double>(plan, value, backend).value();
  const SymmetricView<double> wrong{b.view(), value};
  refuses("refactorize: the matrix has another pattern than the one analysed",
          [&] { (void)refactorize<double>(factor, wrong); });
  std::vector<double> rhs(static_cast<std::size_t>(kRows), 1), x(rhs.size());
  Workspace<double> workspace = Workspace<double>::create(factor, 1);
  refuses("refine: the factor belongs to a matrix of another pattern", [&] {
    (void)refine<double>(wrong, factor, column_view(std::span<const double>(rhs)),
                         column_view(std::span<double>(x)), workspace);
  });
  refuses("Refiner: the factor belongs to a matrix of another pattern",
          [&] { (void)Refiner<double>::create(b.view(), factor, 1); });
  SelectedInverse<double> inverse = SelectedInverse<double>::create(factor);
  inverse.compute(factor);
  refuses("selected inverse: the matrix has another pattern than the one analysed",
          [&] { (void)inverse.on_pattern_of(b.view()); });
  refuses("estimate_condition: the matrix has another pattern than the one analysed",
          [&] { (void)estimate_condition<double>(wrong, factor, workspace); });
  Refiner<double> refiner = Refiner<double>::create(a.view(), factor, 1);
  refiner.set_values(DeviceValues<double>::borrow(value));
  const Factor<double> other = factorize<double>(analyze(b.view()), value, backend).value();
  Workspace<double> of_other = Workspace<double>::create(other, 1);
  refuses("Refiner: the factor belongs to a matrix of another pattern", [&] {
    (void)refiner.refine(other,
                         DeviceMatrixView<const double>(column_view(std::span<const double>(rhs))),
                         DeviceMatrixView<double>(column_view(std::span<double>(x))), of_other);
  });
}

TEST_F(OneRowDiffers, IsToldApartWherePlansAreTaken) {
  refuses("MixedFactor: the plan belongs to a matrix of another pattern",
          [&] { (void)MixedFactor::create(b.view(), plan, backend); });
  refuses("FusedSolve: the plan belongs to a matrix of another pattern",
          [&] { (void)FusedSolve<double>::create(b.view(), plan, backend); });
  Solver<double> solver;
  ASSERT_TRUE(solver.compute({a.view(), value}).ok());
  refuses("Solver::refactorize: another pattern than that of compute()", [&] {
    (void)solver.refactorize({b.view(), value});
  });
  EXPECT_TRUE(solver.refactorize({a.view(), value}).ok());
}

// A plan keeps the pattern when it is saved and loaded.
TEST_F(OneRowDiffers, IsToldApartByALoadedFactor) {
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
    EXPECT_NE(
        error_text(ErrorKind::input, [&] { (void)pattern_difference(broken.view(), a.view()); }),
        "no Error")
        << k;
  }
  OwnedPattern short_one = a;
  short_one.row.pop_back();
  EXPECT_NE(
      error_text(ErrorKind::input, [&] { (void)pattern_difference(short_one.view(), a.view()); }),
      "no Error");
}

}  // namespace
}  // namespace kauri::test
