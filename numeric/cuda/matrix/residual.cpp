// Residuals and backward errors on a CUDA device (Arioli, Demmel & Duff 1989).
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/matrix/residual.hpp"

#include "base/common/aligned_bytes.hpp"
#include "numeric/backward_error.hpp"
#include "numeric/cuda/runtime/transfer/dense_copy.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/cuda/runtime/unwinding.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Returns a column on the device as a matrix.
template <class T>
MatrixView<T> device_column(const DeviceArray<T>& array, Index n) {
  return {array.data(), n, 1, n};
}

/// Returns the bytes of device memory that a CudaResidual of these rows takes.
template <class T>
Offset bytes_for(const HostRows& host) {
  return DeviceRows<T>::bytes(host) + aligned_bytes(host.nnz, sizeof(T)) +
         3 * aligned_bytes(host.rows.n(), sizeof(T)) + aligned_bytes(1, sizeof(ResidualNorms));
}

}  // namespace

template <class T>
CudaResidual<T>::CudaResidual(const Pattern& lower, DeviceContext context)
    : CudaResidual(HostRows(lower), std::move(context)) {}

template <class T>
CudaResidual<T>::CudaResidual(const HostRows& host, DeviceContext context)
    : context_(std::move(context)),
      stream_(context_.pool),
      heap_{context_.device, context_.heap->allocator, nullptr},
      block_(bytes_for<T>(host), heap_),
      rows_(host, *context_.staging, block_, *stream_) {
  const Index n = host.rows.n();
  value_ = block_.template take<T>(host.nnz);
  x_ = block_.template take<T>(n);
  b_ = block_.template take<T>(n);
  r_ = block_.template take<T>(n);
  norms_ = block_.template take<ResidualNorms>(1);
}

template <class T>
RowsView<T> CudaResidual<T>::rows(const SymmetricView<T>& a, ValuesAre values) const {
  if (values == ValuesAre::fresh) {
    context_.staging->copy(value_.data(), std::as_bytes(a.value), stream_->get());
    rows_.enqueue_values(value_.data(), stream_->get());
  }
  return rows_.view();
}

template <class T>
BackwardError CudaResidual<T>::column(const RowsView<T>& rows, const MatrixView<const T>& x,
                                      const MatrixView<const T>& b, const MatrixView<T>& r) const {
  const MatrixView<T> device_x = device_column(x_, rows.n), device_b = device_column(b_, rows.n),
                      device_r = device_column(r_, rows.n);
  send(*context_.staging, x, device_x, *stream_);
  send(*context_.staging, b, device_b, *stream_);
  enqueue_residual(rows,
                   {strided<const T>(device_x), strided<const T>(device_b), strided(device_r), 1},
                   norms_.data(), stream_->get());
  receive<T>(*context_.staging, device_r, r, *stream_);
  ResidualNorms norms{};
  check(
      cudaMemcpyAsync(&norms, norms_.data(), sizeof(norms), cudaMemcpyDeviceToHost, stream_->get()),
      "errors");
  stream_->synchronize();
  return backward_error(norms.worst, norms.x, norms.b);
}

template <class T>
BackwardError CudaResidual<T>::residual(const SymmetricView<T>& a, MatrixView<const T> x,
                                        MatrixView<const T> b, MatrixView<T> r,
                                        ValuesAre values) const {
  if (a.pattern.n == 0 || x.cols == 0) return {};
  const CurrentDevice current(context_.device);
  const WaitInUnwinding waits(*stream_);
  const RowsView<T> rows = this->rows(a, values);
  return worst_column(x.cols, [&](Index c) {
    return column(rows, columns(x, c, 1), columns(b, c, 1), columns(r, c, 1));
  });
}

template <class T>
void CudaResidual<T>::multiply(const SymmetricView<T>& a, MatrixView<const T> x,
                               MatrixView<T> y) const {
  if (a.pattern.n == 0 || x.cols == 0) return;
  const CurrentDevice current(context_.device);
  const WaitInUnwinding waits(*stream_);
  const RowsView<T> rows = this->rows(a, ValuesAre::fresh);
  const MatrixView<T> device_x = device_column(x_, rows.n), device_y = device_column(r_, rows.n);
  for (Index c = 0; c < x.cols; ++c) {
    send(*context_.staging, columns(x, c, 1), device_x, *stream_);
    enqueue_product(rows, {strided<const T>(device_x), {}, strided(device_y), 1}, stream_->get());
    receive<T>(*context_.staging, device_y, columns(y, c, 1), *stream_);
  }
}

template class CudaResidual<float>;
template class CudaResidual<double>;

}  // namespace kauri::numeric::cuda
