// The bordered matrix [c B^T; B A] on a CUDA device: copies into it, and its solution by rows of L
// and a backward sweep.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/extract/border.hpp"

#include <vector>

#include "base/common/aligned_bytes.hpp"
#include "numeric/cuda/extract/schur_kernels.hpp"
#include "numeric/cuda/runtime/resource_pool.hpp"
#include "numeric/cuda/runtime/transfer/dense_copy.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "symbolic/device/schedule.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Enqueues the copy of a matrix to another one of the same shape.
template <class T>
void enqueue_entries(const MatrixView<const T>& from, const MatrixView<T>& to,
                     cudaStream_t stream) {
  enqueue_copy<T>(to.rows, to.cols, strided(from), strided(to), stream);
}

}  // namespace

template <class T>
Offset CudaBorder<T>::bytes_of(const BorderShape& shape) {
  return aligned_bytes(shape.values(), sizeof(T)) + 2 * aligned_bytes(shape.vectors(), sizeof(T));
}

template <class T>
CudaBorder<T>::CudaBorder(Index n, Offset nnz, Index nrhs, DeviceContext context)
    : shape_{n, nnz, nrhs},
      context_(std::move(context)),
      block_(bytes_of(shape_), *context_.heap),
      value_(block_.template take<T>(shape_.values())),
      begin_(block_.template take<T>(shape_.vectors())),
      x_(block_.template take<T>(shape_.vectors())) {
  const std::vector<T> corner(static_cast<std::size_t>(nrhs), this->kCorner);
  context_.staging->copy_now(begin_.data(), std::as_bytes(std::span<const T>(corner)));
  const PooledStream stream(context_.pool);
  enqueue_entries<T>({begin_.data(), 1, nrhs, 1}, {value_.data(), 1, nrhs, Offset{n} + 1},
                     stream->get());
  stream->synchronize();
}

template <class T>
void CudaBorder<T>::require_device_data(std::span<const T> value, MatrixView<const T> b,
                                        MatrixView<const T> x) const {
  if (shape_.n == 0) return;
  const CurrentDevice current(context_.device);
  require_on_device(value.data(), &value.back(), "FusedSolve: value", context_.device);
  require_on_device(b, "FusedSolve: b", context_.device);
  require_on_device(x, "FusedSolve: x", context_.device);
}

template <class T>
void CudaBorder<T>::set(std::span<const T> value, MatrixView<const T> b) {
  if (shape_.n == 0) return;
  const CurrentDevice current(context_.device);
  const PooledStream stream(context_.pool);
  context_.staging->copy(value_.data() + shape_.border(), std::as_bytes(value), stream->get());
  const MatrixView<T> compact = compact_view(x_.data(), shape_.n, shape_.nrhs, b.layout);
  send<T>(*context_.staging, b, compact, *stream);
  enqueue_entries<T>(compact, shape_.b_in(value_.data()), stream->get());
  stream->synchronize();
}

template <class T>
void CudaBorder<T>::enqueue_set(std::span<const T> value, MatrixView<const T> b,
                                StreamHandle stream) {
  if (shape_.n == 0) return;
  const CurrentDevice current(context_.device);
  const auto there = static_cast<cudaStream_t>(stream);
  check(cudaMemcpyAsync(value_.data() + shape_.border(), value.data(), value.size_bytes(),
                        cudaMemcpyDefault, there),
        "values of A");
  enqueue_entries<T>(b, shape_.b_in(value_.data()), there);
}

template <class T>
void CudaBorder<T>::enqueue_solve(const FactorImpl<T>& factor, WorkspaceImpl<T>& workspace,
                                  StreamHandle stream) {
  const DeviceSolves<T>& solves = *factor.device_solves();
  const MatrixView<T> begin = shape_.block(begin_.data());
  solves.enqueue_rows_of_l(begin, stream);
  solves.enqueue_solve(begin, shape_.block(x_.data()), workspace,
                       {.permute = false, .forward = false}, stream);
}

template <class T>
void CudaBorder<T>::get(MatrixView<T> x) const {
  if (shape_.n == 0) return;
  const CurrentDevice current(context_.device);
  const PooledStream stream(context_.pool);
  const MatrixView<T> compact = compact_view(begin_.data(), shape_.n, shape_.nrhs, x.layout);
  enqueue_entries<T>(shape_.x_in(x_.data()), compact, stream->get());
  receive<T>(*context_.staging, compact, x, *stream);
}

template <class T>
void CudaBorder<T>::enqueue_get(MatrixView<T> x, StreamHandle stream) const {
  if (shape_.n == 0) return;
  const CurrentDevice current(context_.device);
  enqueue_entries<T>(shape_.x_in(x_.data()), x, static_cast<cudaStream_t>(stream));
}

template class CudaBorder<float>;
template class CudaBorder<double>;

}  // namespace kauri::numeric::cuda
