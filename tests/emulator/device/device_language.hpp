// CUDA C++ as kauri's kernels use it, for a compiler of the host. A block runs on one thread of the
// host: its shared memory is thread_local.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <math.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "tests/emulator/machine/indices.hpp"
#include "tests/emulator/machine/machine.hpp"

#define __device__
#define __global__
#define __shared__ thread_local
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)

using std::max;
using std::min;

struct alignas(16) double2 {
  double x, y;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) longlong2 {
  long long x, y;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
inline double2 make_double2(double x, double y) { return {x, y}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline longlong2 make_longlong2(long long x, long long y) { return {x, y}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }

template <class T>
T __ldg(const T* p) {
  return *p;
}
template <class T>
T __ldcg(const T* p) {
  return *p;
}
template <class T>
T __ldcs(const T* p) {
  return *p;
}

inline void __syncthreads() { kauri::emulator::block_barrier(); }
inline void __syncwarp() {
  kauri::emulator::together(kauri::emulator::Together::sync, nullptr, [](void* const*) {});
}
inline void __threadfence() { kauri::emulator::maybe_yield(); }
inline void __nanosleep(unsigned) { kauri::emulator::spin(); }

namespace kauri::emulator {

/// Returns to each lane the value of lane from(lane).
template <class T, class From>
T shuffled(unsigned mask, T value, const From& from) {
  if (mask != ~0U) fail("a shuffle of some lanes");
  struct Lane {
    T value, result;
    int from;
  } mine{value, value, from(static_cast<int>(threadIdx.x) % 32)};
  together(Together::shuffle, &mine, [](void* const* lanes) {
    for (int k = 0; k < 32; ++k) {
      Lane& to = *static_cast<Lane*>(lanes[k]);
      to.result = static_cast<const Lane*>(lanes[to.from])->value;
    }
  });
  return mine.result;
}

}  // namespace kauri::emulator

template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  return kauri::emulator::shuffled(
      mask, value, [=](int lane) { return lane / width * width + (from & (width - 1)); });
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, int by) {
  return kauri::emulator::shuffled(mask, value,
                                   [=](int lane) { return lane + by < 32 ? lane + by : lane; });
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int by) {
  return kauri::emulator::shuffled(mask, value, [=](int lane) { return lane ^ by; });
}
inline unsigned __ballot_sync(unsigned mask, bool yes) {
  if (mask != ~0U) kauri::emulator::fail("a vote of some lanes");
  struct Lane {
    bool yes;
    unsigned all;
  } mine{yes, 0};
  kauri::emulator::together(kauri::emulator::Together::vote, &mine, [](void* const* lanes) {
    unsigned all = 0;
    for (int k = 0; k < 32; ++k)
      all |= static_cast<unsigned>(static_cast<const Lane*>(lanes[k])->yes) << k;
    for (int k = 0; k < 32; ++k) static_cast<Lane*>(lanes[k])->all = all;
  });
  return mine.all;
}
inline int __any_sync(unsigned mask, bool yes) { return __ballot_sync(mask, yes) != 0 ? 1 : 0; }

template <class T>
T atomicAdd(T* place, T value) {
  kauri::emulator::maybe_yield();
  const T before = *place;
  *place = before + value;
  kauri::emulator::note_progress();
  return before;
}
template <class T>
T atomicMin(T* place, T value) {
  const T before = *place;
  *place = std::min(before, value);
  return before;
}
template <class T>
T atomicMax(T* place, T value) {
  const T before = *place;
  *place = std::max(before, value);
  return before;
}

inline float rsqrtf(float x) { return 1.0F / std::sqrt(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1; }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(std::bit_cast<long long>(x) >> 32); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }
