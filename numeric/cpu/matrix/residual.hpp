// Products, residuals and backward errors on the CPU: A by full rows, each row summed in about
// twice the precision of T.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "numeric/backend.hpp"
#include "numeric/cpu/matrix/residual_rows.hpp"
#include "numeric/cpu/runtime/workers.hpp"

namespace kauri::numeric::cpu {

template <class T>
class CpuResidual final : public ResidualImpl<T> {
 public:
  CpuResidual(const Pattern& lower, Workers& workers);
  BackwardError residual(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b,
                         MatrixView<T> r, ValuesAre values) const override;
  void multiply(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<T> y) const override;
  /// Computes y = alpha A x + beta y by plain sums in double; if beta is 0, y is not read.
  void multiply(const SymmetricView<T>& a, T alpha, MatrixView<const T> x, T beta,
                MatrixView<T> y) const;
  [[nodiscard]] Offset bytes() const override;

 private:
  /// Returns A by rows with one column of x and of b; b has null data for a product.
  [[nodiscard]] ResidualRows<T> rows(const SymmetricView<T>& a, const MatrixView<const T>& x,
                                     const MatrixView<const T>& b) const;
  /// Calls compute(rows, begin, end, y) for fixed chunks of rows, on all threads, column after
  /// column.
  template <class F>
  void each_chunk(const SymmetricView<T>& a, const MatrixView<const T>& x, const MatrixView<T>& y,
                  const F& compute) const;
  BackwardError column(const SymmetricView<T>& a, const MatrixView<const T>& x,
                       const MatrixView<const T>& b, const MatrixView<T>& r) const;

  // The strictly lower triangle by rows; the rest of a row is a column of the caller's matrix.
  Workers& workers_;
  std::vector<Offset> left_ptr_;     // n+1: begin of each row in left_col_
  std::vector<Index> left_col_;      // ascending in each row
  std::vector<Offset> left_source_;  // place of each entry in the caller's values
  std::vector<Index> chunk_;         // row ranges of about equal entries: [chunk_[c], chunk_[c+1])
  mutable std::vector<ResidualWorst>
      worst_;  // one for each chunk, allocated once; calls of residual() must not run side by side
};

}  // namespace kauri::numeric::cpu
