// Waits on the device that end. With KAURI_WATCHDOG (a CMake option for finding faults) every loop in which a kernel looks for the signal
// of another thread gives up after ten seconds: it writes down who waits for what and how far that is (kernels/watchdog.cuh), and traps;
// the next call that sees the device's error throws Error(device) with that text. Without the option device code has nothing of this, and
// report() is always empty.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

namespace kauri::numeric::cuda::watchdog {

/// Kernels that wait.
enum class Kernel : int {
  none,
  front_kernel,
  run_tasks,
  run_streamed_tasks,
  factor_fronts_by_warps,
  factor_fronts_by_blocks,
  sweep,
  wide_sweep
};

/// What they wait for.
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

/// A warp that has waited for too long.
struct Waiter {
  Kernel kernel;
  Awaited what;
  int block, warp;
  int unit;             ///< its ticket; or -2 - s in front s of a solve; or -1
  int there;            ///< not 0: this entry is written
  std::uint64_t place;  ///< address of the counter, the number or the barrier
  std::int64_t wanted, found;
};

constexpr int kGlobalSlots = 56, kSharedSlots = 8;  ///< entries for counters and numbers, and for barriers
struct Record {
  Waiter waiter[kGlobalSlots + kSharedSlots];
};

/// What device code is told; each module of kernels has its own.
struct Settings {
  Record* record;                          ///< in memory of the host, as the device sees it
  std::uint64_t limit;                     ///< ns; 0: waits have no end
  Kernel lost_kernel;                      ///< tests: this kernel,
  int lost_unit;                           ///< with this ticket or front (Waiter::unit), sends no signal,
  int lost_lane;                           ///< or this lane of its warps none; -1: all lanes
  int taken[kGlobalSlots + kSharedSlots];  ///< entries of the record that are being written; zeros
};

struct Choice {
  std::uint64_t limit = 10'000'000'000;
  Kernel lost_kernel = Kernel::none;
  int lost_unit = -1;
  int lost_lane = -1;
};

/// Sets the limit of the current device's waits, and forgets earlier records. Without KAURI_WATCHDOG it does nothing.
void arm(const Choice& choice = {});

/// "; the watchdog ended ..." with the waits that were written down on any device, those of the lowest tickets first; empty if there are
/// none.
[[nodiscard]] std::string report();

/// A module of kernels, which sets its Settings on the current device. Called as the program starts; returns true.
using Module = cudaError_t (*)(const Settings&);
bool add_module(Module module);

}  // namespace kauri::numeric::cuda::watchdog
