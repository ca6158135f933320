// Products with A on a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/matrix/sparse_product.hpp"

#include <algorithm>

#include "base/common/aligned_bytes.hpp"
#include "base/common/checked.hpp"
#include "numeric/cuda/runtime/resource_pool.hpp"
#include "numeric/cuda/runtime/transfer/dense_copy.hpp"
#include "symbolic/device/schedule.hpp"

namespace kauri::numeric::cuda {

template <class T>
CudaProduct<T>::CudaProduct(const Pattern& lower, DeviceContext context)
    : context_(std::move(context)),
      spmv_(full_rows(lower), *context_.staging, *context_.heap, *PooledStream(context_.pool)) {}

template <class T>
void CudaProduct<T>::set_values(std::span<const T> host) {
  if (host.empty()) return;
  const CurrentDevice current(context_.device);
  const DeviceHeap heap{context_.device, context_.heap->allocator, nullptr};
  const auto count = static_cast<Offset>(host.size());
  DeviceBlock block(aligned_bytes(count, sizeof(T)), heap);
  const PooledStream stream(
      context_.pool);  // after the block: its destructor waits before the block is freed
  T* there = block.template take<T>(count).data();
  context_.staging->copy(there, std::as_bytes(host), stream->get());
  spmv_.enqueue_values(there, stream->get());
  stream->synchronize();
}

template <class T>
void CudaProduct<T>::enqueue_values(std::span<const T> value, StreamHandle stream) {
  if (value.empty()) return;
  const CurrentDevice current(context_.device);
  require_on_device(value.data(), &value.back(), "SparseProduct: value", context_.device);
  spmv_.enqueue_values(value.data(), static_cast<cudaStream_t>(stream));
}

template <class T>
void CudaProduct<T>::set_device_values(std::span<const T> value) {
  const CurrentDevice current(context_.device);
  const PooledStream stream(context_.pool);
  enqueue_values(value, stream->get());
  stream->synchronize();
}

template <class T>
void CudaProduct<T>::enqueue_multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y,
                                      StreamHandle stream) {
  if (y.rows == 0 || y.cols == 0) return;
  const CurrentDevice current(context_.device);
  require_on_device(x, "SparseProduct: x", context_.device);
  require_on_device(y, "SparseProduct: y", context_.device);
  spmv_.enqueue(x, y, static_cast<cudaStream_t>(stream), alpha, beta);
}

template <class T>
void CudaProduct<T>::multiply_on_device(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) {
  const CurrentDevice current(context_.device);
  const PooledStream stream(context_.pool);
  enqueue_multiply(alpha, x, beta, y, stream->get());
  stream->synchronize();
}

/// Multiplies kMergeColumns columns at a time, as many as one launch of the merge path takes; more
/// columns at a time are not faster.
template <class T>
void CudaProduct<T>::multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) {
  if (y.rows == 0 || y.cols == 0) return;
  const CurrentDevice current(context_.device);
  const Index n = y.rows, most = std::min(kMergeColumns, y.cols);
  const Offset size = checked_mul(n, most, "scalars of a product");
  const DeviceHeap heap{context_.device, context_.heap->allocator, nullptr};
  DeviceBlock block(2 * aligned_bytes(size, sizeof(T)), heap);
  const PooledStream stream(context_.pool);
  T* x_data = block.template take<T>(size).data();
  T* y_data = block.template take<T>(size).data();
  for (Index c = 0; c < y.cols; c += most) {
    const Index count = std::min(most, y.cols - c);
    const auto device_x = compact_view(x_data, n, count, Layout::column_major),
               device_y = compact_view(y_data, n, count, Layout::column_major);
    const MatrixView<T> part = columns(y, c, count);
    send(*context_.staging, columns(x, c, count), device_x, *stream);
    if (beta != 0) send<T>(*context_.staging, part, device_y, *stream);
    spmv_.enqueue(device_x, device_y, stream->get(), alpha, beta);
    receive<T>(*context_.staging, device_y, part, *stream);
  }
}

template class CudaProduct<float>;
template class CudaProduct<double>;

}  // namespace kauri::numeric::cuda
