// Eigen programs construct a solver in each turn of a loop: its memory must be released with it.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/SparseCore>

#include "kauri/eigen.hpp"
#include "support/process/many_threads.hpp"
#include "support/process/resident_bytes.hpp"
#include "support/process/seeds.hpp"

namespace kauri {
namespace {

TEST(Lives, NoMemoryStaysOfSolversOfEigen) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer keeps memory";
  const test::ManyThreads many;
  constexpr int kRows = 300, kWarm = 500, kTurns = 2500;
  Eigen::SparseMatrix<double> a(kRows, kRows);
  for (int i = 0; i < kRows; ++i) {
    a.insert(i, i) = 4;
    if (i > 0) a.insert(i, i - 1) = -1;
  }
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(kRows);
  Offset before = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    if (turn == kWarm) before = test::resident_bytes();
    const kauri::eigen::LLT<Eigen::SparseMatrix<double>> solver(a);
    const Eigen::VectorXd x = solver.solve(b);
    ASSERT_LE((a.selfadjointView<Eigen::Lower>() * x - b).norm(), 1e-12);
  }
  EXPECT_LT(test::resident_bytes() - before, 1 << 20);
}

}  // namespace
}  // namespace kauri
