// Residuals and backward errors on the CPU. Sums by error-free transformations (Ogita, Rump & Oishi 2005, Dot2); the backward errors are
// those of Arioli, Demmel & Duff 1989.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kauri::numeric::cpu {
namespace {

/// Entries of a chunk of rows: fixed, so that nothing depends on the number of threads.
constexpr Offset kChunkEntries = Offset{1} << 15;

/// A running sum with its rounding errors collected.
template <class T>
struct Dot2 {
  T sum, error = 0;
  void add_product(T a, T b) {
    if constexpr (sizeof(T) == 4) {
      // A product of two floats is exact in double.
      wide += static_cast<double>(a) * static_cast<double>(b);
    } else {
      const T product = a * b;
      const T product_error = std::fma(a, b, -product);
      const T next = sum + product;
      const T shadow = next - sum;
      error += (sum - (next - shadow)) + (product - shadow) + product_error;
      sum = next;
    }
  }
  [[nodiscard]] T value() const { return sizeof(T) == 4 ? static_cast<T>(static_cast<double>(sum) + wide) : sum + error; }
  double wide = 0;
};

/// max that lets a NaN through.
double max_or_nan(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

/// What rows say about the errors.
struct Worst {
  double residual = 0, row_norm = 0, componentwise = 0;
  void merge(double r, double norm, double c) {
    residual = max_or_nan(r, residual);
    row_norm = max_or_nan(norm, row_norm);
    componentwise = max_or_nan(c, componentwise);
  }
};

template <class T>
double norm_inf(const T* x, Index n) {
  double m = 0;
  for (Index i = 0; i < n; ++i) m = max_or_nan(std::abs(static_cast<double>(x[i])), m);
  return m;
}

}  // namespace

template <class T>
CpuResidual<T>::CpuResidual(const Pattern& lower, Workers& workers) : workers_(workers) {
  const Index n = lower.n;
  row_ptr_.assign(static_cast<std::size_t>(n) + 1, 0);
  for (Index j = 0; j < n; ++j)
    for (Offset k = lower.col_ptr[j]; k < lower.col_ptr[j + 1]; ++k) {
      ++row_ptr_[lower.row[k] + 1];
      if (lower.row[k] != j) ++row_ptr_[j + 1];
    }
  std::partial_sum(row_ptr_.begin(), row_ptr_.end(), row_ptr_.begin());
  col_.resize(static_cast<std::size_t>(row_ptr_[n]));
  source_.resize(col_.size());
  std::vector<Offset> next(row_ptr_.begin(), row_ptr_.end() - 1);
  const auto place = [&](Index i, Index j, Offset k) {
    col_[next[i]] = j;
    source_[next[i]++] = k;
  };
  for (Index j = 0; j < n; ++j)
    for (Offset k = lower.col_ptr[j]; k < lower.col_ptr[j + 1]; ++k) {
      place(lower.row[k], j, k);
      if (lower.row[k] != j) place(j, lower.row[k], k);
    }
  chunk_.push_back(0);
  for (Index i = 0; i < n; ++i)
    if (row_ptr_[i + 1] - row_ptr_[chunk_.back()] >= kChunkEntries || i + 1 == n) chunk_.push_back(i + 1);
}

template <class T>
BackwardError CpuResidual<T>::column(std::span<const T> value, const T* x, const T* b, T* r) const {
  const auto n = static_cast<Index>(row_ptr_.size()) - 1;
  const double x_norm = norm_inf(x, n), b_norm = norm_inf(b, n), eps = std::numeric_limits<T>::epsilon();
  const auto chunks = static_cast<Index>(chunk_.size()) - 1;
  std::vector<Worst> worst(static_cast<std::size_t>(chunks));
  workers_.parallel(chunks, [&](Index c) {
    Worst w;
    for (Index i = chunk_[c]; i < chunk_[c + 1]; ++i) {
      Dot2<T> sum{b[i]};
      double magnitude = std::abs(static_cast<double>(b[i])), row_norm = 0;
      for (Offset k = row_ptr_[i]; k < row_ptr_[i + 1]; ++k) {
        const T a = value[source_[k]], xj = x[col_[k]];
        sum.add_product(-a, xj);
        magnitude += std::abs(static_cast<double>(a) * static_cast<double>(xj));
        row_norm += std::abs(static_cast<double>(a));
      }
      r[i] = sum.value();
      const double residual = std::abs(static_cast<double>(r[i])), entries = static_cast<double>(row_ptr_[i + 1] - row_ptr_[i]);
      // A denominator that is all rounding tells nothing: the second kind of row of Arioli, Demmel & Duff.
      const double noise = 1000 * entries * eps * (row_norm * x_norm + std::abs(static_cast<double>(b[i])));
      const double scale = magnitude > noise ? magnitude : magnitude + row_norm * x_norm;
      w.merge(residual, row_norm, residual == 0 ? 0 : residual / scale);
    }
    worst[c] = w;
  });
  Worst all;
  for (const Worst& w : worst) all.merge(w.residual, w.row_norm, w.componentwise);
  const double scale = all.row_norm * x_norm + b_norm;
  return {all.residual == 0 ? 0 : all.residual / scale, all.componentwise};
}

template <class T>
BackwardError CpuResidual<T>::residual(std::span<const T> value, MatrixView<const T> x, MatrixView<const T> b, MatrixView<T> r) const {
  BackwardError error;
  workers_.execute([&] {
    for (Index c = 0; c < x.cols; ++c) {
      const BackwardError e = column(value, x.data + c * x.ld, b.data + c * b.ld, r.data + c * r.ld);
      error.normwise = max_or_nan(e.normwise, error.normwise);
      error.componentwise = max_or_nan(e.componentwise, error.componentwise);
    }
  });
  return error;
}

template class CpuResidual<float>;
template class CpuResidual<double>;

}  // namespace kauri::numeric::cpu
