// Selected inverses against a dense inverse in long double, or against solves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {

/// Returns the inverse of the symmetric positive definite A, row-major, by Gauss-Jordan elimination
/// without pivoting.
template <class T>
std::vector<long double> dense_inverse(const Pattern& a, std::span<const T> value) {
  const auto n = static_cast<std::size_t>(a.n);
  std::vector<long double> d(n * n, 0), x(n * n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    x[j * n + j] = 1;
    for (Offset k = a.col_ptr[j]; k < a.col_ptr[j + 1]; ++k)
      d[static_cast<std::size_t>(a.row[k]) * n + j] =
          d[j * n + static_cast<std::size_t>(a.row[k])] = value[k];
  }
  for (std::size_t k = 0; k < n; ++k) {
    const long double pivot = d[k * n + k];
    for (std::size_t j = 0; j < n; ++j) d[k * n + j] /= pivot, x[k * n + j] /= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      const long double f = d[i * n + k];
      if (i == k || f == 0) continue;
      for (std::size_t j = 0; j < n; ++j)
        d[i * n + j] -= f * d[k * n + j], x[i * n + j] -= f * x[k * n + j];
    }
  }
  return x;
}

/// Returns for each entry, in the caller's numbering and row-major, whether it is in the structure
/// of L. O(n^2).
inline std::vector<char> places_of(const Plan& plan) {
  const auto n = static_cast<std::size_t>(plan.n);
  std::vector<char> there(n * n, 0);
  for (Index s = 0; s < plan.supernodes.count(); ++s)
    for (Index c = 0; c < plan.supernodes.pivots(s); ++c)
      for (const Index r : plan.supernodes.rows(s).subspan(static_cast<std::size_t>(c))) {
        const auto i = static_cast<std::size_t>(plan.perm.old_of(r)),
                   j = static_cast<std::size_t>(plan.perm.old_of(plan.supernodes.first[s] + c));
        there[i * n + j] = there[j * n + i] = 1;
      }
  return there;
}

/// Returns the allowed difference relative to the largest entry; the matrices of these tests have
/// conditions below a thousand.
template <class T>
constexpr double inverse_tolerance() {
  return sizeof(T) == 8 ? 1e-12 : 2e-4;
}

/// Compares all entries, the diagonal and the entries of A with `exact`, the dense inverse.
template <class T>
void expect_inverse(const SelectedInverse<T>& inverse, const Pattern& a,
                    const std::vector<long double>& exact) {
  const auto n = static_cast<std::size_t>(a.n);
  const std::vector<char> there = places_of(inverse.plan());
  long double largest = 0;
  for (const long double v : exact) largest = std::max(largest, std::abs(v));
  const auto bound = static_cast<double>(largest) * inverse_tolerance<T>();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const auto found = inverse.entry(static_cast<Index>(i), static_cast<Index>(j));
      ASSERT_EQ(found.has_value(), there[i * n + j] != 0) << i << " " << j;
      if (found) {
        ASSERT_NEAR(static_cast<double>(*found), static_cast<double>(exact[i * n + j]), bound)
            << i << " " << j;
      }
    }
  const std::vector<T> diagonal = inverse.diagonal(), entries = inverse.on_pattern_of(a);
  ASSERT_EQ(diagonal.size(), n);
  ASSERT_EQ(entries.size(), a.row.size());
  for (std::size_t j = 0; j < n; ++j) {
    ASSERT_EQ(diagonal[j], inverse.entry(static_cast<Index>(j), static_cast<Index>(j)));
    for (Offset k = a.col_ptr[j]; k < a.col_ptr[j + 1]; ++k)
      ASSERT_EQ(entries[k], inverse.entry(a.row[k], static_cast<Index>(j))) << k;
  }
}

/// Returns the places of all entries of L + L^T, in the caller's numbering, as a lower triangle. If
/// a matrix has this pattern, on_pattern_of() copies its whole selected inverse at once.
inline OwnedPattern filled_pattern(const Plan& plan) {
  EdgeList edges;
  for (Index s = 0; s < plan.supernodes.count(); ++s)
    for (Index c = 0; c < plan.supernodes.pivots(s); ++c)
      for (const Index r : plan.supernodes.rows(s).subspan(static_cast<std::size_t>(c) + 1))
        edges.emplace_back(plan.perm.old_of(r), plan.perm.old_of(plan.supernodes.first[s] + c));
  return pattern_of(plan.n, std::move(edges));
}

/// All entries of a selected inverse at the places of a lower triangle.
template <class T>
struct WholeInverse {
  Pattern pattern;
  std::vector<T> value;

