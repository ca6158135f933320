// Body of residual_rows, compiled once with and once without hardware FMA (KAURI_ROWS names the namespace), contraction off.
// Sums by error-free transformations (Ogita, Rump & Oishi 2005, Dot2); denominators after Arioli, Demmel & Duff 1989.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cpu/residual_rows.hpp"

namespace kauri::numeric::cpu::KAURI_ROWS {

template <class T>
inline constexpr double kEpsilon = sizeof(T) == 4 ? double{__FLT_EPSILON__} : __DBL_EPSILON__;

inline double absolute(double x) { return __builtin_fabs(x); }

/// A running sum with its rounding errors collected.
struct Dot2 {
  double sum, error = 0;
  void add_product(double a, double b) {
    const double product = a * b, product_error = __builtin_fma(a, b, -product);
    const double next = sum + product, shadow = next - sum;
    error += (sum - (next - shadow)) + (product - shadow) + product_error;
    sum = next;
  }
  /// Subtracts v x. A product of two floats is exact in double, and the sum has more than twice their precision already.
  template <class T>
  void subtract(double v, double x) {
    if constexpr (sizeof(T) == 4)
      sum -= v * x;
    else
      add_product(-v, x);
  }
};

/// f(a_ij, x_j) over row i, columns ascending; returns the number of entries.
template <class T, class F>
inline __attribute__((always_inline)) Offset over_row(const ResidualRows<T>& a, Index i, const F& f) {
  for (Offset k = a.left_ptr[i]; k < a.left_ptr[i + 1]; ++k) f(a.value[a.left_source[k]], a.x[a.left_col[k]]);
  for (Offset k = a.col_ptr[i]; k < a.col_ptr[i + 1]; ++k) f(a.value[k], a.x[a.row[k]]);
  return a.left_ptr[i + 1] - a.left_ptr[i] + a.col_ptr[i + 1] - a.col_ptr[i];
}

template <class T>
void product_rows_of(const ResidualRows<T>& a, Index begin, Index end, T* y) {
  for (Index i = begin; i < end; ++i) {
    Dot2 sum{0};
    over_row(a, i, [&](double v, double x) { sum.subtract<T>(v, x); });
    y[i] = static_cast<T>(0 - (sum.sum + sum.error));
  }
}

template <class T>
ResidualWorst rows_of(const ResidualRows<T>& a, Index begin, Index end, T* r) {
  ResidualWorst worst{};
  for (Index i = begin; i < end; ++i) {
    Dot2 sum{static_cast<double>(a.b[i])};
    double magnitude = absolute(sum.sum), row_norm = 0;
    const double b = magnitude;
    const Offset count = over_row(a, i, [&](double v, double x) {
      sum.subtract<T>(v, x);
      magnitude += absolute(v * x);
      row_norm += absolute(v);
    });
    r[i] = static_cast<T>(sum.sum + sum.error);
    const double residual = absolute(static_cast<double>(r[i])), entries = static_cast<double>(count);
    // A denominator that is all rounding tells nothing: the second kind of row of Arioli, Demmel & Duff.
    const double noise = 1000 * entries * kEpsilon<T> * (row_norm * a.x_norm + b);
    const double scale = magnitude > noise ? magnitude : magnitude + row_norm * a.x_norm;
    worst.take({residual, row_norm, residual == 0 ? 0 : residual / scale});
  }
  return worst;
}

ResidualWorst rows(const ResidualRows<float>& a, Index begin, Index end, float* r) { return rows_of(a, begin, end, r); }
ResidualWorst rows(const ResidualRows<double>& a, Index begin, Index end, double* r) { return rows_of(a, begin, end, r); }
void product_rows(const ResidualRows<float>& a, Index begin, Index end, float* y) { product_rows_of(a, begin, end, y); }
void product_rows(const ResidualRows<double>& a, Index begin, Index end, double* y) { product_rows_of(a, begin, end, y); }

}  // namespace kauri::numeric::cpu::KAURI_ROWS
