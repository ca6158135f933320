// Bodies of tests that hold for every backend: the selected inverse, products with L, Schur
// complements. Run on the CPU and on CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "tests/support/oracles/inverse_oracle.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/dense_reference.hpp"

namespace kauri::test {

/// Returns a plan for the backend on which the body runs; the options' target is not set yet.
using PlanWith = std::function<std::shared_ptr<const Plan>(const Pattern&, const AnalyzeOptions&)>;

/// Returns hard patterns: empty, one row, diagonal, chains, stars, dense ones, grids, and two
/// components.
inline std::vector<OwnedPattern> hard_patterns() {
  OwnedPattern two = chain_pattern(7);
  for (const Index r : dense_pattern(5).row) two.row.push_back(r + 7);
  for (const Offset at : dense_pattern(5).col_ptr)
    if (at > 0) two.col_ptr.push_back(at + chain_pattern(7).view().nnz());
  return {OwnedPattern{},          diagonal_pattern(1),
          diagonal_pattern(9),     chain_pattern(40),
          star_pattern(30, 0),     star_pattern(30, 29),
          caterpillar_pattern(31), dense_pattern(35),
          grid_pattern(7, 6, 1),   grid_pattern(4, 4, 4, true),
          std::move(two)};
}

template <class T>
Factor<T> factor_of(const std::shared_ptr<const Plan>& plan, const std::vector<T>& value,
                    Backend& backend) {
  auto factor = factorize<T>(plan, value, backend);
  EXPECT_TRUE(factor.ok());
  return std::move(factor.value());
}

template <class T>
void check_dense_inverse(Backend& backend, const PlanWith& plan_of, const OwnedPattern& a,
                         const AnalyzeOptions& options, std::uint64_t seed) {
  const std::vector<T> value = random_dominant<T>(a.view(), seed);
  const auto factor = factor_of<T>(plan_of(a.view(), options), value, backend);
  auto inverse = SelectedInverse<T>::create(factor);
  EXPECT_FALSE(inverse.valid());
  inverse.compute(factor);
  EXPECT_TRUE(inverse.valid());
  expect_inverse<T>(inverse, a.view(), dense_inverse<T>(a.view(), value));
}

/// Compares inverses entry by entry: patterns of all kinds with these methods, amalgamated or not.
template <class T>
void inverses_are_the_dense_ones(Backend& backend, const PlanWith& plan_of,
                                 const std::vector<OrderingMethod>& methods, std::uint64_t seeds) {
  for (const OrderingMethod method : methods)
    for (const bool amalgamate : {true, false}) {
      SCOPED_TRACE(std::string(name_of(method)) + (amalgamate ? ", amalgamated" : ""));
      AnalyzeOptions options;
      options.ordering.method = method;
      options.amalgamate = amalgamate;
      for (const OwnedPattern& a : hard_patterns())
        check_dense_inverse<T>(backend, plan_of, a, options, 5);
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(seed);
        const auto n = static_cast<Index>(1 + seed * 13 % 50);
        check_dense_inverse<T>(backend, plan_of,
                               random_pattern(n, 1.0 + static_cast<double>(seed % 5), seed),
                               options, seed);
      }
    }
}

/// Compares inverses of large fronts with solves, and small inverses with the dense inverse. The
/// matrix has entries at all places of the L of `a`, so that one copy brings its whole inverse.
template <class T>
void large_inverses_are_those_of_solves(Backend& backend, const PlanWith& plan_of,
                                        const OwnedPattern& a, const AnalyzeOptions& options,
                                        int columns = 25) {
  const auto sparse = plan_of(a.view(), options);
  const OwnedPattern filled = filled_pattern(*sparse);
  AnalyzeOptions again = options;
  again.permutation = sparse->perm;
  const auto plan = plan_of(filled.view(), again);
  if (!options.amalgamate) {  // otherwise amalgamated fronts may be joined further
    ASSERT_EQ(plan->supernodes.first, sparse->supernodes.first);
  }
  const std::vector<T> value = random_dominant<T>(filled.view(), 11);
  const auto factor = factor_of<T>(plan, value, backend);
  auto inverse = SelectedInverse<T>::create(factor);
  inverse.compute(factor);
  const WholeInverse<T> whole{filled.view(), inverse.on_pattern_of(filled.view())};
  expect_entries<T>(inverse, whole);
  if (filled.n() <= 400)
    expect_whole<T>(whole, dense_inverse<T>(filled.view(), value));
  else
    expect_columns<T>(whole, factor, columns, 3);
}

