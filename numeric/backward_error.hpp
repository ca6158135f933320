// Backward errors from the worst rows of a residual, by the same formula in all backends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "kauri/solve/refinement.hpp"
#include "numeric/residual_worst.hpp"

namespace kauri::numeric {

/// Returns the infinity norm of a column, the largest |x[i * step]| for 0 <= i < n; NaN if one of
/// these entries is NaN, 0 if n = 0.
template <class T>
double norm_inf(const T* x, Offset step, Index n) {
  double m = 0;
  for (Index i = 0; i < n; ++i) m = max_or_nan(std::abs(static_cast<double>(x[i * step])), m);
  return m;
}

/// Returns the backward errors of one column x (Arioli, Demmel & Duff 1989). Normwise: |r| / (|A|
/// |x| + |b|) in infinity norms, which are all.residual, all.row_norm, x_norm and b_norm; 0 if r =
/// 0; |r| / (|A| |x|) if |A| |x| + |b| overflows. Componentwise: all.componentwise.
KAURI_HOST_DEVICE inline BackwardError backward_error(const ResidualWorst& all, double x_norm,
                                                      double b_norm) {
  // An explicit fma, so that all backends round alike, whatever a compiler makes of a * b + c.
  double scale = std::fma(all.row_norm, x_norm, b_norm);
  double residual = all.residual;
  if (is_too_large(scale, x_norm)) residual /= all.row_norm, scale = x_norm;
  return {residual == 0 ? 0 : residual / scale, all.componentwise};
}

/// Returns the larger of each kind of error, normwise and componentwise; NaN for a kind in which a
/// or b is NaN.
KAURI_HOST_DEVICE inline BackwardError worse(const BackwardError& a, const BackwardError& b) {
  return {max_or_nan(a.normwise, b.normwise), max_or_nan(a.componentwise, b.componentwise)};
}

/// Returns the largest error of each kind over columns 0 to cols - 1 of X; column(c) returns the
/// errors of column c.
template <class Column>
BackwardError worst_column(Index cols, const Column& column) {
  BackwardError worst;
  for (Index c = 0; c < cols; ++c) worst = worse(column(c), worst);
  return worst;
}

}  // namespace kauri::numeric
