// From what the rows of a residual say to the backward errors, the same for all backends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "kauri/refinement.hpp"
#include "numeric/residual_worst.hpp"

namespace kauri::numeric {

/// Infinity norm of a column whose entries are `step` places apart.
template <class T>
double norm_inf(const T* x, Offset step, Index n) {
  double m = 0;
  for (Index i = 0; i < n; ++i) m = max_or_nan(std::abs(static_cast<double>(x[i * step])), m);
  return m;
}

/// The errors of one column (Arioli, Demmel & Duff 1989) from the worst of its rows.
KAURI_HOST_DEVICE inline BackwardError backward_error(const ResidualWorst& all, double x_norm, double b_norm) {
  double scale = std::fma(all.row_norm, x_norm, b_norm);  // in every backend, whatever its compiler would make of a product and a sum
  double residual = all.residual;
  if (is_too_large(scale, x_norm)) residual /= all.row_norm, scale = x_norm;
  return {residual == 0 ? 0 : residual / scale, all.componentwise};
}

/// The worst of two columns.
KAURI_HOST_DEVICE inline BackwardError worse(const BackwardError& a, const BackwardError& b) {
  return {max_or_nan(a.normwise, b.normwise), max_or_nan(a.componentwise, b.componentwise)};
}

/// The worst over the columns of X: column(c) gives the errors of one.
template <class Column>
BackwardError worst_column(Index cols, const Column& column) {
  BackwardError worst;
  for (Index c = 0; c < cols; ++c) worst = worse(column(c), worst);
  return worst;
}

}  // namespace kauri::numeric