/// A second computation with other values is as accurate as the first, and memory is as reported.
template <class T>
void inverses_are_filled_again(Backend& backend, const PlanWith& plan_of) {
  const OwnedPattern a = grid_pattern(8, 7, 3);
  const auto plan = plan_of(a.view(), {});
  auto factor = factor_of<T>(plan, random_dominant<T>(a.view(), 1), backend);
  const Offset before = backend.bytes_in_use();
  auto inverse = SelectedInverse<T>::create(factor);
  EXPECT_EQ(backend.bytes_in_use() - before, SelectedInverse<T>::bytes(factor));
  backend.reset_peak();
  inverse.compute(factor);
  const std::vector<T> first = inverse.on_pattern_of(a.view()),
                       value = random_dominant<T>(a.view(), 2);
  ASSERT_TRUE(refactorize<T>(factor, value).ok());
  inverse.compute(factor);
  EXPECT_NE(inverse.on_pattern_of(a.view()), first);
  expect_inverse<T>(inverse, a.view(), dense_inverse<T>(a.view(), value));
  ASSERT_TRUE(refactorize<T>(factor, random_dominant<T>(a.view(), 1)).ok());
  inverse.compute(factor);
  EXPECT_EQ(inverse.on_pattern_of(a.view()), first);
  EXPECT_EQ(backend.peak_bytes(), backend.bytes_in_use());
  auto moved = std::move(inverse);
  EXPECT_EQ(moved.on_pattern_of(a.view()), first);
}

template <class T>
void what_inverses_refuse(Backend& backend, const PlanWith& plan_of) {
  const OwnedPattern a = grid_pattern(3, 3, 1), other = chain_pattern(9);
  const std::vector<T> value = random_dominant<T>(a.view(), 1);
  auto factor = Factor<T>::create(plan_of(a.view(), {}), backend);
  auto inverse = SelectedInverse<T>::create(factor);
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  const std::string none =
      "selected inverse: it is not computed yet, or the last time failed: call compute() first";
  EXPECT_EQ(refused([&] { inverse.compute(factor); }),
            "selected inverse: the factor is not valid (no successful factorisation yet, or the "
            "last one broke down): call refactorize() first");
  EXPECT_EQ(refused([&] { (void)inverse.entry(0, 0); }), none);
  EXPECT_EQ(refused([&] { (void)inverse.diagonal(); }), none);
  EXPECT_EQ(refused([&] { (void)inverse.on_pattern_of(a.view()); }), none);
  ASSERT_TRUE(refactorize<T>(factor, value).ok());
  inverse.compute(factor);
  EXPECT_EQ(refused([&] { (void)inverse.entry(0, 9); }),
            "selected inverse: entry (0, 9) where n is 9, expected 0 to 8");
  EXPECT_EQ(refused([&] { (void)inverse.entry(-1, 0); }),
            "selected inverse: entry (-1, 0) where n is 9, expected 0 to 8");
  EXPECT_EQ(refused([&] { (void)inverse.on_pattern_of(other.view()); }),
            "selected inverse: the matrix has another pattern than the one analysed: entry (3, 0) "
            "is missing");
  const auto twin = factor_of<T>(plan_of(a.view(), {}), value, backend);
  EXPECT_EQ(refused([&] { inverse.compute(twin); }),
            "selected inverse: the factor has another plan, expected the plan this was made for");
  EXPECT_TRUE(inverse.valid());
}

