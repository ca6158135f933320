// Replaces numeric/cuda/runtime/kernel/machine_amd.cuh under the real language_amd.cuh on the
// emulated device, with wavefronts of 64 lanes. Halves of a wavefront may run apart, so no lane may
// read a word of the other half.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tests/emulator/machine/indices.hpp"
#include "tests/emulator/machine/machine.hpp"

#define __device__

namespace kauri::numeric::cuda::hip {

inline constexpr unsigned kWavefront = 64;

inline unsigned hardware_thread() { return threadIdx.x; }

inline std::uint32_t word_of_lane(std::uint32_t word, unsigned from) {
  struct Lane {
    std::uint32_t word, result;
    unsigned from;
  } mine{word, 0, from};
  if (from >= kWavefront || from / 32 != hardware_thread() % kWavefront / 32)
    emulator::fail("a word of a lane that need not run");
  emulator::together(emulator::Together::shuffle, &mine, [](void* const* lanes) {
    for (int k = 0; k < 32; ++k) {
      Lane& to = *static_cast<Lane*>(lanes[k]);
      to.result = static_cast<const Lane*>(lanes[to.from % 32])->word;
    }
  });
  return mine.result;
}

inline std::uint64_t vote(bool yes) {
  struct Lane {
    bool yes;
    std::uint64_t all;
  } mine{yes, 0};
  emulator::together(emulator::Together::vote, &mine, [](void* const* lanes) {
    std::uint64_t all = 0;
    for (int k = 0; k < 32; ++k) all |= std::uint64_t{static_cast<const Lane*>(lanes[k])->yes} << k;
    for (int k = 0; k < 32; ++k) static_cast<Lane*>(lanes[k])->all = all;
  });
  return mine.all << hardware_thread() % kWavefront / 32 * 32;
}

inline void order_wavefront() {
  emulator::together(emulator::Together::sync, nullptr, [](void* const*) {});
}
inline void pause() { emulator::spin(); }
template <class T>
T load_device(const T* p) {
  return *p;
}

}  // namespace kauri::numeric::cuda::hip

#ifndef __clang__
template <class T>
T __builtin_nontemporal_load(const T* p) {
  return *p;
}
#endif
