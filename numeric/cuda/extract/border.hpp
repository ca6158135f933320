// The bordered matrix [c B^T; B A], with right-hand sides B, on a CUDA device, for
// kauri::FusedSolve.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/border_shape.hpp"
#include "numeric/cuda/plan/device_plan.hpp"

namespace kauri::numeric::cuda {

template <class T>
class CudaBorder final : public BorderImpl<T> {
 public:
  CudaBorder(Index n, Offset nnz, Index nrhs, DeviceContext context);
  [[nodiscard]] Offset bytes() const override { return bytes_of(shape_); }
  void require_device_data(std::span<const T> value, MatrixView<const T> b,
                           MatrixView<const T> x) const override;
  [[nodiscard]] std::span<const T> values() const override {
    return {value_.data(), static_cast<std::size_t>(value_.size())};
  }
  void set(std::span<const T> value, MatrixView<const T> b) override;
  void enqueue_set(std::span<const T> value, MatrixView<const T> b, StreamHandle stream) override;
  void enqueue_solve(const FactorImpl<T>& factor, WorkspaceImpl<T>& workspace,
                     StreamHandle stream) override;
  void get(MatrixView<T> x) const override;
  void enqueue_get(MatrixView<T> x, StreamHandle stream) const override;

 private:
  static Offset bytes_of(const BorderShape& shape);
  BorderShape shape_;
  DeviceContext context_;
  DeviceBlock block_;
  DeviceArray<T> value_;
  DeviceArray<T>
      begin_;         // right-hand sides of the backward sweep; in get() x on its way to the host
  DeviceArray<T> x_;  // solutions; in set() b on its way from the host
};

}  // namespace kauri::numeric::cuda
