// Solves for an estimate of the norm of an inverse, with vectors that stay on a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/extract/probe_kernels.hpp"
#include "numeric/cuda/factor/factor.hpp"

namespace kauri::numeric::cuda {

/// A vector, a byte a row for signs, and what is seen: in memory taken as long as it lives, in no backend's bytes.
template <class T>
class CudaProbe final : public InverseProbe<T> {
 public:
  /// factor: of n >= 1 rows. Throws Error(memory).
  CudaProbe(const CudaFactor<T>& factor, SolveStore<T>& workspace, const DeviceContext& context);
  ProbeSeen look(ProbeStart start, Index corner) override;

 private:
  const CudaFactor<T>& factor_;
  SolveStore<T>& workspace_;
  Device device_;
  Index n_;
  DeviceHeap heap_;
  DeviceBlock block_;
  LentStream stream_;  // after the block: it waits before that goes
  T* x_;
  std::int8_t* sign_;
  ProbeSeen* part_;
};

}  // namespace kauri::numeric::cuda
