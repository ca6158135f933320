// Schur complements of a factor on a CUDA device: checks of addresses, then launches.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "numeric/cuda/extract/schur_kernels.hpp"
#include "numeric/cuda/factor/factor.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Returns the last `count` rows of a matrix.
template <class T>
StridedView<T> last_of(const MatrixView<T>& a, Index count) {
  return strided(rows(a, a.rows - count, count));
}

LastRows last_rows(const Plan& plan, Index count) {
  const auto& first = plan.supernodes.first;
  const Index begin = plan.n - count;
  const auto front =
      static_cast<Index>(std::upper_bound(first.begin(), first.end(), begin) - first.begin() - 1);
  return {begin, count, front, plan.supernodes.count()};
}

template <class T>
void require_device_data(const MatrixView<T>& a, const char* name, int device) {
  if (a.rows > 0 && a.cols > 0) require_on_device(a, name, device);
}

}  // namespace

template <class T>
void CudaFactor<T>::run_now(const std::function<void(StreamHandle)>& enqueue) const {
  const CurrentDevice current(context_.device);
  const PooledStream stream(context_.pool);
  enqueue(stream->get());
  stream->synchronize();
}

template <class T>
void CudaFactor<T>::enqueue_last_product(MatrixView<const T> y, MatrixView<T> g,
                                         StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  require_device_data(y, "Schur complement: y", context_.device);
  require_device_data(g, "Schur complement: g", context_.device);
  const LastBlock<T> block{view(), last_rows(*plan(), g.rows), entries_.data(), verdict_address()};
  cuda::enqueue_last_product<T>(block, g.cols, last_of(y, g.rows), strided(g),
                                static_cast<cudaStream_t>(stream));
}

template <class T>
void CudaFactor<T>::enqueue_last_transposed(MatrixView<const T> x2, MatrixView<T> y,
                                            StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  require_device_data(x2, "Schur complement: x2", context_.device);
  require_device_data(y, "Schur complement: y", context_.device);
  const LastBlock<T> block{view(), last_rows(*plan(), x2.rows), entries_.data(), verdict_address()};
  cuda::enqueue_last_transposed<T>(block, x2.cols, strided(x2), last_of(y, x2.rows),
                                   static_cast<cudaStream_t>(stream));
}

template <class T>
void CudaFactor<T>::enqueue_last_square(MatrixView<T> s, StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  require_device_data(s, "Schur complement: s", context_.device);
  const LastBlock<T> block{view(), last_rows(*plan(), s.rows), entries_.data(), verdict_address()};
  cuda::enqueue_last_square<T>(block, strided(s), static_cast<cudaStream_t>(stream));
}

template <class T>
void CudaFactor<T>::enqueue_below_zeros(MatrixView<const T> g, MatrixView<T> y,
                                        StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  require_device_data(g, "Schur complement: g", context_.device);
  require_device_data(y, "Schur complement: y", context_.device);
  cuda::enqueue_below_zeros<T>(y.rows - g.rows, g.rows, y.cols, strided(g), strided(y),
                               static_cast<cudaStream_t>(stream));
}

template <class T>
void CudaFactor<T>::enqueue_last_rows(MatrixView<const T> y, MatrixView<T> x2,
                                      StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  require_device_data(x2, "Schur complement: x2", context_.device);
  enqueue_copy<T>(x2.rows, x2.cols, last_of(y, x2.rows), strided(x2),
                  static_cast<cudaStream_t>(stream));
}

template <class T>
void CudaFactor<T>::enqueue_rows_of_l(MatrixView<T> y, StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  const LastBlock<T> block{view(), last_rows(*plan(), y.cols), entries_.data(), verdict_address()};
  cuda::enqueue_rows_of_l<T>(block, strided(y), static_cast<cudaStream_t>(stream));
}

#define KAURI_FACTOR_SCHUR(T)                                                                      \
  template void CudaFactor<T>::run_now(const std::function<void(StreamHandle)>&) const;            \
  template void CudaFactor<T>::enqueue_last_product(MatrixView<const T>, MatrixView<T>,            \
                                                    StreamHandle) const;                           \
  template void CudaFactor<T>::enqueue_last_transposed(MatrixView<const T>, MatrixView<T>,         \
                                                       StreamHandle) const;                        \
  template void CudaFactor<T>::enqueue_last_square(MatrixView<T>, StreamHandle) const;             \
  template void CudaFactor<T>::enqueue_below_zeros(MatrixView<const T>, MatrixView<T>,             \
                                                   StreamHandle) const;                            \
  template void CudaFactor<T>::enqueue_last_rows(MatrixView<const T>, MatrixView<T>, StreamHandle) \
      const;                                                                                       \
  template void CudaFactor<T>::enqueue_rows_of_l(MatrixView<T>, StreamHandle) const;
KAURI_FACTOR_SCHUR(float)
KAURI_FACTOR_SCHUR(double)
#undef KAURI_FACTOR_SCHUR

}  // namespace kauri::numeric::cuda
