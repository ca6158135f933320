// Tests of batches on any backend: items against dense and exact oracles and against single
// factors, failing items among good ones, layouts and sizes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/exact.hpp"

namespace kauri::test {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Items of one pattern: a matrix A and the values of its items, which batch_system() makes.
template <class T>
struct BatchSystem {
  SymmetricMatrix<double> a;
  std::shared_ptr<const Plan> plan;
  Index items;
  Offset stride;
  std::vector<T> value;  ///< NaN between items

  [[nodiscard]] std::vector<T> of(Index k) const {
    return std::vector<T>(value.begin() + k * stride,
                          value.begin() + k * stride + a.pattern().nnz());
  }
};

/// Makes items A_k = D_k A D_k, with 1 + k mod 3 times powers of two in D_k: each is positive
/// definite as A is, with other numbers in each entry.
template <class T>
BatchSystem<T> batch_system(SymmetricMatrix<double> a, std::shared_ptr<const Plan> plan,
                            Index items, Offset gap) {
  const Pattern& pattern = a.pattern();
  const Offset nnz = pattern.nnz(), stride = nnz + gap;
  std::vector<T> value(static_cast<std::size_t>(std::max<Offset>(0, items * stride - gap)),
                       std::numeric_limits<T>::quiet_NaN());
  std::mt19937_64 random(7);
  for (Index k = 0; k < items; ++k) {
    std::vector<double> d(static_cast<std::size_t>(pattern.n));
    for (double& x : d)
      x = std::ldexp(1 + static_cast<double>(k % 3), static_cast<int>(random() % 3));
    for (Index j = 0; j < pattern.n; ++j)
      for (Offset e = pattern.col_ptr[j]; e < pattern.col_ptr[j + 1]; ++e)
        value[static_cast<std::size_t>(k * stride + e)] =
            static_cast<T>(d[pattern.row[e]] * a.value()[e] * d[j]);
  }
  return {std::move(a), std::move(plan), items, stride, std::move(value)};
}

/// Right-hand sides and solutions of a batch on the host, with gaps between columns and items.
template <class T>
struct BatchColumns {
  Index items, n, cols;
  Offset ld, stride;
  std::vector<T> data;

  BatchColumns(Index items_, Index n_, Index cols_, Offset gap, std::uint64_t seed)
      : items(items_),
        n(n_),
        cols(cols_),
        ld(n_ + gap),
        stride(ld * cols_ + 2 * gap),
        data(static_cast<std::size_t>(stride * items_)) {
    std::mt19937_64 random(seed);
    for (T& x : data) x = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
  }
  [[nodiscard]] BatchView<T> view() { return {data.data(), items, n, cols, ld, stride}; }
  [[nodiscard]] std::vector<T> column(Index k, Index c) const {
    const auto at = data.begin() + k * stride + c * ld;
    return std::vector<T>(at, at + n);
  }
};

/// Returns |b - A x| / (|A| |x| + |b|) in the maximum norm, computed in twice the precision.
template <class T>
double batch_backward_error(const Pattern& pattern, const std::vector<T>& value,
                            const std::vector<T>& x, const std::vector<T>& b) {
  std::vector<long double> r(b.begin(), b.end()), row(b.size(), 0);
  for (Index j = 0; j < pattern.n; ++j)
    for (Offset e = pattern.col_ptr[j]; e < pattern.col_ptr[j + 1]; ++e) {
      const Index i = pattern.row[e];
      const long double v = value[static_cast<std::size_t>(e)];
      r[i] -= v * x[j], row[i] += std::abs(v);
      if (i != j) r[j] -= v * x[i], row[j] += std::abs(v);
    }
  long double most = 0, norm_a = 0, norm_x = 0, norm_b = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!(std::abs(r[i]) <= std::numeric_limits<long double>::max()))
      return std::numeric_limits<double>::infinity();
    most = std::max(most, std::abs(r[i])), norm_a = std::max(norm_a, row[i]);
    norm_x = std::max(norm_x, std::abs(static_cast<long double>(x[i]))),
    norm_b = std::max(norm_b, std::abs(static_cast<long double>(b[i])));
  }
  return most == 0 ? 0 : static_cast<double>(most / (norm_a * norm_x + norm_b));
}

