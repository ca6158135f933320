// Right-hand sides and solutions: out of place and in place, of any number, wide apart; what solves refuse; device calls without a device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "numeric/dense_view.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/exact.hpp"

namespace kauri {
namespace {

using test::error_text;

std::string on_cpu() { return "solve: b and x are said to be on a device, the factor is on the CPU"; }

TEST(DenseViews, RunsAreTheEntriesInTheirOrder) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    const Index rows = 1 + static_cast<Index>(random() % 20), cols = 1 + static_cast<Index>(random() % 6);
    const Offset ld = rows + static_cast<Offset>(random() % 3), all = Offset{rows} * cols;
    const auto begin = static_cast<Offset>(random() % static_cast<std::uint64_t>(all + 1));
    const Offset end = begin + static_cast<Offset>(random() % static_cast<std::uint64_t>(all - begin + 1));
    std::vector<Offset> places(static_cast<std::size_t>(end - begin), -1);
    int runs = 0;
    numeric::for_each_run(rows, ld, begin, end, [&](Offset k, Offset place, Offset count) {
      ASSERT_GT(count, 0);
      ++runs;
      for (Offset i = 0; i < count; ++i) places.at(static_cast<std::size_t>(k + i)) = place + i;
    });
    for (Offset e = begin; e < end; ++e) ASSERT_EQ(places[e - begin], e / rows * ld + e % rows) << rows << " " << ld << " " << e;
    const Offset columns = begin == end ? 0 : (end - 1) / rows - begin / rows + 1;
    ASSERT_EQ(runs, columns);
  }
}

TEST(DenseViews, ColumnsKeepRowsAndLeadingDimension) {
  std::vector<int> data(40);
  const auto part = numeric::columns(MatrixView<int>{data.data(), 5, 4, 9}, 2, 2);
  EXPECT_EQ(part.data, data.data() + 18);
  EXPECT_EQ(part.rows, 5);
  EXPECT_EQ(part.cols, 2);
  EXPECT_EQ(part.ld, 9);
}

template <class T>
class Vectors : public ::testing::Test {
 protected:
  static std::vector<T> random(Offset count, std::uint64_t seed) {
    std::mt19937_64 source(seed);
    std::vector<T> out(static_cast<std::size_t>(count));
    for (T& v : out) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(source));
    return out;
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Vectors, Scalars);

TYPED_TEST(Vectors, OutOfPlaceIsInPlaceWithBKept) {
  using T = TypeParam;
  for (const char* spec : {"poisson2d 1", "poisson2d 30", "elast3d 5", "tree 700 3"}) {
    const auto a = generate(spec);
    Backend backend = cpu_backend(2);
    auto factor = Factor<T>::create(analyze(a.pattern()), backend);
    ASSERT_TRUE(refactorize<T>(factor, test::cast<T>(a.value())).ok());
    const Index n = a.n();
    for (const Index cols : {0, 1, 5, 40}) {
      const Offset ldb = n + 3, ldx = n + 7;
      auto workspace = Workspace<T>::create(factor, 3);
      const std::vector<T> b = this->random(ldb * cols, 1), before = this->random(ldx * cols, 2);
      std::vector<T> in_place = b, source = b, x = before;
      factor.solve({in_place.data(), n, cols, ldb}, workspace);
      factor.solve({source.data(), n, cols, ldb}, {x.data(), n, cols, ldx}, workspace);
      EXPECT_EQ(source, b) << spec;
      for (Index c = 0; c < cols; ++c)
        for (Offset i = 0; i < ldx; ++i)
          ASSERT_EQ(x[c * ldx + i], i < n ? in_place[c * ldb + i] : before[c * ldx + i]) << spec << " " << i << " " << c;
      factor.solve({source.data(), n, cols, ldb}, {source.data(), n, cols, ldb}, workspace);
      EXPECT_EQ(source, in_place) << spec;
    }
  }
}

