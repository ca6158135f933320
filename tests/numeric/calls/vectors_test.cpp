// Tests right-hand sides and solutions: out of place and in place, any number of columns, padded
// leading dimensions; what solves refuse; device calls without a device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/matrix/dense_lines.hpp"
#include "kauri/kauri.hpp"
#include "numeric/dense_view.hpp"
#include "tests/support/bodies/vectors.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/exact.hpp"

namespace kauri {
namespace {

using test::error_text;

std::string on_cpu() {
  return "solve: b and x are marked as device memory, but the factor is on the CPU; pass views of "
         "the host's memory";
}

Layout any_layout(std::mt19937_64& random) {
  return random() % 2 == 0 ? Layout::column_major : Layout::row_major;
}

Offset place_of_entry(Layout layout, Offset ld, Offset i, Offset j) {
  return layout == Layout::row_major ? i * ld + j : j * ld + i;
}

/// The runs of a view visit its entries in storage order and across it.
TEST(DenseViews, RunsAreTheEntriesInTheirOrder) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const Index rows = 1 + static_cast<Index>(random() % 20),
                cols = 1 + static_cast<Index>(random() % 6);
    const Layout layout = any_layout(random), by = any_layout(random);
    const Offset ld = (layout == Layout::row_major ? cols : rows) +
                      static_cast<Offset>(random() % 3),
                 all = Offset{rows} * cols;
    const auto begin = static_cast<Offset>(random() % static_cast<std::uint64_t>(all + 1));
    const Offset end =
        begin + static_cast<Offset>(random() % static_cast<std::uint64_t>(all - begin + 1));
    const DenseLines lines = lines_of(MatrixView<int>{nullptr, rows, cols, ld, layout}, by);
    std::vector<Offset> places(static_cast<std::size_t>(end - begin), -1);
    int runs = 0;
    for_each_run(lines, begin, end, [&](Offset k, Offset place, Offset count) {
      ASSERT_GT(count, 0);
      ++runs;
      for (Offset i = 0; i < count; ++i)
        places.at(static_cast<std::size_t>(k + i)) = place + i * lines.from_entry;
    });
    const Offset length = by == Layout::row_major ? cols : rows;
    ASSERT_EQ(lines.count * length, all);
    for (Offset e = begin; e < end; ++e) {
      const Offset line = e / length, entry = e % length;
      const Offset i = by == Layout::row_major ? line : entry,
                   j = by == Layout::row_major ? entry : line;
      ASSERT_EQ(places[e - begin], place_of_entry(layout, ld, i, j))
          << rows << " " << ld << " " << e;
    }
    ASSERT_EQ(runs, begin == end ? 0 : (end - 1) / length - begin / length + 1);
  }
}

TEST(DenseViews, PartsAreTheEntriesThatTheWholeHas) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 500; ++round) {
    const Layout layout = any_layout(random);
    std::vector<int> data(400);
    const Offset ld = 9 + static_cast<Offset>(random() % 3);
    const MatrixView<int> all{data.data(), 5, 7, ld, layout};
    const auto first = static_cast<Index>(random() % 4);
    const MatrixView<int> columns = numeric::columns(all, first, 2),
                          rows = numeric::rows(all, first, 2);
    EXPECT_EQ(columns.rows, 5);
    EXPECT_EQ(columns.cols, 2);
    EXPECT_EQ(rows.rows, 2);
    EXPECT_EQ(rows.cols, 7);
    for (const auto& part : {columns, rows}) {
      EXPECT_EQ(part.ld, ld);
      EXPECT_EQ(part.layout, layout);
    }
    EXPECT_EQ(&numeric::strided(columns)(3, 1),
              data.data() + place_of_entry(layout, ld, 3, first + 1));
    EXPECT_EQ(&numeric::strided(rows)(1, 4),
              data.data() + place_of_entry(layout, ld, first + 1, 4));
  }
}

/// Copies between layouts change the entries of the view only; padding stays.
TEST(DenseViews, CopiesGoEntryByEntry) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    const auto rows = static_cast<Index>(random() % 8), cols = static_cast<Index>(random() % 8);
    const Layout from_layout = any_layout(random), to_layout = any_layout(random);
    const Offset from_ld = 8 + static_cast<Offset>(random() % 3),
                 to_ld = 8 + static_cast<Offset>(random() % 3);
    std::vector<int> from(100), to(100, -1), filled(100, -1);
    for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<int>(k);
    copy_entries<int>({from.data(), rows, cols, from_ld, from_layout},
                      {to.data(), rows, cols, to_ld, to_layout});
    fill_entries<int>({filled.data(), rows, cols, to_ld, to_layout}, 4);
    std::vector<int> expected(100, -1), fours(100, -1);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) {
        const auto place = static_cast<std::size_t>(place_of_entry(to_layout, to_ld, i, j));
        expected[place] =
            from[static_cast<std::size_t>(place_of_entry(from_layout, from_ld, i, j))];
        fours[place] = 4;
      }
    ASSERT_EQ(to, expected);
    ASSERT_EQ(filled, fours);
  }
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
  test::what_solves_refuse<TypeParam>(backend,
                                      [](const Pattern& pattern) { return analyze(pattern); });
}

/// The CPU refuses memory of a device, whatever the other arguments are, since it could not read
/// it.
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
        EXPECT_EQ(error_text(ErrorKind::usage, [&] { factor.enqueue_solve(x, workspace, handle); }),
                  on_cpu());
        EXPECT_EQ(
            error_text(ErrorKind::usage, [&] { factor.enqueue_solve(x, x, workspace, handle); }),
            on_cpu());
        EXPECT_EQ(error_text(ErrorKind::usage,
                             [&] { factor.enqueue_multiply(System::L, x, x, workspace, handle); }),
                  on_cpu());
      }
      EXPECT_EQ(error_text(ErrorKind::usage, [&] { factor.multiply(System::Lt, x, x, workspace); }),
                on_cpu());
    }
  }
  EXPECT_EQ(data, std::vector<T>(9, T(1)));
}

}  // namespace
}  // namespace kauri