/// Returns the bound of the backward error of a single factor: c n eps with c = 1 on all systems of
/// these tests.
template <class T>
double batch_bound(Index n) {
  return (n + 10) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// Returns the componentwise backward error that is always allowed, 4e-15 in double; it applies if
/// a single factor's error is less than a quarter of it.
template <class T>
double batch_least_bound() {
  return 18 * static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// Expects that the largest componentwise backward error of each item is at most four times that of
/// a single factor on the same backend, or on the CPU if the device is emulated, which is slow.
template <class T>
void expect_errors_of_single_factors(Backend& backend, const BatchSystem<T>& system,
                                     BatchColumns<T> b, BatchColumns<T> x) {
  const bool emulated = backend.device() == "emulated";
  Backend cpu = cpu_backend(1);
  auto factor = emulated ? Factor<T>::create(analyze(system.a.pattern()), cpu)
                         : Factor<T>::create(system.plan, backend);
  auto workspace = Workspace<T>::create(factor, 1);
  for (Index k = 0; k < system.items; ++k) {
    const std::vector<T> value = system.of(k);
    ASSERT_TRUE(refactorize<T>(factor, value).ok()) << k;
    const auto error = [&](BatchColumns<T>& solution) {
      return backward_error<T>({system.a.pattern(), value}, solution.view().item(k),
                               b.view().item(k), cpu)
          .componentwise;
    };
    const double found = error(x);
    factor.solve(b.view().item(k), x.view().item(k), workspace);
    ASSERT_LE(found, std::max(batch_least_bound<T>(), 4 * error(x))) << k;
  }
}

/// Expects that L of each item is the exact factor, bit for bit, in any order of summation. Item k
/// is A times 4^(k mod 3), and its L is L times 2^(k mod 3).
template <class T>
void expect_exact_items(Backend& backend, BatchWay way, const ExactSystem& system,
                        AnalyzeOptions options, Index items) {
  options.permutation = system.perm;
  const auto plan = analyze(system.a.pattern(), options);
  std::vector<T> value;
  for (Index k = 0; k < items; ++k)
    for (const double v : system.a.value())
      value.push_back(static_cast<T>(std::ldexp(v, 2 * (k % 3))));
  auto batch = BatchFactor<T>::create(plan, items, backend, way);
  for (const DeviceVerdict& v : refactorize<T>(batch, value, system.a.pattern().nnz()))
    ASSERT_EQ(v.status, VerdictStatus::positive_definite) << system.a.n();
  // The plan's order may be another topological order of the caller's, so rows are compared by the
  // caller's indices.
  for (Index k = 0; k < items; k += std::max<Index>(1, items - 1))
    for (Index i = 0; i < system.a.n(); ++i)
      for (const auto& [j, v] : system.l[i]) {
        const Index row = plan->perm.new_of(system.perm.old_of(i)),
                    col = plan->perm.new_of(system.perm.old_of(j));
        ASSERT_EQ(batch.entry(k, std::max(row, col), std::min(row, col)),
                  static_cast<T>(std::ldexp(static_cast<double>(v), k % 3)))
            << system.a.n() << " " << k << " " << i << " " << j;
      }
}

/// Does what expect_exact_items() above does, for a random L.
template <class T>
void expect_exact_items(Backend& backend, BatchWay way, Index n, int per_row, Index band,
                        const AnalyzeOptions& options, Index items) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n) * 31 + static_cast<std::uint64_t>(per_row));
  IntegerRows l = random_factor(n, per_row, band, random);
  Permutation perm = random_permutation(n, random);
  expect_exact_items<T>(backend, way,
                        exact_system(std::move(l), std::move(perm), sizeof(T) == 8 ? 45 : 22),
                        options, items);
}

