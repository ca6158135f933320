// Numbers that are their own flags, which the kernels of sweeps share.
//
// A number that is not computed yet has all bits set (a NaN that no arithmetic makes); a thread
// that needs it loads it until it differs. Numbers are stored and loaded whole, by relaxed accesses
// of device scope; no other access is ordered by them, since all that follows from a number is in
// the number. So a number is visible one trip to the L2 cache after its store: it needs no flag
// behind it and no fence before. The order of tickets defines which task waits for which
// (symbolic/device/sweep_lists.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/kernel/dot2.cuh"
#include "numeric/cuda/runtime/kernel/ptx.cuh"
#include "numeric/cuda/runtime/kernel/watchdog.cuh"
#include "numeric/cuda/solve/single/memory.hpp"

namespace kauri::numeric::cuda {

using kernels::ptx::load_relaxed;
using kernels::ptx::store_relaxed;
using watchdog::Awaited;
using watchdog::Watch;

/// Returns the row of row k in the caller's numbering; k itself without a permutation.
__device__ inline Index row_of(const Index* old_of, Index k) {
  return old_of != nullptr ? old_of[k] : k;
}

/// Pauses between loads, in ns: for numbers that the next step waits for, and for later ones.
constexpr unsigned kSoon = 20, kLater = 60;

/// Returns true if a number is set. Tests the upper half alone: any other number with that upper
/// half is a NaN of the caller's, which publish() replaces.
__device__ inline bool is_set(double x) { return __double2hiint(x) != -1; }

__device__ inline double await_number(const double* p) {
  double x = load_relaxed(p);
  Watch watch;
  while (!is_set(x)) watch.look(Awaited::number, p, 0, 0), x = load_relaxed(p);
  return x;
}

/// Waits until a number is set, with pauses of `pause` ns.
__device__ inline void await_there(const double* p, unsigned pause) {
  Watch watch;
  while (!is_set(load_relaxed(p))) watch.look(Awaited::number, p, 0, 0), __nanosleep(pause);
}

/// Reports to the watchdog the first of the numbers k in [0, kCount), at addresses at(k), for which
/// is_there(k) is false: a loop calls it after waiting in vain.
template <int kCount, class There, class At>
__device__ __forceinline__ void look_at(Watch& watch, const There& is_there, const At& at) {
  if constexpr (watchdog::kOn) {
#pragma unroll
    for (int k = 0; k < kCount; ++k)
      if (!is_there(k)) return watch.look(Awaited::number, at(k), 0, 0);
  }
}

/// Waits until x[k], the number loaded from p[k], is set for all k. Each round loads all missing
/// ones together, since a load takes a trip to the L2 cache and back. The pauses, in ns, leave the
/// cache to other threads.
template <int kCount>
__device__ void await_numbers(const double* const (&p)[kCount], double (&x)[kCount],
                              unsigned pause) {
  Watch watch;
  for (;;) {
    bool all = true;
#pragma unroll
    for (int k = 0; k < kCount; ++k) all = all && is_set(x[k]);
    if (all) return;
    look_at<kCount>(
        watch, [&](int k) { return is_set(x[k]); }, [&](int k) { return p[k]; });
    __nanosleep(pause);
#pragma unroll
    for (int k = 0; k < kCount; ++k)
      if (!is_set(x[k])) x[k] = load_relaxed(p[k]);
  }
}

/// Calls f(number k) for k in [0, count) in turn, number k at p + k step; waits for four together.
template <class F>
__device__ void for_numbers(const double* p, Offset step, Index count, unsigned pause, const F& f) {
  for (Index k = 0; k < count; k += 4, p += 4 * step) {
    const double* const place[4] = {p, p + step, p + 2 * step, p + 3 * step};
    double x[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) x[u] = k + u < count ? load_relaxed(place[u]) : 0.0;
    await_numbers(place, x, pause);
#pragma unroll
    for (int u = 0; u < 4; ++u)
      if (k + u < count) f(x[u]);
  }
}

/// Returns x, or the canonical NaN if x is a NaN of the caller's with the bits of an unset number.
__device__ inline double as_number(double x) {
  return is_set(x) ? x : __longlong_as_double(0x7ff8000000000000);
}
__device__ inline void publish(double* p, double x) {
  if (!watchdog::loses()) store_relaxed(p, as_number(x));
}

/// Returns a + b with the rounding error of their sum; add(b, a) has the same bits.
__device__ inline Dot2 add(const Dot2& a, const Dot2& b) {
  const double sum = __dadd_rn(a.sum, b.sum), shadow = __dsub_rn(sum, a.sum);
  const double error =
      __dadd_rn(__dsub_rn(a.sum, __dsub_rn(sum, shadow)), __dsub_rn(b.sum, shadow));
  return {sum, __dadd_rn(__dadd_rn(a.error, b.error), error)};
}

__device__ inline double exchange(double x, int lanes) {
  return __shfl_xor_sync(0xffffffffu, x, lanes);
}
__device__ inline Dot2 exchange(const Dot2& x, int lanes) {
  return {exchange(x.sum, lanes), exchange(x.error, lanes)};
}

}  // namespace kauri::numeric::cuda
