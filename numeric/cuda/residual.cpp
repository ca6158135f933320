// Residuals and backward errors on a CUDA device (Arioli, Demmel & Duff 1989).
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/residual.hpp"

#include "numeric/backward_error.hpp"
#include "numeric/cuda/dense_copy.hpp"
#include "numeric/cuda/full_rows.hpp"
#include "numeric/cuda/spmv_kernels.hpp"
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

/// Loads of four entries may begin at any of them that is there.
Offset padded(Offset entries) { return (entries + 3) / 4 * 4; }

/// Of all arrays of a CudaResidual.
template <class T>
Offset bytes_for(const Pattern& lower, const std::vector<ResidualTask>& tasks) {
  using symbolic::aligned_bytes;
  const Offset n = lower.n, full = 2 * lower.nnz() - n;
  return aligned_bytes(n + 1, sizeof(Offset)) + aligned_bytes(padded(full), sizeof(Index)) + aligned_bytes(full, sizeof(std::uint32_t)) +
         aligned_bytes(lower.nnz(), sizeof(T)) + aligned_bytes(padded(full), sizeof(T)) + 3 * aligned_bytes(n, sizeof(T)) +
         aligned_bytes(static_cast<Offset>(tasks.size()), sizeof(ResidualTask)) + aligned_bytes(1, sizeof(ResidualNorms));
}

}  // namespace

std::vector<ResidualTask> residual_tasks(const FullRows& rows) {
  std::vector<ResidualTask> tasks;
  Offset begin = 0;  // of the last task, where loads of four begin
  for (Index i = 0; i < rows.n(); ++i) {
    const Offset end = rows.ptr[static_cast<std::size_t>(i) + 1];
    if (rows.length(i) > kResidualSegment) {
      tasks.push_back({i, 0});
    } else if (!tasks.empty() && tasks.back().rows > 0 && tasks.back().rows < kSpmvThreads && end - begin <= kSpmvChunk) {
      ++tasks.back().rows;
    } else {
      tasks.push_back({i, 1});
      begin = rows.ptr[static_cast<std::size_t>(i)] / 4 * 4;
    }
  }
  return tasks;
}

template <class T>
CudaResidual<T>::CudaResidual(const Pattern& lower, DeviceContext context) : CudaResidual(full_rows(lower), lower, std::move(context)) {}

template <class T>
CudaResidual<T>::CudaResidual(const FullRows& rows, const Pattern& lower, DeviceContext context)
    : CudaResidual(rows, residual_tasks(rows), lower, std::move(context)) {}

template <class T>
CudaResidual<T>::CudaResidual(const FullRows& rows, const std::vector<ResidualTask>& tasks, const Pattern& lower, DeviceContext context)
    : context_(std::move(context)),
      stream_(context_.lending),
      heap_{context_.device, context_.heap->allocator, nullptr},
      block_(bytes_for<T>(lower, tasks), heap_) {
  Uploader uploader(*context_.staging, block_, *stream_);
  const Offset entries = rows.entries();
  ptr_ = uploader.copy(rows.ptr);
  col_ = uploader.make<Index>(padded(entries), [&](Offset begin, Offset end, Index* out) {
    for (Offset k = begin; k < end; ++k) out[k - begin] = k < entries ? rows.col[static_cast<std::size_t>(k)] : 0;
  });
  source_ = uploader.copy(rows.source);
  value_ = uploader.room<T>(lower.nnz());
  by_rows_ = uploader.room<T>(padded(entries));
  x_ = uploader.room<T>(lower.n);
  b_ = uploader.room<T>(lower.n);
  r_ = uploader.room<T>(lower.n);
  task_ = uploader.copy(tasks);
  norms_ = uploader.room<ResidualNorms>(1);
  uploader.finish();
  const auto behind = static_cast<std::size_t>(by_rows_.size() - entries) * sizeof(T);  // brought, like the rest, and not used
  if (behind > 0) check(cudaMemsetAsync(by_rows_.data() + entries, 0, behind, stream_->get()), "what follows values by rows");
}

template <class T>
RowsView<T> CudaResidual<T>::rows(const SymmetricView<T>& a, ValuesAre values) const {
  if (values == ValuesAre::fresh) {
    context_.staging->copy(value_.data(), std::as_bytes(a.value), stream_->get());
    enqueue_expand(value_.data(), source_.data(), source_.size(), by_rows_.data(), stream_->get());
  }
  return {a.pattern.n, static_cast<Index>(task_.size()), ptr_.data(), col_.data(), by_rows_.data(), task_.data()};
}

template <class T>
BackwardError CudaResidual<T>::column(const RowsView<T>& rows, const T* x, const T* b, T* r) const {
  const Index n = rows.n;
  send(*context_.staging, vector(x, n), x_.data(), *stream_);
  send(*context_.staging, vector(b, n), b_.data(), *stream_);
  enqueue_residual(rows, {x_.data(), n, b_.data(), n, r_.data(), n, 1}, norms_.data(), stream_->get());
  receive(*context_.staging, r_.data(), vector(r, n), *stream_);
  ResidualNorms norms{};
  check(cudaMemcpyAsync(&norms, norms_.data(), sizeof(norms), cudaMemcpyDeviceToHost, stream_->get()), "errors");
  stream_->synchronize();
  return backward_error({&norms.worst, 1}, norms.x, norms.b);
}

template <class T>
BackwardError CudaResidual<T>::residual(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b, MatrixView<T> r,
                                        ValuesAre values) const {
  if (a.pattern.n == 0 || x.cols == 0) return {};
  const CurrentDevice current(context_.device);
  const RowsView<T> rows = this->rows(a, values);
  return worst_column(x.cols, [&](Index c) { return column(rows, x.data + c * x.ld, b.data + c * b.ld, r.data + c * r.ld); });
}

template <class T>
void CudaResidual<T>::multiply(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<T> y) const {
  if (a.pattern.n == 0 || x.cols == 0) return;
  const CurrentDevice current(context_.device);
  const RowsView<T> rows = this->rows(a, ValuesAre::fresh);
  const Index n = rows.n;
  for (Index c = 0; c < x.cols; ++c) {
    send(*context_.staging, columns(x, c, 1), x_.data(), *stream_);
    enqueue_product(rows, {x_.data(), n, nullptr, 0, r_.data(), n, 1}, stream_->get());
    receive(*context_.staging, r_.data(), columns(y, c, 1), *stream_);
  }
}

template class CudaResidual<float>;
template class CudaResidual<double>;

}  // namespace kauri::numeric::cuda
