// Body of residual_rows, compiled once with and once without hardware FMA (KAURI_ROWS names the
// namespace), contraction off. Sums use error-free transformations (Ogita, Rump & Oishi 2005,
// Dot2); denominators follow Arioli, Demmel & Duff 1989.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cpu/matrix/residual_rows.hpp"

namespace kauri::numeric::cpu::KAURI_ROWS {

template <class T>
inline constexpr double kEpsilon = sizeof(T) == 4 ? double{__FLT_EPSILON__} : __DBL_EPSILON__;

inline double absolute(double x) { return __builtin_fabs(x); }

/// A running sum, and the sum of its rounding errors.
struct Dot2 {
  double sum, error = 0;
  void add_product(double a, double b) {
    const double product = a * b, product_error = __builtin_fma(a, b, -product);
    const double next = sum + product, shadow = next - sum;
    error += (sum - (next - shadow)) + (product - shadow) + product_error;
    sum = next;
  }
  /// Subtracts v x. For float, the product is exact in double, and a plain sum in double has more
  /// than twice the precision.
  template <class T>
  void subtract(double v, double x) {
    if constexpr (sizeof(T) == 4)
      sum -= v * x;
    else
      add_product(-v, x);
  }
};

/// The sums along a row or a part of it: b - A x, |b| + |A| |x|, and the row sum of |A|.
struct RowSum {
  Dot2 dot;
  double magnitude, row_norm = 0;

  static RowSum begun(double b) { return {{b}, absolute(b)}; }
  template <class T>
  void subtract(double v, double x) {
    dot.subtract<T>(v, x);
    magnitude += absolute(v * x);
    row_norm += absolute(v);
  }
  /// Adds the sums of the next part of the row.
  void join(const RowSum& next) {
    const double sum = dot.sum + next.dot.sum, shadow = sum - dot.sum;
    dot.error += ((dot.sum - (sum - shadow)) + (next.dot.sum - shadow)) + next.dot.error;
    dot.sum = sum;
    magnitude += next.magnitude;
    row_norm += next.row_norm;
  }
};

/// A plain sum in double, without error terms.
struct PlainSum {
  double sum;

