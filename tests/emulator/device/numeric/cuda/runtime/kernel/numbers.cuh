// Stand-ins for loads and stores of numbers that are their own flags, on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/kernel/ptx.cuh"

namespace kauri::numeric::cuda::kernels::ptx {

/// Reads a number that is its own flag. A number that has arrived counts as progress if it is
/// another than before; one that is missing does not, also if several are read in turn.
inline double load_relaxed(const double* p) {
  emulator::maybe_yield();
  const double value = *p;
  if (__double2hiint(value) != -1)
    emulator::note_look(p, static_cast<int>(__double_as_longlong(value)));
  return value;
}
inline void store_relaxed(double* p, double value) {
  emulator::maybe_yield();
  *p = value;
  emulator::note_progress();
  emulator::maybe_yield();
}
inline float load_relaxed(const float* p) {
  emulator::maybe_yield();
  const float value = *p;
  if (__float_as_uint(value) != ~0U)
    emulator::note_look(p, static_cast<int>(__float_as_uint(value)));
  return value;
}
inline void store_relaxed(float* p, float value) {
  emulator::maybe_yield();
  *p = value;
  emulator::note_progress();
  emulator::maybe_yield();
}
/// Reads two neighbours one after the other, since the device does not read both at once.
inline double2 load_relaxed(const double2* p) {
  const double second = load_relaxed(&p->y);
  return {load_relaxed(&p->x), second};
}
inline void store_relaxed(double2* p, double2 value) {
  store_relaxed(&p->x, value.x);
  store_relaxed(&p->y, value.y);
}
inline float2 load_relaxed(const float2* p) {
  const float second = load_relaxed(&p->y);
  return {load_relaxed(&p->x), second};
}
inline void store_relaxed(float2* p, float2 value) {
  store_relaxed(&p->x, value.x);
  store_relaxed(&p->y, value.y);
}

}  // namespace kauri::numeric::cuda::kernels::ptx
