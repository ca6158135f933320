// Running sums whose rounding errors are collected: products summed in about twice the precision of
// double.
//
// T. Ogita, S. M. Rump, S. Oishi, Accurate sum and dot product, SIAM J. Sci. Comput. 26, 2005
// (Dot2).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/launch.hpp"

namespace kauri::numeric::cuda {

/// A running sum and the sum of its rounding errors. Intrinsics keep the compiler from fusing
/// operations that must round separately.
struct Dot2 {
  double sum = 0, error = 0;

  /// Subtracts v x. T: type that v was converted from, and often x too. If it is float, a plain sum
  /// in double is accurate enough: rounding errors are not collected.
  template <class T>
  __device__ void subtract(double v, double x) {
    if constexpr (sizeof(T) == 4) {  // the product is exact if x is a float too
      sum = __dsub_rn(sum, __dmul_rn(v, x));
      return;
    }
    const double product = __dmul_rn(-v, x), product_error = __fma_rn(-v, x, -product);
    const double next = __dadd_rn(sum, product), shadow = __dsub_rn(next, sum);
    error = __dadd_rn(error, __dadd_rn(__dadd_rn(__dsub_rn(sum, __dsub_rn(next, shadow)),
                                                 __dsub_rn(product, shadow)),
                                       product_error));
    sum = next;
  }
  [[nodiscard]] __device__ double value() const { return sum + error; }
};

}  // namespace kauri::numeric::cuda
