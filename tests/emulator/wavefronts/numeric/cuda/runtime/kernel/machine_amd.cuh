// Replaces numeric/cuda/runtime/kernel/machine_amd.cuh on the emulated device, with wavefronts of
// 64 lanes: found before the real one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "tests/emulator/device/device_language.hpp"

namespace kauri::numeric::cuda::hip {

inline constexpr unsigned kWavefront = 64;

/// begin_block() calls this, and nothing else does: threads that have a wavefront of their own are
/// counted anew from there on.
inline unsigned hardware_thread() { return emulator::take_wavefront(); }

// One thread of the host runs at a time: fences have nothing to do.
inline void release_to_block() {}
inline void acquire_from_block() {}
inline void release_to_device() { emulator::maybe_yield(); }
inline void acquire_from_device() {}

inline int load_device(const int* p) {
  emulator::maybe_yield();
  const int value = *p;
  emulator::note_look_in_turn(p, value);
  return value;
}
/// Loads a number that may be its own flag. While it is missing the thread counts as one that
/// waits.
inline double load_device(const double* p) {
  emulator::maybe_yield();
  const double value = *p;
  if (__double2hiint(value) == -1)
    emulator::spin();
  else
    emulator::note_look(p, static_cast<int>(__double_as_longlong(value)));
  return value;
}
inline float load_device(const float* p) {
  emulator::maybe_yield();
  const float value = *p;
  if (__float_as_uint(value) == ~0U)
    emulator::spin();
  else
    emulator::note_look(p, static_cast<int>(__float_as_uint(value)));
  return value;
}
/// Sets *p = f(*p) atomically, and returns the value before.
template <class T, class F>
T update(T* p, const F& f) {
  emulator::maybe_yield();
  const T before = *p;
  *p = f(before);
  emulator::note_progress();
  emulator::maybe_yield();
  return before;
}
template <class T>
void store_device(T* p, T value) {
  update(p, [=](T) { return value; });
}
inline void add_device(int* p, int value) {
  update(p, [=](int before) { return before + value; });
}
inline void max_device(int* p, int value) {
  update(p, [=](int before) { return std::max(before, value); });
}

inline std::uint32_t load_shared_word(const std::uint32_t* p) {
  emulator::maybe_yield();
  return *p;
}
inline std::uint32_t add_shared(std::uint32_t* p, std::uint32_t value) {
  return update(p, [=](std::uint32_t before) { return before + value; });
}

inline void pause() { emulator::spin(); }

template <int kBytes>
void copy_to_shared(void* to_shared, const void* from_global) {
  if ((reinterpret_cast<std::uintptr_t>(to_shared) |
       reinterpret_cast<std::uintptr_t>(from_global)) %
          kBytes !=
      0)
    emulator::fail("a copy to shared memory that is not aligned");
  std::memcpy(to_shared, from_global, kBytes);
}

/// Estimates as rough as the device's may be.
inline double estimate_reciprocal(double x) {
  return static_cast<double>(static_cast<float>(1.0 / std::scalbn(x, -std::ilogb(x)))) *
         std::scalbn(1.0, -std::ilogb(x));
}
inline float estimate_reciprocal(float x) { return std::nextafter(1.0F / x, 0.0F); }
inline double estimate_reciprocal_root(double x) {
  const int half = std::ilogb(x) / 2;
  return static_cast<double>(static_cast<float>(1.0 / std::sqrt(std::scalbn(x, -2 * half)))) *
         std::scalbn(1.0, -half);
}
inline float estimate_reciprocal_root(float x) { return 1.0F / std::sqrt(x); }

}  // namespace kauri::numeric::cuda::hip
