// Rows of y = A x and of r = b - A x, each summed in about twice the precision of T, with the
// maxima for backward errors; rows of y = alpha A x + beta y by plain sums.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/residual_worst.hpp"

namespace kauri::numeric::cpu {

/// A matrix by rows: row i of A is its part left of the diagonal, stored by rows, and column i of
/// the caller's lower triangle. Owns nothing.
template <class T>
struct ResidualRows {
  const Offset* left_ptr;     ///< n+1
  const Index* left_col;      ///< columns < i, ascending
  const Offset* left_source;  ///< index of each entry in value
  const Offset* col_ptr;      ///< n+1
  const Index* row;
  const T* value;
  const T* x;
  const T* b;
  Offset x_step, b_step;  ///< steps from an entry to the next
  double x_norm;          ///< infinity norm of x
};

/// A destination column: entry i is data[i * step].
template <class T>
struct ResidualColumn {
  T* data;
  Offset step;
};

/// A destination column for alpha A x + beta y; if beta is 0, y is not read.
template <class T>
struct ScaledColumn {
  ResidualColumn<T> y;
  double alpha, beta;  ///< values of T; sums are in double
};

/// Kernels for rows [begin, end) of one column. Each has versions for different machines, compiled
/// from one function and equal bit for bit, since a fused multiply-add is exact in hardware and in
/// software.
template <class T>
struct RowKernels {
  ResidualWorst (*residual)(const ResidualRows<T>&, Index begin, Index end,
                            const ResidualColumn<T>& r);  ///< r = b - A x
  void (*product)(const ResidualRows<T>&, Index begin, Index end,
                  const ResidualColumn<T>& y);  ///< y = A x; b, x_norm are not read
  /// y = alpha A x + beta y; b and x_norm are not read.
  void (*scaled)(const ResidualRows<T>&, Index begin, Index end, const ScaledColumn<T>& y);
};
template <class T>
RowKernels<T> row_kernels();

#define KAURI_DECLARE_ROWS(isa)                                           \
  namespace isa {                                                         \
  ResidualWorst rows(const ResidualRows<float>&, Index begin, Index end,  \
                     const ResidualColumn<float>& r);                     \
  ResidualWorst rows(const ResidualRows<double>&, Index begin, Index end, \
                     const ResidualColumn<double>& r);                    \
  void product_rows(const ResidualRows<float>&, Index begin, Index end,   \
                    const ResidualColumn<float>& y);                      \
  void product_rows(const ResidualRows<double>&, Index begin, Index end,  \
                    const ResidualColumn<double>& y);                     \
  void scaled_rows(const ResidualRows<float>&, Index begin, Index end,    \
                   const ScaledColumn<float>& y);                         \
  void scaled_rows(const ResidualRows<double>&, Index begin, Index end,   \
                   const ScaledColumn<double>& y);                        \
  }
KAURI_DECLARE_ROWS(portable)
KAURI_DECLARE_ROWS(fused)
#undef KAURI_DECLARE_ROWS

}  // namespace kauri::numeric::cpu