/// Compares x = L b with L entry by entry, and expects that L times L^-1 b is b.
template <class T>
void check_products(const Factor<T>& factor, Index columns, Index room) {
  const Index n = factor.plan().n;
  const Offset ld = n + 2;
  const LowerFactor<T> l = lower_factor(factor);
  auto workspace = Workspace<T>::create(factor, room);
  std::mt19937_64 random(4);
  std::vector<T> b(static_cast<std::size_t>(ld * columns));
  for (T& v : b) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
  for (const System system : {System::L, System::Lt}) {
    std::vector<T> x(b.size(), T(-7)), back = b;
    factor.multiply(system, {b.data(), n, columns, ld}, {x.data(), n, columns, ld}, workspace);
    factor.solve(system, {back.data(), n, columns, ld}, {back.data(), n, columns, ld}, workspace);
    factor.multiply(system, {back.data(), n, columns, ld}, {back.data(), n, columns, ld},
                    workspace);
    for (Index c = 0; c < columns; ++c) {
      std::vector<double> sum(static_cast<std::size_t>(n), 0), size(sum);
      for (Index j = 0; j < n; ++j)
        for (Offset k = l.col_ptr[j]; k < l.col_ptr[j + 1]; ++k) {
          const Index to = system == System::L ? l.row[k] : j,
                      from = system == System::L ? j : l.row[k];
          const double term =
              static_cast<double>(l.value[k]) * static_cast<double>(b[c * ld + from]);
          sum[to] += term, size[to] += std::abs(term);
        }
      const double eps = std::numeric_limits<T>::epsilon();
      for (Index i = 0; i < n; ++i) {
        ASSERT_NEAR(x[c * ld + i], sum[i], 50 * eps * size[i]) << i;
        ASSERT_NEAR(back[c * ld + i], b[c * ld + i], 2000 * eps) << i;
      }
      for (Offset i = n; i < ld; ++i) ASSERT_EQ(x[c * ld + i], T(-7));
    }
  }
}

template <class T>
void products_are_those_with_l(Backend& backend, const PlanWith& plan_of,
                               const std::vector<OwnedPattern>& patterns) {
  for (const OwnedPattern& a : patterns) {
    const auto factor =
        factor_of<T>(plan_of(a.view(), {}), random_dominant<T>(a.view(), 8), backend);
    check_products<T>(factor, 1, 1);
    check_products<T>(factor, 5, 3);
  }
  const OwnedPattern a = chain_pattern(4);
  const auto factor = factor_of<T>(plan_of(a.view(), {}), random_dominant<T>(a.view(), 8), backend);
  auto workspace = Workspace<T>::create(factor, 1);
  std::vector<T> x(4, T(1));
  for (const System system : {System::A, System::B, System::P, System::Pt})
    EXPECT_EQ(
        error_text(ErrorKind::usage,
                   [&] {
                     factor.multiply(system, {x.data(), 4, 1, 4}, {x.data(), 4, 1, 4}, workspace);
                   }),
        "multiply: the system must be L or Lt");
}

/// With x2 of the solution, expand() returns the solution; with another x2 it solves the first rows
/// for it. S x2 = g has the former x2. y and g: from condense() for b.
template <class T>
void check_expansion(const Factor<T>& factor, const SchurComplement<T>& schur, const Pattern& p,
                     const std::vector<T>& value, const std::vector<T>& b, std::vector<T> y,
                     const std::vector<T>& g, const std::vector<Index>& last, double bound) {
  const Index n = p.n, count = schur.order();
  auto workspace = Workspace<T>::create(factor, 1);
  std::vector<T> solution = b, x(b.size()), x2(last.size()), kept = y;
  factor.solve({solution.data(), n, 1, n}, workspace);
  for (Index j = 0; j < count; ++j) x2[j] = solution[last[j]];
  std::vector<T> by_s = g, scratch(b.size());
  schur.solve(factor, {by_s.data(), count, 1, count}, {by_s.data(), count, 1, count},
              {scratch.data(), n, 1, n}, workspace);
  for (Index j = 0; j < count; ++j) ASSERT_NEAR(by_s[j], x2[j], bound) << j;
  schur.expand(factor, {y.data(), n, 1, n}, {x2.data(), count, 1, count}, {x.data(), n, 1, n},
               workspace);
  for (Index i = 0; i < n; ++i) ASSERT_NEAR(x[i], solution[i], bound) << i;
  for (T& v : x2) v = T(2);
  schur.expand(factor, {kept.data(), n, 1, n}, {x2.data(), count, 1, count}, {kept.data(), n, 1, n},
               workspace);
  std::vector<double> rest(b.begin(), b.end());
  for (Index j = 0; j < n; ++j)
    for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
      rest[p.row[k]] -= static_cast<double>(value[k]) * static_cast<double>(kept[j]);
      if (p.row[k] != j)
        rest[j] -= static_cast<double>(value[k]) * static_cast<double>(kept[p.row[k]]);
    }
  for (Index i = 0; i < n; ++i) {
    if (std::find(last.begin(), last.end(), i) == last.end()) {
      ASSERT_NEAR(rest[i], 0, 10 * bound) << i;
    } else {
      ASSERT_NEAR(kept[i], 2, bound) << i;
    }
  }
}

