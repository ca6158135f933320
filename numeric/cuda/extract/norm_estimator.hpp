// The estimator of the 1-norm of an inverse (Hager 1984; Higham 1988): its solves, with vectors
// that stay on a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/extract/norm_estimator_kernels.hpp"
#include "numeric/cuda/factor/factor.hpp"

namespace kauri::numeric::cuda {

/// Owns one vector of n numbers, one byte for the sign of each of its entries, and partial results;
/// no ledger counts these bytes. Borrows the factor and the workspace, which must outlive it.
template <class T>
class CudaNormEstimator final : public NormEstimator<T> {
 public:
  /// Allocates the vectors for a factor of n >= 1 rows. The device must be current. Throws Error:
  /// memory, device.
  CudaNormEstimator(const CudaFactor<T>& factor, WorkspaceImpl<T>& workspace,
                    const DeviceContext& context);
  EstimatorStep step(EstimatorStart start, Index corner) override;

 private:
  const CudaFactor<T>& factor_;
  WorkspaceImpl<T>& workspace_;
  Device device_;
  Index n_;
  DeviceHeap heap_;
  DeviceBlock block_;
  PooledStream stream_;  // after the block: its destructor waits before the block is freed
  T* x_;
  std::int8_t* sign_;
  EstimatorStep* part_;
};

}  // namespace kauri::numeric::cuda
