// Replaces numeric/cuda/runtime/kernel/ptx.cuh on the emulated device: found before the real one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "tests/emulator/device/device_language.hpp"
#include "tests/emulator/machine/tensor_core.hpp"

namespace kauri::numeric::cuda::kernels::ptx {

using emulator::arrive_after_copies;
using emulator::barrier_init;
using emulator::bulk_copy;
using emulator::bulk_store;
using emulator::finish_async_copies;
using emulator::finish_store_reads;
using emulator::finish_stores;
using emulator::prefetch;
using emulator::proxy_fence;

#ifdef KAURI_BEFORE_HOPPER  // as devices before Hopper, whose waits return at once
inline void barrier_wait(std::uint64_t* barrier, unsigned parity) {
  while (!emulator::barrier_test(barrier, parity)) emulator::spin();
}
#elif defined(KAURI_READS_END_AT_FENCES)
// Defined for kernels that may release a stage while their loads from it are under way.
inline void barrier_wait(std::uint64_t* barrier, unsigned parity) {
  emulator::barrier_wait(barrier, parity);
  emulator::note_reading(barrier);
}
#else
using emulator::barrier_wait;
#endif

inline void prefetch_line(const void* /*from_global*/) {}

inline constexpr bool kTensorCores = true;
inline constexpr int kBlockKilobytes = 99;
constexpr bool begin_block() { return true; }

using SharedAddress = std::uintptr_t;
inline SharedAddress shared_address(const void* p) { return reinterpret_cast<SharedAddress>(p); }

inline double* shared_pointer(SharedAddress address) { return reinterpret_cast<double*>(address); }

inline SharedAddress load_shared(const SharedAddress* from) { return *from; }
inline void load_shared(double& x, SharedAddress address) {
  x = *reinterpret_cast<const double*>(address);
}
/// One instruction, whose address must be a multiple of 16.
inline void load_shared(double& x, double& y, SharedAddress address) {
  if (address % 16 != 0) emulator::fail("two doubles from a place that is no multiple of 16");
  load_shared(x, address);
  load_shared(y, address + sizeof(double));
}

inline int thread_index() { return static_cast<int>(threadIdx.x); }

/// Synchronises the warp and elects one lane. Kernels must not depend on which lane it is.
inline bool elect() {
  __syncwarp();
  return threadIdx.x % 32 == 31;
}

inline void barrier_init_fence() {}
inline void barrier_arrive(std::uint64_t* barrier) { emulator::barrier_arrive(barrier, 0); }
inline void barrier_arrive_expecting(std::uint64_t* barrier, int bytes) {
  emulator::barrier_arrive(barrier, bytes);
}

inline void copy_8_async(void* to_shared, const void* from_global) {
  emulator::copy_async(to_shared, from_global, 8, true);
}
inline void copy_16_async(void* to_shared, const void* from_global) {
  emulator::copy_async(to_shared, from_global, 16, true);
}
inline void commit_copies() { emulator::commit_copies(); }
template <int kLeft>
inline void wait_for_copies() {
  emulator::wait_for_copies(kLeft);
}

inline int anew(int x) { return x; }
inline SharedAddress anew(SharedAddress x) { return x; }

inline void shared_proxy_fence() { emulator::proxy_fence(); }

// One thread of the host runs at a time, so writes are visible in order to all later reads and
// fences have nothing to do.
inline void release_fence() { emulator::maybe_yield(); }

inline int load_acquire(const int* p) {
  emulator::maybe_yield();
  const int value = *p;
  emulator::note_look(p, value);
  return value;
}
/// Reads one of several flags in turn; acquire_fence() ends the turn.
inline int load_relaxed(const int* p) {
  emulator::maybe_yield();
  const int value = *p;
  emulator::note_look_in_turn(p, value);
  return value;
}
inline void acquire_fence() { emulator::note_progress(); }
/// Sets *p = f(*p) atomically.
template <class F>
inline void update(int* p, const F& f) {
  emulator::maybe_yield();
  *p = f(*p);
  emulator::note_progress();
  emulator::maybe_yield();
}
inline void store_relaxed(int* p, int value) {
  update(p, [=](int) { return value; });
}
inline void store_release(int* p, int value) { store_relaxed(p, value); }
inline void add_relaxed(int* p, int value) {
  update(p, [=](int before) { return before + value; });
}
inline void max_relaxed(int* p, int value) {
  update(p, [=](int before) { return before > value ? before : value; });
}

inline void named_sync(int id, int threads) { emulator::block_barrier(id, threads, true); }
inline void named_arrive(int id, int threads) { emulator::block_barrier(id, threads, false); }

template <int kFrom, int kTo>
inline void take_registers() {
  static_assert(kFrom < kTo);
  emulator::change_registers(kFrom, kTo);
}
template <int kFrom, int kTo>
inline void leave_registers() {
  static_assert(kFrom > kTo);
  emulator::change_registers(kFrom, kTo);
}

inline double flipped(double x) { return -x; }
inline float flipped(float x) { return -x; }

/// Computes c (16x8) += a (16 x 4 kB) b (4 kB x 8). The fragments of each lane: PTX ISA, "Matrix
/// Fragments for mma.m16n8k16 with .f64".
template <int kA, int kB>
inline void multiply(double (&c)[4], const double (&a)[kA], const double (&b)[kB]) {
  struct Operands {
    double* c;
    const double *a, *b;
  } mine{c, a, b};
  emulator::together(emulator::Together::product, &mine, [](void* const* lanes) {
    double left[4 * kB][16], right[4 * kB][8];
    for (int lane = 0; lane < 32; ++lane) {
      const Operands& from = *static_cast<const Operands*>(lanes[lane]);
      const int group = lane / 4, place = lane % 4;
      for (int i = 0; i < kA; ++i) left[i / 2 * 4 + place][group + i % 2 * 8] = from.a[i];
      for (int i = 0; i < kB; ++i) right[i * 4 + place][group] = from.b[i];
    }
    double sum[8][16] = {};
    for (int k = 0; k < 4 * kB; ++k)
      for (int column = 0; column < 8; ++column)
        for (int row = 0; row < 16; ++row) sum[column][row] += left[k][row] * right[k][column];
    for (int lane = 0; lane < 32; ++lane) {
      double* to = static_cast<const Operands*>(lanes[lane])->c;
      for (int i = 0; i < 4; ++i) to[i] += sum[lane % 4 * 2 + i % 2][lane / 4 + i / 2 * 8];
    }
  });
}
inline void mma(double (&c)[4], const double (&a)[8], const double (&b)[4]) { multiply(c, a, b); }
inline void mma(double (&c)[4], const double (&a)[4], const double (&b)[2]) { multiply(c, a, b); }
inline void mma(double (&d)[4], const double (&a)[8], const double (&b)[4], const double (&c)[4]) {
  double sum[4] = {c[0], c[1], c[2], c[3]};
  multiply(sum, a, b);
  for (int i = 0; i < 4; ++i) d[i] = sum[i];
}

/// Computes c (8x8) += a (8x4) b (4x8).
inline void mma(double (&c)[2], double a, double b) {
  struct Operands {
    double* c;
    double a, b;
  } mine{c, a, b};
  emulator::together(emulator::Together::product, &mine, [](void* const* lanes) {
    double left[4][8], right[4][8], sum[8][8] = {};
    for (int lane = 0; lane < 32; ++lane) {
      left[lane % 4][lane / 4] = static_cast<const Operands*>(lanes[lane])->a;
      right[lane % 4][lane / 4] = static_cast<const Operands*>(lanes[lane])->b;
    }
    for (int k = 0; k < 4; ++k)
      for (int column = 0; column < 8; ++column)
        for (int row = 0; row < 8; ++row) sum[column][row] += left[k][row] * right[k][column];
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 2; ++i)
        static_cast<const Operands*>(lanes[lane])->c[i] += sum[lane % 4 * 2 + i][lane / 4];
  });
}

