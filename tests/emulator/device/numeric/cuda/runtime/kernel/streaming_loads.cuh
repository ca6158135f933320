// Replaces numeric/cuda/runtime/kernel/streaming_loads.cuh on the emulated device: found before the
// real one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>

#include "tests/emulator/machine/machine.hpp"

namespace kauri::numeric::cuda {

/// Loads four numbers. Fails if the address is not aligned, which ends the kernel on a device.
template <class T>
inline void load_streaming(T (&to)[4], const T* from) {
  if (reinterpret_cast<std::uintptr_t>(from) % 16 != 0)
    emulator::fail("a load of 16 bytes that are not aligned");
  std::memcpy(to, from, sizeof(to));
}

}  // namespace kauri::numeric::cuda
