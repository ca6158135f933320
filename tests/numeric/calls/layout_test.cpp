// Tests row-major right-hand sides and solutions on the CPU, and calls that are the same on every
// backend.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/support/bodies/layout.hpp"
#include "tests/support/bodies/refiner.hpp"
#include "tests/support/process/temp_file.hpp"

namespace kauri::test {
namespace {

const std::vector<std::string> kSystems{"poisson2d 1", "poisson2d 23", "elast3d 4",
                                        "tree 700 3",  "arrow 300 4",  "blockdiag 120 40"};

std::shared_ptr<const Plan> plan_here(const Pattern& pattern) { return analyze(pattern); }

template <class T>
class Layouts : public ::testing::Test {};
using LayoutScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Layouts, LayoutScalars);

TYPED_TEST(Layouts, SolvesHaveTheBitsOfColumns) {
  for (const int threads : {1, 2}) {
    Backend backend = cpu_backend(threads);
    solves_in_either_layout<TypeParam>(backend, plan_here, kSystems, {0, 1, 5, 70}, {1, 3, 64, 80});
  }
}

TYPED_TEST(Layouts, ProductsAndRefinementHaveTheBitsOfColumns) {
  Backend backend = cpu_backend(2);
  products_and_refinement_in_either_layout<TypeParam>(backend, plan_here, kSystems, {0, 1, 5, 20});
}

/// The systems have more rows than a task of the copies takes, and rows of A that are summed by
/// segments.
TYPED_TEST(Layouts, OfLargeSystems) {
  Backend backend = cpu_backend(2);
  solves_in_either_layout<TypeParam>(backend, plan_here, {"tree 9000 1"}, {5}, {5});
  products_and_refinement_in_either_layout<TypeParam>(backend, plan_here, {"arrow 9000 2"}, {3});
}

TYPED_TEST(Layouts, RefinersHaveTheBitsOfColumns) {
  Backend backend = cpu_backend(2);
  refiners_in_either_layout<TypeParam, HostArray<TypeParam>>(backend, plan_here, "elast3d 4",
                                                             {1, 5});
  refiners_see_overlaps_of_rows<TypeParam, HostArray<TypeParam>>(backend, plan_here);
}

TYPED_TEST(Layouts, BatchesHaveTheBitsOfColumns) {
  Backend backend = cpu_backend(2);
  batches_in_either_layout<TypeParam>(backend, plan_here, BatchWay::automatic, "elast3d 3");
  batches_may_lie_between_each_others_rows<TypeParam>(backend, plan_here, BatchWay::automatic);
}

TEST(MixedLayouts, SolvesHaveTheBitsOfColumns) {
  Backend backend = cpu_backend(2);
  for (const char* spec : {"poisson2d 1", "elast3d 4"})
    mixed_solves_in_either_layout<HostArray<double>>(backend, plan_here, spec);
}

TYPED_TEST(Layouts, WhatIsRefused) {
  Backend backend = cpu_backend(1);
  what_is_refused_of_layouts<TypeParam>(backend, plan_here);
}

/// All products and sums are exact integers, so substitution with an exact L returns X exactly in
/// either layout.
TYPED_TEST(Layouts, SolvesAreExact) {
  using T = TypeParam;
  Backend backend = cpu_backend(1);
  std::mt19937_64 random(5);
  for (const Index n : {1, 8, 40}) {
    const ExactSystem system = exact_system(
        random_factor(n, 3, n, random), random_permutation(n, random), sizeof(T) == 8 ? 45 : 22);
    AnalyzeOptions options;
    options.permutation = system.perm;
    auto factor = factor_of<T>(system.a, backend,
                               [&](const Pattern& pattern) { return analyze(pattern, options); });
    auto workspace = Workspace<T>::create(factor, 2);
    const Index cols = 3;
    Laid<T> b(n, cols, 2, Layout::row_major), x(n, cols, 1, Layout::row_major);
    std::vector<T> expected(static_cast<std::size_t>(n) * cols), product(expected.size(), T(0));
    for (T& v : expected) v = static_cast<T>(static_cast<int>(random() % 3) - 1);
    const Pattern pattern = system.a.pattern();
    for (Index j = 0; j < n; ++j)
      for (Offset k = pattern.col_ptr[j]; k < pattern.col_ptr[j + 1]; ++k)
        for (Index c = 0; c < cols; ++c) {
          const Index i = pattern.row[k];
          const T v = static_cast<T>(system.a.value()[k]);
          product[static_cast<std::size_t>(c * n + i)] +=
              v * expected[static_cast<std::size_t>(c * n + j)];
          if (i != j)
            product[static_cast<std::size_t>(c * n + j)] +=
                v * expected[static_cast<std::size_t>(c * n + i)];
        }
    b.put(product);
    factor.solve(b.view(), x.view(), workspace);
    EXPECT_EQ(x.data, x.with(expected).data) << n;
  }
}

TYPED_TEST(Layouts, OfASolver) {
  using T = TypeParam;
  const auto a = generate("elast3d 3");
  const std::vector<T> value = cast<T>(a.value()), dense = dense_numbers<T>(a.n(), 4, 1);
  Solver<T> solver;
  ASSERT_TRUE(solver.compute({a.pattern(), value}).ok());
  std::vector<T> expected = dense;
  solver.solve({expected.data(), a.n(), 4, a.n()});
  Laid<T> x = Laid<T>(a.n(), 4, 3, Layout::row_major).with(dense);
  solver.solve(x.view());
  EXPECT_TRUE(is_same(x.data, x.with(expected).data));
  EXPECT_EQ(error_text(ErrorKind::usage,
                       [&] {
                         solver.solve({x.data.data(), a.n(), 4, 3, Layout::row_major});
                       }),
            "Solver::solve: x has 4 columns and leading dimension 3 for " + std::to_string(a.n()) +
                " rows, row-major, expected a leading dimension of 4 or more");
}

/// A solver that fails before refinement restores B in the memory of X.
TYPED_TEST(Layouts, ASolverThatFailsPutsRowsBack) {
  using T = TypeParam;
  const auto a = generate("elast3d 3");
  const std::vector<T> value = cast<T>(a.value());
  bool fails = false;
  SolverOptions options;
  options.on_message = [&](const Message& message) {
    if (fails && message.phase == Phase::refine) throw Error(ErrorKind::cancelled, "enough");
  };
  Solver<T> solver(options);
  ASSERT_TRUE(solver.compute({a.pattern(), value}).ok());
  Laid<T> x = Laid<T>(a.n(), 4, 3, Layout::row_major).with(dense_numbers<T>(a.n(), 4, 1));
  const std::vector<T> before = x.data;
  fails = true;
  EXPECT_EQ(error_text(ErrorKind::cancelled, [&] { solver.solve(x.view()); }), "enough");
  EXPECT_EQ(x.data, before);
}

TYPED_TEST(Layouts, OfASchurComplement) {
  using T = TypeParam;
  const auto a = generate("poisson2d 9");
  const Index n = a.n(), last = 7, cols = 3;
  AnalyzeOptions options;
  for (Index i = 0; i < last; ++i) options.ordering.last.push_back(10 * i + 3);
  Backend backend = cpu_backend(1);
  auto factor =
      factor_of<T>(a, backend, [&](const Pattern& pattern) { return analyze(pattern, options); });
  auto workspace = Workspace<T>::create(factor, cols);
  const SchurComplement<T> schur(factor, last);
  Laid<T> by_columns(last, last, 2, Layout::column_major),
      by_rows(last, last, 1, Layout::row_major);
  schur.write(by_columns.view());
  schur.write(by_rows.view());
  for (Index i = 0; i < last; ++i)
    for (Index j = 0; j < last; ++j) {
      const T written = by_rows.data[by_rows.place(i, j)];
      if (j <= i)
        EXPECT_EQ(written, by_columns.data[by_columns.place(i, j)]);
      else
        EXPECT_EQ(written, Laid<T>(last, last, 1, Layout::row_major).data[by_rows.place(i, j)])
            << "the upper half is left alone";
    }
  const std::vector<T> dense = dense_numbers<T>(n, cols, 1), x2 = dense_numbers<T>(last, cols, 2);
  const auto run = [&](Layout layout) {
    Laid<T> b = Laid<T>(n, cols, 1, layout).with(dense), y(n, cols, 2, layout),
            g(last, cols, 3, layout), x(n, cols, 0, layout);
    Laid<T> given = Laid<T>(last, cols, 1, layout).with(x2);
    schur.condense(factor, b.view(), y.view(), g.view(), workspace);
    schur.expand(factor, y.view(), given.view(), x.view(), workspace);
    schur.solve(factor, given.view(), given.view(), y.view(), workspace);
    std::vector<T> out;
    for (Index c = 0; c < cols; ++c) {
      for (Index i = 0; i < last; ++i)
        out.push_back(g.data[g.place(i, c)]), out.push_back(given.data[given.place(i, c)]);
      for (Index i = 0; i < n; ++i) out.push_back(x.data[x.place(i, c)]);
    }
    return out;
  };
  EXPECT_EQ(run(Layout::row_major), run(Layout::column_major));
}

TEST(LayoutFiles, WritersTakeEither) {
  for (const char* ending : {".mtx", ".npy"}) {
    Laid<double> x = Laid<double>(5, 3, 2, Layout::row_major).with(dense_numbers<double>(5, 3, 1));
    const TempFile file(ending);
    write_dense(file.path(), x.view());
    const DenseMatrix back = read_dense(file.path());
    EXPECT_EQ(back.value, dense_numbers<double>(5, 3, 1)) << ending;
  }
}

}  // namespace
}  // namespace kauri::test
