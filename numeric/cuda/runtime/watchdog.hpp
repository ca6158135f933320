// The watchdog of waits on the device. With KAURI_WATCHDOG (a CMake option for finding faults)
// every loop in which a kernel waits for the signal of another thread gives up after ten seconds:
// it records which warp waits for which signal and what it has found (runtime/kernel/watchdog.cuh),
// and traps. The next call that sees the device's error throws Error(device) with that text.
// Without the option device code contains no watchdog, and report() is always empty.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

namespace kauri::numeric::cuda::watchdog {

/// Kernels that wait for signals of other threads.
enum class Kernel : int {
  none,
  front_kernel,
  run_tasks,
  run_streamed_tasks,
  factor_fronts_by_warps,
  factor_fronts_by_blocks,
  portable_fronts_by_warps,
  sweep,
  multi_sweep
};

/// Signals that kernels wait for.
enum class Awaited : int {
  barrier,   ///< a phase of a barrier in shared memory
  children,  ///< tasks that write the blocks of a front's children, counted
  filled,    ///< tasks that fill a front or sum into it, counted
  levels,    ///< tasks of a level of fronts, counted
  slabs,     ///< finished columns of L, 16 each, in tile rows of a front
  block,     ///< finished blocks of a pivot tile of L
  prepared,  ///< state of a pivot tile: the products of earlier columns are subtracted
  small,     ///< children of a small front, counted
  number     ///< a number of a solve that is its own flag
};

/// Record of a warp that has waited for too long.
struct Waiter {
  Kernel kernel;
  Awaited what;
  int block, warp;
  int unit;   ///< the warp's ticket, counted from 0 in each launch; -2 - s: front s of a solve; -1:
              ///< neither
  int there;  ///< not 0: the other members have been written
  std::uint64_t place;  ///< address of the counter, the number or the barrier
  std::int64_t wanted,
      found;  ///< value that ends the wait (of a barrier its phase); value last read
};

constexpr int kGlobalSlots = 56,
              kSharedSlots = 8;  ///< entries of a Record: waits on global and on shared memory
struct Record {
  Waiter waiter[kGlobalSlots + kSharedSlots];
};

/// Settings that device code reads; each module of kernels has its own copy.
struct Settings {
  Record* record;       ///< device address of a Record in page-locked memory of the host
  std::uint64_t limit;  ///< longest wait in ns; 0: waits have no end
  Kernel lost_kernel;   ///< kernel in which tests lose signals; none: no signal is lost
  int lost_unit;        ///< ticket or front (Waiter::unit) whose signals are lost
  int lost_lane;        ///< lane of the warps whose signals are lost; -1: all lanes
  int taken[kGlobalSlots + kSharedSlots];  ///< not 0: that entry of the record is being written; at
                                           ///< first all are 0
};

/// Settings that arm() takes; the members are as in Settings.
struct Choice {
  std::uint64_t limit = 10'000'000'000;
  Kernel lost_kernel = Kernel::none;
  int lost_unit = -1;
  int lost_lane = -1;
};

/// Sets the limit of waits on the current device and clears its earlier records. Does nothing
/// without KAURI_WATCHDOG.
void arm(const Choice& choice = {});

/// Returns "; the watchdog ended ..." with up to eight recorded waits of all devices: waits for
/// other thread blocks come before waits at barriers, then lower tickets first. Empty if none are.
[[nodiscard]] std::string report();

/// Function that copies Settings to one module of kernels (a .cu file) on the current device.
/// add_module() registers it as the program starts, and returns true.
using Module = cudaError_t (*)(const Settings&);
bool add_module(Module module);

}  // namespace kauri::numeric::cuda::watchdog