/// Rounds to TF32 as nvcc does.
inline float to_tf32(float x) {
  return std::abs(x) < INFINITY ? emulator::as_tf32(__uint_as_float(__float_as_uint(x) + 0x1000U))
                                : x;
}

/// Computes c (16x8) += a (16x8) b (8x8) in TF32, columns 0-3 of a before the others. The fragments
/// of each lane: PTX ISA, "Matrix Fragments for mma.m16n8k8", .tf32.
inline void mma_tf32(float (&upper)[2], float (&lower)[2], const float (&a)[4],
                     const float (&b)[2]) {
  struct Operands {
    float *upper, *lower;
    const float *a, *b;
  } mine{upper, lower, a, b};
  emulator::together(emulator::Together::product, &mine, [](void* const* lanes) {
    float left[16][8], right[8][8];
    for (int lane = 0; lane < 32; ++lane) {
      const Operands& from = *static_cast<const Operands*>(lanes[lane]);
      const int group = lane / 4, place = lane % 4;
      for (int i = 0; i < 4; ++i) left[group + i % 2 * 8][place + i / 2 * 4] = from.a[i];
      for (int i = 0; i < 2; ++i) right[group][place + i * 4] = from.b[i];
    }
    for (int lane = 0; lane < 32; ++lane) {
      const Operands& to = *static_cast<const Operands*>(lanes[lane]);
      for (int i = 0; i < 4; ++i) {
        float& c = i < 2 ? to.upper[i] : to.lower[i - 2];
        const float *row = left[lane / 4 + i / 2 * 8], *column = right[lane % 4 * 2 + i % 2];
        for (int k = 0; k < 8; k += 4) c = emulator::add_products<4>(c, row + k, column + k);
      }
    }
  });
}