/// Compares S and g with dense elimination of all rows outside `last`, and solves with S against
/// those with A.
template <class T>
void check_schur(Backend& backend, const PlanWith& plan_of, const OwnedPattern& a,
                 const std::vector<Index>& last, OrderingMethod method) {
  AnalyzeOptions options;
  options.ordering.method = method;
  options.ordering.last = last;
  const auto plan = plan_of(a.view(), options);
  const std::vector<T> value = random_dominant<T>(a.view(), 6);
  const auto factor = factor_of<T>(plan, value, backend);
  const Index n = a.n(), count = static_cast<Index>(last.size()), begin = n - count;
  const std::vector<double> wide(value.begin(), value.end());
  std::vector<double> d = dense<double>({a.view(), wide}, plan->perm),
                      rhs(static_cast<std::size_t>(n));
  std::vector<T> b(rhs.size());
  for (Index i = 0; i < n; ++i)
    b[i] = static_cast<T>(1 + i % 3), rhs[plan->perm.new_of(i)] = static_cast<double>(b[i]);
  for (Index k = 0; k < begin; ++k)
    for (Index i = k + 1; i < n; ++i) {
      const double f = d[Offset{i} * n + k] / d[Offset{k} * n + k];
      for (Index j = k; j < n; ++j) d[Offset{i} * n + j] -= f * d[Offset{k} * n + j];
      rhs[i] -= f * rhs[k];
    }
  const SchurComplement<T> schur(factor, count);
  ASSERT_EQ(schur.order(), count);
  const Offset ld = count + 1;
  std::vector<T> s(static_cast<std::size_t>(ld * count) + 1, T(-7)), y(b.size()),
      g(static_cast<std::size_t>(count));
  schur.write({s.data(), count, count, ld});
  auto workspace = Workspace<T>::create(factor, 1);
  schur.condense(factor, {b.data(), n, 1, n}, {y.data(), n, 1, n}, {g.data(), count, 1, count},
                 workspace);
  double largest = 1;
  for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(d[Offset{i} * n + i]));
  const double bound = largest * (sizeof(T) == 8 ? 1e-12 : 1e-4);
  for (Index j = 0; j < count; ++j) {
    ASSERT_EQ(plan->perm.old_of(begin + j), last[j]);
    ASSERT_NEAR(g[j], rhs[begin + j], bound) << j;
    for (Index i = 0; i < count; ++i) {
      if (i < j) {
        ASSERT_EQ(s[i + j * ld], T(-7));
      } else {
        ASSERT_NEAR(s[i + j * ld], d[Offset{begin + i} * n + begin + j], bound) << i << " " << j;
      }
    }
  }
  check_expansion<T>(factor, schur, a.view(), value, b, y, g, last, bound);
}

/// The last rows are none, one, some, or all.
template <class T>
void schur_complements_are_those_of_elimination(Backend& backend, const PlanWith& plan_of,
                                                const std::vector<OrderingMethod>& methods) {
  for (const OrderingMethod method : methods) {
    SCOPED_TRACE(name_of(method));
    for (const OwnedPattern& a : {chain_pattern(1), chain_pattern(20), grid_pattern(6, 5, 2),
                                  random_pattern(60, 3, 2), random_pattern(40, 1, 5)})
      for (const Index count : {0, 1, 7, a.n()}) {
        SCOPED_TRACE(std::to_string(a.n()) + " " + std::to_string(count));
        const Permutation order = random_order(a.n(), 9);
        check_schur<T>(backend, plan_of, a,
                       {order.old_of().begin(), order.old_of().begin() + std::min(count, a.n())},
                       method);
      }
  }
}

/// schur: of the last three of six rows of a valid factor, which workspace belongs to.
template <class T>
void shapes_that_schur_complements_refuse(const Factor<T>& factor, const SchurComplement<T>& schur,
                                          Workspace<T>& workspace) {
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  std::vector<T> x(12, T(2));
  EXPECT_EQ(refused([&] {
              schur.write({x.data(), 2, 3, 3});
            }),
            "Schur complement: s is not a matrix of 3 x 3");
  EXPECT_EQ(refused([&] {
              schur.condense(factor, {x.data(), 6, 1, 6}, {x.data(), 6, 1, 6}, {x.data(), 3, 2, 3},
                             workspace);
            }),
            "Schur complement: g is not a matrix of 3 x 1");
  EXPECT_EQ(refused([&] {
              schur.expand(factor, {x.data(), 5, 1, 5}, {x.data(), 3, 1, 3}, {x.data(), 6, 1, 6},
                           workspace);
            }),
            "Schur complement: y is not a matrix of 6 x 1");
  EXPECT_EQ(refused([&] {
              schur.expand(factor, {x.data(), 6, 1, 6}, {x.data(), 2, 1, 2}, {x.data(), 6, 1, 6},
                           workspace);
            }),
            "Schur complement: x2 is not a matrix of 3 x 1");
}