/// Expects that each item is solved within the bound of a single factor, with any gaps.
template <class T>
void expect_solved_items(Backend& backend, BatchWay way, const BatchSystem<T>& system, Index cols,
                         Offset gap, Index nrhs) {
  const Index n = system.a.n();
  auto batch = BatchFactor<T>::create(system.plan, system.items, backend, way);
  for (const DeviceVerdict& v : refactorize<T>(batch, system.value, system.stride)) {
    ASSERT_EQ(v.status, VerdictStatus::positive_definite);
    ASSERT_EQ(v.column, kNone);
    ASSERT_TRUE(n == 0 ? v.smallest_column == kNone
                       : v.smallest_pivot > 0 && v.smallest_column >= 0 && v.smallest_column < n);
  }
  auto workspace = BatchWorkspace<T>::create(batch, nrhs);
  BatchColumns<T> b(system.items, n, cols, gap, 3), x(system.items, n, cols, gap, 4);
  const std::vector<T> before = x.data;
  batch.solve(b.view(), x.view(), workspace);
  for (Index k = 0; k < system.items; ++k)
    for (Index c = 0; c < cols; ++c)
      ASSERT_LE(
          batch_backward_error(system.a.pattern(), system.of(k), x.column(k, c), b.column(k, c)),
          batch_bound<T>(n))
          << k << " " << c;
  expect_errors_of_single_factors(backend, system, b, x);
  for (std::size_t at = 0; at < before.size(); ++at) {  // the gaps between columns and items
    const Offset in_item = static_cast<Offset>(at) % x.stride;
    const bool is_x = in_item / x.ld < cols && in_item % x.ld < n;
    ASSERT_TRUE(is_x || x.data[at] == before[at]) << at;
  }
  batch.solve(b.view(), workspace);
  for (Index k = 0; k < system.items; ++k)
    for (Index c = 0; c < cols; ++c)
      ASSERT_TRUE(same_bits(b.column(k, c), x.column(k, c))) << "in place";
}

/// Verdict and solution of an item.
template <class T>
struct ItemOutcome {
  DeviceVerdict verdict;
  std::vector<T> x;
};

/// Factorises and solves the items of a batch, in this order, with one right-hand side.
template <class T>
std::vector<ItemOutcome<T>> outcomes(Backend& backend, BatchWay way, const BatchSystem<T>& system,
                                     const std::vector<Index>& order) {
  const auto items = static_cast<Index>(order.size());
  const Offset nnz = system.a.pattern().nnz();
  std::vector<T> value;
  for (const Index k : order) {
    const auto one = system.of(k);
    value.insert(value.end(), one.begin(), one.end());
  }
  auto batch = BatchFactor<T>::create(system.plan, items, backend, way);
  const auto verdicts = refactorize<T>(batch, value, nnz);
  auto workspace = BatchWorkspace<T>::create(batch, 1);
  const BatchColumns<T> b(1, system.a.n(), 1, 0, 9);
  std::vector<T> x(static_cast<std::size_t>(items * Offset{system.a.n()}));
  batch.solve(BatchView<const T>{b.data.data(), items, b.n, 1, b.n, 0},
              BatchView<T>{x.data(), items, b.n, 1, b.n, b.n}, workspace);
  std::vector<ItemOutcome<T>> out;
  for (Index k = 0; k < items; ++k)
    out.push_back({verdicts[static_cast<std::size_t>(k)],
                   std::vector<T>(x.begin() + Offset{k} * b.n, x.begin() + Offset{k + 1} * b.n)});
  return out;
}

/// Expects that an item has the same bits alone, first, last and among others.
template <class T>
void expect_independent_items(Backend& backend, BatchWay way, const BatchSystem<T>& system) {
  std::vector<Index> order(static_cast<std::size_t>(system.items));
  for (Index k = 0; k < system.items; ++k) order[static_cast<std::size_t>(k)] = k;
  const auto all = outcomes(backend, way, system, order);
  std::reverse(order.begin(), order.end());
  const auto reversed = outcomes(backend, way, system, order);
  for (Index k = 0; k < system.items; ++k) {
    const auto& item = all[static_cast<std::size_t>(k)];
    const auto alone = outcomes(backend, way, system, {k});
    for (const ItemOutcome<T>* other :
         {alone.data(), &reversed[static_cast<std::size_t>(system.items - 1 - k)]}) {
      EXPECT_EQ(item.verdict, other->verdict) << k;
      EXPECT_TRUE(same_bits(item.x, other->x)) << k;
    }
  }
}

