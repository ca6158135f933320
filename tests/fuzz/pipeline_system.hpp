// Decodes arbitrary bytes as a small symmetric system with options, for the target that runs the
// whole pipeline.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/common/splitmix64.hpp"
#include "kauri/kauri.hpp"
#include "tests/fuzz/graph_bytes.hpp"

namespace kauri::fuzz {

/// Checks beyond analysis, factorisation and solves. Each takes time, so bytes of the input select
/// them.
struct Checks {
  bool threads = false, solver = false, mixed = false, device_plan = false;
};

inline Permutation shuffled(Index n, std::uint64_t state) {
  std::vector<Index> old_of(static_cast<std::size_t>(n));
  std::iota(old_of.begin(), old_of.end(), 0);
  for (Index k = n - 1; k > 0; --k)
    std::swap(old_of[k], old_of[splitmix64(state) % (static_cast<std::uint64_t>(k) + 1)]);
  return Permutation::from_old_of(std::move(old_of));
}

/// Decodes options from four bytes, and one more for each `last` row.
inline AnalyzeOptions options_of(Bytes& bytes, Index n) {
  constexpr OrderingMethod kMethods[] = {
      OrderingMethod::natural, OrderingMethod::rcm,          OrderingMethod::minimum_degree,
      OrderingMethod::amd,     OrderingMethod::parallel_amd, OrderingMethod::nested_dissection,
      OrderingMethod::metis,   OrderingMethod::automatic};
  constexpr Effort kEfforts[] = {Effort::standard, Effort::fast, Effort::best};
  constexpr TieBreak kTies[] = {TieBreak::last, TieBreak::first, TieBreak::pseudo_peripheral};
  constexpr double kDense[] = {10, 0, 0.01, 0.5};
  const std::uint8_t method = bytes.next(), flags = bytes.next(), choice = bytes.next(),
                     last = bytes.next();
  AnalyzeOptions options;
  options.ordering.method = kMethods[method % 8];
  if (!ordering_available(options.ordering.method))
    options.ordering.method = OrderingMethod::automatic;
  options.ordering.effort = kEfforts[method / 8 % 3];
  options.amalgamate = (flags & 1) == 0;
  options.ordering.compress = (flags & 2) == 0;
  options.ordering.aggressive = (flags & 4) == 0;
  options.workers = 1 + flags / 8 % 4;
  options.solves = flags < 224 ? 1 : 100;
  options.ordering.tie_break = kTies[choice % 3];
  options.ordering.dense = kDense[choice / 4 % 4];
  options.ordering.delta = choice / 16 % 4;
  options.ordering.seed = choice;
  for (int k = last < 192 ? 0 : last % 8; k > 0 && n > 0; --k)
    if (const Index row = bytes.next() % n;
        std::ranges::find(options.ordering.last, row) == options.ordering.last.end())
      options.ordering.last.push_back(row);
  if (last >= 160 && last < 192) options.permutation = shuffled(n, last);
  return options;
}

/// Returns entries below the diagonal: those of a shape, then a few runs of edges from bytes.
inline std::vector<std::pair<Index, Index>> edges_of_shape(Bytes& bytes, Index n,
                                                           std::uint8_t shape) {
  std::vector<std::pair<Index, Index>> edges;
  const Index block = 1 + shape / 8 % 16;
  for (Index i = 1; i < n; ++i) switch (shape % 8) {
      case 0:  // dense
        for (Index j = 0; j < i; ++j) edges.emplace_back(i, j);
        break;
      case 1:  // arrows: the first row is dense, or the last
        edges.emplace_back(shape < 128 ? i : n - 1, shape < 128 ? 0 : i - 1);
        break;
      case 2:  // a chain
        edges.emplace_back(i, i - 1);
        break;
      case 3:  // dense blocks
        for (Index j = i / block * block; j < i; ++j) edges.emplace_back(i, j);
        break;
      case 4:  // a grid
        if (i % block != 0) edges.emplace_back(i, i - 1);
        if (i >= block) edges.emplace_back(i, i - block);
        break;
      case 5:  // a band
        for (Index j = std::max(0, i - block); j < i; ++j) edges.emplace_back(i, j);
        break;
      default:  // a diagonal matrix
        break;
    }
  for (int k = bytes.next() % 16; k > 0 && n > 0; --k) {
    const Index u = bytes.next() % n, v = bytes.next() % n, step = bytes.next();
    for (Index e = 0, i = u, j = v; e <= step % 16;
         ++e, i = (i + step / 16 % 4) % n, j = (j + 1 + step / 64) % n)
      if (i != j) edges.emplace_back(std::max(i, j), std::min(i, j));
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

/// Returns a matrix with these entries, all zero, and a stored diagonal.
template <class T>
SymmetricMatrix<T> matrix_of(Index n, const std::vector<std::pair<Index, Index>>& edges) {
  std::vector<Index> row, col;
  for (const auto& [i, j] : edges) row.push_back(i), col.push_back(j);
  return SymmetricMatrix<T>::from_triplets(n, row, col, std::vector<T>(edges.size(), T(0)),
                                           Storage::lower);
}

/// A stream of pseudo-random numbers.
class Draws {
 public:
  explicit Draws(std::uint64_t state) : state_(state) {}
  /// Returns a number from -16 to 16, a multiple of one sixteenth, never zero.
  double next() {
    const double draw = static_cast<double>(splitmix64(state_) % 32) - 15.5;
    return draw / 16;
  }
  int below(int bound) {
    return static_cast<int>(splitmix64(state_) % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t state_;
};

/// Sets the values by kind: strictly dominant (most kinds), singular or nearly singular, of low
/// rank, of any sign.
template <class T>
void fill(SymmetricMatrix<T>& a, std::uint8_t kind, std::uint64_t seed) {
  const Pattern p = a.pattern();
  const auto value = a.value();
  Draws draws(seed);
  std::vector<double> u(static_cast<std::size_t>(p.n)), diagonal(u.size(), 0.0);
  for (double& entry : u) entry = draws.next();
  const bool laplacian = kind % 16 == 10 || kind % 16 == 11, low_rank = kind % 16 == 12;
  for (Index j = 0; j < p.n; ++j)
    for (Offset k = p.col_ptr[j] + 1; k < p.col_ptr[j + 1]; ++k) {
      const double entry = laplacian  ? -std::abs(draws.next())
                           : low_rank ? u[j] * u[p.row[k]]
                                      : draws.next();
      value[k] = static_cast<T>(entry);
      diagonal[j] += std::abs(entry), diagonal[p.row[k]] += std::abs(entry);
    }
  for (Index j = 0; j < p.n; ++j) {
    double entry = diagonal[j] + 0.125;
    if (kind % 16 == 10) entry = diagonal[j];
    if (kind % 16 == 11)
      entry = diagonal[j] *
              (1 + (kind / 16 - 4) * static_cast<double>(std::numeric_limits<T>::epsilon()));
    if (low_rank)
      entry =
          u[j] * u[j] * (1 + (kind / 16) * static_cast<double>(std::numeric_limits<T>::epsilon()));
    if (kind % 16 == 13) entry = 16 * draws.next();
    if (kind % 16 == 14) entry = diagonal[j] / (1 + kind / 16);
    value[p.col_ptr[j]] = static_cast<T>(entry);
  }
}

/// Computes S A S with powers of two in S: ones, the same in all rows, or graded. Two kinds in
/// sixteen lie near the ends of T's range; the others stay within the sizes for which
/// pipeline_oracle.hpp bounds rounding errors.
template <class T>
void scale(SymmetricMatrix<T>& a, std::uint8_t kind, std::uint64_t seed) {
  constexpr bool kDouble = sizeof(T) == 8;
  const Pattern p = a.pattern();
  Draws draws(seed);
  std::vector<int> power(static_cast<std::size_t>(p.n), 0);
  const int even = kind % 16 == 8   ? -1
                   : kind % 16 == 9 ? 1
                                    : 0,
            far = kind % 16 == 10   ? -1
                  : kind % 16 == 11 ? 1
                                    : 0;
  const int grade = kind % 16 >= 12 ? (kDouble ? 100 : 12) : 0;
  for (int& of_row : power)
    of_row = even * (kDouble ? 350 : 25) + far * (kDouble ? 509 : 62) +
             (grade > 0 ? draws.below(2 * grade) - grade : 0);
  for (Index j = 0; j < p.n; ++j)
    for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k)
      a.value()[k] = std::ldexp(a.value()[k], power[j] + power[p.row[k]]);
}

/// Sets a few entries to invalid or unusual values, from two bytes each and four for the place.
template <class T>
void spoil(SymmetricMatrix<T>& a, Bytes& bytes) {
  using Limits = std::numeric_limits<T>;
  constexpr T kWrong[] = {T(0),
                          T(-0.0),
                          Limits::quiet_NaN(),
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::max(),
                          Limits::lowest(),
                          Limits::min(),
                          Limits::denorm_min(),
                          T(-1),
                          T(1e-9),
                          T(1e9)};
  const std::uint8_t many = bytes.next();
  for (int k = many < 160 ? 0 : many % 8; k > 0 && a.nnz() > 0; --k) {
    const std::uint8_t kind = bytes.next();
    const Index at = bytes.below(static_cast<Index>(a.nnz()));
    const Offset place =
        kind < 128 ? at : a.pattern().col_ptr[at % a.n()];  // any entry, or a diagonal one
    T& entry = a.value()[static_cast<std::size_t>(place)];
    entry = kind % 16 < 12 ? kWrong[kind % 16] : -entry;
  }
}

}  // namespace kauri::fuzz
