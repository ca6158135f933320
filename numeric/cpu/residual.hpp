// Products, residuals and backward errors on the CPU: A by full rows, each row summed in about twice the precision.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "numeric/backend.hpp"
#include "numeric/cpu/workers.hpp"

namespace kauri::numeric::cpu {

template <class T>
class CpuResidual final : public ResidualStore<T> {
 public:
  CpuResidual(const Pattern& lower, Workers& workers);
  BackwardError residual(std::span<const T> value, MatrixView<const T> x, MatrixView<const T> b, MatrixView<T> r) const override;
  void multiply(std::span<const T> value, MatrixView<const T> x, MatrixView<T> y) const override;

 private:
  BackwardError column(std::span<const T> value, const T* x, const T* b, T* r) const;

  Workers& workers_;
  std::vector<Offset> row_ptr_;    // n+1
  std::vector<Index> col_;         // both halves, rows in order, columns ascending
  std::vector<Offset> source_;     // place of each entry in the caller's values
  std::vector<Index> chunk_;       // row ranges of about equal entries: [chunk_[c], chunk_[c+1])
};

}  // namespace kauri::numeric::cpu
