// Residuals and backward errors (Arioli, Demmel & Duff 1989) on the CPU, parallel over fixed chunks
// of rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/matrix/residual.hpp"

#include <numeric>

#include "numeric/backward_error.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cpu {
namespace {

/// Least entries of a chunk of rows, but for the last one: fixed, so that chunks do not depend on
/// the number of threads.
constexpr Offset kChunkEntries = Offset{1} << 15;

}  // namespace

template <class T>
RowKernels<T> row_kernels() {
#if defined(__x86_64__)
  if (host_target() != "cpu-generic") return {fused::rows, fused::product_rows, fused::scaled_rows};
#endif
  return {portable::rows, portable::product_rows, portable::scaled_rows};
}
template RowKernels<float> row_kernels();
template RowKernels<double> row_kernels();

template <class T>
CpuResidual<T>::CpuResidual(const Pattern& lower, Workers& workers) : workers_(workers) {
  const Index n = lower.n;
  const StopCheck check_stop;
  left_ptr_.assign(static_cast<std::size_t>(n) + 1, 0);
  for (Index j = 0; j < n; ++j) {
    check_stop.at(j);
    for (Offset k = lower.col_ptr[j] + 1; k < lower.col_ptr[j + 1]; ++k)
      ++left_ptr_[lower.row[k] + 1];  // the diagonal comes first
  }
  std::partial_sum(left_ptr_.begin(), left_ptr_.end(), left_ptr_.begin());
  left_col_.resize(static_cast<std::size_t>(left_ptr_[n]));
  left_source_.resize(left_col_.size());
  std::vector<Offset> next(left_ptr_.begin(), left_ptr_.end() - 1);
  for (Index j = 0; j < n; ++j) {
    check_stop.at(j);
    for (Offset k = lower.col_ptr[j] + 1; k < lower.col_ptr[j + 1]; ++k) {
      const Offset at = next[lower.row[k]]++;
      left_col_[at] = j;
      left_source_[at] = k;
    }
  }
  chunk_.push_back(0);
  const auto entries_before = [&](Index i) { return left_ptr_[i] + lower.col_ptr[i]; };
  for (Index i = 0; i < n; ++i)
    if (entries_before(i + 1) - entries_before(chunk_.back()) >= kChunkEntries || i + 1 == n)
      chunk_.push_back(i + 1);
  worst_.resize(chunk_.size() - 1);
}

template <class T>
ResidualRows<T> CpuResidual<T>::rows(const SymmetricView<T>& a, const MatrixView<const T>& x,
                                     const MatrixView<const T>& b) const {
  const Offset x_step = strided(x).row, b_step = strided(b).row;
  return {left_ptr_.data(),
          left_col_.data(),
          left_source_.data(),
          a.pattern.col_ptr.data(),
          a.pattern.row.data(),
          a.value.data(),
          x.data,
          b.data,
          x_step,
          b_step,
          b.data != nullptr ? norm_inf(x.data, x_step, x.rows) : 0};
}

template <class T>
BackwardError CpuResidual<T>::column(const SymmetricView<T>& a, const MatrixView<const T>& x,
                                     const MatrixView<const T>& b, const MatrixView<T>& r) const {
  const ResidualRows<T> rows = this->rows(a, x, b);
  const ResidualColumn<T> out{r.data, strided(r).row};
  const auto compute = row_kernels<T>().residual;
  workers_.parallel(static_cast<Index>(worst_.size()),
                    [&](Index c) { worst_[c] = compute(rows, chunk_[c], chunk_[c + 1], out); });
  ResidualWorst all{};
  for (const ResidualWorst& part : worst_) all.take(part);
  return backward_error(all, rows.x_norm, norm_inf(b.data, rows.b_step, b.rows));
}

template <class T>
BackwardError CpuResidual<T>::residual(const SymmetricView<T>& a, MatrixView<const T> x,
                                       MatrixView<const T> b, MatrixView<T> r, ValuesAre) const {
  BackwardError error;
  workers_.execute([&] {
    error = worst_column(x.cols, [&](Index c) {
      return column(a, columns(x, c, 1), columns(b, c, 1), columns(r, c, 1));
    });
  });
  return error;
}

template <class T>
template <class F>
void CpuResidual<T>::each_chunk(const SymmetricView<T>& a, const MatrixView<const T>& x,
                                const MatrixView<T>& y, const F& compute) const {
  workers_.execute([&] {
    for (Index c = 0; c < x.cols; ++c) {
      const ResidualRows<T> rows = this->rows(a, columns(x, c, 1), {});
      const MatrixView<T> to = columns(y, c, 1);
      const ResidualColumn<T> out{to.data, strided(to).row};
      workers_.parallel(static_cast<Index>(chunk_.size()) - 1,
                        [&](Index k) { compute(rows, chunk_[k], chunk_[k + 1], out); });
    }
  });
}

template <class T>
void CpuResidual<T>::multiply(const SymmetricView<T>& a, MatrixView<const T> x,
                              MatrixView<T> y) const {
  each_chunk(a, x, y, row_kernels<T>().product);
}

template <class T>
void CpuResidual<T>::multiply(const SymmetricView<T>& a, T alpha, MatrixView<const T> x, T beta,
                              MatrixView<T> y) const {
  each_chunk(
      a, x, y,
      [alpha, beta, compute = row_kernels<T>().scaled](const auto& rows, Index begin, Index end,
                                                       const auto& out) {
        compute(rows, begin, end, {out, static_cast<double>(alpha), static_cast<double>(beta)});
      });
}

template <class T>
Offset CpuResidual<T>::bytes() const {
  const auto of = [](const auto& array) {
    return static_cast<Offset>(array.size() * sizeof(array[0]));
  };
  return of(left_ptr_) + of(left_col_) + of(left_source_) + of(chunk_) + of(worst_);
}

template class CpuResidual<float>;
template class CpuResidual<double>;

}  // namespace kauri::numeric::cpu
