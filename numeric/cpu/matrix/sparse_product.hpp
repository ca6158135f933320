// y = alpha A x + beta y on the CPU, for kauri::SparseProduct.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "numeric/cpu/matrix/residual.hpp"

namespace kauri::numeric::cpu {

/// Product whose calls are all complete when they return, enqueue_...() included.
template <class T>
class CpuProduct final : public ProductImpl<T> {
 public:
  CpuProduct(const Pattern& lower, Workers& workers, MemoryLedger& ledger);
  [[nodiscard]] Offset bytes() const override { return counted_.bytes(); }
  void set_values(std::span<const T> host) override;
  void set_device_values(std::span<const T> value) override { set_values(value); }
  void enqueue_values(std::span<const T> value, StreamHandle stream) override;
  void multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) override;
  void multiply_on_device(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) override {
    multiply(alpha, x, beta, y);
  }
  void enqueue_multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y,
                        StreamHandle stream) override;

 private:
  std::vector<Offset> col_ptr_;  // a copy of the pattern, which products read
  std::vector<Index> row_;
  std::vector<T> value_;
  CpuResidual<T> residual_;
  Counted counted_;
};

}  // namespace kauri::numeric::cpu
