// Residuals and backward errors on a CUDA device (Arioli, Demmel & Duff 1989).
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/residual.hpp"

#include "numeric/backward_error.hpp"
#include "numeric/cuda/dense_copy.hpp"
#include "numeric/cuda/full_rows.hpp"
#include "numeric/cuda/staging.hpp"
#include "numeric/dense_view.hpp"
#include "symbolic/device_schedule.hpp"

namespace kauri::numeric::cuda {
namespace {

/// A vector of the host's.
template <class T>
MatrixView<T> vector(T* data, Index n) {
  return {data, n, 1, n};
}

Offset blocks_of(Index n) { return (Offset{n} + kRowsPerBlock - 1) / kRowsPerBlock; }

/// Of all arrays of a CudaResidual.
template <class T>
Offset bytes_for(const Pattern& lower) {
  using symbolic::aligned_bytes;
  const Offset n = lower.n, full = 2 * lower.nnz() - n;
  return aligned_bytes(n + 1, sizeof(Offset)) + aligned_bytes(full, sizeof(Index)) + aligned_bytes(full, sizeof(std::uint32_t)) +
         aligned_bytes(lower.nnz(), sizeof(T)) + 3 * aligned_bytes(n, sizeof(T)) + aligned_bytes(blocks_of(lower.n), sizeof(ResidualWorst));
}

}  // namespace

template <class T>
CudaResidual<T>::CudaResidual(const Pattern& lower, DeviceContext context)
    : context_(std::move(context)),
      stream_(context_.lending),
      heap_{context_.device, context_.heap->allocator, nullptr},
      block_(bytes_for<T>(lower), heap_) {
  const FullRows rows = full_rows(lower);
  Uploader uploader(*context_.staging, block_, *stream_);
  ptr_ = uploader.copy(rows.ptr);
  col_ = uploader.copy(rows.col);
  source_ = uploader.copy(rows.source);
  value_ = uploader.room<T>(lower.nnz());
  x_ = uploader.room<T>(lower.n);
  b_ = uploader.room<T>(lower.n);
  r_ = uploader.room<T>(lower.n);
  worst_ = uploader.room<ResidualWorst>(blocks_of(lower.n));
  uploader.finish();
}

template <class T>
RowsView<T> CudaResidual<T>::rows(const SymmetricView<T>& a) const {
  context_.staging->copy(value_.data(), std::as_bytes(a.value), stream_->get());
  return {a.pattern.n, ptr_.data(), col_.data(), source_.data(), value_.data()};
}

template <class T>
BackwardError CudaResidual<T>::column(const RowsView<T>& rows, const T* x, const T* b, T* r) const {
  const Index n = rows.n;
  const double x_norm = norm_inf(x, n);
  send(*context_.staging, vector(x, n), x_.data(), *stream_);
  send(*context_.staging, vector(b, n), b_.data(), *stream_);
  enqueue_residual(rows, x_.data(), b_.data(), x_norm, r_.data(), worst_.data(), stream_->get());
  receive(*context_.staging, r_.data(), vector(r, n), *stream_);
  std::vector<ResidualWorst> worst(static_cast<std::size_t>(worst_.size()));
  check(cudaMemcpyAsync(worst.data(), worst_.data(), worst.size() * sizeof(ResidualWorst), cudaMemcpyDeviceToHost, stream_->get()),
        "errors");
  stream_->synchronize();
  return backward_error(worst, x_norm, norm_inf(b, n));
}

template <class T>
BackwardError CudaResidual<T>::residual(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b, MatrixView<T> r) const {
  if (a.pattern.n == 0 || x.cols == 0) return {};
  const CurrentDevice current(context_.device);
  const RowsView<T> rows = this->rows(a);
  return worst_column(x.cols, [&](Index c) { return column(rows, x.data + c * x.ld, b.data + c * b.ld, r.data + c * r.ld); });
}

template <class T>
void CudaResidual<T>::multiply(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<T> y) const {
  if (a.pattern.n == 0 || x.cols == 0) return;
  const CurrentDevice current(context_.device);
  const RowsView<T> rows = this->rows(a);
  for (Index c = 0; c < x.cols; ++c) {
    send(*context_.staging, columns(x, c, 1), x_.data(), *stream_);
    enqueue_product(rows, x_.data(), r_.data(), stream_->get());
    receive(*context_.staging, r_.data(), columns(y, c, 1), *stream_);
  }
}

template class CudaResidual<float>;
template class CudaResidual<double>;

}  // namespace kauri::numeric::cuda
