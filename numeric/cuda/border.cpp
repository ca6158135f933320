// A bordered by right-hand sides on a CUDA device: copies, and a backward sweep. No kernels of its own.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/border.hpp"

#include <vector>

#include "numeric/cuda/dense_copy.hpp"
#include "numeric/cuda/lending.hpp"
#include "numeric/cuda/schur_kernels.hpp"
#include "numeric/cuda/staging.hpp"
#include "symbolic/device_schedule.hpp"

namespace kauri::numeric::cuda {
namespace {

/// All entries of a matrix in the same place.
template <class T>
void enqueue_entries(const MatrixView<const T>& from, const MatrixView<T>& to, cudaStream_t stream) {
  enqueue_copy<T>(to.rows, to.cols, strided(from), strided(to), stream);
}

}  // namespace

template <class T>
Offset CudaBorder<T>::bytes_of(const BorderShape& shape) {
  return symbolic::aligned_bytes(shape.values(), sizeof(T)) + 2 * symbolic::aligned_bytes(shape.vectors(), sizeof(T)) +
         symbolic::aligned_bytes(Offset{shape.nrhs} * shape.nrhs, sizeof(T));
}

template <class T>
CudaBorder<T>::CudaBorder(Index n, Offset nnz, Index nrhs, DeviceContext context)
    : shape_{n, nnz, nrhs},
      context_(std::move(context)),
      block_(bytes_of(shape_), *context_.heap),
      value_(block_.template take<T>(shape_.values())),
      begin_(block_.template take<T>(shape_.vectors())),
      x_(block_.template take<T>(shape_.vectors())),
      given_(block_.template take<T>(Offset{nrhs} * nrhs)) {
  const LentStream stream(context_.lending);
  check(cudaMemsetAsync(begin_.data(), 0, static_cast<std::size_t>(begin_.size()) * sizeof(T), stream->get()), "zeros before a sweep");
  std::vector<T> given(static_cast<std::size_t>(given_.size()), T(0));
  for (Index r = 0; r < nrhs; ++r) given[static_cast<std::size_t>(r) * (static_cast<std::size_t>(nrhs) + 1)] = T(kGivenInBorder);
  context_.staging->copy(given_.data(), std::as_bytes(std::span<const T>(given)), stream->get());
  const T corner = this->kCorner;
  for (Index r = 0; r < nrhs; ++r)
    check(cudaMemcpyAsync(value_.data() + Offset{r} * (Offset{n} + 1), &corner, sizeof(T), cudaMemcpyDefault, stream->get()), "a border");
  stream->synchronize();
}

template <class T>
void CudaBorder<T>::set(std::span<const T> value, MatrixView<const T> b) {
  const CurrentDevice current(context_.device);
  const LentStream stream(context_.lending);
  if (!value.empty()) context_.staging->copy(value_.data() + shape_.border(), std::as_bytes(value), stream->get());
  const MatrixView<T> there = shape_.b_in(value_.data());
  for (Index r = 0; r < shape_.nrhs && shape_.n > 0; ++r)
    send<T>(*context_.staging, columns(b, r, 1), compact_view(columns(there, r, 1).data, shape_.n, 1, Layout::column_major), *stream);
  stream->synchronize();
}

template <class T>
void CudaBorder<T>::enqueue_set(std::span<const T> value, MatrixView<const T> b, StreamHandle stream) {
  if (shape_.n == 0) return;
  const CurrentDevice current(context_.device);
  require_on_device(value.data(), &value.back(), "FusedSolve: value", context_.device);
  require_on_device(b, "FusedSolve: b", context_.device);
  const auto there = static_cast<cudaStream_t>(stream);
  check(cudaMemcpyAsync(value_.data() + shape_.border(), value.data(), value.size_bytes(), cudaMemcpyDefault, there), "values of A");
  enqueue_entries<T>(b, shape_.b_in(value_.data()), there);
}

template <class T>
void CudaBorder<T>::enqueue_solve(const FactorStore<T>& factor, SolveStore<T>& workspace, StreamHandle stream) {
  const DeviceSolves<T>& solves = *factor.device_solves();
  const MatrixView<T> begin = shape_.block(begin_.data());
  solves.enqueue_last_transposed({given_.data(), shape_.nrhs, shape_.nrhs, shape_.nrhs}, begin, stream);
  solves.enqueue_solve(begin, shape_.block(x_.data()), workspace, {.permute = false, .forward = false}, stream);
}

template <class T>
void CudaBorder<T>::get(MatrixView<T> x) const {
  const CurrentDevice current(context_.device);
  const LentStream stream(context_.lending);
  const MatrixView<T> there = shape_.x_in(x_.data());
  for (Index r = 0; r < shape_.nrhs && shape_.n > 0; ++r)
    receive<T>(*context_.staging, compact_view(columns(there, r, 1).data, shape_.n, 1, Layout::column_major), columns(x, r, 1), *stream);
}

template <class T>
void CudaBorder<T>::enqueue_get(MatrixView<T> x, StreamHandle stream) const {
  if (shape_.n == 0) return;
  const CurrentDevice current(context_.device);
  require_on_device(x, "FusedSolve: x", context_.device);
  enqueue_entries<T>(shape_.x_in(x_.data()), x, static_cast<cudaStream_t>(stream));
}

template class CudaBorder<float>;
template class CudaBorder<double>;

}  // namespace kauri::numeric::cuda
