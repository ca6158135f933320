// Iterative refinement on a CUDA device, whose decisions are made on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/factor.hpp"
#include "numeric/cuda/matrix/device_rows.hpp"
#include "numeric/cuda/refine/refine_kernels.hpp"

namespace kauri::numeric::cuda {

/// Refinement on a device. All steps that RefineOptions::max_steps allows are enqueued; each launch
/// reads a run flag on the device, and does nothing once refinement has stopped.
template <class T>
class CudaRefiner final : public RefinerImpl<T> {
 public:
  CudaRefiner(const Pattern& lower, Index nrhs, DeviceContext context)
      : CudaRefiner(HostRows(lower), nrhs, std::move(context)) {}
  ~CudaRefiner() override {
    stream_->wait();
  }  // a call that threw halfway may have left work on the device
  [[nodiscard]] Index nrhs() const override { return static_cast<Index>(norms_.size()); }
  [[nodiscard]] Offset bytes() const override { return bytes_; }
  void set_values(std::span<const T> value) override;
  void enqueue_values(std::span<const T> value, StreamHandle stream) override;
  DeviceRefinement refine(const FactorImpl<T>& factor, MatrixView<const T> b, MatrixView<T> x,
                          WorkspaceImpl<T>& workspace, const RefineOptions& options) override;
  void enqueue_refine(const FactorImpl<T>& factor, MatrixView<const T> b, MatrixView<T> x,
                      WorkspaceImpl<T>& workspace, const RefineOptions& options,
                      StreamHandle stream) override;
  [[nodiscard]] const DeviceRefinement* report_address() const override {
    return &memory_.data()->report;
  }
  [[nodiscard]] DeviceRefinement fetch_report(StreamHandle stream) const override;

 private:
  CudaRefiner(const HostRows& host, Index nrhs, DeviceContext context);
  /// Enqueues the steps of an x that is not empty.
  void enqueue_steps(const CudaFactor<T>& factor, const MatrixView<const T>& b,
                     const MatrixView<T>& x, WorkspaceImpl<T>& workspace,
                     const RefineLimits& limits, cudaStream_t stream) const;

  DeviceContext context_;
  PooledReport host_report_;  // copy of memory_'s report for the host, which kernels write, too
  Offset bytes_;
  DeviceHeap heap_;
  DeviceBlock block_;
  PooledStream stream_;  // after the block: its destructor waits before the block is freed
  DeviceRows<T> rows_;
  DeviceArray<T> r_, before_;  // n x nrhs each: residuals, then corrections; x before the last one
  DeviceArray<ResidualNorms> norms_;
  DeviceArray<RefineMemory> memory_;
};

}  // namespace kauri::numeric::cuda
