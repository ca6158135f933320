// Rows of y = A x and of r = b - A x, each summed in about twice the precision of T, with the
// maxima for backward errors; rows of y = alpha A x + beta y by plain sums.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/residual_worst.hpp"

namespace kauri::numeric::cpu {

/// A symmetric matrix by rows, with one column of x and of b: row i of A is its part left of the
/// diagonal, stored by rows (left_...), and column i of the caller's lower triangle (col_ptr, row,
/// value). Owns nothing.
template <class T>
struct ResidualRows {
  const Offset* left_ptr;     ///< n+1: begin of each row in left_col
  const Index* left_col;      ///< columns < i of row i, ascending
  const Offset* left_source;  ///< for each entry of left_col the index of its value in `value`
  const Offset* col_ptr;      ///< n+1: begin of each column in `row` and `value`
  const Index* row;
  const T* value;
  const T* x;
  const T* b;
  Offset x_step, b_step;  ///< step from an entry of x, and of b, to the next
  double x_norm;          ///< infinity norm of x; 0 for products
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
  double alpha, beta;  ///< numbers of type T, converted: sums are in double
};

/// Kernels for rows [begin, end) of one column. Each has versions for machines with and without
/// hardware fused multiply-add, compiled from one function; their results are equal bit for bit,
/// since a fused multiply-add is rounded once in hardware and in software.
template <class T>
struct RowKernels {
  ResidualWorst (*residual)(const ResidualRows<T>&, Index begin, Index end,
                            const ResidualColumn<T>& r);  ///< r = b - A x; returns maxima of rows
  void (*product)(const ResidualRows<T>&, Index begin, Index end,
                  const ResidualColumn<T>& y);  ///< y = A x; b, x_norm are not read
  /// y = alpha A x + beta y; b and x_norm are not read.
  void (*scaled)(const ResidualRows<T>&, Index begin, Index end, const ScaledColumn<T>& y);
};
/// Returns the kernels for this machine.
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