/// Returns the first failing pivot of a dense Cholesky in the plan's order; column kNone if none
/// fails.
template <class T>
DeviceVerdict naive_failure(const Pattern& pattern, const std::vector<T>& value,
                            const Permutation& perm) {
  const Index n = pattern.n;
  std::vector<double> b(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0.0);
  const auto at = [&](Index i, Index j) -> double& {
    return b[static_cast<std::size_t>(j) * static_cast<std::size_t>(n) + i];
  };
  for (Index j = 0; j < n; ++j)
    for (Offset e = pattern.col_ptr[j]; e < pattern.col_ptr[j + 1]; ++e) {
      const Index r = perm.new_of(pattern.row[e]), c = perm.new_of(j);
      at(std::max(r, c), std::min(r, c)) = static_cast<double>(value[static_cast<std::size_t>(e)]);
    }
  for (Index k = 0; k < n; ++k) {
    const double pivot = at(k, k);
    if (!(pivot > 0) || std::isinf(pivot))
      return {VerdictStatus::not_positive_definite, perm.old_of(k), pivot, pivot, perm.old_of(k)};
    for (Index j = k + 1; j < n; ++j)
      for (Index i = j; at(j, k) != 0 && i < n; ++i) at(i, j) -= at(i, k) * at(j, k) / pivot;
  }
  return {};
}

/// Makes every other item fail, at one column or several, by a diagonal entry that is negative or
/// not finite. Expects column and pivot of a naive factorisation, and that the good items have the
/// bits that they have without the failing ones.
template <class T>
void expect_failures(Backend& backend, BatchWay way, const BatchSystem<T>& system, int rounds) {
  const Index n = system.a.n();
  const Pattern& pattern = system.a.pattern();
  std::vector<Index> order(static_cast<std::size_t>(system.items));
  for (Index k = 0; k < system.items; ++k) order[static_cast<std::size_t>(k)] = k;
  const auto good = outcomes(backend, way, system, order);
  std::mt19937_64 random(11);
  for (int round = 0; round < rounds; ++round) {
    BatchSystem<T> broken = system;
    for (Index k = 1; k < system.items; k += 2)
      for (Index times = 0; times <= k % 3; ++times) {
        const auto j = static_cast<Index>(random() % static_cast<std::uint64_t>(n));
        T& diagonal =
            broken.value[static_cast<std::size_t>(k * system.stride + pattern.col_ptr[j])];
        diagonal = k % 7 == 5   ? std::numeric_limits<T>::quiet_NaN()
                   : k % 7 == 3 ? std::numeric_limits<T>::infinity()
                                : -std::abs(diagonal);  // negative also if drawn twice
      }
    const auto seen = outcomes(backend, way, broken, order);
    for (Index k = 0; k < system.items; ++k) {
      const auto& item = seen[static_cast<std::size_t>(k)];
      if (k % 2 == 0) {
        EXPECT_EQ(item.verdict, good[static_cast<std::size_t>(k)].verdict) << k;
        EXPECT_TRUE(same_bits(item.x, good[static_cast<std::size_t>(k)].x)) << k;
        continue;
      }
      const DeviceVerdict expected = naive_failure(pattern, broken.of(k), system.plan->perm);
      EXPECT_EQ(item.verdict.status, VerdictStatus::not_positive_definite) << k;
      EXPECT_EQ(item.verdict.column, expected.column) << k << " of round " << round;
      EXPECT_EQ(item.verdict.smallest_column, expected.column) << k;
      if (std::isfinite(expected.pivot))
        EXPECT_NEAR(item.verdict.pivot, expected.pivot,
                    batch_bound<T>(n) * std::abs(expected.pivot) * 100)
            << k;
      else
        EXPECT_FALSE(std::isfinite(item.verdict.pivot)) << k;
      EXPECT_TRUE(std::all_of(item.x.begin(), item.x.end(), [](T v) { return std::isnan(v); }))
          << k;
    }
  }
}

}  // namespace kauri::test