/// twin: a factor of the same matrix by another plan. Nothing is written before all is known to
/// fit.
template <class T>
void factors_that_schur_complements_refuse(Factor<T>& factor, const Factor<T>& twin,
                                           const SchurComplement<T>& schur, Workspace<T>& workspace,
                                           std::vector<T> bad) {
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  std::vector<T> x(12, T(2));
  EXPECT_EQ(refused([&] {
              schur.condense(twin, {x.data(), 6, 1, 6}, {x.data(), 6, 1, 6}, {x.data(), 3, 1, 3},
                             workspace);
            }),
            "Schur complement: the factor has another plan, expected the plan this was made for");
  EXPECT_EQ(refused([&] {
              schur.expand(twin, {x.data(), 6, 1, 6}, {x.data(), 3, 1, 3}, {x.data(), 6, 1, 6},
                           workspace);
            }),
            "Schur complement: the factor has another plan, expected the plan this was made for");
  const std::vector<T> before = x;
  auto theirs = Workspace<T>::create(twin, 1);
  EXPECT_EQ(refused([&] {
              schur.expand(factor, {x.data(), 6, 1, 6}, {x.data() + 6, 3, 1, 3}, {nullptr, 6, 1, 6},
                           workspace);
            }),
            "solve: x is null, expected an address");
  EXPECT_EQ(refused([&] {
              schur.solve(factor, {x.data() + 6, 3, 1, 3}, {x.data() + 9, 3, 1, 3},
                          {x.data(), 6, 1, 6}, theirs);
            }),
            "solve: the workspace was made for another plan; make one for this factor");
  bad[0] = T(-1);
  ASSERT_FALSE(refactorize<T>(factor, bad).ok());
  EXPECT_EQ(refused([&] {
              schur.expand(factor, {x.data(), 6, 1, 6}, {x.data() + 6, 3, 1, 3},
                           {x.data(), 6, 1, 6}, workspace);
            }),
            "Schur complement: the factor is not valid (no successful factorisation yet, or the "
            "last one broke down): call refactorize() first");
  EXPECT_EQ(refused([&] {
              schur.solve(factor, {x.data() + 6, 3, 1, 3}, {x.data() + 9, 3, 1, 3},
                          {x.data(), 6, 1, 6}, workspace);
            }),
            "Schur complement: the factor is not valid (no successful factorisation yet, or the "
            "last one broke down): call refactorize() first");
  EXPECT_EQ(x, before);
}

template <class T>
void what_schur_complements_refuse(Backend& backend, const PlanWith& plan_of) {
  const OwnedPattern a = chain_pattern(6);
  auto factor = Factor<T>::create(plan_of(a.view(), {}), backend);
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  EXPECT_EQ(refused([&] { SchurComplement<T>(factor, 2); }),
            "Schur complement: the factor is not valid (no successful factorisation yet, or the "
            "last one broke down): call refactorize() first");
  ASSERT_TRUE(refactorize<T>(factor, random_dominant<T>(a.view(), 1)).ok());
  EXPECT_EQ(refused([&] { SchurComplement<T>(factor, 7); }),
            "Schur complement: count is 7, expected 0 to 6");
  EXPECT_EQ(refused([&] { SchurComplement<T>(factor, -1); }),
            "Schur complement: count is -1, expected 0 to 6");
  const SchurComplement<T> schur(factor, 3);
  auto workspace = Workspace<T>::create(factor, 1);
  shapes_that_schur_complements_refuse(factor, schur, workspace);
  const auto twin = factor_of<T>(plan_of(a.view(), {}), random_dominant<T>(a.view(), 1), backend);
  factors_that_schur_complements_refuse(factor, twin, schur, workspace,
                                        random_dominant<T>(a.view(), 1));
}

}  // namespace kauri::test
