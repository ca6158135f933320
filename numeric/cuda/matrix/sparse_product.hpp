// Y = alpha A X + beta Y on a CUDA device, for kauri::SparseProduct.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/matrix/spmv/spmv.hpp"
#include "numeric/cuda/plan/device_plan.hpp"

namespace kauri::numeric::cuda {

/// Products with A on a device. Matrices and values in host memory go through device memory that a
/// call allocates and frees, and that no ledger counts.
template <class T>
class CudaProduct final : public ProductImpl<T> {
 public:
  CudaProduct(const Pattern& lower, DeviceContext context);
  [[nodiscard]] Offset bytes() const override { return spmv_.bytes(); }
  void set_values(std::span<const T> host) override;
  void set_device_values(std::span<const T> value) override;
  void enqueue_values(std::span<const T> value, StreamHandle stream) override;
  void multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) override;
  void multiply_on_device(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) override;
  void enqueue_multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y,
                        StreamHandle stream) override;

 private:
  DeviceContext context_;
  Spmv<T> spmv_;
};

}  // namespace kauri::numeric::cuda
