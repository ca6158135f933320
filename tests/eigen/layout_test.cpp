// kauri::eigen::LLT reads right-hand sides and writes solutions in place, by columns and by rows,
// and copies only if it must: Eigen's check of allocations detects every copy.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/eigen/assertions.hpp"

#include <gtest/gtest.h>

#include "tests/eigen/systems.hpp"

namespace kauri::test {
namespace {

using Eigen::Dynamic;
using Sparse = Eigen::SparseMatrix<double>;
using ByColumns = Eigen::Matrix<double, Dynamic, Dynamic>;
using ByRows = Eigen::Matrix<double, Dynamic, Dynamic, Eigen::RowMajor>;
using Solver = eigen::LLT<Sparse>;

/// Returns true if f() makes Eigen allocate memory.
template <class F>
bool takes_memory(const F& f) {
  Eigen::internal::set_is_malloc_allowed(false);
  try {
    f();
  } catch (const std::runtime_error&) {
    Eigen::internal::set_is_malloc_allowed(true);
    return true;
  }
  Eigen::internal::set_is_malloc_allowed(true);
  return false;
}

class EigenLayouts : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    std::mt19937_64 random(3);
    a_ = dominant_matrix<Sparse>(kRows, 4, random);
    solver_.setRefinement(GetParam()).compute(a_);
    ASSERT_EQ(solver_.info(), Eigen::Success);
    b_ = ByColumns::Random(kRows, kColumns);
    x_ = solver_.solve(b_);
    ASSERT_EQ(difference(ByColumns(a_ * x_), b_, 1e-12), "");
  }
  static constexpr Eigen::Index kRows = 60, kColumns = 7;
  Sparse a_;
  Solver solver_;
  ByColumns b_, x_;
};

TEST_P(EigenLayouts, NothingIsCopiedOfWhatHasAnAddress) {
  const ByRows b_rows = b_;
  ByRows rows(kRows, kColumns);
  ByColumns columns(kRows, kColumns);
  EXPECT_FALSE(takes_memory([&] { columns = solver_.solve(b_); }));
  EXPECT_TRUE(columns == x_);
  EXPECT_FALSE(takes_memory([&] { rows = solver_.solve(b_rows); }));
  EXPECT_TRUE(rows == x_) << "rows to rows";
  columns.setZero(), rows.setZero();
  EXPECT_FALSE(takes_memory([&] { columns = solver_.solve(b_rows); }));
  EXPECT_TRUE(columns == x_) << "rows to columns";
  EXPECT_FALSE(takes_memory([&] { rows = solver_.solve(b_); }));
  EXPECT_TRUE(rows == x_) << "columns to rows";
  EXPECT_TRUE(b_rows == b_);
  EXPECT_TRUE(takes_memory([&] { columns = solver_.solve(b_ + b_); }))
      << "or this test sees nothing";
}

/// Solves parts of larger matrices, whose other entries stay unchanged; columns of row-major
/// matrices, with gaps between entries; transposed ones.
TEST_P(EigenLayouts, PartsAreReadAndWrittenWhereTheyAre) {
  ByRows room = ByRows::Constant(kRows + 2, 2 * kColumns + 3, 5), other = room, expected = room;
  other.block(1, 2, kRows, kColumns) = b_;
  expected.block(1, kColumns + 2, kRows, kColumns) = x_;
  EXPECT_FALSE(takes_memory([&] {
    room.block(1, kColumns + 2, kRows, kColumns) =
        solver_.solve(other.block(1, 2, kRows, kColumns));
  }));
  EXPECT_TRUE(room == expected) << "blocks";
  const Eigen::VectorXd first = solver_.solve(b_.col(0));
  expected.col(0).segment(1, kRows) = first;
  EXPECT_FALSE(takes_memory([&] { room.col(0).segment(1, kRows) = solver_.solve(b_.col(0)); }));
  EXPECT_TRUE(room == expected) << "a column of rows";
  const ByRows wide = b_.transpose();
  ByRows across(kColumns, kRows);
  EXPECT_FALSE(takes_memory([&] { across.transpose() = solver_.solve(wide.transpose()); }));
  EXPECT_TRUE(across == x_.transpose());
}

/// A right-hand side that may overlap x is copied first: equal entries, some of them, one entry in
/// several places.
TEST_P(EigenLayouts, WhatOverlapsIsRight) {
  ByRows rows = b_;
  rows = solver_.solve(rows);
  EXPECT_TRUE(rows == x_) << "in place";
  ByColumns columns = b_;
  columns = solver_.solve(columns);
  EXPECT_TRUE(columns == x_) << "in place, by columns";
  ByRows room(kRows + 1, kColumns);
  room.topRows(kRows) = b_;
  room.bottomRows(kRows) = solver_.solve(room.topRows(kRows));
  EXPECT_TRUE(room.bottomRows(kRows) == x_) << "a row further";
  ByRows beside(kRows, 2 * kColumns);
  beside.leftCols(kColumns) = b_;
  beside.rightCols(kColumns) = solver_.solve(beside.leftCols(kColumns));
  EXPECT_TRUE(beside.leftCols(kColumns) == b_ && beside.rightCols(kColumns) == x_)
      << "side by side";
  ByColumns square = ByColumns::Random(kRows, kRows);
  const ByColumns of_transposed = solver_.solve(ByColumns(square.transpose()));
  square = solver_.solve(square.transpose());
  EXPECT_TRUE(square == of_transposed) << "transposed in place";
  const Eigen::VectorXd numbers = Eigen::VectorXd::Random(kRows + kColumns);
  const Eigen::Map<const ByColumns, 0, Eigen::OuterStride<1>> shifted(
      numbers.data(), kRows, kColumns, Eigen::OuterStride<1>(1));
  const ByColumns hankel = shifted;
  EXPECT_TRUE(ByColumns(solver_.solve(shifted)) == ByColumns(solver_.solve(hankel)))
      << "columns that share entries";
}

TEST_P(EigenLayouts, NothingAndNoFactor) {
  ByRows none = solver_.solve(ByRows(kRows, 0));
  EXPECT_EQ(none.rows(), kRows);
  EXPECT_EQ(none.cols(), 0);
  const Sparse negative = -a_;
  solver_.compute(negative);
  ASSERT_EQ(solver_.info(), Eigen::NumericalIssue);
  const ByRows x = solver_.solve(ByRows(b_));
  EXPECT_TRUE(x.array().isNaN().all());
  EXPECT_EQ(x.cols(), kColumns);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutRefinement, EigenLayouts, ::testing::Bool());

}  // namespace
}  // namespace kauri::test
