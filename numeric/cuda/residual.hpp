// Products, residuals and backward errors on a CUDA device: A by full rows, each row summed in about twice the precision.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor.hpp"
#include "numeric/residual_worst.hpp"

namespace kauri::numeric::cuda {

/// Full rows of A: entry k of a row is value[source[k]] in column col[k]. On the device.
template <class T>
struct RowsView {
  Index n;
  const Offset* ptr;
  const Index* col;
  const std::uint32_t* source;
  const T* value;
};

inline constexpr unsigned kRowsPerBlock = 128;

/// y = A x.
template <class T>
void enqueue_product(const RowsView<T>& a, const T* x, T* y, cudaStream_t stream);
/// r = b - A x; worst: one per kRowsPerBlock rows.
template <class T>
void enqueue_residual(const RowsView<T>& a, const T* x, const T* b, double x_norm, T* r, ResidualWorst* worst, cudaStream_t stream);

/// Works with host vectors: one column at a time goes to the device and back.
template <class T>
class CudaResidual final : public ResidualStore<T> {
 public:
  CudaResidual(const Pattern& lower, DeviceContext context);
  ~CudaResidual() override { stream_->wait(); }  // where a call threw halfway, the device may be at work
  BackwardError residual(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b, MatrixView<T> r) const override;
  void multiply(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<T> y) const override;

 private:
  [[nodiscard]] RowsView<T> rows(const SymmetricView<T>& a) const;
  BackwardError column(const RowsView<T>& rows, const T* x, const T* b, T* r) const;

  DeviceContext context_;
  LentStream stream_;
  DeviceHeap heap_;  // as on the CPU, no part of what factors and workspaces hold
  DeviceBlock block_;
  DeviceArray<Offset> ptr_;
  DeviceArray<Index> col_;
  DeviceArray<std::uint32_t> source_;
  DeviceArray<T> value_, x_, b_, r_;
  DeviceArray<ResidualWorst> worst_;
};

}  // namespace kauri::numeric::cuda
