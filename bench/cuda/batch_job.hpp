// Input of the benchmarks of batches: values of all items, right-hand sides, residuals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "kauri/core/matrix.hpp"

namespace kauri::bench {

/// Values and right-hand sides of a batch. Each item is A with its diagonal raised by 0 to 10 %, a
/// different share for each; right-hand sides are stored item after item.
template <class T>
struct BatchJob {
  SymmetricMatrix<double> a;
  std::vector<T> value, b;
  Index items, nrhs;

  BatchJob(SymmetricMatrix<double> matrix, Index of_items, Index columns)
      : a(std::move(matrix)), items(of_items), nrhs(columns) {
    const Pattern& pattern = a.pattern();
    for (Index k = 0; k < items; ++k) {
      const std::size_t at = value.size();
      value.insert(value.end(), a.value().begin(), a.value().end());
      for (Index j = 0; j < pattern.n; ++j)
        value[at + static_cast<std::size_t>(pattern.col_ptr[j])] *= T(1 + 0.001 * (k % 100));
    }
    b.resize(static_cast<std::size_t>(Offset{items} * nrhs * a.n()));
    std::mt19937_64 random(1);
    for (T& x : b) x = static_cast<T>(std::uniform_real_distribution<>(-1, 1)(random));
  }

  /// Returns the worst residual |b - A x| / (|A| |x| + |b|) over every 37th item.
  [[nodiscard]] double residual(const std::vector<T>& x) const {
    double worst = 0;
    const Pattern& pattern = a.pattern();
    const Index n = a.n();
    for (Index k = 0; k < items; k += 37)
      for (Index c = 0; c < nrhs; ++c) {
        const std::size_t at = static_cast<std::size_t>((Offset{k} * nrhs + c) * n);
        std::vector<double> r(b.begin() + at, b.begin() + at + n), row(n, 0.0);
        for (Index j = 0; j < n; ++j)
          for (Offset e = pattern.col_ptr[j]; e < pattern.col_ptr[j + 1]; ++e) {
            const Index i = pattern.row[e];
            const double v = value[static_cast<std::size_t>(k * pattern.nnz() + e)];
            r[i] -= v * x[at + j], row[i] += std::abs(v);
            if (i != j) r[j] -= v * x[at + i], row[j] += std::abs(v);
          }
        double most = 0, norm_a = 0, norm_x = 0, norm_b = 0;
        for (Index i = 0; i < n; ++i)
          most = std::max(most, std::isnan(r[i]) ? 1e300 : std::abs(r[i])),
          norm_a = std::max(norm_a, row[i]), norm_x = std::max(norm_x, std::abs(double(x[at + i]))),
          norm_b = std::max(norm_b, std::abs(double(b[at + i])));
        worst = std::max(worst, most / (norm_a * norm_x + norm_b));
      }
    return worst;
  }
};

}  // namespace kauri::bench