inline std::uint32_t to_halves(float x, float y) {
  return emulator::to_half(x) | std::uint32_t{emulator::to_half(y)} << 16;
}
inline void from_halves(float& x, float& y, std::uint32_t halves) {
  x = emulator::from_half(static_cast<std::uint16_t>(halves)),
  y = emulator::from_half(static_cast<std::uint16_t>(halves >> 16));
}

struct GroupOperand {
  const float* first;
  int stride, step;
};
inline GroupOperand group_operand(const float* first, int stride, int step) {
  return {first, stride, step};
}
inline void begin_group() { __syncwarp(); }
inline void commit_group() { emulator::commit_products(); }
template <int kLeft>
inline void finish_group() {
  emulator::wait_for_products(kLeft);
  __syncwarp();
}
inline void renew(float& /*x*/) {}
inline void renew(std::uint32_t& /*x*/) {}

/// Computes c (16x64) += a (16x8) b (64x8)^T in TF32 as eight products of a warp; a lane holds the
/// same columns of each as in mma_tf32(). The product is computed when it is waited for, so that an
/// operand that is overwritten too early, also in registers, changes the result.
inline void multiply_group(float (&upper)[8][2], float (&lower)[8][2], const float (&a)[4],
                           GroupOperand b) {
  emulator::ask_for_product([&upper, &lower, &a, b] {
    const int lane = static_cast<int>(threadIdx.x % 32);
    for (int n = 0; n < 8; ++n) {
      const float* row = b.first + n * b.stride + lane / 4 * 4 + lane % 4;
      const float right[2] = {row[0], row[b.step]};
      mma_tf32(upper[n], lower[n], a, right);
    }
  });
}
/// Computes c (16x64) += a (16x16) b (64x16)^T in halves, by a warp, when it is waited for. The
/// fragments of each lane: PTX ISA, "Matrix Fragments for mma.m16n8k16".
inline void multiply_group(float (&upper)[8][2], float (&lower)[8][2], const std::uint32_t (&a)[4],
                           GroupOperand b) {
  emulator::ask_for_product([&upper, &lower, &a, b] {
    struct Operands {
      float (*upper)[2], (*lower)[2];
      const std::uint32_t* a;
      GroupOperand b;
    } mine{upper, lower, a, b};
    emulator::together(emulator::Together::product, &mine, [](void* const* lanes) {
      float left[16][16];
      for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < 4; ++i) {
          float* pair = &left[lane / 4 + i % 2 * 8][lane % 4 * 2 + i / 2 * 8];
          from_halves(pair[0], pair[1], static_cast<const Operands*>(lanes[lane])->a[i]);
        }
      }
      for (int column = 0; column < 64; ++column) {
        float right[16];
        const GroupOperand& operand = static_cast<const Operands*>(lanes[0])->b;
        for (int k = 0; k < 16; k += 2) {
          std::uint32_t pair;
          std::memcpy(&pair,
                      operand.first + column / 8 * operand.stride + k / 8 * operand.step +
                          column % 8 * 4 + k % 8 / 2,
                      sizeof pair);
          from_halves(right[k], right[k + 1], pair);
        }
        for (int row = 0; row < 16; ++row) {
          const Operands& to = *static_cast<const Operands*>(lanes[row % 8 * 4 + column % 8 / 2]);
          float& c = (row < 8 ? to.upper : to.lower)[column / 8][column % 2];
          for (int k = 0; k < 16; k += 8)
            c = emulator::add_products<8>(c, left[row] + k, right + k);
        }
      }
    });
  });
}
/// Computes c = a b^T, of either kind. c is NaN until the product is waited for.
template <class Left>
void multiply_group_from_zero(float (&upper)[8][2], float (&lower)[8][2], const Left (&a)[4],
                              GroupOperand b) {
  const auto fill = [&upper, &lower](float value) {
    for (int n = 0; n < 8; ++n) upper[n][0] = upper[n][1] = lower[n][0] = lower[n][1] = value;
  };
  fill(std::numeric_limits<float>::quiet_NaN());
  emulator::ask_for_product([fill] { fill(0); });
  multiply_group(upper, lower, a, b);
}

/// Splits 1/x into y (1 + e), with y as rough as the device's first approximation.
inline void reciprocal_parts(double x, double& y, double& e) {
  const int exponent = std::isnormal(x) ? std::ilogb(x) : 0;
  y = std::ldexp(static_cast<double>(static_cast<float>(std::ldexp(1.0 / x, exponent))), -exponent);
  const double r = fma(-x, y, 1.0);
  e = fma(r, r, r);
}

inline double reciprocal_root(double x) { return 1.0 / std::sqrt(x); }

/// Returns a reciprocal that is off by one unit in its last place.
inline float rough_reciprocal(float x) { return std::nextafter(1.0F / x, 0.0F); }
inline float reciprocal_root(float x) { return 1.0F / std::sqrt(x); }

}  // namespace kauri::numeric::cuda::kernels::ptx