  static PlainSum begun(double b) { return {b}; }
  template <class T>
  void subtract(double v, double x) {
    sum -= v * x;
  }
  void join(const PlainSum& next) { sum += next.sum; }
};

template <class T>
inline Offset entries_of(const ResidualRows<T>& a, Index i) {
  return a.left_ptr[i + 1] - a.left_ptr[i] + a.col_ptr[i + 1] - a.col_ptr[i];
}

/// Returns row_sum() of a row of more than kResidualSegment entries, segment by segment.
template <class Sum, class T>
Sum long_row_sum(const ResidualRows<T>& a, Index i, double b) {
  const Offset count = entries_of(a, i), left = a.left_ptr[i + 1] - a.left_ptr[i];
  const auto segment = [&](Offset begin, double start) {
    Sum sum = Sum::begun(start);
    const Offset end = begin + kResidualSegment < count ? begin + kResidualSegment : count;
    for (Offset k = begin; k < end; ++k) {
      if (k < left)
        sum.template subtract<T>(a.value[a.left_source[a.left_ptr[i] + k]],
                                 a.x[a.left_col[a.left_ptr[i] + k] * a.x_step]);
      else
        sum.template subtract<T>(a.value[a.col_ptr[i] + k - left],
                                 a.x[a.row[a.col_ptr[i] + k - left] * a.x_step]);
    }
    return sum;
  };
  const auto stretch = [&](Offset begin, double start) {
    Sum sum = segment(begin, start);
    const Offset end = begin + kResidualStretch < count ? begin + kResidualStretch : count;
    for (Offset k = begin + kResidualSegment; k < end; k += kResidualSegment)
      sum.join(segment(k, 0));
    return sum;
  };
  Sum sum = stretch(0, b);
  for (Offset k = kResidualStretch; k < count; k += kResidualStretch) sum.join(stretch(k, 0));
  return sum;
}

/// Returns b minus row i of A times x, columns ascending.
template <class Sum, class T>
inline __attribute__((always_inline)) Sum row_sum(const ResidualRows<T>& a, Index i, double b) {
  if (entries_of(a, i) > kResidualSegment) return long_row_sum<Sum>(a, i, b);
  Sum sum = Sum::begun(b);
  for (Offset k = a.left_ptr[i]; k < a.left_ptr[i + 1]; ++k)
    sum.template subtract<T>(a.value[a.left_source[k]], a.x[a.left_col[k] * a.x_step]);
  for (Offset k = a.col_ptr[i]; k < a.col_ptr[i + 1]; ++k)
    sum.template subtract<T>(a.value[k], a.x[a.row[k] * a.x_step]);
  return sum;
}

template <class T>
void product_rows_of(const ResidualRows<T>& a, Index begin, Index end, const ResidualColumn<T>& y) {
  for (Index i = begin; i < end; ++i) {
    const Dot2 sum = row_sum<RowSum>(a, i, 0).dot;
    y.data[i * y.step] = static_cast<T>(0 - (sum.sum + sum.error));
  }
}

template <class T>
void scaled_rows_of(const ResidualRows<T>& a, Index begin, Index end, const ScaledColumn<T>& y) {
  for (Index i = begin; i < end; ++i) {
    const double product = y.alpha * (0 - row_sum<PlainSum>(a, i, 0).sum);
    T& entry = y.y.data[i * y.y.step];
    entry = static_cast<T>(y.beta == 0 ? product : product + y.beta * static_cast<double>(entry));
  }
}

template <class T>
ResidualWorst rows_of(const ResidualRows<T>& a, Index begin, Index end,
                      const ResidualColumn<T>& r) {
  ResidualWorst worst{};
  for (Index i = begin; i < end; ++i) {
    const auto given = static_cast<double>(a.b[i * a.b_step]);
    const double b = absolute(given);
    const RowSum sum = row_sum<RowSum>(a, i, given);
    const T value = static_cast<T>(sum.dot.sum + sum.dot.error);
    r.data[i * r.step] = value;
    const double residual = absolute(static_cast<double>(value)),
                 entries = static_cast<double>(entries_of(a, i));
    // A denominator |b| + |A| |x| at the level of rounding errors carries no information: the row
    // is then of the second kind of Arioli, Demmel & Duff, and the row sum times x_norm is added.
    const double noise = 1000 * entries * kEpsilon<T> * (sum.row_norm * a.x_norm + b);
    const double reach = sum.row_norm * a.x_norm;
    const double scale = sum.magnitude > noise || is_too_large(reach, a.x_norm)
                             ? sum.magnitude
                             : sum.magnitude + reach;
    worst.take({residual, sum.row_norm, residual == 0 ? 0 : residual / scale});
  }
  return worst;
}

ResidualWorst rows(const ResidualRows<float>& a, Index begin, Index end,
                   const ResidualColumn<float>& r) {
  return rows_of(a, begin, end, r);
}
ResidualWorst rows(const ResidualRows<double>& a, Index begin, Index end,
                   const ResidualColumn<double>& r) {
  return rows_of(a, begin, end, r);
}
void product_rows(const ResidualRows<float>& a, Index begin, Index end,
                  const ResidualColumn<float>& y) {
  product_rows_of(a, begin, end, y);
}
void product_rows(const ResidualRows<double>& a, Index begin, Index end,
                  const ResidualColumn<double>& y) {
  product_rows_of(a, begin, end, y);
}
void scaled_rows(const ResidualRows<float>& a, Index begin, Index end,
                 const ScaledColumn<float>& y) {
  scaled_rows_of(a, begin, end, y);
}
void scaled_rows(const ResidualRows<double>& a, Index begin, Index end,
                 const ScaledColumn<double>& y) {
  scaled_rows_of(a, begin, end, y);
}

}  // namespace kauri::numeric::cpu::KAURI_ROWS