TYPED_TEST(Vectors, WhatSolvesRefuse) {
  using T = TypeParam;
  const auto a = generate("poisson2d 3");
  const auto value = test::cast<T>(a.value());
  Backend backend = cpu_backend(1);
  const auto plan = analyze(a.pattern());
  auto factor = Factor<T>::create(plan, backend);
  auto workspace = Workspace<T>::create(factor, 1);
  std::vector<T> b(100, T(1)), x(100, T(2));
  const auto refused = [&](const MatrixView<const T>& rhs, const MatrixView<T>& solution) {
    return error_text(ErrorKind::usage, [&] { factor.solve(rhs, solution, workspace); });
  };
  const std::string invalid = "solve: the factor is not valid (no successful factorisation yet, or the last one broke down)";
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 9, 2, 9}), invalid);
  ASSERT_FALSE(refactorize<T>(factor, value, T(-100)).ok());
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 9, 2, 9}), invalid);
  ASSERT_TRUE(refactorize<T>(factor, value).ok());
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 9, 2, 9}), "no Error");
  EXPECT_EQ(refused({b.data(), 8, 2, 9}, {x.data(), 9, 2, 9}), "solve: b has 8 rows, A has 9");
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 10, 2, 10}), "solve: x has 10 rows, A has 9");
  EXPECT_EQ(refused({b.data(), 9, 2, 8}, {x.data(), 9, 2, 9}), "solve: b has 2 columns and leading dimension 8 for 9 rows");
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 9, -1, 9}), "solve: x has -1 columns and leading dimension 9 for 9 rows");
  EXPECT_EQ(refused({b.data(), 9, 1, 9}, {x.data(), 9, 2, 9}), "solve: b has 1 columns, x has 2");
  EXPECT_EQ(refused({nullptr, 9, 2, 9}, {x.data(), 9, 2, 9}), "solve: b is null");
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {nullptr, 9, 2, 9}), "solve: x is null");
  EXPECT_EQ(refused({nullptr, 9, 0, 9}, {nullptr, 9, 0, 9}), "no Error");
  EXPECT_EQ(error_text(ErrorKind::usage,
                       [&] {
                         factor.solve({x.data(), 9, 2, 8}, workspace);
                       }),
            "solve: x has 2 columns and leading dimension 8 for 9 rows");
  workspace = Workspace<T>::create(analyze(a.pattern()), 1, backend);
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 9, 2, 9}), "solve: the workspace was made for another plan");
}

/// Whatever the rest of the call is: memory of a device would not be there for the CPU.
TYPED_TEST(Vectors, TheCpuTakesNothingFromADevice) {
  using T = TypeParam;
  const auto a = generate("poisson2d 3");
  Backend backend = cpu_backend(1);
  auto factor = Factor<T>::create(analyze(a.pattern()), backend);
  auto workspace = Workspace<T>::create(factor, 1);
  std::vector<T> data(9, T(1));
  int stream = 0;
  for (const bool valid : {false, true}) {
    if (valid) {
      ASSERT_TRUE(refactorize<T>(factor, test::cast<T>(a.value())).ok());
    }
    for (const Index cols : {0, 1}) {
      const DeviceMatrixView<T> x({data.data(), 9, cols, 9});
      EXPECT_EQ(error_text(ErrorKind::usage, [&] { factor.solve(x, workspace); }), on_cpu());
      EXPECT_EQ(error_text(ErrorKind::usage, [&] { factor.solve(x, x, workspace); }), on_cpu());
      for (void* handle : {static_cast<void*>(nullptr), static_cast<void*>(&stream)}) {
        EXPECT_EQ(error_text(ErrorKind::usage, [&] { factor.enqueue_solve(x, workspace, handle); }), on_cpu());
        EXPECT_EQ(error_text(ErrorKind::usage, [&] { factor.enqueue_solve(x, x, workspace, handle); }), on_cpu());
      }
    }
  }
  EXPECT_EQ(data, std::vector<T>(9, T(1)));
}

}  // namespace
}  // namespace kauri
