// Solves with parts of the factorisation, against L copied from the factor and against whole
// solves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kauri/kauri.hpp"

namespace kauri::test {

/// Solves of `columns` columns with gaps between them, in place and out of place.
template <class T>
class SystemParts {
 public:
  SystemParts(const Factor<T>& factor, Index columns, Index room)
      : factor_(factor),
        workspace_(Workspace<T>::create(factor, room)),
        n_(factor.plan().n),
        columns_(columns),
        ld_(Offset{n_} + 3) {}

  /// Solves both ways, and expects equal solutions and unchanged gaps.
  std::vector<T> solve(System system, const std::vector<T>& b) {
    std::vector<T> x(b.size(), T(-7)), in_place = b;
    factor_.solve(system, {b.data(), n_, columns_, ld_}, {x.data(), n_, columns_, ld_}, workspace_);
    factor_.solve(system, {in_place.data(), n_, columns_, ld_},
                  {in_place.data(), n_, columns_, ld_}, workspace_);
    for (Index c = 0; c < columns_; ++c) {
      for (Index i = 0; i < n_; ++i) EXPECT_EQ(x[c * ld_ + i], in_place[c * ld_ + i]);
      for (Offset i = n_; i < ld_; ++i) EXPECT_EQ(x[c * ld_ + i], T(-7));
    }
    return in_place;
  }
  std::vector<T> right_hand_sides() {
    std::vector<T> b(static_cast<std::size_t>(ld_ * columns_));
    std::mt19937_64 random(3);
    for (T& v : b) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
    return b;
  }
  void check() {
    const std::vector<T> b = right_hand_sides(), pb = solve(System::P, b), y = solve(System::L, pb),
                         px = solve(System::Lt, y);
    const Permutation& perm = factor_.plan().perm;
    for (Index c = 0; c < columns_; ++c)
      for (Index k = 0; k < n_; ++k) ASSERT_EQ(pb[c * ld_ + k], b[c * ld_ + perm.old_of(k)]);
    EXPECT_EQ(solve(System::Pt, pb), b);
    EXPECT_EQ(solve(System::B, pb), px);
    EXPECT_EQ(solve(System::A, b), solve(System::Pt, px));
    check_triangle(pb, y, false);
    check_triangle(y, px, true);
  }

 private:
  /// Checks the residuals of L y = b, or of L^T y = b, row by row.
  void check_triangle(const std::vector<T>& b, const std::vector<T>& y, bool transposed) {
    const LowerFactor<T> l = lower_factor(factor_);
    for (Index c = 0; c < columns_; ++c) {
      std::vector<double> rest(b.begin() + c * ld_, b.begin() + c * ld_ + n_),
          size(static_cast<std::size_t>(n_), 0);
      for (Index j = 0; j < n_; ++j)
        for (Offset k = l.col_ptr[j]; k < l.col_ptr[j + 1]; ++k) {
          const Index row = transposed ? j : l.row[k], col = transposed ? l.row[k] : j;
          const double term =
              static_cast<double>(l.value[k]) * static_cast<double>(y[c * ld_ + col]);
          rest[row] -= term, size[row] += std::abs(term);
        }
      for (Index i = 0; i < n_; ++i)
        ASSERT_LE(std::abs(rest[i]), 50 * std::numeric_limits<T>::epsilon() *
                                         (size[i] + std::abs(static_cast<double>(b[c * ld_ + i]))))
            << i << (transposed ? " of the transpose" : "");
    }
  }

  const Factor<T>& factor_;
  Workspace<T> workspace_;
  Index n_, columns_;
  Offset ld_;
};

template <class T>
void check_system_parts(const Factor<T>& factor) {
  SystemParts<T>(factor, 1, 1).check();
  SystemParts<T>(factor, 5, 2).check();
}

}  // namespace kauri::test
