// Systems of three families whose condition number a parameter controls, for tests and bench/mixed
// to exercise mixed precision.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kauri/extras/generate.hpp"

namespace kauri::conditioned {

/// Sparse symmetric matrix under assembly: add() sums values of (i, j) and (j, i), as element
/// matrices need.
class Entries {
 public:
  void add(Index i, Index j, double v) { value_[{std::min(i, j), std::max(i, j)}] += v; }
  [[nodiscard]] SymmetricMatrix<double> matrix(Index n) const {
    std::vector<Index> row, col;
    std::vector<double> value;
    for (const auto& [place, v] : value_)
      row.push_back(place.second), col.push_back(place.first), value.push_back(v);
    return SymmetricMatrix<double>::from_triplets(n, row, col, value, Storage::lower);
  }

 private:
  std::map<std::pair<Index, Index>, double> value_;
};

/// Returns the Laplacian of a k x k grid, whose eigenvalues are known (4 - 2 cos - 2 cos), with the
/// multiple of I added that gives the condition number `condition`.
inline SymmetricMatrix<double> moved_laplacian(Index k, double condition) {
  SymmetricMatrix<double> a = generate("poisson2d " + std::to_string(k));
  const double least = 8 * std::pow(std::sin(std::acos(-1.0) / (2 * (k + 1))), 2),
               greatest = 8 - least;
  const double move = (greatest - condition * least) / (condition - 1);
  for (Index j = 0; j < a.n(); ++j)
    a.value()[static_cast<std::size_t>(a.pattern().col_ptr[j])] += move;
  return a;
}

/// Returns the stiffness of bars between the nodes of a grid of k x k cells, two unknowns a node,
/// clamped at one side. Bars within a block in the middle are `contrast` times as stiff. Scaling
/// cannot remove the small eigenvalues, which belong to rigid motions of the block.
inline SymmetricMatrix<double> bars(Index k, double contrast) {
  Entries entries;
  const Index side = k + 1;
  const auto node = [&](Index i, Index j) {
    return (i - 1) * side + j;
  };  // nodes with i = 0 are clamped
  const auto inside = [&](Index i) { return 3 * i >= k && 3 * i <= 2 * k; };
  const auto bar = [&](Index i, Index j, Index p, Index q) {
    if (p > k || q > k || q < 0) return;
    const double length = std::hypot(p - i, q - j), d[2] = {(p - i) / length, (q - j) / length};
    const double stiff = (inside(i) && inside(j) && inside(p) && inside(q) ? contrast : 1) / length;
    for (int u = 0; u < 2; ++u)
      for (int v = 0; v < 2; ++v) {
        const double s = stiff * d[u] * d[v];
        if (i > 0 && u >= v) entries.add(2 * node(i, j) + u, 2 * node(i, j) + v, s);
        if (p > 0 && u >= v) entries.add(2 * node(p, q) + u, 2 * node(p, q) + v, s);
        if (i > 0 && p > 0) entries.add(2 * node(p, q) + u, 2 * node(i, j) + v, -s);
      }
  };
  for (Index i = 0; i <= k; ++i)
    for (Index j = 0; j <= k; ++j) {
      bar(i, j, i + 1, j);
      bar(i, j, i, j + 1);
      bar(i, j, i + 1, j + 1);
      bar(i, j, i + 1, j - 1);
    }
  return entries.matrix(2 * k * side);
}

/// Returns a lower bound of the largest eigenvalue, by power iteration. Requires that the largest
/// eigenvalue is also the largest in magnitude.
inline double greatest_eigenvalue(const SymmetricMatrix<double>& a) {
  constexpr int kSteps = 200;
  const Pattern p = a.pattern();
  std::vector<double> x(static_cast<std::size_t>(p.n)), image(x.size());
  std::mt19937_64 random(1);
  for (double& v : x) v = std::uniform_real_distribution<double>(-1, 1)(random);
  double greatest = 0;
  for (int step = 0; step < kSteps; ++step) {
    std::fill(image.begin(), image.end(), 0.0);
    for (Index j = 0; j < p.n; ++j)
      for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
        const auto row = static_cast<std::size_t>(p.row[k]), col = static_cast<std::size_t>(j);
        const double v = a.value()[static_cast<std::size_t>(k)];
        image[row] += v * x[col];
        if (row != col) image[col] += v * x[row];
      }
    double size = 0, along = 0;
    for (std::size_t i = 0; i < x.size(); ++i) size += x[i] * x[i], along += x[i] * image[i];
    greatest = along / size;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = image[i] / greatest;
  }
  return greatest;
}

/// Returns D A D: A is the Laplacian of a random graph plus a small multiple of I that gives A
/// about this condition number, D holds random powers of ten between 10^-reach and 10^reach.
inline SymmetricMatrix<double> random_scaled(Index n, double condition, double reach,
                                             std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Entries entries;
  const auto draw = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (Index k = 0; k < 4 * n; ++k) {
    const auto i = static_cast<Index>(k < n ? k : random() % static_cast<std::uint64_t>(n));
    const auto j =
        static_cast<Index>(k < n ? (k + 1) % n : random() % static_cast<std::uint64_t>(n));
    if (i == j) continue;
    const double w = draw(0.1, 1);
    entries.add(i, i, w), entries.add(j, j, w), entries.add(i, j, -w);
  }
  SymmetricMatrix<double> a = entries.matrix(n);
  const double greatest = greatest_eigenvalue(a);
  std::vector<double> d(static_cast<std::size_t>(n));
  for (double& v : d) v = std::pow(10.0, draw(-reach, reach));
  const Pattern p = a.pattern();
  for (Index j = 0; j < n; ++j)
    for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
      double& v = a.value()[static_cast<std::size_t>(k)];
      if (k == p.col_ptr[j]) v += greatest / condition;
      v = v * d[static_cast<std::size_t>(j)] * d[static_cast<std::size_t>(p.row[k])];
    }
  return a;
}

}  // namespace kauri::conditioned
