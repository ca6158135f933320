// Enqueues the launches of a refinement.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/refine/refiner.hpp"

#include "base/common/aligned_bytes.hpp"
#include "base/common/checked.hpp"
#include "numeric/cuda/runtime/unwinding.hpp"
#include "symbolic/device/schedule.hpp"

namespace kauri::numeric::cuda {
namespace {

template <class T>
Offset refiner_bytes(const HostRows& host, Index nrhs) {
  const Offset vectors = checked_mul(host.rows.n(), nrhs, "scalars of a refinement");
  return DeviceRows<T>::bytes(host) + 2 * aligned_bytes(vectors, sizeof(T)) +
         aligned_bytes(nrhs, sizeof(ResidualNorms)) + aligned_bytes(1, sizeof(RefineMemory));
}

}  // namespace

template <class T>
CudaRefiner<T>::CudaRefiner(const HostRows& host, Index nrhs, DeviceContext context)
    : context_(std::move(context)),
      host_report_(context_.pool),
      bytes_(refiner_bytes<T>(host, nrhs)),
      heap_{context_.device, context_.heap->allocator, nullptr},
      block_(bytes_, heap_),
      stream_(context_.pool),
      rows_(host, *context_.staging, block_, *stream_) {
  const Offset vectors = Offset{host.rows.n()} * nrhs;
  r_ = block_.template take<T>(vectors);
  before_ = block_.template take<T>(vectors);
  norms_ = block_.template take<ResidualNorms>(nrhs);
  memory_ = block_.template take<RefineMemory>(1);
  check(cudaMemcpyAsync(&memory_.data()->report, &host_report_.place().there->value,
                        sizeof(DeviceRefinement), cudaMemcpyDefault, stream_->get()),
        "the report");
  DeviceRows<T>::load_kernels();
  load_refine_kernels<T>();
  stream_->synchronize();
}

template <class T>
void CudaRefiner<T>::enqueue_values(std::span<const T> value, StreamHandle stream) {
  if (value.empty()) return;
  const CurrentDevice current(context_.device);
  require_on_device(value.data(), &value.back(), "Refiner: value", context_.device);
  rows_.enqueue_values(value.data(), static_cast<cudaStream_t>(stream));
}

template <class T>
void CudaRefiner<T>::set_values(std::span<const T> value) {
  const CurrentDevice current(context_.device);
  const WaitInUnwinding waits(*stream_);
  enqueue_values(value, stream_->get());
  stream_->synchronize();
}

template <class T>
void CudaRefiner<T>::enqueue_steps(const CudaFactor<T>& factor, const MatrixView<const T>& b,
                                   const MatrixView<T>& x, WorkspaceImpl<T>& workspace,
                                   const RefineLimits& limits, cudaStream_t stream) const {
  RefineMemory* memory = memory_.data();
  const RowsView<T> rows = rows_.view();
  const MatrixView<T> r{r_.data(), x.rows, x.cols, x.rows};
  const RefinedColumns<T> refined{strided(x), x.rows, x.cols};
  ResidualColumns<T> columns{strided<const T>(x), strided(b), strided(r), x.cols};
  enqueue_residual(rows, columns, norms_.data(), stream);
  enqueue_refine_decision(norms_.data(), x.cols, limits, true, memory, stream);
  columns.run_flag = &memory->progress.going;
  for (int step = 0; step < limits.max_steps; ++step) {
    factor.enqueue_correction(r, workspace, columns.run_flag, stream);
    enqueue_refine_step(refined, r.data, before_.data(), memory, stream);
    enqueue_residual(rows, columns, norms_.data(), stream);
    enqueue_refine_decision(norms_.data(), x.cols, limits, false, memory, stream);
  }
}

template <class T>
void CudaRefiner<T>::enqueue_refine(const FactorImpl<T>& store, MatrixView<const T> b,
                                    MatrixView<T> x, WorkspaceImpl<T>& workspace,
                                    const RefineOptions& options, StreamHandle handle) {
  const CurrentDevice current(context_.device);
  const auto& factor = static_cast<const CudaFactor<T>&>(store);
  const auto stream = static_cast<cudaStream_t>(handle);
  const DeviceVerdict* verdict = factor.verdict_address();
  const bool empty = x.rows == 0 || x.cols == 0;
  if (!empty) {
    require_on_device(b, "Refiner: b", context_.device);
    require_on_device(x, "Refiner: x", context_.device);
  }
  const RefinedColumns<T> refined{strided(x), x.rows, x.cols};
  enqueue_refine_beginning(refined, verdict, memory_.data(), host_report_.place(), stream);
  if (empty)
    enqueue_refine_decision(norms_.data(), 0, limits_of<T>(options), true, memory_.data(), stream);
  else
    enqueue_steps(factor, b, x, workspace, limits_of<T>(options), stream);
  enqueue_refine_end(refined, before_.data(), verdict, memory_.data(), host_report_.place(),
                     stream);
}

template <class T>
DeviceRefinement CudaRefiner<T>::refine(const FactorImpl<T>& factor, MatrixView<const T> b,
                                        MatrixView<T> x, WorkspaceImpl<T>& workspace,
                                        const RefineOptions& options) {
  const CurrentDevice current(context_.device);
  const WaitInUnwinding waits(*stream_);
  enqueue_refine(factor, b, x, workspace, options, stream_->get());
  return fetch_report(stream_->get());
}

template <class T>
DeviceRefinement CudaRefiner<T>::fetch_report(StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "work on the caller's stream");
  return host_report_.read("the report of a refiner");
}

template class CudaRefiner<float>;
template class CudaRefiner<double>;

}  // namespace kauri::numeric::cuda
