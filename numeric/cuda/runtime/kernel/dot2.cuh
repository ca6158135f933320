// Running sums whose rounding errors are collected: products summed in about twice the precision of
// their scalar.
//
// T. Ogita, S. M. Rump, S. Oishi, Accurate sum and dot product, SIAM J. Sci. Comput. 26, 2005
// (Dot2).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/kernel/unfused.cuh"

namespace kauri::numeric::cuda {

/// A running sum in N, float or double, and the sum of its rounding errors. Intrinsics keep the
/// compiler from fusing operations that must round separately.
template <class N>
struct Dot2Of {
  N sum = 0, error = 0;

  /// Subtracts v x. T: type that v was converted from, and often x too. If it has fewer bits than
  /// N, a plain sum is accurate enough: rounding errors are not collected.
  template <class T>
  __device__ void subtract(N v, N x) {
    if constexpr (sizeof(T) < sizeof(N)) {  // the product is exact if x is a float too
      sum = sub_rn(sum, mul_rn(v, x));
      return;
    }
    const N product = mul_rn(-v, x), product_error = fma(-v, x, -product);
    const N next = add_rn(sum, product), shadow = sub_rn(next, sum);
    error = add_rn(error, add_rn(add_rn(sub_rn(sum, sub_rn(next, shadow)), sub_rn(product, shadow)),
                                 product_error));
    sum = next;
  }
  [[nodiscard]] __device__ N value() const { return sum + error; }
};
using Dot2 = Dot2Of<double>;

}  // namespace kauri::numeric::cuda
