// Bodies of tests that hold for every backend: right-hand sides and solutions in host memory, and
// arguments that solves reject. Run on the CPU and on CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/bodies/factor.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/exact.hpp"

namespace kauri::test {

/// Returns `count` random numbers in (-1, 1).
template <class T>
std::vector<T> random_vector(Offset count, std::uint64_t seed) {
  std::mt19937_64 source(seed);
  std::vector<T> out(static_cast<std::size_t>(count));
  for (T& v : out) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(source));
  return out;
}

template <class T>
void out_of_place_is_in_place_with_b_kept(Backend& backend, const PlanOf& plan_of,
                                          const std::vector<std::string>& specs) {
  for (const std::string& spec : specs) {
    const auto a = generate(spec);
    auto factor = Factor<T>::create(plan_of(a.pattern()), backend);
    ASSERT_TRUE(refactorize<T>(factor, cast<T>(a.value())).ok());
    const Index n = a.n();
    for (const Index cols : {0, 1, 5, 40}) {
      const Offset ldb = n + 3, ldx = n + 7;
      auto workspace = Workspace<T>::create(factor, 3);
      const std::vector<T> b = random_vector<T>(ldb * cols, 1),
                           before = random_vector<T>(ldx * cols, 2);
      std::vector<T> in_place = b, source = b, x = before;
      factor.solve({in_place.data(), n, cols, ldb}, workspace);
      factor.solve({source.data(), n, cols, ldb}, {x.data(), n, cols, ldx}, workspace);
      EXPECT_EQ(source, b) << spec;
      for (Index c = 0; c < cols; ++c)
        for (Offset i = 0; i < ldx; ++i)
          ASSERT_EQ(x[c * ldx + i], i < n ? in_place[c * ldb + i] : before[c * ldx + i])
              << spec << " " << i << " " << c;
      factor.solve({source.data(), n, cols, ldb}, {source.data(), n, cols, ldb}, workspace);
      EXPECT_EQ(source, in_place) << spec;
    }
  }
}

/// Systems for the solves above.
inline const std::vector<std::string> kSolved{"poisson2d 1", "poisson2d 30", "elast3d 5",
                                              "tree 100 3", "tree 700 3"};

template <class T>
void what_solves_refuse(Backend& backend, const PlanOf& plan_of) {
  const auto a = generate("poisson2d 3");
  const auto value = cast<T>(a.value());
  auto factor = Factor<T>::create(plan_of(a.pattern()), backend);
  auto workspace = Workspace<T>::create(factor, 1);
  std::vector<T> b(100, T(1)), x(100, T(2));
  const auto refused = [&](const MatrixView<const T>& rhs, const MatrixView<T>& solution) {
    return error_text(ErrorKind::usage, [&] { factor.solve(rhs, solution, workspace); });
  };
  const std::string invalid =
      "solve: the factor is not valid (no successful factorisation yet, or the last one broke "
      "down): call refactorize() first";
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 9, 2, 9}), invalid);
  ASSERT_FALSE(refactorize<T>(factor, value, T(-100)).ok());
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 9, 2, 9}), invalid);
  ASSERT_TRUE(refactorize<T>(factor, value).ok());
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 9, 2, 9}), "no Error");
  EXPECT_EQ(refused({b.data(), 8, 2, 9}, {x.data(), 9, 2, 9}), "solve: b has 8 rows, A has 9");
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 10, 2, 10}), "solve: x has 10 rows, A has 9");
  EXPECT_EQ(refused({b.data(), 9, 2, 8}, {x.data(), 9, 2, 9}),
            "solve: b has 2 columns and leading dimension 8 for 9 rows, expected a leading "
            "dimension of 9 or more");
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 9, -1, 9}),
            "solve: x has -1 columns and leading dimension 9 for 9 rows, expected 0 or more rows "
            "and columns");
  EXPECT_EQ(refused({b.data(), 9, 1, 9}, {x.data(), 9, 2, 9}), "solve: b has 1 columns, x has 2");
  EXPECT_EQ(refused({nullptr, 9, 2, 9}, {x.data(), 9, 2, 9}),
            "solve: b is null, expected an address");
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {nullptr, 9, 2, 9}),
            "solve: x is null, expected an address");
  EXPECT_EQ(refused({nullptr, 9, 0, 9}, {nullptr, 9, 0, 9}), "no Error");
  EXPECT_EQ(error_text(ErrorKind::usage,
                       [&] {
                         factor.solve({x.data(), 9, 2, 8}, workspace);
                       }),
            "solve: x has 2 columns and leading dimension 8 for 9 rows, expected a leading "
            "dimension of 9 or more");
  workspace = Workspace<T>::create(plan_of(a.pattern()), 1, backend);
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 9, 2, 9}),
            "solve: the workspace was made for another plan; make one for this factor");
}

}  // namespace kauri::test
