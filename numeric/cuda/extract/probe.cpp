// One solve and a look at it on one stream; a few numbers come to the host.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/extract/probe.hpp"

#include "symbolic/device/schedule.hpp"

namespace kauri::numeric::cuda {
namespace {

template <class T>
Offset probe_bytes(Index n) {
  using symbolic::aligned_bytes;
  return aligned_bytes(n, sizeof(T)) + aligned_bytes(n, sizeof(std::int8_t)) + aligned_bytes(probe_blocks(n), sizeof(ProbeSeen));
}

}  // namespace

template <class T>
CudaProbe<T>::CudaProbe(const CudaFactor<T>& factor, SolveStore<T>& workspace, const DeviceContext& context)
    : factor_(factor),
      workspace_(workspace),
      device_(context.device),
      n_(factor.plan()->n),
      heap_{context.device, context.heap->allocator, nullptr},
      block_(probe_bytes<T>(n_), heap_),
      stream_(context.lending),
      x_(block_.template take<T>(n_).data()),
      sign_(block_.template take<std::int8_t>(n_).data()),
      part_(block_.template take<ProbeSeen>(probe_blocks(n_)).data()) {
  check(cudaMemsetAsync(sign_, 0, static_cast<std::size_t>(n_), stream_->get()), "signs");
}

template <class T>
ProbeSeen CudaProbe<T>::look(ProbeStart start, Index corner) {
  const CurrentDevice current(device_);
  const cudaStream_t stream = stream_->get();
  enqueue_probe_start(n_, start, corner, sign_, x_, stream);
  const MatrixView<T> x{x_, n_, 1, n_};
  factor_.enqueue_solve(x, x, workspace_, {}, stream);
  enqueue_probe_look<T>(n_, x_, corner, start != ProbeStart::signs, sign_, part_, stream);
  ProbeSeen out{};
  check(cudaMemcpyAsync(&out, part_, sizeof out, cudaMemcpyDeviceToHost, stream), "what is seen of a solution");
  stream_->synchronize();
  return out;
}

template <class T>
std::unique_ptr<InverseProbe<T>> CudaFactor<T>::make_probe(SolveStore<T>& workspace) const {
  const CurrentDevice current(context_.device);
  return std::make_unique<CudaProbe<T>>(*this, workspace, context_);
}

template class CudaProbe<float>;
template class CudaProbe<double>;
template std::unique_ptr<InverseProbe<float>> CudaFactor<float>::make_probe(SolveStore<float>&) const;
template std::unique_ptr<InverseProbe<double>> CudaFactor<double>::make_probe(SolveStore<double>&) const;

}  // namespace kauri::numeric::cuda
