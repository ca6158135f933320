// Steps of the norm estimator: one solve and its reduction on one stream; one EstimatorStep is
// copied to the host.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/extract/norm_estimator.hpp"

#include "base/common/aligned_bytes.hpp"

namespace kauri::numeric::cuda {
namespace {

template <class T>
Offset estimator_bytes(Index n) {
  return aligned_bytes(n, sizeof(T)) + aligned_bytes(n, sizeof(std::int8_t)) +
         aligned_bytes(estimator_blocks(n), sizeof(EstimatorStep));
}

}  // namespace

template <class T>
CudaNormEstimator<T>::CudaNormEstimator(const CudaFactor<T>& factor, WorkspaceImpl<T>& workspace,
                                        const DeviceContext& context)
    : factor_(factor),
      workspace_(workspace),
      device_(context.device),
      n_(factor.plan()->n),
      heap_{context.device, context.heap->allocator, nullptr},
      block_(estimator_bytes<T>(n_), heap_),
      stream_(context.pool),
      x_(block_.template take<T>(n_).data()),
      sign_(block_.template take<std::int8_t>(n_).data()),
      part_(block_.template take<EstimatorStep>(estimator_blocks(n_)).data()) {
  check(cudaMemsetAsync(sign_, 0, static_cast<std::size_t>(n_), stream_->get()), "signs");
}

template <class T>
EstimatorStep CudaNormEstimator<T>::step(EstimatorStart start, Index corner) {
  const CurrentDevice current(device_);
  const cudaStream_t stream = stream_->get();
  enqueue_estimator_start(n_, start, corner, sign_, x_, stream);
  const MatrixView<T> x{x_, n_, 1, n_};
  factor_.enqueue_solve(x, x, workspace_, {}, stream);
  enqueue_estimator_step<T>(n_, x_, corner, start != EstimatorStart::signs, sign_, part_, stream);
  EstimatorStep out{};
  check(cudaMemcpyAsync(&out, part_, sizeof out, cudaMemcpyDeviceToHost, stream),
        "what is seen of a solution");
  stream_->synchronize();
  return out;
}

template <class T>
std::unique_ptr<NormEstimator<T>> CudaFactor<T>::make_norm_estimator(
    WorkspaceImpl<T>& workspace) const {
  const CurrentDevice current(context_.device);
  return std::make_unique<CudaNormEstimator<T>>(*this, workspace, context_);
}

template class CudaNormEstimator<float>;
template class CudaNormEstimator<double>;
template std::unique_ptr<NormEstimator<float>> CudaFactor<float>::make_norm_estimator(
    WorkspaceImpl<float>&) const;
template std::unique_ptr<NormEstimator<double>> CudaFactor<double>::make_norm_estimator(
    WorkspaceImpl<double>&) const;

}  // namespace kauri::numeric::cuda