  /// Returns column j; entries outside the pattern are empty.
  [[nodiscard]] std::vector<std::optional<T>> column(Index j) const {
    std::vector<std::optional<T>> out(static_cast<std::size_t>(pattern.n));
    for (Index c = 0; c <= j; ++c) {
      const auto begin = pattern.row.begin() + pattern.col_ptr[c],
                 end = pattern.row.begin() + pattern.col_ptr[c + 1],
                 at = std::lower_bound(begin, end, j);
      if (at != end && *at == j) out[c] = value[at - pattern.row.begin()];
    }
    for (Offset k = pattern.col_ptr[j]; k < pattern.col_ptr[j + 1]; ++k)
      out[pattern.row[k]] = value[k];
    return out;
  }
};

/// Expects that entry() and diagonal() agree with the whole inverse: entry() at some places with an
/// entry, since each of these calls copies one number, and, if n is small, at all without one.
template <class T>
void expect_entries(const SelectedInverse<T>& inverse, const WholeInverse<T>& whole) {
  const Pattern& a = whole.pattern;
  const auto n = static_cast<std::size_t>(a.n);
  const std::vector<T> diagonal = inverse.diagonal();
  ASSERT_EQ(diagonal.size(), n);
  std::mt19937_64 random(9);
  for (Index j = 0; j < a.n; ++j) {
    const Offset first = a.col_ptr[j];
    ASSERT_EQ(diagonal[j], whole.value[first]) << j;
    if (random() % n >= 100) continue;
    const Offset k = first + static_cast<Offset>(
                                 random() % static_cast<std::uint64_t>(a.col_ptr[j + 1] - first));
    ASSERT_EQ(inverse.entry(a.row[k], j), whole.value[k]) << a.row[k] << " " << j;
    ASSERT_EQ(inverse.entry(j, a.row[k]), whole.value[k]) << j << " " << a.row[k];
  }
  if (n > 400) return;
  const std::vector<char> there = places_of(inverse.plan());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (!there[i * n + j]) {
        ASSERT_FALSE(inverse.entry(static_cast<Index>(i), static_cast<Index>(j))) << i << " " << j;
      }
}

/// Compares the whole inverse with `exact`, the dense one.
template <class T>
void expect_whole(const WholeInverse<T>& whole, const std::vector<long double>& exact) {
  const auto n = static_cast<std::size_t>(whole.pattern.n);
  long double largest = 0;
  for (const long double v : exact) largest = std::max(largest, std::abs(v));
  const auto bound = static_cast<double>(largest) * inverse_tolerance<T>();
  for (Index j = 0; j < whole.pattern.n; ++j)
    for (Offset k = whole.pattern.col_ptr[j]; k < whole.pattern.col_ptr[j + 1]; ++k) {
      const auto i = static_cast<std::size_t>(whole.pattern.row[k]);
      ASSERT_NEAR(static_cast<double>(whole.value[k]),
                  static_cast<double>(exact[i * n + static_cast<std::size_t>(j)]), bound)
          << i << " " << j;
    }
}

/// Compares some columns of the whole inverse with those computed by solves.
template <class T>
void expect_columns(const WholeInverse<T>& whole, const Factor<T>& factor, int columns,
                    std::uint64_t seed) {
  const Index n = factor.plan().n;
  std::mt19937_64 random(seed);
  auto workspace = Workspace<T>::create(factor, 1);
  for (int k = 0; k < columns; ++k) {
    const auto j = static_cast<Index>(random() % static_cast<std::uint64_t>(n));
    std::vector<T> x(static_cast<std::size_t>(n), T(0));
    x[j] = 1;
    factor.solve(column_view(std::span<T>(x)), workspace);
    const std::vector<std::optional<T>> found = whole.column(j);
    ASSERT_TRUE(found[j].has_value());
    for (Index i = 0; i < n; ++i)
      if (found[i]) {
        ASSERT_NEAR(*found[i], x[i], std::abs(x[j]) * inverse_tolerance<T>()) << i << " " << j;
      }
  }
}

/// Returns `leaves` dense blocks of `leaf` rows, each with nine of ten rows of a dense block of
/// `root` rows that come last: fronts of known sizes, whose rows have gaps.
inline OwnedPattern forked_pattern(Index leaves, Index leaf, Index root, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Index n = leaves * leaf + root;
  OwnedPattern p;
  std::vector<Index> met;
  for (Index j = 0; j < n; ++j) {
    const Index end = j < leaves * leaf ? (j / leaf + 1) * leaf : n;
    for (Index i = j; i < end; ++i) p.row.push_back(i);
    if (end < n && j % leaf == 0) {
      met.clear();
      for (Index i = leaves * leaf; i < n; ++i)
        if (random() % 10 != 0) met.push_back(i);
    }
    if (end < n) p.row.insert(p.row.end(), met.begin(), met.end());
    p.col_ptr.push_back(static_cast<Offset>(p.row.size()));
  }
  return p;
}

}  // namespace kauri::test
