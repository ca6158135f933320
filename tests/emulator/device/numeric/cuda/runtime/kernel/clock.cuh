// Replaces numeric/cuda/runtime/kernel/clock.cuh on the emulated device: found before the real one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tests/emulator/device/device_language.hpp"

namespace kauri::numeric::cuda::kernels {

/// Returns the emulated clock, on which a wait that succeeds takes little time.
inline std::uint64_t nanoseconds() { return kauri::emulator::nanoseconds(); }
inline void fence_for_host() {}
inline void trap() { kauri::emulator::fail("a trap"); }

}  // namespace kauri::numeric::cuda::kernels
