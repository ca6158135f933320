// Residuals and backward errors (Arioli, Demmel & Duff 1989) on the CPU, parallel over fixed chunks of rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/residual.hpp"

#include <cmath>
#include <numeric>

#include "numeric/cpu/residual_rows.hpp"

namespace kauri::numeric::cpu {
namespace {

/// Entries of a chunk of rows: fixed, so that nothing depends on the number of threads.
constexpr Offset kChunkEntries = Offset{1} << 15;

template <class T>
double norm_inf(const T* x, Index n) {
  double m = 0;
  for (Index i = 0; i < n; ++i) m = max_or_nan(std::abs(static_cast<double>(x[i])), m);
  return m;
}

}  // namespace

template <class T>
RowKernels<T> row_kernels() {
#if defined(__x86_64__)
  if (host_target() != "cpu-generic") return {fused::rows, fused::product_rows};
#endif
  return {portable::rows, portable::product_rows};
}
template RowKernels<float> row_kernels();
template RowKernels<double> row_kernels();

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
  const ResidualRows<T> rows{row_ptr_.data(), col_.data(), source_.data(), value.data(), x, b, norm_inf(x, n)};
  const auto compute = row_kernels<T>().residual;
  std::vector<ResidualWorst> worst(chunk_.size() - 1);
  workers_.parallel(static_cast<Index>(worst.size()), [&](Index c) { worst[c] = compute(rows, chunk_[c], chunk_[c + 1], r); });
  ResidualWorst all;
  for (const ResidualWorst& w : worst) {
    all.residual = max_or_nan(w.residual, all.residual);
    all.row_norm = max_or_nan(w.row_norm, all.row_norm);
    all.componentwise = max_or_nan(w.componentwise, all.componentwise);
  }
  const double scale = all.row_norm * rows.x_norm + norm_inf(b, n);
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

template <class T>
void CpuResidual<T>::multiply(std::span<const T> value, MatrixView<const T> x, MatrixView<T> y) const {
  const auto compute = row_kernels<T>().product;
  workers_.execute([&] {
    for (Index c = 0; c < x.cols; ++c) {
      const ResidualRows<T> rows{row_ptr_.data(), col_.data(), source_.data(), value.data(), x.data + c * x.ld, nullptr, 0};
      T* out = y.data + c * y.ld;
      workers_.parallel(static_cast<Index>(chunk_.size()) - 1, [&](Index k) { compute(rows, chunk_[k], chunk_[k + 1], out); });
    }
  });
}

template class CpuResidual<float>;
template class CpuResidual<double>;

}  // namespace kauri::numeric::cpu
