// Products, residuals and backward errors on a CUDA device for vectors of the host: A by full rows,
// each row summed in about twice the precision of T.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/backend.hpp"
#include "numeric/cuda/matrix/device_rows.hpp"
#include "numeric/cuda/plan/device_plan.hpp"
#include "numeric/cuda/runtime/resource_pool.hpp"

namespace kauri::numeric::cuda {

/// Residuals and products for host vectors, of which one column at a time goes to the device and
/// the result comes back. A residual for fresh values, and every product, first uploads the values
/// of A and puts them in the order of the full rows.
template <class T>
class CudaResidual final : public ResidualImpl<T> {
 public:
  CudaResidual(const Pattern& lower, DeviceContext context);
  ~CudaResidual() override {
    stream_->wait();
  }  // a call that threw halfway may have left work on the device
  BackwardError residual(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b,
                         MatrixView<T> r, ValuesAre values) const override;
  void multiply(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<T> y) const override;
  [[nodiscard]] Offset bytes() const override { return block_.bytes(); }

 private:
  CudaResidual(const HostRows& host, DeviceContext context);
  [[nodiscard]] RowsView<T> rows(const SymmetricView<T>& a, ValuesAre values) const;
  BackwardError column(const RowsView<T>& rows, const MatrixView<const T>& x,
                       const MatrixView<const T>& b, const MatrixView<T>& r) const;

  DeviceContext context_;
  PooledStream stream_;
  DeviceHeap heap_;  // without a ledger: as on the CPU, its bytes do not count as those of factors
  DeviceBlock block_;
  DeviceRows<T> rows_;
  DeviceArray<T> value_, x_, b_, r_;
  DeviceArray<ResidualNorms> norms_;
};

}  // namespace kauri::numeric::cuda
