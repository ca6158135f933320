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
#include "tests/support/vectors_bodies.hpp"

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
class Vectors : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Vectors, Scalars);

TYPED_TEST(Vectors, OutOfPlaceIsInPlaceWithBKept) {
  Backend backend = cpu_backend(2);
  test::out_of_place_is_in_place_with_b_kept<TypeParam>(
      backend, [](const Pattern& pattern) { return analyze(pattern); }, test::kSolved);
}

TYPED_TEST(Vectors, WhatSolvesRefuse) {
  Backend backend = cpu_backend(1);
  test::what_solves_refuse<TypeParam>(backend, [](const Pattern& pattern) { return analyze(pattern); });
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
