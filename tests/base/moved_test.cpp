// Moved-from objects are empty, and usable as new ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"

namespace kauri {
namespace {

template <class T>
void expect_empty(const SymmetricMatrix<T>& a) {
  EXPECT_EQ(a.n(), 0);
  EXPECT_EQ(a.nnz(), 0);
  EXPECT_TRUE(a.value().empty());
  EXPECT_EQ(a.pattern().n, 0);
  EXPECT_EQ(a.pattern().nnz(), 0);
  EXPECT_EQ(a.view().value.size(), 0U);
  EXPECT_NO_THROW(check(a.pattern()));
  EXPECT_EQ(Graph(a.pattern()).size(), 0);
}

void expect_empty(const Graph& g) {
  EXPECT_EQ(g.size(), 0);
  EXPECT_EQ(g.edges(), 0);
  EXPECT_EQ(g.ptr().size(), 1U);
  EXPECT_EQ(g.ptr()[0], 0);
  EXPECT_TRUE(g.adjacency().empty());
}

void expect_empty(const Permutation& p) {
  EXPECT_EQ(p.size(), 0);
  EXPECT_TRUE(p.old_of().empty() && p.new_of().empty());
  EXPECT_EQ(p, Permutation::identity(0));
  EXPECT_EQ(p.then(p).size(), 0);
}

template <class T>
void expect_empty(const EntryMap<T>& map) {
  EXPECT_TRUE(map.places().empty());
  EXPECT_NO_THROW(map.apply({}, {}));
}

template <class T>
SymmetricMatrix<T> matrix() {
  const std::vector<Index> row{0, 1, 1}, col{0, 0, 1};
  const std::vector<T> value{4, -1, 4};
  return SymmetricMatrix<T>::from_triplets(2, row, col, value, Storage::lower);
}

template <class T>
EntryMap<T> entry_map() {
  const std::vector<Offset> ptr{0, 2, 3};
  const std::vector<Index> index{0, 1, 1};
  const std::vector<T> value(3);
  return EntryMap<T>(CompressedView<T, Index, Offset>{2, ptr, index, value});
}

/// Moves by construction and by assignment, and assigns a new value afterwards.
template <class Object>
void check_moves(const Object& full) {
  static_assert(std::is_nothrow_move_constructible_v<Object> &&
                std::is_nothrow_move_assignable_v<Object>);
  Object a = full;
  const Object b = std::move(a);
  expect_empty(a);  // NOLINT(bugprone-use-after-move)
  Object c = full, d;
  if constexpr (requires { Object(); }) expect_empty(d);
  d = std::move(c);
  expect_empty(c);  // NOLINT(bugprone-use-after-move)
  a = std::move(d);
  expect_empty(d);  // NOLINT(bugprone-use-after-move)
  Object e = a;
  a = e;
  const Object copy = a;
  e = Object(c);  // moves from an empty object
  expect_empty(e);
}

TEST(MovedFrom, IsEmpty) {
  check_moves(matrix<double>());
  check_moves(matrix<float>());
  check_moves(Graph(matrix<double>().pattern()));
  check_moves(Permutation::identity(3));
}

TEST(MovedFrom, MatricesKeepWhatTheyWere) {
  auto a = matrix<double>();
  const auto* const value = a.value().data();
  const auto b = std::move(a);
  EXPECT_EQ(b.value().data(), value);
  EXPECT_EQ(b.n(), 2);
  a = matrix<double>();
  EXPECT_EQ(a.nnz(), 3);
}

TEST(MovedFrom, EntryMapsAreThoseOfNoEntries) {
  auto map = entry_map<double>();
  const auto other = std::move(map);
  expect_empty(map);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(other.places().size(), 3U);
  auto third = entry_map<double>();
  map = std::move(third);
  expect_empty(third);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(map.places().size(), 3U);
  std::vector<double> lower(3);
  EXPECT_THROW(third.apply({}, lower), Error);
  EXPECT_NO_THROW(map.apply(std::vector<double>{1, 2, 3}, lower));
}

TEST(MovedFrom, DenseMatricesShowNothing) {
  DenseMatrix a{2, 3, std::vector<double>(6, 1.0)};
  EXPECT_EQ(a.view().cols, 3);
  const DenseMatrix b = std::move(a);
  EXPECT_EQ(b.view().rows, 2);
  EXPECT_EQ(a.view().rows, 0);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(std::as_const(a).view().cols, 0);
  const DenseMatrix none{5, 0, {}};
  EXPECT_EQ(none.view().rows, 5);
}

TEST(MovedFrom, SchurComplementsHaveNoRows) {
  const auto a = matrix<double>();
  Backend backend = cpu_backend(1);
  const auto factor = factorize<double>(analyze(a.pattern()), a.value(), backend);
  SchurComplement<double> s(factor.value(), 2);
  std::vector<double> out(4, 7.0);
  SchurComplement<double> moved = std::move(s);
  EXPECT_EQ(s.order(), 0);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(s.write({out.data(), 2, 2, 2}), Error);
  EXPECT_EQ(out, std::vector<double>(4, 7.0));
  moved.write({out.data(), 2, 2, 2});
  EXPECT_NE(out[0], 7.0);
  s = std::move(moved);
  EXPECT_EQ(s.order(), 2);
  EXPECT_EQ(moved.order(), 0);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(moved.write({out.data(), 2, 2, 2}), Error);
}

TEST(MovedFrom, BackendsAndWorkspacesMayBeAssignedTo) {
  const auto a = matrix<double>();
  Backend backend = cpu_backend(1), other = std::move(backend);
  backend = cpu_backend(1);
  const auto factor = factorize<double>(analyze(a.pattern()), a.value(), backend);
  auto workspace = Workspace<double>::create(factor.value(), 1), second = std::move(workspace);
  workspace = std::move(second);
  std::vector<double> x(static_cast<std::size_t>(a.n()), 1.0);
  factor.value().solve(column_view(std::span<const double>(x)), column_view(std::span(x)),
                       workspace);
  BatchFactor<double> batch = BatchFactor<double>::create(analyze(a.pattern()), 1, backend);
  auto of_batch = BatchWorkspace<double>::create(batch, 1), second_of_batch = std::move(of_batch);
  of_batch = std::move(second_of_batch);
  refactorize<double>(batch, a.value(), 0);
  batch.solve({x.data(), 1, a.n(), 1, a.n(), a.n()}, of_batch);
  EXPECT_NE(x[0], 1.0);
}

TEST(DefaultMade, IsEmptyWithoutMemory) {
  static_assert(std::is_nothrow_default_constructible_v<SymmetricMatrix<double>> &&
                std::is_nothrow_default_constructible_v<Graph>);
  expect_empty(SymmetricMatrix<double>());
  expect_empty(Graph());
  expect_empty(Permutation());
}

}  // namespace
}  // namespace kauri
