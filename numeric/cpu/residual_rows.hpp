// Rows of r = b - A x, each summed in about twice the precision of T, with what they say about the backward error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/types.hpp"

namespace kauri::numeric::cpu {

/// A by full rows; nothing is owned.
template <class T>
struct ResidualRows {
  const Offset* row_ptr;  ///< n+1
  const Index* col;
  const Offset* source;   ///< place of each entry in value
  const T* value;
  const T* x;
  const T* b;
  double x_norm;          ///< infinity norm of x
};

/// Worst over rows: |r|, the row sums of |A|, |r_i| over its denominator. A NaN wins over any number.
struct ResidualWorst {
  double residual = 0, row_norm = 0, componentwise = 0;
};

/// r[i] for begin <= i < end. The two are one function compiled for different machines, equal bit for bit: a fused multiply-add is exact
/// in hardware and in software.
using ResidualRowsFloat = ResidualWorst (*)(const ResidualRows<float>&, Index begin, Index end, float* r);
using ResidualRowsDouble = ResidualWorst (*)(const ResidualRows<double>&, Index begin, Index end, double* r);
ResidualRowsFloat residual_rows(float tag);
ResidualRowsDouble residual_rows(double tag);

namespace portable {
ResidualWorst rows(const ResidualRows<float>&, Index begin, Index end, float* r);
ResidualWorst rows(const ResidualRows<double>&, Index begin, Index end, double* r);
}  // namespace portable
namespace fused {
ResidualWorst rows(const ResidualRows<float>&, Index begin, Index end, float* r);
ResidualWorst rows(const ResidualRows<double>&, Index begin, Index end, double* r);
}  // namespace fused

}  // namespace kauri::numeric::cpu
