// What the kernels of a sweep share: numbers that are their own flags.
//
// A number that is not there yet has all bits set (a NaN that no arithmetic makes): who needs it looks until it is another. It is stored
// and loaded whole, by relaxed accesses of the device's scope; nothing else is ordered by it, since what follows from it is in the number.
// So a number is seen one trip to the L2 cache after it is stored: no flag comes behind it, and no fence before. Which task waits for whom
// says the order of tickets (symbolic/sweep_lists.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/dot2.cuh"
#include "numeric/cuda/kernels/ptx.cuh"
#include "numeric/cuda/sweep.hpp"

namespace kauri::numeric::cuda {

using kernels::ptx::load_relaxed;
using kernels::ptx::store_relaxed;

/// Of row k in the caller's numbering; without a permutation k itself.
__device__ inline Index row_of(const Index* old_of, Index k) { return old_of != nullptr ? old_of[k] : k; }

__device__ inline bool is_set(double x) { return __double_as_longlong(x) != -1; }

__device__ inline double await_number(const double* p) {
  double x = load_relaxed(p);
  while (!is_set(x)) x = load_relaxed(p);
  return x;
}

/// f(number k) for k in [0, count) in turn, number k at p + k step: four are looked at together. Numbers that wait long are
/// looked at less often, which leaves the L2 cache to others: kPatient.
template <bool kPatient = false, class F>
__device__ void for_numbers(const double* p, Offset step, Index count, const F& f) {
  for (Index k = 0; k < count; k += 4, p += 4 * step) {
    double x[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) x[u] = k + u < count ? load_relaxed(p + u * step) : 0.0;
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      while (!is_set(x[u])) {
        if constexpr (kPatient) __nanosleep(40);
        x[u] = load_relaxed(p + u * step);
      }
      if (k + u < count) f(x[u]);
    }
  }
}

/// A NaN of the caller's may have come through as it was.
__device__ inline void publish(double* p, double x) { store_relaxed(p, is_set(x) ? x : __longlong_as_double(0x7ff8000000000000)); }

/// a + b, with what the sum of the two rounds; the same for (b, a).
__device__ inline Dot2 add(const Dot2& a, const Dot2& b) {
  const double sum = __dadd_rn(a.sum, b.sum), shadow = __dsub_rn(sum, a.sum);
  const double error = __dadd_rn(__dsub_rn(a.sum, __dsub_rn(sum, shadow)), __dsub_rn(b.sum, shadow));
  return {sum, __dadd_rn(__dadd_rn(a.error, b.error), error)};
}

__device__ inline double exchange(double x, int lanes) { return __shfl_xor_sync(0xffffffffu, x, lanes); }
__device__ inline Dot2 exchange(const Dot2& x, int lanes) { return {exchange(x.sum, lanes), exchange(x.error, lanes)}; }
__device__ inline double add(double a, double b) { return a + b; }

}  // namespace kauri::numeric::cuda
